import { MkgError, nearest, quote, unknownName } from "../core/index.js";
import { clean } from "./text.js";
import type { Point, Rows } from "./types.js";

type Row = Readonly<Record<string, unknown>>;

/** The rows as an array of objects; an Arquero table's filter and order are respected. */
export function asRows(place: string, rows: Rows): readonly Row[] {
  if (Array.isArray(rows)) {
    const bad = rows.findIndex((row) => typeof row !== "object" || row === null || Array.isArray(row));
    if (bad >= 0)
      throw new MkgError(place, `row ${bad + 1} is not an object (${quote(rows[bad])})`, "One object of columns a row");
    return rows as readonly Row[];
  }
  if (typeof (rows as { objects?: unknown } | null)?.objects === "function")
    return (rows as { objects(): Row[] }).objects();
  throw new MkgError(place, `the rows are not a table (${quote(rows)})`, "An Arquero table or an array of objects");
}

/** Every column name of the rows, in order of first appearance. */
export function columnNames(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

/** A finite number, or null where the row has none. NaN, infinities and text are errors that name row and column. */
export function numberAt(place: string, row: Row, index: number, column: string): number | null {
  const value = row[column];
  if (value === null || value === undefined) return null;
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    throw new MkgError(
      place,
      `row ${index + 1}, column ${quote(column)}: not a finite number (${quote(value)})`,
      "A finite number, or null for what was not computed",
    );
  return number;
}

/** Which columns the channels stand for. A channel that the caller named must be there; an optional default may be absent. */
export function bindColumns(
  place: string,
  names: readonly string[],
  channels: readonly { channel: string; column: unknown; required: boolean }[],
): Record<string, string | undefined> {
  const bound: Record<string, string | undefined> = {};
  for (const { channel, column, required } of channels) {
    if (column === null) continue;
    if (names.includes(column as string)) bound[channel] = column as string;
    else if (required) {
      const error = unknownName(place, `column for option ${channel}`, column, names);
      if (nearest(column as string, names)) throw error;
      throw new MkgError(place, error.problem, error.allowed, `Name the column with option ${channel}`);
    }
  }
  return bound;
}

/** A category as text. Null is refused: a mark without its place would be drawn somewhere. */
function category(place: string, row: Row, index: number, column: string): string {
  const value = row[column];
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return clean(String(value));
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new MkgError(
    place,
    `row ${index + 1}, column ${quote(column)}: not a category (${quote(value)})`,
    "A text, a finite number, true or false",
  );
}

/** Status words as a reader of the figure should see them. */
const reasons: Readonly<Record<string, string>> = {
  "not-computed": "not computed",
  undefined: "not defined",
  failed: "failed",
  ok: "not computed",
};
export const reasonOf = (status: unknown): string =>
  typeof status === "string" && Object.hasOwn(reasons, status) ? (reasons[status] as string) : "not computed";

/** Checks every row and reads what the channels name. A row without a value, or that was not computed or failed, keeps its place and a reason. */
export function readPoints(
  place: string,
  rows: readonly Row[],
  columns: Readonly<Record<string, string | undefined>>,
  numericX: boolean,
): Point[] {
  const seen = new Map<string, number>();
  return rows.map((row, index) => {
    const at = (channel: string): number | null => {
      const column = columns[channel];
      return column === undefined ? null : numberAt(place, row, index, column);
    };
    const x = columns.x as string;
    if (numericX && (typeof row[x] !== "number" || !Number.isFinite(row[x])))
      throw new MkgError(
        place,
        `row ${index + 1}, column ${quote(x)}: not a finite number (${quote(row[x])})`,
        "This chart's x is numeric",
        'For categories take the chart "dots"',
      );
    const level = category(place, row, index, x);
    const series = columns.series === undefined ? "" : category(place, row, index, columns.series);
    const key = JSON.stringify([level, series]);
    const before = seen.get(key);
    if (before !== undefined)
      throw new MkgError(
        place,
        `rows ${before + 1} and ${index + 1} have the same place (x ${quote(level)}${series === "" ? "" : `, series ${quote(series)}`})`,
        "One row for each mark",
        "Name what tells them apart with option series, or filter the rows",
      );
    seen.set(key, index);
    const status = columns.status === undefined ? "ok" : (row[columns.status] ?? "ok");
    if (typeof status !== "string" || !Object.hasOwn(reasons, status))
      throw new MkgError(
        place,
        `row ${index + 1}, column ${quote(columns.status)}: unknown status (${quote(status)})`,
        `Known: ${Object.keys(reasons).join(", ")}`,
        "Turn the column off with status: null",
      );
    // an interval that is not defined (one cluster, say) leaves its mean standing
    const value = status === "ok" || status === "undefined" ? at("y") : null;
    const [low, high] = [at("low"), at("high")];
    if (low !== null && high !== null && low > high)
      throw new MkgError(
        place,
        `row ${index + 1}: low is above high (${low} > ${high})`,
        "low ≤ high",
        "Swap the two columns",
      );
    return {
      row: index + 1,
      level,
      x: numericX ? (row[x] as number) : 0,
      series,
      value,
      low: value === null || high === null ? null : low,
      high: value === null || low === null ? null : high,
      n: at("n"),
      nMissing: at("nMissing") ?? 0,
      p: at("p"),
      reason: value === null ? reasonOf(status) : "",
    };
  });
}
