import { MkgError } from "../../core/index.js";

// places in the vtables of Message.fbs, Schema.fbs and File.fbs of the Arrow columnar format 1.5
const message = { headerType: 6, header: 8, bodyLength: 10 };
const dictionaryBatch = { id: 4, data: 6, isDelta: 8 };
const recordBatch = { nodes: 6, buffers: 8, variadic: 12 };
const schemaTable = { fields: 6, metadata: 8 };
const fieldTable = { type: 8, children: 14, metadata: 16 };
/** The one type whose description holds a list of its own, which the decoder reads unchecked; no cell holds a union. */
const union = 14;
const footer = { dictionaries: 8, records: 10 };
const kind = { schema: 1, dictionary: 2, records: 3 };
/** Bytes of one item of a vector of structs. */
const size = { offset: 4, node: 16, buffer: 16, count: 8, block: 24 };

const magic = "ARROW1";
const deepest = 64;

/** A whole message, checked, and what it is. */
interface Message {
  readonly bytes: Uint8Array;
  readonly type: number;
  /** Of a dictionary: its id, and whether it adds to the entries before. */
  readonly id: bigint;
  readonly isDelta: boolean;
}

/**
 * The messages of an Arrow file or stream, as segments that each hold one state of the dictionaries: schema, dictionaries in force, record batches.
 *
 * What the decoder itself does not see: a stream may replace a dictionary between record batches, and keeping only the last one would read the earlier rows
 * wrongly; bytes that end within a message would give a shorter table; a damaged count would make it read for ever. O(messages + fields).
 */
export function segmentsOf(bytes: Uint8Array, place: string, path: string): Uint8Array[][] {
  const wrong = (problem: string) =>
    new MkgError(place, `${path}: ${problem}`, "Arrow IPC, file or stream, whole", "Copy or write it again");
  const isFile = textAt(bytes, 0) === magic;
  if (isFile && (bytes.length < 24 || textAt(bytes, bytes.length - magic.length) !== magic))
    throw wrong("the Arrow file has no end");
  let messages: Message[];
  let batches = 0;
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    messages = messagesOf(bytes, view, isFile ? 8 : 0, wrong);
    if (isFile) {
      const end = bytes.length - magic.length - 4;
      const start = end - view.getInt32(end, true);
      const root = start + view.getInt32(start, true);
      batches = vector(view, root, footer.records, size.block).length;
      vector(view, root, footer.dictionaries, size.block);
    }
  } catch (error) {
    throw error instanceof MkgError ? error : wrong(`not Arrow, or damaged (${(error as Error).message})`);
  }
  const schema = messages.find(({ type }) => type === kind.schema);
  if (!schema) throw wrong("not Arrow: no schema");
  const records = messages.filter(({ type }) => type === kind.records);
  const dictionaries = messages.filter(({ type }) => type === kind.dictionary);
  if (isFile && records.length !== batches) throw wrong(`${records.length} record batches, ${batches} by its footer`);
  // a file may not replace a dictionary: all hold for all rows
  return isFile ? [[schema, ...dictionaries, ...records].map((one) => one.bytes)] : splitAtReplaced(schema, messages);
}

const textAt = (bytes: Uint8Array, from: number) => String.fromCharCode(...bytes.subarray(from, from + magic.length));

function splitAtReplaced(schema: Message, messages: readonly Message[]): Uint8Array[][] {
  const inForce = new Map<bigint, Uint8Array[]>();
  const segments: Uint8Array[][] = [];
  let records: Uint8Array[] = [];
  const close = () => {
    segments.push([schema.bytes, ...[...inForce.values()].flat(), ...records]);
    records = [];
  };
  for (const { type, bytes, id, isDelta } of messages)
    if (type === kind.records) records.push(bytes);
    else if (type === kind.dictionary) {
      if (records.length > 0) close();
      if (isDelta && inForce.has(id)) inForce.get(id)!.push(bytes);
      else inForce.set(id, [bytes]);
    }
  if (records.length > 0 || segments.length === 0) close();
  return segments;
}

