import {
  type Image,
  MkgError,
  type OnProgress,
  Progress,
  positiveInteger,
  quote,
  refuseUnknown,
} from "../core/index.js";
import { contentKey, VectorCache } from "./cache.js";
import { isEncoder } from "./is-encoder.js";
import type { Encoder, Vectors } from "./types.js";

/**
 * Encodes items in batches. Returns vectors [n, dim] in the order of the items, with the encoder's name and revision.
 * Rows have length 1; an item without features keeps a zero row, and `zeroRows` counts those. Equal items are encoded once. The result does not depend on
 * `batch` or `cache` when the encoder's rows don't. Time is the encoder's; memory 4 · n · dim bytes.
 *
 * Options: `batch` = 256 items a call, so that an abort is honoured and progress is seen between calls; `cache`, a folder where vectors are
 * kept by encoder, revision and content of the item, and looked for before anything is encoded (an encoder that is quicker than a disk, `hash`, is not
 * cached); `signal`; `onProgress`. A job that is stopped goes on where it was. Errors: an unknown option; an encoder that returns another shape, or a
 * number that is not finite (names the item).
 *
 * @example
 * const v = await embed(["red fox", "blue whale"], await encoder("hash"));
 * [v.n, v.dim, v.encoder, v.zeroRows]; // [2, 512, "hash", 0]
 */
export async function embed<T extends string | Image>(
  items: readonly T[],
  encoder: Encoder<T>,
  options: { batch?: number; cache?: string; signal?: AbortSignal; onProgress?: OnProgress } = {},
): Promise<Vectors> {
  refuseUnknown("embed", options, ["batch", "cache", "signal", "onProgress"], "option");
  if (!Array.isArray(items)) throw new MkgError("embed", `not a list of items (${quote(items)})`, "Texts or pictures");
  if (!isEncoder(encoder))
    throw new MkgError("embed", `not an encoder (${quote(encoder)})`, "What encoder(name) resolves to", "Await it");
  const batch = positiveInteger("embed", "batch", options.batch ?? 256);
  const { name, revision, dim } = encoder;
  const data = new Float32Array(items.length * dim);
  const progress = new Progress("embed", items.length, options.onProgress);
  const cache =
    options.cache === undefined || encoder.quick ? undefined : await VectorCache.open(options.cache, encoder);
  // rows by key, so that equal items are encoded once; without a cache texts are their own keys, and pictures are told apart by object
  const rowsOf = new Map<string | T, number[]>();
  for (const [row, item] of items.entries()) {
    if (row % batch === 0) options.signal?.throwIfAborted();
    const key = cache ? await contentKey(item) : item;
    const rows = rowsOf.get(key);
    if (rows) rows.push(row);
    else rowsOf.set(key, [row]);
  }
  await cache?.read(new Set(rowsOf.keys()) as ReadonlySet<string>, (key, vector) => {
    const rows = rowsOf.get(key);
    if (!rows) return; // a second record of the same item
    for (const row of rows) data.set(vector, row * dim);
    progress.tick(rows.length);
    rowsOf.delete(key);
  });
  const open = [...rowsOf];
  for (let start = 0; start < open.length; start += batch) {
    // a timer or an interrupt gets its turn here even when the encoder never waits
    await new Promise(setImmediate);
    options.signal?.throwIfAborted();
    const part = open.slice(start, start + batch);
    const given = part.map(([, rows]) => items[rows[0] as number] as T);
    const encoded = await encoder.encode(given);
    if (encoded.length !== part.length * dim)
      throw new MkgError(
        "embed",
        `encoder ${name} returned another shape (${encoded.length} numbers)`,
        `${part.length} items × ${dim}`,
      );
    const made = new Float32Array(encoded.length);
    part.forEach(([, rows], i) => {
      unit(encoded, i, dim, made, rows[0] as number, name);
      for (const row of rows) data.set(made.subarray(i * dim, (i + 1) * dim), row * dim);
    });
    await cache?.append(
      part.map(([key]) => key as string),
      made,
    );
    progress.tick(part.reduce((sum, [, rows]) => sum + rows.length, 0));
  }
  let zeroRows = 0;
  for (let row = 0; row < items.length; row++) {
    let at = row * dim;
    while (at < (row + 1) * dim && data[at] === 0) at++;
    if (at === (row + 1) * dim) zeroRows++;
  }
  return Object.freeze({ n: items.length, dim, data, encoder: name, revision, zeroRows });
}

/** Copies one row; scales it to length 1 only where it is off, so that rows that are right keep their bytes. `item` stands in errors. */
function unit(rows: Float32Array, i: number, dim: number, out: Float32Array, item: number, name: string): void {
  let square = 0;
  for (let j = i * dim; j < (i + 1) * dim; j++) square += (rows[j] as number) ** 2;
  if (!Number.isFinite(square))
    throw new MkgError(
      "embed",
      `encoder ${name} gave item ${item} a number that is not finite`,
      "Finite numbers",
      "Look at that item",
    );
  const scale = square === 0 || Math.abs(square - 1) < 1e-5 ? 1 : 1 / Math.sqrt(square);
  for (let j = 0; j < dim; j++) out[i * dim + j] = (rows[i * dim + j] as number) * scale;
}
