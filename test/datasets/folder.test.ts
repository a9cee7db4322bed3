import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { datasetList, datasetNames, loadDataset, toQuery } from "../../lib/datasets/index.js";

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
    what: "test questions that stand in the training split with the same text and answers",
    count: 2,
    examples: ["1", "3"],
  });
});

test("dataset.json states what a folder is; an unknown or wrong field is an error", async ({ dir }) => {
  const plain = await loadDataset(dir);
  assert.equal(
    [plain.name, plain.clusterName, plain.licence, plain.citation, plain.card.summary, plain.visibleMeta],
    [basename(dir), "cluster", "not stated", "", `the folder ${basename(dir)}`, []],
  );
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
    ['{"name":""}', /dataset\.json: name is not a non-empty string \(""\)/],
    ['{"visibleMeta":"year"}', /dataset\.json: visibleMeta is not a list of strings \("year"\)/],
    ["[]", /dataset\.json: not an object of fields \(\[\]\)/],
    ["{", /dataset\.json: not JSON/],
  ];
  for (const [text, expected] of cases) {
    put(dir, { "dataset.json": text });
    assert.match(await message(() => loadDataset(dir)), expected);
  }
});

test("malformed questions are errors with file and line or the question's id", async ({ dir }) => {
  writeFileSync(join(dir, "..", `${basename(dir)}-secret.png`), "x");
  symlinkSync(join(dir, "..", `${basename(dir)}-secret.png`), join(dir, "link.png"));
  const cases: [string, RegExp][] = [
    ["{", /questions\.jsonl, line 1: not JSON/],
    ["3", /questions\.jsonl, line 1: not an object/],
    ['{"id":"1","txt":"x"}', /questions\.jsonl, line 1: unknown field \("txt"\).*Did you mean "text"\?/],
    ['{"id":"1","text":"x"}\n{"id":"1","text":"y"}', /a second question with the id "1"/],
    ['{"id":"1","text":"x","gold":{"triples":["9"]}}', /question "1": a gold triple is not in the graph \("9"\)/],
    ['{"id":"1","text":"x","images":["../a.png"]}', /line 1: not a path inside the folder \("\.\.\/a\.png"\)/],
    ['{"id":"1","text":"x","images":["link.png"]}', /line 1: the picture lies outside its folder/],
    ['{"id":"1","text":"x","images":["none.png"]}', /line 1: cannot read the picture/],
    ['{"id":"1","text":"x","images":[{"key":true}]}', /line 1: not a picture/],
    ['{"id":"1","text":"x","images":"a.png"}', /line 1: images is not a list/],
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

test("unknown names, options and values are errors with what is known, computed from the table", async ({ dir }) => {
  assert.match(
    await message(() => loadDataset("bestiarry")),
    /^loadDataset: unknown data set \("bestiarry"\)\. Known: .*Did you mean "bestiary"\?/,
  );
  assert.match(await message(() => loadDataset("toString")), /unknown data set \("toString"\)/);
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
});

test("bestiary loads by name, with its own options, and needs nothing on disk", async () => {
  const dataset = await loadDataset("bestiary", { dir: "/nowhere", seed: 3, creatures: 4 });
  assert.is(dataset.name, "bestiary");
  assert.is(dataset.card.origin, "generated");
  assert.ok(dataset.questions.length > 0);
  assert.is(datasetList().find((d) => d.name === "bestiary")?.needs, "");
});

test.run();
