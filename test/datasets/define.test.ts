import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isImage } from "../../lib/core/index.js";
import { type DatasetInput, defineDataset, type QuestionInput, splitOf, toQuery } from "../../lib/datasets/index.js";
import { score } from "../../lib/evaluate/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { retrieve } from "../../lib/retrieve/index.js";
import { reach } from "../support/reach.js";

const test = suite("define data set");

const graph = graphFrom({
  entities: [
    { id: "a", images: [{ id: "p", key: true, bytes: async () => new Uint8Array([1]) }] },
    { id: "b" },
    { id: "c" },
  ],
  triples: [
    { id: "ab", head: "a", relation: "r", tail: "b" },
    { id: "cb", head: "c", relation: "r", tail: "b" },
  ],
});
const secret = "SECRET-ANSWER";
const question = (more: Partial<QuestionInput> = {}): QuestionInput => ({
  id: "q-1",
  text: "What does a reach?",
  answers: [secret],
  group: "SECRET-group",
  cluster: "SECRET-cluster",
  gold: { paths: [["a", "b", "c"]], pathTriples: [["ab", "cb"]], triples: ["ab"] },
  meta: { seen: { deep: ["x"] }, hidden: "SECRET-meta" },
  images: [
    { id: "SECRET-image.png", key: true, bytes: async () => new Uint8Array([1, 2]) },
    { id: "SECRET-2", key: false, bytes: () => Promise.reject(new Error("cannot read SECRET/path.png")) },
  ],
  ...more,
});
const define = (more: Partial<DatasetInput> = {}, q: Partial<QuestionInput> = {}) =>
  defineDataset({ name: "invented", graph, questions: [question(q)], visibleMeta: ["seen", "absent"], ...more });

/** Not assert.throws with a function, which takes any true value, such as a message, for a yes. */
function throwsLike(act: () => unknown, message: RegExp): void {
  try {
    act();
  } catch (error) {
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable(`nothing was thrown: ${message}`);
}

test("from a query no answer, gold, group, cluster, id, hidden meta or image name can be reached, by any property of any object", async () => {
  const dataset = define();
  const query = toQuery(dataset, dataset.questions[0]!);
  const reached = reach(query);
  for (const value of reached) if (typeof value === "string") assert.not.match(value, /SECRET|q-1|invented/);
  for (const forbidden of [
    dataset,
    dataset.graph,
    dataset.questions,
    dataset.questions[0],
    dataset.questions[0]!.gold,
    dataset.questions[0]!.answers,
    dataset.questions[0]!.images[0],
  ])
    assert.not(reached.has(forbidden));
  assert.equal(Object.keys(query), ["id", "text", "images", "meta"]);
  assert.equal(query.meta, { seen: { deep: ["x"] } });
  assert.match(query.id, /^q[0-9a-f]{16}$/);
  assert.equal(
    query.images.map((image) => [image.id, image.key]),
    [
      [`${query.id}/0`, true],
      [`${query.id}/1`, false],
    ],
  );
  // the same walk finds everything from the question: the test can fail
  assert.ok([...reach(dataset.questions[0])].includes(secret));
});

test("pictures of a query give the bytes, as a copy, and an unreadable one does not tell its path", async () => {
  const dataset = define();
  const query = toQuery(dataset, dataset.questions[0]!);
  const bytes = await query.images[0]!.bytes();
  assert.equal([...bytes], [1, 2]);
  assert.is(bytes.buffer.byteLength, 2);
  try {
    await query.images[1]!.bytes();
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /a picture of a query cannot be read \("q[0-9a-f]{16}\/1"\)/);
    for (const value of reach(error))
      if (typeof value === "string" && value !== (error as Error).stack) assert.not.match(value, /SECRET/);
    assert.not.match((error as Error).stack ?? "", /SECRET/);
  }
});

