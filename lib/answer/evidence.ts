import { byCodeUnit, contentWords, type Hit, MkgError, quote, shareSaid, words } from "../core/index.js";
import { dot, type Encoder, encoder } from "../embed/index.js";
import type { Graph, Triple } from "../graph/index.js";
import { answerKey, standsIn } from "./text.js";

/** Something that the evidence offers as an answer. */
export interface Candidate {
  readonly key: string;
  /** As it stands in the evidence. */
  readonly text: string;
  /** Share of all that the evidence offers, 0 to 1. */
  readonly probability: number;
  /** Ranks of the hits that offer it, ascending. */
  readonly ranks: readonly number[];
}

type Asked = "condition" | "relation" | "entity";

/** What kind of thing a question asks for, by its question words. */
function askedFor(question: string): Asked {
  const text = words(question).join(" ");
  if (
    /\b(condition|conditions|circumstance|circumstances|prerequisite|requirement)\b|\bmust hold\b|\bwhen (is|are|do|does|did|can|could|will|would|may)\b|\bwhat (makes|causes|triggers|lets)\b/.test(
      text,
    )
  )
    return "condition";
  if (
    /\b(relation|relations|relationship|connection)\b|\bhow (is|are|was|were)\b.* (related|connected|linked)\b/.test(
      text,
    )
  )
    return "relation";
  return "entity";
}

/** The words between "which" or "what" and the verb: the noun asked for stands there, if anywhere. */
const nounAsked = (question: string): string =>
  /\b(?:which|what)\s+((?:\w+\s+){0,3}?)(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|may|might|must|should)\b/i.exec(
    question,
  )?.[1] ?? "";

/** The first clause of a description, without a leading "<label> is a": what "Rook is a black bird, seen in fields." says Rook is. */
const whatItIs = (label: string, description: string): string => {
  const clause =
    /^[^.,:;]*/.exec(description.startsWith(`${label} is `) ? description.slice(label.length + 4) : description)?.[0] ??
    "";
  return clause.replace(/^\s*(?:an?|the)\s+/i, "").trim();
};

// how much the parts of a candidate's score weigh against a cosine of 1
const weights = { fit: 6, rank: 1, kind: 9, last: 4, wrongSort: 6, head: 1, mention: 2 };

let loaded: Promise<Encoder<string>> | undefined;
const encode = async (text: string): Promise<Float32Array> => {
  loaded ??= encoder("hash", { dim: 1024 });
  return (await loaded).encode([text]);
};
// Owner: the graph; dropped with it. Key: the text, which is a relation with a kind of entity: as many as the graph has sorts of edges.
const sortVectors = new WeakMap<Graph, Map<string, Promise<Float32Array>>>();

/** [1024] vector of an edge's relation and the kind of its tail. */
function vectorOf(graph: Graph, { relationLabel, tail }: Triple): Promise<Float32Array> {
  const text = contentWords(`${relationLabel} ${graph.entity(tail).kind}`);
  const vectors = sortVectors.get(graph) ?? new Map<string, Promise<Float32Array>>();
  sortVectors.set(graph, vectors);
  const vector = vectors.get(text) ?? encode(text);
  vectors.set(text, vector);
  return vector;
}

/** The triples of a hit; of a path without them, the first edge of the graph between each two entities, as `graph.text` reads it. */
function triplesOf({ triple, path, pathTriples }: Hit, graph: Graph): readonly string[] {
  if (triple !== undefined) return [triple];
  if (pathTriples || !path) return pathTriples ?? [];
  return path.slice(1).map((b, i) => {
    const edge = graph.neighbours(path[i] as string, { direction: "both" }).find((n) => n.entity === b);
    if (!edge)
      throw new MkgError(
        "readEvidence",
        `no triple joins ${quote(path[i])} and ${quote(b)}`,
        "A path follows triples of the graph",
      );
    return edge.triple;
  });
}

/**
 * Everything that the hits offer as an answer to the question, most probable first: labels of entities, conditions of edges,
 * relation labels where a relation is asked for, and for a hit that is text, that text. Nothing else, and nothing that the
 * question itself says. Scores: fit of the question to the edge that leads there, rank of the hit, whether the noun asked
 * for is the entity's kind, whether the edge ends its path, tails before heads, and for conditions and relations whether the
 * question names the tail; a softmax over all, summed where several hits offer the same.
 * O(edges in the hits).
 */
export async function readEvidence(question: string, hits: readonly Hit[], graph: Graph): Promise<Candidate[]> {
  const asked = askedFor(question);
  const noun = nounAsked(question);
  const questions = new Map<string, Float32Array>(); // the question without the head's name, by that name
  const offers: { text: string; rank: number; logit: number }[] = [];
  const offer = (text: string, rank: number, logit: number) => {
    if (words(text).length > 0 && !standsIn(text, question))
      offers.push({ text, rank, logit: logit - weights.rank * Math.log(rank) });
  };
  for (const [i, hit] of hits.entries()) {
    const rank = i + 1;
    if (hit.text !== undefined) offer(hit.text, rank, 0);
    if (hit.passage !== undefined && graph.has(hit.passage)) {
      // a passage stands in the graph under its own id, with its text as description
      const { label, description } = graph.entity(hit.passage);
      offer(label, rank, 0);
      offer(whatItIs(label, description), rank, 0);
    }
    const triples = triplesOf(hit, graph);
    if (hit.path?.length === 1) {
      const { label, description } = graph.entity(hit.path[0] as string);
      offer(label, rank, 0);
      if (asked === "entity") offer(whatItIs(label, description), rank, 0);
    }
    for (const [at, id] of triples.entries()) {
      const t = graph.triple(id);
      const head = graph.entity(t.head);
      const tail = graph.entity(t.tail);
      const q = questions.get(head.label) ?? (await encode(contentWords(question, head.label)));
      questions.set(head.label, q);
      const fit =
        weights.fit * dot(q, 0, await vectorOf(graph, t), 0, q.length) + (at === triples.length - 1 ? weights.last : 0);
      const sort = (s: Asked) => (s === asked ? 0 : -weights.wrongSort);
      const kind = (k: string) => (k !== "" && words(noun).some((w) => words(k).includes(w)) ? weights.kind : 0);
      offer(tail.label, rank, fit + sort("entity") + kind(tail.kind));
      if (at === 0) offer(head.label, rank, fit + sort("entity") + kind(head.kind) - weights.head);
      const named = weights.mention * shareSaid(tail.label, head.label, question);
      if (t.condition !== "") offer(t.condition, rank, fit + named + sort("condition"));
      if (asked === "relation") offer(t.relationLabel, rank, fit + named);
    }
  }
  return merge(question, offers);
}

function merge(question: string, offers: readonly { text: string; rank: number; logit: number }[]): Candidate[] {
  const largest = offers.reduce((a, o) => Math.max(a, o.logit), Number.NEGATIVE_INFINITY);
  const merged = new Map<string, { text: string; weight: number; ranks: Set<number> }>();
  let total = 0;
  for (const { text, rank, logit } of offers) {
    const weight = Math.exp(logit - largest);
    total += weight;
    const key = answerKey(text, question);
    const same = merged.get(key);
    if (same) {
      same.weight += weight;
      same.ranks.add(rank);
    } else merged.set(key, { text, weight, ranks: new Set([rank]) });
  }
  return [...merged]
    .map(([key, { text, weight, ranks }]) => ({
      key,
      text,
      probability: weight / total,
      ranks: [...ranks].sort((a, b) => a - b),
    }))
    .sort((a, b) => b.probability - a.probability || byCodeUnit(a.key, b.key));
}
