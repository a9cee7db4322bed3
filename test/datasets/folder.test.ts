import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { datasetList, datasetNames, loadDataset, toQuery } from "../../lib/datasets/index.js";
import { loopback, serve } from "../support/loopback.js";

const test = suite<{ dir: string }>("data set folder and registry");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
  put(context.dir, {
    "entities.csv": "id,label\n007,Bond\n7,Seven\n",
    "triples.tsv": "head\trelation\ttail\n007\tknows\t7\n",
    "pictures/a%2b.png": new Uint8Array([1, 2, 3]),
    "questions.jsonl": `${JSON.stringify({
      id: "1",
      text: "Whom does he know?",
      answers: ["Seven"],
      group: "one hop",
      cluster: "007",
      images: ["pictures/a%2b.png", { file: "pictures/a%2b.png", key: false }],
      gold: { triples: ["0"], paths: [["007", "7"]] },
    })}\n\n{"id":"2","text":"And else?"}\n`,
  });
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

function put(dir: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), data);
  }
}

async function message(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (error) {
    assert.match((error as Error).constructor.name, /^(Mkg|Setup)Error$/, String(error));
    return (error as Error).message;
  }
  return assert.unreachable() as never;
}

test("a folder becomes a data set: questions, pictures, gold, and its further splits", async ({ dir }) => {
  const dataset = await loadDataset(dir);
  assert.is(dataset.name, basename(dir));
  assert.is(dataset.licence, "not stated");
  const [first, second] = dataset.questions;
  assert.equal(
    [first!.answers, first!.group, first!.cluster, first!.gold!.triples],
    [["Seven"], "one hop", "007", ["0"]],
  );
  assert.equal(
    first!.images.map((i) => i.key),
    [true, false],
  );
  assert.equal([...(await first!.images[0]!.bytes())], [1, 2, 3]);
  assert.equal([second!.group, second!.cluster, second!.answers.length, second!.gold], ["all", "2", 0, undefined]);
  assert.is(
    await message(() => dataset.splits.train()),
    `dataset "${dataset.name}": there is no train split. Splits: test.`,
  );
  put(dir, { "questions.train.jsonl": '{"id":"t","text":"Train?"}\n' });
  assert.equal(
    (await loadDataset(dir, { split: "train" })).questions.map((q) => q.id),
    ["t"],
  );
  assert.is((await (await loadDataset(dir)).splits.train()).split, "train");
});

test("test questions that stand in the training split are noticed; other answers to the same text are another question", async ({
  dir,
}) => {
  const notice = async () =>
    (await loadDataset(dir)).card.notices.find((n) => /stand in the training split/.test(n.what));
  put(dir, {
    "questions.jsonl": [
      { id: "1", text: "Whom?", answers: ["A", "B"] },
      { id: "2", text: "Whom?", answers: ["C"] },
      { id: "3", text: "What?" },
    ]
      .map((q) => `${JSON.stringify(q)}\n`)
      .join(""),
  });
  assert.is(await notice(), undefined);
  put(dir, { "questions.train.jsonl": '{"id":"t1","text":"Whom?","answers":["D"]}\n' });
  assert.is(await notice(), undefined);
  put(dir, {
    "questions.train.jsonl":
      '{"id":"t1","text":"Whom?","answers":["B","A"],"group":"other"}\n{"id":"t2","text":"What?"}\n{"id":"t3","text":"Else?"}\n',
  });
  assert.equal(await notice(), {
    what: "test questions that stand in the training split with the same text, pictures and answers",
    count: 2,
    examples: ["1", "3"],
  });
  assert.is(
    (await (await loadDataset(dir)).splits.train()).card.notices.some((n) =>
      /stand in the training split/.test(n.what),
    ),
    false,
    "it is said of the test split alone",
  );
  // the same words about other pictures are another question, about the same picture under another name the same
  writeFileSync(join(dir, "x.svg"), "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>");
  writeFileSync(join(dir, "y.svg"), "<svg xmlns='http://www.w3.org/2000/svg' width='5' height='5'/>");
  writeFileSync(join(dir, "x2.svg"), readFileSync(join(dir, "x.svg")));
  const shown = (id: string, image: string) => `${JSON.stringify({ id, text: "Which?", images: [image] })}\n`;
  put(dir, { "questions.jsonl": shown("1", "x.svg"), "questions.train.jsonl": shown("t", "y.svg") });
  assert.is(await notice(), undefined);
  put(dir, { "questions.train.jsonl": shown("t", "x2.svg") });
  assert.equal((await notice())?.examples, ["1"]);
});

