import { Column as ArrowColumn, type Batch, Type, tableFromIPC } from "@uwdata/flechette";
import { Interner, MkgError, notUtf8 } from "../../core/index.js";
import { type Column, type Columns, TextColumn } from "../columns.js";
import { stack } from "../text-column.js";
import { segmentsOf } from "./arrow-messages.js";
import { encodeArrow } from "./arrow-write.js";
import {
  type ColumnPlace,
  checkNames,
  decimalsRead,
  decimalText,
  durationsRead,
  instants,
  notText,
  TypedColumns,
  timesRead,
  timeText,
  unheld,
} from "./cell-values.js";
import { wrongByte } from "./decode.js";
import type { TableFormat } from "./format.js";

type ArrowType = ArrowColumn<unknown>["type"];

interface Place extends ColumnPlace {
  readonly interner: Interner;
}

/**
 * Arrow IPC, file or stream, not compressed (the format of `feather` version 2 without compression too). Text columns are read from their bytes, dictionary
 * columns from their codes; 64-bit integers are bigints; decimals and times of day are text with all their digits; durations are bigints; dates and timestamps are `Date`s, or text where a `Date` cannot
 * hold their digits; lists of text, numbers or booleans are arrays.
 */
export const arrow: TableFormat = {
  extensions: ["arrow", "arrows", "feather", "ipc"],
  async read(source, { place, decide, lenient }) {
    const bytes = aligned(await source.bytes());
    const path = source.path;
    const typed = new TypedColumns(place, path, lenient);
    const interner = new Interner(place);
    const parts: Columns[] = [];
    let before = 0;
    try {
      for (const segment of segmentsOf(bytes, place, path)) {
        const table = tableFromIPC(segment, { useBigInt: true, useDecimalBigInt: true });
        const { names } = decide([...table.names], path);
        checkNames(place, path, names);
        const rows = table.getChildAt(0)?.length ?? 0;
        const data = new Map<string, Column>();
        for (const [i, name] of names.entries()) {
          const column = table.getChildAt(i) as ArrowColumn<unknown>;
          if (column.length !== rows) throw new RangeError(`column ${name} has ${column.length} of ${rows} rows`);
          for (const batch of column.data as readonly Batch<unknown>[]) checkBatch(batch, bytes.length);
          data.set(name, columnOf(column, { ...typed.at(name, before), interner }));
        }
        parts.push({ data, rows });
        before += rows;
      }
    } catch (error) {
      if (error instanceof MkgError) throw error;
      const { message } = error as Error;
      throw /compression/.test(message)
        ? new MkgError(
            place,
            `${path}: compressed Arrow`,
            "Arrow without compression, plain or as .gz",
            "Write it without: in pyarrow write_feather(table, path, compression='uncompressed')",
          )
        : new MkgError(
            place,
            `${path}: not Arrow, or damaged (${message})`,
            "Arrow IPC, file or stream",
            "Write it again",
          );
    }
    return [typed.done(stack(parts).data, before)];
  },
  encode: encodeArrow,
};

/** Typed arrays begin at multiples of their size. */
const aligned = (bytes: Uint8Array): Uint8Array => (bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes));

