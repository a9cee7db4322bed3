import { type ColumnTable, table } from "arquero";
import { MkgError, quote } from "../core/index.js";

/** A column of a table, as Arquero takes it: arrays, typed arrays and {@link TextColumn} are such. */
export interface Column<T = unknown> {
  readonly length: number;
  at(row: number): T | undefined;
  [Symbol.iterator](): Iterator<T>;
}

/**
 * A column of strings as codes into a list of distinct values: what a table of a million triples can be held in. `codes[row]` is −1 where the
 * cell is empty (`at` gives null).
 */
export class TextColumn implements Column<string | null> {
  constructor(
    readonly codes: Int32Array,
    readonly values: readonly string[],
  ) {
    Object.freeze(this);
  }
  get length(): number {
    return this.codes.length;
  }
  at(row: number): string | null | undefined {
    const code = this.codes[row < 0 ? row + this.codes.length : row];
    return code === undefined ? undefined : code < 0 ? null : this.values[code];
  }
  *[Symbol.iterator](): Iterator<string | null> {
    for (const code of this.codes) yield code < 0 ? null : (this.values[code] as string);
  }
  slice(from = 0, to = this.length): TextColumn {
    return new TextColumn(this.codes.slice(from, to), this.values);
  }
}

/** The numbers of the rows as strings, made when asked for: ids of rows that have none of their own. */
export class RowNumbers implements Column<string> {
  constructor(readonly length: number) {
    Object.freeze(this);
  }
  at(row: number): string | undefined {
    const at = row < 0 ? row + this.length : row;
    return at >= 0 && at < this.length ? String(at) : undefined;
  }
  *[Symbol.iterator](): Iterator<string> {
    for (let row = 0; row < this.length; row++) yield String(row);
  }
}

/** Instants, held as milliseconds since 1970 in UTC (NaN where the cell is empty); a new `Date` each time, so that none can be changed for others. */
export class DateColumn implements Column<Date | null> {
  constructor(readonly ms: Float64Array) {
    Object.freeze(this);
  }
  get length(): number {
    return this.ms.length;
  }
  at(row: number): Date | null | undefined {
    const ms = this.ms.at(row);
    return ms === undefined ? undefined : Number.isNaN(ms) ? null : new Date(ms);
  }
  *[Symbol.iterator](): Iterator<Date | null> {
    for (const ms of this.ms) yield Number.isNaN(ms) ? null : new Date(ms);
  }
}

