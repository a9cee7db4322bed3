import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hitId, MkgError } from "../../lib/core/index.js";
import { defineDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import {
  defineRetriever,
  type Retriever,
  type RetrieverContext,
  resolveRetriever,
  retrieve,
  retriever,
  throughput,
} from "../../lib/retrieve/index.js";
import { lawDataset } from "../laws/retriever.js";

const test = suite("retrieve");
const dataset = lawDataset();
const message = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "nothing was thrown",
    (error: Error) => error.message,
  );
const errorOf = async (found: unknown, k = 5) => {
  const mine = () => found as never;
  return (await retrieve(dataset, mine, { k })).get("q1").error ?? "no error";
};

test("a bare function is a retriever, shown by its name and never stored", async () => {
  const firstOnes: Retriever = (_query, { candidates, k }) =>
    candidates.slice(0, k).map((c, i) => ({ triple: c.triple, score: -i }));
  const run = await retrieve(dataset, firstOnes, { k: 3 });
  assert.is(run.label, "firstOnes");
  assert.equal(run.get("q0").evidence?.hits, [
    { score: 0, triple: "t0" },
    { score: -1, triple: "t1" },
    { score: -2, triple: "t2" },
  ]);
  assert.equal(resolveRetriever(firstOnes), { label: "firstOnes", version: null, params: {}, persistent: false });
  assert.is(resolveRetriever((() => () => [])()).label, "anonymous");
});

test("hits are ranked, ties by id, repeats kept once with their best score and counted, and cut to k", async () => {
  const messy: Retriever = () => [
    { triple: "t2", score: 1 },
    { triple: "t1", score: 1 },
    { triple: "t3", score: 0.5 },
    { triple: "t3", score: 4 },
    { triple: "t5", score: -1 },
  ];
  const { evidence } = (await retrieve(dataset, messy, { k: 3 })).get("q0");
  assert.equal(
    evidence?.hits.map((h) => [hitId(h), h.score]),
    [
      ["t3", 4],
      ["t1", 1],
      ["t2", 1],
    ],
  );
  assert.equal(evidence?.trace, [{ step: "duplicate hits left out", count: 1 }]);
});

test("what is not a valid hit is an error that names retriever, question and value", async () => {
  const start = /^mine, question "q1"/;
  const cases: [unknown, RegExp][] = [
    [undefined, /returned neither hits nor evidence \(undefined\)/],
    [{ hit: [] }, /returned neither hits nor evidence/],
    [[{ triple: "t1", score: Number.NaN }], /hit 1: the score is not a finite number \(NaN\)/],
    [[{ triple: "t1", score: "3" }], /the score is not a finite number \("3"\)/],
    [[{ triple: "t1", score: 1 }, null], /hit 2: is not an object \(null\)/],
    [[{ score: 1 }], /has no content\. Exactly one of triple, path, passage, text/],
    [[{ score: 1, triple: "t1", text: "x" }], /has several contents \(triple, text\)/],
    [[{ score: 1, triple: "t999" }], /unknown triple id \("t999"\)/],
    [[{ score: 1, triple: 7 }], /the triple is not an id \(7\)/],
    [[{ score: 1, path: [] }], /the path is not a list of entity ids/],
    [[{ score: 1, path: ["e0", "nowhere"] }], /the path holds an unknown entity id \("nowhere"\)/],
    [[{ score: 1, path: ["e0", "e5"], pathTriples: [] }], /pathTriples does not fit the path \(\[\]\)\. 1 triple ids/],
    [[{ score: 1, path: ["e1", "e5"], pathTriples: ["t0"] }], /triple "t0" does not join "e1" and "e5"/],
    [{ hits: [], spend: { calls: Number.NaN } }, /spend\.calls is not a finite number/],
  ];
  for (const [found, pattern] of cases) {
    const error = await errorOf(found);
    assert.match(error, start);
    assert.match(error, pattern);
  }
  assert.is(
    await errorOf([
      { score: 1, path: ["e0", "e5"], pathTriples: ["t0"] },
      { score: 1, path: ["e5", "e0"], pathTriples: ["t0"] },
      { score: 0, path: ["e0"] },
    ]),
    "no error",
  );
});

