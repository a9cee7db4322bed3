import type { Query, Random } from "../core/index.js";
import type { Graph, Neighbour } from "../graph/index.js";

/** A path under construction, as agents see it: frozen, one edge longer than its `parent`. */
export interface PathView {
  /** Id of its last entity. */
  readonly entity: string;
  /** Id of its last triple; null on the topic, which no edge leads to. */
  readonly triple: string | null;
  readonly parent: PathView | null;
  /** Number of edges. */
  readonly depth: number;
  /** What the validation agent gave it; null while it is being validated. */
  readonly score: number | null;
  /** Entity ids, topic first. O(depth) each time. */
  readonly entities: readonly string[];
  /** Triple ids, one fewer than entities. O(depth) each time. */
  readonly triples: readonly string[];
}

/** How well the query fits parts of the graph; computed once per query or per entity, then kept. */
export interface Similarity {
  /** The entity that the query names or, failing that, resembles most; null on a graph without edges. */
  topic(
    query: Query,
  ): Promise<{ readonly entity: string; readonly by: "mention" | "similarity"; readonly score: number } | null>;
  /**
   * Fit of the query's text to each outgoing edge of `entity`, in `neighbours` order: cosine with the edge's sort (relation, kind of
   * tail, whether conditional), plus `mentionWeight` times the share of the tail's label or of the condition that the query says.
   */
  edges(query: Query, topic: string, entity: string): Promise<Float64Array>;
  /** Cosine of the query text, the entity's name taken out, with the entity's kind or with its description, whichever is larger. */
  entity(query: Query, entity: string): Promise<number>;
  /** Whether the query has frames that some entity's can be compared with. */
  shows(query: Query): Promise<boolean>;
  /**
   * Late interaction of the query's selected frames with each entity's: mean over query frames of the largest cosine over the
   * entity's frames; null where either side has none.
   */
  images(query: Query, entities: readonly string[]): Promise<readonly (number | null)[]>;
}

/** What every agent sees. */
export interface AgentView {
  readonly query: Query;
  readonly graph: Graph;
  readonly similarity: Similarity;
  readonly options: Readonly<WalkOptions>;
  readonly signal: AbortSignal;
}

export type TopicView = AgentView;

export interface ExpansionView extends AgentView {
  readonly topic: string;
  readonly path: PathView;
  /** Outgoing edges of the path's last entity. */
  readonly edges: readonly Neighbour[];
  /** The path in words. */
  readonly memory: string;
}

export interface ValidationView extends AgentView {
  readonly topic: string;
  /** The path with the edge in question at its end. */
  readonly path: PathView;
  /** The path in words. */
  readonly memory: string;
}

/** `unclear` drops the path, as a reply that is neither yes nor no does in the released code. */
export interface Verdict {
  readonly verdict: "sufficient" | "insufficient" | "unclear";
  /** Finite; larger is better. A recorded path's score in the ranking. */
  readonly score: number;
}

/** The decisions of a walk. Each is a function of its frozen view alone. */
export interface Agents {
  /** Which entity the walk starts from; null when none fits. */
  topic(view: TopicView): Promise<string | null> | string | null;
  /** Ids of the triples to follow, best first. */
  expansion(view: ExpansionView): Promise<readonly string[]> | readonly string[];
  /** Whether the path is enough to answer. */
  validation(view: ValidationView): Promise<Verdict> | Verdict;
}

export interface WalkOptions {
  readonly order: string;
  readonly pathCount: number;
  readonly cap: "strict" | "entry";
  readonly cycles: "skip" | "record";
  readonly phaseRule: "one" | "released" | "off";
  readonly maxDepth: number;
  readonly maxCalls: number;
  readonly keyFrames: string;
  readonly textEncoder: string;
  readonly imageEncoder: string;
  readonly breadth: number;
  readonly margin: number;
  readonly temperature: number;
  readonly mentionWeight: number;
  readonly imageWeight: number;
  readonly lookahead: number;
  readonly threshold: number;
}

/** What a walk needs around a query; a retriever's context has it all. */
export interface WalkContext {
  readonly graph: Graph;
  /** What {@link prepareWalk} returned. */
  readonly state: unknown;
  /** Hits wanted at most. */
  readonly k: number;
  readonly random: Random;
  readonly signal: AbortSignal;
}
