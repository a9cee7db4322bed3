import { brotliDecompressSync, crc32, gunzipSync } from "node:zlib";
import type { ColumnMetaData, Compressors, FileMetaData } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { MkgError } from "../../core/index.js";
import { maxRatio, ratioFrom } from "./compressed.js";

const mostPage = 512 * 2 ** 20;
/** Values are held in memory, however few bytes they take in the file: a run of a billion equal ones takes ten. */
const mostValues = (bytes: number) => 20_000_000 + 64 * bytes;

/**
 * Walks the headers of all pages before any is decoded, since a decoder takes the sizes that stand there on trust: pages within the file, as many
 * values as the footer says, checksums where the writer stored some, and sizes within bounds.
 */
export function checkPages(place: string, file: string, bytes: Uint8Array, metadata: FileMetaData): void {
  let values = 0;
  for (const group of metadata.row_groups)
    for (const { meta_data: chunk, file_path } of group.columns) {
      if (!chunk || file_path)
        throw new Error(chunk ? `a column stands in another file, ${file_path}` : "encrypted columns");
      const counted = checkChunk(place, file, bytes, chunk);
      values += counted;
      if (counted !== Number(chunk.num_values) || counted < Number(group.num_rows))
        throw new Error(
          `column ${chunk.path_in_schema.join(".")} has ${counted} values, the footer says ${chunk.num_values}`,
        );
      if (values > mostValues(bytes.length))
        throw new MkgError(
          place,
          `${file}: more values than a file of ${bytes.length} bytes may hold (${values})`,
          `At most ${mostValues(bytes.length)}`,
          "Split the file",
        );
    }
}

/** Values in the pages of a column chunk. */
function checkChunk(place: string, file: string, bytes: Uint8Array, chunk: ColumnMetaData): number {
  const start = Number(chunk.dictionary_page_offset || chunk.data_page_offset);
  const size = Number(chunk.total_compressed_size);
  const name = chunk.path_in_schema.join(".");
  if (!(start >= 4 && size >= 0 && start + size <= bytes.length))
    throw new Error(`column ${name} lies outside the file`);
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset + start, size), offset: 0 };
  let values = 0;
  while (reader.offset < size) {
    const header = parquetHeader(reader);
    const { compressed_page_size: packed, uncompressed_page_size: unpacked, crc } = header;
    if (!(packed >= 0 && unpacked >= 0 && reader.offset + packed <= size))
      throw new Error(`a page of column ${name} is cut off`);
    if (unpacked > mostPage || (unpacked > ratioFrom && unpacked > maxRatio * packed))
      throw new MkgError(
        place,
        `${file}, column ${name}: too large once decompressed (a page of ${unpacked} bytes from ${packed})`,
        `At most ${mostPage} bytes a page, and ${maxRatio} times its own size above ${ratioFrom}`,
        "Write the file again with smaller pages",
      );
    const page = bytes.subarray(start + reader.offset, start + reader.offset + packed);
    if (crc !== undefined && crc32(page) !== crc >>> 0)
      throw new Error(`a page of column ${name} does not agree with its checksum`);
    reader.offset += packed;
    const count = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0;
    const entries = header.dictionary_page_header?.num_values ?? 0;
    if (count < 0 || entries < 0 || entries > unpacked)
      throw new Error(`a page of column ${name} has ${count || entries} values`);
    values += count;
    // stop before the sum is beyond what a caller would allow
    if (values > Number(chunk.num_values)) break;
  }
  return values;
}

/** Decompression that gives no more than a page says: Node's own where it has some. */
export async function boundedCompressors(): Promise<Compressors> {
  const { compressors, decompressZstd } = await import("hyparquet-compressors");
  return {
    ...compressors,
    GZIP: (input, length) => gunzipSync(input, { maxOutputLength: Math.max(1, length) }),
    BROTLI: (input, length) => brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) }),
    ZSTD: (input, length) => decompressZstd(input, new Uint8Array(length)),
  };
}
