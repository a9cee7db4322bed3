import {
  abortable,
  type Evidence,
  errorText,
  followed,
  type Hit,
  MkgError,
  type OnProgress,
  Progress,
  positiveInteger,
  quote,
  random,
  refuseUnknown,
} from "../core/index.js";
import {
  type Candidate,
  type Dataset,
  type SettingName,
  type SettingView,
  splitOf,
  toQuery,
} from "../datasets/index.js";
import type { Folders } from "../embed/index.js";
import { makeRun, type Run, type RunItem } from "../evaluate/index.js";
import { resolveRetriever } from "./define.js";
import { goldDoor } from "./door.js";
import { idsOf, toEvidence } from "./hits.js";
import type { Retriever, RetrieverContext } from "./types.js";

/** One question of a setting, as {@link SettingView.questions} lists it. */
type Entry = SettingView["questions"][number];

/**
 * Prepares a retriever for a data set and setting, once; the function that it resolves to answers one question at a
 * time, in any order and at any concurrency, with the same result. It is what {@link retrieve} and studies run.
 *
 * A retriever that throws on a question gives an item with `evidence: null` and `error`. Only an abort rejects, with the
 * signal's reason, and does so without waiting for the retriever. Errors in preparing are thrown as they are.
 *
 * @example
 * const search = await prepareRetriever(dataset, retriever("bm25"), { k: 5 });
 * (await search(dataset.setting().questions[0])).evidence.hits.length; // 5
 */
export async function prepareRetriever(
  dataset: Dataset,
  retriever: Retriever,
  options: { setting?: SettingName; k: number; seed?: number; folders?: Folders; signal?: AbortSignal },
): Promise<(entry: Entry) => Promise<RunItem>> {
  if (typeof dataset !== "object" || dataset === null || typeof dataset.setting !== "function")
    throw new MkgError(
      "retrieve",
      `the data set is not one (${quote(dataset)})`,
      "What loadDataset or defineDataset returns",
    );
  refuseUnknown("retrieve, folders", options.folders, ["cache", "models"], "folder");
  const { label } = resolveRetriever(retriever);
  const k = positiveInteger("retrieve", "k", options.k);
  const seed = checkSeed(options.seed ?? 0);
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const { candidates, context: contextOf } = await searchContext(dataset, retriever, { ...options, k, seed, signal });
  const view = dataset.setting(options.setting);
  const { graph } = dataset;
  const scope = { graph, ...idsOf(candidates), setting: view.name, k };
  const withGold = goldDoor(retriever);
  // gold evidence is not cut: a question may have more of it than a retriever may return
  const limits = withGold ? { ...scope, k: Number.MAX_SAFE_INTEGER } : scope;

  return async ({ id, question }) => {
    signal.throwIfAborted();
    const query = toQuery(dataset, question);
    const context = contextOf(question.id);
    const item = { id, question: question.id, query, answer: null };
    try {
      const found = withGold
        ? withGold(query, context, { gold: question.gold ?? {}, answers: question.answers })
        : retriever(query, context);
      const evidence = followed<readonly Hit[] | Evidence, Evidence>(found, (hits) =>
        toEvidence(`${label}, question ${quote(id)}`, hits, limits),
      );
      return Object.freeze({ ...item, evidence: await abortable(evidence, signal) });
    } catch (error) {
      signal.throwIfAborted();
      return Object.freeze({
        ...item,
        evidence: null as Evidence | null,
        error: errorText(error),
      });
    }
  };
}

/** Prepares a retriever; what it resolves to makes the context of one question from its id. */
export async function searchContext(
  dataset: Dataset,
  retriever: Retriever,
  {
    setting,
    k,
    seed,
    folders,
    signal,
  }: {
    readonly setting?: SettingName | undefined;
    readonly k: number;
    readonly seed: number;
    readonly folders?: Folders | undefined;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly candidates: readonly Candidate[]; context(question: string): RetrieverContext }> {
  const { graph } = dataset;
  const candidates = frozen(dataset.setting(setting).candidates);
  const where = folders ? { folders: Object.freeze({ ...folders }) } : {};
  const state = await abortable(
    Promise.resolve(retriever.prepare?.(Object.freeze({ graph, candidates, seed, signal, ...where }))),
    signal,
  );
  return {
    candidates,
    context: (question) =>
      Object.freeze({
        graph,
        candidates,
        state,
        k,
        random: Object.freeze(random("retrieve", seed, question)),
        signal,
      }),
  };
}

/**
 * Retrieves evidence for every question of a data set and returns the run: one item a question, in the order of the
 * setting. The retriever is prepared once. The same seed gives the same run at any concurrency.
 *
 * Options: `k`, hits a question at most; `setting` (default: all questions over all triples); `split`
 * ("train" | "validation" | "test", default the data set's own); `seed` = 0; `concurrency` = 8 questions at a time,
 * which helps a retriever that waits and does no harm to one that computes; `folders`, where vectors are kept (`cache`) and models are found (`models`),
 * neither of which changes a result; `signal`; `onProgress`.
 *
 * A retriever that throws on a question does not stop the others: that item has `evidence: null` and `error`, and is
 * scored as failed. An error in preparing, a wrong option or an abort is thrown. Memory O(questions · k).
 *
 * @example
 * const run = await retrieve(dataset, retriever("bm25"), { k: 10, setting: "S2" });
 * run.get("10").evidence.hits[0]; // { score: 21.6…, triple: "21412" }
 */
export async function retrieve(
  dataset: Dataset,
  retriever: Retriever,
  options: {
    k: number;
    setting?: SettingName;
    split?: "train" | "validation" | "test";
    seed?: number;
    concurrency?: number;
    folders?: Folders;
    signal?: AbortSignal;
    onProgress?: OnProgress;
  },
): Promise<Run> {
  refuseUnknown(
    "retrieve",
    options,
    ["k", "setting", "split", "seed", "concurrency", "folders", "signal", "onProgress"],
    "option",
  );
  const { label, version, params } = resolveRetriever(retriever);
  const concurrency = positiveInteger("retrieve", "concurrency", options.concurrency ?? 8);
  const { k, seed = 0, setting, signal } = options;
  const data = await splitOf("retrieve", dataset, options.split);
  const search = await prepareRetriever(data, retriever, {
    k,
    seed,
    ...(setting ? { setting } : {}),
    ...(options.folders ? { folders: options.folders } : {}),
    ...(signal ? { signal } : {}),
  });
  const view = data.setting(setting);
  const progress = new Progress("retrieve", view.questions.length, options.onProgress);
  const items = new Array<RunItem>(view.questions.length);
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) {
      items[i] = await search(view.questions[i] as Entry);
      progress.tick();
      // an interrupt or a timer gets its turn even when the retriever never waits
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  const config = {
    dataset: { name: data.name, split: data.split, fingerprint: data.fingerprint },
    retriever: { label, version, params },
    setting: view.name,
    k,
    seed,
  };
  return makeRun({ label, dataset: data, setting: view, k, seed, config, items });
}

function checkSeed(seed: unknown): number {
  if (!Number.isSafeInteger(seed) || (seed as number) < 0)
    throw new MkgError("retrieve", `the seed is not an integer ≥ 0 (${quote(seed)})`, "An integer ≥ 0");
  return seed as number;
}

/** The candidates so that no retriever can change them under another one's feet. */
const frozen = (candidates: readonly Candidate[]): readonly Candidate[] =>
  Object.isFrozen(candidates) && candidates.every((c) => Object.isFrozen(c))
    ? candidates
    : Object.freeze(candidates.map((c) => Object.freeze({ ...c })));
