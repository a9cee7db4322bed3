import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Reader } from "../../lib/answer/index.js";
import type { Query } from "../../lib/core/index.js";
import { type Dataset, defineDataset } from "../../lib/datasets/index.js";
import {
  control,
  defineRetriever,
  type Retriever,
  type RetrieverContext,
  retriever,
} from "../../lib/retrieve/index.js";
import { study } from "../../lib/study/index.js";
import { codeHash } from "../../lib/study/store.js";
import { tiny } from "../support/tiny.js";

const folder = () => mkdtempSync(join(tmpdir(), "key-"));
const stored = (dir: string, kind: string): string[] => readdirSync(join(dir, kind));
type Base = Record<string, unknown>;
const run = (dataset: Dataset, base: Base, dir: string, more = {}) =>
  study({ dataset, base, controls: [], dir, ...more }).run();

/** A data set under two settings whose questions differ, and with a validation and a training split of its own. */
function settled({ candidates = 24, answers = ["bite"] } = {}): Dataset {
  const { graph } = tiny();
  const make = (split: string, text: string): Dataset => {
    const made: Dataset = defineDataset({
      name: "settled",
      split,
      graph,
      questions: ["a", "b", "c"].map((id) => ({ id, text: `${text} ${id}?`, answers, gold: { triples: ["Amru-0"] } })),
      splits: {
        test: () => make("test", "test"),
        validation: () => make("validation", "validation"),
        train: () => make("train", "train"),
      },
      settings: {
        S2: () => ({
          questions: ["a", "b"].map((id) => ({ id: `2${id}`, question: made.questions.find((q) => q.id === id)! })),
          candidates: made.setting().candidates.slice(0, candidates),
        }),
        S4: () => ({
          questions: [{ id: "4c", question: made.questions.find((q) => q.id === "c")! }],
          candidates: made.setting().candidates,
        }),
      },
    });
    return made;
  };
  return make("test", "test");
}
const echo: Reader = Object.assign(
  (query: Query) => ({ text: query.text, status: "ok" as const, citedRanks: [], tokens: 0, costUsd: 0, stop: "" }),
  { label: "echo", version: "1" },
);

test("everything that decides evidence changes its key: retriever, option, k, seed, setting, split, control, candidates, data", async () => {
  const dir = folder();
  const base = { retriever: "bm25", k: 3, setting: "S2" };
  const count = async (dataset: Dataset, given: Base, more = {}): Promise<number> => {
    await run(dataset, given, dir, { measures: ["R@5"], ...more });
    return stored(dir, "evidence").length;
  };
  const dataset = settled();
  assert.is(await count(dataset, base), 1);
  assert.is(await count(dataset, base), 1); // the same again
  assert.is(await count(settled(), base), 1); // an equal data set
  assert.is(await count(dataset, { ...base, retriever: "text" }), 2);
  assert.is(await count(dataset, { ...base, b: 0.4 }), 3);
  assert.is(await count(dataset, { ...base, k: 4 }), 4);
  assert.is(await count(dataset, base, { seeds: [1] }), 5);
  assert.is(await count(dataset, { ...base, setting: "S4" }), 6);
  assert.is(await count(dataset, base, { split: "validation" }), 7);
  assert.is(await count(dataset, { ...base, retriever: control("text-only", retriever("bm25")) }), 8);
  assert.is(await count(settled({ candidates: 5 }), base), 9);
  assert.is(await count(settled({ answers: ["roar"] }), base), 10);
});

test("everything that decides answers changes their key: reader, option, and the evidence under them", async () => {
  const dir = folder();
  const count = async (given: Base): Promise<number> => {
    await run(settled(), { retriever: "bm25", k: 3, setting: "S2", ...given }, dir, { measures: ["EM"] });
    return stored(dir, "answers").length;
  };
  assert.is(await count({ reader: "extractive" }), 1);
  assert.is(await count({ reader: "extractive" }), 1);
  assert.is(await count({ reader: echo }), 2);
  assert.is(await count({ reader: "learned" }), 3);
  assert.is(await count({ reader: "learned", evidenceRate: 0.4 }), 4);
  assert.is(await count({ reader: "extractive", k: 4 }), 5);
});

test("the code of every stage that decides a result is in the key, and that of others is not", () => {
  const root = folder();
  const stages = ["core", "graph", "media", "datasets", "embed", "answer", "walk", "retrieve", "figure"];
  for (const stage of stages) {
    mkdirSync(join(root, stage));
    writeFileSync(join(root, stage, "a.ts"), "1");
  }
  const before = codeHash(root);
  assert.is(codeHash(root), before);
  for (const stage of stages) {
    writeFileSync(join(root, stage, "a.ts"), "2");
    (stage === "figure" ? assert.is : assert.is.not)(codeHash(root), before, stage);
    writeFileSync(join(root, stage, "a.ts"), "1");
  }
});

test("crossed settings: each question is answered as itself, with and without evidence, in either order", async () => {
  for (const settings of [
    ["S2", "S4"],
    ["S4", "S2"],
  ]) {
    const s = await study({
      dataset: settled(),
      base: { retriever: "bm25", reader: echo, setting: settings[0] },
      vary: { setting: settings },
      cross: ["setting"],
      controls: ["question-only", "oracle"],
      measures: ["EM"],
      dir: folder(),
    }).run();
    for (const { question, text } of s.answers.objects() as { question: string; text: string }[])
      assert.is(text, `test ${question.slice(1)}?`);
  }
});

