import { basename, extname } from "node:path";
import type { ColumnTable } from "arquero";
import { parse } from "csv-parse/sync";
import { MkgError, quote, readText, unknownName } from "../core/index.js";
import { type Columns, checkName, columnsOfObjects, frozenTable } from "./columns.js";
import type { RefusedRow } from "./types.js";

/** A file's rows as columns, with the line each row begins at. */
export interface SourceRows {
  readonly file: string;
  readonly columns: Columns;
  /** From 1; in a JSON file the position of the record from 1. */
  readonly lines: readonly number[];
  /** False when the first line was read as data. */
  readonly header: boolean;
  readonly refused: readonly RefusedRow[];
}

/** The names of the columns, from the fields of the first line; `header` says whether that line is names or data. */
type DecideHeader = (
  first: readonly string[],
  where: string,
) => { readonly names: readonly string[]; readonly header: boolean };

interface Reading {
  readonly place: string;
  readonly file: string;
  readonly decide: DecideHeader;
  readonly lenient: boolean;
}

type Format = (text: string, reading: Reading) => SourceRows;

// one entry a format: a file extension and how its text becomes rows
const formats: Readonly<Record<string, Format>> = {
  csv: (text, reading) => delimited(csvRecords(text, reading), reading),
  tsv: (text, reading) => delimited(tsvRecords(text), reading),
  txt: (text, reading) => delimited(tsvRecords(text), reading),
  jsonl: (text, reading) => objects(jsonLines(text, reading), reading),
  ndjson: (text, reading) => objects(jsonLines(text, reading), reading),
  json: (text, reading) => objects(jsonArray(parseJson(text, reading.place, reading.file), reading), reading),
};

/** File extensions that tables are read from. */
export const tableFormats = (): string[] => Object.keys(formats);

/** The format of a file: the one asked for, or else its extension. */
export function formatOf(place: string, path: string, format?: string): string {
  const name = format ?? extname(path).slice(1).toLowerCase();
  if (!Object.hasOwn(formats, name))
    throw format === undefined
      ? new MkgError(
          place,
          `the format of the file is not one that is read here (${basename(path)})`,
          `Formats: ${tableFormats().join(", ")}`,
          "Convert the file, or say { format } if only its name is unusual",
        )
      : unknownName(place, "format", format, tableFormats());
  return name;
}

export interface ReadRowsOptions {
  readonly place: string;
  readonly format?: string;
  readonly decide?: DecideHeader;
  readonly lenient?: boolean;
}

export async function readRows(path: string, options: ReadRowsOptions): Promise<SourceRows> {
  const { place, lenient = false } = options;
  const read = formats[formatOf(place, path, options.format)]!;
  const text = await readText(path, { place });
  return read(text, {
    place,
    file: path,
    lenient,
    decide: options.decide ?? ((first) => ({ names: first, header: true })),
  });
}

/**
 * A csv, tsv (or txt), jsonl (or ndjson) or json file as an Arquero table. Nothing is typed: a field of csv and tsv is the string that stands in
 * the file, so that `007` and `7`, `NaN` and `null` stay what they are. csv is RFC 4180 with quotes; in tsv a quote is a character like
 * any other. Values of jsonl and json keep their JSON types. UTF-8, with or without a byte order mark; lines end in LF or CRLF; blank lines are skipped.
 * At most 512 MiB. A malformed line is an error that names it.
 *
 * @param options.format the format, where the file's extension does not say it.
 * @param options.names column names of a file without a header line.
 * @example
 * (await readTable("entities.csv")).get("id", 0)   // "007"
 */
export async function readTable(
  path: string,
  options: { readonly format?: string; readonly names?: readonly string[] } = {},
): Promise<ColumnTable> {
  const { names } = options;
  const rows = await readRows(path, {
    place: "readTable",
    format: options.format,
    ...(names ? { decide: () => ({ names, header: false }) } : {}),
  });
  return frozenTable(rows.columns.data);
}

interface Fields {
  readonly line: number;
  readonly fields: readonly string[];
}

function* tsvRecords(text: string): Generator<Fields> {
  let line = 0;
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    line++;
    const row = text.slice(at, text.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end);
    at = end + 1;
    if (row !== "") yield { line, fields: row.split("\t") };
  }
}

