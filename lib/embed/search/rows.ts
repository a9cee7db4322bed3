import { createHash } from "node:crypto";
import { type FileHandle, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MkgError, makeFolder, openFile, readText } from "../../core/index.js";
import { dot } from "../dot.js";
import type { Vectors } from "../types.js";
import type { Block, Rows } from "./exact.js";

const ordinaryRange = 2 ** 20;

/** Lengths of rows; an error names the first that holds a number that is not finite. */
function measure(place: string, lengths: Float64Array, { start, count, data }: Block, dim: number): boolean {
  let ordinary = true;
  for (let i = 0; i < count; i++) {
    const length = Math.sqrt(dot(data, i, data, i, dim));
    if (!Number.isFinite(length)) {
      const bad = data.subarray(i * dim, (i + 1) * dim).find((value) => !Number.isFinite(value));
      throw new MkgError(
        place,
        `row ${start + i} holds a number that is not finite (${bad ?? length})`,
        "Finite numbers",
      );
    }
    lengths[start + i] = length;
    if (length !== 0 && (length < 1 / ordinaryRange || length > ordinaryRange)) ordinary = false;
  }
  return ordinary;
}

/** The rows of vectors in memory, in place. */
export function memoryRows(place: string, { n, dim, data }: Vectors): Rows {
  if (!(data instanceof Float32Array) || !Number.isSafeInteger(n) || !Number.isSafeInteger(dim) || n < 0)
    throw new MkgError(place, "not vectors", "{ n, dim, data, encoder, revision }, as embed gives them");
  if (data.length !== n * dim)
    throw new MkgError(place, `the vectors have another shape (${data.length} numbers)`, `n × dim = ${n} × ${dim}`);
  const lengths = new Float64Array(n);
  const ordinary = measure(place, lengths, { start: 0, count: n, data }, dim);
  return {
    n,
    dim,
    lengths,
    held: true,
    ordinary,
    *blocks(most) {
      for (let start = 0; start < n; start += most) {
        const count = Math.min(most, n - start);
        yield { start, count, data: data.subarray(start * dim, (start + count) * dim) };
      }
    },
  };
}

interface Header {
  readonly format: string;
  readonly n: number;
  readonly dim: number;
  readonly encoder: string;
  readonly revision: string;
  readonly sha256: string;
}

const format = "mkglab vectors 1";
const bytesAtOnce = 2 ** 24;

/** Writes vectors as a folder: `vectors.f32` (rows one after the other, 32-bit floats, little-endian) and `vectors.json`, written last, that says what they are. */
export async function saveVectors(
  place: string,
  folder: string,
  rows: Rows,
  { encoder, revision }: Pick<Vectors, "encoder" | "revision">,
): Promise<void> {
  await makeFolder(folder);
  const file = join(folder, "vectors.f32");
  const hash = createHash("sha256");
  await writeFile(
    `${file}.writing`,
    (async function* () {
      for await (const { data } of rows.blocks(Math.max(1, Math.floor(bytesAtOnce / 4 / rows.dim)))) {
        const bytes = Buffer.from(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
        hash.update(bytes);
        yield bytes;
      }
    })(),
  );
  const header: Header = { format, n: rows.n, dim: rows.dim, encoder, revision, sha256: hash.digest("hex") };
  // without a header there are no vectors: what is cut off here is not taken for whole
  await rm(join(folder, "vectors.json"), { force: true });
  await rename(`${file}.writing`, file);
  await writeFile(join(folder, "vectors.json.writing"), `${JSON.stringify(header, null, 2)}\n`);
  await rename(join(folder, "vectors.json.writing"), join(folder, "vectors.json"));
  void place;
}

/** Rows of a folder, read a block at a time: memory does not grow with them but for 8 bytes a row. The file is checked whole on opening. */
export async function fileRows(
  place: string,
  folder: string,
): Promise<{ readonly rows: Rows; readonly header: Header; load(): Promise<Vectors> }> {
  const path = join(folder, "vectors.f32");
  const text = await readText(join(folder, "vectors.json"), { place, maxBytes: 2 ** 16 });
  const header = headerOf(text);
  if (!header)
    throw new MkgError(
      place,
      `not a folder of vectors (${folder}: vectors.json)`,
      `What index.save wrote: ${format}`,
      "Make it anew",
    );
  const { n, dim } = header;
  const size = 4 * n * dim;
  const damaged = (what: string) =>
    new MkgError(
      place,
      `the vectors are damaged (${path}: ${what})`,
      `${size} bytes, as vectors.json says`,
      "Make them anew",
    );
  const file = await openFile(place, path);
  const lengths = new Float64Array(n);
  let ordinary = true;
  try {
    const found = (await file.stat()).size;
    if (found !== size) throw damaged(`${found} bytes`);
    const hash = createHash("sha256");
    for await (const block of blocksOf(file, n, dim, Math.max(1, Math.floor(bytesAtOnce / 4 / dim)))) {
      hash.update(new Uint8Array(block.data.buffer, block.data.byteOffset, block.data.byteLength));
      ordinary = measure(place, lengths, block, dim) && ordinary;
    }
    if (hash.digest("hex") !== header.sha256) throw damaged("another SHA-256");
  } finally {
    await file.close();
  }
  const blocks = async function* (most: number) {
    const own = await openFile(place, path);
    try {
      yield* blocksOf(own, n, dim, most);
    } finally {
      await own.close();
    }
  };
  return {
    header,
    rows: { n, dim, lengths, held: false, ordinary, blocks },
    async load() {
      const data = new Float32Array(n * dim);
      for await (const block of blocks(Math.max(1, Math.floor(bytesAtOnce / 4 / dim))))
        data.set(block.data, block.start * dim);
      return { n, dim, data, encoder: header.encoder, revision: header.revision };
    },
  };
}

async function* blocksOf(file: FileHandle, n: number, dim: number, most: number): AsyncGenerator<Block> {
  const data = new Float32Array(Math.min(n, most) * dim);
  const bytes = new Uint8Array(data.buffer);
  for (let start = 0; start < n; start += most) {
    const count = Math.min(most, n - start);
    const wanted = 4 * count * dim;
    for (let at = 0; at < wanted; ) {
      const { bytesRead } = await file.read(bytes, at, wanted - at, 4 * start * dim + at);
      if (bytesRead === 0)
        throw new MkgError("index.search", "the file of vectors has become shorter", "", "Make it anew");
      at += bytesRead;
    }
    yield { start, count, data: data.subarray(0, count * dim) };
  }
}

function headerOf(text: string): Header | undefined {
  try {
    const header = JSON.parse(text) as Header;
    const whole = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least;
    return header.format === format &&
      whole(header.n, 0) &&
      whole(header.dim, 1) &&
      [header.encoder, header.revision, header.sha256].every((value) => typeof value === "string")
      ? header
      : undefined;
  } catch {
    return undefined;
  }
}
