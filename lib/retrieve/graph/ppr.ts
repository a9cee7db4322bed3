import { integer, real } from "../../core/index.js";
import type { Candidate } from "../../datasets/index.js";
import { TopK } from "../../embed/index.js";
import type { Graph } from "../../graph/index.js";
import { hitsOf } from "../dense/rows.js";
import { inTieOrder } from "../order.js";
import type { RetrieverEntry } from "../types.js";
import { type EdgeFit, edgeFit } from "./fit.js";
import { type EntityLinker, entityLinker, linkOptions, linkTrace } from "./link.js";

/** The candidate triples as an undirected graph: the edges of node i are `edges[starts[i]]` … `edges[starts[i + 1]]`. */
export interface EdgeGraph {
  readonly nodes: ReadonlyMap<string, number>;
  readonly ids: readonly string[];
  readonly starts: Int32Array;
  /** Rows of candidates. */
  readonly edges: Int32Array;
  /** The node at the other end, by place in `edges`. */
  readonly ends: Int32Array;
  /** Head and tail node by row; −1 for a candidate that is no triple. */
  readonly heads: Int32Array;
  readonly tails: Int32Array;
}

interface PprState {
  readonly link: EntityLinker;
  /** In the order of ties. */
  readonly candidates: readonly Candidate[];
  readonly fit: EdgeFit;
  readonly edges: EdgeGraph;
}

/**
 * Personalised PageRank from the entities that the question is about: a walker starts at one of them, and at each step follows an edge of the
 * candidates, either way round, or, with probability 1 − `damping`, starts again. An edge is the likelier the better its text fits the question:
 * its weight is `floor` + cosine^`fit` (0 leaves edges equal). A triple's score is how often the walker passes it.
 *
 * A question whose entities have no candidate edge has no hits. Entities: see {@link entityLinker}. The iteration ends when the
 * distribution moves by less than 1e-9 in all, or after `iterations`. A query costs O(sorts of edges · dim + iterations · edges); memory O(entities + edges).
 */
export const ppr: RetrieverEntry = {
  name: "ppr",
  version: "1",
  citation:
    "topic-sensitive PageRank: Haveliwala 2002, doi 10.1145/511446.511513; over knowledge graphs for retrieval: HippoRAG, Gutiérrez et al. 2024, arXiv 2405.14831",
  options: {
    damping: real({
      min: 0,
      max: 0.999,
      default: 0.85,
      doc: "probability of going on; 0.85 in PageRank, 0.5 in HippoRAG",
    }),
    fit: real({
      min: 0,
      max: 100,
      default: 2,
      doc: "how much the fit of edge and question counts: the power of their cosine",
    }),
    floor: real({ min: 1e-9, max: 1, default: 0.01, doc: "weight of an edge that does not fit at all" }),
    iterations: integer({ min: 1, max: 10_000, default: 100, doc: "at most" }),
    ...linkOptions,
  },
  label: (options) => `ppr (${options.encoder})`,
  async prepare(context, options): Promise<PprState> {
    const own = Object.fromEntries(Object.keys(linkOptions).map((key) => [key, options[key]]));
    const candidates = inTieOrder(context.candidates);
    const link = await entityLinker(context, own);
    const fit = await edgeFit(context, candidates, options.encoder);
    return { link, candidates, fit, edges: edgeGraph(context.graph, candidates) };
  },
  async search(query, { state, k, signal }, options) {
    const { link, candidates, fit: edgeFits, edges } = state as PprState;
    const linked = await link(query);
    const trace = linkTrace(linked);
    const starts = linked.flatMap(({ entity, weight }) => {
      const node = edges.nodes.get(entity);
      return node === undefined ? [] : [{ node, weight }];
    });
    if (starts.length === 0) return { hits: [], trace };
    const fit = await edgeFits.of(query.text, linked);
    const weights = fit.map((cosine) => (options.floor as number) + cosine ** (options.fit as number));
    const { visits, totals } = pageRank(edges, weights, starts, {
      damping: options.damping as number,
      iterations: options.iterations as number,
      signal,
    });
    const best = new TopK(k, candidates.length);
    edges.heads.forEach((head, row) => {
      if (head < 0) return;
      const tail = edges.tails[row] as number;
      const pass = (node: number) => ((visits[node] as number) * (weights[row] as number)) / (totals[node] as number);
      const score = pass(head) + (tail === head ? 0 : pass(tail));
      if (score > 0) best.push(row, score);
    });
    return { hits: hitsOf(candidates, best.ranked()), trace };
  },
};