test("queries, questions and data sets are frozen all the way down", () => {
  const dataset = define();
  const q = dataset.questions[0]!;
  const query = toQuery(dataset, q);
  const meta = q.meta as { seen: { deep: string[] } };
  for (const value of [
    dataset,
    dataset.questions,
    dataset.card,
    dataset.card.counts,
    dataset.splits,
    q,
    q.answers,
    q.images,
    q.images[0],
    q.gold,
    q.gold!.paths,
    q.gold!.paths![0],
    q.meta,
    meta.seen,
    meta.seen.deep,
    query,
    query.images,
    query.images[0],
    query.images[0]!.bytes,
    query.meta,
  ])
    assert.ok(Object.isFrozen(value));
  assert.throws(() => meta.seen.deep.push("y"), TypeError);
});

test("what was passed in stays the caller's: not frozen, and changes to it do not show", () => {
  const given = question();
  const dataset = defineDataset({ name: "n", graph, questions: [given] });
  (given.answers as string[]).push("later");
  (given.gold!.paths as string[][])[0]!.push("later");
  assert.equal(dataset.questions[0]!.answers, [secret]);
  assert.equal(dataset.questions[0]!.gold!.paths, [["a", "b", "c"]]);
});

test("the same question gives the same query, another data set name or question another id", () => {
  const dataset = define();
  const id = (d: typeof dataset) => toQuery(d, d.questions[0]!).id;
  assert.is(toQuery(dataset, dataset.questions[0]!), toQuery(dataset, dataset.questions[0]!));
  assert.is(id(define()), id(dataset));
  assert.is.not(id(define({ name: "other" })), id(dataset));
  assert.is.not(id(define({}, { id: "q-2" })), id(dataset));
});

test("the fingerprint depends on graph, questions and what a query may show", () => {
  const base = define().fingerprint;
  assert.is(define({ name: "other", licence: "MIT" }).fingerprint, base);
  for (const other of [
    define({ graph: graph.withoutImages() }),
    define({ visibleMeta: [] }),
    define({}, { text: "Else?" }),
    define({}, { answers: [] }),
    define({}, { gold: undefined }),
    define({}, { images: [] }),
  ])
    assert.is.not(other.fingerprint, base);
});

test("without a setting all questions meet all triples; those with a picture at an end are multimodal", () => {
  const dataset = define();
  const view = dataset.setting();
  assert.is(dataset.setting(), view);
  assert.equal(
    view.questions.map((q) => q.id),
    ["q-1"],
  );
  assert.equal(view.candidates, [
    { id: "ab", triple: "ab", text: "a r b", multimodal: true },
    { id: "cb", triple: "cb", text: "c r b", multimodal: false },
  ]);
  assert.throws(() => dataset.setting("S1"), /dataset "invented": it has no settings \("S1"\)/);
  const other = define({ settings: { S2: () => ({ questions: [], candidates: [] }) } });
  assert.equal(other.settings, ["S2"]);
  assert.is(other.setting("S2").name, "S2");
  assert.throws(() => other.setting("S3"), /unknown setting \("S3"\)\. Known: S2/);
});

test("the table of questions has one row each", () => {
  assert.equal(define().questionTable().objects(), [
    {
      id: "q-1",
      text: "What does a reach?",
      answers: [secret],
      group: "SECRET-group",
      cluster: "SECRET-cluster",
      images: 2,
    },
  ]);
});

test("splits: the own one is the data set itself, others are made when asked for, a missing one is named", async () => {
  const dataset = define({ splits: { train: () => define({ split: "train" }) } });
  assert.is(await dataset.splits.test(), dataset);
  assert.is((await dataset.splits.train()).split, "train");
  try {
    await dataset.splits.validation();
    assert.unreachable();
  } catch (error) {
    assert.is((error as Error).message, 'dataset "invented": there is no validation split. Splits: test, train.');
  }
});

