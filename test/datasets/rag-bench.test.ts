import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Dataset, loadDataset, toQuery } from "../../lib/datasets/index.js";

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

test.run();
