import { byCodeUnit, MkgError, quote, refuseUnknown } from "../core/index.js";
import { type Measure, type MeasureSpec, valueFor } from "./measure.js";
import { toMeasures } from "./measures.js";
import { type Qrels, readQrels, readRunFile } from "./trec.js";

/** One measure of a run file over the judged queries. */
export interface FileResult {
  /** Mean over all judged queries; those that the run does not have count 0. */
  readonly mean: number;
  /** Judged queries. */
  readonly n: number;
  /** Judged queries that the run does not have. */
  readonly missing: number;
  /** Queries of the run without judgements: left out. */
  readonly ignored: number;
  /** By query id, in code-unit order of the ids. */
  readonly perQuery: ReadonlyMap<string, number>;
}

/**
 * Evaluates a TREC run file against a qrels file with the conventions of `trec_eval -c`: the mean is over all judged
 * queries, those missing from the run count 0 (and are counted), a query without relevant documents counts 0, a
 * document without a judgement is not relevant, ties go by id descending byte by byte (see {@link readRunFile}).
 *
 * Cost: linear in lines, plus a sort of each query whose lines are not in order.
 *
 * @param input `qrels` and `run`: paths, or `qrels` already read; `measures`: names of ranking measures, or such measures.
 * @returns Results by measure name, in the order asked for. Fractions.
 * @throws MkgError for unknown options and measures, those that need more than a ranking, and malformed files (file, line).
 * @example
 * // qrels.txt: 1 0 a 1            run.txt: 1 Q0 b 1 2.5 mine
 * //                                       1 Q0 a 2 1.5 mine
 * (await evaluateFiles({ qrels: "qrels.txt", run: "run.txt", measures: ["RR"] })).RR;
 * // { mean: 0.5, n: 1, missing: 0, ignored: 0, perQuery: Map(1) { "1" => 0.5 } }
 */
export async function evaluateFiles(input: {
  readonly qrels: string | Qrels;
  readonly run: string;
  readonly measures: readonly (string | Measure)[];
}): Promise<Record<string, FileResult>> {
  const place = "evaluateFiles";
  refuseUnknown(place, input, ["qrels", "run", "measures"], "option");
  const measures = toMeasures(place, input.measures).map((measure) => ranking(place, measure));
  const qrels = typeof input.qrels === "string" ? await readQrels(input.qrels) : input.qrels;
  const run = await readRunFile(input.run);
  const queries = [...qrels.keys()].sort(byCodeUnit);
  const missing = queries.filter((query) => !run.has(query)).length;
  let ignored = 0;
  for (const query of run.keys()) if (!qrels.has(query)) ignored++;
  const results: Record<string, FileResult> = {};
  for (const measure of measures) {
    const perQuery = new Map<string, number>();
    for (const query of queries) {
      const found = run.get(query);
      const grades = qrels.get(query) as ReadonlyMap<string, number>;
      const value = found ? await valueFor(measure, { ranking: found.ids, grades }, query) : 0;
      if (value === null)
        throw new MkgError(
          place,
          `${measure.name} is undefined for query ${quote(query)}`,
          "",
          "Let it return a number for every judged query",
        );
      perQuery.set(query, value);
    }
    let sum = 0;
    for (const value of perQuery.values()) sum += value;
    results[measure.name] = { mean: sum / queries.length, n: queries.length, missing, ignored, perQuery };
  }
  return results;
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
