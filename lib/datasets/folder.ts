import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type Gold, groupBy, type Image, MkgError, namesIn, nearest, quote } from "../core/index.js";
import { imageReference, imagesOf, loadGraph, openImages, parseJson, splitName, tableFormats } from "../graph/index.js";
import { contentHash } from "../media/index.js";
import { readAbout } from "./about.js";
import { defineDataset } from "./define.js";
import { type Fields, field, Intake, isFields, listField } from "./intake.js";
import { noticed } from "./noticed.js";
import type { QuestionInput } from "./question.js";
import type { Dataset, SplitName } from "./types.js";
import { readWrittenCard } from "./written-card.js";

const stems: Readonly<Record<SplitName, string>> = {
  test: "questions",
  train: "questions.train",
  validation: "questions.validation",
};
const plainFields = ["id", "text", "group", "cluster"];
const fields = [...plainFields, "answers", "images", "keyFrames", "gold", "meta"];
// a table without objects has a column for each list of the gold
const goldColumns = ["gold.triples", "gold.paths", "gold.pathTriples", "gold.passages"];

interface Questions {
  readonly questions: readonly (QuestionInput & {
    readonly file: string;
    readonly line: number;
  })[];
  readonly intake: Intake;
}

/**
 * A folder with `entities.*`, `triples.*`, `questions.*` and maybe `questions.train.*`, `questions.validation.*`, `dataset.json`: see data/README.md.
 * Questions may stand in any format that `readTable` reads. In tables whose cells are texts, `answers`, `images`, `gold.triples` and `gold.passages` are lists
 * with `|` between; `gold.paths`, `gold.pathTriples`, `gold` and `meta` are JSON. A split over a graph of its own is a folder `train/` or `validation/`
 * of the same layout. `card.json`, as `writeDataset` writes it, states origin, limits and notices.
 *
 * @param options.part which split of another folder this one is, and that folder's splits.
 */
export async function loadFolder(
  folder: string,
  options: {
    readonly lenient?: boolean;
    readonly fetch?: boolean;
    readonly part?: {
      readonly split: SplitName;
      readonly splits: Partial<Record<SplitName, () => Promise<Dataset>>>;
    };
  } = {},
): Promise<Dataset> {
  const { lenient = false, fetch = false, part } = options;
  const place = `dataset ${quote(basename(resolve(folder)))}`;
  const files = await questionFiles(place, folder);
  if (!files.has("test"))
    throw new MkgError(
      place,
      `there is no questions.jsonl in ${folder}, nor questions in another format`,
      `A data set's folder has entities.*, triples.* and questions.*; formats: ${tableFormats().join(", ")}`,
      "Add the file; loadGraph loads a graph alone",
    );
  const { summary, origin, columns = {}, ...about } = await readAbout(place, join(folder, "dataset.json"));
  const own = await readWrittenCard(place, folder);
  const name = about.name ?? basename(resolve(folder));
  const { questions: renamed = {}, ...tables } = columns;
  const graph = await loadGraph(folder, {
    name,
    lenient,
    fetch,
    ...(Object.keys(tables).length > 0 ? { columns: tables } : {}),
  });
  const read = new Map<SplitName, Promise<Questions>>();
  const questionsOf = (split: SplitName): Promise<Questions> => {
    const known =
      read.get(split) ?? readQuestions(place, folder, files.get(split) as string, { lenient, fetch, renamed });
    read.set(split, known);
    return known;
  };
  const shared = files.has("train")
    ? await inBoth((await questionsOf("test")).questions, (await questionsOf("train")).questions)
    : [];
  const splits: Partial<Record<SplitName, () => Promise<Dataset>>> = part?.splits ?? {};
  if (!part) {
    for (const split of files.keys()) splits[split] = () => make(split);
    for (const split of ["train", "validation"] as const) {
      const inner = join(folder, split);
      const isFolder = (await stat(inner).catch(() => undefined))?.isDirectory();
      if (!isFolder || (await questionFiles(place, inner)).size === 0) continue;
      if (files.has(split))
        throw new MkgError(
          place,
          `the ${split} split is there twice, as ${files.get(split)} and as ${split}/ (${folder})`,
          "One of them",
          "Remove the other",
        );
      splits[split] = () => loadFolder(inner, { lenient, fetch, part: { split, splits } });
    }
  }
  const make = async (split: SplitName): Promise<Dataset> => {
    const { questions, intake } = await questionsOf(split);
    return defineDataset({
      ...about,
      name,
      split: part?.split ?? split,
      graph,
      questions: questions.map(({ file: _, line: _line, ...question }) => question),
      lenient,
      sourceOf: (i) => questions[i] as Questions["questions"][number],
      splits,
      card: {
        summary: summary ?? `the folder ${name}`,
        origin: origin ?? own.origin,
        limits: own.limits,
        notices: [
          // what the writer's card says was said of the test split
          ...(split === "test" ? own.notices : []),
          ...intake.notices,
          ...noticed(
            "test questions that stand in the training split with the same text, pictures and answers",
            split === "test" ? shared : [],
          ),
        ],
        read: intake.read,
        refused: intake.refused,
        repaired: intake.repaired,
      },
    });
  };
  return make("test");
}

/** The file of each split; two of one split are an error. */
async function questionFiles(place: string, folder: string): Promise<Map<SplitName, string>> {
  const names = await namesIn(place, folder);
  const files = new Map<SplitName, string>();
  for (const split of ["test", "train", "validation"] as const) {
    const own = names.filter((name) => {
      const { stem, extension } = splitName(name);
      return stem === stems[split] && tableFormats().includes(extension);
    });
    if (own.length > 1)
      throw new MkgError(
        place,
        `two files of ${stems[split]} in ${folder} (${own.join(", ")})`,
        "One of them",
        "Remove the other",
      );
    if (own[0] !== undefined) files.set(split, own[0]);
  }
  return files;
}

