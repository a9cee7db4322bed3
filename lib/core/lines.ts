import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { MkgError, quote, SetupError } from "./errors.js";

/** Opens a regular file to be read. Anything else is an error at once: a pipe would be waited for without end. */
export async function openFile(place: string, path: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    // opening a pipe waits for its other end, unless told not to (there is no such flag on Windows)
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const info = await file.stat();
    if (info.isFile()) return file;
    const what = info.isDirectory() ? readingTrouble("EISDIR") : "It is a pipe or a device; give a regular file";
    throw new MkgError(place, `not a file (${path})`, "", what);
  } catch (error) {
    await file?.close();
    throw readingError(place, path, error);
  }
}

/** What the system refused on reading, as an error that says what to do; any other error as it is. */
export function readingError(place: string, path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof MkgError) return error;
  const Kind = ["ENOENT", "ENOTDIR", "EISDIR"].includes(code) ? MkgError : SetupError;
  return new Kind(place, `cannot read the file (${path})`, "", readingTrouble(code));
}

/** The encoding that the byte order mark at the beginning of a text file states, UTF-8 without one. */
export const markedEncoding = (bytes: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";

/** The bytes of a text file as UTF-8 without byte order mark: UTF-16 is decoded where its mark says so. */
async function* unmarked(place: string, path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let at = 0;
  const decode = (chunk?: Buffer): Buffer => {
    try {
      return Buffer.from(chunk ? decoder!.decode(chunk, { stream: true }) : decoder!.decode());
    } catch {
      throw new MkgError(
        place,
        `the file is not ${decoder!.encoding} text, as its byte order mark says (${path}, after byte ${at})`,
        allowedText,
        convert,
      );
    }
  };
  for await (const chunk of chunks) {
    const encoding = markedEncoding(chunk);
    if (at === 0 && encoding !== "utf-8") decoder = new TextDecoder(encoding, { fatal: true });
    const hasMark = at === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    yield decoder ? decode(chunk) : hasMark ? chunk.subarray(3) : chunk;
    at += chunk.length;
  }
  if (decoder) yield decode();
}

const allowedText = "UTF-8, or UTF-16 with a byte order mark";
const convert = "Convert it, for example with iconv";

/** The lines of UTF-8 bytes, carriage returns dropped; in the place of one that is not UTF-8 the error that says so. */
export function linesOf(place: string, path: string, bytes: Buffer, first: number): (string | MkgError)[] {
  const shorn = (line: string) => (line.endsWith("\r") ? line.slice(0, -1) : line);
  if (isUtf8(bytes)) return bytes.toString("utf8").split("\n").map(shorn);
  const lines: (string | MkgError)[] = [];
  for (let at = 0, end = 0; end < bytes.length; at = end + 1) {
    const next = bytes.indexOf(10, at);
    end = next < 0 ? bytes.length : next;
    const line = bytes.subarray(at, end);
    const where = () => `${path}, line ${first + lines.length}: ${wrongByte(line)}`;
    lines.push(
      isUtf8(line)
        ? shorn(line.toString("utf8"))
        : new MkgError(place, `the file is not UTF-8 text (${where()})`, allowedText, convert),
    );
  }
  return lines;
}

/** Where the first byte that is not UTF-8 stands, in words. */
function wrongByte(bytes: Uint8Array): string {
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

/**
 * A text file in blocks of whole lines, with the number (from 1) of each block's first line; as UTF-8 without byte order mark, UTF-16 decoded where its mark
 * says so. The last line may have no line break. One block of about 256 KiB in memory at a time.
 */
export async function* eachBlock(
  path: string,
  place: string,
  maxLine = 2 ** 20,
): AsyncGenerator<{ bytes: Buffer; first: number }> {
  const file = await openFile(place, path);
  let first = 1;
  let rest: Buffer[] = []; // the beginning of a line, in pieces
  let size = 0;
  try {
    for await (const bytes of unmarked(place, path, file.createReadStream({ highWaterMark: 2 ** 18 }))) {
      const cut = bytes.lastIndexOf(10) + 1;
      if (cut > 0) {
        const block = rest.length === 0 ? bytes.subarray(0, cut) : Buffer.concat([...rest, bytes.subarray(0, cut)]);
        yield { bytes: block, first };
        for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) first++;
        rest = [];
        size = 0;
      }
      if (cut < bytes.length) rest.push(bytes.subarray(cut));
      size += bytes.length - cut;
      if (size > maxLine)
        throw new MkgError(
          place,
          `${path}, line ${first}: longer than ${maxLine} bytes`,
          "Text, one record a line",
          "Look for a line break that is missing",
        );
    }
    if (rest.length > 0) yield { bytes: Buffer.concat(rest), first };
  } catch (error) {
    throw readingError(place, path, error);
  }
}

/** The lines of a text file in batches, in order; an order of magnitude faster than `readline`. */
async function* lineBatches(
  path: string,
  place: string,
  maxLine: number,
): AsyncGenerator<{ lines: (string | MkgError)[]; first: number }> {
  for await (const { bytes, first } of eachBlock(path, place, maxLine)) {
    const whole = bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes;
    yield { lines: linesOf(place, path, whole, first), first };
  }
}

const troubles: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file; check the path",
  ENOTDIR: "A part of the path is a file, not a folder; check the path",
  EISDIR: "It is a folder; give a file",
  EACCES: "Reading is not permitted; check the modes of the file and of the folders above it",
  EPERM: "Reading is not permitted; check the modes of the file and of the folders above it",
  ELOOP: "Its symbolic links lead in a circle; mend them",
  ENAMETOOLONG: "The name is longer than the file system allows; check the path",
  ENXIO: "It is a socket or a device; give a regular file",
  EIO: "The disk or the connection to it fails; copy the file elsewhere, or get it anew",
  EMFILE: "Too many files are open; close some, or raise the limit (ulimit -n)",
};