test("gold paths get the triples along them: one that gold names, else the only one, else the first and a notice", () => {
  const parallel = graphFrom({
    triples: [
      { id: "ab1", head: "a", relation: "r", tail: "b" },
      { id: "ba2", head: "b", relation: "s", tail: "a" },
      { id: "bc", head: "c", relation: "r", tail: "b" },
      { id: "cc", head: "c", relation: "r", tail: "c" },
    ],
  });
  const made = defineDataset({
    name: "n",
    graph: parallel,
    questions: [
      { id: "named", text: "x", gold: { paths: [["a", "b", "c"]], triples: ["ba2"] } },
      { id: "unclear", text: "x", gold: { paths: [["c", "b", "a"], ["b"]], triples: ["bc"] } },
      // both edges are named, so that naming them decides nothing
      { id: "both", text: "x", gold: { paths: [["a", "b"]], triples: ["ba2", "ab1"] } },
      { id: "loop", text: "x", gold: { paths: [["c", "c"]] } },
      { id: "given", text: "x", gold: { paths: [["a", "b"]], pathTriples: [["ba2"]] } },
      { id: "none", text: "x", gold: { triples: ["bc"] } },
    ],
  });
  assert.equal(
    made.questions.map((q) => q.gold!.pathTriples),
    [[["ba2", "bc"]], [["bc", "ab1"], []], [["ab1"]], [["cc"]], [["ba2"]], undefined],
  );
  for (const q of made.questions) for (const along of q.gold!.pathTriples ?? []) assert.ok(Object.isFrozen(along));
  assert.equal(
    made.card.notices.filter((n) => /steps of gold paths/.test(n.what)).map((n) => [n.count, n.examples]),
    [[2, ["unclear: b – a", "both: a – b"]]],
  );
  assert.not(define().card.notices.some((n) => /steps of gold paths/.test(n.what)));
});

test("errors name the question and what is wrong with it", () => {
  const cases: [() => unknown, RegExp][] = [
    [
      () => defineDataset({ name: "n", graph, questions: [question(), question()] }),
      /^defineDataset\("n"\), question 1 \(from 0\): a second question with the id "q-1"; the first is question 0 \(from 0\)\. Question ids are distinct\. Rename or remove one/,
    ],
    [() => define({}, { id: "" }), /question 0 \(from 0\): id is not a non-empty string/],
    [() => define({}, { text: " " }), /question "q-1": text is not a non-empty string/],
    [() => define({}, { answers: [""] }), /question "q-1": answers is not a list of non-empty strings/],
    [
      () => define({}, { gold: { triples: ["ax"] } }),
      /question "q-1": a gold triple is not in the graph \("ax"\).*Did you mean "ab"\?/,
    ],
    [
      () => define({}, { gold: { paths: [["a", "x"]] } }),
      /an entity of gold path 0 \(from 0\) is not in the graph \("x"\)/,
    ],
    [() => define({}, { gold: { paths: [["a", "c"]] } }), /gold path 0 \(from 0\): no triple joins "a" and "c"/],
    [
      () => define({}, { gold: { paths: [["a", "b"]], pathTriples: [["cb"]] } }),
      /triple "cb" of gold path 0 \(from 0\) does not join "a" and "b"/,
    ],
    [() => define({}, { gold: { paths: [["a", "b"]], pathTriples: [[]] } }), /2 entities and 0 triples/],
    [() => define({}, { gold: { paths: [["a"]], pathTriples: [] } }), /gold\.pathTriples has 0 paths, gold\.paths 1/],
    [() => define({}, { gold: { paths: [[]] } }), /gold path 0 \(from 0\) is empty/],
    [() => define({}, { gold: { paths: ["a"] as never } }), /gold\.paths is not a list of lists/],
    [() => define({}, { meta: { f: () => secret } }), /meta\.f is not plain data/],
    [
      () => define({}, { meta: JSON.parse(`{"m":${"[".repeat(20_000)}${"]".repeat(20_000)}}`) }),
      /is nested too deeply/,
    ],
    [() => define({}, { meta: { n: Number.NaN } }), /meta\.n is not plain data/],
    [() => define({}, { images: ["a.png"] as never }), /image 0 \(from 0\) is not an image/],
    [
      () => define({ vizibleMeta: [] } as never),
      /^defineDataset: unknown key \("vizibleMeta"\).*Did you mean "visibleMeta"\?/,
    ],
    [() => define({}, { answer: "x" } as never), /question "q-1": unknown key \("answer"\).*Did you mean "answers"\?/],
    [
      () => define({}, { gold: { path: [["a", "b"]] } as never }),
      /question "q-1": unknown gold key \("path"\)\. Known: paths, pathTriples, triples, passages\. Did you mean "paths"\?/,
    ],
    [() => define({}, { gold: [["a", "b"]] as never }), /question "q-1": not an object of gold keys/],
    [() => define({ name: "" }), /name is not a non-empty string/],
    [() => define({ graph: {} as never }), /graph is not a graph/],
    [() => define({ questions: {} as never }), /questions is not a list/],
  ];
  for (const [act, message] of cases) throwsLike(act, message);
});

