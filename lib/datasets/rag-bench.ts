import { existsSync } from "node:fs";
import { join } from "node:path";
import { MkgError, type OptionSpecs, oneOf, type Question, SetupError, textOption } from "../core/index.js";
import { type DatasetInput, defineDataset } from "./define.js";
import { Intake } from "./intake.js";
import { markgCounts, markgGraph } from "./markg.js";
import { Pictures } from "./pictures.js";
import type { QuestionInput } from "./question.js";
import { benchCard, siblingsIn } from "./rag-bench-card.js";
import { type Corpora, findCorpora, releasedCorpora, supersetCorpora } from "./rag-bench-corpus.js";
import {
  type BenchFiles,
  type BenchQuestion,
  corpusFile,
  type Modality,
  qrelsFile,
  queriesFile,
  readJudgements,
  readQuestions,
  readRelevantTriples,
  relevantFile,
} from "./rag-bench-files.js";
import { queryImages } from "./rag-bench-images.js";
import { settingParts } from "./settings.js";
import type { Candidate, Dataset, SplitName } from "./types.js";

/** What tells the two parts of the benchmark apart. */
export interface Variant {
  readonly name: "mkg-rag-bench" | "mkg-rag-bench-m";
  readonly what: string;
  /** Folder names of the splits, as released. */
  readonly splits: Readonly<Record<SplitName, string>>;
  readonly remedy: string;
  readonly licence: string;
  readonly citation: string;
  /** Whether MarKG can stand in for the corpora. */
  readonly superset: boolean;
  /** Folders of pictures below the data root, the first that is there. */
  readonly images: readonly string[];
  /** Questions per group: two have the same relevant rows. */
  readonly siblings: boolean;
}

const upstream = "https://github.com/XiaochenWang-PSU/MKG-RAG-Bench";

export const general: Variant = {
  name: "mkg-rag-bench",
  what: "MKG-RAG-Bench-G: questions about MarKG with a masked tail or relation",
  splits: { train: "train", validation: "valid", test: "test" },
  remedy: `Take the data of the general-domain part from ${upstream} (no licence stated: for your own use) as it is; or queries and qrels alone, the relevant rows with their markg_row, as data/README.md says.`,
  licence: "questions: not stated, for your own use only; graph: MIT",
  citation: "MKG-RAG-Bench, KDD 2026, arXiv 2606.26458; MarKG: arXiv 2210.00312",
  superset: true,
  images: ["mkg-rag-bench/images", "markg/images"],
  siblings: true,
};

export const medical: Variant = {
  name: "mkg-rag-bench-m",
  what: "MKG-RAG-Bench-M: questions about MedMKG with a masked tail or relation",
  splits: { train: "train", validation: "val", test: "test" },
  remedy: `Take the data of the medical part from ${upstream} (no licence stated: for your own use) as it is; its pictures need PhysioNet credentials and go to images/.`,
  licence: "not stated, for your own use only; pictures: MIMIC-CXR, PhysioNet credentialed access",
  citation: "MKG-RAG-Bench, KDD 2026, arXiv 2606.26458; MedMKG: arXiv 2505.17214",
  superset: false,
  images: ["mkg-rag-bench-m/images"],
  siblings: false,
};

const images = textOption({
  default: "",
  doc: "folder of the pictures of entities; default: images/ of the data set's folder, else that of markg/",
});
const queryImage = oneOf(["held-out", "gold-augmented"], {
  default: "held-out",
  doc: "the picture of a multimodal question: one of its head that is not indexed; or, as released, an altered view of the picture that its gold rows are indexed by, which leaks them",
});
export const ragBenchOptions: OptionSpecs = {
  corpora: oneOf(["auto", "superset", "released"], {
    default: "auto",
    doc: "what is ranked: the released corpora, or every row of MarKG; auto: the released ones where their files are there",
  }),
  images,
  queryImage,
  imageSeed: oneOf(["qid", "S1", "S4", "S5"], {
    default: "qid",
    doc: "what the alteration is seeded by: the qid, so that a question has one picture; or the name of a setting too, as released, where it has another in each",
  }),
};
export const ragBenchMedicalOptions: OptionSpecs = { images, queryImage };

export interface BenchOptions {
  readonly dir: string;
  readonly split: SplitName;
  readonly lenient: boolean;
  readonly corpora?: "auto" | "superset" | "released";
  readonly images: string;
  readonly queryImage?: "held-out" | "gold-augmented";
  readonly imageSeed?: "qid" | "S1" | "S4" | "S5";
}

const modalities = ["text", "mm"] as const;

/** Where one split's questions lie: a folder of its own as released, or, for test, the data set's folder itself. */
function questionFolders(folder: string, variant: Variant): Map<SplitName, string> {
  const found = new Map<SplitName, string>();
  for (const split of ["train", "validation", "test"] as const) {
    const own = join(folder, variant.splits[split]);
    if (modalities.some((m) => existsSync(join(own, queriesFile(m))))) found.set(split, own);
  }
  if (!found.has("test") && modalities.some((m) => existsSync(join(folder, queriesFile(m))))) found.set("test", folder);
  return found;
}

