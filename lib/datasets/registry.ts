import { existsSync, statSync } from "node:fs";
import {
  flag,
  integer,
  MkgError,
  type OptionSpecs,
  oneOf,
  quote,
  resolveOptions,
  textOption,
  unknownName,
} from "../core/index.js";
import { atlasOptions } from "./atlas/options.js";
import { bestiaryOptions } from "./bestiary/options.js";
import { splitOf } from "./define.js";
import { loadFolder } from "./folder.js";
import { loadMarkg, markgSource } from "./markg.js";
import { loadMhMmkg, mhMmkgOptions } from "./mh-mmkg/index.js";
import { general, loadRagBench, medical, ragBenchMedicalOptions, ragBenchOptions } from "./rag-bench.js";
import type { Dataset, SplitName } from "./types.js";
import { loadVqa, vqaOptions } from "./vqa-passages/index.js";

interface Entry {
  readonly summary: string;
  /** What must be on disk, as `folder/` or `folder/: file, file`, with `; ` between; "" for what is embedded. Which files a folder may hold, the loader says. */
  readonly needs: string;
  /** Options besides dir, seed and split. */
  readonly options: OptionSpecs;
  load(
    options: {
      readonly dir: string;
      readonly seed: number;
      readonly split: SplitName;
      readonly lenient: boolean;
    } & Readonly<Record<string, unknown>>,
  ): Promise<Dataset>;
}

const common = {
  dir: textOption({ default: "data", doc: "data root: the folder that holds the data sets' folders" }),
  seed: integer({ min: 0, default: 0, doc: "seed of generated data sets; read ones do not depend on it" }),
  split: oneOf(["train", "validation", "test"], { default: "test", doc: "which split's questions" }),
  lenient: flag({ default: false, doc: "leave out rows that cannot be kept and list them in card.refused" }),
};

/** Options of a folder. */
const folderOptions: OptionSpecs = {
  fetch: flag({ default: false, doc: "read pictures at remote addresses, when they are asked for" }),
};

const entries: Readonly<Record<string, Entry>> = {
  bestiary: {
    summary: "generated multimodal graph of fictional creatures with 238 questions in six sub-tasks",
    needs: "",
    options: bestiaryOptions,
    // imported when asked for: it draws pictures, which loads native code
    load: async ({ dir: _, lenient: _l, ...options }) => (await import("./bestiary/index.js")).loadBestiary(options),
  },
  atlas: {
    summary: "real countries with flags as pictures, and 400 questions in five kinds",
    needs: "",
    options: atlasOptions,
    load: async ({ dir: _, lenient: _l, ...options }) => (await import("./atlas/index.js")).loadAtlas(options),
  },
  markg: {
    summary: "MarKG, a multimodal graph of Wikidata entities; no questions",
    needs: `${markgSource.folder}/: ${markgSource.files.join(", ")}`,
    options: {},
    load: async ({ dir, split, lenient }) => splitOf("loadDataset", await loadMarkg({ dir, lenient }), split),
  },
  "mkg-rag-bench": {
    summary: "MKG-RAG-Bench-G: questions over MarKG with relevance judgements, settings S1 to S5",
    needs: "mkg-rag-bench/",
    options: ragBenchOptions,
    load: (options) => loadRagBench(general, options as never),
  },
  "mkg-rag-bench-m": {
    summary: "MKG-RAG-Bench-M: the medical part, questions over MedMKG with relevance judgements, settings S1 to S5",
    needs: "mkg-rag-bench-m/",
    options: ragBenchMedicalOptions,
    load: (options) => loadRagBench(medical, options as never),
  },
  "mh-mmkg": {
    summary: "MH-MMKG: 238 questions about battle scenes with gold routes, over its multimodal graph of monsters",
    needs: "mh-mmkg/",
    options: mhMmkgOptions,
    load: async (options) => splitOf("loadDataset", await loadMhMmkg(options as never), options.split),
  },
  "vqa-passages": {
    summary:
      "questions with pictures over pages, sections and their pictures, in a plain layout or as E-VQA, InfoSeek, OK-VQA, M2KR",
    needs: "vqa-passages/",
    options: vqaOptions,
    load: (options) => loadVqa(options as never),
  },
};

/** Names that {@link loadDataset} knows; it also takes a folder. */
export const datasetNames = (): string[] => Object.keys(entries);

/** What {@link datasetList} says about a data set. */
export interface DatasetSummary {
  readonly name: string;
  readonly summary: string;
  /** What must be on disk; "": nothing. */
  readonly needs: string;
  /** Options of its own, besides those of every data set. */
  readonly options: readonly {
    readonly name: string;
    readonly doc: string;
    readonly allowed: string;
    readonly default: unknown;
  }[];
}

/** What each named data set is, what it needs on disk (`""`: nothing), and its options. */
export const datasetList = (): DatasetSummary[] =>
  Object.entries(entries).map(([name, { summary, needs, options }]) => ({
    name,
    summary,
    needs,
    options: Object.entries(options).map(([option, spec]) => ({
      name: option,
      doc: spec.doc,
      allowed: spec.allowed,
      default: spec.default,
    })),
  }));

export interface LoadDatasetOptions {
  /** Data root: the folder that holds the data sets' folders; default `data`. */
  readonly dir?: string;
  /** Seed of generated data sets; default 0. */
  readonly seed?: number;
  /** Default `test`. */
  readonly split?: SplitName;
  /** Leave out rows that cannot be kept and list them in `card.refused`; default false: the first is an error. Generated data has none. */
  readonly lenient?: boolean;
  /** Of a folder: read pictures at remote addresses, when they are asked for; default false. */
  readonly fetch?: boolean;
  /** Options of the data set itself, such as `imageAmbiguity` of bestiary. */
  readonly [option: string]: unknown;
}

/**
 * A data set by name, or from a folder with `entities.*`, `triples.*` and `questions.*` (format: data/README.md). A name wins over a folder of the
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
  const resolved = resolveOptions(place, { ...common, ...(entry?.options ?? folderOptions) }, options) as Parameters<
    Entry["load"]
  >[0];
  if (entry) return entry.load(resolved);
  if (typeof source === "string" && existsSync(source) && statSync(source).isDirectory())
    return splitOf("loadDataset", await loadFolder(source, resolved), resolved.split);
  if (typeof source === "string" && /[/\\]/.test(source))
    throw new MkgError(
      "loadDataset",
      `there is no such folder (${source})`,
      `Names: ${datasetNames().join(", ")}, or a folder`,
      "Check the path",
    );
  if (typeof source !== "string") throw unknownName("loadDataset", "data set", source, datasetNames());
  const { remedy } = unknownName("loadDataset", "data set", source, datasetNames());
  throw new MkgError(
    "loadDataset",
    `unknown data set (${quote(source)})`,
    `Known: ${datasetNames().join(", ")}; or a folder of your own`,
    remedy || "There is no such folder either: check the path and the folder that you are in",
  );
}
