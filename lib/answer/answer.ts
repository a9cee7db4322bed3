import {
  type Answer,
  abortable,
  type Evidence,
  errorText,
  followed,
  MkgError,
  type OnProgress,
  Progress,
  type Query,
  quote,
  type Random,
  random,
  refuseUnknown,
} from "../core/index.js";
import type { Dataset } from "../datasets/index.js";
import { makeRun, type Run, type RunItem } from "../evaluate/index.js";
import { resolveReader } from "./table.js";
import type { Reader } from "./types.js";

const failed = (stop: string): Answer => ({
  text: null,
  status: "failed",
  citedRanks: [],
  tokens: 0,
  costUsd: 0,
  stop,
});

// Owner: the data set; dropped with it, or when the fit fails. Keyed by the fit itself, which readers that wrap another share with it.
const fits = new WeakMap<Dataset, WeakMap<NonNullable<Reader["fit"]>, Map<number, Promise<unknown>>>>();

function entry<K extends object, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

async function fitted(dataset: Dataset, reader: Reader, seed: number, signal: AbortSignal): Promise<unknown> {
  const { fit } = reader;
  if (!fit) return undefined;
  const bySeed = entry(
    entry(fits, dataset, () => new WeakMap()),
    fit,
    () => new Map<number, Promise<unknown>>(),
  );
  const known = bySeed.get(seed);
  if (known) return known;
  const run = async () => {
    const train = await dataset.splits.train();
    if (train.fingerprint === dataset.fingerprint)
      throw new MkgError(
        "prepareReader",
        `${quote(resolveReader(reader).label)} learns from the training split, and the questions under test are that split (${dataset.name}, ${dataset.split})`,
        "Another split than the one it is fitted on",
        "Use the test or the validation split",
      );
    if (train.questions.length === 0)
      throw new MkgError(
        "prepareReader",
        `the training split of ${quote(dataset.name)} has no questions, and ${quote(resolveReader(reader).label)} learns from it`,
        "",
        'Use a data set with a training split, or reader("extractive")',
      );
    return fit(Object.freeze({ train: train.questions, graph: train.graph, seed, signal }));
  };
  const state = run();
  bySeed.set(seed, state);
  state.catch(() => bySeed.delete(seed));
  return state;
}

/** What is wrong with a reply, if anything. */
function fault(reply: unknown, hits: number): string | undefined {
  if (typeof reply !== "object" || reply === null) return `the reader returned no answer (${quote(reply)})`;
  const { text, status, citedRanks, tokens, costUsd, stop } = reply as Partial<Answer>;
  if (status !== "ok" && status !== "abstained" && status !== "failed")
    return `the answer has a wrong status (${quote(status)})`;
  if (status === "ok" ? typeof text !== "string" : text !== null)
    return `the text does not go with status ${status} (${quote(text)})`;
  if (!Array.isArray(citedRanks) || citedRanks.some((r) => !Number.isInteger(r) || r < 1 || r > hits))
    return `citedRanks are not ranks of hits (${quote(citedRanks)})`;
  if (![tokens, costUsd].every((n) => Number.isFinite(n) && (n as number) >= 0))
    return `tokens or costUsd is not a number ≥ 0 (${quote([tokens, costUsd])})`;
  if (typeof stop !== "string") return `stop is not text (${quote(stop)})`;
  return undefined;
}

const plainAnswer = ({ text, status, citedRanks, tokens, costUsd, stop, trace }: Answer): Answer =>
  JSON.parse(JSON.stringify({ text, status, citedRanks, tokens, costUsd, stop, trace })) as Answer;

/**
 * Makes a reader ready for a data set: fits it on `dataset.splits.train()` if it learns (once per data set, fit and seed: what a fit depends on besides must not change),
 * and returns the function that answers one query. A reader that throws or returns something malformed gives an answer with
 * status `failed` that says so; only an abort is thrown. Errors: a learning reader on a data set without training questions.
 *
 * @example
 * const read = await prepareReader(dataset, reader("extractive"), 0, signal);
 * (await read(query, { hits: [] }, random(0))).status; // "abstained"
 */
export async function prepareReader(
  dataset: Dataset,
  reader: Reader,
  seed: number,
  signal: AbortSignal,
): Promise<(query: Query, evidence: Evidence, random: Random) => Promise<Answer>> {
  const state = await abortable(fitted(dataset, reader, seed, signal), signal);
  return async (query, evidence, random) => {
    signal.throwIfAborted();
    try {
      const said = reader(query, evidence, Object.freeze({ graph: dataset.graph, state, random, signal }));
      // a copy, as a file would give it back: a reader may use one object for every reply
      const checked = followed(said, (reply) => {
        const wrong = fault(reply, evidence.hits.length);
        return wrong ? failed(wrong) : plainAnswer(reply);
      });
      return await abortable(checked, signal);
    } catch (error) {
      signal.throwIfAborted();
      return failed(errorText(error));
    }
  };
}

/**
 * Answers every question of a run from its evidence. Items keep their order; one whose retriever failed gets a failed answer
 * that says so. The result has the same evidence; its label and config name the reader.
 *
 * @param options.signal stops the work; the call then rejects with the signal's reason.
 * @param options.onProgress called after each question.
 * @example
 * const answered = await answer(await retrieve(dataset, retriever("walk"), { k: 10, seed: 0 }), reader("extractive"));
 * answered.get("q001").answer?.text; // "Vulmar Ember Sweep"
 */
export async function answer(
  run: Run,
  reader: Reader,
  options: { readonly signal?: AbortSignal; readonly onProgress?: OnProgress } = {},
): Promise<Run> {
  refuseUnknown("answer", options, ["signal", "onProgress"], "option");
  const signal = options.signal ?? new AbortController().signal;
  const { label, version, params } = resolveReader(reader);
  const read = await prepareReader(run.dataset, reader, run.seed, signal);
  const progress = new Progress("answer", run.items.length, options.onProgress);
  const items: RunItem[] = [];
  for (const item of run.items) {
    const answer = item.evidence
      ? await read(item.query, item.evidence, random(run.seed, "answer", item.id))
      : failed(`the retriever failed: ${item.error ?? "no evidence"}`);
    items.push({ ...item, answer });
    progress.tick();
  }
  const { dataset, setting, k, seed, config } = run;
  return makeRun({
    dataset,
    setting,
    k,
    seed,
    label: `${run.label}, ${label}`,
    config: { ...config, reader: { label, version, params } },
    items,
  });
}
