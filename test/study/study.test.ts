import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Query } from "../../lib/core/index.js";
import { loadDataset } from "../../lib/datasets/index.js";
import { defineRetriever, type RetrieverContext } from "../../lib/retrieve/index.js";
import { study } from "../../lib/study/index.js";
import { writeFolder } from "../support/cli.js";
import { tiny } from "../support/tiny.js";

const dataset = tiny();
const folder = () => mkdtempSync(join(tmpdir(), "study-"));
/** Every derived file's bytes, by name: what a reader of the folder sees. */
const derived = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(dir, name)).isFile() && !/^(evidence|answers)\//.test(name))
      .sort()
      .map((name) => [name, readFileSync(join(dir, name)).toString("base64")]),
  );
const spec = {
  dataset,
  base: { retriever: "walk", reader: "extractive", k: 5 },
  vary: { pathCount: [1, 2], retriever: ["random", "bm25"] },
  seeds: [0, 1],
};

/** A retriever that counts its calls, so that reuse can be told from re-running. */
const counting = (counter: { calls: number }, fail: (query: Query) => boolean = () => false) =>
  defineRetriever({
    name: "counting",
    version: "1",
    search: (query: Query, { candidates }: RetrieverContext) => {
      counter.calls++;
      if (fail(query)) throw new Error("the line is down");
      return candidates.slice(0, 3).map((candidate, i) => ({ triple: candidate.triple, score: 3 - i }));
    },
  });

test("the same study gives the same bytes at concurrency 1 and 8", async () => {
  const [one, eight] = [folder(), folder()];
  await (await study({ ...spec, dir: one }).run({ concurrency: 1 })).report();
  await (await study({ ...spec, dir: eight }).run({ concurrency: 8 })).report();
  assert.equal(derived(one), derived(eight));
  assert.ok(Object.keys(derived(one)).some((name) => name.endsWith(".svg")));
});

test("oracle reaches 1 on path measures and random paths never contain gold", async () => {
  const s = await study({ ...spec, dir: folder() }).run();
  const by = new Map(
    (s.table().objects() as { run: string; measure: string; mean: number | null }[]).map((row) => [
      `${row.run} ${row.measure}`,
      row.mean,
    ]),
  );
  assert.is(by.get("control=oracle PathRecall"), 1);
  assert.is(by.get("control=oracle EM"), 1);
  assert.is(by.get("control=random-path same-subgraph PathRecall"), 0);
  assert.is(by.get("control=random-path other-subgraph EM"), 0);
});

test("a control without retrieval has no score for retrieval: not-computed with null, never 0, and no row is missing", async () => {
  const s = await study({ ...spec, dir: folder() }).run();
  const rows = s.rows.objects() as { run: string; measure: string; value: number | null; status: string }[];
  const own = rows.filter((row) => row.run === "control=question-only" && row.measure === "PathRecall");
  assert.is(own.length, 24 * 2);
  assert.ok(own.every((row) => row.value === null && row.status === "not-computed"));
  // cells × seeds × questions × measures
  assert.is(rows.length, s.plan.cells.length * 2 * 24 * s.plan.measures.length);
  assert.not(rows.some((row) => Number.isNaN(row.value)));
});

test("what is stored is not run again; new cells run alone", async () => {
  const dir = folder();
  const counter = { calls: 0 };
  const base = { retriever: counting(counter), reader: "extractive" };
  await study({ dataset, base, controls: [], dir }).run();
  assert.is(counter.calls, 24);
  const again = await study({ dataset, base, controls: [], dir }).run();
  assert.is(counter.calls, 24);
  await study({ dataset, base, vary: { k: [2] }, controls: [], dir }).run();
  assert.is(counter.calls, 48);
  assert.is(again.rows.numRows(), 24 * again.plan.measures.length);
});

test("an interrupted study goes on where it stopped, a torn last line is run again, and the results are the same", async () => {
  const whole = folder();
  const torn = folder();
  const counter = { calls: 0 };
  const one = { dataset, base: { retriever: counting(counter), reader: "extractive" }, controls: [] };
  const expected = (await study({ ...one, dir: whole }).run()).rows.objects();
  const abort = new AbortController();
  let stopped = "";
  await study({ ...one, dir: torn })
    .run({ signal: abort.signal, concurrency: 1, onProgress: ({ done }) => done === 10 && abort.abort() })
    .catch((error: Error) => {
      stopped = error.name;
    });
  assert.is(stopped, "AbortError");
  const log = join(torn, "evidence", readdirSync(join(torn, "evidence"))[0] as string);
  const bytes = readFileSync(log, "utf8");
  assert.is(bytes.trim().split("\n").length, 10);
  truncateSync(log, bytes.length - 5); // as a kill in the middle of a write leaves it
  counter.calls = 0;
  const resumed = await study({ ...one, dir: torn }).run();
  assert.is(counter.calls, 15); // 24 − 9 whole lines
  assert.equal(resumed.rows.objects(), expected);
});

