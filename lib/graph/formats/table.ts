import { statSync } from "node:fs";
import { basename } from "node:path";
import type { ColumnTable } from "arquero";
import { checkString, MkgError, quote, refuseUnknown, unknownName } from "../../core/index.js";
import { frozenTable } from "../columns.js";
import { arrow } from "./arrow.js";
import { openSource } from "./compressed.js";
import { csv, tsv } from "./delimited.js";
import type { DecideHeader, Reading, SourceRows, TableFormat } from "./format.js";
import { json, jsonl } from "./json.js";
import { parquet } from "./parquet.js";
import { nquads, ntriples, turtle } from "./rdf.js";
import { isIri } from "./rdf-terms.js";
import { xlsx } from "./xlsx.js";

// one entry a format
const formats: readonly TableFormat[] = [csv, tsv, jsonl, json, xlsx, parquet, arrow, ntriples, nquads, turtle];

const byExtension = new Map(formats.flatMap((format) => format.extensions.map((name) => [name, format] as const)));

/** File extensions that tables are read from. */
export const tableFormats = (): string[] => [...byExtension.keys()];

/** The entry of a format by one of its extensions, if there is one. */
export const formatNamed = (name: string): TableFormat | undefined => byExtension.get(name);

/** A file's name without `.gz`, and its extension in lower case. */
export function splitName(path: string): { readonly stem: string; readonly extension: string } {
  const name = basename(path).replace(/(.)\.gz$/i, "$1");
  const dot = name.lastIndexOf(".");
  return dot <= 0
    ? { stem: name, extension: "" }
    : { stem: name.slice(0, dot), extension: name.slice(dot + 1).toLowerCase() };
}

/** The format of a file: the one asked for, or else its extension. */
export function formatOf(place: string, path: string, format?: string): TableFormat {
  const found = byExtension.get(format ?? splitName(path).extension);
  if (found) return found;
  if (format === undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new MkgError(place, `a folder, not a file (${path})`, "", "Give the path of a file");
  throw format === undefined
    ? new MkgError(
        place,
        `the format of the file is not one that is read here (${basename(path)})`,
        `Formats: ${tableFormats().join(", ")}`,
        "Convert the file, or say { format } if only its name is unusual",
      )
    : unknownName(place, "format", format, tableFormats());
}

/** Which formats take an option of reading. */
const takers: Readonly<Record<string, (format: TableFormat) => boolean | undefined>> = {
  header: ({ mayLackHeader }) => mayLackHeader,
  names: ({ mayLackHeader }) => mayLackHeader,
  encoding: ({ text }) => text,
  delimiter: ({ delimited }) => delimited,
  rdf: ({ holds }) => holds === "all",
  base: ({ relativeIris }) => relativeIris,
  sheet: ({ holds }) => holds !== undefined,
};

/** Refuses an option that none of the files to be read takes, and a delimiter or base that is none. */
export function checkTaken(
  place: string,
  read: readonly TableFormat[],
  options: { readonly delimiter?: unknown; readonly base?: unknown },
): void {
  const { delimiter, base } = options;
  if (base !== undefined && !(typeof base === "string" && isIri(base)))
    throw new MkgError(place, `base is not an absolute IRI (${quote(base)})`, 'Such as "http://example.org/"');
  if (delimiter !== undefined && !(typeof delimiter === "string" && /^[\t -~]$/.test(delimiter) && delimiter !== '"'))
    throw new MkgError(
      place,
      `delimiter is not a character of ASCII (${quote(delimiter)})`,
      'Such as ";", and no quote',
    );
  for (const [name, value] of Object.entries(options)) {
    const takes = takers[name];
    if (value === undefined || !takes || read.some(takes)) continue;
    throw new MkgError(
      place,
      `no file here takes the option ${name} (${quote(value)})`,
      `Formats that do: ${formats
        .filter(takes)
        .map(({ extensions }) => extensions[0])
        .join(", ")}`,
      "Leave it out",
    );
  }
}

export interface ReadOptions {
  readonly place: string;
  readonly format?: string;
  readonly decide?: DecideHeader;
  readonly lenient?: boolean;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly base?: string;
  readonly sheet?: string;
  readonly rdf?: Reading["rdf"];
}

/** The tables of a file: one, or those of its sheets or parts. */
export async function readTables(path: string, options: ReadOptions): Promise<readonly SourceRows[]> {
  const { place, lenient = false, encoding, delimiter, base, sheet, rdf } = options;
  const format = formatOf(place, path, options.format);
  const source = await openSource(place, path, format.zipped);
  return format.read(source, {
    place,
    lenient,
    decide: options.decide ?? ((first) => ({ names: first, header: true })),
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(base === undefined ? {} : { base }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(rdf === undefined ? {} : { rdf }),
  });
}

/** The one table of a file; where there are several, `sheet` says which. */
export async function readRows(path: string, options: ReadOptions): Promise<SourceRows> {
  const tables = await readTables(path, options);
  const { place, sheet } = options;
  const parts = tables.map((table) => table.part);
  if (sheet !== undefined) {
    const found = tables.find((table) => table.part === sheet);
    if (!found) throw unknownName(place, `table of ${path}`, sheet, parts);
    return found;
  }
  if (tables.length !== 1)
    throw new MkgError(
      place,
      `${path} holds ${tables.length} tables (${parts.map((part) => quote(part)).join(", ")})`,
      "One table",
      "Say which: { sheet }",
    );
  return tables[0]!;
}

export interface ReadTableOptions {
  /** The format, where the file's extension does not say it. */
  readonly format?: string;
  /** Column names of a file without a header line. */
  readonly names?: readonly string[];
  /** Which sheet of a workbook, or which part of a JSON file; needed where there are several. */
  readonly sheet?: string;
  /** Encoding of a text file, by its name in the Encoding Standard; default UTF-8, or UTF-16 where a byte order mark says so. */
  readonly encoding?: string;
  /** What stands between the fields of a csv: one character of ASCII, such as `;` where the comma marks decimals; default a comma. */
  readonly delimiter?: string;
}

/**
 * A table from a file as an Arquero table; formats as {@link loadGraph} reads them, plain or as `.gz`. Nothing is typed: a field of csv and tsv is the
 * string that stands in the file, so that `007` and `7`, `NaN` and `null` stay what they are. csv is RFC 4180 with quotes; in tsv a quote is a character
 * like any other. Values of jsonl and json keep their JSON types, integers beyond 2^53 as bigints. Text is UTF-8, strictly; lines end in LF or
 * CRLF; blank lines are skipped. A malformed line is an error that names it.
 *
 * @example
 * (await readTable("entities.csv")).get("id", 0)   // "007"
 */
export async function readTable(path: string, options: ReadTableOptions = {}): Promise<ColumnTable> {
  const place = "readTable";
  refuseUnknown(place, options, ["format", "names", "sheet", "encoding", "delimiter"], "option");
  for (const name of ["format", "sheet", "encoding"] as const) checkString(place, name, options[name]);
  const { names, ...rest } = options;
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === "string")))
    throw new MkgError(place, `names is not a list of strings (${quote(names)})`, 'Such as ["id", "label"]');
  checkTaken(place, [formatOf(place, path, options.format)], options);
  const rows = await readRows(path, {
    ...rest,
    place,
    ...(names ? { decide: () => ({ names, header: false }) } : {}),
  });
  return frozenTable(rows.columns.data);
}