function csvRecords(text: string, { place, file }: Reading): Fields[] {
  const records: Fields[] = [];
  // the parser counts every CR and LF inside a field as a line and gives the line that a record ends at
  let returns = 0;
  const count = (fields: readonly string[], what: RegExp) =>
    fields.reduce((n, field) => n + (field.match(what)?.length ?? 0), 0);
  try {
    parse(text, {
      skip_empty_lines: true,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      on_record: (fields: string[], { lines }) => {
        records.push({ line: lines - returns - count(fields, /[\r\n]/g), fields });
        returns += count(fields, /\r/g);
        return null;
      },
    });
  } catch (error) {
    const { lines, message } = error as { lines?: number; message: string };
    const line = lines === undefined ? "" : `, line ${lines - returns}`;
    throw new MkgError(
      place,
      `${file}${line}: not CSV (${message.replace(/ at line \d+/, "")})`,
      "RFC 4180: a field with quotes, commas or line breaks stands in quotes, and a quote in it is doubled",
      "Mend that line",
    );
  }
  return records;
}

function delimited(records: Iterable<Fields>, { place, file, decide, lenient }: Reading): SourceRows {
  let names: readonly string[] | undefined;
  let header = true;
  let columns: string[][] = [];
  const lines: number[] = [];
  const refused: RefusedRow[] = [];
  for (const { line, fields } of records) {
    if (!names) {
      ({ names, header } = decide(fields, `${file}, line ${line}`));
      checkNames(place, `${file}, line ${line}`, names);
      columns = names.map(() => []);
      if (header) continue;
    }
    if (fields.length !== names.length) {
      const reason = `${fields.length} fields instead of ${names.length}`;
      if (!lenient)
        throw new MkgError(
          place,
          `${file}, line ${line}: ${reason} (${quote(fields)})`,
          `Columns: ${names.join(", ")}`,
          "Mend that line",
        );
      refused.push({ file, line, reason });
      continue;
    }
    for (let c = 0; c < names.length; c++) columns[c]!.push(fields[c]!);
    lines.push(line);
  }
  if (!names) throw new MkgError(place, `the file is empty (${file})`, "At least a header line or one row");
  return {
    file,
    columns: { data: new Map(names.map((name, c) => [name, columns[c]!])), rows: lines.length },
    lines,
    header,
    refused,
  };
}

function checkNames(place: string, where: string, names: readonly string[]): void {
  names.forEach((name, i) => {
    checkName(place, where, name);
    if (names.indexOf(name) !== i)
      throw new MkgError(
        place,
        `${where}: two columns have the same name (${quote(name)})`,
        "Column names are distinct",
        "Rename one",
      );
  });
}

export function parseJson(text: string, place: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MkgError(place, `${where}: not JSON (${(error as Error).message})`, "", "Mend it");
  }
}

function* jsonLines(text: string, { place, file }: Reading): Generator<{ line: number; value: unknown }> {
  let line = 0;
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = text.length;
    line++;
    const row = text.slice(at, end);
    at = end + 1;
    if (row.trim() !== "") yield { line, value: parseJson(row, place, `${file}, line ${line}`) };
  }
}

function jsonArray(value: unknown, { place, file }: Reading): { line: number; value: unknown }[] {
  if (!Array.isArray(value))
    throw new MkgError(place, `${file}: not a list of objects (${quote(value)})`, "A JSON array of objects");
  return value.map((item, i) => ({ line: i + 1, value: item }));
}

function objects(records: Iterable<{ line: number; value: unknown }>, reading: Reading): SourceRows {
  const rows: object[] = [];
  const lines: number[] = [];
  const refused: RefusedRow[] = [];
  for (const { line, value } of records) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const where = `${reading.file}, line ${line}`;
      if (!reading.lenient)
        throw new MkgError(reading.place, `${where}: not an object (${quote(value)})`, "One JSON object a row");
      refused.push({ file: reading.file, line, reason: "not an object" });
      continue;
    }
    rows.push(value);
    lines.push(line);
  }
  return {
    file: reading.file,
    columns: columnsOfObjects(reading.place, reading.file, rows),
    lines,
    header: true,
    refused,
  };
}
