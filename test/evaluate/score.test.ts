import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ColumnTable } from "arquero";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Answer, Hit, Question } from "../../lib/core/index.js";
import {
  defineMeasure,
  evaluateFiles,
  makeRun,
  type Run,
  type RunItem,
  score,
  writeTrec,
} from "../../lib/evaluate/index.js";

const test = suite("score");

const question = (id: string, rest: Partial<Question> = {}): Question => ({
  id,
  text: id,
  images: [],
  answers: ["yes"],
  group: `g${id}`,
  cluster: `c${id}`,
  meta: {},
  ...rest,
});
// score looks at name, split and questions alone
const dataset = (questions: readonly Question[]) =>
  ({ name: "tiny", split: "test", questions }) as unknown as Run["dataset"];
const said = (text: string | null, status: Answer["status"] = "ok"): Answer => ({
  text,
  status,
  citedRanks: [],
  tokens: 0,
  costUsd: 0,
  stop: "",
});
const item = (id: string, hits: Partial<Hit>[] | null, rest: Partial<RunItem> = {}): RunItem => ({
  id,
  question: id,
  query: { id, text: id, images: [], meta: {} },
  evidence: hits && { hits: hits.map((hit, i) => ({ score: -i, ...hit })) },
  answer: null,
  ...rest,
});
const run = (items: RunItem[], questions: Question[], rest: Partial<Run> = {}): Run =>
  makeRun({
    label: "r",
    dataset: dataset(questions),
    setting: { name: "all", questions: [], candidates: [] },
    k: 10,
    seed: 0,
    config: {},
    items,
    ...rest,
  });
const outcomes = (table: ColumnTable) =>
  (table.objects() as { question: string; measure: string; value: number | null; status: string }[]).map((r) => [
    r.question,
    r.measure,
    r.value,
    r.status,
  ]);
const fails = async (promise: Promise<unknown>, pattern: RegExp) => {
  let error: Error | undefined;
  await promise.catch((e) => (error = e));
  assert.ok(error?.name === "MkgError" && pattern.test(error.message), `${pattern}: ${error?.message}`);
};

test("a row carries run, question, group, cluster and seed", async () => {
  const q = [question("1", { gold: { triples: ["t"] } })];
  const table = await score(run([item("1", [{ triple: "t" }])], q, { label: "bm25", seed: 7 }), dataset(q), ["RR"]);
  assert.equal(table.objects(), [
    { run: "bm25", question: "1", group: "g1", cluster: "c1", seed: 7, measure: "RR", value: 1, status: "ok" },
  ]);
});

// case IR-01: A, A, B against A: DCG 1, ideal 1
test("a triple returned twice counts once: nDCG and recall stay at 1, precision credits it once", async () => {
  const q = [question("1", { gold: { triples: ["A", "A"] } })];
  const table = await score(run([item("1", [{ triple: "A" }, { triple: "A" }, { triple: "B" }])], q), dataset(q), [
    "nDCG@5",
    "R@5",
    "P@5",
  ]);
  assert.equal(Array.from(table.array("value")), [1, 1, 1 / 5]);
});

test("ranking measures judge the triples along paths in rank order, each at its first occurrence", async () => {
  // flattened: t1 t2 | t1 t3 → t1 t2 t3; gold t3 is at rank 3
  const q = [question("1", { gold: { triples: ["t3"] } })];
  const hits = [
    { path: ["a", "b", "c"], pathTriples: ["t1", "t2"] },
    { path: ["a", "b", "d"], pathTriples: ["t1", "t3"] },
  ];
  assert.equal(outcomes(await score(run([item("1", hits)], q), dataset(q), ["RR"])), [["1", "RR", 1 / 3, "ok"]]);
});

test("without gold triples the triples of the gold paths are the relevant ones", async () => {
  const q = [question("1", { gold: { paths: [["a", "b", "c"]], pathTriples: [["t1", "t2"]] } })];
  assert.equal(outcomes(await score(run([item("1", [{ triple: "t2" }])], q), dataset(q), ["R@5"])), [
    ["1", "R@5", 1 / 2, "ok"],
  ]);
});

