import type { ParquetWriteOptions } from "hyparquet-writer";
import { MkgError, quote } from "../../core/index.js";
import { type Column, DateColumn, TextColumn } from "../columns.js";
import type { OutFile, OutTable } from "./format.js";

type SchemaElement = NonNullable<ParquetWriteOptions["schema"]>[number];

/** The Parquet type of a cell's kind. */
const types: Readonly<Record<string, Omit<SchemaElement, "name">>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  bigint: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
  date: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};
const listed = ["string", "number", "bigint", "boolean"];

/** Parquet files, one a table; what they hold says {@link parquet}. A column without any value is one of text. The same tables give the same bytes. */
export async function encodeParquet(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> {
  const checked = tables.map(({ part, columns }) => {
    if (columns.data.size === 0) throw new MkgError(place, `${part}: a table without columns`, "At least one column");
    const kinds = [...columns.data].map(([name, column]) =>
      kindOf(column, (row, value, why) => {
        throw new MkgError(
          place,
          `${part}, row ${row} (from 0), column ${name}: parquet cannot hold it: ${why} (${quote(value)})`,
          "Cells of one kind a column: text, numbers, bigints of 64 bits, booleans, dates, lists of one of the first four",
          "Choose another format or change the value",
        );
      }),
    );
    for (const name of columns.data.keys())
      if (/\p{Surrogate}/u.test(name) || name === "")
        throw new MkgError(
          place,
          `${part}, header: parquet cannot hold a column name (${quote(name)})`,
          "Unicode text",
        );
    return { part, columns, kinds };
  });
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  return checked.map(({ part, columns, kinds }) => {
    const names = [...columns.data.keys()];
    const schema: SchemaElement[] = [{ name: "root", num_children: names.length }];
    for (const [i, name] of names.entries()) schema.push(...elements(name, kinds[i]!));
    const columnData = [...columns.data].map(([name, column], i) => ({
      name,
      data: Array.from(column as Iterable<unknown>, (value) => value ?? null),
      // a dictionary would join 0 and −0
      ...(kinds[i]!.endsWith("number") ? { encoding: "PLAIN" as const } : {}),
    }));
    return { name: `${part}.parquet`, data: new Uint8Array(parquetWriteBuffer({ columnData, schema })) };
  });
}

function elements(name: string, kind: string): SchemaElement[] {
  const item = types[kind.replace("list of ", "")]!;
  if (!kind.startsWith("list of ")) return [{ name, repetition_type: "OPTIONAL", ...item }];
  return [
    { name, repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", repetition_type: "OPTIONAL", ...item },
  ];
}

/** The kind that all cells of a column have, nulls aside; text where there is none. */
function kindOf(column: Column, refuse: (row: number, value: unknown, why: string) => never): string {
  if (column instanceof DateColumn) return "date";
  if (column instanceof TextColumn && !column.values.some(halfPair)) return "string";
  let kind: string | undefined;
  let emptyLists = false;
  let row = -1;
  for (const value of column) {
    row++;
    if (value === null || value === undefined) continue;
    const items = Array.isArray(value) ? value.filter((item) => item !== null) : [value];
    const own = items.map((item) => (item instanceof Date ? "date" : typeof item));
    if (new Set(own).size > 1) refuse(row, value, "a list of mixed values");
    for (const [i, item] of items.entries()) {
      if (!(Array.isArray(value) ? listed.includes(own[i]!) : Object.hasOwn(types, own[i]!)))
        refuse(row, value, `a value of kind ${own[i]}`);
      if (halfPair(item)) refuse(row, value, "half of a surrogate pair");
      if (typeof item === "bigint" && BigInt.asIntN(64, item) !== item) refuse(row, value, "beyond 64 bits");
      if (item instanceof Date && Number.isNaN(item.getTime())) refuse(row, value, "an invalid date");
    }
    if (Array.isArray(value) && items.length === 0) {
      if (kind !== undefined && !kind.startsWith("list of ")) refuse(row, value, `a list in a column of ${kind}`);
      emptyLists = true;
      continue;
    }
    const whole = Array.isArray(value) ? `list of ${own[0]}` : own[0]!;
    if ((kind !== undefined && kind !== whole) || (emptyLists && !Array.isArray(value)))
      refuse(row, value, `a ${whole} in a column of ${kind ?? "lists"}`);
    kind = whole;
  }
  return kind ?? (emptyLists ? "list of string" : "string");
}

const halfPair = (value: unknown): boolean => typeof value === "string" && /\p{Surrogate}/u.test(value);