/** Ids of test questions that a learner has seen with their pictures and answers. Pictures are read of those whose texts are the same alone. */
async function inBoth(test: readonly QuestionInput[], train: readonly QuestionInput[]): Promise<string[]> {
  const said = ({ text, answers = [] }: QuestionInput) => JSON.stringify([text, [...answers].sort()]);
  const seen = groupBy(train, said);
  const known = new Map<QuestionInput, string>();
  const shown = async (question: QuestionInput): Promise<string> => {
    const text = known.get(question) ?? JSON.stringify(await Promise.all((question.images ?? []).map(pictured)));
    known.set(question, text);
    return text;
  };
  const found: string[] = [];
  for (const question of test)
    for (const other of seen.get(said(question)) ?? [])
      if ((await shown(other)) === (await shown(question))) {
        found.push(question.id);
        break;
      }
  return found;
}

/** What a picture is: its content, or, where that cannot be had, as of one at a remote address, where it was to come from. */
const pictured = (image: Image): Promise<string> => contentHash(image).catch(() => imageReference(image) ?? image.id);

async function readQuestions(
  place: string,
  folder: string,
  name: string,
  { lenient, fetch, renamed }: { readonly lenient: boolean; readonly fetch: boolean; readonly renamed: Names },
): Promise<Questions> {
  const intake = new Intake(place, lenient);
  const questions: (QuestionInput & { file: string; line: number })[] = [];
  intake.table("questions");
  for await (const { record: given, line } of intake.rows("questions", join(folder, name)))
    await intake.rowAsync("questions", name, line, async (where) => {
      const record = rename(where, given, renamed);
      checkFields(where, record);
      const rest = Object.fromEntries(Object.entries(record).filter(([key]) => plainFields.includes(key)));
      const gold = goldOf(where, record);
      const meta = parsed(where, record, "meta");
      if (meta !== undefined && !isFields(meta)) throw new MkgError(where, `meta is not an object (${quote(meta)})`);
      const cells = imagesOf(place, `${name}, line ${line}`, field(record, "images"), field(record, "keyFrames"));
      const opened = await Promise.all(
        cells.map(({ file, key }) => openImages(file, { folder, key, place: where, fetch })),
      );
      questions.push({
        ...(rest as unknown as QuestionInput),
        ...(field(record, "answers") === undefined ? {} : { answers: listField(where, record, "answers") }),
        ...(gold === undefined ? {} : { gold }),
        ...(meta === undefined ? {} : { meta }),
        images: opened.flat(),
        file: name,
        line,
      });
    });
  return { questions, intake };
}

type Names = Readonly<Record<string, string>>;

/** A row with its fields called as here. */
function rename(where: string, record: Fields, names: Names): Fields {
  const renamed: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(record)) {
    const name = Object.hasOwn(names, key) ? (names[key] as string) : key;
    if (Object.hasOwn(renamed, name))
      throw new MkgError(
        where,
        `two fields are called ${quote(name)}`,
        "Distinct names",
        "Mend columns in dataset.json",
      );
    renamed[name] = value;
  }
  return renamed;
}

/** What others call a field. */
const otherNames: Names = {
  qid: "id",
  question_id: "id",
  question: "text",
  query: "text",
  answer: "answers",
  image: "images",
  type: "group",
  category: "group",
};

/** All that is wrong with the names of a row's fields, at once. */
function checkFields(where: string, record: Fields): void {
  const known = [...fields, ...goldColumns];
  const unknown = Object.keys(record).filter((key) => !known.includes(key));
  if (unknown.length === 0) return;
  const meant = unknown.flatMap((key) => {
    const name = otherNames[key.toLowerCase()] ?? nearest(key, known);
    return name === undefined || Object.hasOwn(record, name) ? [] : [[key, name] as const];
  });
  const columns = JSON.stringify({ columns: { questions: Object.fromEntries(meant) } });
  throw new MkgError(
    where,
    `unknown ${unknown.length > 1 ? "fields" : "field"} (${unknown.map(quote).join(", ")})`,
    `Known: ${known.join(", ")}`,
    meant.length > 0
      ? `Did you mean ${meant.map(([, name]) => quote(name)).join(", ")}? Rename, or say so in dataset.json: ${columns}`
      : "Rename them, or put them into meta",
  );
}

/** A cell that holds JSON as text, or what jsonl and parquet hold anyway. */
function parsed(where: string, record: Fields, name: string): unknown {
  const value = field(record, name);
  if (typeof value !== "string") return value;
  try {
    return parseJson(value, where, name);
  } catch (error) {
    if (!(error instanceof MkgError)) throw error;
    throw new MkgError(where, error.problem, 'JSON, such as [["a", "b"]]', "Mend the cell");
  }
}

function goldOf(where: string, record: Fields): Gold | undefined {
  const whole = parsed(where, record, "gold");
  if (goldColumns.every((column) => field(record, column) === undefined)) return whole as Gold | undefined;
  if (whole !== undefined)
    throw new MkgError(where, "gold is stated twice, in a column gold and in columns gold.…", "One of them");
  const gold: Record<string, unknown> = {};
  for (const name of ["triples", "passages"])
    if (field(record, `gold.${name}`) !== undefined) gold[name] = listField(where, record, `gold.${name}`);
  for (const name of ["paths", "pathTriples"]) {
    const lists = parsed(where, record, `gold.${name}`);
    if (lists !== undefined) gold[name] = lists;
  }
  return gold as Gold;
}