test("a question on which the retriever fails is a failed row, is tried again, and mends itself", async () => {
  const dir = folder();
  let down = true;
  const failing = counting({ calls: 0 }, (query) => down && query.text.includes("Amru"));
  const one = { dataset, base: { retriever: failing, reader: "extractive" }, controls: [], dir };
  const s = await study(one).run();
  const failed = (s.rows.objects() as { status: string; value: null; cluster: string }[]).filter(
    (row) => row.status === "failed",
  );
  assert.ok(failed.length >= 4 && failed.every((row) => row.value === null && row.cluster === "Amru"));
  const table = s.table().objects() as { n: number; nMissing: number; measure: string }[];
  assert.equal(
    table.filter((row) => row.measure === "EM").map(({ n, nMissing }) => [n, nMissing]),
    [[20, 4]],
  );
  assert.match(readFileSync((await s.report()).report, "utf8"), /the line is down/);
  down = false;
  const mended = await study(one).run();
  assert.not((mended.rows.objects() as { status: string }[]).some((row) => row.status === "failed"));
});

test("a bare function runs beside a named retriever and leaves nothing that another process could mistake for its result", async () => {
  const dir = folder();
  const shortest = (_query: Query, { candidates }: RetrieverContext) =>
    candidates.slice(0, 2).map(({ triple }, i) => ({ triple, score: 2 - i }));
  const s = await study({
    dataset,
    base: { retriever: "bm25", k: 5 },
    vary: { retriever: [shortest] },
    controls: [],
    measures: ["nDCG@5"],
    dir,
  }).run();
  assert.equal(
    s.plan.cells.map((cell) => cell.label),
    ["base", "retriever=shortest"],
  );
  assert.is(readdirSync(join(dir, "evidence")).length, 1);
  const [row] = s.compare().objects() as { a: string; b: string; difference: number; clusters: number }[];
  assert.equal([row?.a, row?.b, row?.clusters], ["base", "retriever=shortest", 6]);
});

test("a picture file with other bytes under the same name is another question: nothing stored is reused", async () => {
  const data = writeFolder(tiny(), folder());
  const picture = join(data, "a.png");
  const png = (r: number) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r, g: 0, b: 0 } } })
      .png()
      .toBuffer();
  writeFileSync(picture, await png(0));
  writeFileSync(
    join(data, "questions.jsonl"),
    `${JSON.stringify({ id: "1", text: "What does Amru do?", images: ["a.png"], gold: { triples: ["Amru-0"] } })}\n`,
  );
  const counter = { calls: 0 };
  const dir = folder();
  const once = async () =>
    study({ dataset: await loadDataset(data), base: { retriever: counting(counter) }, controls: [], dir }).run();
  await once();
  await once();
  assert.is(counter.calls, 1);
  writeFileSync(picture, await png(255));
  await once();
  assert.is(counter.calls, 2);
});

test("two studies do not write to one folder at once; a lock of a dead process is taken over", async () => {
  const dir = folder();
  const slow = defineRetriever({
    name: "slow",
    version: "1",
    search: async () => new Promise((done) => setTimeout(() => done([]), 50)),
  });
  const first = study({ dataset, base: { retriever: slow }, controls: [], dir }).run();
  await new Promise((done) => setTimeout(done, 20));
  let message = "";
  await study({ dataset, base: { retriever: slow }, controls: [], dir })
    .run()
    .catch((error: Error) => {
      message = error.message;
    });
  assert.match(message, /already running a study in the folder/);
  await first;
  writeFileSync(join(dir, ".lock"), "999999999");
  await study({ dataset, base: { retriever: slow }, controls: [], dir }).run();
  assert.not(existsSync(join(dir, ".lock")));
});

test("results before run() are an error, and replay gives what the study stored", async () => {
  const dir = folder();
  const s = study({ ...spec, dir });
  assert.throws(() => s.rows, /study: it has not been run\. Await study\.run\(\) first\./);
  await s.run();
  const id = dataset.questions[0]?.id as string;
  const stored = (s.answers.objects() as { run: string; question: string; seed: number; text: string }[]).find(
    (row) => row.run === "pathCount=1" && row.question === id && row.seed === 1,
  );
  const replayed = await s.replay("pathCount=1", id, 1);
  assert.is(replayed.answer?.text ?? null, stored?.text ?? null);
  assert.ok((replayed.evidence?.hits.length ?? 0) > 0);
  try {
    await s.replay("pathCount=9", id);
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /unknown run \("pathCount=9"\)\..*Did you mean "pathCount=1"\?/);
  }
});

test.run();
