import { existsSync, statSync } from "node:fs";
import {
  integer,
  MkgError,
  type OptionSpecs,
  oneOf,
  quote,
  resolveOptions,
  textOption,
  unknownName,
} from "../core/index.js";
import { bestiaryOptions } from "./bestiary/options.js";
import { loadFolder } from "./folder.js";
import { loadMarkg, markgSource } from "./markg.js";
import { loadRagBench, ragBenchSource } from "./rag-bench.js";
import type { Dataset } from "./types.js";

interface Entry {
  readonly summary: string;
  /** What must be on disk; "" for what is embedded. */
  readonly needs: string;
  /** Options besides dir, seed and split. */
  readonly options: OptionSpecs;
  load(
    options: { readonly dir: string; readonly seed: number; readonly split: Split } & Readonly<Record<string, unknown>>,
  ): Promise<Dataset>;
}
type Split = "train" | "validation" | "test";

const common = {
  dir: textOption({ default: "data", doc: "data root: the folder that holds the data sets' folders" }),
  seed: integer({ min: 0, default: 0, doc: "seed of generated data sets; read ones do not depend on it" }),
  split: oneOf(["train", "validation", "test"], { default: "test", doc: "which split's questions" }),
};

const entries: Readonly<Record<string, Entry>> = {
  bestiary: {
    summary: "generated multimodal graph of fictional creatures with 238 questions in six sub-tasks",
    needs: "",
    options: bestiaryOptions,
    // imported when asked for: it draws pictures, which loads native code
    load: async ({ dir: _, ...options }) => (await import("./bestiary/index.js")).loadBestiary(options),
  },
  markg: {
    summary: "MarKG, a multimodal graph of Wikidata entities; no questions",
    needs: `${markgSource.folder}/: ${markgSource.files.join(", ")}`,
    options: {},
    load: async ({ dir, split }) => splitOf(await loadMarkg({ dir }), split),
  },
  "mkg-rag-bench": {
    summary: "MKG-RAG-Bench-G: questions over MarKG with relevance judgements, settings S1 to S5",
    needs: `${ragBenchSource.folder}/: ${ragBenchSource.files.join(", ")}; ${markgSource.folder}/`,
    options: {},
    load: async ({ dir, split }) => splitOf(await loadRagBench({ dir }), split),
  },
};

/** Names that {@link loadDataset} knows; it also takes a folder. */
export const datasetNames = (): string[] => Object.keys(entries);

/** What each named data set is and what it needs on disk (`""`: nothing). */
export const datasetList = (): { name: string; summary: string; needs: string }[] =>
  Object.entries(entries).map(([name, { summary, needs }]) => ({ name, summary, needs }));

export interface LoadDatasetOptions {
  /** Data root: the folder that holds the data sets' folders; default `data`. */
  readonly dir?: string;
  /** Seed of generated data sets; default 0. */
  readonly seed?: number;
  /** Default `test`. */
  readonly split?: Split;
  /** Options of the data set itself, such as `imageAmbiguity` of bestiary. */
  readonly [option: string]: unknown;
}

/**
 * A data set by name, or from a folder with `entities.*`, `triples.*` and `questions.jsonl` (format: data/README.md). A name wins over a folder of the
 * same name: write `./name` for the folder. An unknown name or option, a split that is not there, missing files and malformed lines are errors
 * that say what is allowed and what to do.
 *
 * @example
 * const dataset = await loadDataset("bestiary");
 * dataset.questions.length   // 238
 */
export async function loadDataset(source: string, options: LoadDatasetOptions = {}): Promise<Dataset> {
  const entry = typeof source === "string" && Object.hasOwn(entries, source) ? entries[source] : undefined;
  const place = `loadDataset(${quote(source)})`;
  const resolved = resolveOptions(place, { ...common, ...entry?.options }, options) as Parameters<Entry["load"]>[0];
  if (entry) return entry.load(resolved);
  if (typeof source === "string" && existsSync(source) && statSync(source).isDirectory())
    return splitOf(await loadFolder(source), resolved.split);
  if (typeof source === "string" && /[/\\]/.test(source))
    throw new MkgError(
      "loadDataset",
      `there is no such folder (${source})`,
      `Names: ${datasetNames().join(", ")}, or a folder`,
      "Check the path",
    );
  throw unknownName("loadDataset", "data set", source, datasetNames());
}

const splitOf = async (dataset: Dataset, split: Split): Promise<Dataset> =>
  split === dataset.split ? dataset : dataset.splits[split]();
