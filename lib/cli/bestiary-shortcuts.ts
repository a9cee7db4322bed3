import { prepareReader, reader } from "../answer/index.js";
import {
  byCodeUnit,
  type Image,
  MkgError,
  type OnProgress,
  Progress,
  type Question,
  random,
  type Score,
} from "../core/index.js";
import { type Dataset, toQuery } from "../datasets/index.js";
import { dot, type Encoder, encoder } from "../embed/index.js";
import { parseMeasure } from "../evaluate/index.js";
import { control } from "../retrieve/index.js";

/** What an answerer is fitted on. */
interface Prepared {
  readonly test: Dataset;
  readonly train: readonly Question[];
  readonly signal: AbortSignal;
}

/** Answers with less than a question is meant to need; what it gets right is a shortcut. */
interface Answerer {
  readonly name: string;
  /** What it sees of the question under test. */
  readonly sees: string;
  readonly answers: string;
  /** Null: an abstention, which counts as wrong. Undefined: the question has nothing of what this answerer sees. */
  prepare(context: Prepared): Promise<(question: Question) => Promise<string | null | undefined>>;
}

const firstFrame = (q: Question): Image | undefined => q.images[0];
const keyFrame = (q: Question): Image | undefined => {
  const keys = q.images.filter((image) => image.key);
  return keys[keys.length >> 1];
};
const caption = (q: Question): string | undefined => q.meta.caption as string | undefined;

/** The answer of the nearest training question, of equals the first; `within` limits it to those that share a value. */
async function nearest<T extends string | Image>(
  { train, signal }: Prepared,
  encode: Encoder<T>,
  part: (question: Question) => T | undefined,
  within: (question: Question) => string,
): Promise<(question: Question) => Promise<string | null | undefined>> {
  const known = train.filter((q) => q.answers.length > 0 && part(q) !== undefined);
  const fitted = encode.fit?.(known.map((q) => part(q) as T)) ?? encode;
  const { dim } = fitted;
  const rows = new Float32Array(known.length * dim);
  for (const [i, q] of known.entries()) {
    signal.throwIfAborted();
    rows.set(await fitted.encode([part(q) as T]), i * dim);
  }
  return async (question) => {
    const own = part(question);
    if (own === undefined) return undefined;
    const asked = await fitted.encode([own]);
    let best = Number.NEGATIVE_INFINITY;
    let answer: string | null = null;
    for (const [i, q] of known.entries()) {
      if (within(q) !== within(question)) continue;
      const cosine = dot(asked, 0, rows, i, dim);
      if (cosine > best) [best, answer] = [cosine, q.answers[0] as string];
    }
    return answer;
  };
}

/** A reader that learns from training questions, shown no evidence and no graph. */
async function learned(
  { test, signal }: Prepared,
  name: "question-only" | "closed-book",
  memoryPictures: boolean,
): Promise<(question: Question) => Promise<string | null>> {
  const read = await prepareReader(test, control(name, reader("learned", { memoryPictures })), 0, signal);
  return async (question) => {
    const said = await read(toQuery(test, question), { hits: [] }, random(0, "answer", question.id));
    if (said.status === "failed") throw new MkgError("bestiary card", `question ${question.id}: ${said.stop}`);
    return said.text;
  };
}

const group = (q: Question): string => q.group;
const anywhere = (): string => "";

