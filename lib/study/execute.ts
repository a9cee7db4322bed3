import PQueue from "p-queue";
import { prepareReader, type Reader } from "../answer/index.js";
import {
  type Answer,
  type Evidence,
  groupBy,
  type Hit,
  type OnProgress,
  Progress,
  random,
  unknownName,
} from "../core/index.js";
import { type Dataset, type SettingName, toQuery } from "../datasets/index.js";
import type { Folders } from "../embed/index.js";
import { makeRun, type Run, type RunItem } from "../evaluate/index.js";
import { prepareRetriever } from "../retrieve/index.js";
import { configOf, type Job, jobsOf, partsOf } from "./jobs.js";
import type { Cell, Plan } from "./spec.js";
import type { Store } from "./store.js";

interface StoredEvidence {
  readonly question: string;
  readonly evidence: Evidence;
}
interface StoredAnswer {
  readonly question: string;
  readonly answer: Answer;
}

export interface ExecuteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** Questions in flight at once; results do not depend on it. Default 8. */
  readonly concurrency?: number;
}

/**
 * Runs every cell, storing evidence and answers question by question, and hands over each finished run once, in the
 * order of the plan's evidence. What is stored already is not run again. Failures are not stored, so that the next
 * call tries them again. Memory: the evidence of one configuration at a time.
 */
export async function execute(
  dataset: Dataset,
  plan: Plan,
  store: Store,
  onRun: (cell: Cell, run: Run) => Promise<void>,
  options: ExecuteOptions & { readonly folders?: Folders | undefined } = {},
): Promise<void> {
  const signal = options.signal ?? new AbortController().signal;
  const jobs = await jobsOf(dataset, plan);
  const byEvidence = groupBy(jobs, (job) => `${job.evidenceKey} ${job.seed}`);
  const steps = { evidence: 0, answers: 0 };
  for (const group of byEvidence.values()) {
    const first = group[0] as Job;
    const answers = new Set(group.map((job) => job.answerKey).filter((key) => key !== "none")).size;
    steps.evidence += first.usesEvidence ? first.view.questions.length : 0;
    steps.answers += answers * first.view.questions.length;
  }
  const progress = new Progress("study", steps, options.onProgress);
  const pool: Pool = { concurrency: options.concurrency ?? 8, signal, folders: options.folders };

  // gold evidence last: what a part remembers of it cannot serve a cell that is scored without
  const isOracle = (group: readonly Job[]) => Number(group.some((job) => job.cell.control?.name === "oracle"));
  for (const group of [...byEvidence.values()].sort((a, b) => isOracle(a) - isOracle(b))) {
    const first = group[0] as Job;
    const evidence = await evidenceOf(dataset, first, store, progress, pool);
    for (const same of groupBy(group, (job) => job.answerKey).values()) {
      const job = same[0] as Job;
      const answers = job.reader ? await answersOf(dataset, job, evidence, store, progress, pool) : undefined;
      for (const { cell, seed, view, k } of same) {
        const items = view.questions.map(({ id, question }, i): RunItem => {
          const found = evidence[i] as Found;
          const answered = answers?.[i];
          const error = found.error ?? answered?.error;
          return {
            id,
            question: question.id,
            query: found.query,
            evidence: found.evidence,
            answer: answered?.answer ?? null,
            ...(error ? { error } : {}),
          };
        });
        await onRun(
          cell,
          makeRun({ label: cell.label, dataset, setting: view, k, seed, config: configOf(cell), items }),
        );
      }
    }
  }
}

interface Pool {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly folders?: Folders | undefined;
}

interface Found {
  readonly query: RunItem["query"];
  readonly evidence: Evidence | null;
  readonly error?: string;
}

async function evidenceOf(dataset: Dataset, job: Job, store: Store, progress: Progress, pool: Pool): Promise<Found[]> {
  const { view, seed } = job;
  const task = `${job.cell.label}: evidence`;
  const log =
    job.keepsEvidence && job.usesEvidence
      ? await store.log<StoredEvidence>("evidence", job.evidenceKey, checkEvidence)
      : undefined;
  try {
    const stored = new Map(log?.stored.map((record) => [record.question, record.evidence]));
    if (!job.usesEvidence)
      return view.questions.map(({ question }) => ({ query: toQuery(dataset, question), evidence: { hits: [] } }));
    const missing = view.questions.some(({ id }) => !stored.has(id));
    const setting = job.cell.options.setting as SettingName | undefined;
    const search = missing
      ? await prepareRetriever(dataset, job.retriever, {
          k: job.k,
          seed,
          signal: pool.signal,
          ...(setting ? { setting } : {}),
          ...(pool.folders ? { folders: pool.folders } : {}),
        })
      : undefined;
    return await each(view.questions, pool, async (entry) => {
      const { id, question } = entry;
      const known = stored.get(id);
      if (known) {
        progress.tick(1, { kind: "evidence", task, stored: true });
        return { query: toQuery(dataset, question), evidence: known };
      }
      const found = await (search as NonNullable<typeof search>)(entry);
      // what is handed on is what is stored, so that a resumed run reads the same
      const evidence = found.evidence && plain(found.evidence);
      if (evidence && log) await log.append({ question: id, evidence });
      progress.tick(1, { kind: "evidence", task });
      return { ...found, evidence };
    });
  } finally {
    await log?.close();
  }
}

