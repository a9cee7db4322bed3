import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type Image, isImage, MkgError, makeFolder, openFile, sha256, stableHash } from "../core/index.js";
import { contentHash } from "../media/index.js";
import type { Encoder } from "./types.js";

/** The content of an item, as 64 hexadecimal digits. */
export const contentKey = (item: string | Image): Promise<string> | string =>
  isImage(item) ? contentHash(item) : sha256(item);

// a record: mark, key, vector, checksum of key and vector
const mark = 0x6d6b6776;
const keyBytes = 32;
const block = 2 ** 22;

/**
 * Vectors of one encoder on disk: a file `<folder>/vectors/<encoder>-<hash of name, revision and length>.vec` to which records are appended, each with the
 * SHA-256 of its item and a checksum. What was written when a process was killed stays; a record that was cut or damaged is skipped and
 * made anew. Two processes may append at once. The file is read from beginning to end, once, a block at a time: memory does not grow with it.
 */
export class VectorCache {
  private constructor(
    private readonly path: string,
    private readonly dim: number,
  ) {}

  static async open(
    folder: string,
    { name, revision, dim }: Pick<Encoder, "name" | "revision" | "dim">,
  ): Promise<VectorCache> {
    const own = join(folder, "vectors");
    await makeFolder(own);
    return new VectorCache(
      join(own, `${name.replace(/[^\w.-]+/g, "_").slice(0, 60)}-${stableHash([name, revision, dim])}.vec`),
      dim,
    );
  }

  get #size(): number {
    return 4 + keyBytes + 4 * this.dim + 4;
  }

  /** Calls `each` with the vector of every key that is wanted and there. */
  async read(wanted: ReadonlySet<string>, each: (key: string, vector: Float32Array) => void): Promise<void> {
    const place = "embed, cache";
    if (wanted.size === 0) return;
    const info = await stat(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (info === undefined) return;
    const file = await openFile(place, this.path);
    const size = this.#size;
    let rest: Buffer = Buffer.alloc(0);
    let found = 0;
    for await (const chunk of file.createReadStream({ highWaterMark: block })) {
      const bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
      let at = 0;
      while (at + size <= bytes.length) {
        const end = at + size;
        if (bytes.readUInt32LE(at) === mark && bytes.readUInt32LE(end - 4) === crc32(bytes.subarray(at + 4, end - 4))) {
          found++;
          const key = bytes.toString("hex", at + 4, at + 4 + keyBytes);
          if (wanted.has(key)) {
            const vector = new Float32Array(this.dim);
            Buffer.from(vector.buffer).set(bytes.subarray(at + 4 + keyBytes, end - 4));
            each(key, vector);
          }
          at = end;
        } else {
          // cut or damaged: on to the next mark
          const next = bytes.indexOf(markBytes, at + 1);
          at = next < 0 ? Math.max(at + 1, bytes.length - markBytes.length + 1) : next;
        }
      }
      rest = bytes.subarray(at);
    }
    if (found === 0 && info.size >= size)
      throw new MkgError(
        place,
        `no vectors in the file, which is not empty (${this.path})`,
        "A file that `embed` wrote",
        "Remove it: its vectors are made anew",
      );
  }

  /** Appends vectors [keys, dim]; whole records in one write. */
  async append(keys: readonly string[], rows: Float32Array): Promise<void> {
    if (keys.length === 0) return;
    const size = this.#size;
    const bytes = Buffer.alloc(size * keys.length);
    keys.forEach((key, i) => {
      const at = i * size;
      bytes.writeUInt32LE(mark, at);
      bytes.write(key, at + 4, "hex");
      const vector = rows.slice(i * this.dim, (i + 1) * this.dim);
      bytes.set(Buffer.from(vector.buffer), at + 4 + keyBytes);
      bytes.writeUInt32LE(crc32(bytes.subarray(at + 4, at + size - 4)), at + size - 4);
    });
    const file = await open(this.path, "a");
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  }
}

const markBytes = Buffer.alloc(4);
markBytes.writeUInt32LE(mark);
