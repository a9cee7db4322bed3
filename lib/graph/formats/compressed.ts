import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { MkgError } from "../../core/index.js";
import type { Source } from "./format.js";

/** Bytes that a compressed file may hold once decompressed. A plain file has no bound here. */
const maxBytes = 8 * 2 ** 30;
/** Bytes that {@link Source.bytes} may hold in memory. */
const maxWhole = 512 * 2 ** 20;
/** Above this much, what is compressed may hold {@link maxRatio} times its own size. Real tables are below 50 times, bombs at 1,000. */
export const ratioFrom = 64 * 2 ** 20;
export const maxRatio = 300;

const gzip = [0x1f, 0x8b];

/** Files that hold a table in another wrapping, told by their first bytes. */
const wrappings: readonly { readonly magic: readonly number[]; readonly what: string; readonly unpack: string }[] = [
  { magic: [0x42, 0x5a, 0x68], what: "compressed with bzip2", unpack: "bunzip2" },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], what: "compressed with xz", unpack: "unxz" },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], what: "compressed with zstd", unpack: "unzstd" },
  { magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], what: "a 7-Zip archive", unpack: "7z x" },
];
const zip = { magic: [0x50, 0x4b, 0x03, 0x04], what: "a zip archive", unpack: "unzip" };

const starts = (bytes: Uint8Array, magic: readonly number[]) => magic.every((byte, i) => bytes[i] === byte);

/**
 * A file to read a table from, plain or compressed with gzip: told by its first two bytes, whatever its name; `name` goes without `.gz`. Reading is
 * streamed, at O(1) memory. Several gzip members in a row are one file and zeros after them padding; a damaged or cut-off one, one that unpacks to more
 * than the bounds and other wrappings (zip, bzip2, xz, zstd) are errors that name the file.
 *
 * @param zipped whether the format is a zip archive itself.
 * @example
 * const source = await openSource("loadGraph", "triples.tsv.gz");
 * source.name                                   // "triples.tsv"
 * for await (const chunk of source.stream()) {} // its bytes, decompressed
 */
export async function openSource(place: string, path: string, zipped = false): Promise<Source> {
  const { size, first } = await beginning(place, path);
  const isGzip = starts(first, gzip);
  const base = basename(path);
  const name = base.replace(/(.)\.gz$/i, "$1");
  for (const { magic, what, unpack } of zipped ? wrappings : [zip, ...wrappings])
    if (starts(first, magic))
      throw new MkgError(
        place,
        `${path}: ${what}`,
        "A plain file, or one compressed with gzip",
        `Unpack it: ${unpack}`,
      );

  async function* stream(): AsyncGenerator<Uint8Array> {
    const file = createReadStream(path, { highWaterMark: 2 ** 20 });
    // pipeline hands an error of the file on to the reader of what it is piped into
    const chunks = isGzip ? pipeline(file, createGunzip({ chunkSize: 2 ** 18 }), () => {}) : file;
    let total = 0;
    try {
      for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
        if (isGzip && total === 0 && starts(chunk, gzip))
          throw new MkgError(place, `${path}: compressed twice`, "gzip once", "Unpack it once: gunzip");
        total += chunk.length;
        if (isGzip && (total > maxBytes || (total > ratioFrom && total > maxRatio * size)))
          throw new MkgError(
            place,
            `${path}: too large once decompressed (more than ${total} bytes from ${size})`,
            `At most ${maxBytes} bytes, and ${maxRatio} times the file's own size above ${ratioFrom}`,
            "If the file is to be trusted, decompress it first: gunzip",
          );
        yield chunk;
      }
    } catch (error) {
      throw readingError(place, path, error, total);
    } finally {
      file.destroy();
      (chunks as { destroy?: () => void }).destroy?.();
    }
  }

  async function bytes(): Promise<Uint8Array> {
    const tooLarge = (size: string) =>
      new MkgError(
        place,
        `${path}: too large to be held in memory (${size} bytes)`,
        `At most ${maxWhole} bytes in this format`,
        "Split the file, or use a format that is read piece by piece: csv, tsv, jsonl, nt",
      );
    if (!isGzip && size > maxWhole) throw tooLarge(String(size));
    const chunks: Uint8Array[] = [];
    let total = 0;
    for await (const chunk of stream()) {
      total += chunk.length;
      if (total > maxWhole) throw tooLarge(`more than ${maxWhole}`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, total);
  }
  return Object.freeze({ path, name, stream, bytes });
}

async function beginning(place: string, path: string): Promise<{ size: number; first: Uint8Array }> {
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new MkgError(place, `not a file (${path})`, "A file", "Give the path of a file");
    const handle = await open(path);
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(8), 0, 8, 0);
      return { size: info.size, first: buffer.subarray(0, bytesRead) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw readingError(place, path, error, 0);
  }
}

const troubles: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file; check the path",
  ENOTDIR: "There is no such file; check the path",
  EACCES: "Reading is not permitted; check the file's mode",
  ELOOP: "The link leads to itself; give the file",
};

function readingError(place: string, path: string, error: unknown, total: number): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof MkgError || code === undefined) return error;
  if (!code.startsWith("Z_"))
    return new MkgError(
      place,
      `cannot read the file (${path})`,
      "",
      Object.hasOwn(troubles, code) ? troubles[code] : code,
    );
  // the first two bytes were those of gzip
  const why =
    code === "Z_BUF_ERROR"
      ? "it ends too early"
      : /incorrect header check/.test(message)
        ? "other bytes follow its end"
        : message;
  return new MkgError(
    place,
    `${path}: damaged gzip (${why}, after ${total} decompressed bytes)`,
    "A whole gzip file",
    "Copy or download it again; gzip -t tests it",
  );
}
