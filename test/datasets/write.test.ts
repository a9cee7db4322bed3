import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Image, ProgressEvent } from "../../lib/core/index.js";
import { type Dataset, datasetSplits, defineDataset, loadDataset, writeDataset } from "../../lib/datasets/index.js";
import { graphFrom, openImage } from "../../lib/graph/index.js";
import { bytesImage, contentHash } from "../../lib/media/index.js";
import { retrieve, retriever } from "../../lib/retrieve/index.js";

const work = mkdtempSync(join(tmpdir(), "mkglab-write-"));
const out = (name: string) => join(work, name);

const shown = (images: readonly Image[]) =>
  Promise.all(images.map(async (image) => [await contentHash(image), image.key]));
/** Everything that must come back: pictures by content and mark, since their ids are of where they stand. */
async function content({ name, licence, citation, clusterName, visibleMeta, graph, questions }: Dataset) {
  const entities = graph.entities.objects() as { images: readonly Image[] }[];
  return {
    about: { name, licence, citation, clusterName, visibleMeta },
    entities: await Promise.all(entities.map(async (e) => ({ ...e, images: await shown(e.images) }))),
    triples: graph.triples.objects(),
    questions: await Promise.all(questions.map(async (q) => ({ ...q, images: await shown(q.images) }))),
  };
}
async function ranking(dataset: Dataset, name: string) {
  const run = await retrieve(dataset, retriever(name), { k: 10, seed: 0 });
  return run.items.map(({ question, evidence }) => [
    question,
    evidence?.hits.map(({ triple, path, score }) => [triple, path, score]),
  ]);
}

test("a bestiary comes back with the same tables, questions, gold, frames and marks, and every ranking is equal", async () => {
  const dataset = await loadDataset("bestiary", { creatures: 2, seed: 7 });
  const written = await writeDataset(dataset, out("bestiary"), { splits: ["test"] });
  const again = await loadDataset(out("bestiary"));
  assert.equal(await content(again), await content(dataset));
  assert.equal(written.questions, { test: dataset.questions.length });
  // bm25 and text look at words, the walk at frames and at what is marked
  for (const name of ["bm25", "text", "walk"])
    assert.equal(await ranking(again, name), await ranking(dataset, name), name);
  const files = readdirSync(out("bestiary")).sort();
  assert.equal(files, ["card.json", "dataset.json", "entities.jsonl", "images", "questions.jsonl", "triples.jsonl"]);
});

test("splits over graphs of their own are folders of the same layout, with that split's content", async () => {
  const dataset = await loadDataset("bestiary", { creatures: 2, trainWorlds: 1 });
  await writeDataset(dataset, out("worlds"));
  for (const part of await datasetSplits(dataset, ["train", "validation"]))
    assert.equal(await content(await loadDataset(join(out("worlds"), part.split))), await content(part), part.split);
});

