import type { Evidence, Gold, Hit, OptionSpecs, Query, Random } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";
import type { Folders } from "../embed/index.js";
import type { Graph } from "../graph/index.js";

/** What a retriever may see besides the query. Holds no question, no answer, no gold. */
export interface RetrieverContext {
  readonly graph: Graph;
  /** What may be ranked under the setting, in corpus order. */
  readonly candidates: readonly Candidate[];
  /** What this retriever's `prepare` returned; undefined for a bare function. */
  readonly state: unknown;
  /** Hits wanted at most. */
  readonly k: number;
  /** Seeded by run seed and question: the same at any concurrency. */
  readonly random: Random;
  readonly signal: AbortSignal;
}

export interface PrepareContext {
  readonly graph: Graph;
  readonly candidates: readonly Candidate[];
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Where vectors are kept and models are found; without it nothing is kept and models are looked up where encoders say. */
  readonly folders?: Folders;
}

/**
 * Finds evidence for one query. A plain function is a whole retriever; `retriever(name)` and `defineRetriever` add the
 * fields, which make its results storable across sessions.
 */
export interface Retriever {
  (query: Query, context: RetrieverContext): readonly Hit[] | Evidence | Promise<readonly Hit[] | Evidence>;
  /** Shown in tables; a bare function's own name otherwise. */
  readonly label?: string;
  readonly version?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Built once per data set and setting, then given to every search as `state`. */
  readonly prepare?: (context: PrepareContext) => unknown;
}

/** An entry of the table of retrievers. */
export interface RetrieverEntry {
  readonly name: string;
  readonly version: string;
  readonly citation: string;
  readonly options: OptionSpecs;
  /**
   * Options that are code, such as the agents of the walk. Code has no identity that outlasts the process, so a retriever
   * that is given any is treated like a bare function: its results are not stored.
   */
  readonly parts?: OptionSpecs;
  /** How it is shown, when the options matter: `text (hash)`. */
  label?(options: Readonly<Record<string, unknown>>): string;
  prepare?(context: PrepareContext, options: Readonly<Record<string, unknown>>): unknown;
  search(
    query: Query,
    context: RetrieverContext,
    options: Readonly<Record<string, unknown>>,
  ): readonly Hit[] | Evidence | Promise<readonly Hit[] | Evidence>;
}

/** The door by which controls, and only controls, reach gold: see control.ts. */
export type GoldSearch = (
  query: Query,
  context: RetrieverContext,
  gold: { readonly gold: Gold; readonly answers: readonly string[] },
) => Promise<Evidence>;
