import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadDataset, passageText, toQuery } from "../../lib/datasets/index.js";
import { score } from "../../lib/evaluate/index.js";
import { imageReference } from "../../lib/graph/index.js";
import { control, readRun, retrieve, retriever, writeRun } from "../../lib/retrieve/index.js";
import { put } from "../fixtures/make-rag-bench.js";
import { evqaFiles, evqaPages, infoseekFiles, jsonl, m2krFiles, okvqaFiles, plainFiles } from "../fixtures/make-vqa.js";

const test = suite<{ dir: string }>("vqa-passages");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const load = (dir: string, options: object = {}) => loadDataset("vqa-passages", { dir, folder: ".", ...options });
async function message(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (error) {
    assert.match((error as Error).constructor.name, /^(Mkg|Setup)Error$/, String(error));
    return (error as Error).message;
  }
  return assert.unreachable() as never;
}
const heron = "https://wiki.example/heron";
const oak = "https://wiki.example/oak";

test("plain layout: sections are passages, pages contain them in the graph, and an entity of a passage's id holds its text", async ({
  dir,
}) => {
  put(dir, await plainFiles());
  const { passages, graph, passage, card } = await load(dir);
  assert.equal(
    passages.map((p) => p.id),
    ["heron#0", "heron#1", "oak-leaf"],
  );
  const diet = passage("heron#1");
  assert.equal([diet.title, diet.section, diet.page], ["Marsh heron", "Diet", "heron"]);
  assert.equal(diet.images.map(imageReference), ["frog.jpg", "https://pictures.example/fish.jpg"]);
  for (const p of passages) {
    assert.is(graph.entity(p.id).description, p.text);
    assert.equal(
      graph.neighbours(p.id, { direction: "in" }).map((n) => n.entity),
      [p.page],
    );
  }
  assert.equal(graph.entity("heron").images.map(imageReference), ["heron.jpg"]);
  assert.ok(graph.has("moss"));
  assert.equal([card.counts.pages, card.counts.passages, card.counts.pagePictures], [3, 3, 3]);
  assert.is(passageText(diet), "Marsh heron\nDiet\nIt lives on fish and frogs.");
  // the first section bears the page's title, which stands once
  assert.is(passageText(passage("heron#0")), "Marsh heron\nA tall wading bird.");
  assert.throws(() => passage("heron#2"), /unknown passage id \("heron#2"\).*Did you mean "heron#\d"\?/);
});

