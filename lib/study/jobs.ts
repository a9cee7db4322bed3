import { type Reader, reader, readerOptions, resolveReader } from "../answer/index.js";
import { type Image, sha256, stableHash } from "../core/index.js";
import type { Dataset, SettingName, SettingView } from "../datasets/index.js";
import { contentHash } from "../media/index.js";
import {
  control,
  controlWraps,
  type Retriever,
  resolveRetriever,
  retriever,
  retrieverOptions,
} from "../retrieve/index.js";
import { type Cell, levelOf, type Plan } from "./spec.js";
import { codeHash } from "./store.js";

/** A cell with its parts built and the keys under which its evidence and answers are stored. */
export interface Job {
  readonly cell: Cell;
  readonly seed: number;
  readonly view: SettingView;
  readonly retriever: Retriever;
  readonly reader?: Reader;
  readonly k: number;
  readonly evidenceKey: string;
  readonly answerKey: string;
  readonly keepsEvidence: boolean;
  readonly keepsAnswers: boolean;
  readonly usesEvidence: boolean;
}

const optionsFor = (specs: object, options: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(specs, key)));

/** The parts that a cell's options name, with its control around them. */
export function partsOf(cell: Cell): { retriever: Retriever; reader?: Reader; usesEvidence: boolean } {
  const { options } = cell;
  const named = options.retriever;
  let found =
    typeof named === "string" ? retriever(named, optionsFor(retrieverOptions(named), options)) : (named as Retriever);
  const readerName = options.reader;
  let answering =
    typeof readerName === "string"
      ? reader(readerName, optionsFor(readerOptions(readerName), options))
      : ((readerName ?? undefined) as Reader | undefined);
  let usesEvidence = true;
  if (cell.control) {
    const { name, options: controlOptions } = cell.control;
    const wraps = controlWraps(name);
    if (wraps.retriever) found = control(name, found, { ...controlOptions, as: "retriever" });
    else usesEvidence = false;
    if (wraps.reader && answering) answering = control(name, answering, { as: "reader" });
  }
  return { retriever: found, ...(answering ? { reader: answering } : {}), usesEvidence };
}

/** The identity of a part for a key; a bare function gets one that is good for this process alone. */
const anonymous = new WeakMap<object, number>();
let anonymousCount = 0;
const identity = (
  part: object,
  resolved: { label: string; version: string | null; params: unknown; persistent: boolean },
) => {
  if (resolved.persistent) return { label: resolved.label, version: resolved.version, params: resolved.params };
  if (!anonymous.has(part)) anonymous.set(part, ++anonymousCount);
  return { label: resolved.label, process: anonymous.get(part) };
};

/**
 * Fingerprint of a data set with the contents of its pictures, which `dataset.fingerprint` knows by id only: a file may hold
 * other pixels under the same name. Generated pictures follow from code and seed, which are in the keys already.
 */
async function contentOf(dataset: Dataset): Promise<string> {
  if (dataset.card.origin === "generated") return dataset.fingerprint;
  const hashes: string[] = [];
  const add = async (images: readonly Image[] | null) => {
    for (const image of images ?? []) hashes.push(await contentHash(image).catch(() => "unreadable"));
  };
  for (const question of dataset.questions) await add(question.images);
  for (const images of dataset.graph.entities.array("images") as readonly (readonly Image[])[]) await add(images);
  return hashes.length === 0 ? dataset.fingerprint : stableHash([dataset.fingerprint, ...hashes]);
}

/** What is asked of what under a setting: question ids, and the candidates as a retriever sees them. */
const viewHash = ({ name, questions, candidates }: SettingView): string =>
  sha256(
    JSON.stringify([
      name,
      questions.map(({ id, question }) => [id, question.id]),
      candidates.map((c) => [c.id, c.triple ?? { passage: c.passage }, c.text, c.multimodal]),
    ]),
  ).slice(0, 16);

/** The plan's cells under each seed, with their parts and keys. */
export async function jobsOf(dataset: Dataset, { cells, seeds }: Plan): Promise<Job[]> {
  const code = codeHash();
  const content = await contentOf(dataset);
  const views = new Map<SettingName | undefined, { view: SettingView; hash: string }>();
  const viewOf = (setting: SettingName | undefined) => {
    let known = views.get(setting);
    if (!known) {
      const view = dataset.setting(setting);
      known = { view, hash: viewHash(view) };
      views.set(setting, known);
    }
    return known;
  };
  let train: string | undefined;
  const jobs: Job[] = [];
  for (const cell of cells) {
    const parts = partsOf(cell);
    const k = cell.options.k as number;
    const setting = cell.options.setting as SettingName | undefined;
    const { view, hash } = viewOf(setting);
    const resolved = resolveRetriever(parts.retriever);
    const reading = parts.reader ? resolveReader(parts.reader) : undefined;
    if (parts.reader?.fit && train === undefined) train = await contentOf(await dataset.splits.train());
    for (const seed of seeds) {
      const evidence = {
        code,
        dataset: content,
        split: dataset.split,
        setting: hash,
        retriever: identity(parts.retriever, resolved),
        k,
        seed,
      };
      // without evidence, questions of one setting are still not those of another
      const evidenceKey = stableHash(parts.usesEvidence ? evidence : { evidence: null, setting: hash });
      const answer =
        parts.reader && reading
          ? {
              evidence: parts.usesEvidence
                ? evidence
                : { code, dataset: content, split: dataset.split, setting: hash, seed },
              reader: identity(parts.reader, reading),
              train: parts.reader.fit ? train : null,
            }
          : null;
      jobs.push({
        cell,
        seed,
        view,
        k,
        retriever: parts.retriever,
        ...(parts.reader ? { reader: parts.reader } : {}),
        evidenceKey,
        answerKey: answer ? stableHash(answer) : "none",
        keepsEvidence: resolved.persistent,
        keepsAnswers: (resolved.persistent || !parts.usesEvidence) && reading?.persistent === true,
        usesEvidence: parts.usesEvidence,
      });
    }
  }
  return jobs;
}

/** A cell's options as plain JSON: functions by their label. */
export const configOf = (cell: Cell): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(cell.options).map(([key, value]) => [
      key,
      typeof value === "function" ? levelOf(key, value, cell.options) : value,
    ]),
  ),
  control: cell.control ?? null,
});
