import { byCodeUnit, MkgError, type OptionSpecs, oneOf, quote, refuseUnknown, resolveOptions } from "../core/index.js";
import { type Measure, type MeasureSpec, valueFor } from "./measure.js";
import { toMeasures } from "./measures.js";
import { type Qrels, type RankedList, type RunFileOptions, readQrels, readRunFile, runFileOptions } from "./trec.js";

/** One measure of a run file over the judged queries. */
export interface FileResult {
  /** Mean over `n` queries: by default all judged ones, where those that the run does not have count 0. */
  readonly mean: number;
  /** Queries of the mean. */
  readonly n: number;
  /** Judged queries that the run does not have. */
  readonly missing: number;
  /** Queries of the run without judgements: left out. */
  readonly ignored: number;
  /** By query id, in code-unit order of the ids. */
  readonly perQuery: ReadonlyMap<string, number>;
}

/** Conventions where evaluation tools differ; the defaults are those of `trec_eval -c`. */
export interface Conventions extends RunFileOptions {
  /** A judged query that the run lacks: `zero` (default) counts 0, `skip` leaves it out of the mean, `error` stops. */
  readonly missing?: "zero" | "skip" | "error";
  /** Documents without a judgement: `irrelevant` (default), or `skip`: the lists are condensed to judged documents (Sakai 2007, doi 10.1145/1277741.1277756). */
  readonly unjudged?: "irrelevant" | "skip";
}

export const conventionOptions: OptionSpecs = {
  missing: oneOf(["zero", "skip", "error"], {
    default: "zero",
    doc: "a judged query that the run lacks: counts 0 as in trec_eval -c, is left out of the mean as without -c, or is an error",
  }),
  unjudged: oneOf(["irrelevant", "skip"], {
    default: "irrelevant",
    doc: "documents without a judgement: irrelevant as in trec_eval, or left out of the lists (condensed lists)",
  }),
  ...runFileOptions,
};

/**
 * Evaluates a TREC run file against a qrels file with the conventions of `trec_eval -c`: the mean is over all judged
 * queries, those missing from the run count 0 (and are counted), a query without relevant documents counts 0, a
 * document without a judgement is not relevant, ties go by id descending byte by byte (see {@link readRunFile}).
 * {@link Conventions} names the alternatives.
 *
 * Cost: linear in lines, plus a sort of each query whose lines are not in order.
 *
 * @param input `qrels` and `run`: paths, or what {@link readQrels} and {@link readRunFile} give (then without `ties` and `duplicates`, which are of
 *   reading); `measures`: names of ranking measures, or such measures; and conventions.
 * @returns Results by measure name, in the order asked for. Fractions. `n` counts the queries of the mean.
 * @throws MkgError for unknown options and measures, those that need more than a ranking, malformed files (file, line), and where nothing is left to average.
 * @example
 * // qrels.txt: 1 0 a 1            run.txt: 1 Q0 b 1 2.5 mine
 * //                                       1 Q0 a 2 1.5 mine
 * (await evaluateFiles({ qrels: "qrels.txt", run: "run.txt", measures: ["RR"] })).RR;
 * // { mean: 0.5, n: 1, missing: 0, ignored: 0, perQuery: Map(1) { "1" => 0.5 } }
 */
export async function evaluateFiles(
  input: {
    readonly qrels: string | Qrels;
    readonly run: string | ReadonlyMap<string, RankedList>;
    readonly measures: readonly (string | Measure)[];
  } & Conventions,
): Promise<Record<string, FileResult>> {
  const place = "evaluateFiles";
  refuseUnknown(place, input, ["qrels", "run", "measures", ...Object.keys(conventionOptions)], "option");
  const { qrels: qrelsInput, run: runInput, measures: named, ...rest } = input;
  const {
    missing: rule,
    unjudged,
    ...reading
  } = resolveOptions(place, conventionOptions, rest as Record<string, unknown>);
  if (typeof runInput !== "string" && (rest.ties !== undefined || rest.duplicates !== undefined))
    throw new MkgError(place, "ties and duplicates with a run that is read already", "", "Give them to readRunFile");
  const measures = toMeasures(place, named).map((measure) => ranking(place, measure));
  const qrels = typeof qrelsInput === "string" ? await readQrels(qrelsInput) : qrelsInput;
  const run = typeof runInput === "string" ? await readRunFile(runInput, reading as RunFileOptions) : runInput;
  const judged = [...qrels.keys()].sort(byCodeUnit);
  const lacking = judged.filter((query) => !run.has(query));
  if (rule === "error" && lacking.length > 0)
    throw new MkgError(
      place,
      `the run lacks ${lacking.length} of ${judged.length} judged queries (${lacking.slice(0, 3).map(quote).join(", ")} …)`,
      "Every judged query, under missing: error",
      "Look for failed questions, or say missing: zero or skip",
    );
  const queries = rule === "skip" ? judged.filter((query) => run.has(query)) : judged;
  if (queries.length === 0)
    throw new MkgError(
      place,
      "the run has none of the judged queries",
      "",
      "Check that both files use the same query ids",
    );
  let ignored = 0;
  for (const query of run.keys()) if (!qrels.has(query)) ignored++;
  const values = measures.map(() => new Map<string, number>());
  for (const query of queries) {
    const grades = qrels.get(query) as ReadonlyMap<string, number>;
    const found = run.get(query);
    const ids = unjudged === "skip" ? found?.ids.filter((id) => grades.has(id)) : found?.ids;
    const own = ids && { ranking: ids, grades };
    for (const [i, measure] of measures.entries()) {
      const value = own ? await valueFor(measure, own, query) : 0;
      if (value === null)
        throw new MkgError(
          place,
          `${measure.name} is undefined for query ${quote(query)}`,
          "",
          "Let it return a number for every judged query",
        );
      values[i]?.set(query, value);
    }
  }
  return Object.fromEntries(
    measures.map(({ name }, i) => {
      const perQuery = values[i] as Map<string, number>;
      let sum = 0;
      for (const value of perQuery.values()) sum += value;
      return [name, { mean: sum / queries.length, n: queries.length, missing: lacking.length, ignored, perQuery }];
    }),
  );
}

function ranking(place: string, measure: Measure): Required<MeasureSpec<"ranking">> {
  if (measure.needs !== "ranking")
    throw new MkgError(
      place,
      `${measure.name} cannot be computed from run files (it needs ${quote(measure.needs)})`,
      "Measures of a ranking, such as nDCG@10, P@5, R@100, RR, AP",
    );
  return measure as Required<MeasureSpec<"ranking">>;
}
