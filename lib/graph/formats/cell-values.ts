import { MkgError, quote } from "../../core/index.js";
import { type Column, checkName, DateColumn, pickRows, TextColumn } from "../columns.js";
import { Noticing } from "../notices.js";
import type { RefusedRow } from "../types.js";
import type { SourceRows } from "./format.js";

/** Where a column of a typed file stands, for errors, and where to put what was noticed. */
export interface ColumnPlace {
  readonly place: string;
  readonly file: string;
  readonly name: string;
  /** A row (from 0) whose value cannot be given: an error, or the row is refused. */
  refuse(row: number, reason: string): void;
  repair(what: string): void;
}

/** What came of the columns of a typed file (Parquet, Arrow): rows refused, repairs. */
export class TypedColumns {
  readonly #repaired = new Noticing();
  readonly #refused = new Map<number, RefusedRow>();
  constructor(
    private readonly place: string,
    private readonly file: string,
    private readonly lenient: boolean,
  ) {}

  /** @param firstRow of the table within the file. */
  at(name: string, firstRow = 0): ColumnPlace {
    const { place, file } = this;
    return {
      place,
      file,
      name,
      repair: (what) => this.#repaired.add(what, name),
      refuse: (inTable, reason) => {
        const row = firstRow + inTable;
        if (!this.lenient)
          throw new MkgError(
            place,
            `${file}, row ${row + 1}, column ${name}: ${reason}`,
            "Text in UTF-8, dates up to the year 275760",
            "Write the column again; { lenient: true } reads the other rows and lists this one in the report",
          );
        if (!this.#refused.has(row))
          this.#refused.set(row, { file, line: row + 1, reason: `${reason} (column ${name})` });
      },
    };
  }

  done(data: ReadonlyMap<string, Column>, rows: number): SourceRows {
    const kept =
      this.#refused.size === 0
        ? undefined
        : Int32Array.from({ length: rows }, (_, row) => row).filter((row) => !this.#refused.has(row));
    return {
      file: this.file,
      part: "",
      columns: kept
        ? { data: new Map([...data].map(([name, column]) => [name, pickRows(column, kept)])), rows: kept.length }
        : { data, rows },
      unit: "row",
      line: (row) => (kept ? kept[row]! : row) + 1,
      header: true,
      refused: [...this.#refused.values()].sort((a, b) => a.line - b.line),
      repaired: this.#repaired.list(),
      notices: [],
    };
  }
}

/** What {@link ColumnPlace.refuse} says of text that is none. */
export const notText = "bytes that are no UTF-8 text";

const largestDate = 8_640_000_000_000_000n;
const floorDivide = (a: bigint, b: bigint): bigint => a / b - (a % b < 0n ? 1n : 0n);

/**
 * Instants, counted since 1970 with `second` counts a second, as `Date`s; where one is finer than a millisecond, the column as text with all digits.
 * `utc`: whether the file says that they are in UTC, as they are taken to be.
 */
export function instants(at: ColumnPlace, stored: readonly (bigint | null)[], second: bigint, utc: boolean): Column {
  const counts = stored.map((count, row) => {
    if (count === null) return null;
    const ms = floorDivide(count * 1000n, second);
    if (ms <= largestDate && ms >= -largestDate) return count;
    at.refuse(row, `a date beyond the year 275760 (${ms} ms)`);
    return null;
  });
  const ms = Float64Array.from(counts, (count) =>
    count === null ? Number.NaN : Number(floorDivide(count * 1000n, second)),
  );
  if (!utc) at.repair("timestamps without a timezone: read as UTC");
  if (counts.every((count) => count === null || (count * 1000n) % second === 0n)) return new DateColumn(ms);
  at.repair("timestamps finer than a millisecond read as text, with all their digits");
  const digits = second.toString().length - 1;
  return counts.map((count, row) => {
    if (count === null) return null;
    const fraction = (count - floorDivide(count, second) * second).toString().padStart(digits, "0");
    return new Date(ms[row]!).toISOString().replace(/\.\d+Z$/, `.${fraction}Z`);
  }) as unknown as Column;
}

/** `unit`: that of Arrow. */
export const durationsRead = (unit: number): string =>
  `durations read as integers, in ${["seconds", "milliseconds", "microseconds", "nanoseconds"][unit]}`;

export const timesRead = "times of day read as text";

/** A time of day, counted since midnight with `second` counts a second. */
export function timeText(count: bigint, second: bigint): string {
  const two = (value: bigint) => value.toString().padStart(2, "0");
  const seconds = count / second;
  const fraction = (count % second)
    .toString()
    .padStart(second.toString().length - 1, "0")
    .replace(/0+$/, "");
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction && `.${fraction}`}`;
}

export const decimalsRead = "decimals read as text, with all their digits";

export function decimalText(scaled: bigint, scale: number): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(scale + 1, "0");
  const text = scale > 0 ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
  return scaled < 0n ? `-${text}` : text;
}

export const unheld = ({ place, file, name }: Pick<ColumnPlace, "place" | "file" | "name">, what: string): MkgError =>
  new MkgError(
    place,
    `${file}, column ${name}: ${what}, which a cell cannot hold`,
    "Text, numbers, booleans, dates, and lists of text, numbers or booleans",
    "Leave the column out, or write it as text",
  );

/** That each column has a name of its own. */
export function checkNames(place: string, where: string, names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    checkName(place, where, name);
    if (seen.has(name))
      throw new MkgError(
        place,
        `${where}: two columns have the same name (${quote(name)})`,
        "Column names are distinct",
        "Rename one",
      );
    seen.add(name);
  }
}

/** Whether a value is text that no encoding of Unicode holds. */
export const isHalfPair = (value: unknown): boolean => typeof value === "string" && /\p{Surrogate}/u.test(value);

/**
 * The kind that all cells of a column have, nulls aside, for a file that types its columns: `string`, `number`, `bigint`, `boolean`, `date` or `list of …`;
 * `null` and `list of null` where nothing says more. A cell of another kind than the column's, or of none in `kinds`, is an error that names table, row and column.
 */
export function kindOf(
  column: Column,
  kinds: readonly string[],
  where: { readonly place: string; readonly part: string; readonly name: string; readonly format: string },
): string {
  if (column instanceof DateColumn) return "date";
  if (column instanceof TextColumn && !column.values.some(isHalfPair))
    return column.codes.some((code) => code >= 0) ? "string" : "null";
  let kind = "null";
  let row = -1;
  for (const value of column) {
    row++;
    if (value === null || value === undefined) continue;
    const refuse = (why: string) => {
      throw new MkgError(
        where.place,
        `${where.part}, row ${row} (from 0), column ${where.name}: ${where.format} cannot hold it: ${why} (${quote(value)})`,
        `Cells of one kind a column: ${kinds.join(", ")}`,
        "Choose another format or change the value",
      );
    };
    const list = Array.isArray(value);
    const items: readonly unknown[] = list ? value : [value];
    const own = [...new Set(items.filter((item) => item !== null).map(kindOfItem))];
    if (own.length > 1) refuse("a list of mixed values");
    const whole = `${list ? "list of " : ""}${own[0] ?? "null"}`;
    if (own.length > 0 && !kinds.includes(whole)) refuse(`a value of kind ${own[0]}`);
    for (const item of items) {
      if (isHalfPair(item)) refuse("half of a surrogate pair");
      if (typeof item === "bigint" && BigInt.asIntN(64, item) !== item) refuse("beyond 64 bits");
      if (item instanceof Date && Number.isNaN(item.getTime())) refuse("an invalid date");
    }
    const bothLists = list && kind.startsWith("list") && [kind, whole].includes("list of null");
    if (kind !== "null" && kind !== whole && !bothLists)
      refuse(`a ${whole} in a column of ${kind === "list of null" ? "lists" : kind}`);
    if (kind === "null" || kind === "list of null") kind = whole;
  }
  return kind;
}

const kindOfItem = (item: unknown): string => (item instanceof Date ? "date" : typeof item);
