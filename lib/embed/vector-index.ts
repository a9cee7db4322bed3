import { MkgError, refuseUnknown, unknownName } from "../core/index.js";
import { dot } from "./dot.js";
import { type Neighbour, TopK } from "./topk.js";
import type { Vectors } from "./types.js";

/** Finds the rows nearest to a query. */
export interface VectorIndex {
  readonly kind: string;
  readonly n: number;
  readonly dim: number;
  readonly encoder: string;
  readonly revision: string;
  /**
   * The `k` rows with the highest cosine to `query` [dim], ties by row ascending; all rows when k > n, [] when empty.
   * The cosine with a zero vector is taken as 0. Errors: k not a positive integer, another dimension, a number that is not finite.
   */
  search(query: Float32Array, k: number): Promise<Neighbour[]>;
  /** {@link search} for every row of `queries`, which must come from the same encoder and revision. */
  searchAll(queries: Vectors, k: number): Promise<Neighbour[][]>;
}

const ROWS_PER_BLOCK = 1024;

const kinds = { exact: exactIndex };

/**
 * An index over vectors. Kind `"exact"` (default) compares with every row: O(n · dim) a query, and O(k) memory a query
 * beyond the vectors, which are used in place and must not be changed. Errors: unknown option or kind; vectors of another shape
 * than they say; a number that is not finite (names the row).
 *
 * @example
 * const e = await encoder("hash");
 * const index = await openIndex(await embed(["red fox", "blue whale"], e));
 * (await index.search(await e.encode(["foxes"]), 1))[0].row; // 0
 */
export async function openIndex(vectors: Vectors, options: { kind?: keyof typeof kinds } = {}): Promise<VectorIndex> {
  refuseUnknown("openIndex", options, ["kind"], "option");
  const kind = options.kind ?? "exact";
  if (!Object.hasOwn(kinds, kind)) throw unknownName("openIndex", "kind of index", kind, Object.keys(kinds).sort());
  return kinds[kind](vectors);
}

function exactIndex({ n, dim, data, encoder, revision }: Vectors): VectorIndex {
  if (data.length !== n * dim)
    throw new MkgError(
      "openIndex",
      `the vectors have another shape (${data.length} numbers)`,
      `n × dim = ${n} × ${dim}`,
    );
  const bad = firstNotFinite(data);
  if (bad >= 0)
    throw new MkgError(
      "openIndex",
      `row ${Math.floor(bad / dim)} holds a number that is not finite (${data[bad]})`,
      "Finite numbers",
    );
  const norms = new Float64Array(n);
  for (let row = 0; row < n; row++) norms[row] = Math.sqrt(dot(data, row, data, row, dim));

  const searchRows = (queries: Float32Array, count: number, k: number): Neighbour[][] => {
    const heaps = Array.from({ length: count }, () => new TopK(k, n));
    const lengths = heaps.map((_, q) => Math.sqrt(dot(queries, q, queries, q, dim)));
    // block by block, so that a block is in the processor's cache while all queries pass over it
    for (let start = 0; start < n; start += ROWS_PER_BLOCK) {
      const end = Math.min(n, start + ROWS_PER_BLOCK);
      for (let q = 0; q < count; q++) {
        const heap = heaps[q] as TopK;
        for (let row = start; row < end; row++) {
          const product = (norms[row] as number) * (lengths[q] as number);
          heap.push(row, product === 0 ? 0 : dot(data, row, queries, q, dim) / product);
        }
      }
    }
    return heaps.map((heap) => heap.ranked());
  };

  const checked = (query: Float32Array) => {
    const at = firstNotFinite(query);
    if (at >= 0)
      throw new MkgError(
        "index.search",
        `the query holds a number that is not finite (${query[at]} at ${at})`,
        "Finite numbers",
      );
  };
  return Object.freeze({
    kind: "exact",
    n,
    dim,
    encoder,
    revision,
    async search(query: Float32Array, k: number) {
      if (query.length !== dim)
        throw new MkgError(
          "index.search",
          `the query has another dimension (${query.length})`,
          `The index has ${dim}`,
          "Use the encoder that made the index",
        );
      checked(query);
      return searchRows(query, 1, k)[0] as Neighbour[];
    },
    async searchAll(queries: Vectors, k: number) {
      if (queries.encoder !== encoder || queries.revision !== revision)
        throw new MkgError(
          "index.searchAll",
          `the queries come from another encoder (${queries.encoder} ${queries.revision})`,
          `The index holds ${encoder} ${revision}`,
          "Encode the queries with the encoder that made the index",
        );
      checked(queries.data);
      return searchRows(queries.data, queries.n, k);
    },
  });
}

const firstNotFinite = (data: Float32Array): number => data.findIndex((value) => !Number.isFinite(value));