test("plain layout: questions with answers, pictures and gold passages; a query shows none of the gold", async ({
  dir,
}) => {
  put(dir, await plainFiles());
  const dataset = await load(dir);
  const [first, second, third] = dataset.questions;
  assert.equal([first?.gold, first?.group, first?.cluster], [{ passages: ["heron#1"] }, "diet", "heron"]);
  assert.equal(Buffer.from(await first!.images[0]!.bytes()), readFileSync(join(dir, "images/q1.jpg")));
  assert.equal(second?.answers, ["lobed", "lobed ones"]);
  assert.is(third?.gold, undefined);
  assert.is(dataset.card.notices.find((n) => /gold names no section/.test(n.what))?.count, 1);
  assert.not.match(JSON.stringify(toQuery(dataset, first!)), /heron#|frogs|hidden/);
  assert.equal(
    (await dataset.splits.train()).questions.map((q) => q.id),
    ["t"],
  );
  assert.match(
    await message(() => load(dir, { split: "validation" })),
    /there is no validation split\. Splits: train, test/,
  );
});

test("a unit of pages: a passage is a whole page and gold names pages", async ({ dir }) => {
  put(dir, await plainFiles());
  const { passages, questions, graph } = await load(dir, { unit: "page" }).catch((error) => {
    // the second question names a section, which is no passage under pages
    assert.match(error.message, /question "1": a gold passage is not in the data set \("heron#1"\)/);
    return load(dir, { unit: "page", lenient: true });
  });
  assert.equal(
    passages.map((p) => p.id),
    ["heron", "oak", "moss"],
  );
  assert.is(passages[0]?.text, "A tall wading bird.\nDiet\nIt lives on fish and frogs.");
  assert.is(passages[0]?.images.length, 3);
  assert.is(graph.entity("heron").description, passages[0]?.text);
  assert.equal(
    questions.map((q) => q.id),
    ["3"],
  );
});

test("bm25, text and random rank passages; ranking measures judge them against gold passages", async ({ dir }) => {
  put(dir, await plainFiles());
  const dataset = await load(dir);
  const { images, ...rest } = dataset.setting().candidates[1]!;
  assert.equal(images, dataset.passage("heron#1").images);
  assert.equal(rest, {
    id: "heron#1",
    passage: "heron#1",
    text: "Marsh heron\nDiet\nIt lives on fish and frogs.",
    multimodal: true,
  });
  for (const name of ["bm25", "text", "random"]) {
    const run = await retrieve(dataset, retriever(name), { k: 3 });
    for (const { evidence } of run.items)
      for (const hit of evidence!.hits) assert.ok(hit.passage !== undefined && hit.triple === undefined);
    const rows = (await score(run, dataset, ["R@3", "RR"])).objects() as {
      question: string;
      measure: string;
      value: number;
      status: string;
    }[];
    const of = (question: string, measure: string) =>
      rows.find((r) => r.question === question && r.measure === measure)!;
    assert.is(of("3", "R@3").status, "not-computed");
    if (name !== "bm25")
      assert.is(of("1", "R@3").value, 1); // all three passages are returned
    else {
      // "live" and "heron": section 1 shares "this"? no; of q1's words {what does this heron live on} passage 1 has heron, on, passage 0 has heron: 1 is first
      assert.equal([of("1", "RR").value, of("2", "RR").value], [1, 1]);
      assert.equal(
        run.get("2").evidence?.hits.map((h) => h.passage),
        ["oak-leaf"],
      );
    }
  }
  const oracle = await retrieve(dataset, control("oracle", retriever("bm25")), { k: 3 });
  assert.equal(
    oracle.get("1").evidence?.hits.map((h) => [h.passage, h.via]),
    [["heron#1", "oracle"]],
  );
});

test("a run of passages is written as TREC and read back; a hit on an unknown passage is an error that names it", async ({
  dir,
}) => {
  put(dir, await plainFiles());
  const dataset = await load(dir);
  const run = await retrieve(dataset, retriever("bm25"), { k: 3 });
  const path = join(dir, "run.trec");
  await writeRun(run, path, "trec");
  assert.match(readFileSync(path, "utf8"), /^1 Q0 heron#1 1 /m);
  const back = await readRun(path, dataset);
  assert.equal(
    back.items.map((i) => i.evidence?.hits.map((h) => h.passage) ?? []),
    run.items.map((i) => i.evidence?.hits.map((h) => h.passage)),
  );
  const wrong = await retrieve(dataset, () => [{ score: 1, passage: "nowhere" }], { k: 1 });
  assert.match(wrong.items[0]?.error ?? "", /the passage is not a candidate under setting all \("nowhere"\)/);
});

test("malformed plain files are errors with file, line, field; lenient lists every row that it leaves out", async ({
  dir,
}) => {
  const files = await plainFiles();
  const page = { id: "x", title: "X", sections: [{ text: "t" }] };
  const ask = { id: "9", text: "Who?" };
  const cases: ["pages.jsonl" | "questions.jsonl", string, RegExp][] = [
    [
      "pages.jsonl",
      jsonl([{ ...page, id: "heron" }]),
      /pages\.jsonl, line 4: a second page with the id "heron"; the first is a page/,
    ],
    [
      "pages.jsonl",
      jsonl([{ ...page, id: "heron#1" }]),
      /line 4: a second page with the id "heron#1"; the first is a section of page "heron"/,
    ],
    [
      "pages.jsonl",
      jsonl([{ ...page, sections: [{ id: "x", text: "" }] }]),
      /line 4: a second section of page "x" with the id "x"/,
    ],
    ["pages.jsonl", jsonl([{ ...page, titel: "X" }]), /line 4: unknown field \("titel"\).*Did you mean "title"\?/],
    [
      "pages.jsonl",
      jsonl([{ ...page, sections: [{ txt: "t" }] }]),
      /line 4, section 0 \(from 0\): unknown field \("txt"\)/,
    ],
    [
      "pages.jsonl",
      jsonl([{ ...page, sections: [{ text: 7 }] }]),
      /line 4, section 0 \(from 0\): text is not a string \(7\)/,
    ],
    ["pages.jsonl", jsonl([{ ...page, sections: {} }]), /line 4: sections is not a list/],
    ["pages.jsonl", jsonl([{ ...page, images: ["../q.jpg"] }]), /line 4: not a path inside the folder/],
    ["pages.jsonl", jsonl([{ ...page, images: ["none.jpg"] }]), /line 4: cannot read the picture/],
    ["pages.jsonl", "{\n", /pages\.jsonl, line 4: not JSON/],
    ["questions.jsonl", jsonl([{ ...ask, id: "1" }]), /questions\.jsonl, line 4: a second question with the id "1"/],
    [
      "questions.jsonl",
      jsonl([{ ...ask, gold: { passages: ["heron#9"] } }]),
      /line 4, question "9": a gold passage is not in the data set \("heron#9"\).*Did you mean "heron#\d"\?/,
    ],
    [
      "questions.jsonl",
      jsonl([{ ...ask, gold: { triples: ["0"] } }]),
      /line 4: unknown gold key \("triples"\)\. Known: passages, pages/,
    ],
    [
      "questions.jsonl",
      jsonl([{ ...ask, images: ["none.jpg"] }]),
      /line 4: a picture that is not below images\/ \("none\.jpg"\)/,
    ],
    ["questions.jsonl", jsonl([{ ...ask, answers: [7] }]), /line 4: answers is not a list of strings \(\[7\]\)/],
    ["questions.jsonl", "[]\n", /line 4: not an object/],
  ];
  for (const [name, more, expected] of cases) {
    put(dir, files, { [name]: files[name] + more });
    assert.match(await message(() => load(dir)), expected);
    const { card, questions } = await load(dir, { lenient: true });
    assert.is(card.refused.length, 1, String(expected));
    const [row] = card.refused;
    assert.equal([row?.file.endsWith(name), row?.line], [true, 4]);
    for (const table of ["questions", "pages"] as const) {
      const out = card.refused.filter((r) => r.file.endsWith(`${table}.jsonl`)).length;
      assert.is(card.read[table], (card.kept[table] ?? 0) + out);
    }
    assert.is(questions.length, 3);
  }
});

test("Encyclopedic-VQA: gold sections by index, also of two-hop questions; answers by | and &&; one question a picture that is there", async ({
  dir,
}) => {
  put(dir, await evqaFiles());
  const { questions, passages, graph, card } = await load(dir);
  assert.equal(
    passages.map((p) => p.id),
    [`${heron}#0`, `${heron}#1`, `${oak}#0`],
  );
  // picture 7 stands in no section that there is: it belongs to the page
  assert.equal(graph.entity(heron).images.map(imageReference), ["https://pictures.example/c.jpg"]);
  assert.equal(passages[1]?.images.map(imageReference), ["https://pictures.example/b.jpg"]);
  assert.equal(
    questions.map((q) => [q.id, q.group, q.images.length, q.gold?.passages ?? null]),
    [
      ["test:2/0", "templated", 1, [`${heron}#1`]],
      ["test:2/1", "templated", 1, [`${heron}#1`]],
      ["test:3", "multi_answer", 0, [`${heron}#1`]],
      ["test:4", "2_hop", 1, [`${heron}#0`, `${oak}#0`]],
      ["test:5", "automatic", 0, null],
    ],
  );
  assert.equal(questions[0]?.answers, ["fish", "fish, mostly"]);
  assert.equal(
    [questions[2]?.answers, questions[2]?.meta.answerParts],
    [
      ["fish, frogs", "frogs, fish"],
      [
        ["fish", "frogs"],
        ["frogs", "fish"],
      ],
    ],
  );
  // four rows and the second picture of the first; the third picture, 103, is not in the folder
  assert.equal([card.read.questions, card.kept.questions, card.added.questions], [4, 5, 1]);
  assert.equal(card.notices.find((n) => /not below images/.test(n.what))?.examples, ["test:2: 103.jpg"]);
  assert.is(new Set(questions.map((q) => q.cluster)).size, 2);
  // one page a line gives the same
  const { fingerprint } = await load(dir);
  rmSync(join(dir, "encyclopedic_kb_wiki.json"));
  put(dir, { "encyclopedic_kb_wiki.jsonl": jsonl(Object.values(evqaPages)) });
  assert.is((await load(dir)).fingerprint, fingerprint);
});

test("Encyclopedic-VQA: what does not fit names file and line", async ({ dir }) => {
  const files = await evqaFiles();
  const page = evqaPages["https://wiki.example/heron"];
  const cases: [string, string, RegExp][] = [
    [
      "encyclopedic_kb_wiki.json",
      JSON.stringify({ [oak]: page }),
      /line 1: the entry of "https:\/\/wiki\.example\/oak" has another url/,
    ],
    [
      "encyclopedic_kb_wiki.json",
      JSON.stringify({ [heron]: { ...page, section_titles: ["a"] } }),
      /line 1: section_titles is not a list of 2 strings/,
    ],
    ["encyclopedic_kb_wiki.json", "[]", /encyclopedic_kb_wiki\.json: not an object/],
    [
      "test.csv",
      (files["test.csv"] as string).replace('"0|0"', '"0"'),
      /test\.csv, line 4: evidence_section_id does not give one section for each page/,
    ],
    [
      "test.csv",
      (files["test.csv"] as string).replace('"1","Diet"', '"5","Diet"'),
      /test\.csv, line 2, question "test:2\/0": a gold passage is not in the data set/,
    ],
  ];
  for (const [name, data, expected] of cases) {
    put(dir, files, { [name]: data });
    assert.match(await message(() => load(dir)), expected);
  }
});

test("InfoSeek: the entity's page is gold, answer_eval adds accepted answers, ranges are kept and noticed", async ({
  dir,
}) => {
  put(dir, await infoseekFiles());
  const { questions, passages, card } = await load(dir, { split: "validation" });
  assert.equal(
    passages.map((p) => [p.id, p.text, p.images.map(imageReference)]),
    [
      ["Q1", "A bird. It lives on fish.", ["https://pictures.example/h.jpg"]],
      ["Q2", "A tree.", []],
    ],
  );
  assert.equal(
    questions.map((q) => [q.answers, q.group, q.cluster, q.gold?.passages ?? null, q.images.length]),
    [
      [["fish", "fishes"], "val_unseen_question", "Q1", ["Q1"], 0],
      [["1.5"], "val_unseen_entity", "oven_05000002", null, 1],
    ],
  );
  assert.equal(questions[1]?.meta.answerRanges, [{ wikidata: 1.5, range: [1.35, 1.65] }]);
  assert.is(card.notices.find((n) => /ranges of numbers/.test(n.what))?.count, 1);
  assert.match(await message(() => load(dir)), /there is no test split\. Splits: validation\. Say which: \{ split \}/);
});

test("OK-VQA: the most frequent of ten answers first, pictures of MS COCO, passages of a corpus without gold", async ({
  dir,
}) => {
  put(dir, okvqaFiles());
  const { questions, passages, card } = await load(dir);
  assert.equal(
    questions.map((q) => [q.id, q.answers, q.group, q.cluster, q.gold]),
    [["425", ["bat", "club"], "four", "42", undefined]],
  );
  assert.equal(questions[0]?.meta.answerCounts, [
    ["bat", 3],
    ["club", 2],
  ]);
  assert.equal(
    passages.map((p) => p.id),
    ["0", "1"],
  );
  assert.equal(card.notices.find((n) => /not below images/.test(n.what))?.examples, [
    "425: COCO_val2014_000000000042.jpg",
  ]);
});

test("M2KR: relevant passages by id; a task without questions asks by its instruction", async ({ dir }) => {
  put(dir, m2krFiles());
  const dataset = await load(dir);
  assert.equal(
    dataset.questions.map((q) => [q.id, q.text, q.answers, q.gold?.passages]),
    [
      ["q_1", "What does it live on?", ["fish"], ["p_1"]],
      ["q_2", "Find the page of the image.", [], ["p_2"]],
    ],
  );
  const run = await retrieve(dataset, retriever("bm25"), { k: 1 });
  const [first] = (await score(run, dataset, ["R@1"])).objects() as { value: number }[];
  assert.is(first?.value, 1);
});

test("maxPages keeps the pages that gold names, then the first others, and says what it left out", async ({ dir }) => {
  put(dir, await evqaFiles());
  const more = Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [
      `u${i}`,
      { title: `T${i}`, url: `u${i}`, section_titles: ["t"], section_texts: ["x"] },
    ]),
  );
  put(dir, { "encyclopedic_kb_wiki.json": JSON.stringify({ ...more, ...evqaPages }) });
  const { passages, card } = await load(dir, { maxPages: 4 });
  assert.equal([...new Set(passages.map((p) => p.page))], ["u0", "u1", heron, oak]);
  assert.is(card.notices.find((n) => /left out by maxPages/.test(n.what))?.count, 4);
  assert.ok(card.limits.some((l) => /4 pages were left out by maxPages/.test(l)));
  assert.equal([card.read.pages, card.kept.pages], [8, 4]);
});

