import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { integer, MkgError, type OptionSpecs, oneOf, quote, SetupError, textOption } from "../../core/index.js";
import { readAbout } from "../about.js";
import { defineDataset } from "../define.js";
import { Intake } from "../intake.js";
import { noticed } from "../noticed.js";
import { Pictures } from "../pictures.js";
import type { QuestionInput } from "../question.js";
import type { Dataset, DatasetCard, SplitName } from "../types.js";
import { type Knowledge, KnowledgeBuilder, type Selection, type Unit } from "./knowledge.js";
import { pageFormats } from "./pages.js";
import { type Asked, type QuestionFormat, questionFormats } from "./questions.js";

export const vqaOptions: OptionSpecs = {
  folder: textOption({ default: "vqa-passages", doc: "folder of the data set below the data root" }),
  unit: oneOf(["auto", "section", "page"], {
    default: "auto",
    doc: "what a passage is; auto: what the gold of the questions names, pages for InfoSeek and sections else",
  }),
  maxPages: integer({
    min: 1,
    default: null,
    doc: "pages kept at most, though all that gold names are; null: all. A smaller knowledge base makes retrieval easier",
  }),
};

export interface VqaOptions {
  readonly dir: string;
  readonly split: SplitName;
  readonly lenient: boolean;
  readonly folder: string;
  readonly unit: "auto" | Unit;
  readonly maxPages: number | null;
}

const splits = ["train", "validation", "test"] as const;

/**
 * Questions with pictures over pages, their sections and pictures, in the plain layout (`pages.jsonl`, `questions.jsonl`, `images/`) or as Encyclopedic-VQA,
 * InfoSeek, OK-VQA and M2KR are published: which is told by the names of the files. Passages are sections, or whole pages; the graph holds pages and sections
 * as entities, under the ids of the passages. Pictures of questions that are not below `images/` are counted, and those questions go on with their text;
 * addresses of pictures of pages are kept and never fetched. The rows of questions and pages are streamed; passages and their graph are held in memory:
 * `maxPages` bounds them.
 */
export async function loadVqa(options: VqaOptions): Promise<Dataset> {
  const folder = join(options.dir, options.folder);
  const place = `dataset vqa-passages (${options.folder})`;
  const found = new Map<SplitName, { format: QuestionFormat; files: readonly string[] }>();
  for (const split of splits)
    for (const format of questionFormats) {
      const files = existsSync(folder) ? await format.find(folder, split) : [];
      if (files.length === 0) continue;
      const other = found.get(split);
      if (other)
        throw new MkgError(
          place,
          `questions in two forms (${[...other.files, ...files].map((f) => basename(f)).join(", ")})`,
          "One form a folder",
          "Put each data set into a folder of its own and say which: { folder }",
        );
      found.set(split, { format, files });
    }
  if (found.size === 0)
    throw new SetupError(
      place,
      existsSync(folder) ? `there are no questions in ${folder}` : `there is no folder ${folder}`,
      `Questions: ${questionFormats.map(({ name, files }) => `${name}: ${files}`).join("; ")}. Pages: ${pageFormats.map(({ file }) => file).join(", ")}`,
      "Put the files of one of these there, as data/README.md says. Another data root is given by the option dir or, on the command line, by MKGLAB_DATA",
    );
  const load = async (split: SplitName): Promise<Dataset> => {
    const source = found.get(split);
    if (!source)
      throw new MkgError(
        place,
        `there is no ${split} split`,
        `Splits: ${[...found.keys()].join(", ")}`,
        "Say which: { split }",
      );
    return makeSplit(place, folder, options, split, source, [...found.keys()], load);
  };
  return load(options.split);
}