test("misspelt keys of card, splits and settings are errors with the known ones", () => {
  const cases: [Partial<DatasetInput>, RegExp][] = [
    [
      { card: { sumary: "x" } as never },
      /^defineDataset\("invented"\), card: unknown key \("sumary"\).*Did you mean "summary"\?/,
    ],
    [
      { card: { origin: "made up" } as never },
      /card: origin is not known \("made up"\)\. Known: real, generated, not stated/,
    ],
    [{ card: { upperBound: "yes" } as never }, /card: upperBound is not true or false \("yes"\)/],
    [{ splits: { trian: () => define() } as never }, /splits: unknown key \("trian"\).*Did you mean "train"\?/],
    [{ splits: { train: 3 } as never }, /splits: train is not a function \(3\)/],
    [{ settings: { S6: () => ({ questions: [], candidates: [] }) } as never }, /settings: unknown key \("S6"\)/],
    [{ visibleMeta: "seen" as never }, /visibleMeta is not a list of strings \("seen"\)/],
  ];
  for (const [more, message] of cases) throwsLike(() => define(more), message);
});

const passages = [
  { id: "s1", text: "Herons wade.", title: "Heron", page: "heron", section: "Heron" },
  { id: "s2", text: "", title: "Oak", images: question().images! },
];

test("passages are candidates instead of triples, found by id, checked, frozen, and part of the fingerprint", () => {
  const made = define({ passages }, { gold: { passages: ["s1"] } });
  assert.equal(
    made
      .setting()
      .candidates.map(({ id, passage, triple, text, multimodal }) => [id, passage, triple, text, multimodal]),
    [
      ["s1", "s1", undefined, "Heron\nHerons wade.", false],
      ["s2", "s2", undefined, "Oak", true],
    ],
  );
  assert.is(made.passage("s1"), made.passages[0]);
  assert.ok(
    Object.isFrozen(made.passages) && Object.isFrozen(made.passages[1]) && Object.isFrozen(made.passages[1]!.images),
  );
  assert.equal([made.card.counts.passages, made.card.read.passages, made.card.kept.passages], [2, 2, 2]);
  assert.equal(made.card.notices.find((n) => n.what === "passages without text")?.examples, ["s2"]);
  const other = define(
    { passages: [{ ...passages[0]!, text: "Herons fly." }, passages[1]!] },
    { gold: { passages: ["s1"] } },
  );
  assert.is.not(other.fingerprint, made.fingerprint);
  assert.is.not(define({ passages }, { gold: undefined }).fingerprint, define({}, { gold: undefined }).fingerprint);
  assert.equal(define().passages, []);
  const cases: [() => unknown, RegExp][] = [
    [
      () => define({ passages }, { gold: { passages: ["s3"] } }),
      /question "q-1": a gold passage is not in the data set \("s3"\).*Did you mean "s1"\?/,
    ],
    [() => define({ passages: [passages[0]!, passages[0]!] }), /passage "s1": a second passage with this id/],
    [() => define({ passages: [{ ...passages[0]!, txt: "x" } as never] }), /passage "s1": unknown key \("txt"\)/],
    [() => define({ passages: [{ id: "s", text: 7 } as never] }), /passage "s": text is not a string \(7\)/],
    [() => define({ passages: [{ id: "", text: "" }] }), /passage 0 \(from 0\): id is not a non-empty string/],
  ];
  for (const [act, message] of cases) throwsLike(act, message);
  assert.not([...reach(toQuery(made, made.questions[0]!))].includes("s1"));
});

