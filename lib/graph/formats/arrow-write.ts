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
import { MkgError } from "../../core/index.js";
import { TextColumn } from "../columns.js";
import { kindOf } from "./cell-values.js";
import type { OutFile, OutTable } from "./format.js";

type ArrowType = NonNullable<Parameters<typeof columnFromArray>[1]>;

/** The Arrow type of a cell's kind. */
const types: Readonly<Record<string, () => ArrowType>> = {
  null: () => nullType() as ArrowType,
  string: () => dictionary(utf8(), int32()) as ArrowType,
  number: () => float64() as ArrowType,
  bigint: () => int64() as ArrowType,
  boolean: () => bool() as ArrowType,
  date: () => timestamp(1, "UTC") as ArrowType,
  "list of string": () => list(utf8()) as ArrowType,
  "list of number": () => list(float64()) as ArrowType,
  "list of bigint": () => list(int64()) as ArrowType,
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
      const kind = kindOf(column, Object.keys(types), { place, part, name, format: "arrow" });
      const values = column instanceof TextColumn ? [...column] : Array.from(column, (value) => value ?? null);
      return [name, columnFromArray(values, types[kind]!(), {}) as ArrowColumn<unknown>];
    });
    if (made.length === 0) throw new MkgError(place, `${part}: a table without columns`, "At least one column");
    return { name: `${part}.arrow`, data: tableToIPC(tableFromColumns(made), { format: "file" }) as Uint8Array };
  });
}