function messagesOf(bytes: Uint8Array, view: DataView, from: number, wrong: (problem: string) => MkgError): Message[] {
  const found: Message[] = [];
  const rows = BigInt(bytes.length) * 8n;
  for (let at = from; at + 4 <= bytes.length; ) {
    const marked = view.getInt32(at, true) === -1;
    const start = marked ? at + 8 : at + 4;
    if (start > bytes.length) throw wrong("the Arrow data end within a message");
    const length = view.getInt32(start - 4, true);
    if (length === 0) break;
    if (length < 0 || start + length > bytes.length) throw wrong("the Arrow data end within a message");
    // tables and vectors of a message lie within its own bytes
    const own = new DataView(view.buffer, view.byteOffset + start, length);
    const root = own.getInt32(0, true);
    const body = place(own, root, message.bodyLength);
    const end = start + length + (body === 0 ? 0 : Number(own.getBigInt64(body, true)));
    if (!(end >= start + length && end <= bytes.length)) throw wrong("the Arrow data end within a message");
    const typeAt = place(own, root, message.headerType);
    const type = typeAt === 0 ? 0 : own.getUint8(typeAt);
    const header = table(own, root, message.header);
    let id = 0n;
    let isDelta = false;
    if (type === kind.schema) checkFields(own, header, schemaTable.fields, 0);
    else if (type === kind.records) checkRecords(own, header, rows);
    else if (type === kind.dictionary) {
      const idAt = place(own, header, dictionaryBatch.id);
      id = idAt === 0 ? 0n : own.getBigInt64(idAt, true);
      const deltaAt = place(own, header, dictionaryBatch.isDelta);
      isDelta = deltaAt !== 0 && own.getUint8(deltaAt) !== 0;
      checkRecords(own, table(own, header, dictionaryBatch.data), rows);
    }
    found.push({ bytes: bytes.subarray(at, end), type, id, isDelta });
    at = end;
  }
  return found;
}

/** @param rows most rows that the file can hold: a bit each. The decoder takes what the counts say, and fills memory with it. */
function checkRecords(view: DataView, at: number, rows: bigint): void {
  const nodes = vector(view, at, recordBatch.nodes, size.node);
  for (let i = 0; i < nodes.length; i++) {
    const length = view.getBigInt64(nodes.start + i * size.node, true);
    if (length < 0n || length > rows) throw new RangeError(`${length} rows`);
  }
  vector(view, at, recordBatch.buffers, size.buffer);
  vector(view, at, recordBatch.variadic, size.count);
}

function checkFields(view: DataView, at: number, slot: number, depth: number): void {
  if (depth > deepest) throw new RangeError(`fields nested deeper than ${deepest}`);
  const fields = vector(view, at, slot, size.offset);
  for (let i = 0; i < fields.length; i++) {
    const item = fields.start + 4 * i;
    const one = item + view.getInt32(item, true);
    const typeAt = place(view, one, fieldTable.type);
    if (typeAt !== 0 && view.getUint8(typeAt) === union) throw new RangeError("a union, which a cell cannot hold");
    vector(view, one, fieldTable.metadata, size.offset);
    checkFields(view, one, fieldTable.children, depth + 1);
  }
  if (depth === 0) vector(view, at, schemaTable.metadata, size.offset);
}

/** Where a field of a flatbuffer table stands; 0 when it is absent. What lies outside the message is a RangeError of the view. */
function place(view: DataView, at: number, slot: number): number {
  const vtable = at - view.getInt32(at, true);
  const offset = slot < view.getInt16(vtable, true) ? view.getInt16(vtable + slot, true) : 0;
  return offset === 0 ? 0 : at + offset;
}

function table(view: DataView, at: number, slot: number): number {
  const found = place(view, at, slot);
  if (found === 0) throw new RangeError("a part is missing");
  return found + view.getInt32(found, true);
}

/** A vector whose items lie within the message. */
function vector(
  view: DataView,
  at: number,
  slot: number,
  itemBytes: number,
): { readonly start: number; readonly length: number } {
  const found = place(view, at, slot);
  if (found === 0) return { start: 0, length: 0 };
  const begin = found + view.getInt32(found, true);
  const length = view.getUint32(begin, true);
  if (begin + 4 + length * itemBytes > view.byteLength) throw new RangeError(`a list of ${length} parts`);
  return { start: begin + 4, length };
}
