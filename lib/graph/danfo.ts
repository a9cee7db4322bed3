import type { ColumnTable } from "arquero";
import { flag, MkgError, oneOf, quote, refuseUnknown, resolveOptions, SetupError } from "../core/index.js";
import { type Column, checkName, frozenTable, storage } from "./columns.js";

/** The module `danfojs-node`, as `import * as danfo from "danfojs-node"` or `require` gives it. */
export interface Danfo<Frame = unknown> {
  readonly DataFrame: abstract new (...args: never[]) => Frame;
}

/** What is read of a frame. Its public getters `columns`, `index` … give a column's data instead where a column has that name. */
interface FrameData {
  readonly $columns: readonly unknown[];
  readonly $data: readonly (readonly unknown[])[];
  readonly $index: readonly unknown[];
  readonly $isSeries?: boolean;
}

/**
 * A danfojs-node data frame as a frozen Arquero table, from which `graphFrom` takes entities or triples. Values are what they are in the frame,
 * whatever dtype it guessed for a column: "007" is a string, a 64-bit integer (bigint) stays one, NaN stays NaN and null null. Only `undefined`, which
 * no table holds, becomes null. O(cells).
 *
 * Row labels: those that danfo counts itself (0, 1, …) are no column; others, such as those that a filter leaves, come as a first column `index`.
 *
 * danfo's own `readCSV` guesses types before this function sees them: it makes 7 of "007". Read files of ids with `readTable`.
 *
 * @param options.index false leaves row labels out.
 * @example
 * const frame = new danfo.DataFrame({ head: ["007"], relation: ["knows"], tail: ["7"] });
 * graphFrom({ triples: fromDanfo(frame) }).text("0");   // "007 knows 7"
 */
export function fromDanfo(frame: object, options: { readonly index?: boolean } = {}): ColumnTable {
  const place = "fromDanfo";
  const specs = { index: flag({ default: true, doc: "whether row labels become a column" }) };
  const { index } = resolveOptions(place, specs, { ...options });
  const { $columns, $data, $index, $isSeries } = (frame ?? {}) as Partial<FrameData>;
  if (!$columns || !$data || !$index || $isSeries)
    throw new MkgError(
      place,
      `not a danfojs-node data frame (${$isSeries ? "a Series" : quote(frame)})`,
      "A DataFrame of danfojs-node 1.x",
      $isSeries ? "Put it into a DataFrame under a name" : "",
    );
  const columns = new Map<string, Column>();
  if (index && $index.some((label, row) => label !== row)) columns.set("index", [...$index]);
  for (const [c, name] of $columns.entries()) {
    if (typeof name !== "string" || columns.has(name))
      throw new MkgError(
        place,
        typeof name === "string"
          ? `two columns of one name (${quote(name)})`
          : `a column's name is no string (${quote(name)})`,
        "Distinct names; row labels take the name index",
        "Rename the column, or { index: false }",
      );
    columns.set(
      checkName(place, "the frame", name),
      $data.map((row) => row[c] ?? null),
    );
  }
  return frozenTable(columns);
}

/** dtypes by what a column's cells are; empty cells aside. */
const dtypes = {
  string: "string",
  boolean: "boolean",
  number: "float32",
  date: "datetime",
} as const;

/**
 * An Arquero table as a danfojs-node data frame; `fromDanfo` gives the same values back. Filter and order of the table are applied. O(cells).
 *
 * Strings stay strings: each column's dtype is stated, danfo's guess would call ["7", "8"] int32. Cells keep their JavaScript values (a dtype float32 is
 * a label, numbers stay doubles); null stays null, which danfo takes for a missing value, as it takes NaN. Lists and objects, the pictures of an entity
 * among them, stand in `frame.values` as they are, but `frame.column(name)` of danfo shows them as text. danfo cannot hold 64-bit integers
 * (bigint): a cell with one is an error that names it, unless `bigint` says what it becomes.
 *
 * danfo makes each column a property of the frame: in a frame of triples `frame.head` is the column, not the method (`iloc` shows the first rows). Names
 * that would break a frame, such as `columns` or `values`, are refused.
 *
 * @param danfo the module; default: the installed `danfojs-node`, a SetupError with the command where there is none.
 * @param options.bigint `refuse` (default), `string`, or `number` (an error above 2^53).
 * @example
 * import * as danfo from "danfojs-node";
 * const frame = await toDanfo(graph.triples, danfo);
 * frame.column("relation").valueCounts().print();
 */
