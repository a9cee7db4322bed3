import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Dataset, loadDataset, ragBenchSplit, toQuery } from "../../lib/datasets/index.js";
import { augmentImage, bytesImage, contentHash } from "../../lib/media/index.js";
import { generalFiles, put } from "../fixtures/make-rag-bench.js";

const test = suite<{ dir: string }>("mkg-rag-bench");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

// An invented graph of 506 lines. Lines 0–499 have heads and tails m0 … m19, so these are the entities of the first 500 lines.
const lines = [
  ...Array.from({ length: 500 }, (_, i) => ["m".concat(String(i % 20)), `r${i % 3}`, `m${(i * 7 + 1) % 20}`]),
  ["t1", "r0", "x1"], // 500: text row 0
  ["t1", "r0", "x2"], // 501: text row 1
  ["t1", "r1", "x1"], // 502: text row 2
  ["m3", "r1", "x9"], // 503: multimodal row 500
  ["t2", "r0", "x1"], // 504: text row 3
  ["t1", "r0", "x1"], // 505: text row 4, a duplicate of 500
];
const labels: Record<string, string> = {
  x1: "The X-One!",
  x2: "xone",
  x9: "nine",
  r0: "zero",
  r1: "one",
  r2: "two",
  lonely: "without triples",
};
const entities = [...new Set(lines.flatMap(([h, , t]) => [h!, t!])), "lonely"];
const row = (doc: number, markg: number, more = {}) => ({
  doc_id: doc,
  markg_row: markg,
  head_id: lines[markg]![0],
  rel_id: lines[markg]![1],
  tail_id: lines[markg]![2],
  ...more,
});
const ask = (qid: number, head: string, rel: string | null, tail: string | null, more = {}) => ({
  qid,
  query: `question ${qid}?`,
  group_kind: tail === null ? "mask_tail" : "mask_relation",
  is_multimodal: head.startsWith("m"),
  head_id: head,
  rel_id: rel,
  tail_id: tail,
  masked_type: tail === null ? "tail" : "relation",
  ...more,
});
const jsonl = (rows: object[]) => rows.map((r) => `${JSON.stringify(r)}\n`).join("");

const files = {
  "markg/wiki_tuple_ids.txt": lines.map((l) => `${l.join("\t")}\n`).join(""),
  "markg/entity2text.txt": entities.map((e) => `${e}\t${labels[e] ?? e}\n`).join(""),
  "markg/entity2textlong.txt": entities.map((e) => `${e}\tabout ${e}\n`).join(""),
  "markg/relation2text.txt": ["r0", "r1", "r2", "r9"].map((r) => `${r}\t${labels[r] ?? r}\n`).join(""),
  // released document ids are other numbers than ranks in the superset corpora
  "mkg-rag-bench/text_relevant_triples.jsonl": jsonl([row(11, 500), row(12, 501), row(13, 505), row(14, 502)]),
  "mkg-rag-bench/text_queries.jsonl": jsonl([
    ask(7, "t1", null, "x1"),
    ask(4, "t1", "r0", null, { candidates_count: 2 }),
    ask(9, "t2", "r0", null),
  ]),
  "mkg-rag-bench/text_qrels.tsv": "4\t11\t1\n4\t12\t1\n4\t13\t1\n7\t14\t1\n7\t11\t1\n7\t13\t1\n",
  "mkg-rag-bench/mm_relevant_triples.jsonl": jsonl([row(11, 503)]),
  "mkg-rag-bench/mm_queries.jsonl": jsonl([ask(2, "m3", null, "x9", { candidates_count: 1 })]),
  "mkg-rag-bench/mm_qrels.tsv": "2\t11\t1\n",
};
type Name = keyof typeof files;

