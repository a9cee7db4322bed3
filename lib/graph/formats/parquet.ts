import type { FileMetaData, SchemaElement, SchemaTree } from "hyparquet";
import { errorText, MkgError } from "../../core/index.js";
import { checkNames, durationsRead, TypedColumns, unheld } from "./cell-values.js";
import type { Reading, Source, SourceRows, TableFormat } from "./format.js";
import { boundedCompressors, checkPages } from "./parquet-pages.js";
import { type Collector, columnOf, lists, NotText } from "./parquet-values.js";
import { encodeParquet } from "./parquet-write.js";

/**
 * Apache Parquet, every codec but LZO. Text columns are text, whatever it reads like; 64-bit integers are bigints; decimals and times of day are
 * text with all their digits; dates and timestamps `Date`s, or text where they are finer than a millisecond; lists of text, numbers or booleans
 * frozen arrays. null and "" stay apart. Maps, structs and bytes are errors that name the column.
 *
 * Cost: the file's bytes in memory (at most 512 MiB), decoded one column of one row group at a time. A file that is cut off, or whose pages
 * disagree with its footer or with their checksums, is an error. Most writers store no checksums: a flipped bit inside a page can then go unseen.
 *
 * Writing: text, numbers (64-bit floats), bigints (64 bits), booleans, dates (milliseconds), lists of text, numbers or booleans; one kind a column.
 */
export const parquet: TableFormat = {
  extensions: ["parquet"],
  async read(source, reading) {
    const { place } = reading;
    const bytes = await source.bytes();
    checkMagic(place, source.path, bytes);
    try {
      return [await table(source, bytes, reading)];
    } catch (error) {
      if (error instanceof MkgError) throw error;
      // what a decoder trips over says nothing to a reader
      const tripped = error instanceof TypeError || error instanceof RangeError;
      throw damaged(place, source.path, tripped ? "its parts do not fit together" : errorText(error));
    }
  },
  encode: encodeParquet,
};

const damaged = (place: string, file: string, why: string) =>
  new MkgError(
    place,
    `${file}: damaged, or not understood (${why})`,
    "A whole Parquet file",
    "Copy it again, or write it again",
  );

function checkMagic(place: string, file: string, bytes: Uint8Array): void {
  const at = (offset: number) => String.fromCharCode(...bytes.subarray(offset, offset + 4));
  const [first, last] = [at(0), at(Math.max(0, bytes.length - 4))];
  if (first === "PARE" || last === "PARE")
    throw new MkgError(place, `${file}: encrypted`, "Files without a key", "Write a copy without encryption");
  if (first !== "PAR1")
    throw new MkgError(
      place,
      bytes.length === 0 ? `the file is empty (${file})` : `${file}: not Parquet`,
      "Apache Parquet",
      "Check the file, or say { format } if only its name is unusual",
    );
  if (bytes.length < 12 || last !== "PAR1") throw damaged(place, file, "it has no end: cut off?");
}