/** Cells that are instants or lists of them, held and handed out as those of {@link DateColumn} are. */
class DateListColumn implements Column {
  readonly #cells: readonly unknown[];
  readonly length: number;
  constructor(cells: readonly unknown[]) {
    const held = (value: unknown): unknown =>
      value instanceof Date ? value.getTime() : Array.isArray(value) ? value.map(held) : null;
    this.#cells = cells.map(held);
    this.length = cells.length;
    Object.freeze(this);
  }
  at(row: number): unknown {
    return DateListColumn.#given(this.#cells.at(row));
  }
  *[Symbol.iterator](): Iterator<unknown> {
    for (const cell of this.#cells) yield DateListColumn.#given(cell);
  }
  static #given(held: unknown): unknown {
    return typeof held === "number"
      ? new Date(held)
      : Array.isArray(held)
        ? Object.freeze(held.map(DateListColumn.#given))
        : held;
  }
}

/** Any column without a way to its storage: typed arrays cannot be frozen, and what a graph hands out must not change. */
class ReadOnlyColumn implements Column {
  readonly #column: Column;
  readonly length: number;
  constructor(column: Column) {
    this.#column = column;
    this.length = column.length;
    Object.freeze(this);
  }
  at(row: number): unknown {
    return this.#column.at(row);
  }
  [Symbol.iterator](): Iterator<unknown> {
    return this.#column[Symbol.iterator]();
  }
  static of(column: ReadOnlyColumn): Column {
    return column.#column;
  }
}

/** The column that a frozen table holds: typed and text columns as such, for reading only. */
export const storage = (column: Column): Column =>
  column instanceof ReadOnlyColumn ? ReadOnlyColumn.of(column) : column;

/** A table as named columns of equal length; names in column order. */
export interface Columns {
  readonly data: ReadonlyMap<string, Column>;
  readonly rows: number;
}

/** Says in an error where row `i` stands: a file and line, or a table and row. */
export type Where = (row: number) => string;

export type TableInput = ColumnTable | readonly object[];

const isTable = (input: unknown): input is ColumnTable =>
  typeof input === "object" && input !== null && typeof (input as ColumnTable).columnNames === "function";

/** Columns of an Arquero table (its filter and order applied) or of an array of objects (columns in order of first appearance). */
export function columnsOf(place: string, what: string, input: TableInput | undefined): Columns {
  if (input === undefined) return { data: new Map(), rows: 0 };
  if (isTable(input)) {
    const rows = input.isFiltered() || input.isOrdered() ? Int32Array.from(input.indices()) : undefined;
    const data = new Map<string, Column>();
    for (const name of input.columnNames()) {
      const column = storage(input.data()[name] as Column);
      // a plain array may be changed by its owner later: it is copied; text columns and frozen arrays are shared
      const own = rows
        ? pickRows(column, rows)
        : isFixed(column)
          ? column
          : Array.from(column, (value) => value ?? null);
      data.set(checkName(place, what, name), own);
    }
    return { data, rows: input.numRows() };
  }
  if (!Array.isArray(input))
    throw new MkgError(
      place,
      `${what} is not a table (${quote(input)})`,
      "It takes an Arquero table or an array of objects",
    );
  input.forEach((row: unknown, i) => {
    if (typeof row !== "object" || row === null || Array.isArray(row))
      throw new MkgError(
        place,
        `${what}, row ${i} is not an object (${quote(row)})`,
        'Rows count from 0; each is an object such as {id: "a"}',
      );
  });
  return columnsOfObjects(place, what, input);
}

const isFixed = (column: Column): boolean =>
  column instanceof TextColumn ||
  column instanceof RowNumbers ||
  column instanceof DateColumn ||
  (Array.isArray(column) && Object.isFrozen(column));

/** The given rows of a column, in the given order; text and typed columns stay what they are. */
export function pickRows(column: Column, rows: Int32Array): Column {
  if (column instanceof TextColumn) return new TextColumn(pickTyped(column.codes, rows), column.values);
  if (column instanceof DateColumn) return new DateColumn(pickTyped(column.ms, rows));
  if (column instanceof Float64Array || column instanceof BigInt64Array) return pickTyped(column, rows);
  return Array.from(rows, (row) => column.at(row));
}

function pickTyped<T extends Int32Array | Float64Array | BigInt64Array>(from: T, rows: Int32Array): T {
  const out = new (from.constructor as new (length: number) => T)(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = from[rows[i]!]!;
  return out;
}

/** Builds columns from records one at a time; equal strings are one object. A record without a column has null there. */
export class ColumnsBuilder {
  readonly #data = new Map<string, unknown[]>();
  readonly #texts = new Map<string, string>();
  #rows = 0;
  constructor(
    private readonly place: string,
    private readonly what: string,
  ) {}

  add(record: object): void {
    for (const [name, value] of Object.entries(record)) {
      let column = this.#data.get(name);
      if (!column) {
        column = [];
        this.#data.set(checkName(this.place, this.what, name), column);
      }
      while (column.length < this.#rows) column.push(null);
      column.push(typeof value === "string" ? this.#one(value) : (value ?? null));
    }
    this.#rows++;
  }

  /** A parsed file holds a copy of a string for each time it stands there. Long ones seldom repeat. */
  #one(text: string): string {
    if (text.length > 64) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }

  done(): Columns {
    for (const column of this.#data.values()) while (column.length < this.#rows) column.push(null);
    return { data: this.#data, rows: this.#rows };
  }
}

/** Columns in order of first appearance; a row without a column has null there. O(cells), plus O(rows) for a column that starts late. */
function columnsOfObjects(place: string, what: string, rows: readonly object[]): Columns {
  const builder = new ColumnsBuilder(place, what);
  for (const row of rows) builder.add(row);
  return builder.done();
}

/** Arquero keeps columns on a plain object, where this one name would change the prototype. */
export function checkName(place: string, what: string, name: string): string {
  if (name === "__proto__" || name === "")
    throw new MkgError(
      place,
      `${what} has a column that cannot be kept (${quote(name)})`,
      "Any other name",
      "Rename the column",
    );
  return name;
}

/** A frozen Arquero table: its columns cannot be changed. Arrays given are frozen. */
export function frozenTable(columns: ReadonlyMap<string, Column>): ColumnTable {
  const data: Record<string, Column> = {};
  for (const [name, given] of columns) {
    const column = ownDates(given);
    data[name] = Array.isArray(column)
      ? Object.freeze(column)
      : column instanceof ReadOnlyColumn || column instanceof RowNumbers
        ? column
        : new ReadOnlyColumn(column);
  }
  const made = table(data as never, [...columns.keys()]);
  Object.freeze(made.data());
  return made;
}

/** A `Date` can be set to another instant even in a frozen array: a column of dates, or of lists of them, holds numbers instead. */
function ownDates(column: Column): Column {
  if (!Array.isArray(column)) return column;
  const first = column.find((value) => value !== null && value !== undefined && !isEmptyList(value));
  if (!(first instanceof Date || (Array.isArray(first) && first.some((item) => item instanceof Date)))) return column;
  if (column.every(isDate))
    return new DateColumn(
      Float64Array.from(column as (Date | null | undefined)[], (date) => date?.getTime() ?? Number.NaN),
    );
  return column.every((value) => (Array.isArray(value) ? value.every(isDate) : isDate(value)))
    ? new DateListColumn(column)
    : column;
}

const isEmptyList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => item === null || item === undefined);

/** A date, or none. */
const isDate = (value: unknown): boolean =>
  value === null || value === undefined || (value instanceof Date && !Number.isNaN(value.getTime()));