/**
 * MKG-RAG-Bench (Wang et al., KDD 2026, arXiv 2606.26458), general or medical part, as released (`train/ valid|val/ test/`, each corpus once under one of
 * them), or, for the general part, a selection of test questions over the superset corpora. All splits share graph and corpora.
 */
export async function loadRagBench(variant: Variant, options: BenchOptions): Promise<Dataset> {
  const place = `dataset ${variant.name}`;
  const folder = join(options.dir, variant.name);
  const folders = questionFolders(folder, variant);
  const found = await findCorpora(place, folder, Object.values(variant.splits));
  const whole = found.text !== undefined && found.mm !== undefined;
  const corpora = options.corpora ?? "auto";
  const released = corpora === "released" || !variant.superset || (corpora === "auto" && whole);
  const missing = [
    ...[...folders.values()].flatMap((at) =>
      modalities
        .flatMap((m) => [queriesFile(m), qrelsFile(m), ...(released ? [] : [relevantFile(m)])])
        .map((name) => join(at, name))
        .filter((file) => !existsSync(file)),
    ),
    ...(released ? modalities.filter((m) => found[m] === undefined).map(corpusFile) : []),
  ];
  if (folders.size === 0 || missing.length > 0) {
    const needed = (superset: boolean) =>
      modalities.flatMap((m) => [queriesFile(m), qrelsFile(m), superset ? relevantFile(m) : corpusFile(m)]);
    throw new SetupError(
      place,
      !existsSync(folder)
        ? `there is no folder ${folder}`
        : folders.size === 0
          ? `there are no questions in ${folder}`
          : `files are missing in ${folder} (${missing.map((file) => file.replace(`${folder}/`, "")).join(", ")})`,
      `Released: ${Object.values(variant.splits).join("/, ")}/ with ${needed(false).join(", ")}, a corpus under one of them${variant.superset ? `; superset corpora: ${needed(true).join(", ")}, and markg/` : ""}`,
      `${variant.remedy} Another data root is given by the option dir or, on the command line, by MKGLAB_DATA`,
    );
  }
  const root = [options.images, ...variant.images.map((name) => join(options.dir, name))].find(
    (path) => path !== "" && existsSync(path),
  );
  if (options.images !== "" && root !== options.images)
    throw new MkgError(place, `there is no such folder of pictures (${options.images})`, "", "Check the option images");
  const intake = new Intake(place, options.lenient);
  const rows = released
    ? await releasedCorpora(intake, variant.name, found as Record<Modality, string>, root)
    : supersetCorpora(await markgGraph(options.dir, options.lenient));
  const bench = new Bench(variant, folders, rows, options, root, intake);
  return bench.load(options.split);
}

/** The benchmark with its corpora read: makes the data set of each split. */
class Bench {
  constructor(
    private readonly variant: Variant,
    private readonly folders: ReadonlyMap<SplitName, string>,
    private readonly corpora: Corpora,
    private readonly options: BenchOptions,
    private readonly images: string | undefined,
    /** What reading the corpora counted and refused. */
    private readonly corpusIntake: Intake,
  ) {}