test("maxPages keeps a page of which gold names a section only", async ({ dir }) => {
  const files = await plainFiles();
  const others = Array.from({ length: 5 }, (_, i) => ({ id: `u${i}`, title: "U", sections: [{ text: "x" }] }));
  put(dir, files, { "pages.jsonl": jsonl(others) + files["pages.jsonl"] });
  // gold: the page heron, its section heron#1 and oak-leaf, three ids; one other page fits
  const { passages } = await load(dir, { maxPages: 4 });
  assert.equal([...new Set(passages.map((p) => p.page))], ["u0", "heron", "oak"]);
});

test("what dataset.json says is on the card; columns, which this layout does not rename, are an error", async ({
  dir,
}) => {
  put(dir, await plainFiles());
  assert.is((await load(dir)).card.origin, "not stated");
  put(dir, { "dataset.json": '{"origin":"real"}' });
  assert.is((await load(dir)).card.origin, "real");
  put(dir, { "dataset.json": '{"columns":{"questions":{"question":"text"}}}' });
  assert.match(await message(() => load(dir)), /dataset\.json has columns, which are not renamed in this layout/);
});

test("two forms in a folder, none, or questions without pages are errors that say what is allowed", async ({ dir }) => {
  assert.match(
    await message(() => load(dir, { folder: "none" })),
    /there is no folder .*none\. Questions: plain: questions\.jsonl.*MKGLAB_DATA/,
  );
  assert.match(await message(() => load(dir, { unit: "paragraph" })), /option unit has a wrong value \("paragraph"\)/);
  const plain = await plainFiles();
  put(dir, { "questions.jsonl": plain["questions.jsonl"] as string });
  assert.match(await message(() => load(dir)), /there are no pages or passages in /);
  put(dir, { "pages.jsonl": plain["pages.jsonl"] as string, ...okvqaFiles() });
  assert.match(await message(() => load(dir)), /questions in two forms \(questions\.jsonl, OpenEnded/);
  for (const name of Object.keys(okvqaFiles())) if (!name.endsWith("csv")) rmSync(join(dir, name));
  put(dir, plain);
  assert.match(await message(() => load(dir)), /knowledge bases in two forms \(pages\.jsonl, okvqa_full_corpus\.csv\)/);
});

test.run();
