import { MkgError } from "../../core/index.js";

// Message.fbs and Schema.fbs of the Arrow columnar format, version 1.5: places in the vtables of Message and DictionaryBatch
const headerType = 6;
const header = 8;
const bodyLength = 10;
const dictionaryId = 4;
const isDelta = 8;
const kind = { dictionary: 2, records: 3 };

/**
 * An Arrow stream as segments that each hold one state of the dictionaries. A stream may replace a dictionary between record batches, and a decoder that
 * keeps only the last one reads the earlier rows wrongly, without an error. A stream that ends within a message is an error too, not a shorter table.
 * Returns lists of whole messages: schema, dictionaries in force, record batches. O(messages).
 */
export function streamSegments(bytes: Uint8Array, place: string, path: string): Uint8Array[][] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cut = () =>
    new MkgError(place, `${path}: the Arrow stream ends within a message`, "A whole file", "Copy or write it again");
  let schema: Uint8Array | undefined;
  const dictionaries = new Map<bigint, Uint8Array[]>();
  let records: Uint8Array[] = [];
  const segments: Uint8Array[][] = [];
  const close = () => {
    if (schema) segments.push([schema, ...[...dictionaries.values()].flat(), ...records]);
    records = [];
  };
  for (let at = 0; at + 4 <= bytes.length; ) {
    const marked = view.getInt32(at, true) === -1;
    const start = marked ? at + 8 : at + 4;
    if (marked && at + 8 > bytes.length) throw cut();
    const length = view.getInt32(start - 4, true);
    if (length === 0) break;
    if (length < 0 || start + length > bytes.length) throw cut();
    const root = start + view.getInt32(start, true);
    const type = field(view, root, headerType);
    const size = field(view, root, bodyLength);
    const end = start + length + (size === 0 ? 0 : Number(view.getBigInt64(size, true)));
    if (end > bytes.length || end < start) throw cut();
    // copied only where a typed array could not begin: a message stands at a multiple of 8
    const message = bytes.subarray(at, end);
    const is = type === 0 ? 0 : view.getUint8(type);
    if (is === kind.records) records.push(message);
    else if (is === kind.dictionary) {
      const place = field(view, root, header);
      const batch = place + view.getInt32(place, true);
      const id = field(view, batch, dictionaryId);
      const key = id === 0 ? 0n : view.getBigInt64(id, true);
      const delta = field(view, batch, isDelta);
      if (records.length > 0) close();
      if (delta !== 0 && view.getUint8(delta) !== 0) dictionaries.get(key)?.push(message);
      else dictionaries.set(key, [message]);
    } else schema ??= message;
    at = end;
  }
  if (records.length > 0 || segments.length === 0) close();
  return segments;
}

/** Where a field of a flatbuffer table stands; 0 when it is absent. */
function field(view: DataView, table: number, slot: number): number {
  const vtable = table - view.getInt32(table, true);
  const offset = slot < view.getInt16(vtable, true) ? view.getInt16(vtable + slot, true) : 0;
  return offset === 0 ? 0 : table + offset;
}
