import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { byCodeUnit, MkgError, quote, readText, refuseUnknown } from "../../core/index.js";
import { parseJson } from "../../graph/index.js";
import {
  type Fields,
  field,
  type Intake,
  idField,
  isFields,
  isNatural,
  listField,
  optionalText,
  textField,
} from "../intake.js";
import type { QuestionInput } from "../question.js";
import type { SplitName } from "../types.js";
import type { Unit } from "./knowledge.js";
import { m2krSplit, matching } from "./pages.js";

/** A question as its file tells it. */
export interface Asked extends Omit<QuestionInput, "images" | "gold"> {
  /** Each picture by the places below `images/` where it may lie, the first that is there. */
  readonly pictures: readonly (readonly string[])[];
  /** Each picture is a question of its own with the same text. */
  readonly perPicture?: boolean;
  /** Gold as pages, and as sections of them where they are known; or as passages. */
  readonly gold: {
    readonly pages: readonly string[];
    readonly sections: readonly (string | undefined)[];
    readonly passages?: readonly string[];
  };
  readonly file: string;
  readonly line: number;
}

type Row = Omit<Asked, "file" | "line">;

/** One published form of questions. */
export interface QuestionFormat {
  readonly name: string;
  /** As it stands in messages. */
  readonly files: string;
  /** What a passage is where the caller does not say. */
  readonly unit: Unit;
  readonly licence: string;
  readonly citation: string;
  readonly clusterName: string;
  /** Whether a picture of a question that is not there is an error; published sets come without their pictures. */
  readonly needsPictures?: boolean;
  find(folder: string, split: SplitName): Promise<readonly string[]>;
  read(intake: Intake, files: readonly string[], add: (asked: Asked) => void): Promise<void>;
}

const noGold: Row["gold"] = { pages: [], sections: [] };

const named =
  (names: Readonly<Record<SplitName, string>>): QuestionFormat["find"] =>
  async (folder, split) =>
    existsSync(join(folder, names[split])) ? [join(folder, names[split])] : [];

/** One row a question. */
const rows =
  (take: (where: string, record: Fields, line: number) => Row): QuestionFormat["read"] =>
  async (intake, files, add) => {
    intake.table("questions");
    for (const file of files)
      for await (const { record, line } of intake.rows("questions", file))
        intake.row("questions", file, line, (where) => add({ ...take(where, record, line), file, line }));
  };

const extensions = [".jpg", ".jpeg", ".png", ".webp", ".JPEG", ".JPG"];
const at = (folder: string, id: string): string[] => extensions.map((extension) => `${folder}${id}${extension}`);
const unique = (list: readonly string[]): string[] => [...new Set(list)];

const plainFields = ["id", "text", "answers", "group", "cluster", "images", "gold", "meta"];

function plain(where: string, record: Fields): Row {
  refuseUnknown(where, record, plainFields, "field");
  const gold = field(record, "gold");
  if (gold !== undefined) refuseUnknown(where, gold, ["passages", "pages"], "gold key");
  const listed = (name: string) => (isFields(gold) ? listField(where, gold, name) : []);
  const meta = field(record, "meta") ?? {};
  if (!isFields(meta)) throw new MkgError(where, `meta is not an object (${quote(meta)})`);
  const pages = listed("pages");
  return {
    id: textField(where, record, "id"),
    text: textField(where, record, "text"),
    answers: listField(where, record, "answers"),
    group: optionalText(where, record, "group"),
    cluster: optionalText(where, record, "cluster"),
    pictures: listField(where, record, "images").map((path) => [path]),
    gold: {
      pages,
      sections: pages.map(() => undefined),
      ...(isFields(gold) && field(gold, "passages") !== undefined ? { passages: listed("passages") } : {}),
    },
    meta,
  };
}

/** Encyclopedic-VQA: annotators' answers with `|` between, the parts of one with `&&`; pages and sections of a two-hop question with `|`. */
function encyclopedic(where: string, record: Fields, line: number): Row {
  const type = textField(where, record, "question_type");
  const pages = listField(where, record, "wikipedia_url");
  const sections = listField(where, record, "evidence_section_id");
  if (sections.length > 0 && (sections.length !== pages.length || sections.some((id) => !/^\d+$/.test(id))))
    throw new MkgError(
      where,
      `evidence_section_id does not give one section for each page of wikipedia_url (${quote(sections)})`,
      "Integers from 0 with | between",
    );
  const dataset = optionalText(where, record, "dataset_name");
  const parts = listField(where, record, "answer").map((answer) => listField(where, { answer }, "answer", "&&"));
  return {
    id: `${optionalText(where, record, "encyclopedic_vqa_split") || "row"}:${line}`,
    text: textField(where, record, "question"),
    answers: unique(parts.map((answer) => answer.join(", "))),
    group: type,
    cluster: pages[0] ?? "",
    pictures: listField(where, record, "dataset_image_ids").map((id) =>
      ["", `${dataset}/`, `${dataset}/${[...id].slice(0, 3).join("/")}/`].flatMap((folder) => at(folder, id)),
    ),
    perPicture: true,
    gold: {
      pages,
      sections: pages.map((page, i) => (sections[i] === undefined ? undefined : `${page}#${Number(sections[i])}`)),
    },
    meta: {
      answerParts: parts,
      dataset,
      category: optionalText(where, record, "dataset_category_id"),
      title: optionalText(where, record, "wikipedia_title"),
      evidence: optionalText(where, record, "evidence"),
      original: optionalText(where, record, "question_original"),
    },
  };
}

