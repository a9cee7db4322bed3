import type { Answer, Evidence, OptionSpecs, Query, Question, Random } from "../core/index.js";
import type { Graph } from "../graph/index.js";

export interface ReaderContext {
  readonly graph: Graph;
  readonly state: unknown;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** What a reader may learn from: the training split, never the questions it is tested on. */
export interface FitContext {
  readonly train: readonly Question[];
  /** The training split's graph. */
  readonly graph: Graph;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** Answers a query from evidence. */
export interface Reader {
  (query: Query, evidence: Evidence, context: ReaderContext): Answer | Promise<Answer>;
  readonly label?: string;
  readonly version?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Present when the reader learns: called once with the training split. */
  readonly fit?: (context: FitContext) => unknown | Promise<unknown>;
}

export interface ReaderEntry {
  readonly name: string;
  readonly version: string;
  readonly citation: string;
  readonly options: OptionSpecs;
  fit?(context: FitContext, options: Readonly<Record<string, unknown>>): unknown | Promise<unknown>;
  read(
    query: Query,
    evidence: Evidence,
    context: ReaderContext,
    options: Readonly<Record<string, unknown>>,
  ): Answer | Promise<Answer>;
}
