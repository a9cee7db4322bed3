import { createRequire } from "node:module";
import { errorText, SetupError } from "../../core/index.js";
import { dot } from "../dot.js";
import { type Neighbour, TopK } from "../topk.js";
import type { Vectors } from "../types.js";
import type { SearchOptions } from "./exact.js";

interface Usearch {
  readonly Index: new (
    config: object,
  ) => {
    add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
    search(vectors: Float32Array, k: number, threads: number): { readonly keys: BigUint64Array };
  };
}

/** How many more rows than k are taken from the graph before they are ranked exactly, and how hard it is searched. */
const oversampling = 2;
const expansion = 128;

/**
 * An approximate index: a hierarchical navigable small-world graph (Malkov & Yashunin 2020, doi 10.1109/TPAMI.2018.2889473) by usearch, an optional package.
 * What it finds is ranked by the exact cosine; what it misses is missing. Built in one thread, so that equal vectors give an equal graph. A filter is
 * applied to what is found: with a narrow one, less than k may be left.
 */
export function usearchIndex(
  { n, dim, data }: Vectors,
  lengths: Float64Array,
): (query: Float32Array, k: number, options: SearchOptions) => Neighbour[] {
  let usearch: Usearch;
  try {
    // its ES module recurses without end
    usearch = createRequire(import.meta.url)("usearch") as Usearch;
  } catch (error) {
    throw new SetupError(
      "openIndex",
      `kind "usearch" needs a package that does not load (usearch: ${errorText(error).split("\n")[0]})`,
      "",
      "npm install usearch@2.25.3",
    );
  }
  const index = new usearch.Index({
    dimensions: dim,
    metric: "ip",
    quantization: "f32",
    connectivity: 16,
    expansion_add: expansion,
    expansion_search: expansion,
    multi: false,
  });
  if (n > 0)
    index.add(
      BigUint64Array.from({ length: n }, (_, row) => BigInt(row)),
      data,
      1,
    );
  return (query, k, { filter }) => {
    if (n === 0) return [];
    const best = new TopK(k, n);
    const length = Math.sqrt(dot(query, 0, query, 0, dim));
    const { keys } = index.search(query, Math.min(n, oversampling * k + expansion), 1);
    for (const key of keys) {
      const row = Number(key);
      if (filter && !(typeof filter === "function" ? filter(row) : filter[row] !== 0)) continue;
      const product = length * (lengths[row] as number);
      best.push(row, product === 0 ? 0 : dot(data, row, query, 0, dim) / product);
    }
    return best.ranked();
  };
}
