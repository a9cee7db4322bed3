import type { SchemaElement, SchemaTree } from "hyparquet";
import { type Column, TextColumn } from "../columns.js";
import { TextCodes } from "../text-column.js";
import { type ColumnPlace, decimalsRead, decimalText, instants, notText, timesRead, timeText } from "./cell-values.js";

/** Collects the values of a column, row group after row group. */
export interface Collector {
  add(values: ArrayLike<unknown>): void;
  done(): Column;
}

/** Bytes of a text that are not UTF-8. */
export class NotText {
  constructor(readonly bytes: Uint8Array) {}
}

/** How the values of a leaf of the schema are stored, and what becomes of them. */
interface Leaf {
  /** As hyparquet is to decode it: as text, or as it is stored. */
  readonly stored: "text" | "raw";
  readonly collect: (at: ColumnPlace) => Collector;
  /** One value inside a list; absent where lists of it are not read. */
  readonly one?: (value: unknown) => unknown;
}

const raw = (collect: Leaf["collect"], one?: Leaf["one"]): Leaf => ({ stored: "raw", collect, one });
const same = (value: unknown) => value;
const text: Leaf = { stored: "text", collect: texts, one: same };
const perSecond = { MILLIS: 1000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n } as const;

/** What a leaf holds; undefined where no cell can hold it. Logical types: parquet-format, LogicalTypes.md. */
function leafOf(element: SchemaElement): Leaf | undefined {
  const { type, converted_type: converted, logical_type: logical } = element;
  const kind = logical?.type ?? converted;
  if (kind === "DECIMAL") {
    const scale = (logical?.type === "DECIMAL" ? logical.scale : element.scale) ?? 0;
    return raw((at) => mapped(at, (value) => decimalText(wholeOf(value), scale), decimalsRead));
  }
  switch (type) {
    case "BOOLEAN":
      return raw((at) => mapped(at, same), same);
    case "FLOAT":
    case "DOUBLE":
      return raw(numbers, same);
    case "INT96":
      return raw((at) => counted(at, perSecond.NANOS, (value) => value as bigint, true));
    case "INT32":
    case "INT64": {
      if (kind === "NULL") return raw((at) => mapped(at, same));
      const big = (value: unknown) => BigInt(value as number);
      if (kind === "DATE") return raw((at) => counted(at, 1000n, (value) => 86_400_000n * big(value), true));
      if (logical?.type === "TIMESTAMP")
        return raw((at) => counted(at, perSecond[logical.unit], big, logical.isAdjustedToUTC));
      if (kind === "TIMESTAMP_MILLIS" || kind === "TIMESTAMP_MICROS")
        return raw((at) => counted(at, kind.endsWith("MICROS") ? perSecond.MICROS : perSecond.MILLIS, big, true));
      if (logical?.type === "TIME" || kind === "TIME_MILLIS" || kind === "TIME_MICROS") {
        const unit =
          logical?.type === "TIME"
            ? perSecond[logical.unit]
            : kind?.endsWith("MICROS")
              ? perSecond.MICROS
              : perSecond.MILLIS;
        return raw((at) => mapped(at, (value) => timeText(big(value), unit), timesRead));
      }
      const unsigned = (logical?.type === "INTEGER" && !logical.isSigned) || /^UINT_/.test(kind ?? "");
      if (type === "INT64") {
        const one = unsigned ? (value: unknown) => BigInt.asUintN(64, value as bigint) : same;
        return raw((at) => bigints(at, one, !unsigned), one);
      }
      const one = unsigned ? (value: unknown) => (value as number) >>> 0 : same;
      return raw((at) => numbers(at, one), one);
    }
    case "BYTE_ARRAY":
      return kind === undefined || ["STRING", "UTF8", "ENUM", "JSON"].includes(kind)
        ? text
        : kind === "NULL"
          ? raw((at) => mapped(at, same))
          : undefined;
    case "FIXED_LEN_BYTE_ARRAY": {
      if (kind === "UUID") return raw((at) => mapped(at, uuidText));
      if (kind === "FLOAT16") return raw((at) => numbers(at, halfFloat), halfFloat);
      return undefined;
    }
    default:
      return undefined;
  }
}