test("dataset.json states what a folder is; an unknown or wrong field is an error", async ({ dir }) => {
  const plain = await loadDataset(dir);
  assert.equal(
    [plain.name, plain.clusterName, plain.licence, plain.citation, plain.card.summary, plain.visibleMeta],
    [basename(dir), "cluster", "not stated", "", `the folder ${basename(dir)}`, []],
  );
  assert.is(plain.card.origin, "not stated", "nobody said that it is real");
  for (const origin of ["real", "generated"]) {
    put(dir, { "dataset.json": JSON.stringify({ origin }) });
    assert.is((await loadDataset(dir)).card.origin, origin);
  }
  const about = {
    name: "spies",
    clusterName: "agent",
    licence: "CC0",
    citation: "Doe 2025",
    summary: "who knows whom",
    visibleMeta: ["year"],
  };
  put(dir, {
    "dataset.json": JSON.stringify(about),
    "questions.jsonl": '{"id":"1","text":"Whom?","meta":{"year":1962,"hidden":"x"}}\n',
    "questions.train.jsonl": '{"id":"t","text":"Train?"}\n',
  });
  const dataset = await loadDataset(dir);
  for (const d of [dataset, await dataset.splits.train()])
    assert.equal(
      {
        name: d.name,
        clusterName: d.clusterName,
        licence: d.licence,
        citation: d.citation,
        summary: d.card.summary,
        visibleMeta: d.visibleMeta,
      },
      about,
    );
  assert.equal(toQuery(dataset, dataset.questions[0]!).meta, { year: 1962 });
  const cases: [string, RegExp][] = [
    ['{"license":"CC0"}', /dataset\.json: unknown field \("license"\)\. Known: .*Did you mean "licence"\?/],
    ['{"name":"a","name":"b"}', /dataset\.json: the name "name" stands twice in one object/],
    ['{"name":""}', /dataset\.json: name is not a non-empty string \(""\)/],
    [
      '{"origin":"true"}',
      /dataset\.json: origin is not known \("true"\)\. Known: real, generated, not stated\. Mend it/,
    ],
    ['{"columns":{"question":{}}}', /unknown table in columns \("question"\).*Did you mean "questions"\?/],
    ['{"columns":{"questions":"text"}}', /columns\.questions does not say what columns are called here \("text"\)/],
    ['{"columns":{"triples":{"nope":"head"}}}', /unknown column .*\("nope"\)/],
    ['{"visibleMeta":"year"}', /dataset\.json: visibleMeta is not a list of strings \("year"\)/],
    ["[]", /dataset\.json: not an object of fields \(\[\]\)/],
    ["{", /dataset\.json, line 1: not JSON/],
  ];
  for (const [text, expected] of cases) {
    put(dir, { "dataset.json": text });
    assert.match(await message(() => loadDataset(dir)), expected);
  }
});

test("columns in dataset.json say what other names mean; without it all wrong names are told at once, with what they may mean", async ({
  dir,
}) => {
  rmSync(join(dir, "questions.jsonl"));
  put(dir, { "questions.csv": "qid,question,answer,kind of it\n1,Who?,Seven,x\n" });
  assert.match(
    await message(() => loadDataset(dir)),
    /questions\.csv, line 2: unknown fields \("qid", "question", "answer", "kind of it"\)\. Known: id, .*Did you mean "id", "text", "answers"\? Rename, or say so in dataset\.json: \{"columns":\{"questions":\{"qid":"id","question":"text","answer":"answers"\}\}\}/,
  );
  const questions = { qid: "id", question: "text", answer: "answers", "kind of it": "group" };
  put(dir, {
    "dataset.json": JSON.stringify({ columns: { questions, triples: { s: "head", p: "relation", o: "tail" } } }),
    "triples.tsv": "s\tp\to\n007\tknows\t7\n",
  });
  const dataset = await loadDataset(dir);
  const [q] = dataset.questions;
  assert.equal([q?.id, q?.text, q?.answers, q?.group], ["1", "Who?", ["Seven"], "x"]);
  assert.is(dataset.graph.triple("0").head, "007");
  put(dir, { "dataset.json": JSON.stringify({ columns: { questions: { ...questions, answer: "text" } } }) });
  put(dir, { "triples.tsv": "head\trelation\ttail\n007\tknows\t7\n" });
  assert.match(await message(() => loadDataset(dir)), /line 2: two fields are called "text"/);
});