test("a study runs the split that it is given, and its report and failures speak of that split", async () => {
  const validation = await settled().splits.validation();
  const s = await study({
    dataset: validation,
    base: { retriever: "bm25", reader: echo },
    controls: [],
    measures: ["EM"],
    dir: folder(),
  }).run();
  const texts = (s.failures().objects() as { text: string }[]).map(({ text }) => text);
  assert.equal(texts, ["validation a?", "validation b?", "validation c?"]);
  assert.match(readFileSync((await s.report()).report, "utf8"), /3 questions \(validation split\)/);
});

test("a learner is not tested on the split that it is fitted on", async () => {
  const s = study({
    dataset: settled(),
    base: { retriever: "bm25", reader: "learned" },
    controls: [],
    measures: ["EM"],
    split: "train",
    dir: folder(),
  });
  let message = "";
  await s.run().catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /"learned" learns from the training split, and the questions under test are that split/);
});

test("what is stored is what is used: pictures, numbers that JSON lacks, and replies that are reused make no difference between first and second run", async () => {
  const image = Object.freeze({ id: "p", key: true, bytes: async () => new Uint8Array([1]) });
  const pictured: Retriever = defineRetriever({
    name: "pictured",
    version: "1",
    search: (_query: Query, { candidates }: RetrieverContext) => ({
      hits: [{ triple: candidates[0]!.triple, score: 1, images: [image] }],
      trace: [{ n: Number.NaN }],
    }),
  });
  const reply = { text: "", status: "ok" as const, citedRanks: [], tokens: 0, costUsd: 0, stop: "" };
  const looking: Reader = Object.assign(
    (query: Query, { hits, trace }: Parameters<Reader>[1]) =>
      Object.assign(reply, {
        text: `${query.text} ${hits[0]?.images?.length ?? 0} ${JSON.stringify(trace)}`,
      }),
    { label: "looking", version: "1" },
  );
  const dir = folder();
  const texts = async () =>
    ((await run(tiny(), { retriever: pictured, reader: looking }, dir)).answers.objects() as { text: string }[]).map(
      ({ text }) => text,
    );
  const first = await texts();
  assert.is(new Set(first).size, 24);
  assert.equal(await texts(), first);
});

test("a stored record of the wrong shape is one error with file and line, never a wrong score", async () => {
  const dir = folder();
  const base = { retriever: "bm25", reader: "extractive" };
  await run(tiny(), base, dir);
  for (const kind of ["evidence", "answers"])
    for (const line of [
      "null",
      '{"question":"x"}',
      '{"question":"x","evidence":null,"answer":null}',
      '{"question":"x","answer":{},"evidence":{}}',
    ]) {
      const file = join(dir, kind, stored(dir, kind)[0]!);
      const good = readFileSync(file);
      writeFileSync(file, `${line}\n${good}`);
      let message = "";
      await run(tiny(), base, dir).catch((error: Error) => {
        message = error.message;
      });
      assert.match(
        message,
        /^stored results: .*\.jsonl, line 1: not a question with its (evidence|answer)\. Delete the file/,
      );
      writeFileSync(file, good);
    }
});

test("two runs on one folder in one process: one is refused, nothing is stored twice", async () => {
  const dir = folder();
  const s = study({ dataset: tiny(), base: { retriever: "bm25" }, controls: [], dir });
  const ended = await Promise.allSettled([s.run(), s.run()]);
  assert.equal(ended.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assert.is(
    readFileSync(join(dir, "evidence", stored(dir, "evidence")[0]!), "utf8")
      .trim()
      .split("\n").length,
    24,
  );
});

test("an abort does not wait for a reader that never answers", async () => {
  const abort = new AbortController();
  const stuck: Reader = () => new Promise(() => {});
  const running = study({
    dataset: tiny(),
    base: { retriever: "bm25", reader: stuck },
    controls: [],
    dir: folder(),
  }).run({ signal: abort.signal });
  setTimeout(() => abort.abort(new Error("enough")), 50);
  let message = "";
  await running.catch((error: Error) => {
    message = error.message;
  });
  assert.is(message, "enough");
});

test("a study with the oracle alone, or where everything failed, is reported all the same", async () => {
  const oracle = await study({
    dataset: tiny(),
    base: { retriever: "bm25", reader: "extractive" },
    vary: { k: [1, 2] },
    controls: ["oracle"],
    dir: folder(),
  }).run();
  assert.match(readFileSync((await oracle.report()).report, "utf8"), /control=oracle/);
  const broken: Retriever = () => {
    throw undefined;
  };
  const failed = await study({
    dataset: tiny(),
    base: { retriever: broken, reader: "extractive" },
    vary: { k: [1, 2] },
    controls: [],
    dir: folder(),
  }).run();
  const text = readFileSync((await failed.report()).report, "utf8");
  assert.match(text, /72 failures, counted as missing; the first 20/);
  assert.match(text, /threw undefined/);
});

test.run();