function load(dir: string, changes: Partial<Record<Name, string | Buffer | undefined>> = {}): Promise<Dataset> {
  for (const folder of ["markg", "mkg-rag-bench"]) mkdirSync(join(dir, folder), { recursive: true });
  for (const [name, text] of Object.entries({ ...files, ...changes }))
    if (text !== undefined) writeFileSync(join(dir, name), text);
  return loadDataset("mkg-rag-bench", { dir });
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

test("relevant rows come through markg_row in qrels order, answers are the texts of the masked field, equal ones once", async ({
  dir,
}) => {
  const { questions } = await load(dir);
  assert.equal(
    questions.map((q) => q.id),
    ["text:7", "text:4", "text:9", "mm:2"],
  );
  const [relation, tail, , mm] = questions;
  assert.equal(relation!.gold, { triples: ["502", "500", "505"] });
  assert.equal(relation!.answers, ["one", "zero"]);
  assert.equal(tail!.gold, { triples: ["500", "501", "505"] });
  // "The X-One!" and "xone" are both "xone" without case, punctuation and article: the first stands
  assert.equal(tail!.answers, ["The X-One!"]);
  assert.equal(
    [relation!.group, tail!.group, mm!.group],
    ["text relation-masked", "text tail-masked", "mm relation-masked"],
  );
  assert.equal([tail!.cluster, mm!.cluster], ["t1", "m3"]);
});

test("settings number questions and rows as the paper's code does, over corpora split by the first 500 lines", async ({
  dir,
}) => {
  const dataset = await load(dir);
  assert.equal(dataset.settings, ["S1", "S2", "S3", "S4", "S5"]);
  const ids = (setting: "S1" | "S2" | "S3" | "S4" | "S5") =>
    dataset.setting(setting).questions.map((q) => `${q.id}=${q.question.id}`);
  // largest mm qid is 2, so text qids move by 3; ascending, and text:9 has no relevant row
  assert.equal(ids("S1"), ["2=mm:2", "7=text:4", "10=text:7"]);
  assert.equal(ids("S2"), ["4=text:4", "7=text:7"]);
  assert.equal(ids("S3"), ids("S2"));
  assert.equal(ids("S4"), ["2=mm:2"]);
  assert.equal(ids("S5"), ids("S4"));
  const candidates = (setting: "S1" | "S2" | "S3" | "S4" | "S5") => dataset.setting(setting).candidates;
  const triples = (setting: "S1" | "S2") => candidates(setting).map((c) => c.triple);
  assert.equal(triples("S2"), ["500", "501", "502", "504", "505"]);
  assert.is(candidates("S4").length, 501);
  assert.equal(candidates("S4")[500], { id: "500", triple: "503", text: "m3 one nine", multimodal: true });
  assert.equal(candidates("S1")[501], { id: "501", triple: "500", text: "t1 zero The X-One!", multimodal: false });
  assert.equal(candidates("S3")[4], { id: "4", triple: "505", text: "t1 zero The X-One!", multimodal: false });
  assert.equal(candidates("S3")[5], { id: "5", triple: "0", text: "m0 zero m1", multimodal: true });
  assert.equal(
    triples("S1"),
    candidates("S5").map((c) => c.triple),
  );
  assert.is(candidates("S3").length, 506);
});

test("a query shows neither the gold head nor anything else of a question's record", async ({ dir }) => {
  const dataset = await load(dir);
  const query = toQuery(dataset, dataset.questions[0]!);
  assert.equal(query.meta, {});
  assert.is(query.text, "question 7?");
  assert.not.match(JSON.stringify(query), /t1|x1|text:7/);
});

test("what does not agree is noticed, and the missing pictures are a limit", async ({ dir }) => {
  const { card } = await load(dir);
  const notice = (what: RegExp) => card.notices.find((n) => what.test(n.what));
  assert.equal(notice(/candidates_count/)?.examples, ["text:4: 2, 3"]);
  assert.equal(notice(/without relevant rows/)?.examples, ["text:9"]);
  assert.equal(notice(/not all rows of MarKG/)?.examples, ["text:9"]);
  assert.equal(notice(/relation labels without triples/)?.examples, ["r9"]);
  assert.is(notice(/images of the multimodal questions are not in the folder: text only/)?.count, 1);
  assert.ok(card.limits.some((limit) => limit.includes("text only")));
  assert.equal(
    [card.counts.textRows, card.counts.multimodalRows, card.counts.textJudgements, card.counts.mmRelationMasked],
    [5, 501, 6, 1],
  );
});

test("Windows line ends, a byte order mark and blank lines change nothing", async ({ dir }) => {
  const { fingerprint } = await load(dir);
  const crlf = (name: Name) => files[name].replaceAll("\n", "\r\n");
  const other = await load(dir, {
    "mkg-rag-bench/text_qrels.tsv": `${crlf("mkg-rag-bench/text_qrels.tsv")}\r\n`,
    "mkg-rag-bench/text_queries.jsonl": `\ufeff${crlf("mkg-rag-bench/text_queries.jsonl")}\r\n`,
    "markg/wiki_tuple_ids.txt": crlf("markg/wiki_tuple_ids.txt"),
  });
  assert.is(other.fingerprint, fingerprint);
});

test("one modality may have no questions; none in either is an error", async ({ dir }) => {
  const empty = (modality: "text" | "mm") => ({
    [`mkg-rag-bench/${modality}_queries.jsonl`]: "\n",
    [`mkg-rag-bench/${modality}_qrels.tsv`]: "",
  });
  const ids = async (changes: Record<string, string>) => (await load(dir, changes)).questions.map((q) => q.id);
  assert.equal(await ids(empty("mm")), ["text:7", "text:4", "text:9"]);
  const mm = await load(dir, empty("text"));
  assert.equal(
    mm.questions.map((q) => q.id),
    ["mm:2"],
  );
  assert.equal(mm.setting("S2").questions, []);
  assert.equal(
    mm.setting("S1").questions.map((q) => q.id),
    ["2"],
  );
  assert.match(
    await message(() => load(dir, { ...empty("text"), ...empty("mm") })),
    /^dataset mkg-rag-bench: no questions in .*\. At least one in text_queries\.jsonl or mm_queries\.jsonl/,
  );
});

test("a malformed or missing file or line is an error that names it and says what is allowed", async ({ dir }) => {
  const text = (part: "queries.jsonl" | "qrels.tsv" | "relevant_triples.jsonl") => `mkg-rag-bench/text_${part}` as Name;
  const cases: [Name, string | Buffer, RegExp][] = [
    [
      text("qrels.tsv"),
      "4\t11\t1\n5\t11\t1\n",
      /text_qrels\.tsv, line 2: a qid that text_queries\.jsonl does not have \(5\)/,
    ],
    [
      text("qrels.tsv"),
      "4\t99\t1\n",
      /text_qrels\.tsv, line 1: a doc_id that text_relevant_triples\.jsonl does not have \(99\)/,
    ],
    [text("qrels.tsv"), "4 11 1\n", /line 1: not qid TAB doc_id TAB relevance \("4 11 1"\)\. Three integers/],
    [text("qrels.tsv"), "4\t11\t-1\n", /line 1: not qid TAB doc_id TAB relevance/],
    [text("qrels.tsv"), "4\t11\t1\n4\t11\t1\n", /line 2: a second judgement of doc_id 11 for qid 4/],
    [
      text("queries.jsonl"),
      jsonl([ask(4, "t1", "r0", null), ask(4, "t1", "r0", null)]),
      /text_queries\.jsonl, line 2: a second question with the qid 4; the first is in line 1/,
    ],
    [
      text("queries.jsonl"),
      jsonl([ask(4, "t1", "r0", null, { qid: "4" })]),
      /line 1: qid is not an integer ≥ 0 \("4"\)/,
    ],
    [
      text("queries.jsonl"),
      jsonl([ask(4, "t1", "r0", null, { masked_type: "head" })]),
      /masked_type is not known \("head"\)/,
    ],
    [text("queries.jsonl"), jsonl([ask(4, "t1", "r0", null, { query: "" })]), /query is not a non-empty string/],
    [text("queries.jsonl"), jsonl([ask(4, "nobody", "r0", null)]), /an entity that MarKG does not have \("nobody"\)/],
    [text("queries.jsonl"), jsonl([ask(4, "m3", "r0", null)]), /is_multimodal is true in the file of text questions/],
    [
      text("queries.jsonl"),
      jsonl([ask(4, "t1", "r0", null, { candidates_count: 1.5 })]),
      /candidates_count is not an integer ≥ 0 \(1\.5\)/,
    ],
    [text("queries.jsonl"), "{\n", /text_queries\.jsonl, line 1: not JSON/],
    [text("queries.jsonl"), "[]\n", /line 1: not an object/],
    [text("queries.jsonl"), Buffer.from([0xff, 0x0a]), /the file is not UTF-8 text \(.*text_queries\.jsonl/],
    [text("relevant_triples.jsonl"), Buffer.from([0xff, 0x0a]), /not UTF-8 text \(.*text_relevant_triples\.jsonl/],
    [
      text("relevant_triples.jsonl"),
      jsonl([{ ...row(11, 500), markg_row: undefined }]),
      /line 1: markg_row is not a line of wiki_tuple_ids\.txt \(undefined\)\. An integer from 0 to 505/,
    ],
    [text("relevant_triples.jsonl"), jsonl([{ ...row(11, 500), markg_row: 506 }]), /markg_row is not a line .*\(506\)/],
    [
      text("relevant_triples.jsonl"),
      jsonl([row(11, 500, { tail_id: "x2" })]),
      /markg_row 500 is t1 r0 x1, the row says t1 r0 x2/,
    ],
    [text("relevant_triples.jsonl"), jsonl([row(11, 500), row(11, 501)]), /line 2: a second row with the doc_id 11/],
    [
      text("relevant_triples.jsonl"),
      jsonl([row(11, 500), row(12, 500)]),
      /line 2: a second doc_id \(12\) for the markg_row 500; the first is 11/,
    ],
    [
      text("relevant_triples.jsonl"),
      jsonl([row(11, 503)]),
      /markg_row 503 is a multimodal row, in the file of text rows/,
    ],
    [
      "markg/wiki_tuple_ids.txt",
      "a\tb\n",
      /wiki_tuple_ids\.txt, line 1: 2 columns and no header .*Three columns head, relation, tail/,
    ],
    ["markg/entity2text.txt", "a\tx\na\ty\n", /entity2text\.txt, line 2: a second text for the id "a"/],
  ];
  for (const [name, data, expected] of cases) assert.match(await message(() => load(dir, { [name]: data })), expected);
  rmSync(join(dir, "mkg-rag-bench", "mm_qrels.tsv"));
  const missing = await message(() => loadDataset("mkg-rag-bench", { dir }));
  assert.match(
    missing,
    /^dataset mkg-rag-bench: files are missing in .*mkg-rag-bench \(mm_qrels\.tsv\)\. .*github\.com\/XiaochenWang-PSU\/MKG-RAG-Bench.*MKGLAB_DATA/,
  );
  rmSync(join(dir, "markg"), { recursive: true });
  assert.match(
    await message(() => loadDataset("markg", { dir })),
    /^dataset markg: there is no folder .*markg\. It needs wiki_tuple_ids\.txt.*github\.com\/zjunlp\/MKG_Analogy/,
  );
});

const all = (n: number) => Array.from({ length: n }, (_, i) => i);

// sizes as published: -G n = 61,136 with 18,470 multimodal questions, -M n = 5,977 with 2,453 (specification, section 2 step 4)
test("the split rule gives the published sizes of both parts", () => {
  const sizes = (mm: number, text: number) =>
    Object.values(ragBenchSplit({ mm: all(mm), text: all(text) })).map((s) => s.mm.length + s.text.length);
  assert.equal(sizes(18470, 42666), [48908, 6113, 6115]);
  assert.equal(sizes(2453, 3524), [4781, 597, 599]);
  const { test: general } = ragBenchSplit({ mm: all(18470), text: all(42666) });
  assert.equal([general.mm.length, general.text.length], [1854, 4261]);
  const { test: medical } = ragBenchSplit({ mm: all(2453), text: all(3524) });
  assert.equal([medical.mm.length, medical.text.length], [258, 341]);
});

test("the split depends on the set of qids alone, is a partition, and refuses what is no qid", () => {
  const split = ragBenchSplit({ mm: [3, 1, 2], text: [9, 0, 4, 7] });
  assert.equal(split, ragBenchSplit({ mm: [1, 2, 3], text: [0, 4, 7, 9] }));
  // 7 questions: ⌊5.6⌋ = 5, ⌊0.7⌋ = 0, the rest 2
  assert.equal(
    Object.values(split).map((s) => s.mm.length + s.text.length),
    [5, 0, 2],
  );
  const ids = Object.values(split);
  assert.equal(ids.flatMap((s) => s.mm).sort(), [1, 2, 3]);
  assert.equal(ids.flatMap((s) => s.text).sort(), [0, 4, 7, 9]);
  assert.throws(() => ragBenchSplit({ mm: [-1], text: [] }), /ragBenchSplit: mm is not a list of qids \(-1\)/);
  assert.throws(() => ragBenchSplit({ mm: [], text: [1, 1] }), /text has a qid twice/);
  assert.throws(() => ragBenchSplit({ mm: [] } as never), /text is not a list of qids \(undefined\)/);
});

test("released layout: corpora are found where they lie, rows keep their document ids, and the graph is made of them", async ({
  dir,
}) => {
  put(dir, await generalFiles());
  const dataset = await loadDataset("mkg-rag-bench", { dir });
  assert.match(dataset.card.summary, /over the released corpora/);
  assert.equal([dataset.graph.triples.numRows(), dataset.graph.entities.numRows()], [15, 11]);
  // row 4 of the text corpus repeats row 0 and stays a document of its own
  assert.is(dataset.card.notices.find((n) => n.what === "duplicate triples")?.examples[0], "text:4");
  const candidates = (s: "S1" | "S2" | "S3" | "S4" | "S5") => dataset.setting(s).candidates;
  assert.equal(candidates("S2")[5], {
    id: "5",
    triple: "text:5",
    text: "Entity t3 relation 2 Entity t1",
    multimodal: false,
  });
  // 10 text and 5 multimodal rows: offsets 5 (S1, S5) and 10 (S3)
  const ids = (s: "S1" | "S3" | "S4" | "S5") => candidates(s).map((c) => `${c.id}=${c.triple}`);
  assert.equal(ids("S1").slice(4, 6), ["4=mm:4", "5=text:0"]);
  assert.equal(ids("S3").slice(9, 11), ["9=text:9", "10=mm:0"]);
  assert.equal(ids("S5"), ids("S1"));
  assert.is(ids("S4").length, 5);
});

test("released splits hold each question once; relevant rows are what the group rule gives; siblings across splits are counted", async ({
  dir,
}) => {
  put(dir, await generalFiles());
  const test = await loadDataset("mkg-rag-bench", { dir });
  const splits = [await test.splits.train(), await test.splits.validation(), test];
  for (const { card } of splits)
    assert.not(card.notices.some((n) => /candidates_count|not all rows|without relevant/.test(n.what)));
  const ids = splits.map((s) => s.questions.map((q) => q.id));
  const [mm, text] = ["mm", "text"].map((m) =>
    ids.flat().flatMap((id) => (id.startsWith(`${m}:`) ? [Number(id.slice(m.length + 1))] : [])),
  ) as [number[], number[]];
  // 9 groups of the multimodal and 15 of the text rows, two questions each
  assert.equal([mm.sort((a, b) => a - b), text.sort((a, b) => a - b)], [all(18), all(30)]);
  const rule = ragBenchSplit({ mm, text });
  for (const [i, name] of (["train", "validation", "test"] as const).entries())
    assert.equal(
      [...(ids[i] as string[])].sort(),
      [...rule[name].mm.map((q) => `mm:${q}`), ...rule[name].text.map((q) => `text:${q}`)].sort(),
    );
  for (const [i, { card }] of splits.entries()) {
    const own = new Set(ids[i]);
    const apart = (ids[i] as string[]).filter((id) => {
      const [modality, qid] = id.split(":") as [string, string];
      return !own.has(`${modality}:${Number(qid) ^ 1}`);
    });
    const notice = card.notices.find((n) => /sibling/.test(n.what));
    assert.is(notice?.count ?? 0, apart.length);
  }
  assert.is(test.splits.test === undefined, false);
  assert.is((await (await test.splits.train()).splits.test()).fingerprint, test.fingerprint);
});

test("an entity's picture is <id>.<extension>, else the first by name in its folder; a question's is one of its head that no entity is indexed by", async ({
  dir,
}) => {
  put(dir, await generalFiles());
  const train = await loadDataset("mkg-rag-bench", { dir, split: "train" });
  const bytes = async (image: { bytes(): Promise<Uint8Array> } | undefined) =>
    image && Buffer.from(await image.bytes());
  const file = (name: string) => readFileSync(join(dir, "mkg-rag-bench/images", name));
  const { graph } = train;
  assert.equal(await bytes(graph.entity("m1").images[0]), file("m1/b.png"));
  assert.equal(await bytes(graph.entity("m2").images[0]), file("m2.webp"));
  assert.equal([graph.entity("m1").images.length, graph.entity("m3").images.length], [1, 0]);
  const of = (head: string) => train.questions.find((q) => q.id.startsWith("mm:") && q.cluster === head);
  assert.equal(await bytes(of("m1")?.images[0]), file("m1/c.png"));
  assert.equal(await bytes(of("m2")?.images[0]), file("m2/b.png"));
  const indexed = new Set<string>();
  for (const id of graph.entities.array("id") as string[])
    for (const image of graph.entity(id).images) indexed.add(await contentHash(image));
  assert.is(indexed.size, 2);
  for (const { images } of train.questions)
    for (const image of images) assert.not.ok(indexed.has(await contentHash(image)));
  assert.is(of("m3")?.images.length, 0);
  const notice = train.card.notices.find((n) => /no picture besides those that are indexed: text only/.test(n.what));
  const without = train.questions.filter((q) => q.id.startsWith("mm:") && q.cluster === "m3");
  assert.equal([notice?.count, without.length > 0], [without.length, true]);
  assert.not.ok(train.card.limits.some((l) => /leaks/.test(l)));
});

test("as released, a question shows an altered view of its gold picture, the same in every setting or another by the setting's name, and the card says that it leaks", async ({
  dir,
}) => {
  put(dir, await generalFiles());
  const load = (options = {}) =>
    loadDataset("mkg-rag-bench", { dir, split: "train", queryImage: "gold-augmented", ...options });
  const file = (name: string) => bytesImage(readFileSync(join(dir, "mkg-rag-bench/images", name)), name);
  const plain = await load();
  assert.ok(plain.card.limits.some((l) => /as released: it leaks them/.test(l)));
  const seeded = await load({ imageSeed: "S4" });
  const of = ({ questions }: typeof plain) => questions.find((q) => q.id.startsWith("mm:") && q.cluster === "m1")!;
  const qid = of(plain).id.slice(3);
  const view = (key: string) => augmentImage(file("m1/b.png"), { key, others: [file("m1/c.png")] }).bytes();
  assert.equal(await of(plain).images[0]!.bytes(), await view(qid));
  assert.equal(await of(seeded).images[0]!.bytes(), await view(`S4||${qid}`));
});

test("fields by the names of the README are read; both names with different values are an error", async ({ dir }) => {
  const files = await generalFiles();
  put(dir, files);
  const { fingerprint } = await loadDataset("mkg-rag-bench", { dir });
  const renamed = Object.fromEntries(
    Object.entries(files).map(([name, data]) => [
      name,
      typeof data === "string"
        ? data
            .replaceAll('"query":', '"question":')
            .replaceAll('"rel_id":', '"relation_id":')
            .replaceAll('"rel_text":', '"relation_text":')
        : data,
    ]),
  );
  put(dir, renamed);
  assert.is((await loadDataset("mkg-rag-bench", { dir })).fingerprint, fingerprint);
  const name = "mkg-rag-bench/test/text_queries.jsonl";
  put(dir, files, { [name]: (files[name] as string).replace('"query":', '"question":"other","query":') });
  assert.match(
    await message(() => loadDataset("mkg-rag-bench", { dir })),
    /test\/text_queries\.jsonl, line 1: query and question differ/,
  );
});

test("malformed released files are errors with file and line; lenient leaves the rows out and lists every one", async ({
  dir,
}) => {
  const files = await generalFiles();
  const corpus = "mkg-rag-bench/test/text_corpus.jsonl";
  const queries = "mkg-rag-bench/test/text_queries.jsonl";
  const qrels = "mkg-rag-bench/test/text_qrels.tsv";
  const lines = (name: string) => (files[name] as string).trimEnd().split("\n");
  const with1 = (name: string, change: object) => {
    const [first, ...rest] = lines(name);
    return `${[JSON.stringify({ ...JSON.parse(first as string), ...change }), ...rest].join("\n")}\n`;
  };
  const cases: [string, string, RegExp][] = [
    [corpus, `${files[corpus]}${lines(corpus)[0]}\n`, /text_corpus\.jsonl, line 11: a second row with the doc_id 0/],
    [corpus, with1(corpus, { doc_id: -1 }), /text_corpus\.jsonl, line 1: doc_id is not an integer ≥ 0 \(-1\)/],
    [corpus, with1(corpus, { head_id: "" }), /line 1: head_id is not a non-empty string \(""\)/],
    [corpus, with1(corpus, { tail_text: 7 }), /line 1: tail_text is not a string \(7\)/],
    [corpus, with1(corpus, { image_path: "a/b.png" }), /line 1: a row of the text corpus with an image_path/],
    [corpus, `{\n${files[corpus]}`, /text_corpus\.jsonl, line 1: not JSON/],
    [queries, with1(queries, { head_id: "nobody" }), /line 1: an entity that the corpus does not have \("nobody"\)/],
    [queries, with1(queries, { masked_type: "head" }), /line 1: masked_type is not known \("head"\)/],
    [qrels, `${files[qrels]}1\t99\t1\n`, /line 9: a doc_id that text_corpus\.jsonl does not have \(99\)/],
  ];
  for (const [name, data, expected] of cases) {
    put(dir, files, { [name]: data });
    assert.match(await message(() => loadDataset("mkg-rag-bench", { dir })), expected);
    const { card, questions } = await loadDataset("mkg-rag-bench", { dir, lenient: true });
    assert.ok(
      card.refused.some((r) => join(dir, name) === r.file && expected.test(`${r.file}, line ${r.line}: ${r.reason}`)),
    );
    for (const table of ["questions", "judgements", "corpusRows"] as const) {
      const part = { questions: "_queries", judgements: "_qrels", corpusRows: "_corpus" }[table];
      const out = card.refused.filter((r) => r.file.includes(part)).length;
      assert.is(card.read[table], (card.kept[table] ?? 0) + out - (card.added[table] ?? 0), `${table}: ${expected}`);
    }
    assert.is(card.kept.questions, questions.length);
  }
  put(dir, files, { "mkg-rag-bench/valid/text_corpus.jsonl": `${lines(corpus)[0]}\n` });
  assert.match(await message(() => loadDataset("mkg-rag-bench", { dir })), /two files of the text corpus differ/);
});

test("without a corpus or without questions, what is missing and where to get it is said", async ({ dir }) => {
  const files = await generalFiles();
  put(dir, Object.fromEntries(Object.entries(files).filter(([name]) => !name.endsWith("mm_corpus.jsonl"))));
  assert.match(
    await message(() => loadDataset("mkg-rag-bench", { dir, corpora: "released" })),
    /files are missing in .* \(mm_corpus\.jsonl\)\. Released: train\/, valid\/, test\/ with .*MKGLAB_DATA/,
  );
  assert.match(
    await message(() => loadDataset("mkg-rag-bench", { dir, corpora: "relesed" })),
    /option corpora has a wrong value \("relesed"\)\. It takes one of "auto", "superset", "released"/,
  );
  put(dir, files, {});
  assert.match(
    await message(() => loadDataset("mkg-rag-bench", { dir, images: join(dir, "none") })),
    /there is no such folder of pictures/,
  );
});

const real = process.env.MKGLAB_DATA ?? "";
const law = "every question of the real test sample falls into the test split by the rule";
const check = async () => {
  const { test: split } = ragBenchSplit({ mm: all(18470), text: all(42666) });
  for (const modality of ["mm", "text"] as const) {
    const rows = readFileSync(join(real, "mkg-rag-bench", `${modality}_queries.jsonl`), "utf8")
      .trimEnd()
      .split("\n");
    const ids = new Set(split[modality]);
    assert.ok(rows.length > 0);
    for (const row of rows) assert.ok(ids.has(JSON.parse(row).qid), row);
  }
};
if (real) test(law, check);
else {
  console.log(`SKIP ${law}: MKGLAB_DATA is not set`);
  test.skip(law, check);
}

test.run();
