import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { type Entry, fromBufferPromise } from "yauzl";
import { errorText, MkgError, quote } from "../../core/index.js";
import { maxRatio, ratioFrom } from "./compressed.js";

const inflatedBytes = 256 * 2 ** 20;

/**
 * The files of a zip archive, each inflated, bounded and checked against its checksum. Sizes that the archive declares are refused before anything
 * is inflated (256 MiB in all; 300 times the archive's size above 64 MiB), and inflating stops at the declared size, so that no
 * archive costs more than it says. SheetJS by itself gives neither the checksums nor such a bound.
 */
export async function unzip(place: string, file: string, bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const damaged = (what: string) =>
    new MkgError(place, `${file}: the file is damaged (${what})`, "A whole .xlsx file", "Copy or save it again");
  const files = new Map<string, Uint8Array>();
  try {
    const archive = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const entries: Entry[] = [];
    let total = 0;
    for await (const entry of archive.eachEntry()) {
      const name = entry.fileName;
      if (entry.isEncrypted())
        throw new MkgError(
          place,
          `${file}: encrypted (${quote(name)})`,
          "Files without a password",
          "Save a copy without a password",
        );
      if (!entry.canDecodeFileData())
        throw damaged(`${quote(name)} has an unknown compression ${entry.compressionMethod}`);
      if (files.has(name)) throw damaged(`${quote(name)} stands in it twice`);
      files.set(name, bytes.subarray(0, 0));
      entries.push(entry);
      total += entry.uncompressedSize;
      if (total > inflatedBytes || (total > ratioFrom && total > maxRatio * bytes.length))
        throw new MkgError(
          place,
          `${file}: too large once unpacked (at least ${total} bytes from ${bytes.length})`,
          `At most ${inflatedBytes} bytes, and ${maxRatio} times the file's own size above ${ratioFrom}`,
          "Save the tables as csv or parquet",
        );
    }
    for (const entry of entries) {
      const whole = await archive
        .openReadStreamPromise(entry)
        .then(buffer)
        .catch(() => undefined); // data that do not inflate to the declared size
      if (!whole || crc32(whole) !== entry.crc32)
        throw damaged(`${quote(entry.fileName)} does not agree with its checksum`);
      files.set(entry.fileName, whole);
    }
  } catch (error) {
    throw error instanceof MkgError ? error : damaged(errorText(error));
  }
  return files;
}
