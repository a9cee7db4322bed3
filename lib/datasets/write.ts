import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { table } from "arquero";
import {
  type Image,
  MkgError,
  makeFolder,
  type OnProgress,
  Progress,
  quote,
  refuseUnknown,
  SetupError,
  sha256,
  unknownName,
} from "../core/index.js";
import { type Graph, graphFrom, imageFormat, imageReference, writeGraph } from "../graph/index.js";
import { datasetSplits } from "./all-splits.js";
import { areByModality } from "./settings.js";
import type { Dataset, SplitName } from "./types.js";
import { cardToWrite } from "./written-card.js";

export interface WriteDatasetOptions {
  /** Format of the graph's tables, as `writeGraph` takes it; default `jsonl`, which holds every graph of texts. Questions are always JSON lines. */
  readonly format?: string;
  /** Which splits are written besides test, where the data set has them; default both. */
  readonly splits?: readonly SplitName[];
  /** Further files to lie beside the tables, such as a data card and licences; names without folders. */
  readonly beside?: readonly { readonly name: string; readonly data: string | Uint8Array }[];
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
}

export interface WrittenDataset {
  readonly folder: string;
  /** Questions by split. */
  readonly questions: Readonly<Record<string, number>>;
  /** Pictures drawn or read; equal ones share a file. */
  readonly images: number;
}

const keys = ["format", "splits", "beside", "signal", "onProgress"];
const splitNames: readonly SplitName[] = ["test", "train", "validation"];

/**
 * Writes a data set as a folder that `loadDataset(folder)` reads to the same content: the same graph, questions, answers, gold, marks of frames, and the
 * same bytes behind every picture. Layout: data/README.md.
 *
 * ```
 * entities.jsonl triples.jsonl questions.jsonl dataset.json card.json images/<SHA-256>.png
 * questions.train.jsonl, questions.validation.jsonl    splits over the same graph
 * train/, validation/                                  splits over graphs of their own: each a folder like this one
 * ```
 *
 * The folder appears whole or not at all: it is written beside its place and renamed. Pictures are drawn or read one at a time; memory O(tables).
 * What changes: the ids of pictures, and with them the fingerprint. Addresses of remote pictures stay addresses.
 *
 * Errors: a folder that has something in it; a data set with passages, or with settings of its own rule, which this layout does not hold; a picture that cannot be read;
 * what `writeGraph` refuses. When `signal` aborts, its reason is thrown and nothing is left.
 *
 * @example
 * await writeDataset(await loadDataset("bestiary", { creatures: 4 }), "out/small");
 * (await loadDataset("out/small")).questions.length   // 42
 */
