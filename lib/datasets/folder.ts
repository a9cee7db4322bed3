import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { MkgError, quote, readJsonl, readText, refuseUnknown } from "../core/index.js";
import { checkImageFile, imageFile, loadGraph } from "../graph/index.js";
import { defineDataset, type QuestionInput } from "./define.js";
import type { Dataset } from "./types.js";

const fileOf = {
  test: "questions.jsonl",
  train: "questions.train.jsonl",
  validation: "questions.validation.jsonl",
} as const;
type Split = keyof typeof fileOf;
const questionFields = ["id", "text", "answers", "group", "cluster", "images", "gold", "meta"];

const aboutFile = "dataset.json";
const aboutFields = ["name", "clusterName", "licence", "citation", "summary"] as const;
type About = Partial<Record<(typeof aboutFields)[number], string>> & { readonly visibleMeta?: readonly string[] };

/** A folder with `entities.*`, `triples.*`, `questions.jsonl` and maybe `questions.train.jsonl`, `questions.validation.jsonl`, `dataset.json`: see data/README.md. */
export async function loadFolder(folder: string): Promise<Dataset> {
  const place = `dataset ${quote(basename(resolve(folder)))}`;
  if (!existsSync(join(folder, fileOf.test)))
    throw new MkgError(
      place,
      `there is no ${fileOf.test} in ${folder}`,
      "A data set's folder has entities.*, triples.* and questions.jsonl",
      "Add the file; loadGraph loads a graph alone",
    );
  const { summary, ...about } = await readAbout(place, join(folder, aboutFile));
  const name = about.name ?? basename(resolve(folder));
  const graph = await loadGraph(folder, { name });
  const read = new Map<Split, Promise<QuestionInput[]>>();
  const questionsOf = (split: Split): Promise<QuestionInput[]> => {
    const known = read.get(split) ?? readQuestions(place, folder, fileOf[split]);
    read.set(split, known);
    return known;
  };
  const shared = existsSync(join(folder, fileOf.train))
    ? inBoth(await questionsOf("test"), await questionsOf("train"))
    : [];
  const make = async (split: Split): Promise<Dataset> =>
    defineDataset({
      ...about,
      name,
      split,
      graph,
      questions: await questionsOf(split),
      splits: Object.fromEntries(
        (Object.keys(fileOf) as Split[])
          .filter((s) => existsSync(join(folder, fileOf[s])))
          .map((s) => [s, () => make(s)]),
      ),
      card: {
        summary: summary ?? `the folder ${name}`,
        origin: "real",
        notices:
          shared.length === 0
            ? []
            : [
                {
                  what: "test questions that stand in the training split with the same text and answers",
                  count: shared.length,
                  examples: shared.slice(0, 5),
                },
              ],
      },
    });
  return make("test");
}

/** What `dataset.json` states; nothing where there is none. */
async function readAbout(place: string, file: string): Promise<About> {
  if (!existsSync(file)) return {};
  const where = `${place}: ${aboutFile}`;
  const content = await readText(file, { place, maxBytes: 2 ** 20 });
  let about: unknown;
  try {
    about = JSON.parse(content);
  } catch (error) {
    throw new MkgError(where, `not JSON (${(error as Error).message})`, "One object");
  }
  refuseUnknown(where, about, [...aboutFields, "visibleMeta"], "field");
  const { visibleMeta, ...texts } = about as Record<string, unknown>;
  for (const [field, value] of Object.entries(texts))
    if (typeof value !== "string" || value === "")
      throw new MkgError(where, `${field} is not a non-empty string (${quote(value)})`);
  if (visibleMeta !== undefined && !(Array.isArray(visibleMeta) && visibleMeta.every((f) => typeof f === "string")))
    throw new MkgError(where, `visibleMeta is not a list of strings (${quote(visibleMeta)})`, "Names of meta fields");
  return about as About;
}

/** Ids of test questions that a learner has seen with their answers. */
function inBoth(test: readonly QuestionInput[], train: readonly QuestionInput[]): string[] {
  const key = ({ text, answers = [] }: QuestionInput) => JSON.stringify([text, [...answers].sort()]);
  const seen = new Set(train.map(key));
  return test.filter((question) => seen.has(key(question))).map(({ id }) => id);
}

async function readQuestions(place: string, folder: string, file: string): Promise<QuestionInput[]> {
  const questions: QuestionInput[] = [];
  for await (const { record, line } of readJsonl<unknown>(join(folder, file), place)) {
    const where = `${place}: ${file}, line ${line}`;
    if (typeof record !== "object" || record === null || Array.isArray(record))
      throw new MkgError(where, `not an object (${quote(record)})`, "{id, text, answers?, …}");
    refuseUnknown(where, record, questionFields, "field");
    const { images = [], ...rest } = record as Omit<QuestionInput, "images"> & { images?: unknown };
    if (!Array.isArray(images))
      throw new MkgError(
        where,
        `images is not a list (${quote(images)})`,
        "Paths relative to the folder, or {file, key}",
      );
    const opened = [];
    for (const image of images as unknown[]) {
      const { file: path, key } =
        typeof image === "string" ? { file: image, key: true } : ((image ?? {}) as { file?: unknown; key?: unknown });
      if (typeof path !== "string" || typeof key !== "boolean")
        throw new MkgError(
          where,
          `not a picture (${quote(image)})`,
          "A path relative to the folder, or {file, key: true or false}",
        );
      opened.push(imageFile(folder, path, { key, place: where }));
      await checkImageFile(folder, path, { place: where });
    }
    questions.push({ ...rest, images: opened });
  }
  return questions;
}