export async function toDanfo<Frame = unknown>(
  table: ColumnTable,
  danfo?: Danfo<Frame>,
  options: { readonly bigint?: "refuse" | "string" | "number" } = {},
): Promise<Frame> {
  const place = "toDanfo";
  refuseUnknown(place, options, ["bigint"], "option");
  const specs = { bigint: oneOf(["refuse", "string", "number"], { default: "refuse", doc: "64-bit integers" }) };
  const { bigint } = resolveOptions(place, specs, { ...options });
  if (typeof table?.columnNames !== "function")
    throw new MkgError(
      place,
      `not a table (${quote(table)})`,
      "An Arquero table",
      "graphs have two: entities, triples",
    );
  const { DataFrame } = (danfo ?? (await installed())) as { DataFrame: new (...args: unknown[]) => Frame };
  if (typeof DataFrame !== "function")
    throw new MkgError(place, `no module of danfojs-node (${quote(danfo)})`, 'import * as danfo from "danfojs-node"');
  const names = table.columnNames();
  for (const name of names)
    if (breaks(DataFrame, name))
      throw new MkgError(
        place,
        `a column of this name would break danfo's frames (${quote(name)})`,
        "Any name that is no property of a DataFrame",
        `Rename it: table.rename({ ${JSON.stringify(name)}: ${JSON.stringify(`${name}_`)} })`,
      );
  const order = table.isFiltered() || table.isOrdered() ? table.indices() : undefined;
  const rows: unknown[][] = Array.from({ length: table.numRows() }, () => []);
  const types = names.map((name) => {
    const column = storage(table.data()[name] as Column);
    const kinds = new Set<keyof typeof dtypes>();
    for (const [r, row] of rows.entries()) {
      let value = column.at(order ? order[r]! : r) ?? null;
      if (typeof value === "bigint") value = fromBigint(place, name, r, value, bigint as string);
      row.push(value);
      if (value !== null) kinds.add(kindOf(value));
    }
    const [kind = "string"] = kinds;
    return dtypes[kinds.size > 1 ? "string" : kind];
  });
  return new DataFrame(rows, { columns: names, dtypes: types });
}

function kindOf(value: unknown): keyof typeof dtypes {
  const type = typeof value;
  return type === "boolean" || type === "number" ? type : value instanceof Date ? "date" : "string";
}

function fromBigint(place: string, name: string, row: number, value: bigint, as: string): string | number {
  if (as === "string") return String(value);
  if (as === "number" && BigInt.asIntN(54, value) === value) return Number(value);
  throw new MkgError(
    place,
    `row ${row} (from 0), column ${name}: a ${as === "number" ? "64-bit integer that a number cannot hold" : "64-bit integer (bigint), which danfo cannot hold"} (${value})`,
    '{ bigint: "string" } keeps every digit; { bigint: "number" } takes what a number can hold',
    "Choose one",
  );
}

/** Whether danfo reads the property of this name itself: accessors of its classes and the fields of a frame. Methods may be covered. */
function breaks(DataFrame: new (...args: unknown[]) => unknown, name: string): boolean {
  if (Object.hasOwn(new DataFrame([], { columns: [], dtypes: [] }) as object, name)) return true;
  for (let at: object | null = DataFrame.prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    if (Object.getOwnPropertyDescriptor(at, name)?.get) return true;
  return false;
}

async function installed(): Promise<Danfo> {
  const name: string = "danfojs-node";
  try {
    const module = (await import(name)) as Danfo & { readonly default?: Danfo };
    return module.DataFrame ? module : (module.default as Danfo);
  } catch (error) {
    throw new SetupError(
      "toDanfo",
      `danfojs-node cannot be loaded (${(error as Error).message.split("\n")[0]})`,
      "danfojs-node 1.2.0 with the overrides of mkglab's package.json (335 MB)",
      "npm install danfojs-node@1.2.0",
    );
  }
}
