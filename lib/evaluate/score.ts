import { type ColumnTable, table } from "arquero";
import {
  type Hit,
  hitId,
  MkgError,
  type Question,
  quote,
  refuseUnknown,
  type Score,
  type ScoreStatus,
} from "../core/index.js";
import { type Dataset, relevantTriples } from "../datasets/index.js";
import { type Measure, type MeasureInputs, valueFor } from "./measure.js";
import { toMeasures } from "./measures.js";
import type { Run, RunItem } from "./run.js";

export interface ScoreOptions {
  readonly signal?: AbortSignal;
}

/** Either the input of a measure, or why there is none. */
type Prepared = { readonly input: MeasureInputs[keyof MeasureInputs] } | { readonly status: ScoreStatus };
const without = (status: ScoreStatus): Prepared => ({ status });

/**
 * Scores a run, or several, against what the data set knows to be right. Needs no model and no network.
 *
 * Long rows `{run, question, group, cluster, seed, measure, value, status}`: one per item and measure, items in the
 * run's order. `question` is the id under the run's setting, as in `run.get`. Values are fractions, null unless `status` is
 * - `ok`;
 * - `not-computed`: the question has no gold of the kind, no reader ran, or the run holds no evidence of the kind
 *   (a run of passages has no paths, a path without triple ids cannot be judged by triples);
 * - `undefined`: the measure has no value here;
 * - `failed`: the retriever or the reader broke on the question.
 *
 * Ranking measures judge the triples of the hits in rank order, path hits flattened, each triple at its first
 * occurrence, against `gold.triples`, or the triples of the gold paths where there are none; and hits that are passages
 * against `gold.passages`, of a run that holds any. Other hits keep their rank and are not relevant. Path measures judge the hits that are paths. An abstention earns 0 in EM, F1 and
 * Contains, with status `ok`.
 *
 * Cost: items × measures, linear in hits.
 *
 * @param run One run or several; give several different labels or seeds.
 * @param dataset Holds the questions of the run; usually `run.dataset`, or one with corrected gold.
 * @param measures Names such as "nDCG@10", or measures from `defineMeasure`.
 * @throws MkgError for an unknown measure or option, or a question that the data set does not have.
 * @example
 * const scores = await score(run, dataset, ["nDCG@10", "EM"]);
 * scores.objects({ limit: 1 });
 * // [ { run: "bm25", question: "q1", group: "I", cluster: "Lumo", seed: 0, measure: "nDCG@10", value: 0.63, status: "ok" } ]
 */
export async function score(
  run: Run | readonly Run[],
  dataset: Dataset,
  measures: readonly (string | Measure)[],
  options: ScoreOptions = {},
): Promise<ColumnTable> {
  refuseUnknown("score", options, ["signal"], "option");
  const wanted = toMeasures("score", measures);
  const questions = new Map(dataset.questions.map((question) => [question.id, question]));
  const rows: Score[] = [];
  for (const one of Array.isArray(run) ? (run as readonly Run[]) : [run as Run]) {
    const kinds = kindsOf(one);
    for (const item of one.items) {
      options.signal?.throwIfAborted();
      const question = questions.get(item.question);
      if (!question)
        throw new MkgError(
          "score",
          `run ${quote(one.label)} has a question that the data set does not (${quote(item.question)})`,
          `Questions of ${dataset.name}, split ${dataset.split}`,
          "Score a run with the data set and split that it was made from",
        );
      const prepared = new Map<string, Prepared>();
      for (const measure of wanted) {
        const key = `${measure.needs} ${measure.gold}`;
        if (!prepared.has(key)) prepared.set(key, prepare(measure, item, question, kinds));
        const { value, status } = await outcome(measure, prepared.get(key) as Prepared, item.id);
        rows.push({
          run: one.label,
          question: item.id,
          group: question.group,
          cluster: question.cluster,
          seed: one.seed,
          measure: measure.name,
          value,
          status,
        });
      }
    }
  }
  const column = <K extends keyof Score>(name: K): Score[K][] => rows.map((row) => row[name]);
  return table({
    run: column("run"),
    question: column("question"),
    group: column("group"),
    cluster: column("cluster"),
    seed: column("seed"),
    measure: column("measure"),
    value: column("value"),
    status: column("status"),
  });
}

