import { MkgError, quote, refuseUnknown, unknownName } from "../core/index.js";
import { type Engine, fastest } from "./search/engine.js";
import { exactSearch, type Rows, type SearchOptions } from "./search/exact.js";
import { fileRows, memoryRows, saveVectors } from "./search/rows.js";
import { usearchIndex } from "./search/usearch.js";
import type { Neighbour } from "./topk.js";
import type { Vectors } from "./types.js";

/** Finds the rows nearest to a query. */
export interface VectorIndex {
  readonly kind: string;
  readonly n: number;
  readonly dim: number;
  readonly encoder: string;
  readonly revision: string;
  /** Rows of zeros, which are near to nothing: their cosine is taken as 0. */
  readonly zeroRows: number;
  /** What multiplies: `libtensorflow`, `onnxruntime`, `usearch` or `JavaScript`. Results do not depend on it for kind `exact`. */
  readonly engine: string;
  /**
   * The `k` rows with the highest cosine to `query` [dim], ties by row ascending; all rows when k > n, [] when empty.
   * The cosine with a zero vector is taken as 0. `filter`: only rows that it lets through, a function or a byte for each row. `signal`: an abort ends the
   * search between blocks. Errors: k not a positive integer (0 is none), another dimension, a number that is not finite.
   */
  search(query: Float32Array, k: number, options?: SearchOptions): Promise<Neighbour[]>;
  /** {@link search} for every row of `queries`, which must come from the same encoder and revision. Equal to one at a time, to the bit, for kind `exact`. */
  searchAll(queries: Vectors, k: number, options?: SearchOptions): Promise<Neighbour[][]>;
  /** Writes the vectors to a folder that {@link openIndex} opens; a graph of kind `usearch` is built anew there. */
  save(folder: string): Promise<void>;
  /** An index over these rows and then those; this one stays as it is. Error: vectors of another encoder, revision or dimension. */
  add(vectors: Vectors): Promise<VectorIndex>;
}

const kinds = ["exact", "usearch"] as const;

interface IndexOptions {
  readonly kind?: (typeof kinds)[number];
  /** Of a folder: read blocks from the disk at each search instead of holding all rows in memory. Default: above 2 GiB. */
  readonly stream?: boolean;
}

const streamAbove = 2 ** 31;

/**
 * An index over vectors, or over a folder that `index.save` wrote.
 *
 * | kind | finds | time a query | memory beyond the vectors |
 * |---|---|---|---|
 * | `exact` (default) | the k nearest | O(n · dim), on the fastest engine present | a block of 16 MB, its products, k a query |
 * | `usearch` | most of the k nearest (approximate; recall is yours to measure) | O(log n) | 4 · n · dim and the graph; optional package |
 *
 * Exact search multiplies in single precision on libtensorflow (where `useBackend` loaded it), else onnxruntime (which a default install has), else in JavaScript,
 * and multiplies what could be among the nearest again in one order: results are the same to the bit on all of them, at any block size, one query at a time or
 * all at once. Vectors are used in place and must not be changed. A folder of more than 2 GiB, or one opened with `stream`, is read from the disk at each
 * search, so that memory does not grow with it (8 bytes a row).
 *
 * Errors: unknown option or kind; vectors of another shape than they say; a number that is not finite (names the row); a folder that is missing, cut or
 * changed; kind `usearch` without the package.
 *
 * @example
 * const e = await encoder("hash");
 * const index = await openIndex(await embed(["red fox", "blue whale"], e));
 * (await index.search(await e.encode(["foxes"]), 1))[0].row; // 0
 */
export async function openIndex(source: Vectors | string, options: IndexOptions = {}): Promise<VectorIndex> {
  const place = "openIndex";
  refuseUnknown(place, options, ["kind", "stream"], "option");
  const { kind = "exact" } = options;
  if (!kinds.includes(kind)) throw unknownName(place, "kind of index", kind, kinds);
  if (typeof source !== "string") {
    if (typeof source !== "object" || source === null)
      throw new MkgError(
        place,
        `neither vectors nor a folder (${quote(source)})`,
        "What embed gives, or the folder of index.save",
      );
    return indexOver(memoryRows(place, source), source, kind, source);
  }
  const { rows, header, load } = await fileRows(place, source);
  const stream = options.stream ?? (kind === "exact" && 4 * rows.n * rows.dim > streamAbove);
  if (stream && kind !== "exact")
    throw new MkgError(place, `kind ${quote(kind)} cannot be read from the disk (stream)`, 'kind "exact"');
  if (stream) return indexOver(rows, header, kind, undefined);
  const vectors = await load();
  return indexOver(memoryRows(place, vectors), vectors, kind, vectors);
}

