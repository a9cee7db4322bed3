import { type ColumnTable, table } from "arquero";
import { MkgError, positiveInteger, type Query, refuseUnknown } from "../core/index.js";
import { type Dataset, type SettingName, toQuery } from "../datasets/index.js";
import type { Folders } from "../embed/index.js";
import { resolveRetriever } from "./define.js";
import { idsOf, toEvidence } from "./hits.js";
import { searchContext } from "./run.js";
import type { Retriever } from "./types.js";

/**
 * Queries per second as a service would answer them (the protocol of MKG-RAG-Bench 2026, arXiv 2606.26458, table 8): one query at a time, index and
 * vectors of the graph ready, the retriever warmed up by a pass over all questions; then `rounds` (5) passes, each with one number. A question's text and picture are
 * encoded each time, as new ones would be. Times are of this machine and this moment: they belong in no test, and beside their environment.
 *
 * @returns Rows `{retriever, setting, k, n, qps, low, high, rounds}`: the median of the passes and their quartiles; n questions a pass.
 * @throws MkgError for an unknown option; for a retriever that fails on a question, whose time would say nothing.
 * @example
 * (await throughput(dataset, [retriever("bm25")], { setting: "S2" })).print();
 * // │ bm25 │ S2 │ 100 │ 96 │ 5210 │ 5130 │ 5260 │ 5 │
 */
export async function throughput(
  dataset: Dataset,
  retrievers: readonly Retriever[],
  options: {
    readonly setting?: SettingName;
    readonly k?: number;
    readonly rounds?: number;
    readonly seed?: number;
    readonly folders?: Folders;
    readonly signal?: AbortSignal;
  } = {},
): Promise<ColumnTable> {
  const place = "throughput";
  refuseUnknown(place, options, ["setting", "k", "rounds", "seed", "folders", "signal"], "option");
  const k = positiveInteger(place, "k", options.k ?? 100);
  const rounds = positiveInteger(place, "rounds", options.rounds ?? 5);
  const { signal = new AbortController().signal, seed = 0, setting, folders } = options;
  if (!Array.isArray(retrievers) || retrievers.length === 0)
    throw new MkgError(place, "no retrievers", "A list of them");
  const view = dataset.setting(setting);
  const rows: Row[] = [];
  for (const one of retrievers) {
    const { label } = resolveRetriever(one);
    const { candidates, context } = await searchContext(dataset, one, { setting, k, seed, folders, signal });
    const scope = { graph: dataset.graph, ...idsOf(candidates), setting: view.name, k };
    const pass = async (): Promise<number> => {
      // new objects: what is kept by query or picture is made again
      const queries = view.questions.map(({ question }) => fresh(toQuery(dataset, question)));
      const start = performance.now();
      for (const [i, query] of queries.entries()) {
        signal.throwIfAborted();
        toEvidence(
          `${label}, question ${view.questions[i]?.id}`,
          await one(query, context(view.questions[i]?.question.id as string)),
          scope,
        );
      }
      return queries.length / ((performance.now() - start) / 1000);
    };
    await pass();
    const measured: number[] = [];
    for (let i = 0; i < rounds; i++) measured.push(await pass());
    measured.sort((a, b) => a - b);
    const quantile = (p: number) => measured[Math.round(p * (measured.length - 1))] as number;
    rows.push({
      retriever: label,
      setting: view.name,
      k,
      n: view.questions.length,
      qps: quantile(0.5),
      low: quantile(0.25),
      high: quantile(0.75),
      rounds,
    });
  }
  const column = <K extends keyof Row>(name: K) => rows.map((row) => row[name]);
  return table({
    retriever: column("retriever"),
    setting: column("setting"),
    k: column("k"),
    n: column("n"),
    qps: column("qps"),
    low: column("low"),
    high: column("high"),
    rounds: column("rounds"),
  });
}

interface Row {
  readonly retriever: string;
  readonly setting: string;
  readonly k: number;
  readonly n: number;
  readonly qps: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
}

const fresh = (query: Query): Query =>
  Object.freeze({ ...query, images: Object.freeze(query.images.map((image) => Object.freeze({ ...image }))) });