test("a triple outside the setting's candidates is refused", async () => {
  const narrow = defineDataset({
    name: "narrow",
    graph: dataset.graph,
    questions: [{ id: "1", text: "x" }],
    settings: {
      S2: () => ({
        questions: [{ id: "9", question: narrow.questions[0] as never }],
        candidates: dataset.setting().candidates.slice(0, 3),
      }),
    },
  });
  const outside = () => [{ triple: "t4", score: 1 }];
  assert.match(
    (await retrieve(narrow, outside, { k: 1, setting: "S2" })).get("9").error ?? "",
    /outside, question "9", hit 1: the triple is not a candidate under setting S2 \("t4"\)/,
  );
  assert.is((await retrieve(narrow, outside, { k: 1 })).get("1").error, undefined);
});

test("a question that a retriever throws on fails alone, with its message", async () => {
  const picky: Retriever = ({ text }, { candidates }) => {
    if (text.includes("avoids")) throw new TypeError("cannot read this");
    return [{ triple: (candidates[0] as { triple: string }).triple, score: 1 }];
  };
  const run = await retrieve(dataset, picky, { k: 1 });
  assert.equal(
    run.items.flatMap(({ id, evidence }) => (evidence === null ? [id] : [])),
    ["q1"],
  );
  assert.is(run.get("q1").error, "cannot read this");
});

test("an error in preparing stops the run", async () => {
  const broken = defineRetriever({
    name: "broken",
    version: "1",
    prepare: () => {
      throw new MkgError("broken", "no weights");
    },
    search: () => [],
  });
  assert.is(await message(retrieve(dataset, broken, { k: 1 })), "broken: no weights.");
});

test("preparing happens once a run, and again inside another retriever only once a corpus", async () => {
  let prepared = 0;
  const counting = defineRetriever({
    name: "counting",
    version: "1",
    prepare: () => ++prepared,
    search: (_q, { state }) => [{ triple: "t0", score: state as number }],
  });
  assert.is((await retrieve(dataset, counting, { k: 1 })).get("q5").evidence?.hits[0]?.score, 1);
  const outer: Retriever = (query, context) => counting(query, context);
  await retrieve(dataset, outer, { k: 1 });
  await retrieve(dataset, outer, { k: 1 });
  assert.is(prepared, 2);
});

test("an abort does not wait for a retriever that never answers", async () => {
  const controller = new AbortController();
  const stuck: Retriever = () => new Promise(() => {});
  setTimeout(() => controller.abort(new Error("enough")), 20);
  // were it waited for, this line would never be reached and the file's time limit would fail it
  assert.is(await message(retrieve(dataset, stuck, { k: 1, signal: controller.signal })), "enough");
});

test("many questions at once leave no listener behind and give no warning", async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.message);
  process.on("warning", note);
  const { signal } = new AbortController();
  const waits: Retriever = () => new Promise((resolve) => setTimeout(() => resolve([]), 5));
  const questions = Array.from({ length: 64 }, (_, i) => ({ id: `${i}`, text: "x" }));
  const many = defineDataset({ name: "many", graph: dataset.graph, questions });
  for (let i = 0; i < 12; i++) await retrieve(many, waits, { k: 1, signal, concurrency: 64 });
  await new Promise(setImmediate);
  process.off("warning", note);
  assert.equal(warnings, []);
});

