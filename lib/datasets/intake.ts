import { extname } from "node:path";
import { MkgError, quote, readJsonl, refusePipe } from "../core/index.js";
import { parseJson, type ReadOptions, readRows } from "../graph/index.js";
import type { DatasetCard } from "./types.js";

type Refused = DatasetCard["refused"][number];

/**
 * Counts the rows that a loader reads, by table, and keeps the account of those it leaves out: what a row's reader throws is an error that names file and
 * line, or, where reading is lenient, a refused row.
 */
export class Intake {
  readonly read: Record<string, number> = Object.create(null);
  readonly kept: Record<string, number> = Object.create(null);
  readonly refused: Refused[] = [];
  /** What reading altered, as the formats' readers say. */
  readonly repaired: DatasetCard["repaired"][number][] = [];
  /** What else reading saw, as the formats' readers say. */
  readonly notices: DatasetCard["notices"][number][] = [];
  constructor(
    readonly place: string,
    readonly lenient: boolean,
  ) {}

  /** One row. `take` gets where it stands, as the place of its errors. */
  row(table: string, file: string, line: number, take: (where: string) => void): void {
    this.#count(table);
    try {
      take(`${this.place}: ${file}, line ${line}`);
      this.#keep(table);
    } catch (error) {
      this.refuse(file, line, error);
    }
  }

  /** One row whose reader looks at other files, such as its pictures. */
  async rowAsync(table: string, file: string, line: number, take: (where: string) => Promise<void>): Promise<void> {
    this.#count(table);
    try {
      await take(`${this.place}: ${file}, line ${line}`);
      this.#keep(table);
    } catch (error) {
      this.refuse(file, line, error);
    }
  }

  /** The objects of a JSON-lines file; a line that is not JSON, or no object, is an error or a refused row. */
  async *objects(table: string, file: string): AsyncGenerator<{ record: Fields; line: number }> {
    const bad = (line: number, error: MkgError) => {
      this.#count(table);
      this.refuse(file, line, error);
    };
    await refusePipe(this.place, file);
    for await (const { record, line } of readJsonl<unknown>(
      file,
      this.place,
      this.lenient ? bad : undefined,
      (text, path, line, place) => parseJson(text, place, `${path}, line ${line}`),
    )) {
      if (isFields(record)) yield { record, line };
      else
        bad(
          line,
          new MkgError(`${this.place}: ${file}, line ${line}`, `not an object (${quote(record)})`, "One object a line"),
        );
    }
  }

  /**
   * The rows of a table in any format that `readTable` reads; JSON lines are streamed. An empty cell is left out of its row; cells of csv, tsv and xlsx are
   * strings. What the format's own reader refuses is counted here. `decide`: what the columns are called, where a header does not say it.
   */
  async *rows(
    table: string,
    file: string,
    decide?: ReadOptions["decide"],
  ): AsyncGenerator<{ record: Fields; line: number }> {
    if (/\.(jsonl|ndjson)$/i.test(extname(file))) {
      yield* this.objects(table, file);
      return;
    }
    const rows = await readRows(file, { place: this.place, lenient: this.lenient, decide });
    for (const row of rows.refused) {
      this.#count(table);
      this.refused.push(row);
    }
    this.repaired.push(...rows.repaired);
    this.notices.push(...rows.notices);
    for (let i = 0; i < rows.columns.rows; i++) {
      const record: Record<string, unknown> = Object.create(null);
      for (const [name, column] of rows.columns.data) {
        const value = column.at(i);
        if (value !== null && value !== undefined && value !== "") record[name] = value;
      }
      yield { record, line: rows.line(i) };
    }
  }

  /** A table that has no row must be counted too. */
  table(name: string): void {
    this.read[name] ??= 0;
    this.kept[name] ??= 0;
  }

  /** The error that nothing was kept, with why the first row was not. */
  nothing(problem: string, allowed: string): MkgError {
    const [first] = this.refused;
    const why =
      first &&
      `${this.refused.length} rows cannot be kept, the first: ${first.file}, line ${first.line}: ${first.reason}`;
    return new MkgError(this.place, why ? `${problem} (${why})` : problem, allowed, why ? "Mend these rows" : "");
  }

  #count(table: string): void {
    this.table(table);
    this.read[table] = (this.read[table] ?? 0) + 1;
  }
  #keep(table: string): void {
    this.kept[table] = (this.kept[table] ?? 0) + 1;
  }
  /** A row that is left out, or, where reading is strict, the error. */
  refuse(file: string, line: number, error: unknown): void {
    if (!this.lenient || !(error instanceof MkgError)) throw error;
    this.refused.push({ file, line, reason: error.problem });
  }
}

/** What a line of a file says, by name: data, so that only own fields count. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const field = (record: Fields, name: string): unknown =>
  Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;

/** A non-empty string, or an error. */
export function textField(where: string, record: Fields, name: string): string {
  const value = field(record, name);
  if (typeof value !== "string" || value.trim() === "")
    throw new MkgError(where, `${name} is not a non-empty string (${quote(value)})`, "", "Mend that line");
  return value;
}

/** A string, `""` where it is missing, or an error. */
export function optionalText(where: string, record: Fields, name: string): string {
  const value = field(record, name) ?? "";
  if (typeof value !== "string") throw new MkgError(where, `${name} is not a string (${quote(value)})`);
  return value;
}

export const isNatural = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** An integer from 0 on, or an error. */
export function naturalField(where: string, record: Fields, name: string): number {
  const value = field(record, name);
  if (!isNatural(value))
    throw new MkgError(where, `${name} is not an integer ≥ 0 (${quote(value)})`, "", "Mend that line");
  return value;
}

/** A list of non-empty strings: an array, or a string with `separator` between; `[]` where it is missing. */
export function listField(where: string, record: Fields, name: string, separator = "|"): string[] {
  const value = field(record, name) ?? [];
  const list: unknown = typeof value === "string" ? value.split(separator).map((item) => item.trim()) : value;
  if (!Array.isArray(list) || list.some((item) => typeof item !== "string"))
    throw new MkgError(
      where,
      `${name} is not a list of strings (${quote(value)})`,
      `A list, or strings with ${separator} between`,
      "Mend that line",
    );
  // a separator at an end is no item; an empty one in a list that was written out is
  if (typeof value !== "string" && (list as string[]).some((item) => item.trim() === ""))
    throw new MkgError(where, `${name} holds an empty string (${quote(value)})`, "Non-empty strings", "Mend that line");
  return (list as string[]).filter((item) => item.trim() !== "");
}

/** An id: a non-empty string, or a whole number as its digits. */
export function idField(where: string, record: Fields, name: string): string {
  const value = field(record, name);
  if (isNatural(value) || typeof value === "bigint") return String(value);
  return textField(where, record, name);
}