function columnOf(column: ArrowColumn<unknown>, at: Place): Column {
  const { type, length } = column;
  const batches = column.data as readonly Batch<unknown>[];
  switch (type.typeId) {
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return new TextColumn(textCodes(batches, length, at), at.interner.values);
    case Type.Dictionary:
      return dictionaryColumn(batches, length, at);
    case Type.Bool:
    case Type.Null:
      return column.nullCount === length ? new Array<null>(length).fill(null) : [...column];
    case Type.Float:
      return column.nullCount > 0 ? [...column] : Float64Array.from(column as Iterable<number>);
    case Type.Duration:
      at.repair(durationsRead((type as { unit: number }).unit));
      return column.nullCount > 0
        ? [...column]
        : BigInt64Array.from(column as unknown as Iterable<bigint | number>, (value) => BigInt(value));
    case Type.Int:
      if (column.nullCount > 0) return [...column];
      if (type.bitWidth < 64) return Float64Array.from(column as Iterable<number>);
      return type.signed ? BigInt64Array.from(column as unknown as Iterable<bigint>) : [...column];
    case Type.Decimal:
      at.repair(decimalsRead);
      return Array.from(column, (value) => (value === null ? null : decimalText(value as bigint, type.scale)));
    case Type.Time: {
      at.repair(timesRead);
      const second = perSecond[(type as { unit: number }).unit]!;
      return Array.from(column, (value) => (value === null ? null : timeText(BigInt(value as number), second)));
    }
    case Type.Date:
    case Type.Timestamp:
      return instantsOf(type, batches, at);
    case Type.List:
    case Type.LargeList:
    case Type.FixedSizeList:
    case Type.ListView:
    case Type.LargeListView: {
      const inner = type.children[0]?.type.typeId as number;
      if (!isText(inner) && !([Type.Bool, Type.Float, Type.Int, Type.Null] as number[]).includes(inner))
        throw unheld(at, `a list of ${typeName(inner)}`);
      let row = 0;
      return batches.flatMap((batch) => {
        row += batch.length;
        return listsOf(batch, row - batch.length, at);
      });
    }
    default:
      throw unheld(at, typeName(type.typeId));
  }
}

const isText = (id: number): boolean => ([Type.Utf8, Type.LargeUtf8, Type.Utf8View] as number[]).includes(id);

/** Lists by the offsets of their items: the decoder's own reading drops a byte order mark, mends wrong bytes and trusts the offsets. */
function listsOf(batch: Batch<unknown>, firstRow: number, at: Place): (readonly unknown[] | null)[] {
  const child = batch.children![0] as Batch<unknown>;
  // an item that cannot be given refuses the row that its list stands in
  const wrong = new Map<number, string>();
  const refuse = (item: number, reason: string) => wrong.set(item, reason);
  const items = columnOf(new ArrowColumn([child], child.type), { ...at, refuse });
  const { offsets, sizes } = batch;
  const stride = (batch as unknown as { stride?: number }).stride ?? 0;
  return Array.from({ length: batch.length }, (_, i) => {
    if (!isValid(batch, i)) return null;
    const start = offsets ? Number(offsets[i]) : i * stride;
    const end = sizes ? start + Number(sizes[i]) : offsets ? Number(offsets[i + 1]) : start + stride;
    if (!(start >= 0 && start <= end && end <= items.length))
      throw new RangeError(`damaged offsets in column ${at.name}`);
    for (let item = start; item < end && wrong.size > 0; item++)
      if (wrong.has(item)) at.refuse(firstRow + i, wrong.get(item)!);
    return Object.freeze(Array.from({ length: end - start }, (_, k) => items.at(start + k) ?? null));
  });
}

/** That a batch's buffers hold what its length says: a damaged length would be read on and on, as nothing or as other columns' bytes. */
function checkBatch(batch: Batch<unknown>, fileBytes: number): void {
  const { length, type, values, offsets, sizes, validity, children } = batch;
  const id = type.typeId as number;
  const need = (held: number | undefined, what: string, wanted = length) => {
    if ((held ?? 0) < wanted) throw new RangeError(`${what} for ${held ?? 0} of ${wanted} rows`);
  };
  if (!(Number.isSafeInteger(length) && length >= 0 && length <= fileBytes * 8)) throw new RangeError(`${length} rows`);
  if (id === Type.Null) return;
  if (batch.nullCount > 0 && validity && validity.length > 0) need(validity.length * 8, "validity");
  if (sizes) need(sizes.length, "sizes");
  if (offsets && length > 0) need(offsets.length, "offsets", sizes ? length : length + 1);
  else if (id === Type.Bool) need(values!.length * 8, "values");
  else if (id === Type.Utf8View) need(values!.length / 16, "values");
  else if (id === Type.Decimal) need(values!.length / ((type as { bitWidth: number }).bitWidth / 64), "values");
  else if (
    ([Type.Int, Type.Float, Type.Date, Type.Time, Type.Timestamp, Type.Duration, Type.Dictionary] as number[]).includes(
      id,
    )
  ) {
    const source = (batch as unknown as { source?: Batch<unknown> }).source ?? batch;
    need(source.values!.length, "values");
  }
  const dictionary = (batch as unknown as { dictionary?: ArrowColumn<unknown> }).dictionary;
  for (const inner of [...(children ?? []), ...((dictionary?.data as readonly Batch<unknown>[]) ?? [])])
    checkBatch(inner as Batch<unknown>, fileBytes);
}