/** What to do about a system's error code on reading. */
export const readingTrouble = (code: string): string =>
  troubles[code] ?? `The system says ${code}; check the path and the disk`;

/** Calls `onLine` for every line that is not blank, with its number from 1; lines hold at most a mebibyte. */
export async function eachLine(
  path: string,
  place: string,
  onLine: (text: string, line: number) => void,
): Promise<void> {
  for await (const { lines, first } of lineBatches(path, place, 2 ** 20))
    lines.forEach((line, i) => {
      if (line instanceof MkgError) throw line;
      if (line.trim()) onLine(line, first + i);
    });
}

/**
 * Streams the records of a JSON-lines file with their line numbers; blank lines are skipped. A line that is not JSON or not UTF-8 is an error that names it, or
 * goes to `onBadLine`, where that is given. `parse` reads one line; default JSON.parse, right for files that this library wrote.
 */
export async function* readJsonl<T>(
  path: string,
  place = "readJsonl",
  onBadLine?: (line: number, error: MkgError) => void,
  parse: (text: string, path: string, line: number, place: string) => unknown = parseJsonLine,
): AsyncGenerator<{ record: T; line: number }> {
  for await (const { lines, first } of lineBatches(path, place, 2 ** 28))
    for (const [i, text] of lines.entries()) {
      let record: T;
      try {
        if (text instanceof MkgError) throw text;
        if (!text.trim()) continue;
        record = parse(text, path, first + i, place) as T;
      } catch (error) {
        if (!onBadLine) throw error;
        onBadLine(first + i, error as MkgError);
        continue;
      }
      yield { record, line: first + i };
    }
}

export function parseJsonLine<T>(text: string, path: string, line: number, place = "readJsonl"): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new MkgError(
      place,
      `${path}, line ${line}: not JSON (${(error as Error).message})`,
      "One JSON value a line",
      "Mend or remove that line",
    );
  }
}