test("a passage holds its rank beside triples and is not relevant, even under a triple's id", async () => {
  const q = [question("1", { gold: { triples: ["t"] } })];
  assert.equal(outcomes(await score(run([item("1", [{ passage: "t" }, { triple: "t" }])], q), dataset(q), ["RR"])), [
    ["1", "RR", 1 / 2, "ok"],
  ]);
});

test("without gold nothing is computed; failed evidence is failed; found nothing is 0", async () => {
  const q = [
    question("none"),
    question("broke", { gold: { triples: ["t"], paths: [["a"]] } }),
    question("empty", { gold: { triples: ["t"], paths: [["a"]] } }),
  ];
  const one = run(
    [item("none", [{ path: ["a"], pathTriples: [] }]), item("broke", null, { error: "boom" }), item("empty", [])],
    q,
  );
  assert.equal(outcomes(await score(one, dataset(q), ["AP", "PathRecall"])), [
    ["none", "AP", null, "not-computed"],
    ["none", "PathRecall", null, "not-computed"],
    ["broke", "AP", null, "failed"],
    ["broke", "PathRecall", null, "failed"],
    ["empty", "AP", 0, "ok"],
    ["empty", "PathRecall", 0, "ok"],
  ]);
});

test("a run whose hits are of another kind is not measured by it, rather than scored 0", async () => {
  const gold = { triples: ["t"], paths: [["a", "b"]] };
  const q = [question("1", { gold }), question("2", { gold })];
  const triples = run([item("1", [{ triple: "t" }]), item("2", [])], q);
  assert.equal(
    outcomes(await score(triples, dataset(q), ["PathRecall"])).map((r) => r[3]),
    ["not-computed", "not-computed"],
  );
  const passages = run([item("1", [{ passage: "t" }]), item("2", [])], q);
  assert.equal(
    outcomes(await score(passages, dataset(q), ["AP"])).map((r) => r[3]),
    ["not-computed", "not-computed"],
  );
  // one path in the run: the question without any earned its 0
  const mixed = run([item("1", [{ path: ["a", "b"], pathTriples: ["t"] }]), item("2", [{ triple: "t" }])], q);
  assert.equal(outcomes(await score(mixed, dataset(q), ["PathRecall"])), [
    ["1", "PathRecall", 1, "ok"],
    ["2", "PathRecall", 0, "ok"],
  ]);
  const untold = run([item("1", [{ path: ["a", "b"] }]), item("2", [])], q);
  assert.equal(outcomes(await score(untold, dataset(q), ["AP"])), [
    ["1", "AP", null, "not-computed"],
    ["2", "AP", 0, "ok"],
  ]);
});

test("an abstention is 0 with status ok, a failed answer failed, no reader and no accepted answer not-computed", async () => {
  const q = ["ok", "abstained", "failed", "unread", "broke"]
    .map((id) => question(id))
    .concat(question("open", { answers: [" "] }));
  const items = [
    item("ok", [], { answer: said("Yes.") }),
    item("abstained", [], { answer: said(null, "abstained") }),
    item("failed", [], { answer: said(null, "failed") }),
    item("unread", []),
    item("broke", null, { error: "boom" }),
    item("open", [], { answer: said("anything") }),
  ];
  assert.equal(outcomes(await score(run(items, q), dataset(q), ["EM", "AnswerRate"])), [
    ["ok", "EM", 1, "ok"],
    ["ok", "AnswerRate", 1, "ok"],
    ["abstained", "EM", 0, "ok"],
    ["abstained", "AnswerRate", 0, "ok"],
    ["failed", "EM", null, "failed"],
    ["failed", "AnswerRate", null, "failed"],
    ["unread", "EM", null, "not-computed"],
    ["unread", "AnswerRate", null, "not-computed"],
    ["broke", "EM", null, "failed"],
    ["broke", "AnswerRate", null, "failed"],
    ["open", "EM", null, "not-computed"],
    ["open", "AnswerRate", 1, "ok"],
  ]);
});