test("the folder's own splits are those folders; each knows the others; a split that is there twice is an error", async () => {
  const again = await loadDataset(out("worlds"));
  for (const split of ["train", "validation"] as const) {
    const part = await loadDataset(out("worlds"), { split });
    const expected = await (await loadDataset("bestiary", { creatures: 2, trainWorlds: 1 })).splits[split]();
    assert.equal([part.split, part.name], [split, "bestiary"]);
    assert.equal(await content(part), await content(expected));
    assert.is((await part.splits.test()).fingerprint, again.fingerprint);
    assert.is((await (await part.splits.test()).splits[split]()).fingerprint, part.fingerprint);
  }
  writeFileSync(join(out("worlds"), "questions.train.jsonl"), '{"id":"1","text":"x"}\n');
  const twice = await loadDataset(out("worlds")).catch((e) => e);
  assert.match(twice.message, /the train split is there twice, as questions\.train\.jsonl and as train\//);
});

test("splits over one graph are files beside it: the atlas", async () => {
  const dataset = await loadDataset("atlas", { perKind: 3 });
  await writeDataset(dataset, out("atlas"), { format: "tsv" });
  const again = await loadDataset(out("atlas"));
  for (const split of ["test", "train", "validation"] as const)
    assert.equal(
      (await content(await again.splits[split]())).questions,
      (await content(await dataset.splits[split]())).questions,
      split,
    );
  assert.not(existsSync(join(out("atlas"), "train")));
});

const png = readFileSync(new URL("../../data/bestiary/mark.png", import.meta.url));
/** One entity, and what one question may hold. */
const odd = (images: readonly Image[] = []): Dataset =>
  defineDataset({
    name: "odd",
    licence: "CC BY 4.0",
    visibleMeta: ["__proto__x"],
    graph: graphFrom({
      entities: [
        { id: "001", label: "NaN", images: [...images, openImage("https://example.invalid/a.png")] },
        { id: "__proto__", label: "null" },
        { id: "constructor" },
      ],
      triples: [{ id: "1e5", head: "001", relation: "true", tail: "__proto__", condition: "tab\tand\nline" }],
    }),
    questions: [
      {
        id: "007",
        text: 'quote " tab \t line \n | end \u{1F409} \ud800',
        answers: ["a|b", " c "],
        meta: { deep: { list: [1, null, true] } },
        gold: { paths: [["001", "__proto__"]] },
        images,
      },
    ],
    card: {
      origin: "generated",
      summary: "odd ones",
      limits: ["small"],
      notices: [{ what: "planted", count: 2, examples: ["x"] }],
    },
  });

test("ids, marks, addresses, separators, lone surrogates and nested meta come back as they are", async () => {
  const images = [bytesImage(png, "a", { key: false }), bytesImage(png, "b")];
  const dataset = odd(images);
  const written = await writeDataset(dataset, out("odd"));
  const again = await loadDataset(out("odd"));
  const plain = (d: Dataset) => d.questions.map((q) => ({ ...q, images: q.images.map(({ key }) => key) }));
  assert.equal(plain(again), plain(dataset));
  assert.equal(again.graph.triples.objects(), dataset.graph.triples.objects());
  assert.equal(
    again.graph.entity("001").images.map(({ key }) => key),
    [false, true, true],
  );
  // equal pictures share one file; the address is neither fetched nor counted
  assert.equal([readdirSync(join(out("odd"), "images")).length, written.images], [1, 4]);
});

test("the card's origin, limits and notices are written; what reading the graph says anew is not", async () => {
  await writeDataset(odd(), out("card"));
  const card = JSON.parse(readFileSync(join(out("card"), "card.json"), "utf8"));
  assert.equal(card, {
    origin: "generated",
    limits: ["small"],
    notices: [{ what: "planted", count: 2, examples: ["x"] }],
  });
  const again = await loadDataset(out("card"));
  assert.equal([again.card.origin, again.card.limits], ["generated", ["small"]]);
  assert.equal(again.card.notices, odd().card.notices);
  writeFileSync(join(out("card"), "card.json"), '{"orign": "real"}');
  const misspelt = await loadDataset(out("card")).catch((e) => e);
  assert.match(misspelt.message, /card\.json: unknown field \("orign"\).*Did you mean "origin"\?/s);
});

test("on an error or an abort nothing is left, neither the folder nor a part of it", async () => {
  const broken: Image = { id: "b", key: true, bytes: async () => Promise.reject(new Error("torn")) };
  const error = await writeDataset(odd([broken]), out("broken")).catch((e) => e);
  assert.match(error.message, /entities, row 0 \(from 0\), column images, picture 0.*torn/);
  const abort = new AbortController();
  const stop = async () => {
    abort.abort();
    return new Uint8Array(png);
  };
  const late: Image = { id: "l", key: true, bytes: () => stop() };
  const stopped = await writeDataset(odd([late, late]), out("stopped"), { signal: abort.signal }).catch((e) => e);
  assert.is(stopped.name, "AbortError");
  assert.equal(
    readdirSync(work).filter((name) => /broken|stopped/.test(name)),
    [],
  );
});

test("a folder with something in it, a file, passages and settings are refused; an empty folder is filled", async () => {
  const message = async (dataset: Dataset, folder: string, options: object = {}) =>
    (
      await writeDataset(dataset, folder, options).then(
        () => ({ message: "written" }),
        (e) => e,
      )
    ).message as string;
  assert.match(await message(odd(), dirname(out("x"))), /the folder is not empty \(.*A folder that is new or empty/);
  writeFileSync(out("file"), "");
  assert.match(await message(odd(), out("file")), /cannot write there \(.*file: ENOTDIR\)/);
  mkdirSync(out("empty"));
  assert.is(await message(odd(), out("empty")), "written");
  const { graph, questions } = odd();
  const passages = defineDataset({ name: "p", graph, questions, passages: [{ id: "1", text: "x" }] });
  assert.match(await message(passages, out("p")), /the test split has passages \(1\)/);
  const view = () => ({ questions: [], candidates: [] });
  assert.match(
    await message(defineDataset({ name: "s", graph, questions, settings: { S1: view } }), out("s")),
    /has settings \(S1\)/,
  );
  assert.match(await message(odd(), out("y"), { spilts: [] }), /unknown option \("spilts"\).*Did you mean "splits"\?/s);
  assert.match(await message(odd(), out("y"), { splits: ["dev"] }), /unknown split \("dev"\)/);
  assert.match(
    await message(odd(), out("y"), { beside: [{ name: "../x", data: "" }] }),
    /not a file name \("\.\.\/x"\)/,
  );
  assert.match(await message(odd(), out("y"), { beside: [{ name: "dataset.json", data: "" }] }), /EEXIST/);
});

test("progress counts each picture once, up to the total", async () => {
  const events: ProgressEvent[] = [];
  const images = [bytesImage(png, "a"), bytesImage(png, "b")];
  await writeDataset(odd(images), out("progress"), { onProgress: (event) => events.push(event) });
  // two of the entity, two of the question
  assert.equal(
    events.map(({ done, total }) => [done, total]),
    [1, 2, 3, 4].map((n) => [n, 4]),
  );
});

test.run();
