import { MkgError, quote, unknownName } from "../../core/index.js";
import { type Column, type Columns, DateColumn, TextColumn } from "../columns.js";

/** What the text of a cell may be read as. */
export type CellType = "text" | "number" | "integer" | "bigint" | "boolean" | "date";

/** A value, or why the text is none; `remedy` where there is one. */
type Read = { readonly value: unknown } | { readonly reason: string };

const integerText = /^[+-]?\d+$/;
const numberText = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const dateText = /^([+-]\d{6}|\d{4})(-\d{2}(-\d{2})?)?(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

// one entry a type; texts come trimmed of nothing: a blank beside a number is a mistake to be seen
const readers: Readonly<Record<CellType, (text: string) => Read>> = {
  text: (text) => ({ value: text }),
  number: (text) => {
    const value = Number(text);
    if (!numberText.test(text)) return { reason: "not a number" };
    if (!Number.isFinite(value)) return { reason: "a number beyond the range of a double" };
    if (integerText.test(text) && !Number.isSafeInteger(value))
      return { reason: "an integer that a double cannot hold; type bigint can" };
    return { value };
  },
  integer: (text) => {
    if (!integerText.test(text)) return { reason: "not an integer" };
    const value = Number(text);
    return Number.isSafeInteger(value) ? { value } : { reason: "an integer beyond 2^53; type bigint holds it" };
  },
  bigint: (text) => (integerText.test(text) ? { value: BigInt(text) } : { reason: "not an integer" }),
  boolean: (text) =>
    /^(true|1)$/i.test(text)
      ? { value: true }
      : /^(false|0)$/i.test(text)
        ? { value: false }
        : { reason: "not true, false, 1 or 0" },
  date: (text) => {
    const wrong = { reason: "not a date as in 2024-02-29 or 2024-02-29T12:00:00Z" };
    if (!dateText.test(text)) return wrong;
    // a time without a zone would be read in the machine's own
    const ms = Date.parse(/T/.test(text) && !/(Z|[+-]\d{2}:\d{2})$/.test(text) ? `${text}Z` : text);
    if (Number.isNaN(ms)) return wrong;
    // Date.parse takes the 30th of February for the 1st of March
    const day = /^([+-]\d{6}|\d{4})-(\d{2})-(\d{2})/.exec(text);
    if (
      day &&
      new Date(Date.parse(`${day[1]}-${day[2]}`)).getUTCMonth() + 1 !== new Date(Date.parse(day[0])).getUTCMonth() + 1
    )
      return { reason: "not a day of the calendar" };
    return { value: new Date(ms) };
  },
};

const cellTypes = Object.keys(readers) as CellType[];

export interface TypedOptions {
  readonly types?: Readonly<Record<string, CellType>>;
  readonly split?: Readonly<Record<string, string>>;
}

/** Refuses options that could mean nothing; which columns there are is known later. */
export function checkTyped(place: string, { types = {}, split = {} }: TypedOptions): void {
  for (const [name, type] of Object.entries(types))
    if (!Object.hasOwn(readers, type)) throw unknownName(place, `type of the column ${name}`, type, cellTypes);
  for (const [name, separator] of Object.entries(split))
    if (typeof separator !== "string" || separator === "")
      throw new MkgError(
        place,
        `split: no separator for the column ${name} (${quote(separator)})`,
        'A string, such as "|"',
      );
}

/**
 * The columns with the cells of some read as values, or cut into lists (frozen; an empty cell gives an empty list). An empty cell of a typed column is null.
 * A cell that cannot be read goes to `refuse`. Of a text column each distinct text is read once. O(cells).
 */
export function typed(
  columns: Columns,
  { types = {}, split = {} }: TypedOptions,
  refuse: (row: number, column: string, value: unknown, reason: string) => void,
): Columns {
  const data = new Map(columns.data);
  for (const [name, column] of columns.data) {
    const type = Object.hasOwn(types, name) ? types[name]! : undefined;
    const separator = Object.hasOwn(split, name) ? split[name]! : undefined;
    if (type === undefined && separator === undefined) continue;
    data.set(name, convert(column, name, type ?? "text", separator, refuse));
  }
  return { data, rows: columns.rows };
}

function convert(
  column: Column,
  name: string,
  type: CellType,
  separator: string | undefined,
  refuse: (row: number, column: string, value: unknown, reason: string) => void,
): Column {
  const read = (value: unknown): Read => {
    if (Array.isArray(value)) return listOf(value.map((item) => one(item, type)));
    if (separator !== undefined && (value === null || value === undefined || value === "")) return { value: noItems };
    if (separator !== undefined && typeof value === "string")
      return listOf(value.split(separator).map((item) => one(item, type)));
    return one(value, type);
  };
  const known = column instanceof TextColumn ? new Array<Read | undefined>(column.values.length) : undefined;
  const out: unknown[] = new Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const code = known ? (column as TextColumn).codes[row]! : -1;
    const found = known?.[code] ?? read(column.at(row));
    if (known && code >= 0) known[code] = found;
    if ("reason" in found) {
      refuse(row, name, column.at(row), found.reason);
      out[row] = null;
    } else out[row] = found.value;
  }
  if (separator !== undefined || out.some(Array.isArray)) return out;
  if (type === "date")
    return new DateColumn(Float64Array.from(out, (date) => (date as Date | null)?.getTime() ?? Number.NaN));
  if ((type === "number" || type === "integer") && out.every((value) => value !== null))
    return Float64Array.from(out as number[]);
  return out;
}

const noItems: readonly unknown[] = Object.freeze([]);

function one(value: unknown, type: CellType): Read {
  if (value === null || value === undefined) return { value: null };
  if (typeof value === "string") return value === "" && type !== "text" ? { value: null } : readers[type](value);
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") {
    // of values that have a type already only those are taken that keep their meaning
    if (typeof value === "boolean" && type !== "boolean" && type !== "text") return { reason: `not a ${type}` };
    return readers[type](String(value));
  }
  if (value instanceof Date) return type === "date" ? { value } : { reason: `a date, not a ${type}` };
  return { reason: `not a ${type}` };
}

function listOf(items: readonly Read[]): Read {
  const bad = items.find((item) => "reason" in item);
  if (bad) return bad;
  return {
    value: items.length === 0 ? noItems : Object.freeze(items.map((item) => (item as { value: unknown }).value)),
  };
}
