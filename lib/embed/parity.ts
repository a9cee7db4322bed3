import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MkgError } from "../core/index.js";
import type { Encoder } from "./types.js";

/** Vectors that an independent program made for some texts. */
export interface Reference {
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
}

// assets stand beside lib and dist alike
const folder = fileURLToPath(new URL("../../assets/encoders/", import.meta.url));

/**
 * Compares an encoder with reference vectors: another model under the same name, other weights, or a wrong pooling shows before anything rests on it.
 * Returns the smallest cosine. Error: one below `least` (default 0.999), with the text.
 *
 * @example
 * await checkParity(await encoder("hash", { dim: 8 }), { texts: ["fox"], vectors: [[1, 0, 0, 0, 0, 0, 0, 0]] })
 * // MkgError: encoder hash: the vector of "fox" is not that of the reference (cosine 0.1…)
 */
export async function checkParity(
  encoder: Encoder<string>,
  { texts, vectors }: Reference,
  least = 0.999,
): Promise<number> {
  if (!Array.isArray(texts) || !Array.isArray(vectors) || texts.length !== vectors.length || texts.length === 0)
    throw new MkgError("checkParity", "the reference is none", "{ texts, vectors }, a vector for each text");
  const rows = await encoder.encode(texts);
  let smallest = 1;
  vectors.forEach((vector, i) => {
    const row = rows.subarray(i * encoder.dim, (i + 1) * encoder.dim);
    let product = 0;
    for (let j = 0; j < encoder.dim; j++) product += (row[j] as number) * (vector[j] ?? Number.NaN);
    const cosine = vector.length === encoder.dim ? product / (Math.hypot(...row) * Math.hypot(...vector)) : Number.NaN;
    if (!(cosine >= least))
      throw new MkgError(
        `encoder ${encoder.name}`,
        `the vector of ${JSON.stringify(texts[i])} is not that of the reference (cosine ${Number.isFinite(cosine) ? cosine.toFixed(4) : "not computed"}, ${vector.length} numbers)`,
        `A cosine of at least ${least}; the encoder gives ${encoder.dim} numbers`,
        "Look at the model's files, its pooling and dtype",
      );
    smallest = Math.min(smallest, cosine);
  });
  return smallest;
}

/** Quantised weights are near the reference, not at it. */
const leastOf: Readonly<Record<string, number>> = { fp32: 0.9999, fp16: 0.999, q8: 0.97 };

/** {@link checkParity} with the reference that the package carries for an encoder of this name with its own model and pooling; nothing where it has none. */
export async function checkReference(
  place: string,
  name: string,
  options: Readonly<Record<string, unknown>>,
  made: Encoder,
): Promise<void> {
  const file = `${folder}${name.replace(/[^\w-]/g, "_")}.json`;
  if (!existsSync(file)) return;
  const reference = JSON.parse(await readFile(file, "utf8")) as Reference & {
    options: Readonly<Record<string, unknown>>;
  };
  if (Object.entries(reference.options).some(([key, value]) => options[key] !== value)) return;
  try {
    await checkParity(made as Encoder<string>, reference, leastOf[String(options.dtype)] ?? 0.9999);
  } catch (error) {
    if (error instanceof MkgError) throw new MkgError(place, error.problem, error.allowed, error.remedy);
    throw error;
  }
}