test("what the reader of a table of questions notices stands on the card", async ({ dir }) => {
  rmSync(join(dir, "questions.jsonl"));
  put(dir, { "questions.json": '{"questions":[{"id":"1","text":"Who?"}],"version":"2"}' });
  const { card } = await loadDataset(dir);
  assert.equal(card.notices.find((n) => n.examples.includes("version"))?.count, 1);
});

test("malformed questions are errors with file and line or the question's id", async ({ dir }) => {
  writeFileSync(join(dir, "..", `${basename(dir)}-secret.png`), "x");
  symlinkSync(join(dir, "..", `${basename(dir)}-secret.png`), join(dir, "link.png"));
  const cases: [string, RegExp][] = [
    ["{", /questions\.jsonl, line 1: not JSON/],
    ["3", /questions\.jsonl, line 1: not an object/],
    ['{"id":"1","text":"t","text":"u"}', /questions\.jsonl, line 1: the name "text" stands twice in one object/],
    ['{"id":"1","text":"t","meta":{"n":9007199254740993}}', /meta\.n is not plain data \("?9007199254740993/],
    ['{"id":"1","text":"t","meta":{"n":1e400}}', /line 1: a number beyond the range of a double \("1e400"\)/],
    [
      `{"id":"1","text":"t","meta":{"m":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
      /line 1: nested deeper than 203 levels/,
    ],
    ['{"id":"1","text":"t","answers":["a",""]}', /line 1: answers holds an empty string \(\["a",""\]\)/],
    ['{"id":"1","text":"t","gold":{"triples":[0]}}', /gold\.triples is not a list of ids \(\[0\]\)\. Ids are strings/],
    ['{"id":"1","text":"t","gold":{"paths":[[7]]}}', /gold\.paths is not a list of lists of ids \(\[\[7\]\]\)/],
    ['{"id":1,"text":"t"}', /id is not a non-empty string \(1\).*Put it in quotes/],
    ['{"id":"1","txt":"x"}', /questions\.jsonl, line 1: unknown field \("txt"\).*Did you mean "text"\?/],
    ['{"id":"1","text":"x"}\n{"id":"1","text":"y"}', /a second question with the id "1"/],
    ['{"id":"1","text":"x","gold":{"triples":["9"]}}', /question "1": a gold triple is not in the graph \("9"\)/],
    ['{"id":"1","text":"x","images":["../a.png"]}', /line 1: not a path inside the folder \("\.\.\/a\.png"\)/],
    ['{"id":"1","text":"x","images":["link.png"]}', /line 1: the picture lies outside its folder/],
    ['{"id":"1","text":"x","images":["none.png"]}', /line 1: cannot read the picture/],
    ['{"id":"1","text":"x","images":[{"key":true}]}', /line 1, column images: not pictures \(\{"key":true\}\)/],
    ['{"id":"1","text":"x","images":"a.png"}', /line 1: cannot read the picture/],
  ];
  for (const [text, expected] of cases) {
    put(dir, { "questions.jsonl": `${text}\n` });
    assert.match(await message(() => loadDataset(dir)), expected);
  }
  rmSync(join(dir, "..", `${basename(dir)}-secret.png`));
  rmSync(join(dir, "questions.jsonl"));
  assert.match(
    await message(() => loadDataset(dir)),
    /there is no questions\.jsonl in .*loadGraph loads a graph alone/,
  );
});

// one question in each format: the cells of csv, tsv, xlsx are texts, lists have | between, nested things are JSON
const header = "id,text,answers,images,keyFrames,gold.triples,gold.paths,meta,cluster";
const cells = [
  "001",
  "Whom, or what?",
  "Seven|7",
  "pictures/a%2b.png|pictures/b.png",
  "1",
  "0",
  '[["007","7"]]',
  '{"year":1962}',
  "007",
];
const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",");
const asObject = {
  id: "001",
  text: "Whom, or what?",
  answers: ["Seven", "7"],
  images: [
    { file: "pictures/a%2b.png", key: false },
    { file: "pictures/b.png", key: true },
  ],
  gold: { triples: ["0"], paths: [["007", "7"]] },
  meta: { year: 1962 },
  cluster: "007",
};
async function workbook(): Promise<Uint8Array> {
  const { utils, write } = await import("@e965/xlsx");
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([header.split(","), cells]), "questions");
  return write(book, { type: "buffer", bookType: "xlsx" });
}

test("questions in csv, tsv, json, jsonl and xlsx are the same questions", async ({ dir }) => {
  rmSync(join(dir, "questions.jsonl"));
  put(dir, { "pictures/b.png": new Uint8Array([4]) });
  const prints = new Set<string>();
  const files: Record<string, string | Uint8Array> = {
    "questions.csv": `${header}\n${quoted}\n`,
    "questions.tsv": `${header.replaceAll(",", "\t")}\n${cells.join("\t")}\n`,
    "questions.json": JSON.stringify([asObject]),
    "questions.ndjson": `${JSON.stringify(asObject)}\n`,
    "questions.jsonl.gz": gzipSync(`${JSON.stringify(asObject)}\n`),
    "questions.xlsx": await workbook(),
  };
  for (const [name, data] of Object.entries(files)) {
    put(dir, { [name]: data });
    const { questions, fingerprint, card } = await loadDataset(dir);
    const [q] = questions;
    assert.equal(
      [q?.id, q?.answers, q?.cluster, q?.gold, q?.meta],
      ["001", ["Seven", "7"], "007", { triples: ["0"], paths: [["007", "7"]], pathTriples: [["0"]] }, { year: 1962 }],
      name,
    );
    assert.equal(
      q?.images.map((i) => i.key),
      [false, true],
    );
    assert.equal([card.read.questions, card.kept.questions], [1, 1]);
    prints.add(fingerprint);
    rmSync(join(dir, name));
  }
  assert.is(prints.size, 1);
  put(dir, { "questions.csv": files["questions.csv"] as string, "questions.tsv": files["questions.tsv"] as string });
  assert.match(
    await message(() => loadDataset(dir)),
    /two files of questions in .* \(questions\.csv, questions\.tsv\)/,
  );
});

test("cells of a table of questions that do not fit are errors with file, line and field", async ({ dir }) => {
  rmSync(join(dir, "questions.jsonl"));
  const cases: [string, string, RegExp][] = [
    ["id,text,gold.paths", '1,x,[["007"', /questions\.csv, line 2: gold\.paths, line 1: not JSON/],
    ["id,text,meta", "1,x,3", /questions\.csv, line 2: meta is not an object \(3\)/],
    ["id,text,gold,gold.triples", "1,x,{},0", /line 2: gold is stated twice/],
    ["id,text,answer", "1,x,y", /line 2: unknown field \("answer"\).*Did you mean "answers"\?/],
    ["id,text,images,keyFrames", "1,x,pictures/a%2b.png,7", /line 2, column keyFrames: not positions of its 1 frames/],
    ["id,text", ",x", /questions\.csv, line 2: id is not a non-empty string/],
    ["id,text", "1,", /line 2, question "1": text is not a non-empty string/],
    ["id,text", "1,a,b", /questions\.csv, line 2: 3 fields instead of 2/],
  ];
  for (const [columns, row, expected] of cases) {
    put(dir, { "questions.csv": `${columns}\n${row.startsWith("1,x,[[") || row.includes("{") ? csvRow(row) : row}\n` });
    assert.match(await message(() => loadDataset(dir)), expected);
  }
});
const csvRow = (row: string) =>
  row
    .split(/,(?=[[{]|0)/)
    .map((part, i) => (i === 0 ? part : `"${part.replaceAll('"', '""')}"`))
    .join(",");

// law: no row of questions vanishes, whatever stands in it: read = kept + refused, and each refused row is named once
test("property: a lenient reading keeps or names every row of questions", async ({ dir }) => {
  const row = fc.oneof(
    fc.constantFrom(
      "{",
      "[]",
      "3",
      '{"id":"1","text":"x"}',
      '{"id":"2","text":"y","gold":{"triples":["0"]}}',
      '{"id":"3","text":"y","gold":{"triples":["9"]}}',
      '{"id":"","text":"y"}',
      '{"id":"__proto__","text":"y"}',
      '{"id":"4","text":"y","images":["none.png"]}',
      '{"id":"5","text":"y","images":["../x.png"]}',
      '{"id":"6","txt":"y"}',
      '{"id":"7","text":"y","answers":[""]}',
      '{"id":"8","text":"y","meta":7}',
      '{"__proto__":1,"constructor":2}',
    ),
    fc.json().map((text) => text.replaceAll("\n", " ")),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
      put(dir, { "questions.jsonl": rows.map((r) => `${r}\n`).join("") });
      const { card, questions } = await loadDataset(dir, { lenient: true });
      assert.is(card.read.questions, rows.length);
      assert.is(card.kept.questions, questions.length);
      assert.is(card.read.questions, questions.length + card.refused.length);
      assert.is(new Set(card.refused.map((r) => r.line)).size, card.refused.length);
      for (const { line, reason } of card.refused) assert.ok(line >= 1 && line <= rows.length && reason !== "");
    }),
    { seed: 4, numRuns: 60 },
  );
});

test("lenient goes through to the graph of a folder; strict, the first bad row is an error", async ({ dir }) => {
  put(dir, {
    "triples.tsv": "head\trelation\ttail\n007\tknows\t7\n\tknows\t7\n",
    "questions.jsonl": '{"id":"1","text":"x"}\n{"id":"1","text":"again"}\n',
  });
  assert.match(await message(() => loadDataset(dir)), /triples\.tsv, line 3, column head: empty head/);
  const { card, questions } = await loadDataset(dir, { lenient: true });
  assert.equal(
    card.refused.map((r) => [basename(r.file), r.line, r.reason]),
    [
      ["triples.tsv", 3, "empty head"],
      ["questions.jsonl", 2, 'a second question with the id "1"; the first is in questions.jsonl, line 1'],
    ],
  );
  assert.equal([card.read.triples, card.kept.triples, questions.length], [2, 1, 1]);
});

test("unknown names, options and values are errors with what is known, computed from the table", async ({ dir }) => {
  assert.match(
    await message(() => loadDataset("bestiarry")),
    /^loadDataset: unknown data set \("bestiarry"\)\. Known: .*Did you mean "bestiary"\?/,
  );
  assert.match(
    await message(() => loadDataset("toString")),
    /unknown data set \("toString"\)\..* or a folder of your own\. There is no such folder either/,
  );
  assert.match(await message(() => loadDataset(7 as never)), /unknown data set \(7\)/);
  assert.match(await message(() => loadDataset(join(dir, "none"))), /there is no such folder/);
  assert.match(
    await message(() => loadDataset(dir, { sed: 1 })),
    /unknown option \("sed"\)\. Options: dir, seed, split.*Did you mean "seed"\?/,
  );
  assert.match(await message(() => loadDataset("markg", { imageAmbiguity: 1 })), /unknown option \("imageAmbiguity"\)/);
  assert.match(await message(() => loadDataset(dir, { seed: -1 })), /option seed has a wrong value \(-1\)/);
  assert.match(
    await message(() => loadDataset(dir, { split: "dev" as never })),
    /option split has a wrong value \("dev"\)\. It takes one of "train", "validation", "test"/,
  );
  assert.equal(
    datasetList().map((d) => d.name),
    datasetNames(),
  );
  const { options } = datasetList().find((d) => d.name === "mkg-rag-bench")!;
  assert.equal(
    options.map((o) => [o.name, o.default]),
    [
      ["corpora", "auto"],
      ["images", ""],
      ["queryImage", "held-out"],
      ["imageSeed", "qid"],
    ],
  );
});

test("bestiary loads by name, with its own options, and needs nothing on disk", async () => {
  const dataset = await loadDataset("bestiary", { dir: "/nowhere", seed: 3, creatures: 4 });
  assert.is(dataset.name, "bestiary");
  assert.is(dataset.card.origin, "generated");
  assert.ok(dataset.questions.length > 0);
  assert.is(datasetList().find((d) => d.name === "bestiary")?.needs, "");
});

// the server is one of this machine's loopback interface
test("pictures at remote addresses, of entities and of questions, are read only if asked for, and then when their bytes are", async ({
  dir,
}) => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const server = await loopback((request, response) => serve(request, response, png));
  try {
    put(dir, {
      "entities.csv": `id,images\n007,${server.url}e.png\n7,\n`,
      "questions.jsonl": JSON.stringify({ id: "1", text: "Who?", images: [`${server.url}q.png`] }),
    });
    const closed = await loadDataset(dir);
    const images = (d: typeof closed) => [d.graph.entity("007").images[0]!, d.questions[0]!.images[0]!];
    for (const image of images(closed))
      assert.match(await message(() => image.bytes()), /not fetched unless asked \(http:.*\{ fetch: true \}/);
    const open = await loadDataset(dir, { fetch: true });
    assert.equal(server.asked, []);
    for (const image of images(open)) assert.equal(Buffer.from(await image.bytes()), png);
    assert.equal(server.asked, ["GET /e.png", "GET /q.png"]);
  } finally {
    await server.close();
  }
});

test.run();
