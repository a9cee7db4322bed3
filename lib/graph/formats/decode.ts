import { MkgError, quote } from "../../core/index.js";
import type { Notice } from "../notices.js";
import type { Reading, Source } from "./format.js";

/** Longest line, record or field: what a string of JavaScript holds with room to spare. */
const maxLineBytes = 256 * 2 ** 20;

/** UTF-8 bytes of a text file, its byte order mark taken away; `repaired` fills as the text is read. */
export interface Text {
  readonly chunks: AsyncIterable<Buffer>;
  readonly repaired: Notice[];
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * A text file as UTF-8. What has a UTF-16 byte order mark, or an `encoding` is given for, is decoded (strictly) and counted as repaired; anything else is
 * handed on byte for byte, for the reader to check: only it knows the row and column of a wrong byte.
 */
export function textOf(source: Source, reading: Pick<Reading, "place" | "encoding">): Text {
  const repaired: Notice[] = [];
  return { chunks: decoded(source, reading, repaired), repaired };
}

async function* decoded(
  source: Source,
  { place, encoding }: Pick<Reading, "place" | "encoding">,
  repaired: Notice[],
): AsyncGenerator<Buffer> {
  let decode: ((chunk?: Uint8Array) => Buffer) | undefined;
  let first = true;
  let begin: Buffer = Buffer.alloc(0);
  const start = (bytes: Buffer): Buffer => {
    first = false;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.subarray(3);
    const utf16 =
      bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "";
    const name = utf16 || encoding;
    if (name === undefined) {
      refuseUtf16(place, source.path, bytes);
      return bytes;
    }
    decode = decoder(place, source.path, name);
    repaired.push(
      Object.freeze({ what: `files decoded from ${name}`, count: 1, examples: Object.freeze([source.path]) }),
    );
    return decode(bytes);
  };
  for await (const chunk of source.stream()) {
    let bytes = asBuffer(chunk);
    if (first) {
      begin = begin.length > 0 ? Buffer.concat([begin, bytes]) : bytes;
      // a byte order mark may be cut by the end of a block
      if (begin.length < 4) continue;
      bytes = start(begin);
    } else if (decode) bytes = decode(bytes);
    if (bytes.length > 0) yield bytes;
  }
  if (first && begin.length > 0) yield start(begin);
  if (decode) yield (decode as (chunk?: Uint8Array) => Buffer)();
}

function decoder(place: string, path: string, encoding: string): (chunk?: Uint8Array) => Buffer {
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new MkgError(
      place,
      `unknown encoding (${quote(encoding)})`,
      "The names of the Encoding Standard, such as utf-8, utf-16le, windows-1252, iso-8859-2, gb18030, shift_jis",
    );
  }
  let at = 0;
  return (chunk) => {
    try {
      const text = chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
      at += chunk?.length ?? 0;
      return Buffer.from(text);
    } catch {
      throw new MkgError(
        place,
        `${path}: not ${encoding} (in the ${chunk?.length ?? 0} bytes after byte ${at})`,
        "",
        "Say another { encoding }, or convert the file, for example with iconv",
      );
    }
  };
}

/** UTF-16 without its mark is valid UTF-8 full of NUL characters: every other byte of Latin text. */
function refuseUtf16(place: string, path: string, bytes: Buffer): void {
  const looked = bytes.subarray(0, Math.min(64, bytes.length & ~1));
  if (looked.length < 8) return;
  const nul = [0, 0];
  looked.forEach((byte, i) => {
    if (byte === 0) nul[i & 1]!++;
  });
  const odd = nul[1]! === looked.length / 2;
  if (odd || nul[0]! === looked.length / 2)
    throw new MkgError(
      place,
      `${path}: every other byte is NUL, as in UTF-16 without a byte order mark`,
      "UTF-8, or UTF-16 with a byte order mark",
      `Say { encoding: "${odd ? "utf-16le" : "utf-16be"}" }`,
    );
}

/** Where a byte of RFC 4180 stands: see {@link csvStep}. */
export const csvState = { fieldStart: 0, plain: 1, quoted: 2, closed: 3, lineEnd: 4, malformed: 5 } as const;
const { fieldStart, plain, quoted, closed, lineEnd, malformed } = csvState;

/**
 * Where the grammar of RFC 4180 is after one more byte. A quote opens a field only at its beginning; in `quoted` alone a line break does not end the
 * record, and `closed` is after a quote in it, which ends the field or is the first half of two. What cannot be is `malformed` to the end of its line.
 */
export function csvStep(state: number, byte: number, delimiter: number): number {
  if (state === quoted) return byte === 34 ? closed : quoted;
  if (byte === 10) return fieldStart;
  if (state === malformed || state === lineEnd) return malformed;
  if (byte === 13) return lineEnd;
  if (byte === delimiter) return fieldStart;
  if (byte === 34) return state === plain ? malformed : quoted;
  return state === closed ? malformed : plain;
}

/**
 * Blocks of whole lines (each ends in LF, the last perhaps not); with `csv` whole records, whose quoted fields may hold line breaks. A block is valid
 * until the next is asked for. Memory: one block and the longest line.
 *
 * @param csv the byte between fields, and the lines before the block, for errors.
 */
export async function* wholeLines(
  chunks: AsyncIterable<Buffer>,
  place: string,
  path: string,
  csv?: { readonly delimiter: number; lines(): number },
): AsyncGenerator<Buffer> {
  let kept: Buffer = Buffer.alloc(0);
  let used = 0;
  let state: number = fieldStart;
  for await (const chunk of chunks) {
    let cut = chunk.lastIndexOf(10) + 1;
    if (csv) {
      // without quotes only what follows the last line break decides where the next chunk begins
      const apart = state !== quoted && state !== closed && !chunk.includes(34);
      const from = apart ? cut : 0;
      if (apart && cut > 0) state = fieldStart;
      if (!apart) cut = 0;
      for (let i = from; i < chunk.length; i++) {
        state = csvStep(state, chunk[i]!, csv.delimiter);
        if (state === fieldStart && chunk[i] === 10) cut = i + 1;
      }
    }
    if (cut > 0) {
      if (used === 0) yield chunk.subarray(0, cut);
      else {
        append(chunk.subarray(0, cut));
        yield kept.subarray(0, used);
        used = 0;
      }
    }
    append(chunk.subarray(cut));
    if (used > maxLineBytes)
      throw new MkgError(
        place,
        `${path}${csv ? `, line ${csv.lines() + 1}` : ""}: a line or quoted field longer than ${maxLineBytes} bytes`,
        "Text, one record a line",
        csv ? "Look for a quote that is not closed, in that line" : "",
      );
  }
  if (used > 0) yield kept.subarray(0, used);

  function append(bytes: Buffer): void {
    if (used + bytes.length > kept.length) {
      const wider = Buffer.allocUnsafe(Math.max(used + bytes.length, kept.length * 2));
      kept.copy(wider, 0, 0, used);
      kept = wider;
    }
    kept.set(bytes, used);
    used += bytes.length;
  }
}

/** Where the first byte that is not UTF-8 stands, in words. */
export function wrongByte(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  let at = 0;
  let chars = 0;
  for (const char of text) {
    const size = Buffer.byteLength(char);
    if (char === "\ufffd" && !(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd)) break;
    at += size;
    chars += char.length;
  }
  const before = text.slice(Math.max(0, chars - 20), chars);
  return `byte 0x${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0")} at position ${at}${before ? `, after ${quote(before)}` : ""}`;
}
