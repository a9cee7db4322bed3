import { dot } from "../dot.js";
import { type Neighbour, TopK } from "../topk.js";
import type { Engine } from "./engine.js";

/** Vectors a block at a time, each row by row. */
export interface Rows {
  readonly n: number;
  readonly dim: number;
  /** Lengths of the rows. */
  readonly lengths: Float64Array;
  /** Whether a block stays valid after the next is taken. */
  readonly held: boolean;
  /** Whether all lengths but zero lie where single precision neither overflows nor underflows. */
  readonly ordinary: boolean;
  blocks(rowsPerBlock: number): Iterable<Block> | AsyncIterable<Block>;
}
export interface Block {
  readonly start: number;
  readonly count: number;
  /** [count, dim]; valid until the next block. */
  readonly data: Float32Array;
}

export interface SearchOptions {
  /** Rows that may be found: a function of the row, or a byte for each row, 0 where it may not. */
  readonly filter?: ((row: number) => boolean) | Uint8Array;
  readonly signal?: AbortSignal;
}

/** Products below which an engine's overhead is more than it saves. */
const worthAnEngine = 4e6;
// bytes of a block in memory, and of its products with all queries
const blockBytes = 2 ** 24;
const productBytes = 2 ** 24;
const unitRoundoff = 2 ** -24;

/**
 * The k nearest rows of each query by cosine, ties by row: the same bits whatever the engine, the block and the number of queries, since an engine only rules
 * rows out. An inner product of length d in single precision, added up in any order, is off by at most γ |x| |y| with γ = d u / (1 − d u), u = 2^−24
 * (Higham 2002, Accuracy and Stability of Numerical Algorithms, section 3.1). So the k-th largest product is at most γ above the k-th largest cosine, and a row
 * whose product is more than 2 γ below it is none of the k; every other one is multiplied again by `dot`, in doubles and in one order.
 * Memory: a block, its products with the queries, k a query.
 */
export async function exactSearch(
  rows: Rows,
  queries: Float32Array,
  count: number,
  k: number,
  engine: Engine | undefined,
  { filter, signal }: SearchOptions = {},
): Promise<Neighbour[][]> {
  const { n, dim, lengths } = rows;
  const heaps = Array.from({ length: count }, () => new TopK(k, n));
  if (n === 0 || count === 0) return heaps.map((heap) => heap.ranked());
  const queryLengths = heaps.map((_, q) => Math.sqrt(dot(queries, q, queries, q, dim)));
  const may = typeof filter === "function" ? filter : filter ? (row: number) => filter[row] !== 0 : undefined;
  const exact = (q: number, row: number, data: Float32Array, at: number): number => {
    const product = (lengths[row] as number) * (queryLengths[q] as number);
    const cosine = product === 0 ? 0 : dot(data, at, queries, q, dim) / product;
    (heaps[q] as TopK).push(row, cosine);
    return cosine;
  };
  // an engine that is further off than the bound could have ruled out anything: what it said is not used
  let isOff = false;
  const gamma = (dim * unitRoundoff) / (1 - dim * unitRoundoff);
  // queries are scaled to 1 and rounded before, lengths are rounded too: a few units more
  const slack = 2 * gamma + 8 * unitRoundoff;
  const used = count * n * dim >= worthAnEngine && rows.ordinary ? engine : undefined;
  const scaled = used ? scaledTo1(queries, queryLengths, dim) : queries;
  // a block of rows that are in memory anyway costs only its products
  const fits = rows.held ? n : Math.floor(blockBytes / 4 / dim);
  const perBlock = Math.max(
    1,
    used ? Math.min(fits, Math.floor(productBytes / 4 / count)) : Math.floor(blockBytes / 16 / dim),
  );
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0];
  for (const length of lengths) {
    if (length > longest) longest = length;
    if (length !== 0 && length < shortest) shortest = length;
  }
  // nearly the cosines of the k best so far: what is far below the least of them is not multiplied again
  const near = used ? heaps.map(() => new TopK(k, n)) : [];
  const maybeRows = new Int32Array(used ? perBlock : 0);
  const maybe = new Float64Array(maybeRows.length);
  const select = (block: Block, products: Float32Array | undefined): void => {
    const { start, count: m, data } = block;
    for (let q = 0; q < count; q++) {
      if (!products) {
        for (let i = 0; i < m; i++) if (!may || may(start + i)) exact(q, start + i, data, i);
        continue;
      }
      const heap = near[q] as TopK;
      const from = q * m;
      let kept = 0;
      // of a row as short, or as long, as any: one comparison turns most rows away
      const boundOf = (least: number) => (least > 0 ? least * shortest : least * longest);
      let bound = boundOf(heap.least - 2 * slack);
      for (let i = 0; i < m; i++) {
        const product = products[from + i] as number;
        if (product < bound || (may && !may(start + i))) continue;
        const length = lengths[start + i] as number;
        const cosine = length === 0 ? 0 : product / length;
        heap.push(start + i, cosine);
        maybeRows[kept] = i;
        maybe[kept++] = cosine;
        bound = boundOf(heap.least - 2 * slack);
      }
      const least = heap.least - 2 * slack;
      for (let c = 0; c < kept; c++) {
        if ((maybe[c] as number) < least) continue;
        const i = maybeRows[c] as number;
        const cosine = exact(q, start + i, data, i);
        if (queryLengths[q] !== 0 && Math.abs(cosine - (maybe[c] as number)) > slack) isOff = true;
      }
    }
  };
  if (!used || !rows.held) {
    for await (const block of rows.blocks(perBlock)) {
      signal?.throwIfAborted();
      select(block, await used?.multiply(scaled, count, block.data, block.count, dim));
    }
  } else {
    // rows in memory stay where they are: the engine multiplies the next block while this one is looked through
    let before: { block: Block; products: Promise<Float32Array> } | undefined;
    for await (const block of rows.blocks(perBlock)) {
      signal?.throwIfAborted();
      const products = used.multiply(scaled, count, block.data, block.count, dim);
      products.catch(() => {}); // awaited below, or after an abort not at all
      if (before) select(before.block, await before.products);
      before = { block, products };
    }
    if (before) select(before.block, await before.products);
  }
  if (isOff) return exactSearch(rows, queries, count, k, undefined, { filter, signal });
  return heaps.map((heap) => heap.ranked());
}

function scaledTo1(queries: Float32Array, lengths: readonly number[], dim: number): Float32Array {
  return Float32Array.from(queries, (value, at) => {
    const length = lengths[Math.floor(at / dim)] as number;
    return length === 0 ? 0 : value / length;
  });
}
