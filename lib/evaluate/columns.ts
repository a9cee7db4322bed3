import { isUtf8 } from "node:buffer";
import { eachBlock, Interner, linesOf, MkgError } from "../core/index.js";

/** The lines of a TREC file as columns: queries and documents as codes of distinct names, in the file's order. */
export class Columns {
  readonly queries: Interner;
  readonly documents: Interner;
  query = new Int32Array(1024);
  document = new Int32Array(1024);
  value = new Float64Array(1024);
  /** Line numbers from 1. */
  line = new Int32Array(1024);
  length = 0;

  constructor(place: string) {
    this.queries = new Interner(place);
    this.documents = new Interner(place);
  }

  add(query: number, document: number, value: number, line: number): void {
    const at = this.length++;
    if (at === this.query.length) {
      this.query = doubled(this.query, new Int32Array(at * 2));
      this.document = doubled(this.document, new Int32Array(at * 2));
      this.value = doubled(this.value, new Float64Array(at * 2));
      this.line = doubled(this.line, new Int32Array(at * 2));
    }
    this.query[at] = query;
    this.document[at] = document;
    this.value[at] = value;
    this.line[at] = line;
  }

  /** Rows by query code, each in the file's order: those of query q are `rows[starts[q]]` … `rows[starts[q + 1]]`. O(rows). */
  byQuery(): { readonly starts: Int32Array; readonly rows: Int32Array } {
    const starts = new Int32Array(this.queries.values.length + 1);
    for (let at = 0; at < this.length; at++) starts[(this.query[at] as number) + 1]!++;
    for (let q = 0; q + 1 < starts.length; q++) starts[q + 1]! += starts[q] as number;
    const next = starts.slice();
    const rows = new Int32Array(this.length);
    for (let at = 0; at < this.length; at++) rows[next[this.query[at] as number]!++] = at;
    return { starts, rows };
  }
}

function doubled<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Where the fields of a line are: [start, end) of each, in one array. */
type Fields = Int32Array;

/**
 * Reads a file of fields between ASCII white space, as trec_eval splits lines, from its bytes: names become codes without becoming text first, so that two million
 * lines cost no two million strings. `onLine` gets the fields of each line that is not blank and does not begin with `# `, and says whether it is good; of
 * one that is not, `bad` makes the error from its text. Memory: one block, and what is kept.
 */
export async function readColumns(
  path: string,
  place: string,
  most: number,
  onLine: (bytes: Buffer, fields: Fields, count: number, line: number) => boolean,
  bad: (text: string, line: number) => MkgError,
): Promise<void> {
  const fields = new Int32Array(2 * (most + 1));
  for await (const { bytes, first } of eachBlock(path, place)) {
    if (!isUtf8(bytes)) for (const line of linesOf(place, path, bytes, first)) if (line instanceof MkgError) throw line;
    const { length } = bytes;
    for (let at = 0, line = first; at < length; line++) {
      const lineStart = at;
      let count = 0;
      let byte = 0;
      while (at < length) {
        byte = bytes[at] as number;
        if (byte === 10) break;
        if (isBlank[byte] === 1) {
          at++;
          continue;
        }
        const start = at;
        while (at < length && isBlank[bytes[at] as number] === 0) at++;
        if (count <= most) {
          fields[2 * count] = start;
          fields[2 * count + 1] = at;
        }
        count++;
      }
      if (count > 0 && !isComment(bytes, fields) && !onLine(bytes, fields, count, line))
        throw bad(bytes.toString("utf8", lineStart, at).replace(/\r$/, ""), line);
      at++;
    }
  }
}

/** 1 for ASCII white space, line breaks among it. */
const isBlank = Uint8Array.from({ length: 256 }, (_, byte) => (byte === 32 || (byte >= 9 && byte <= 13) ? 1 : 0));

/** Codes of names that mostly come many times running, as queries do: the one before is compared before it is looked for. */
export function runningCodes(names: Interner): (bytes: Buffer, start: number, end: number) => number {
  let last: Buffer | undefined;
  let from = 0;
  let size = -1;
  let code = -1;
  return (bytes, start, end) => {
    if (last === bytes && end - start === size) {
      let i = 0;
      while (i < size && bytes[start + i] === bytes[from + i]) i++;
      if (i === size) return code;
    }
    last = bytes;
    from = start;
    size = end - start;
    code = names.codeOf(bytes, start, end);
    return code;
  };
}

/** Whether the first field is `#` alone: `#1` may be an id. */
const isComment = (bytes: Buffer, fields: Fields): boolean =>
  bytes[fields[0] as number] === 35 && (fields[1] as number) - (fields[0] as number) === 1;

/** A decimal number as C reads it; NaN for anything else, such as 0x1F, 1_000 or inf. Up to 15 digits are read without making text of them. */
export function decimal(bytes: Buffer, start: number, end: number): number {
  let at = start;
  const sign = bytes[at] === 45 ? -1 : 1;
  if (bytes[at] === 45 || bytes[at] === 43) at++;
  let mantissa = 0;
  let digits = 0;
  let decimals = 0;
  let point = false;
  for (; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte >= 48 && byte <= 57) {
      mantissa = mantissa * 10 + byte - 48;
      digits++;
      if (point) decimals++;
    } else if (byte === 46 && !point) point = true;
    else break;
  }
  // 15 digits are an exact double and so is a power of ten up to 22: one division, rounded once
  if (at === end && digits > 0 && digits <= 15) return (sign * mantissa) / (powers[decimals] as number);
  const text = bytes.toString("latin1", start, end);
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

const powers = Float64Array.from({ length: 16 }, (_, i) => Number(`1e${i}`));
