import { type Image, MkgError, type OnProgress, Progress, positiveInteger, refuseUnknown } from "../core/index.js";
import type { Encoder, Vectors } from "./types.js";

/**
 * Encodes items in batches. Returns vectors [n, dim] in the order of the items, with the encoder's name and revision.
 * Rows have length 1; an item without features keeps a zero row. The result does not depend on `batch` when the
 * encoder's rows don't. Time is the encoder's; memory 4 · n · dim bytes.
 *
 * Options: `batch` = 256 items a call, so that an abort is honoured and progress is seen between calls; `signal`;
 * `onProgress`. Errors: an unknown option; an encoder that returns another shape, or a number that is not finite (names the item).
 *
 * @example
 * const v = await embed(["red fox", "blue whale"], await encoder("hash"));
 * [v.n, v.dim, v.encoder]; // [2, 512, "hash"]
 */
export async function embed<T extends string | Image>(
  items: readonly T[],
  encoder: Encoder<T>,
  options: { batch?: number; signal?: AbortSignal; onProgress?: OnProgress } = {},
): Promise<Vectors> {
  refuseUnknown("embed", options, ["batch", "signal", "onProgress"], "option");
  const batch = positiveInteger("embed", "batch", options.batch ?? 256);
  const { name, revision, dim } = encoder;
  const data = new Float32Array(items.length * dim);
  const progress = new Progress("embed", items.length, options.onProgress);
  for (let start = 0; start < items.length; start += batch) {
    // a timer or an interrupt gets its turn here even when the encoder never waits
    await new Promise(setImmediate);
    options.signal?.throwIfAborted();
    const part = items.slice(start, start + batch);
    const rows = await encoder.encode(part);
    if (rows.length !== part.length * dim)
      throw new MkgError(
        "embed",
        `encoder ${name} returned another shape (${rows.length} numbers)`,
        `${part.length} items × ${dim}`,
      );
    for (let i = 0; i < part.length; i++) unit(rows, i, dim, data, start + i, name);
    progress.tick(part.length);
  }
  return Object.freeze({ n: items.length, dim, data, encoder: name, revision });
}

/** Copies one row; scales it to length 1 only where it is off, so that rows that are right keep their bytes. */
function unit(rows: Float32Array, i: number, dim: number, out: Float32Array, at: number, name: string): void {
  let square = 0;
  for (let j = i * dim; j < (i + 1) * dim; j++) square += (rows[j] as number) ** 2;
  if (!Number.isFinite(square))
    throw new MkgError(
      "embed",
      `encoder ${name} gave item ${at} a number that is not finite`,
      "Finite numbers",
      "Look at that item",
    );
  const scale = square === 0 || Math.abs(square - 1) < 1e-5 ? 1 : 1 / Math.sqrt(square);
  for (let j = 0; j < dim; j++) out[at * dim + j] = (rows[i * dim + j] as number) * scale;
}
