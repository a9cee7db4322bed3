import { type ColumnTable, table } from "arquero";
import { MkgError, quote } from "../core/index.js";

/** A table as named columns of equal length; names in column order. */
export interface Columns {
  readonly data: ReadonlyMap<string, readonly unknown[]>;
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
    const data = new Map<string, unknown[]>();
    for (const name of input.columnNames()) data.set(checkName(place, what, name), [...input.array(name)]);
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

/** Columns in order of first appearance; a row without a column has null there. O(rows × columns). */
export function columnsOfObjects(place: string, what: string, rows: readonly object[]): Columns {
  const data = new Map<string, unknown[]>();
  rows.forEach((row, i) => {
    for (const [name, value] of Object.entries(row)) {
      let column = data.get(name);
      if (!column) {
        column = new Array(rows.length).fill(null);
        data.set(checkName(place, what, name), column);
      }
      column[i] = value ?? null;
    }
  });
  return { data, rows: rows.length };
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

/** A column of strings. An empty cell takes `fallback(row)`; anything but a string is refused, so that no id passes through a number. */
export function textColumn(
  place: string,
  columns: Columns,
  name: string,
  where: Where,
  fallback: (row: number) => string,
): string[] {
  const column = columns.data.get(name);
  const out = new Array<string>(columns.rows);
  for (let i = 0; i < columns.rows; i++) {
    const value = column?.[i];
    if (value === undefined || value === null || value === "") out[i] = fallback(i);
    else if (typeof value === "string") out[i] = value;
    else
      throw new MkgError(
        place,
        `${where(i)}, column ${name}: not a string (${quote(value)})`,
        "Ids and texts are strings, so that 007 and 7 stay apart",
        "Write it as a string",
      );
  }
  return out;
}

/** A frozen Arquero table: its columns cannot be changed. */
export function frozenTable(columns: ReadonlyMap<string, readonly unknown[]>): ColumnTable {
  const made = table(Object.fromEntries([...columns].map(([name, values]) => [name, Object.freeze(values)])), [
    ...columns.keys(),
  ]);
  Object.freeze(made.data());
  return made;
}