/** Answerers that lack what a question needs, and one that lacks the graph alone. */
export const answerers: readonly Answerer[] = [
  {
    name: "majority",
    sees: "the sub-task",
    answers: "the answer right for most training questions of the sub-task",
    async prepare({ train }) {
      const counts = new Map<string, Map<string, number>>();
      for (const q of train) {
        const count = counts.get(q.group) ?? new Map<string, number>();
        counts.set(q.group, count);
        for (const a of new Set(q.answers)) count.set(a, (count.get(a) ?? 0) + 1);
      }
      const top = new Map(
        [...counts].map(([task, count]) => [
          task,
          [...count].sort(([a, n], [b, m]) => m - n || byCodeUnit(a, b))[0]?.[0] ?? null,
        ]),
      );
      return async (question) => top.get(question.group) ?? null;
    },
  },
  {
    name: "text, nearest",
    sees: "the question's text",
    answers: "as the training question with the nearest text (hash vectors)",
    prepare: async (context) => nearest(context, (await encoder("hash")) as Encoder<string>, (q) => q.text, anywhere),
  },
  {
    name: "text, learned",
    sees: "the question's text",
    answers: "reader `learned` without pictures, under control `question-only`",
    prepare: (context) => learned(context, "question-only", false),
  },
  {
    name: "image, first frame",
    sees: "the clip's first frame, which does not show the act, and the sub-task",
    answers: "as the training question of the sub-task with the nearest first frame (pixels vectors)",
    prepare: async (context) => nearest(context, (await encoder("pixels")) as Encoder<Image>, firstFrame, group),
  },
  {
    name: "image, key frame",
    sees: "the middle key frame and the sub-task",
    answers: "as the training question of the sub-task with the nearest key frame (pixels vectors)",
    prepare: async (context) => nearest(context, (await encoder("pixels")) as Encoder<Image>, keyFrame, group),
  },
  {
    name: "caption, named",
    sees: "the human caption of the clip and the names in the graph",
    answers: "the attack whose name stands in the caption; none: abstains",
    async prepare({ test }) {
      const attacks = (test.graph.entities.objects() as { id: string; kind: string }[])
        .filter(({ kind }) => kind === "attack")
        .map(({ id }) => ({ id, bare: id.slice(id.indexOf(" ") + 1) }));
      return async (question) => {
        const said = caption(question);
        if (said === undefined) return undefined;
        return attacks.find(({ bare }) => said.includes(bare))?.bare ?? null;
      };
    },
  },
  {
    name: "caption, nearest",
    sees: "the human caption of the clip and the sub-task",
    answers: "as the training question of the sub-task with the nearest caption (hash vectors)",
    prepare: async (context) => nearest(context, (await encoder("hash")) as Encoder<string>, caption, group),
  },
  {
    name: "text and image, learned",
    sees: "the question's text and first key frame",
    answers: "reader `learned` under control `closed-book`: all but the graph",
    prepare: (context) => learned(context, "closed-book", true),
  },
];

export const answererNames: readonly string[] = answerers.map(({ name }) => name);

/**
 * How far each of {@link answerers} gets on a data set with a training split: EM of every question, as score rows. A question without what the
 * answerer sees (no clip) has the status `not-computed`. Fitted on the training split alone. Cost: O(training questions) frames drawn and encoded for each
 * answerer that looks at pictures, then O(questions · training questions) products.
 */
export async function measureShortcuts(
  test: Dataset,
  options: {
    readonly only?: readonly string[];
    readonly signal?: AbortSignal;
    readonly onProgress?: OnProgress;
  } = {},
): Promise<Score[]> {
  const signal = options.signal ?? new AbortController().signal;
  const chosen = answerers.filter(({ name }) => options.only?.includes(name) ?? true);
  const train = (await test.splits.train()).questions;
  const exact = parseMeasure("EM");
  if (exact.needs !== "answer") throw new MkgError("bestiary card", "EM is not a measure of answers");
  const progress = new Progress("shortcuts", chosen.length, options.onProgress);
  const rows: Score[] = [];
  for (const { name, prepare } of chosen) {
    const ask = await prepare({ test, train, signal });
    for (const question of test.questions) {
      signal.throwIfAborted();
      const text = await ask(question);
      const { id, group: task, cluster } = question;
      const value = text === undefined ? null : await exact.compute({ text, accepted: question.answers });
      rows.push({
        run: name,
        question: id,
        group: task,
        cluster,
        seed: 0,
        measure: exact.name,
        value,
        status: value === null ? "not-computed" : "ok",
      });
    }
    progress.tick();
  }
  return rows;
}