async function answersOf(
  dataset: Dataset,
  job: Job,
  evidence: readonly Found[],
  store: Store,
  progress: Progress,
  pool: { concurrency: number; signal: AbortSignal },
): Promise<{ answer: Answer | null; error?: string }[]> {
  const task = `${job.cell.label}: answers`;
  const log = job.keepsAnswers ? await store.log<StoredAnswer>("answers", job.answerKey, checkAnswer) : undefined;
  try {
    const stored = new Map(log?.stored.map((record) => [record.question, record.answer]));
    const missing = job.view.questions.some(({ id }) => !stored.has(id));
    const read = missing ? await prepareReader(dataset, job.reader as Reader, job.seed, pool.signal) : undefined;
    return await each(job.view.questions, pool, async ({ id }, i) => {
      const known = stored.get(id);
      if (known) {
        progress.tick(1, { kind: "answers", task, stored: true });
        return { answer: known };
      }
      const found = evidence[i] as Found;
      if (!found.evidence) {
        progress.tick(1, { kind: "answers", task });
        return { answer: null };
      }
      const answer = await (read as NonNullable<typeof read>)(
        found.query,
        found.evidence,
        random(job.seed, "answer", id),
      );
      if (answer.status !== "failed" && log) await log.append({ question: id, answer });
      progress.tick(1, { kind: "answers", task });
      return answer.status === "failed" ? { answer, error: answer.stop } : { answer };
    });
  } finally {
    await log?.close();
  }
}

/** Evidence as it is stored and read back: pictures stay in the graph, where the hit's entities lead to them. */
const plain = (evidence: Evidence): Evidence =>
  JSON.parse(
    JSON.stringify({
      ...evidence,
      hits: evidence.hits.map((hit): Hit => {
        const { images: _images, ...rest } = hit;
        return rest;
      }),
    }),
  ) as Evidence;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const checkEvidence = (record: StoredEvidence): string | undefined =>
  isRecord(record) &&
  typeof record.question === "string" &&
  isRecord(record.evidence) &&
  Array.isArray(record.evidence.hits)
    ? undefined
    : "not a question with its evidence";
const checkAnswer = (record: StoredAnswer): string | undefined =>
  isRecord(record) &&
  typeof record.question === "string" &&
  isRecord(record.answer) &&
  ["ok", "abstained"].includes(record.answer.status) &&
  (typeof record.answer.text === "string" || record.answer.text === null) &&
  Array.isArray(record.answer.citedRanks)
    ? undefined
    : "not a question with its answer";

/** One task per item, `concurrency` in flight, results in the items' order; the first throw or an abort stops the rest. */
async function each<T, R>(
  items: readonly T[],
  { concurrency, signal }: { concurrency: number; signal: AbortSignal },
  task: (item: T, i: number) => Promise<R>,
): Promise<R[]> {
  const queue = new PQueue({ concurrency });
  const out = new Array<R>(items.length);
  let failure: unknown;
  for (const [i, item] of items.entries())
    queue.add(async () => {
      if (failure !== undefined) return;
      try {
        signal.throwIfAborted();
        out[i] = await task(item, i);
      } catch (error) {
        failure ??= error;
      }
    });
  await queue.onIdle();
  if (failure !== undefined) throw failure;
  return out;
}

/** One question of one cell, run anew: the same as in the study, since nothing depends on the other questions. */
export async function replay(
  dataset: Dataset,
  cell: Cell,
  id: string,
  seed: number,
  folders?: Folders,
): Promise<RunItem> {
  const setting = cell.options.setting as SettingName | undefined;
  const { questions } = dataset.setting(setting);
  const entry = questions.find((q) => q.id === id);
  if (!entry)
    throw unknownName(
      "study.replay",
      "question id",
      id,
      questions.map((q) => q.id),
    );
  const parts = partsOf(cell);
  const item: RunItem = parts.usesEvidence
    ? await (
        await prepareRetriever(dataset, parts.retriever, {
          k: cell.options.k as number,
          seed,
          ...(setting ? { setting } : {}),
          ...(folders ? { folders } : {}),
        })
      )(entry)
    : {
        id,
        question: entry.question.id,
        query: toQuery(dataset, entry.question),
        evidence: { hits: [] },
        answer: null,
      };
  if (!parts.reader || !item.evidence) return item;
  const read = await prepareReader(dataset, parts.reader, seed, new AbortController().signal);
  return { ...item, answer: await read(item.query, item.evidence, random(seed, "answer", id)) };
}