async function table(source: Source, bytes: Uint8Array, reading: Reading): Promise<SourceRows> {
  const { place, lenient } = reading;
  const file = source.path;
  const { parquetMetadata, parquetSchema } = await import("hyparquet");
  const { parquetReadColumn } = await import("hyparquet/src/read.js");
  const stored = parquetMetadata(bytes, { geoparquet: false });
  const tree = parquetSchema(stored);
  const { names } = reading.decide(
    tree.children.map(({ element }) => element.name),
    file,
  );
  checkNames(place, file, names);
  if (names.length === 0) throw new MkgError(place, `${file}: no columns`, "At least one column");
  checkPages(place, file, bytes, stored);

  const typed = new TypedColumns(place, file, lenient);
  const durations = await durationsOf(stored);
  const decoded = new Map<SchemaElement, SchemaElement>();
  const columns = tree.children.map((child, i) => {
    const name = names[i]!;
    const found = columnOf(child);
    if (!found) throw unheld({ place, file, name }, describe(child.element, child.children.length > 0));
    const leaves = [child, ...child.children, ...child.children.flatMap(({ children }) => children)];
    for (const { element, children } of leaves)
      if (children.length === 0)
        // conversions that lose digits are left to parquet-values.ts
        decoded.set(element, {
          ...element,
          converted_type: found.leaf.stored === "text" ? "UTF8" : undefined,
          logical_type: undefined,
        });
    const at = typed.at(name);
    const unit = durations.get(child.element.name);
    if (unit !== undefined) at.repair(durationsRead(unit));
    if (found.leaf.stored === "text" && leaves.some(isUntyped))
      at.repair("bytes that no type says are text: read as UTF-8 text");
    const collector: Collector = found.list ? lists(at, found.leaf) : found.leaf.collect(at);
    return { path: child.element.name, collector };
  });
  const metadata: FileMetaData = { ...stored, schema: stored.schema.map((element) => decoded.get(element) ?? element) };
  const compressors = await boundedCompressors();
  const buffer = {
    byteLength: bytes.length,
    slice: (start: number, end = bytes.length) =>
      bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + end) as ArrayBuffer,
  };
  const options = { file: buffer, metadata, compressors, utf8: false, parsers, geoparquet: false };
  let rows = 0;
  for (const group of stored.row_groups) {
    const count = Number(group.num_rows);
    if (count > 0)
      for (const { path, collector } of columns) {
        const values = await parquetReadColumn({ ...options, columns: [path], rowStart: rows, rowEnd: rows + count });
        if (values.length !== count) throw new Error(`column ${path} has ${values.length} of ${count} rows`);
        // nulls are null; undefined is a value that is not there, or an index beyond its dictionary
        for (let i = 0; i < count; i++)
          if (values[i] === undefined) throw new Error(`column ${path} has no value in row ${rows + i + 1}`);
        collector.add(values);
      }
    rows += count;
  }
  if (BigInt(rows) !== stored.num_rows) throw new Error(`${rows} rows, the footer says ${stored.num_rows}`);
  return typed.done(new Map(columns.map(({ collector }, i) => [names[i]!, collector.done()])), rows);
}

/** Units of the columns that only the schema of Arrow, kept beside that of Parquet, says to be durations: Parquet has none. */
async function durationsOf({ key_value_metadata: kept = [] }: FileMetaData): Promise<Map<string, number>> {
  const schema = kept.find(({ key }) => key === "ARROW:schema")?.value;
  if (!schema) return new Map();
  const { tableFromIPC, Type } = await import("@uwdata/flechette");
  try {
    const { fields } = tableFromIPC(Uint8Array.from(Buffer.from(schema, "base64"))).schema;
    return new Map(
      fields
        .filter(({ type }) => type.typeId === Type.Duration)
        .map(({ name, type }) => [name, (type as unknown as { unit: number }).unit]),
    );
  } catch {
    return new Map(); // Parquet's own schema says all that is needed to read
  }
}

const isUntyped = ({ element }: SchemaTree): boolean =>
  element.type === "BYTE_ARRAY" && element.converted_type === undefined && element.logical_type === undefined;

// the nanoseconds of an INT96 as they are
const parsers = { stringFromBytes, timestampFromNanoseconds: (nanos: bigint) => nanos };
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function stringFromBytes(bytes: Uint8Array): unknown {
  if (bytes === null || bytes === undefined) return bytes;
  if (!(bytes instanceof Uint8Array)) throw new Error("text without a dictionary");
  try {
    return utf8.decode(bytes);
  } catch {
    return new NotText(bytes);
  }
}

const describe = ({ type, converted_type, logical_type }: SchemaElement, group: boolean): string => {
  const kind = (logical_type?.type ?? converted_type ?? (group ? "struct" : type) ?? "group").toLowerCase();
  return kind === "byte_array" || kind === "fixed_len_byte_array"
    ? "bytes"
    : kind === "list"
      ? "a list of more than plain values"
      : `a ${kind}`;
};
