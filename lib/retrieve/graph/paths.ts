import { type Hit, hitId, integer, rankHits, real } from "../../core/index.js";
import type { Candidate } from "../../datasets/index.js";
import { inTieOrder } from "../order.js";
import type { RetrieverEntry } from "../types.js";
import { type EdgeFit, edgeFit } from "./fit.js";
import { type EntityLinker, entityLinker, type LinkedEntity, linkOptions, linkTrace } from "./link.js";
import { type EdgeGraph, edgeGraph } from "./ppr.js";

interface PathState {
  readonly link: EntityLinker;
  /** In the order of ties. */
  readonly candidates: readonly Candidate[];
  readonly fit: EdgeFit;
  readonly edges: EdgeGraph;
}

/** A path under way: nodes and rows of candidates. */
interface Way {
  readonly nodes: readonly number[];
  readonly rows: readonly number[];
  readonly fit: number;
}

/**
 * Paths of candidate triples, either way round, of at most `maxLength` edges: the shortest ones between every two of the entities that the question is
 * about, and those that lead out of one of them along the edges whose texts fit the question best, `breadth` at each entity.
 *
 * A path's score is the share of the linked weight that lies on it plus the mean cosine of its edges with the question, times `decay` for each
 * edge after the first: a path that joins what the question names comes before one that only fits, and a short one before a long one.
 * Entities: see {@link entityLinker}; the `entities` of most weight are used. Cost: O(N + entities² · paths + entities · breadth^maxLength).
 */
export const paths: RetrieverEntry = {
  name: "paths",
  version: "1",
  citation:
    "paths between the entities of a question: QA-GNN, Yasunaga et al. 2021, arXiv 2104.06378; Think-on-Graph, Sun et al. 2024, arXiv 2307.07697",
  options: {
    maxLength: integer({ min: 1, max: 6, default: 2, doc: "edges on a path at most" }),
    breadth: integer({
      min: 1,
      max: 1000,
      default: 20,
      doc: "edges followed from one entity at most, those that fit best",
    }),
    entities: integer({
      min: 1,
      max: 50,
      default: 5,
      doc: "linked entities that paths start at, those of most weight",
    }),
    between: integer({
      min: 0,
      max: 1000,
      default: 10,
      doc: "paths between two linked entities at most, shortest first",
    }),
    decay: real({ min: 0, max: 1, default: 0.8, doc: "what each edge after the first leaves of the fit" }),
    ...linkOptions,
  },
  label: (options) => `paths (${options.encoder})`,
  async prepare(context, options): Promise<PathState> {
    const own = Object.fromEntries(Object.keys(linkOptions).map((key) => [key, options[key]]));
    const candidates = inTieOrder(context.candidates);
    const link = await entityLinker(context, own);
    const fit = await edgeFit(context, candidates, options.encoder);
    return { link, candidates, fit, edges: edgeGraph(context.graph, candidates) };
  },
  async search(query, { state, k, signal }, options) {
    const { link, candidates, fit: edgeFits, edges } = state as PathState;
    const linked = await link(query);
    const starts = linked
      .filter(({ entity }) => edges.nodes.has(entity))
      .slice(0, options.entities as number)
      .map((one) => ({ ...one, node: edges.nodes.get(one.entity) as number }));
    if (starts.length === 0) return { hits: [], trace: linkTrace(linked) };
    const fit = await edgeFits.of(query.text, linked);
    const maxLength = options.maxLength as number;
    const ways: Way[] = [];
    for (const { node } of starts) {
      signal.throwIfAborted();
      ways.push(...outward(edges, fit, node, maxLength, options.breadth as number));
    }
    for (const [i, a] of starts.entries())
      for (const b of starts.slice(i + 1))
        ways.push(...joining(edges, fit, a.node, b.node, maxLength, options.between as number));
    const weightOf = new Map(starts.map(({ node, weight }: LinkedEntity & { node: number }) => [node, weight]));
    const found = new Map<string, Hit>();
    for (const way of ways) {
      const weight = way.nodes.reduce((sum, node) => sum + (weightOf.get(node) ?? 0), 0);
      const mean = way.fit / way.rows.length;
      const hit: Hit = {
        score: weight + mean * (options.decay as number) ** (way.rows.length - 1),
        path: way.nodes.map((node) => edges.ids[node] as string),
        pathTriples: way.rows.map((row) => candidates[row]?.triple as string),
      };
      found.set(hitId(hit), hit);
    }
    return { hits: rankHits([...found.values()]).slice(0, k), trace: linkTrace(linked) };
  },
};

/** Edges of a node, those that fit best first, equal ones by row. */
function edgesOf({ starts, edges, ends }: EdgeGraph, fit: Float64Array, node: number): { row: number; end: number }[] {
  const own = [];
  for (let at = starts[node] as number; at < (starts[node + 1] as number); at++)
    own.push({ row: edges[at] as number, end: ends[at] as number });
  return own.sort((a, b) => (fit[b.row] as number) - (fit[a.row] as number) || a.row - b.row);
}

/** Paths out of a node along the `breadth` best edges of each, without an entity twice. */
function outward(graph: EdgeGraph, fit: Float64Array, start: number, maxLength: number, breadth: number): Way[] {
  const found: Way[] = [];
  let open: Way[] = [{ nodes: [start], rows: [], fit: 0 }];
  for (let length = 1; length <= maxLength; length++) {
    const next: Way[] = [];
    for (const { nodes, rows, fit: sum } of open) {
      const onward = edgesOf(graph, fit, nodes.at(-1) as number).filter(({ end }) => !nodes.includes(end));
      for (const { row, end } of onward.slice(0, breadth))
        next.push({ nodes: [...nodes, end], rows: [...rows, row], fit: sum + (fit[row] as number) });
    }
    found.push(...next);
    open = next;
  }
  return found;
}

/** Paths between two nodes, shortest first, those of equal length by fit; `limit` at most. Looks from both ends, so that hubs are not walked through. */
function joining(graph: EdgeGraph, fit: Float64Array, a: number, b: number, maxLength: number, limit: number): Way[] {
  const found: Way[] = [];
  let open: Way[] = [{ nodes: [a], rows: [], fit: 0 }];
  const far = distances(graph, b, maxLength);
  for (let length = 1; length <= maxLength && found.length < limit; length++) {
    const next: Way[] = [];
    for (const { nodes, rows, fit: sum } of open)
      for (const { row, end } of edgesOf(graph, fit, nodes.at(-1) as number))
        if ((far.get(end) ?? Number.POSITIVE_INFINITY) <= maxLength - length && !nodes.includes(end))
          next.push({ nodes: [...nodes, end], rows: [...rows, row], fit: sum + (fit[row] as number) });
    const arrived = next.filter(({ nodes }) => nodes.at(-1) === b);
    found.push(...arrived.sort((x, y) => y.fit - x.fit).slice(0, limit - found.length));
    open = next.filter(({ nodes }) => nodes.at(-1) !== b);
  }
  return found;
}

/** Edges to a node from those within reach of it. */
function distances({ starts, ends }: EdgeGraph, from: number, reach: number): Map<number, number> {
  const far = new Map([[from, 0]]);
  let front = [from];
  for (let d = 1; d < reach; d++) {
    const next: number[] = [];
    for (const node of front)
      for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
        const end = ends[at] as number;
        if (far.has(end)) continue;
        far.set(end, d);
        next.push(end);
      }
    front = next;
  }
  return far;
}