/** InfoSeek: `answer_eval` holds further accepted strings, or numbers with a range. */
function infoSeek(where: string, record: Fields, entityOf: ReadonlyMap<string, string>): Row {
  const id = textField(where, record, "data_id");
  const image = textField(where, record, "image_id");
  const accepted = listField(where, record, "answer", "\n");
  const evaluated = field(record, "answer_eval") ?? [];
  if (!Array.isArray(evaluated)) throw new MkgError(where, `answer_eval is not a list (${quote(evaluated)})`);
  const ranges: unknown[] = [];
  for (const one of evaluated as unknown[]) {
    if (typeof one === "string") accepted.push(one);
    else if (typeof one === "number") accepted.push(String(one));
    else if (isFields(one)) ranges.push(one);
    else throw new MkgError(where, `an item of answer_eval is neither a text, a number nor a range (${quote(one)})`);
  }
  const entity = entityOf.get(id);
  return {
    id,
    text: textField(where, record, "question"),
    answers: unique(accepted.filter((answer) => answer.trim() !== "")),
    group: optionalText(where, record, "data_split"),
    cluster: entity ?? image,
    pictures: [[...at("", image), ...["00", "01", "02", "03", "04", "05"].flatMap((shard) => at(`${shard}/`, image))]],
    gold: entity === undefined ? noGold : { pages: [entity], sections: [undefined] },
    meta: { imageId: image, ...(ranges.length > 0 ? { answerRanges: ranges } : {}) },
  };
}

/** The entity of each question, in files of their own. */
async function entities(intake: Intake, file: string): Promise<Map<string, string>> {
  const entityOf = new Map<string, string>();
  if (!existsSync(file)) return entityOf;
  for await (const { record, line } of intake.rows("questionEntities", file))
    intake.row("questionEntities", file, line, (where) => {
      const id = textField(where, record, "data_id");
      if (entityOf.has(id)) throw new MkgError(where, `a second entity for ${quote(id)}`, "One a question");
      entityOf.set(id, textField(where, record, "entity_id"));
    });
  return entityOf;
}

/** The list under a key of a JSON file, such as {questions: [...]}. */
async function listIn(place: string, file: string, key: string): Promise<unknown[]> {
  const value = parseJson(await readText(file, { place }), place, file);
  const list = isFields(value) ? field(value, key) : undefined;
  if (!Array.isArray(list)) throw new MkgError(place, `${file}: no list ${key} (${quote(value)})`, `{${key}: [...]}`);
  return list;
}

/** OK-VQA: questions and annotations by question id; ten answers, the most frequent first. */
async function okvqa(intake: Intake, files: readonly string[], add: (asked: Asked) => void): Promise<void> {
  const [questionsFile, annotationsFile] = files as [string, string];
  const annotations = new Map<string, Fields>();
  intake.table("questions");
  for (const [i, record] of (await listIn(intake.place, annotationsFile, "annotations")).entries())
    intake.row("annotations", annotationsFile, i + 1, (where) => {
      if (!isFields(record)) throw new MkgError(where, `not an object (${quote(record)})`);
      const id = idField(where, record, "question_id");
      if (annotations.has(id)) throw new MkgError(where, `a second annotation of question ${id}`, "One a question");
      annotations.set(id, record);
    });
  const split = /train2014|val2014/.exec(basename(questionsFile))?.[0] ?? "val2014";
  for (const [i, record] of (await listIn(intake.place, questionsFile, "questions")).entries())
    intake.row("questions", questionsFile, i + 1, (where) => {
      if (!isFields(record)) throw new MkgError(where, `not an object (${quote(record)})`);
      const id = idField(where, record, "question_id");
      const image = field(record, "image_id");
      if (!isNatural(image)) throw new MkgError(where, `image_id is not an integer ≥ 0 (${quote(image)})`);
      const annotation = annotations.get(id);
      if (!annotation)
        throw new MkgError(
          where,
          `${annotationsFile} has no annotation of question ${id}`,
          "",
          "Add it, or remove the question",
        );
      const name = `COCO_${split}_${String(image).padStart(12, "0")}`;
      const counts = answerCounts(where, field(annotation, "answers"));
      add({
        id,
        text: textField(where, record, "question"),
        answers: counts.map(([answer]) => answer),
        group: optionalText(where, annotation, "question_type"),
        cluster: String(image),
        pictures: [[...at("", name), ...at(`${split}/`, name)]],
        gold: noGold,
        meta: { answerCounts: counts.map(([answer, count]) => [answer, count]) },
        file: questionsFile,
        line: i + 1,
      });
    });
}