async function outcome(
  measure: Measure,
  prepared: Prepared,
  question: string,
): Promise<{ value: number | null; status: ScoreStatus }> {
  if ("status" in prepared) return { value: null, status: prepared.status };
  const value = await valueFor(measure as never, prepared.input as never, question);
  return { value, status: value === null ? "undefined" : "ok" };
}

interface Kinds {
  readonly triples: boolean;
  readonly passages: boolean;
  readonly paths: boolean;
  /** Triples that may be ranked under a named setting; what cannot be ranked is not relevant there. */
  readonly rankable: ReadonlySet<string> | undefined;
}

/** Which kinds of measure fit a run's evidence. One without any hit fits both: nothing was found. */
function kindsOf(run: Run): Kinds {
  let hits = 0;
  let triples = false;
  let passages = false;
  let paths = false;
  const { name, candidates } = run.setting;
  const rankable = name === "all" ? undefined : new Set(candidates.flatMap(({ triple }) => triple ?? []));
  for (const { evidence } of run.items)
    for (const hit of evidence?.hits ?? []) {
      hits++;
      if (hit.path) paths = true;
      if (hit.path || hit.triple !== undefined) triples = true;
      if (hit.passage !== undefined) passages = true;
    }
  return hits === 0 ? { triples: true, passages: true, paths: true, rankable } : { triples, passages, paths, rankable };
}

function prepare({ needs, gold }: Measure, item: RunItem, question: Question, kinds: Kinds): Prepared {
  if (needs === "answer") return prepareAnswer(item, question, gold);
  if (needs === "paths") {
    const wanted = question.gold?.paths ?? [];
    if ((gold && wanted.length === 0) || !kinds.paths) return without("not-computed");
    if (!item.evidence) return without("failed");
    return { input: { paths: item.evidence.hits.flatMap((hit) => (hit.path ? [hit.path] : [])), gold: wanted } };
  }
  const wanted = goldDocuments(question, kinds);
  if (gold ? wanted.length === 0 : !(kinds.triples || kinds.passages)) return without("not-computed");
  if (!item.evidence) return without("failed");
  const ranking = ranked(item.evidence.hits);
  if (!ranking) return without("not-computed");
  return { input: { ranking, grades: new Map(wanted.map((id) => [id, 1])) } };
}

function prepareAnswer({ evidence, answer, error }: RunItem, question: Question, gold: boolean): Prepared {
  const accepted = question.answers.filter((text) => text.trim() !== "");
  if (gold && accepted.length === 0) return without("not-computed");
  if (answer?.status === "failed" || (!answer && (error !== undefined || !evidence))) return without("failed");
  if (!answer) return without("not-computed");
  return { input: { text: answer.status === "abstained" ? null : (answer.text ?? ""), accepted } };
}

/** The relevant ids among the kinds of document that the run holds and the rows that its setting ranks, as {@link ranked} writes them. */
const goldDocuments = (question: Question, kinds: Kinds): readonly string[] => [
  ...(kinds.triples ? relevantTriples(question).filter((id) => kinds.rankable?.has(id) ?? true) : []),
  ...(kinds.passages ? (question.gold?.passages ?? []) : []).map((passage) => apart({ score: 0, passage })),
];

/** The id of a hit that is no triple; the prefix keeps a passage's id apart from a triple's. */
const apart = (hit: Hit): string => `\0${hitId(hit)}`;

/** Ids in rank order, each once; undefined when a path does not say which triples it runs along. */
function ranked(hits: readonly Hit[]): string[] | undefined {
  const ids = new Set<string>();
  for (const hit of hits) {
    if (hit.path) {
      if (!hit.pathTriples && hit.path.length > 1) return undefined;
      for (const id of hit.pathTriples ?? []) ids.add(id);
    } else if (hit.triple !== undefined) ids.add(hit.triple);
    else ids.add(apart(hit)); // holds its rank, relevant or not
  }
  return [...ids];
}
