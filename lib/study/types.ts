import type { ColumnTable } from "arquero";
import type { Answer, Evidence, Query } from "../core/index.js";
import type { Dataset } from "../datasets/index.js";
import type { venues } from "../figure/index.js";
import type { ExecuteOptions } from "./execute.js";
import type { Plan, StudySpec } from "./spec.js";

/** A study: planned when made, then run, then read. */
export interface Study {
  readonly spec: StudySpec;
  readonly plan: Plan;
  readonly dir: string;
  /** Runs what is not stored yet and scores everything; resumable: call it again after an interruption. */
  run(options?: ExecuteOptions): Promise<Study>;
  /** The split that was run. */
  readonly dataset: Dataset;
  /** Long score rows with the cell's `factor`, `level`, `baseline` and the crossed factors. */
  readonly rows: ColumnTable;
  /** Columns run, question, seed, text, status, stop, correct (EM is 1; null without a reader or answers). */
  readonly answers: ColumnTable;
  readonly spend: ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** One row per cell and measure: mean with its interval (cut at the measure's range), n, nMissing, clusters. */
  table(): ColumnTable;
  /** Every cell against its baseline in every measure that compares with gold, one family for the correction. */
  compare(options?: { correction?: "holm" | "none"; seed?: number }): ColumnTable;
  /** Writes tables, comparisons, figures and `report.md` into `dir`: see {@link Report} for the paths. */
  report(options?: ReportOptions): Promise<Report>;
  /** Answered questions that the run got wrong, or could not answer, with question, answer and accepted answers. */
  failures(run?: string): ColumnTable;
  /** One question of one cell, run anew. */
  replay(
    run: string,
    questionId: string,
    seed?: number,
  ): Promise<{ query: Query; evidence: Evidence | null; answer: Answer | null; error?: string }>;
}

export interface Report {
  /** Path of report.md. */
  readonly report: string;
  /** Path of the score rows. */
  readonly scores: string;
  /** Paths of the figures' PNG files; the other forms stand beside them. */
  readonly figures: readonly string[];
  /** Every file written. */
  readonly files: readonly string[];
  /** Rows of the summary table. */
  readonly summary: readonly Readonly<Record<string, unknown>>[];
  /** What kind of data and intervals these are, in a line. */
  readonly caption: string;
}

export interface ReportOptions {
  /** What was asked for and does not apply, besides what the plan says. */
  readonly notApplicable?: Study["plan"]["notApplicable"];
  /** The command that makes the report, for its last line. */
  readonly command?: string;
  /** Width preset of the figures; "default" unless told. */
  readonly venue?: keyof typeof venues;
}