async function indexOver(
  rows: Rows,
  { encoder, revision }: Pick<Vectors, "encoder" | "revision">,
  kind: (typeof kinds)[number],
  vectors: Vectors | undefined,
): Promise<VectorIndex> {
  const { n, dim } = rows;
  const graph = kind === "usearch" ? usearchIndex(vectors as Vectors, rows.lengths) : undefined;
  const engine: Engine | undefined = kind === "exact" ? (await fastest()).engine : undefined;
  const searchRows = async (
    queries: Float32Array,
    count: number,
    k: number,
    options: SearchOptions,
  ): Promise<Neighbour[][]> => {
    refuseUnknown("index.search", options, ["filter", "signal"], "option");
    const { filter } = options;
    if (filter instanceof Uint8Array && filter.length !== n)
      throw new MkgError(
        "index.search",
        `the filter has another length (${filter.length})`,
        `A byte for each of ${n} rows`,
      );
    if (graph)
      return Array.from({ length: count }, (_, q) => graph(queries.subarray(q * dim, (q + 1) * dim), k, options));
    return exactSearch(rows, queries, count, k, engine, options);
  };
  const checked = (query: Float32Array): void => {
    const at = query.findIndex((value) => !Number.isFinite(value));
    if (at >= 0)
      throw new MkgError(
        "index.search",
        `the query holds a number that is not finite (${query[at]} at ${at})`,
        "Finite numbers",
      );
  };
  const refuseOther = (place: string, other: Vectors): void => {
    if (other.encoder !== encoder || other.revision !== revision || other.dim !== dim)
      throw new MkgError(
        place,
        `the ${place === "index.add" ? "vectors" : "queries"} come from another encoder (${other.encoder} ${other.revision}, ${other.dim} numbers)`,
        `The index holds ${encoder} ${revision}, ${dim} numbers`,
        `Encode the ${place === "index.add" ? "items" : "queries"} with the encoder that made the index`,
      );
  };
  let zeroRows = 0;
  for (const length of rows.lengths) if (length === 0) zeroRows++;
  return Object.freeze({
    kind,
    n,
    dim,
    encoder,
    revision,
    zeroRows,
    engine: graph ? "usearch" : (engine?.name ?? "JavaScript"),
    async search(query: Float32Array, k: number, options: SearchOptions = {}) {
      if (query.length !== dim)
        throw new MkgError(
          "index.search",
          `the query has another dimension (${query.length})`,
          `The index has ${dim}`,
          "Use the encoder that made the index",
        );
      checked(query);
      return (await searchRows(query, 1, k, options))[0] as Neighbour[];
    },
    async searchAll(queries: Vectors, k: number, options: SearchOptions = {}) {
      refuseOther("index.searchAll", queries);
      if (queries.data.length !== queries.n * dim)
        throw new MkgError(
          "index.searchAll",
          `the queries have another shape (${queries.data.length} numbers)`,
          `n × dim = ${queries.n} × ${dim}`,
        );
      checked(queries.data);
      return searchRows(queries.data, queries.n, k, options);
    },
    save: (folder: string) => saveVectors("index.save", folder, rows, { encoder, revision }),
    async add(more: Vectors) {
      refuseOther("index.add", more);
      if (!vectors)
        throw new MkgError(
          "index.add",
          "the index is read from the disk",
          "An index in memory",
          "Open the folder with { stream: false }",
        );
      const data = new Float32Array(vectors.data.length + more.data.length);
      data.set(vectors.data);
      data.set(more.data, vectors.data.length);
      return openIndex({ n: n + more.n, dim, data, encoder, revision }, { kind });
    },
  });
}