function answerCounts(where: string, answers: unknown): [string, number][] {
  if (!Array.isArray(answers)) throw new MkgError(where, `answers is not a list (${quote(answers)})`, "[{answer, …}]");
  const counts = new Map<string, number>();
  for (const one of answers) {
    const answer = isFields(one) ? textField(where, one, "answer") : "";
    if (answer === "") throw new MkgError(where, `not an answer (${quote(one)})`, "{answer, …}");
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || byCodeUnit(a[0], b[0]));
}

/** M2KR: relevant passages by id; tasks without a question ask by their instruction. */
function m2kr(where: string, record: Fields): Row {
  const instruction = optionalText(where, record, "instruction");
  const question = optionalText(where, record, "question");
  const path = optionalText(where, record, "img_path");
  const answer = optionalText(where, record, "gold_answer");
  return {
    id: idField(where, record, "question_id"),
    text: question.trim() === "" ? instruction : question,
    answers: unique([...listField(where, record, "answers", "\n"), ...(answer.trim() === "" ? [] : [answer])]),
    group: optionalText(where, record, "question_type"),
    cluster: optionalText(where, record, "img_id") || path,
    pictures: path === "" ? [] : [unique([path, path.split("/").at(-1) as string])],
    gold: { ...noGold, passages: listField(where, record, "pos_item_ids", "\n") },
    meta: { instruction },
  };
}

export const questionFormats: readonly QuestionFormat[] = [
  {
    name: "plain",
    needsPictures: true,
    files: "questions.jsonl (and questions.train.jsonl, questions.validation.jsonl)",
    unit: "section",
    licence: "not stated",
    citation: "",
    clusterName: "cluster",
    find: named({ train: "questions.train.jsonl", validation: "questions.validation.jsonl", test: "questions.jsonl" }),
    read: rows(plain),
  },
  {
    name: "e-vqa",
    files: "train.csv, val.csv, test.csv",
    unit: "section",
    licence: "see the publishers' terms: not part of this project",
    citation: "Mensink et al. 2023, Encyclopedic VQA, ICCV 2023, arXiv 2306.09224",
    clusterName: "page",
    find: named({ train: "train.csv", validation: "val.csv", test: "test.csv" }),
    read: rows(encyclopedic),
  },
  {
    name: "infoseek",
    files: "infoseek_train.jsonl, infoseek_val.jsonl, infoseek_test.jsonl, with infoseek_<split>_withkb.jsonl",
    unit: "page",
    licence: "see the publishers' terms: not part of this project",
    citation:
      "Chen et al. 2023, Can pre-trained vision and language models answer visual information-seeking questions?, EMNLP 2023, arXiv 2302.11713",
    clusterName: "entity",
    find: named({ train: "infoseek_train.jsonl", validation: "infoseek_val.jsonl", test: "infoseek_test.jsonl" }),
    async read(intake, files, add) {
      const entityOf = await entities(intake, (files[0] as string).replace(/\.jsonl$/, "_withkb.jsonl"));
      await rows((where, record) => infoSeek(where, record, entityOf))(intake, files, add);
    },
  },
  {
    name: "okvqa",
    files: "OpenEnded_mscoco_<train2014|val2014>_questions.json with mscoco_<…>_annotations.json",
    unit: "section",
    licence: "see the publishers' terms: not part of this project",
    citation: "Marino et al. 2019, OK-VQA, CVPR 2019, arXiv 1906.00067",
    clusterName: "image",
    async find(folder, split) {
      // the test questions of OK-VQA are those on the validation pictures of MS COCO
      const year = split === "train" ? "train2014" : "val2014";
      const files = [`OpenEnded_mscoco_${year}_questions.json`, `mscoco_${year}_annotations.json`].map((f) =>
        join(folder, f),
      );
      return split !== "validation" && files.every((file) => existsSync(file)) ? files : [];
    },
    read: okvqa,
  },
  {
    name: "m2kr",
    files: "*_data/<split>-*.parquet or .jsonl",
    unit: "section",
    licence: "MIT, as its publishers state; pictures have terms of their own",
    citation: "Lin et al. 2024, PreFLMR, ACL 2024, arXiv 2402.08327",
    clusterName: "image",
    async find(folder, split) {
      const folders = await matching(folder, /_data$/);
      const name = new RegExp(`^${m2krSplit[split]}(-\\d+-of-\\d+)?\\.(parquet|jsonl)$`);
      return (await Promise.all(folders.map((one) => matching(one, name)))).flat();
    },
    read: rows(m2kr),
  },
];