test("an interrupt gets through to a run that never waits", async () => {
  const questions = Array.from({ length: 400 }, (_, i) => ({ id: `${i}`, text: "x" }));
  const long = defineDataset({ name: "long", graph: dataset.graph, questions });
  const controller = new AbortController();
  let done = 0;
  setTimeout(() => controller.abort(new Error("enough")), 5);
  const busy: Retriever = () => {
    done++;
    const until = performance.now() + 1;
    while (performance.now() < until);
    return [];
  };
  assert.is(await message(retrieve(long, busy, { k: 1, signal: controller.signal })), "enough");
  assert.ok(done < 200, `${done} of 400 questions were still run`);
});

test("wrong options are refused before anything is run", async () => {
  let calls = 0;
  const mine = () => {
    calls++;
    return [];
  };
  assert.match(
    await message(retrieve(dataset, "bm25" as unknown as Retriever, { k: 1 })),
    /the retriever is not a function \("bm25"\).*Did you mean retriever\("bm25"\)\?$/,
  );
  assert.match(
    await message(retrieve(dataset, mine, { k: 1, seed: 0.5 })),
    /^retrieve: the seed is not an integer ≥ 0 \(0\.5\)/,
  );
  assert.match(
    await message(retrieve(dataset, mine, { k: 1, concurrency: 0 })),
    /concurrency is not a positive integer/,
  );
  assert.match(
    await message(retrieve(dataset, mine, { k: 1, split: "tests" as "test" })),
    /unknown split \("tests"\)\. Known: train, validation, test\. Did you mean "test"\?/,
  );
  assert.match(await message(retrieve(dataset, mine, { k: 1, setting: "S9" as "S1" })), /S9/);
  assert.is(calls, 0);
  assert.throws(() => retriever("bm 25"), /unknown retriever \("bm 25"\).*Did you mean "bm25"\?/);
  assert.throws(
    () => defineRetriever({ name: "x", version: "1", serach: () => [] } as never),
    /unknown field \("serach"\).*Did you mean "search"\?/,
  );
  assert.throws(
    () => defineRetriever({ name: "x", version: "", search: () => [] }),
    /version is not a non-empty string \(""\)/,
  );
  assert.throws(() => defineRetriever({ name: "x", version: "1" } as never), /search is not a function \(undefined\)/);
  assert.throws(
    () => defineRetriever({ name: "x", version: "1", params: { a: Number.NaN }, search: () => [] }),
    /a number that JSON cannot hold \(NaN\)/,
  );
});

test("the split asked for is the one that is run", async () => {
  const train = defineDataset({
    name: "s",
    split: "train",
    graph: dataset.graph,
    questions: [{ id: "tr", text: "x" }],
  });
  const both = defineDataset({
    name: "s",
    graph: dataset.graph,
    questions: [{ id: "te", text: "x" }],
    splits: { train: () => train },
  });
  const run = await retrieve(both, () => [], { k: 1, split: "train" });
  assert.equal([run.dataset.split, run.items.map((i) => i.id)], ["train", ["tr"]]);
});

test("random draws are uniform over the candidates, and differ by seed and by question", async () => {
  const questions = Array.from({ length: 600 }, (_, i) => ({ id: `${i}`, text: "x" }));
  const many = defineDataset({ name: "many", graph: dataset.graph, questions });
  const run = await retrieve(many, retriever("random"), { k: 10, seed: 1 });
  const counts = new Map<string, number>();
  for (const { evidence } of run.items)
    for (const hit of evidence?.hits ?? []) counts.set(hitId(hit), (counts.get(hitId(hit)) ?? 0) + 1);
  // 6,000 draws over 60 triples: 100 expected each, sd = sqrt(600 · 1/6 · 5/6) = 9.1; 5 sd is beyond chance for 60 cells
  assert.is(counts.size, 60);
  for (const [id, count] of counts) assert.ok(Math.abs(count - 100) < 46, `${id}: ${count}`);
  const firsts = new Set(run.items.map(({ evidence }) => hitId(evidence?.hits[0] as never)));
  assert.ok(firsts.size > 50, "questions draw independently");
  const other = await retrieve(many, retriever("random"), { k: 10, seed: 2 });
  assert.not.equal(other.get("0").evidence, run.get("0").evidence);
});