async function makeSplit(
  place: string,
  folder: string,
  options: VqaOptions,
  split: SplitName,
  { format, files }: { format: QuestionFormat; files: readonly string[] },
  known: readonly SplitName[],
  load: (split: SplitName) => Promise<Dataset>,
): Promise<Dataset> {
  const intake = new Intake(place, options.lenient);
  const asked: Asked[] = [];
  await format.read(intake, files, (one) => asked.push(one));
  const unit = options.unit === "auto" ? format.unit : options.unit;
  const selection = { maxPages: options.maxPages, gold: goldIds(asked) };
  const {
    passages,
    graph,
    pages,
    images: pagePictures,
    passedBy,
  } = await readKnowledge(place, folder, intake, split, unit, selection);
  const shown = await withPictures(folder, asked, place);
  const notices: DatasetCard["notices"][number][] = [];
  const withoutGold: string[] = [];
  const sources: Asked[] = [];
  const questions = shown.flatMap(({ one, images, missing }): QuestionInput[] => {
    if (format.needsPictures && missing.length > 0) {
      const where = `${place}: ${one.file}, line ${one.line}`;
      const problem = `a picture that is not below images/ (${quote(missing[0])})`;
      intake.refuse(
        one.file,
        one.line,
        new MkgError(where, problem, "A path below images/", "Add the file or mend the path"),
      );
      return [];
    }
    const gold = goldOf(one, unit);
    if (gold.length === 0) withoutGold.push(one.id);
    const { pictures: _, perPicture, gold: _gold, file: _file, line: _line, ...question } = one;
    const each = perPicture && images.length > 1 ? images.map((image) => [image]) : [images];
    return each.map((own, k) => {
      sources.push(one);
      const id = each.length > 1 ? `${one.id}/${k}` : one.id;
      return { ...question, id, images: own, ...(gold.length > 0 ? { gold: { passages: gold } } : {}) };
    });
  });
  notices.push(...noticed(`questions whose gold names no ${unit}: retrieval is not computed for them`, withoutGold));
  notices.push(
    ...noticed(
      "pictures of questions that are not below images/: left out",
      format.needsPictures ? [] : shown.flatMap(({ one, missing }) => missing.map((path) => `${one.id}: ${path}`)),
    ),
  );
  notices.push(
    ...noticed(
      "questions with answers as ranges of numbers: kept in meta.answerRanges, no measure reads them",
      asked.filter(({ meta }) => meta !== undefined && Object.hasOwn(meta, "answerRanges")).map(({ id }) => id),
    ),
  );
  if (passedBy > 0) notices.push({ what: "pages left out by maxPages", count: passedBy, examples: [] });
  const { summary, origin, columns, ...about } = await readAbout(place, join(folder, "dataset.json"));
  if (columns !== undefined)
    throw new MkgError(
      place,
      "dataset.json has columns, which are not renamed in this layout",
      "Fields as data/README.md names them",
      "Rename the fields, and leave columns out",
    );
  const pageTable = Object.hasOwn(intake.read, "passages") ? "passages" : "pages";
  return defineDataset({
    name: about.name ?? "vqa-passages",
    licence: about.licence ?? format.licence,
    citation: about.citation ?? format.citation,
    clusterName: about.clusterName ?? format.clusterName,
    visibleMeta: about.visibleMeta ?? [],
    split,
    graph,
    passages,
    questions,
    lenient: options.lenient,
    sourceOf: (i) => sources[i] as Asked,
    splits: Object.fromEntries(known.filter((s) => s !== split).map((s) => [s, () => load(s)])),
    card: {
      summary: summary ?? `questions with pictures over passages, in the form ${format.name}; a passage is a ${unit}`,
      origin: origin ?? (format.name === "plain" ? "not stated" : "real"),
      counts: {
        pages,
        pagePictures,
        questionsWithPictures: questions.filter(({ images }) => (images?.length ?? 0) > 0).length,
        questionsWithGold: questions.filter(({ gold }) => gold !== undefined).length,
      },
      limits: [
        ...(passedBy > 0 ? [`${passedBy} pages were left out by maxPages: retrieval is easier than over all`] : []),
        ...(!format.needsPictures && shown.some(({ missing }) => missing.length > 0)
          ? ["pictures of some questions are not in the folder: these are text only"]
          : []),
        ...(withoutGold.length > 0 ? [`${withoutGold.length} questions have no gold ${unit}`] : []),
      ],
      notices: [...notices, ...intake.notices],
      read: intake.read,
      kept: { ...intake.kept, [pageTable]: (intake.kept[pageTable] ?? 0) - passedBy },
      added: { questions: sources.length - new Set(sources).size },
      repaired: intake.repaired,
      refused: intake.refused,
    },
  });
}

/** Ids of pages and passages that gold names. */
const goldIds = (asked: readonly Asked[]): Set<string> =>
  new Set(asked.flatMap(({ gold }) => [...gold.pages, ...(gold.passages ?? [])]));

/** Gold passages under a unit; a question whose gold names no section has none among sections. */
function goldOf({ gold }: Asked, unit: Unit): string[] {
  if (gold.passages) return [...new Set(gold.passages)];
  const ids = unit === "page" ? gold.pages : gold.sections.filter((id) => id !== undefined);
  return [...new Set(ids)];
}

async function readKnowledge(
  place: string,
  folder: string,
  intake: Intake,
  split: SplitName,
  unit: Unit,
  selection: Selection,
): Promise<Knowledge> {
  const builder = new KnowledgeBuilder(join(folder, "images"), unit, selection);
  const read = new Map<string, readonly string[]>();
  for (const format of pageFormats) {
    const files = await format.find(folder, split);
    if (files.length === 0) continue;
    read.set(format.name, files);
    if (read.size > 1)
      throw new MkgError(
        place,
        `knowledge bases in two forms (${[...read.values()]
          .flat()
          .map((f) => basename(f))
          .join(", ")})`,
        "One",
        "Keep one of them",
      );
    for (const file of files) await format.read(intake, file, builder);
  }
  if (read.size === 0)
    throw new SetupError(
      place,
      `there are no pages or passages in ${folder}`,
      pageFormats.map(({ file }) => file).join(", "),
      "Put the knowledge base of these questions there, as data/README.md says",
    );
  return builder.done(basename(folder));
}

/** Each question with those of its pictures that are there. */
async function withPictures(folder: string, asked: readonly Asked[], place: string) {
  const root = join(folder, "images");
  const pictures = existsSync(root) ? await Pictures.in(root) : undefined;
  return Promise.all(
    asked.map(async (one) => {
      const images = [];
      const missing: string[] = [];
      for (const paths of one.pictures) {
        const image = await pictures?.first(paths, `${place}: ${one.file}, line ${one.line}`);
        if (image) images.push(image);
        else missing.push(paths[0] as string);
      }
      return { one, images, missing };
    }),
  );
}