/** A column of the file: its values, or lists of them; undefined where it is neither. */
export function columnOf(tree: SchemaTree): { leaf: Leaf; list: boolean } | undefined {
  const { element, children } = tree;
  if (children.length === 0) {
    const leaf = leafOf(element);
    const list = element.repetition_type === "REPEATED";
    return leaf && (!list || leaf.one) ? { leaf, list } : undefined;
  }
  const isList = element.converted_type === "LIST" || element.logical_type?.type === "LIST";
  const [repeated] = children;
  if (!isList || children.length !== 1 || repeated?.element.repetition_type !== "REPEATED") return undefined;
  // a list is a repeated group around one item; older writers repeat the item itself
  const item =
    repeated.children.length === 0 ? repeated : repeated.children.length === 1 ? repeated.children[0]! : undefined;
  if (!item || item.children.length > 0 || (item !== repeated && item.element.repetition_type === "REPEATED"))
    return undefined;
  const leaf = leafOf(item.element);
  return leaf?.one ? { leaf, list: true } : undefined;
}

function texts(at: ColumnPlace): Collector {
  const codes: number[] = [];
  const distinct = new TextCodes();
  return {
    add(values) {
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        if (value instanceof NotText) at.refuse(codes.length, notText);
        codes.push(typeof value === "string" ? distinct.code(value) : -1);
      }
    },
    done: () => new TextColumn(Int32Array.from(codes), distinct.values),
  };
}

/** Lists as frozen arrays. */
export function lists(at: ColumnPlace, { one }: Leaf): Collector {
  const rows: unknown[] = [];
  return {
    add(values) {
      for (let i = 0; i < values.length; i++) {
        const list = values[i] as ArrayLike<unknown> | null;
        if (list !== null && !Array.isArray(list)) throw new Error("a list that is none");
        const items = list && Array.from(list, (value) => (value === null ? null : one!(value)));
        if (items?.includes(undefined)) throw new Error(`row ${rows.length + 1} holds fewer values than it says`);
        if (items?.some((value) => value instanceof NotText)) at.refuse(rows.length, notText);
        rows.push(items && Object.freeze(items));
      }
    },
    done: () => rows as unknown as Column,
  };
}

function mapped(at: ColumnPlace, one: (value: unknown) => unknown, note?: string): Collector {
  const rows: unknown[] = [];
  if (note) at.repair(note);
  return {
    add(values) {
      for (let i = 0; i < values.length; i++) rows.push(values[i] === null ? null : one(values[i]));
    },
    done: () => rows as unknown as Column,
  };
}

function numbers(at: ColumnPlace, one: (value: unknown) => unknown = same): Collector {
  const rows = mapped(at, one);
  return {
    ...rows,
    done: () => {
      const column = rows.done() as unknown as (number | null)[];
      return (column.includes(null) ? column : Float64Array.from(column as number[])) as unknown as Column;
    },
  };
}

function bigints(at: ColumnPlace, one: (value: unknown) => unknown, fits: boolean): Collector {
  const rows = mapped(at, one);
  return {
    ...rows,
    done: () => {
      const column = rows.done() as unknown as (bigint | null)[];
      return (!fits || column.includes(null) ? column : BigInt64Array.from(column as bigint[])) as unknown as Column;
    },
  };
}

/** Instants, counted as they are stored. */
function counted(at: ColumnPlace, second: bigint, countOf: (value: unknown) => bigint, utc: boolean): Collector {
  const counts: (bigint | null)[] = [];
  return {
    add(values) {
      for (let i = 0; i < values.length; i++) counts.push(values[i] === null ? null : countOf(values[i]));
    },
    done: () => instants(at, counts, second, utc),
  };
}

/** An integer as it is stored: a number, a bigint, or its bytes, the highest first. */
function wholeOf(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number);
  const hex = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
  return hex === "" ? 0n : BigInt.asIntN(8 * value.length, BigInt(`0x${hex}`));
}

const uuidText = (value: unknown): string =>
  Buffer.from(value as Uint8Array)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** IEEE 754 binary16, the lower byte first. */
function halfFloat(value: unknown): number {
  const [low, high] = value as Uint8Array;
  const bits = (high! << 8) | low!;
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? 2 ** -14 * (fraction / 1024) : 2 ** (exponent - 15) * (1 + fraction / 1024));
}