/** Where a string holds `secret` among all that can be reached: own properties, symbols and accessors included, and prototypes. */
function pathsTo(secret: string, root: unknown): string[] {
  const found: string[] = [];
  const visited = new Set<unknown>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value === "string" && value.includes(secret)) found.push(path);
    if ((typeof value !== "object" && typeof value !== "function") || value === null || visited.has(value)) return;
    visited.add(value);
    for (const key of Reflect.ownKeys(value)) {
      if (String(key).includes(secret)) found.push(`${path}.${String(key)}`);
      let inner: unknown;
      try {
        inner = (value as Record<PropertyKey, unknown>)[key];
      } catch {
        continue;
      }
      visit(inner, `${path}.${String(key)}`);
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype && prototype !== Object.prototype && prototype !== Function.prototype)
      visit(prototype, `${path}.__proto__`);
  };
  visit(root, "");
  return found;
}

test("nothing that a retriever is given leads to answers, gold, group or cluster", async () => {
  const secret = "sEcReT";
  const graph = graphFrom({
    triples: [
      { id: "gold", head: "a", relation: "r", tail: "b" },
      { id: "other", head: "b", relation: "r", tail: "c" },
    ],
  });
  const image = { id: `${secret}.png`, key: true, bytes: async () => new Uint8Array([1]) };
  const hidden = defineDataset({
    name: "hidden",
    graph,
    visibleMeta: ["shown"],
    questions: [
      {
        id: `${secret}-id`,
        text: "plain?",
        images: [image],
        answers: [`${secret}-answer`],
        group: `${secret}-group`,
        cluster: `${secret}-cluster`,
        gold: { triples: ["gold"] },
        meta: { hidden: `${secret}-meta`, shown: 1 },
      },
    ],
  });
  const leaks: string[] = [];
  const spy = (query: unknown, context: RetrieverContext) => {
    leaks.push(...pathsTo(secret, query), ...pathsTo(secret, context));
    for (const change of [
      () => ((query as { text: string }).text = "x"),
      () => ((context as { k: number }).k = 9),
      () => (context.candidates as unknown[]).push(0),
      () => ((context.candidates[0] as { text: string }).text = "x"),
    ])
      assert.throws(change, TypeError);
    return [];
  };
  const { error } = (await retrieve(hidden, spy as unknown as Retriever, { k: 2 })).get(`${secret}-id`);
  assert.is(error, undefined);
  assert.equal(leaks, []);
  // the search does find it where it is
  assert.ok(pathsTo(secret, hidden.questions[0]).length >= 5);
});

test("throughput: one row a retriever, the median between its quartiles; questions and pictures are new each time, and a failure is an error", async () => {
  let asked = 0;
  const pictures = new Set<unknown>();
  const counting: Retriever = (query, { candidates }) => {
    asked++;
    for (const image of query.images) pictures.add(image);
    return [{ triple: (candidates[0] as { triple: string }).triple, score: 1 }];
  };
  const rows = (await throughput(dataset, [counting, retriever("bm25")], { k: 5, rounds: 3 })).objects() as Record<
    string,
    number
  >[];
  assert.equal(
    rows.map(({ retriever: name, setting, k, n, rounds }) => [name, setting, k, n, rounds]),
    [
      ["counting", "all", 5, 9, 3],
      ["bm25", "all", 5, 9, 3],
    ],
  );
  // a pass to warm up and three more, with four pictures in each
  assert.equal([asked, pictures.size], [4 * 9, 4 * 4]);
  for (const { qps, low, high } of rows)
    assert.ok((low as number) > 0 && (low as number) <= (qps as number) && (qps as number) <= (high as number));
  const broken: Retriever = () => {
    throw new Error("not today");
  };
  assert.is(await message(throughput(dataset, [broken])), "not today");
  assert.match(await message(throughput(dataset, [])), /throughput: no retrievers/);
});

test.run();
