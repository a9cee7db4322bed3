import {
  type Column as ArrowColumn,
  bool,
  columnFromArray,
  dictionary,
  float64,
  int32,
  int64,
  list,
  nullType,
  tableFromColumns,
  tableToIPC,
  timestamp,
  utf8,
} from "@uwdata/flechette";
import { MkgError, quote } from "../../core/index.js";
import { type Column, DateColumn, TextColumn } from "../columns.js";
import type { OutFile, OutTable } from "./format.js";

type ArrowType = NonNullable<Parameters<typeof columnFromArray>[1]>;

/** The Arrow type of a cell's kind. */
const types: Readonly<Record<string, () => ArrowType>> = {
  null: () => nullType() as ArrowType,
  string: () => dictionary(utf8(), int32()) as ArrowType,
  number: () => float64() as ArrowType,
  bigint: () => int64() as ArrowType,
  boolean: () => bool() as ArrowType,
  date: () => timestamp(1) as ArrowType,
  "list of string": () => list(utf8()) as ArrowType,
  "list of number": () => list(float64()) as ArrowType,
  "list of boolean": () => list(bool()) as ArrowType,
  "list of null": () => list(utf8()) as ArrowType,
};

/**
 * Arrow IPC files, one a table: text as dictionary columns, numbers as 64-bit floats, bigints as 64-bit integers, dates as timestamps in milliseconds, lists
 * of one kind. A column whose cells differ in kind, or a cell of another kind, is an error that names table, row and column.
 */
export async function encodeArrow(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> {
  return tables.map(({ part, columns }) => {
    const made = [...columns.data].map(([name, column]): [string, ArrowColumn<unknown>] => {
      const kind = kindOf(column, (row, value, why) => {
        throw new MkgError(
          place,
          `${part}, row ${row} (from 0), column ${name}: arrow cannot hold it: ${why} (${quote(value)})`,
          "Cells of one kind a column: text, numbers, bigints of 64 bits, booleans, dates, lists of one of these",
          "Choose another format or change the value",
        );
      });
      const values = column instanceof TextColumn ? [...column] : Array.from(column, (value) => value ?? null);
      return [name, columnFromArray(values, types[kind]!(), {}) as ArrowColumn<unknown>];
    });
    if (made.length === 0) throw new MkgError(place, `${part}: a table without columns`, "At least one column");
    return { name: `${part}.arrow`, data: tableToIPC(tableFromColumns(made), { format: "file" }) as Uint8Array };
  });
}

/** The kind that all cells of a column have, nulls aside. */
function kindOf(column: Column, refuse: (row: number, value: unknown, why: string) => never): string {
  if (column instanceof DateColumn) return "date";
  let kind = "null";
  let row = -1;
  const halfPair = (text: unknown) => typeof text === "string" && /\p{Surrogate}/u.test(text);
  if (column instanceof TextColumn && column.length > 0 && !column.values.some(halfPair))
    return column.codes.some((code) => code >= 0) ? "string" : "null";
  for (const value of column) {
    row++;
    if (value === null || value === undefined) continue;
    const own = Array.isArray(value) ? listKind(value) : value instanceof Date ? "date" : typeof value;
    if (!Object.hasOwn(types, own) || own === "null") refuse(row, value, `a cell of kind ${own}`);
    if (halfPair(value) || (Array.isArray(value) && value.some(halfPair)))
      refuse(row, value, "half of a surrogate pair");
    if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) refuse(row, value, "beyond 64 bits");
    if (value instanceof Date && Number.isNaN(value.getTime())) refuse(row, value, "an invalid date");
    const joined = kind === "null" || (kind === "list of null" && own.startsWith("list")) ? own : kind;
    if (own !== joined && !(own === "list of null" && joined.startsWith("list")))
      refuse(row, value, `a ${own} in a column of ${kind}`);
    kind = joined;
  }
  return kind;
}

function listKind(values: readonly unknown[]): string {
  const kinds = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))].filter(
    (k) => k !== "null",
  );
  if (kinds.length === 0) return "list of null";
  return kinds.length === 1 && Object.hasOwn(types, `list of ${kinds[0]}`)
    ? `list of ${kinds[0]}`
    : "list of mixed values";
}
