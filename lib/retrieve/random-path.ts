import { type Evidence, type Hit, hitId, type Random, words } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import type { GoldSearch, RetrieverContext } from "./types.js";

type Known = Parameters<GoldSearch>[2];
interface Walked {
  readonly path: readonly string[];
  readonly pathTriples: readonly string[];
}

/**
 * Random paths in place of retrieved ones: as many, of the same length each, and of `draws` admissible ones the nearest
 * in degree profile, tokens and images. Never admitted, and counted: what was retrieved, paths with a gold triple, paths that bear an answer.
 * A retrieved path for which none is admissible is left out and counted. Cost: O(draws × length) neighbour look-ups a path.
 */
export function randomEvidence(
  found: Evidence,
  context: RetrieverContext,
  known: Known,
  options: { subgraph: string; draws: number },
): Evidence {
  const { graph, random } = context;
  const isForbidden = exclusions(graph, known);
  const spend = {
    pathsMatched: 0,
    pathsUnmatched: 0,
    excludedRetrieved: 0,
    excludedGold: 0,
    excludedAnswer: 0,
    tokensFound: 0,
    tokensDrawn: 0,
    imagesFound: 0,
    imagesDrawn: 0,
    degreeFound: 0,
    degreeDrawn: 0,
  };
  // a retrieved path would match itself best: it is what is to be replaced
  const retrieved = new Set(found.hits.map(hitId));
  const used = new Set<string>();
  const hits: Hit[] = [];
  for (const hit of found.hits) {
    // a passage or a text has no path to match
    if (!hit.path && !hit.triple) {
      spend.pathsUnmatched++;
      continue;
    }
    const original = asPath(graph, hit);
    const target = profile(graph, original);
    let best: { hit: Hit; distance: number; drawn: ReturnType<typeof profile> } | undefined;
    // walks may fail (dead ends) or be excluded: a bounded number of tries for `draws` admissible ones
    for (let tries = 0, admitted = 0; tries < options.draws * 8 && admitted < options.draws; tries++) {
      const walked = hit.path
        ? randomWalk(graph, original, options.subgraph, random)
        : randomTriple(context, original, options.subgraph);
      if (!walked) continue;
      const drawn: Hit = hit.path
        ? { score: hit.score, path: walked.path, pathTriples: walked.pathTriples, via: "random-path" }
        : { score: hit.score, triple: walked.pathTriples[0] as string, via: "random-path" };
      if (used.has(hitId(drawn))) continue;
      if (retrieved.has(hitId(drawn))) {
        spend.excludedRetrieved++;
        continue;
      }
      const why = isForbidden(walked);
      if (why) {
        spend[why]++;
        continue;
      }
      admitted++;
      const p = profile(graph, walked);
      const distance = apart(target, p);
      if (!best || distance < best.distance) best = { hit: drawn, distance, drawn: p };
    }
    if (!best) {
      spend.pathsUnmatched++;
      continue;
    }
    used.add(hitId(best.hit));
    hits.push(best.hit);
    spend.pathsMatched++;
    spend.tokensFound += target.tokens;
    spend.tokensDrawn += best.drawn.tokens;
    spend.imagesFound += target.images;
    spend.imagesDrawn += best.drawn.images;
    spend.degreeFound += target.degree;
    spend.degreeDrawn += best.drawn.degree;
  }
  return { hits, spend, trace: [{ step: "random-path", ...options, ...spend }] };
}

const asPath = (graph: Graph, hit: Hit): Walked => {
  if (hit.path) return { path: hit.path, pathTriples: hit.pathTriples ?? [] };
  if (!hit.triple) return { path: [], pathTriples: [] };
  const { head, tail } = graph.triple(hit.triple);
  return { path: [head, tail], pathTriples: [hit.triple] };
};

/** Says of a path why it may not stand as a random one, if it may not. */
function exclusions(
  graph: Graph,
  { gold, answers }: Known,
): (walked: Walked) => "excludedGold" | "excludedAnswer" | undefined {
  const goldPaths = new Set((gold.paths ?? []).map((path) => JSON.stringify(path)));
  const goldTriples = new Set([...(gold.triples ?? []), ...(gold.pathTriples ?? []).flat()]);
  const folded = answers.map((a) => ` ${words(a).join(" ")} `).filter((a) => a.trim());
  return ({ path, pathTriples }) => {
    if (goldPaths.has(JSON.stringify(path)) || pathTriples.some((triple) => goldTriples.has(triple)))
      return "excludedGold";
    const text = ` ${words(graph.text({ path, pathTriples })).join(" ")} `;
    return folded.some((a) => text.includes(a)) ? "excludedAnswer" : undefined;
  };
}

/** A walk along outgoing edges without repeated entities; undefined at a dead end. */
function randomWalk(graph: Graph, like: Walked, subgraph: string, random: Random): Walked | undefined {
  const first = like.path[0] as string;
  const start = subgraph === "same-subgraph" ? first : otherStart(graph, first, random);
  if (start === undefined) return undefined;
  const path = [start];
  const pathTriples: string[] = [];
  while (path.length < like.path.length) {
    const next = graph.neighbours(path[path.length - 1] as string).filter((n) => !path.includes(n.entity));
    if (next.length === 0) return undefined;
    const step = random.pick(next);
    path.push(step.entity);
    pathTriples.push(step.triple);
  }
  return { path, pathTriples };
}

/** Entities by kind, once per graph. */
const kinds = new WeakMap<Graph, Map<string, string[]>>();
function otherStart(graph: Graph, first: string, random: Random): string | undefined {
  let byKind = kinds.get(graph);
  if (!byKind) {
    byKind = new Map();
    const ids = graph.entities.array("id") as string[];
    const kind = graph.entities.array("kind") as string[];
    ids.forEach((id, i) => {
      const list = byKind?.get(kind[i] as string);
      if (list) list.push(id);
      else byKind?.set(kind[i] as string, [id]);
    });
    kinds.set(graph, byKind);
  }
  const same = byKind.get(graph.entity(first).kind) ?? [];
  if (same.length < 2) return undefined;
  const drawn = random.pick(same);
  return drawn === first ? undefined : drawn;
}

/** A triple with the same head, or any candidate with another head. */
function randomTriple(
  { graph, candidates, random }: RetrieverContext,
  like: Walked,
  subgraph: string,
): Walked | undefined {
  const head = like.path[0];
  if (head === undefined) return undefined;
  if (subgraph === "same-subgraph") {
    const near = graph.neighbours(head);
    if (near.length === 0) return undefined;
    const step = random.pick(near);
    return { path: [head, step.entity], pathTriples: [step.triple] };
  }
  if (candidates.length === 0) return undefined;
  const { triple } = random.pick(candidates);
  if (triple === undefined) return undefined; // a passage has no path
  const drawn = graph.triple(triple);
  return drawn.head === head ? undefined : { path: [drawn.head, drawn.tail], pathTriples: [triple] };
}

function profile(graph: Graph, { path, pathTriples }: Walked) {
  let degree = 0;
  let images = 0;
  for (const id of path) {
    degree += Math.log1p(graph.degree(id));
    images += graph.entity(id).images.length > 0 ? 1 : 0;
  }
  return { degree, images, tokens: words(graph.text({ path, pathTriples })).length };
}

/** Sum of the three relative gaps; each is 0 for equal values and at most 1. */
const apart = (a: ReturnType<typeof profile>, b: ReturnType<typeof profile>): number =>
  (["degree", "tokens", "images"] as const).reduce(
    (sum, key) => sum + Math.abs(a[key] - b[key]) / Math.max(a[key], b[key], 1e-9),
    0,
  );
