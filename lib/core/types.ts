// The nouns that flow through every stage. Shapes only; the stage that makes each is named.

/** One picture: a still, or one frame of a clip. Bytes are read when asked for, never before. */
export interface Image {
  /** Opaque: says nothing about what is shown. */
  readonly id: string;
  /** Marked by a human annotator as a frame that tells; true for a single still. */
  readonly key: boolean;
  /** The encoded picture (PNG, JPEG …). */
  bytes(): Promise<Uint8Array>;
}

/** What is known to be right about a question. Never part of a {@link Query}. */
export interface Gold {
  /** Paths of entity ids, head first. */
  readonly paths?: readonly (readonly string[])[];
  /** Triple ids along each of `paths`. */
  readonly pathTriples?: readonly (readonly string[])[];
  /** Ids of the relevant triples. */
  readonly triples?: readonly string[];
  /** Ids of the passages that hold the answer. */
  readonly passages?: readonly string[];
}

/** One question of a data set. `group` is its kind (sub-task); `cluster` the unit of independence (say, the creature). */
export interface Question {
  readonly id: string;
  readonly text: string;
  /** The frames of the question's clip in time order, or its stills; empty for a text question. */
  readonly images: readonly Image[];
  /** Accepted answers; empty when the data set has none. */
  readonly answers: readonly string[];
  readonly group: string;
  readonly cluster: string;
  readonly gold?: Gold;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** The frozen view of a question that retrievers, gates, agents and readers get: no answer, no gold, no group, no cluster, an opaque id. */
export interface Query {
  readonly id: string;
  readonly text: string;
  readonly images: readonly Image[];
  /** Only the fields that the data set declares visible. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** One piece of evidence. Exactly one of `triple`, `path`, `passage`, `text` says what it is. */
export interface Hit {
  readonly score: number;
  /** Triple id. */
  readonly triple?: string;
  /** Entity ids, head first; one entity is a path of length 0. */
  readonly path?: readonly string[];
  /** Triple ids along `path`: one fewer than its entities. */
  readonly pathTriples?: readonly string[];
  /** Passage id. */
  readonly passage?: string;
  readonly text?: string;
  /** Which part of a pipeline found it. */
  readonly via?: string;
  readonly images?: readonly Image[];
}

/** What a retriever found: hits best first, ties by id ascending. */
export interface Evidence {
  readonly hits: readonly Hit[];
  /** What was done, step by step, as plain JSON. */
  readonly trace?: readonly unknown[];
  /** Cost by kind: calls, tokens, expanded nodes … */
  readonly spend?: Readonly<Record<string, number>>;
}

/** What a reader said. `abstained`: it chose not to answer; `failed`: it broke, and `stop` says how. */
export interface Answer {
  readonly text: string | null;
  readonly status: "ok" | "abstained" | "failed";
  /** Ranks (from 1) of the hits the answer rests on. */
  readonly citedRanks: readonly number[];
  readonly tokens: number;
  readonly costUsd: number;
  readonly stop: string;
  readonly trace?: readonly unknown[];
}

/** `not-computed`: the inputs were not there; `undefined`: the measure has no value here; `failed`: the part under test broke. */
export type ScoreStatus = "ok" | "not-computed" | "undefined" | "failed";

/** One long row: the value of one measure for one question under one run. `value` is null unless status is ok; fractions, not percent. */
export interface Score {
  readonly run: string;
  readonly question: string;
  readonly group: string;
  readonly cluster: string;
  readonly seed: number;
  readonly measure: string;
  readonly value: number | null;
  readonly status: ScoreStatus;
}

/** Stable identity of a hit, what duplicates are found by: a triple's id as it is, other kinds as JSON that names the kind. */
export const hitId = ({ triple, path, pathTriples = [], passage, text = "" }: Hit): string =>
  triple ?? JSON.stringify(passage !== undefined ? { passage } : path ? [path, pathTriples] : { text });

/** Code-unit order: the same on every machine, unlike `localeCompare`. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const isWhole = (id: string): boolean => id.length < 16 && /^(0|[1-9]\d*)$/.test(id);

/** Ids ascending: whole numbers by value (9 before 10) and before all else, the rest by code unit. A total order. */
function byId(a: string, b: string): number {
  const [m, n] = [isWhole(a), isWhole(b)];
  return m && n ? Number(a) - Number(b) : m === n ? byCodeUnit(a, b) : m ? -1 : 1;
}

/** Hits best first; equal scores by id ascending (whole numbers by value, the rest by code unit). Returns a new array. */
export function rankHits(hits: readonly Hit[]): Hit[] {
  const keyed = hits.map((hit) => ({ hit, own: hit.triple ?? hit.passage ?? hit.text ?? hitId(hit), id: hitId(hit) }));
  // a triple and a passage may have the same id of their own
  keyed.sort((a, b) => b.hit.score - a.hit.score || byId(a.own, b.own) || byCodeUnit(a.id, b.id));
  return keyed.map(({ hit }) => hit);
}

/** Whether a value is a picture: `{id, key, bytes()}`. */
export const isImage = (value: unknown): value is Image =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Image).id === "string" &&
  typeof (value as Image).key === "boolean" &&
  typeof (value as Image).bytes === "function";