test("lenient leaves out what cannot be kept and lists it with file and line; the card adds up", () => {
  const rows = [question(), question(), question({ id: "q-2", gold: { triples: ["zz"] } }), question({ id: "q-3" })];
  const given = { name: "n", graph, questions: rows, sourceOf: (i: number) => ({ file: "q.csv", line: i + 2 }) };
  assert.throws(
    () => defineDataset(given),
    /defineDataset\("n"\): q\.csv, line 3: a second question with the id "q-1"/,
  );
  const { questions, card } = defineDataset({ ...given, lenient: true });
  assert.equal(
    questions.map((q) => q.id),
    ["q-1", "q-3"],
  );
  assert.equal(card.refused, [
    { file: "q.csv", line: 3, reason: 'a second question with the id "q-1"; the first is in q.csv, line 2' },
    { file: "q.csv", line: 4, reason: 'a gold triple is not in the graph ("zz")' },
  ]);
  assert.is(card.read.questions, card.kept.questions! + card.refused.length - card.added.questions!);
  assert.equal([card.read.triples, card.kept.triples, card.repaired], [2, 2, []]);
});

test("the card says that scores are an upper bound, and nothing where they are not", () => {
  assert.is(define({ card: { upperBound: true } }).card.upperBound, true);
  assert.not(Object.hasOwn(define().card, "upperBound"));
});

test("splitOf gives the split asked for, the data set itself without a name, and names the splits otherwise", async () => {
  const dataset = define({ splits: { train: () => define({ split: "train" }) } });
  assert.is(await splitOf("here", dataset), dataset);
  assert.is(await splitOf("here", dataset, "test"), dataset);
  assert.is((await splitOf("here", dataset, "train")).split, "train");
  try {
    await splitOf("here", dataset, "trian");
    assert.unreachable();
  } catch (error) {
    assert.match(
      (error as Error).message,
      /^here: unknown split \("trian"\)\. Known: train, validation, test\. Did you mean "train"\?/,
    );
  }
});

test("an image is what has an id, a mark and a way to its bytes", () => {
  assert.ok(isImage(question().images![0]));
  for (const value of [null, {}, "a.png", { id: "a", key: true }, { id: 1, key: true, bytes() {} }])
    assert.not(isImage(value));
});

test("settings by modality: rows by the head's picture, questions by their own, each asked where a row of its modality is relevant, and scored by what is ranked", async () => {
  const picture = bytesImage(new Uint8Array([1]), "p");
  const graph = graphFrom({
    entities: [{ id: "a", images: [picture] }, { id: "b" }, { id: "c" }],
    triples: [
      { id: "0", head: "a", relation: "r", tail: "b" },
      { id: "1", head: "b", relation: "r", tail: "c" },
    ],
  });
  const dataset = defineDataset({
    name: "modal",
    graph,
    settings: "modality",
    questions: [
      { id: "text", text: "b c", gold: { triples: ["0", "1"] } },
      { id: "shown", text: "?", images: [picture], gold: { triples: ["0"] } },
      { id: "lost", text: "a", gold: { triples: ["0"] } },
      { id: "none", text: "a" },
    ],
  });
  const view = (name?: "S1" | "S2" | "S3" | "S4" | "S5") => {
    const { questions, candidates } = dataset.setting(name);
    return [questions.map(({ id }) => id).join(), candidates.map(({ id }) => id).join()];
  };
  assert.equal(dataset.settings.map(view), [
    ["shown,text", "0,1"],
    ["text", "1"],
    ["text", "0,1"],
    ["shown", "0"],
    ["shown", "0,1"],
  ]);
  assert.equal(view(), ["text,shown,lost,none", "0,1"]);
  assert.equal(dataset.card.notices.at(-1)?.count, 2);
  const recall = async (setting: "S1" | "S2") => {
    const run = await retrieve(dataset, () => [{ triple: "1", score: 1 }], { k: 1, setting });
    return (await score(run, dataset, ["R@1"])).array("value");
  };
  // of the two triples of its gold only one is a row of S2
  assert.equal(await recall("S2"), [1]);
  assert.equal(await recall("S1"), [0, 0.5]);
  assert.throws(
    () => defineDataset({ name: "x", graph, questions: [], settings: "modality", multimodal: () => true }),
    /settings by modality with a rule of their own/,
  );
});

test.run();
