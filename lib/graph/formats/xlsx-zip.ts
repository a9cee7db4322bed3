import { crc32, inflateRawSync } from "node:zlib";
import { MkgError, quote } from "../../core/index.js";

const inflatedBytes = 256 * 2 ** 20;
/** Above this much, an archive must not be smaller than its contents by more than {@link mostRatio}. */
const ratioFrom = 64 * 2 ** 20;
const mostRatio = 300;

/**
 * The files of a zip archive, each inflated, bounded and checked against its checksum. Sizes that the archive declares are refused before anything
 * is inflated (256 MiB in all; 300 times the archive's size above 64 MiB), and inflating stops at the declared size, so that no
 * archive costs more than it says. The directory is walked here because fflate and SheetJS give neither the checksums nor such a bound.
 * Format: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.16, 4.5.3.
 */
export function unzip(place: string, file: string, bytes: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damaged = (what: string) =>
    new MkgError(place, `${file}: the file is damaged (${what})`, "A whole .xlsx file", "Copy or save it again");
  const files = new Map<string, Uint8Array>();
  try {
    const entries = directory(view);
    if (!entries) throw damaged("no end of a zip archive: cut off?");
    let total = 0;
    for (const entry of entries) {
      if (entry.flags & 1)
        throw new MkgError(
          place,
          `${file}: encrypted (${quote(entry.name)})`,
          "Files without a password",
          "Save a copy without a password",
        );
      if (entry.method !== 0 && entry.method !== 8)
        throw damaged(`${quote(entry.name)} has an unknown compression ${entry.method}`);
      if (files.has(entry.name)) throw damaged(`${quote(entry.name)} stands in it twice`);
      files.set(entry.name, bytes.subarray(0, 0));
      total += entry.size;
      if (total > inflatedBytes || (total > ratioFrom && total > mostRatio * bytes.length))
        throw new MkgError(
          place,
          `${file}: too large once unpacked (at least ${total} bytes from ${bytes.length})`,
          `At most ${inflatedBytes} bytes, and ${mostRatio} times the file's own size above ${ratioFrom}`,
          "Save the tables as csv or parquet",
        );
    }
    for (const entry of entries) {
      const from =
        entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
      const packed = bytes.subarray(from, from + entry.packedSize);
      const whole = entry.method === 0 ? packed : inflated(packed, entry.size);
      if (whole?.length !== entry.size || crc32(whole) !== entry.crc)
        throw damaged(`${quote(entry.name)} does not agree with its checksum`);
      files.set(entry.name, whole);
    }
  } catch (error) {
    // the view throws where a record points outside the file
    if (error instanceof RangeError) throw damaged("a record points outside the file: cut off?");
    throw error;
  }
  return files;
}

function inflated(packed: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch {
    return undefined;
  }
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
}

function directory(view: DataView): Entry[] | undefined {
  let end = view.byteLength - 22;
  // the record at the end is followed by a comment of at most 65,535 bytes
  for (const last = Math.max(0, end - 65_535); end >= last && view.getUint32(end, true) !== 0x06054b50; ) end--;
  if (end < 0 || view.getUint32(end, true) !== 0x06054b50) return undefined;
  let count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (at === 0xffffffff || count === 0xffff) {
    const end64 = Number(view.getBigUint64(end - 20 + 8, true));
    count = Number(view.getBigUint64(end64 + 32, true));
    at = Number(view.getBigUint64(end64 + 48, true));
  }
  const entries: Entry[] = [];
  for (let i = 0; i < count; i++) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new RangeError();
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength));
    // sizes and offset that need more than 32 bits stand in the extra field, in this order
    const wide = zip64(view, at + 46 + nameLength, extraLength);
    const number = (offset: number) => {
      const value = view.getUint32(at + offset, true);
      return value === 0xffffffff && wide.length > 0 ? wide.shift()! : value;
    };
    const size = number(24);
    const packedSize = number(20);
    entries.push({
      name,
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      size,
      packedSize,
      offset: number(42),
    });
    at += 46 + nameLength + extraLength + view.getUint16(at + 32, true);
  }
  return entries;
}

function zip64(view: DataView, from: number, length: number): number[] {
  for (let at = from; at + 4 <= from + length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const count = Math.floor(view.getUint16(at + 2, true) / 8);
    return Array.from({ length: Math.min(3, count) }, (_, i) => Number(view.getBigUint64(at + 4 + 8 * i, true)));
  }
  return [];
}