const typeName = (id: number): string =>
  (Object.entries(Type).find(([, value]) => value === id)?.[0] ?? `type ${id}`).toLowerCase();

const isValid = (batch: Batch<unknown>, row: number): boolean =>
  batch.nullCount === 0 || !batch.validity?.length || ((batch.validity[row >> 3]! >> (row & 7)) & 1) === 1;

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Codes of a text column, from the bytes of its values; −1 for none. */
function textCodes(batches: readonly Batch<unknown>[], length: number, at: Place): Int32Array {
  const codes = new Int32Array(length);
  let row = 0;
  for (const batch of batches) {
    const { offsets } = batch;
    const view = (batch as unknown as { view?(i: number): Uint8Array }).view?.bind(batch);
    let bytes = bufferOf(batch.values as Uint8Array);
    for (let i = 0; i < batch.length; i++, row++) {
      codes[row] = -1;
      if (!isValid(batch, i)) continue;
      if (view) bytes = bufferOf(view(i));
      const start = view ? 0 : Number(offsets![i]);
      const end = view ? bytes.length : Number(offsets![i + 1]);
      if (!(start >= 0 && start <= end && end <= bytes.length))
        throw new RangeError(`damaged offsets in column ${at.name}`);
      const code = at.interner.codeOf(bytes, start, end);
      if (code === notUtf8) at.refuse(row, `${notText} (${wrongByte(bytes.subarray(start, end))})`);
      else codes[row] = code;
    }
  }
  return codes;
}

function dictionaryColumn(batches: readonly Batch<unknown>[], length: number, at: Place): Column {
  if (batches.length === 0) return new Array<null>(length).fill(null);
  const dictionary = (batches[0] as unknown as { dictionary: ArrowColumn<unknown> }).dictionary;
  const text = isText(dictionary.type.typeId as number);
  // an entry that cannot be given refuses the rows that it stands in
  const wrong = new Map<number, string>();
  const place = { ...at, refuse: (entry: number, reason: string) => void wrong.set(entry, reason) };
  // two entries of a dictionary may be equal: equal text gets one code
  const entries = text
    ? textCodes(dictionary.data as readonly Batch<unknown>[], dictionary.length, place)
    : columnOf(dictionary, place);
  const codes = new Int32Array(length);
  let row = 0;
  for (const batch of batches)
    for (let i = 0; i < batch.length; i++, row++) {
      const index = isValid(batch, i) ? Number(batch.values![i]) : -1;
      if (index >= entries.length || index < -1)
        throw new RangeError(`entry ${index} of a dictionary of ${entries.length} in column ${at.name}`);
      if (wrong.has(index)) at.refuse(row, wrong.get(index)!);
      codes[row] = text ? (index < 0 ? -1 : (entries as Int32Array)[index]!) : index;
    }
  return text
    ? new TextColumn(codes, at.interner.values)
    : Array.from(codes, (index) => (index < 0 ? null : entries.at(index)));
}

const perSecond = [1n, 1000n, 1_000_000n, 1_000_000_000n];

/** Dates and timestamps. Units of a timestamp: seconds, milliseconds, microseconds, nanoseconds. */
function instantsOf(type: ArrowType, batches: readonly Batch<unknown>[], at: Place): Column {
  const { unit, typeId, timezone } = type as { unit: number; typeId: number; timezone?: string | null };
  const isDate = typeId === Type.Date;
  const second = isDate ? 1000n : perSecond[unit]!;
  const counts: (bigint | null)[] = [];
  for (const batch of batches)
    for (let i = 0; i < batch.length; i++) {
      const source = (batch as unknown as { source?: Batch<unknown> }).source ?? batch;
      const value = BigInt(source.values![i]!);
      counts.push(isValid(batch, i) ? (isDate && unit === 0 ? value * 86_400_000n : value) : null);
    }
  return instants(at, counts, second, isDate || Boolean(timezone));
}
