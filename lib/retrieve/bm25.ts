import { type Hit, real, words } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";
import { TopK } from "../embed/index.js";
import { contentOf, inTieOrder } from "./order.js";
import type { RetrieverEntry } from "./types.js";

/** Postings of all terms in one array each, term by term. */
interface Bm25Index {
  /** Triple or passage by row; in the order of ties. */
  readonly contents: readonly Pick<Hit, "triple" | "passage">[];
  readonly terms: ReadonlyMap<string, number>;
  /** [terms + 1]: where each term's postings start. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  /** What a posting adds to the score of its row. */
  readonly weights: Float64Array;
  /** Scratch of the searches, all zero between them; a search never waits, so that one is enough. */
  readonly scores: Float64Array;
}

/**
 * Okapi BM25 in the form that Lucene ranks by:
 * Σ over query tokens of ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1 (1 − b + b · |d| / mean |d|)).
 * A token that stands twice in the query counts twice. Rows that share no token with the query are not returned, so
 * that fewer than k hits, or none, are possible.
 */
export const bm25: RetrieverEntry = {
  name: "bm25",
  version: "1",
  citation:
    "Robertson & Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, doi 10.1561/1500000019; variant: Kamphuis et al. 2020, doi 10.1007/978-3-030-45442-5_4",
  options: {
    k1: real({ min: 0, max: 100, default: 1.2, doc: "How slowly repeated tokens saturate; 0 counts presence alone" }),
    b: real({ min: 0, max: 1, default: 0.75, doc: "How much long texts are held back; 0 not at all" }),
  },
  prepare: ({ candidates, signal }, options) => {
    signal.throwIfAborted();
    return buildIndex(candidates, options.k1 as number, options.b as number);
  },
  search(query, { state, k }) {
    const { contents, terms, starts, rows, weights, scores } = state as Bm25Index;
    const touched: number[] = [];
    for (const word of words(query.text)) {
      const term = terms.get(word);
      if (term === undefined) continue;
      for (let at = starts[term] as number; at < (starts[term + 1] as number); at++) {
        const row = rows[at] as number;
        if (scores[row] === 0) touched.push(row);
        scores[row] = (scores[row] as number) + (weights[at] as number);
      }
    }
    if (touched.length === 0) return [];
    const best = new TopK(k, touched.length);
    for (const row of touched) {
      best.push(row, scores[row] as number);
      scores[row] = 0;
    }
    return best.ranked().map(({ row, score }) => ({ score, ...contents[row] }));
  },
};

/** O(tokens) time and memory: 12 bytes a posting and one map entry a term. */
function buildIndex(candidates: readonly Candidate[], k1: number, b: number): Bm25Index {
  const sorted = inTieOrder(candidates);
  const n = sorted.length;
  const terms = new Map<string, number>();
  const lengths = new Int32Array(n);
  const frequencies: number[] = []; // documents by term
  const postings: number[] = []; // (term, tf) pairs, document by document
  const counts = new Int32Array(n); // distinct terms by document
  let total = 0;
  sorted.forEach(({ text }, row) => {
    const tokens = words(text);
    const tf = new Map<number, number>();
    for (const token of tokens) {
      const term = terms.get(token) ?? terms.size;
      terms.set(token, term);
      tf.set(term, (tf.get(term) ?? 0) + 1);
    }
    for (const [term, count] of tf) {
      frequencies[term] = (frequencies[term] ?? 0) + 1;
      postings.push(term, count);
    }
    counts[row] = tf.size;
    lengths[row] = tokens.length;
    total += tokens.length;
  });

  const starts = new Int32Array(terms.size + 1);
  frequencies.forEach((df, term) => {
    starts[term + 1] = (starts[term] as number) + df;
  });
  const rows = new Int32Array(postings.length / 2);
  const weights = new Float64Array(postings.length / 2);
  const next = starts.slice();
  const mean = total / n;
  for (let row = 0, at = 0; row < n; row++) {
    const norm = k1 * (1 - b + (b * (lengths[row] as number)) / mean);
    for (let i = 0; i < (counts[row] as number); i++, at += 2) {
      const term = postings[at] as number;
      const tf = postings[at + 1] as number;
      const df = frequencies[term] as number;
      const slot = next[term] as number;
      next[term] = slot + 1;
      rows[slot] = row;
      weights[slot] = (Math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf) / (tf + norm);
    }
  }
  return { contents: sorted.map(contentOf), terms, starts, rows, weights, scores: new Float64Array(n) };
}
