import type { ColumnTable } from "arquero";
import type { Score } from "../core/index.js";

/** Score rows as a table or an array. Columns `group`, `cluster`, `seed` and `status` may be absent, others may be there. */
export type Scores = ColumnTable | readonly Pick<Score, "run" | "question" | "measure" | "value">[];

/**
 * Mean of one measure over the questions of one run, or of one part of them.
 * `nMissing` questions are left out, `nFailed` of them because the run failed on them.
 */
export interface Interval {
  readonly run: string;
  readonly measure: string;
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Questions averaged. */
  readonly n: number;
  readonly nMissing: number;
  readonly nFailed: number;
  readonly clusters: number;
  readonly method: "wilson" | "wilson-clusters" | "cluster-t" | null;
  /** `not-computed`: no question has a value; `undefined`: there is a mean, but no interval can be told from the data. */
  readonly status: "ok" | "undefined" | "not-computed";
  /** What to know before believing the interval; null when there is nothing. */
  readonly warning: string | null;
}

/** Run `b` against baseline `a` on the questions that both have. */
export interface Comparison {
  readonly a: string;
  readonly b: string;
  readonly measure: string;
  /** Mean of b − a over the paired questions. */
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly p: number | null;
  readonly pAdjusted: number | null;
  /** Difference over the standard deviation of the questions' differences. */
  readonly effect: number | null;
  /** Least difference that a two-sided 5 % t test would find with probability 0.8, given the spread seen. */
  readonly mde: number | null;
  readonly n: number;
  /** Questions of either run that are not paired: absent from one, or without a value. */
  readonly nMissing: number;
  readonly clusters: number;
  readonly test: "permutation" | "mcnemar" | null;
  readonly status: "ok" | "not-computed";
  /** What to know before believing the row; null when there is nothing. */
  readonly warning: string | null;
}