  async load(split: SplitName): Promise<Dataset> {
    const { variant, folders, corpora, corpusIntake } = this;
    const place = `dataset ${variant.name}`;
    const folder = folders.get(split);
    if (folder === undefined)
      throw new MkgError(place, `there is no ${split} split`, `Splits: ${[...folders.keys()].join(", ")}`);
    const intake = new Intake(place, this.options.lenient);
    const files = { text: await this.#read(intake, folder, "text"), mm: await this.#read(intake, folder, "mm") };
    if (files.text.questions.length + files.mm.questions.length === 0)
      throw intake.nothing(
        `no questions in ${folder}`,
        `At least one in ${queriesFile("text")} or ${queriesFile("mm")}`,
      );
    const pictures = this.images === undefined ? undefined : await Pictures.in(this.images);
    const root = join(this.options.dir, variant.name);
    const shown = await queryImages(intake, variant, root, files.mm, corpora.graph, pictures, {
      queryImage: this.options.queryImage ?? "held-out",
      imageSeed: this.options.imageSeed ?? "qid",
    });
    const asked = modalities.flatMap((modality) => files[modality].questions.map((q) => ({ modality, q })));
    const questions = asked.map(({ modality, q }) =>
      questionOf(
        modality,
        q,
        files[modality].relevant.get(q.qid) as readonly string[],
        corpora,
        shown.ofQid(modality, q.qid),
      ),
    );
    const siblings = variant.siblings ? await siblingsIn(folders, split, files) : [];
    const { graph } = corpora;
    const dataset: Dataset = defineDataset({
      name: variant.name,
      split,
      graph,
      questions,
      sourceOf: (i) => asked[i]?.q as BenchQuestion,
      lenient: this.options.lenient,
      splits: Object.fromEntries([...folders.keys()].filter((s) => s !== split).map((s) => [s, () => this.load(s)])),
      visibleMeta: [],
      clusterName: "head entity",
      licence: variant.licence,
      citation: variant.citation,
      multimodal: (triple) => multimodal(corpora).has(triple.id),
      card: {
        ...benchCard(variant, corpora, files, {
          siblings,
          notices: [...corpora.notices, ...shown.notices, ...intake.notices],
          counts: corpora.kind === "superset" ? markgCounts(graph) : {},
          images: shown.count,
          goldImages: this.options.queryImage === "gold-augmented",
        }),
        read: { ...corpusIntake.read, ...intake.read },
        kept: { ...corpusIntake.kept, ...intake.kept },
        repaired: intake.repaired,
        refused: [...corpusIntake.refused, ...intake.refused],
      },
      settings: settings(),
    });
    return dataset;

    function settings(): DatasetInput["settings"] {
      return Object.fromEntries(
        Object.entries(settingParts).map(([name, parts]) => [
          name,
          () => ({ questions: questionsIn(parts.questions), candidates: candidatesIn(parts.rows) }),
        ]),
      );
    }

    /** Ascending ids, those with relevant rows, as evaluated by the released code. */
    function questionsIn(wanted: readonly Modality[]): { id: string; question: Question }[] {
      const byId = new Map(dataset.questions.map((question) => [question.id, question]));
      let offset = 0;
      return wanted.flatMap((modality) => {
        const { questions: own, relevant } = files[modality];
        const list = own
          .filter(({ qid }) => relevant.get(qid)!.length > 0 && byId.has(`${modality}:${qid}`))
          .sort((a, b) => a.qid - b.qid)
          .map(({ qid }) => Object.freeze({ id: String(qid + offset), question: byId.get(`${modality}:${qid}`)! }));
        offset += 1 + own.reduce((max, { qid }) => Math.max(max, qid), -1);
        return list;
      });
    }

    function candidatesIn(wanted: readonly Modality[]): Candidate[] {
      let offset = 0;
      const list: Candidate[] = [];
      for (const modality of wanted) {
        let last = -1;
        for (const [doc, { triple }] of corpora.rows[modality]) {
          const text = graph.text(triple);
          list.push(Object.freeze({ id: String(doc + offset), triple, text, multimodal: modality === "mm" }));
          last = doc;
        }
        offset += last + 1;
      }
      return list;
    }
  }

  async #read(intake: Intake, folder: string, modality: Modality): Promise<BenchFiles> {
    const { corpora } = this;
    const { graph, source } = corpora;
    const questions = await readQuestions(intake, join(folder, queriesFile(modality)), modality, graph, source);
    const documents =
      corpora.kind === "released"
        ? corpora.rows[modality]
        : await readRelevantTriples(intake, join(folder, relevantFile(modality)), modality, graph, (id) =>
            multimodal(corpora).has(id),
          );
    const names = {
      queries: queriesFile(modality),
      documents: corpora.kind === "released" ? corpusFile(modality) : relevantFile(modality),
    };
    return {
      questions,
      ...(await readJudgements(intake, join(folder, qrelsFile(modality)), names, questions, documents)),
    };
  }
}

/** Ids of the multimodal rows, once per corpora. */
const multimodalRows = new WeakMap<Corpora, ReadonlySet<string>>();
function multimodal(corpora: Corpora): ReadonlySet<string> {
  let ids = multimodalRows.get(corpora);
  if (!ids) {
    ids = new Set([...corpora.rows.mm.values()].map(({ triple }) => triple));
    multimodalRows.set(corpora, ids);
  }
  return ids;
}

function questionOf(
  modality: Modality,
  q: BenchQuestion,
  triples: readonly string[],
  corpora: Corpora,
  shown: Question["images"],
): QuestionInput {
  return {
    id: `${modality}:${q.qid}`,
    text: q.query,
    images: shown,
    answers: answersOf(q, triples, corpora),
    group: `${modality} ${q.masked}-masked`,
    cluster: q.head,
    gold: { triples },
    meta: {
      qid: q.qid,
      masked: q.masked,
      head: q.head,
      relation: q.relation,
      tail: q.tail,
      candidatesCount: q.candidates,
    },
  };
}

/** Text of the masked field over the relevant rows, in qrels order; texts that are equal once normalised count once, the first as it stands. */
function answersOf(q: BenchQuestion, triples: readonly string[], { graph }: Corpora): string[] {
  const answers = new Map<string, string>();
  for (const id of triples) {
    const triple = graph.triple(id);
    const text = q.masked === "tail" ? graph.entity(triple.tail).label : triple.relationLabel;
    const key = normalised(text) || text;
    if (!answers.has(key)) answers.set(key, text);
  }
  return [...answers.values()];
}

/** The released normalisation: lower case, ASCII punctuation deleted, articles dropped, blanks collapsed. */
const normalised = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, "")
    .split(/\s+/)
    .filter((token) => token !== "" && token !== "a" && token !== "an" && token !== "the")
    .join(" ");