export async function writeDataset(
  dataset: Dataset,
  folder: string,
  options: WriteDatasetOptions = {},
): Promise<WrittenDataset> {
  refuseUnknown("writeDataset", options, keys, "option");
  const { format = "jsonl", splits = splitNames, beside = [], signal, onProgress } = options;
  if (typeof folder !== "string" || folder === "")
    throw new MkgError("writeDataset", `folder is not a path (${quote(folder)})`);
  const place = `writeDataset(${quote(dataset.name)})`;
  for (const split of splits) if (!splitNames.includes(split)) throw unknownName(place, "split", split, splitNames);
  for (const { name } of beside)
    if (!/^[\w-][\w. -]*$/.test(name)) throw new MkgError(place, `not a file name (${quote(name)})`, "No folders");
  await refuseFilled(place, folder);
  const parts = await datasetSplits(dataset, [...new Set<SplitName>(["test", ...splits])]);
  const test = parts[0];
  if (test?.split !== "test")
    throw new MkgError(place, "it has no test split, which a folder's questions are", `Splits: ${dataset.split}`);
  for (const part of parts) refuseLoss(place, part);

  const own = parts.filter(({ graph }) => graph === test.graph || graph.fingerprint === test.graph.fingerprint);
  const total = parts.reduce(
    (sum, part) => sum + questionImages(part) + (part !== test && own.includes(part) ? 0 : graphImages(part.graph)),
    0,
  );
  const progress = new Progress(`pictures of ${dataset.name}`, total, onProgress);
  const work: Work = { place, format, signal, tick: () => progress.tick() };
  const staged = await system(place, folder, async () => {
    await makeFolder(dirname(resolve(folder)));
    return mkdtemp(`${resolve(folder)}.writing-`);
  });
  try {
    await system(place, folder, async () => {
      await writeSplits(work, staged, own);
      for (const part of parts)
        if (!own.includes(part)) {
          await mkdir(join(staged, part.split));
          await writeSplits(work, join(staged, part.split), [part]);
        }
      for (const { name, data } of beside) await writeFile(join(staged, name), data, { flag: "wx" });
      // a rename onto a folder, be it empty, is refused by some systems
      if (existsSync(folder)) await rmdir(folder);
      await rename(staged, folder);
    });
  } catch (error) {
    // writeGraph says which picture could not be read, not that nobody wanted it any more
    signal?.throwIfAborted();
    throw error;
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
  return {
    folder,
    questions: Object.fromEntries(parts.map((part) => [part.split, part.questions.length])),
    images: total,
  };
}

interface Work {
  readonly place: string;
  readonly format: string;
  readonly signal: AbortSignal | undefined;
  tick(): void;
}

/** One graph, and the questions of the splits over it; the first split's file is the plain one. */
async function writeSplits(work: Work, folder: string, parts: readonly Dataset[]): Promise<void> {
  const [first] = parts as [Dataset, ...Dataset[]];
  await writeGraph(watched(work, first.graph), folder, { format: work.format, images: "files" });
  await mkdir(join(folder, "images"), { recursive: true });
  for (const part of parts)
    await writeQuestions(work, folder, `questions${part === first ? "" : `.${part.split}`}.jsonl`, part);
  // a folder without pictures needs no folder for them
  await rmdir(join(folder, "images")).catch(() => {});
  const { name, clusterName, licence, citation, visibleMeta, card } = first;
  const about = { name, summary: card.summary, clusterName, licence, citation };
  const settings = areByModality(first) ? { settings: "modality" } : {};
  const stated = Object.fromEntries(Object.entries(about).filter(([, text]) => text !== ""));
  await writeFile(
    join(folder, "dataset.json"),
    `${JSON.stringify({ ...stated, visibleMeta, ...settings }, null, 2)}\n`,
  );
  const written = cardToWrite(first);
  await writeFile(join(folder, written.name), written.text);
}

async function writeQuestions(work: Work, folder: string, name: string, { questions }: Dataset): Promise<void> {
  const file = await open(join(folder, name), "wx");
  try {
    for (const { id, text, answers, group, cluster, images, gold, meta } of questions) {
      const shown: { file: string; key: boolean }[] = [];
      for (const [i, image] of images.entries())
        shown.push({
          file: await pictureFile(work, folder, `question ${quote(id)}, picture ${i} (from 0)`, image),
          key: image.key,
        });
      const line = { id, text, answers, group, cluster, images: shown, ...(gold ? { gold } : {}), meta };
      await file.appendFile(`${JSON.stringify(line)}\n`);
    }
  } finally {
    await file.close();
  }
}

/** How a picture is named in the tables: its file, written unless an equal one is there, or its address. */
async function pictureFile(work: Work, folder: string, where: string, image: Image): Promise<string> {
  const address = addressOf(image);
  if (address !== undefined) return address;
  work.signal?.throwIfAborted();
  let bytes: Uint8Array;
  try {
    bytes = await image.bytes();
  } catch (error) {
    throw new MkgError(work.place, `${where}: ${(error as Error).message}`, "", "Mend the picture");
  }
  const name = `images/${sha256(bytes)}.${imageFormat(bytes)?.extensions[0] ?? "bin"}`;
  if (!existsSync(join(folder, name))) await writeFile(join(folder, name), bytes);
  work.tick();
  return name;
}

/** The graph with pictures that say when they are read, and are not once the signal has aborted. */
function watched({ signal, tick }: Work, graph: Graph): Graph {
  const column = graph.entities.array("images") as (readonly Image[])[];
  const images = column.map((list) =>
    list.map((image) =>
      addressOf(image) !== undefined
        ? image
        : Object.freeze({
            id: image.id,
            key: image.key,
            bytes: async () => {
              signal?.throwIfAborted();
              const bytes = await image.bytes();
              tick();
              return bytes;
            },
          }),
    ),
  );
  if (images.every((list) => list.length === 0)) return graph;
  return graphFrom({ name: graph.name, entities: graph.entities.assign(table({ images })), triples: graph.triples });
}

/** Where a picture is at a remote address: it is neither fetched nor copied. */
function addressOf(image: Image): string | undefined {
  const reference = imageReference(image);
  return reference !== undefined && /^https?:/i.test(reference) ? reference : undefined;
}

const local = (images: readonly Image[]): number => images.filter((image) => addressOf(image) === undefined).length;
const questionImages = ({ questions }: Dataset): number => questions.reduce((sum, q) => sum + local(q.images), 0);
const graphImages = (graph: Graph): number =>
  (graph.entities.array("images") as (readonly Image[])[]).reduce((sum, images) => sum + local(images), 0);

/** What the layout of a folder would lose without a word. */
function refuseLoss(place: string, dataset: Dataset): void {
  const { passages, settings, split } = dataset;
  const lost =
    passages.length > 0
      ? `passages (${passages.length})`
      : settings.length > 0 && !areByModality(dataset)
        ? `settings (${settings.join(", ")})`
        : "";
  if (lost)
    throw new MkgError(
      place,
      `the ${split} split has ${lost}, which a folder of graph and questions does not hold`,
      "A graph and questions",
      "writeGraph writes its graph alone",
    );
}

async function refuseFilled(place: string, folder: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw new SetupError(
      place,
      `cannot write there (${folder}: ${code})`,
      "A folder that is new or empty",
      "Choose another",
    );
  }
  if (names.length > 0)
    throw new MkgError(
      place,
      `the folder is not empty (${folder})`,
      "A folder that is new or empty",
      "Choose another, or remove what is in it",
    );
}

/** Does some writing; what the system refuses is an error that names the place. */
async function system<T>(place: string, folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    if (error instanceof MkgError || name === "AbortError" || typeof code !== "string") throw error;
    throw new SetupError(
      place,
      `cannot write (${folder}: ${code})`,
      "",
      code === "ENOSPC" ? "The disk is full: make room" : "Choose another place",
    );
  }
}