test("an own measure is scored by its name; null is undefined, a wrong number an error with the question", async () => {
  const q = [question("1"), question("2")];
  const one = run([item("1", [], { answer: said("a b c") }), item("2", [], { answer: said(null, "abstained") })], q);
  const length = defineMeasure({
    name: "Words",
    range: [0, Number.POSITIVE_INFINITY],
    needs: "answer",
    gold: false,
    compute: async ({ text }) => (text === null ? null : text.split(" ").length),
  });
  assert.equal(outcomes(await score(one, dataset(q), [length])), [
    ["1", "Words", 3, "ok"],
    ["2", "Words", null, "undefined"],
  ]);
  for (const bad of [Number.NaN, 2, "1" as never, undefined as never]) {
    const wrong = defineMeasure({ name: "Wrong", range: [0, 1], needs: "answer", compute: () => bad });
    await fails(score(one, dataset(q), [wrong]), /measure Wrong: a wrong value for question "1".*from 0 to 1/);
  }
});

test("unknown measures and questions are refused", async () => {
  const q = [question("1")];
  const one = run([item("1", [])], q);
  await fails(score(one, dataset(q), ["Em"]), /Did you mean "EM"/);
  await fails(score(one, dataset(q), ["EM", "EM"]), /given twice/);
  await fails(
    score(one, dataset(q), ["EM"], { signl: undefined } as never),
    /^score: unknown option \("signl"\).*Did you mean "signal"/,
  );
  await fails(
    evaluateFiles({ qrel: "q", run: "r", measures: ["AP"] } as never),
    /^evaluateFiles: unknown option \("qrel"\).*Did you mean "qrels"/,
  );
  await fails(
    score(one, dataset([question("2")]), ["EM"]),
    /run "r" has a question that the data set does not \("1"\)/,
  );
});

test("several runs make one table", async () => {
  const q = [question("1", { gold: { triples: ["t"] } })];
  const table = await score(
    [run([item("1", [])], q, { label: "a" }), run([item("1", [{ triple: "t" }])], q, { label: "b" })],
    dataset(q),
    ["RR"],
  );
  assert.equal(
    [Array.from(table.array("run")), Array.from(table.array("value"))],
    [
      ["a", "b"],
      [0, 1],
    ],
  );
});

test("an abort signal stops scoring", async () => {
  const q = [question("1")];
  let error: Error | undefined;
  await score(run([item("1", [])], q), dataset(q), ["EM"], { signal: AbortSignal.abort() }).catch((e) => (error = e));
  assert.is(error?.name, "AbortError");
});

test("score and evaluateFiles give equal values for the same run", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mkglab-score-"));
  const q = ["1", "2", "3"].map((id) => question(id, { gold: { triples: [`t${id}`, "x", "y"] } }));
  // ids chosen so that trec_eval's tie order (descending) differs from the ranking's
  const rankings: Record<string, string[]> = { 1: ["a", "t1", "b", "x"], 2: ["t2"], 3: ["y", "z", "x", "t3"] };
  const one = run(
    Object.entries(rankings).map(([id, ids]) =>
      item(
        id,
        ids.map((triple) => ({ triple, score: 1 })),
      ),
    ),
    q,
  );
  const measures = ["nDCG@3", "P@3", "R@3", "AP", "RR"];
  const tied = Object.entries(rankings).map(([id, ids]) => [id, { ids, scores: ids.map(() => 1) }] as const);
  await writeTrec(new Map(tied), join(dir, "run"), "r");
  const qrels = new Map(q.map(({ id, gold }) => [id, new Map((gold?.triples ?? []).map((t) => [t, 1]))]));
  const files = await evaluateFiles({ qrels, run: join(dir, "run"), measures });
  for (const [id, measure, value] of outcomes(await score(one, dataset(q), measures)))
    assert.is(files[measure as string]?.perQuery.get(id as string), value);
  await rm(dir, { recursive: true });
});

test.run();
