import { type Hit, real, words } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";
import { TopK } from "../embed/index.js";
import type { Graph } from "../graph/index.js";
import { contentOf, inTieOrder } from "./order.js";
import type { RetrieverEntry } from "./types.js";

const fieldWeight = (field: string) =>
  real({ min: 0, max: 100, default: 1, doc: `How often a word in the ${field} of a triple counts; 0: not searched` });

/** Texts of a candidate, each with how often its words count. */
type Fields = (candidate: Candidate) => readonly (readonly [text: string, weight: number])[];

function fieldsOf(graph: Graph, { head, relation, tail }: Readonly<Record<string, unknown>>): Fields {
  const weights = [head, relation, tail] as readonly number[];
  // the text as it is: what a data set says of its rows need not be the labels of the graph
  if (weights.every((weight) => weight === 1)) return ({ text }) => [[text, 1]];
  return ({ triple, text }) => {
    if (triple === undefined) return [[text, 1]];
    const { head, relationLabel, tail, condition } = graph.triple(triple);
    const parts = [graph.entity(head).label, `${relationLabel} ${condition}`, graph.entity(tail).label];
    return parts.map((part, i) => [part, weights[i] as number] as const);
  };
}

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
  /** Scratch too: the rows that a search has met. */
  readonly met: Int32Array;
}

/**
 * Okapi BM25 in the form that Lucene ranks by:
 * Σ over query tokens of ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1 (1 − b + b · |d| / mean |d|)).
 * With weights for head, relation and tail, tf and |d| are the weighted sums over these fields (Robertson, Zaragoza & Taylor 2004,
 * doi 10.1145/1031171.1031181); passages have one field. A token that stands twice in the query counts twice. Rows that share no token with the query are not returned, so
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
    head: fieldWeight("head's label"),
    relation: fieldWeight("relation's label and its condition"),
    tail: fieldWeight("tail's label"),
  },
  prepare: ({ graph, candidates, signal }, options) => {
    signal.throwIfAborted();
    return buildIndex(candidates, fieldsOf(graph, options), options.k1 as number, options.b as number);
  },
  search(query, { state, k }) {
    const { contents, terms, starts, rows, weights, scores, met } = state as Bm25Index;
    let n = 0;
    for (const word of words(query.text)) {
      const term = terms.get(word);
      if (term === undefined) continue;
      const end = starts[term + 1] as number;
      for (let at = starts[term] as number; at < end; at++) {
        const row = rows[at] as number;
        const score = scores[row] as number;
        if (score === 0) met[n++] = row;
        scores[row] = score + (weights[at] as number);
      }
    }
    if (n === 0) return [];
    const best = new TopK(k, n);
    let { least } = best;
    for (let i = 0; i < n; i++) {
      const row = met[i] as number;
      const score = scores[row] as number;
      scores[row] = 0;
      if (score < least) continue;
      best.push(row, score);
      least = best.least;
    }
    return best.ranked().map(({ row, score }) => ({ score, ...contents[row] }));
  },
};

/** O(tokens) time and memory: 12 bytes a posting and one map entry a term. */
function buildIndex(candidates: readonly Candidate[], fields: Fields, k1: number, b: number): Bm25Index {
  const sorted = inTieOrder(candidates);
  const n = sorted.length;
  const terms = new Map<string, number>();
  const lengths = new Float64Array(n);
  const frequencies: number[] = []; // documents by term
  const postings: number[] = []; // (term, tf) pairs, document by document
  const counts = new Int32Array(n); // distinct terms by document
  let total = 0;
  sorted.forEach((candidate, row) => {
    const tf = new Map<number, number>();
    let length = 0;
    for (const [text, weight] of fields(candidate)) {
      if (weight === 0) continue;
      const tokens = words(text);
      length += weight * tokens.length;
      for (const token of tokens) {
        const term = terms.get(token) ?? terms.size;
        terms.set(token, term);
        tf.set(term, (tf.get(term) ?? 0) + weight);
      }
    }
    for (const [term, count] of tf) {
      frequencies[term] = (frequencies[term] ?? 0) + 1;
      postings.push(term, count);
    }
    counts[row] = tf.size;
    lengths[row] = length;
    total += length;
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
  return {
    contents: sorted.map(contentOf),
    terms,
    starts,
    rows,
    weights,
    scores: new Float64Array(n),
    met: new Int32Array(n),
  };
}
