import { type Evidence, errorText, type Hit, hitId, MkgError, quote, rankHits } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";
import type { Graph, Triple } from "../graph/index.js";

/** What hits are checked against. */
export interface HitScope {
  readonly graph: Graph;
  /** Ids of the triples that may be ranked under the setting. */
  readonly candidates: ReadonlySet<string>;
  /** Ids of the passages that may be ranked under the setting; without any, a retriever may bring passages of its own. */
  readonly passages: ReadonlySet<string>;
  readonly setting: string;
  readonly k: number;
}

/** The ids of the triples and passages among the candidates. */
export function idsOf(candidates: readonly Candidate[]): Pick<HitScope, "candidates" | "passages"> {
  const triples = new Set<string>();
  const passages = new Set<string>();
  for (const { triple, passage } of candidates) {
    if (triple !== undefined) triples.add(triple);
    else if (passage !== undefined) passages.add(passage);
  }
  return { candidates: triples, passages };
}

const kindsOfHit = ["triple", "path", "passage", "text"] as const;

/**
 * What a retriever returned, as {@link Evidence}: every hit checked, copied and frozen; ranked by score descending, ties
 * by id ascending; of hits with the same id the best kept (the trace says how many were not); at most k.
 * `place` names the retriever and the question in errors.
 */
export function toEvidence(place: string, found: readonly Hit[] | Evidence, scope: HitScope): Evidence {
  const given = Array.isArray(found) ? { hits: found as readonly Hit[] } : (found as Evidence | null | undefined);
  if (!Array.isArray(given?.hits))
    throw new MkgError(place, `returned neither hits nor evidence (${quote(found)})`, "An array of hits, or { hits }");
  const { hits, spend } = given;
  const trace = given.trace && plainTrace(place, given.trace);
  for (const [kind, cost] of Object.entries(spend ?? {}))
    if (!Number.isFinite(cost))
      throw new MkgError(place, `spend.${kind} is not a finite number (${quote(cost)})`, "Finite numbers");
  const checked = hits.map((hit, i) => checkHit(`${place}, hit ${i + 1}`, hit, scope));
  const seen = new Set<string>();
  const distinct = rankHits(checked).filter((hit) => {
    const id = hitId(hit);
    return !seen.has(id) && seen.add(id);
  });
  const duplicates = checked.length - distinct.length;
  const steps =
    duplicates > 0 ? [...(trace ?? []), Object.freeze({ step: "duplicate hits left out", count: duplicates })] : trace;
  return Object.freeze({
    hits: Object.freeze(distinct.slice(0, scope.k)),
    ...(steps ? { trace: Object.freeze([...steps]) } : {}),
    ...(spend ? { spend: Object.freeze({ ...spend }) } : {}),
  });
}

function checkHit(place: string, hit: Hit, { graph, candidates, passages, setting }: HitScope): Hit {
  if (typeof hit !== "object" || hit === null)
    throw new MkgError(place, `is not an object (${quote(hit)})`, "{ score, triple } or { score, path, pathTriples }");
  if (typeof hit.score !== "number" || !Number.isFinite(hit.score))
    throw new MkgError(
      place,
      `the score is not a finite number (${quote(hit.score)})`,
      "A finite number, higher is better",
    );
  const kinds = kindsOfHit.filter((kind) => hit[kind] !== undefined);
  if (kinds.length !== 1)
    throw new MkgError(
      place,
      `has ${kinds.length === 0 ? "no content" : `several contents (${kinds.join(", ")})`}`,
      `Exactly one of ${kindsOfHit.join(", ")}`,
    );
  const { score, triple, path, pathTriples, passage, text, via, images } = hit;
  if (triple !== undefined && !candidates.has(triple)) {
    if (typeof triple !== "string")
      throw new MkgError(place, `the triple is not an id (${quote(triple)})`, "A string, such as candidate.triple");
    knownTriple(place, triple, graph);
    throw new MkgError(
      place,
      `the triple is not a candidate under setting ${setting} (${quote(triple)})`,
      "Triples of context.candidates",
    );
  }
  if (passage !== undefined && passages.size > 0 && !passages.has(passage))
    throw new MkgError(
      place,
      `the passage is not a candidate under setting ${setting} (${quote(passage)})`,
      "Passages of context.candidates",
    );
  for (const [key, value] of Object.entries({ passage, text, via }))
    if (value !== undefined && typeof value !== "string")
      throw new MkgError(place, `${key} is not a string (${quote(value)})`);
  if (pathTriples !== undefined && path === undefined)
    throw new MkgError(place, "has pathTriples but no path", "Both, or neither");
  const edges = path === undefined ? undefined : edgesOf(place, path, pathTriples, graph);
  return Object.freeze({
    score: score + 0, // -0 prints as 0 but compares as another JSON text
    ...(triple !== undefined ? { triple } : {}),
    ...(path !== undefined ? { path: Object.freeze([...path]) } : {}),
    ...(edges !== undefined ? { pathTriples: Object.freeze([...edges]) } : {}),
    ...(passage !== undefined ? { passage } : {}),
    ...(text !== undefined ? { text } : {}),
    ...(via !== undefined ? { via } : {}),
    ...(images !== undefined ? { images: Object.freeze([...images]) } : {}),
  });
}

/** The trace as it would be read back from a file, so that stored and fresh evidence are one. */
function plainTrace(place: string, trace: readonly unknown[]): readonly unknown[] {
  try {
    return JSON.parse(JSON.stringify(trace)) as readonly unknown[];
  } catch (error) {
    throw new MkgError(place, `the trace is not plain JSON (${errorText(error)})`, "Objects, lists, texts, numbers");
  }
}

function knownTriple(place: string, id: string, graph: Graph): Triple {
  try {
    return graph.triple(id);
  } catch (error) {
    if (error instanceof MkgError) throw new MkgError(place, error.problem, error.allowed, error.remedy);
    throw error;
  }
}

/** The triples along a path: those given, checked, or the first edge of the graph between each two entities. */
function edgesOf(
  place: string,
  path: readonly string[],
  pathTriples: readonly string[] | undefined,
  graph: Graph,
): readonly string[] {
  if (!Array.isArray(path) || path.length === 0)
    throw new MkgError(place, `the path is not a list of entity ids (${quote(path)})`, "At least one id");
  for (const id of path)
    if (!graph.has(id))
      throw new MkgError(place, `the path holds an unknown entity id (${quote(id)})`, "Ids of graph.entities");
  if (pathTriples === undefined)
    return path.slice(1).map((b, i) => {
      const edge = graph.neighbours(path[i] as string, { direction: "both" }).find((n) => n.entity === b);
      if (!edge)
        throw new MkgError(
          place,
          `no triple joins ${quote(path[i])} and ${quote(b)}`,
          "Paths along edges of the graph",
        );
      return edge.triple;
    });
  if (!Array.isArray(pathTriples) || pathTriples.length !== path.length - 1)
    throw new MkgError(
      place,
      `pathTriples does not fit the path (${quote(pathTriples)})`,
      `${path.length - 1} triple ids, one between each two entities`,
    );
  pathTriples.forEach((id, i) => {
    const { head, tail } = knownTriple(place, id, graph);
    const [a, b] = [path[i], path[i + 1]];
    if (!((head === a && tail === b) || (head === b && tail === a)))
      throw new MkgError(
        place,
        `triple ${quote(id)} does not join ${quote(a)} and ${quote(b)}`,
        `It joins ${quote(head)} and ${quote(tail)}`,
      );
  });
  return pathTriples;
}
