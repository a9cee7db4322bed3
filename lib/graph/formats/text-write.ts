import { MkgError, quote } from "../../core/index.js";
import { type Column, TextColumn } from "../columns.js";
import { isHalfPair } from "./cell-values.js";
import type { OutFile, OutTable } from "./format.js";
import { deepestCell } from "./json-text.js";

/** Characters of text that are handed on at a time. */
const pieceLength = 2 ** 16;

/** Why a value cannot stand in a format, or undefined. */
type Refusal = (value: unknown) => string | undefined;

const halfPair = (text: string) => (isHalfPair(text) ? "half of a surrogate pair" : undefined);

const notText: Refusal = (value) => (value === null || typeof value === "string" ? undefined : "not a string");

/** `tsv`: no quoting, so that a quote is a character like any other; an empty cell is null. One file a table, in pieces. */
export const encodeTsv = (tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> =>
  delimited(
    tables,
    place,
    "tsv",
    "\t",
    (text) => text,
    (value) => notText(value) ?? (/[\t\r\n]/.test((value ?? "") as string) ? "a tab or line break" : undefined),
  );

/** `csv` (RFC 4180): a field in quotes where it holds a comma, a quote or a line break; an empty cell is null. One file a table, in pieces. */
export const encodeCsv = (tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> =>
  delimited(tables, place, "csv", ",", csvField, notText);

const csvField = (text: string): string => (/[",\r\n\ufeff]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function delimited(
  tables: readonly OutTable[],
  place: string,
  format: string,
  separator: string,
  field: (text: string) => string,
  refuse: Refusal,
): Promise<readonly OutFile[]> {
  for (const table of tables) {
    check(table, place, format, refuse);
    emptyCells(table, place, format);
    if (format === "tsv") firstAndOnly(table, place);
  }
  // alone on a line an empty field is a blank line, which readers skip
  const alone = (table: OutTable) => (text: string) =>
    field(text) || (table.columns.data.size === 1 && format === "csv" ? '""' : "");
  return tables.map((table) => ({
    name: `${table.part}.${format}`,
    data: pieces(lines(table, [...table.columns.data.keys()].map(field).join(separator), separator, alone(table))),
  }));
}

function* lines(
  { columns }: OutTable,
  header: string,
  separator: string,
  field: (text: string) => string,
): Generator<string> {
  yield `${header}\n`;
  const cells = [...columns.data.values()].map((column) => texts(column, (value) => field((value ?? "") as string)));
  for (let row = 0; row < columns.rows; row++) {
    let line = "";
    for (let c = 0; c < cells.length; c++) line += (c === 0 ? "" : separator) + cells[c]!(row);
    yield `${line}\n`;
  }
}

/** `jsonl`: one object a line with every column, null where a cell is empty. One file a table, in pieces. */
export async function encodeJsonl(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> {
  for (const table of tables) check(table, place, "jsonl", notJson);
  return tables.map((table) => ({ name: `${table.part}.jsonl`, data: pieces(objects(table, "", "\n")) }));
}

/** `json`: one table as an array of objects, several as `{part: [objects]}`, one object a line. In pieces. */
export async function encodeJson(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> {
  for (const table of tables) check(table, place, "json", notJson);
  const [only] = tables;
  return [{ name: `${tables.length === 1 ? only!.part : "graph"}.json`, data: pieces(document(tables)) }];
}

function* document(tables: readonly OutTable[]): Generator<string> {
  if (tables.length === 1) yield* array(tables[0]!);
  else
    for (const [i, table] of tables.entries()) {
      yield `${i === 0 ? "{" : ",\n"}${JSON.stringify(table.part)}: `;
      yield* array(table);
    }
  yield tables.length === 1 ? "\n" : "}\n";
}

function* array(table: OutTable): Generator<string> {
  yield "[";
  yield* objects(table, ",", "");
  yield "\n]";
}

/** Each row as an object; `between` before a row that is not the first, with a line break where lines do not end in one. */
function* objects({ columns }: OutTable, between: string, end: string): Generator<string> {
  const names = [...columns.data.keys()].map((name) => `${JSON.stringify(name)}:`);
  const cells = [...columns.data.values()].map((column) => texts(column, jsonText));
  for (let row = 0; row < columns.rows; row++) {
    let line = end === "" ? `${row === 0 ? "" : between}\n{` : "{";
    for (let c = 0; c < cells.length; c++) line += (c === 0 ? "" : ",") + names[c] + cells[c]!(row);
    yield `${line}}${end}`;
  }
}

/** JSON that a reader takes for the same values: whole numbers beyond ±2^53 without an exponent are bigints there, so that numbers get one. */
function jsonText(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    return value.toExponential();
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, item]) => `${JSON.stringify(name)}:${jsonText(item)}`)
      .join(",")}}`;
  return JSON.stringify(value);
}

/** What JSON would change or lose; lists and objects are looked through. */
function notJson(value: unknown, depth = 0): string | undefined {
  if (value === null || typeof value === "boolean") return undefined;
  if (typeof value === "string") return halfPair(value);
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? undefined : "a number that JSON does not have";
  if (typeof value === "bigint")
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
      ? "a bigint that would come back as a number"
      : undefined;
  if (depth === deepestCell) return `nested deeper than ${deepestCell} levels`;
  if (Array.isArray(value)) return firstWrong(value, depth);
  if (typeof value === "object" && [Object.prototype, null].includes(Object.getPrototypeOf(value)))
    return Object.keys(value).map(halfPair).find(Boolean) ?? firstWrong(Object.values(value), depth);
  return "not a JSON value";
}

/** `of`, not a method: it meets the holes of a list too. */
function firstWrong(values: readonly unknown[], depth: number): string | undefined {
  for (const value of values) {
    const why = notJson(value, depth + 1);
    if (why) return why;
  }
  return undefined;
}

/** The text of a column's cells by row. Of a text column each distinct value is rendered once. */
function texts(column: Column, render: (value: unknown) => string): (row: number) => string {
  if (!(column instanceof TextColumn)) return (row) => render(column.at(row) ?? null);
  const { codes, values } = column;
  const rendered = new Array<string | undefined>(values.length);
  const empty = render(null);
  return (row) => {
    const code = codes[row]!;
    if (code < 0) return empty;
    rendered[code] ??= render(values[code]);
    return rendered[code];
  };
}

/** Refuses the first cell, column by column, that the format cannot hold. Of a text column each distinct value is looked at once. */
function check({ part, columns }: OutTable, place: string, format: string, refuse: Refusal): void {
  const why = (value: unknown) => refuse(value) ?? (typeof value === "string" ? halfPair(value) : undefined);
  const error = (where: string, name: string, value: unknown, reason: string) =>
    new MkgError(
      place,
      `${part}, ${where}, column ${name}: ${format} cannot hold it: ${reason} (${quote(value)})`,
      "",
      "Choose another format (parquet holds numbers and lists) or change the value",
    );
  for (const [name, column] of columns.data) {
    const bad = why(name);
    if (bad) throw error("header", name, name, bad);
    const row = firstRow(column, columns.rows, (value) => why(value) !== undefined);
    if (row >= 0) {
      const value = column.at(row) ?? null;
      throw error(`row ${row} (from 0)`, name, value, why(value)!);
    }
  }
}

/** The first row whose value passes the test, or −1. */
function firstRow(column: Column, rows: number, test: (value: unknown) => boolean): number {
  if (column instanceof TextColumn) {
    const hit = new Uint8Array(column.values.length);
    column.values.forEach((value, code) => {
      hit[code] = test(value) ? 1 : 0;
    });
    const empty = test(null);
    return column.codes.findIndex((code) => (code < 0 ? empty : hit[code] === 1));
  }
  for (let row = 0; row < rows; row++) if (test(column.at(row) ?? null)) return row;
  return -1;
}

/** A cell that is null and one that is "" look the same in delimited text: where a column has both, the difference would be lost. */
function emptyCells({ part, columns }: OutTable, place: string, format: string): void {
  for (const [name, column] of columns.data) {
    const none = firstRow(column, columns.rows, (value) => value === null);
    const blank = none < 0 ? -1 : firstRow(column, columns.rows, (value) => value === "");
    if (blank >= 0)
      throw new MkgError(
        place,
        `${part}, row ${blank} (from 0), column ${name}: ${format} cannot hold both "" here and no value in row ${none}`,
        "One of them in a column",
        "Choose jsonl or parquet, which keep them apart",
      );
  }
}

/** What would begin a tsv file with a byte order mark, or make a line blank. */
function firstAndOnly({ part, columns }: OutTable, place: string): void {
  const [name = ""] = columns.data.keys();
  const refuse = (where: string, why: string) => {
    throw new MkgError(
      place,
      `${part}, ${where}, column ${name}: tsv cannot hold it: ${why}`,
      "",
      "Choose csv or jsonl",
    );
  };
  if (name.startsWith("\ufeff")) refuse("header", "the file would begin with a byte order mark");
  if (columns.data.size !== 1) return;
  const row = firstRow(columns.data.get(name)!, columns.rows, (value) => value === null || value === "");
  if (row >= 0) refuse(`row ${row} (from 0)`, "a table of one column with an empty cell would have a blank line");
}

/** Many short texts as few long ones. */
function* pieces(parts: Iterable<string>): Generator<string> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length >= pieceLength) {
      yield piece;
      piece = "";
    }
  }
  if (piece !== "") yield piece;
}