/** Cost: O(N). A loop is one edge of its node. */
export function edgeGraph(graph: Graph, candidates: readonly Candidate[]): EdgeGraph {
  const nodes = new Map<string, number>();
  const node = (id: string) => {
    const known = nodes.get(id) ?? nodes.size;
    nodes.set(id, known);
    return known;
  };
  const heads = new Int32Array(candidates.length).fill(-1);
  const tails = new Int32Array(candidates.length).fill(-1);
  candidates.forEach(({ triple }, row) => {
    if (triple === undefined) return;
    const { head, tail } = graph.triple(triple);
    heads[row] = node(head);
    tails[row] = node(tail);
  });
  const starts = new Int32Array(nodes.size + 1);
  const each = (visit: (node: number, row: number, end: number) => void) =>
    heads.forEach((head, row) => {
      if (head < 0) return;
      const tail = tails[row] as number;
      visit(head, row, tail);
      if (tail !== head) visit(tail, row, head);
    });
  each((at) => {
    starts[at + 1] = (starts[at + 1] as number) + 1;
  });
  for (let i = 0; i < nodes.size; i++) starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number);
  const edges = new Int32Array(starts[nodes.size] as number);
  const ends = new Int32Array(edges.length);
  const next = starts.slice();
  each((at, row, end) => {
    const slot = next[at] as number;
    next[at] = slot + 1;
    edges[slot] = row;
    ends[slot] = end;
  });
  return { nodes, ids: [...nodes.keys()], starts, edges, ends, heads, tails };
}

/** How often each node is visited (sums to 1), and the weight of all its edges. */
export function pageRank(
  { starts: from, edges, ends, ids }: EdgeGraph,
  weights: Float64Array,
  begin: readonly { readonly node: number; readonly weight: number }[],
  {
    damping,
    iterations,
    signal,
  }: { readonly damping: number; readonly iterations: number; readonly signal: AbortSignal },
): { readonly visits: Float64Array; readonly totals: Float64Array } {
  const n = ids.length;
  const totals = new Float64Array(n);
  for (let node = 0; node < n; node++)
    for (let at = from[node] as number; at < (from[node + 1] as number); at++)
      totals[node] = (totals[node] as number) + (weights[edges[at] as number] as number);
  const start = new Float64Array(n);
  const sum = begin.reduce((all, { weight }) => all + weight, 0);
  for (const { node, weight } of begin) start[node] = (start[node] as number) + weight / sum;
  let visits = start.slice();
  for (let round = 0; round < iterations; round++) {
    signal.throwIfAborted();
    const next = start.map((p) => (1 - damping) * p);
    for (let node = 0; node < n; node++) {
      // every node of the graph has an edge, so that nothing is lost at a dead end
      const share = (damping * (visits[node] as number)) / (totals[node] as number);
      if (share === 0) continue;
      for (let at = from[node] as number; at < (from[node + 1] as number); at++) {
        const end = ends[at] as number;
        next[end] = (next[end] as number) + share * (weights[edges[at] as number] as number);
      }
    }
    let moved = 0;
    for (let node = 0; node < n; node++) moved += Math.abs((next[node] as number) - (visits[node] as number));
    visits = next;
    if (moved < 1e-9) break;
  }
  return { visits, totals };
}
