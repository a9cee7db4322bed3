import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadDataset } from "../../lib/datasets/index.js";

// Expected counts: README of the research data; they were counted there by another program, and again here with Python:
//   rows = [l.rstrip("\n").split("\t") for l in open("wiki_tuple_ids.txt", newline="")]; len(rows), len(set(map(tuple, rows))), …

const test = suite("real data");
const dir = process.env.MKGLAB_DATA ?? "";
const law = (name: string, run: () => Promise<void>) => {
  if (dir) return test(name, run);
  console.log(`SKIP ${name}: MKGLAB_DATA is not set`);
  test.skip(name, run);
};

law("MarKG has its known counts, and what is unused or repeated is reported and kept", async () => {
  const { graph, card, questions } = await loadDataset("markg", { dir });
  assert.is(questions.length, 0);
  const { counts } = card;
  assert.equal([counts.triples, counts.distinctTriples], [33307, 33301]);
  assert.equal(
    [counts.entities, counts.labelledEntities, counts.distinctLabels, counts.entitiesInTriples],
    [11292, 11292, 10977, 10182],
  );
  assert.equal([counts.labelledRelations, counts.relations], [192, 191]);
  const notice = (what: string) => card.notices.find((n) => n.what === what);
  assert.is(notice("duplicate triples")?.count, 6);
  assert.is(notice("entities without triples")?.count, 11292 - 10182);
  assert.equal(notice("relation labels without triples")?.examples, ["A14"]);
  assert.is(notice("entities whose label an earlier entity has")?.count, 11292 - 10977);
  assert.is(graph.text("0"), "chair location space");
  assert.is(graph.entity("Q262").description, "country in North Africa");
});

law("every line of MarKG is a triple with its line number from 0 as id and its fields unchanged", async () => {
  const { graph } = await loadDataset("markg", { dir });
  const lines = readFileSync(join(dir, "markg", "wiki_tuple_ids.txt"), "utf8")
    .trimEnd()
    .split("\n");
  lines.forEach((line, i) => {
    const { head, relation, tail } = graph.triple(String(i));
    assert.is(`${head}\t${relation}\t${tail}`, line);
  });
  assert.is(graph.triples.numRows(), lines.length);
});

law("pictures of MarKG open, also under a name with %2b, and their ids tell nothing", async () => {
  const { graph } = await loadDataset("markg", { dir });
  const pictures = ["Q1501", "Q6574"].flatMap((id) => graph.entity(id).images);
  assert.is(pictures.length, 9);
  let png = 0;
  for (const picture of pictures) {
    assert.match(picture.id, /^[0-9a-f]{16}$/);
    const [a, b] = await picture.bytes();
    // PNG begins 89 50, JPEG FF D8
    if (a === 0x89 && b === 0x50) png++;
    else assert.equal([a, b], [0xff, 0xd8]);
  }
  assert.is(png, 1);
});

law("MarKG's files have the sums of data/manifest.json", async () => {
  const manifest = JSON.parse(readFileSync(new URL("../../data/manifest.json", import.meta.url), "utf8"));
  const { files } = manifest.datasets.markg;
  assert.ok(Object.keys(files).length >= 4);
  for (const [file, { sha256, bytes }] of Object.entries(files) as [string, { sha256: string; bytes: number }][]) {
    const data = readFileSync(join(dir, "markg", file));
    assert.is(data.length, bytes, file);
    assert.is(createHash("sha256").update(data).digest("hex"), sha256, file);
  }
});

// The folder may hold other questions than the sample that was at hand: its figures are checked only when it is that sample.
const sample =
  existsSync(join(dir, "mkg-rag-bench", "text_queries.jsonl")) &&
  createHash("sha256")
    .update(readFileSync(join(dir, "mkg-rag-bench", "text_queries.jsonl")))
    .digest("hex")
    .startsWith("268e29faae91");

law(
  "MKG-RAG-Bench over the superset corpora: 24,939 text and 8,368 multimodal rows, every relevant row a candidate of its setting",
  async () => {
    const dataset = await loadDataset("mkg-rag-bench", { dir });
    assert.equal([dataset.card.counts.textRows, dataset.card.counts.multimodalRows], [24939, 8368]);
    const expected = { S1: 33307, S2: 24939, S3: 33307, S4: 8368, S5: 33307 };
    for (const setting of dataset.settings) {
      const { questions, candidates } = dataset.setting(setting);
      assert.is(candidates.length, expected[setting]);
      assert.equal(
        candidates.map((c) => c.id),
        candidates.map((_, i) => String(i)),
      );
      const triples = new Set(candidates.map((c) => c.triple));
      for (const { question } of questions)
        for (const triple of question.gold!.triples!) assert.ok(triples.has(triple), question.id);
    }
  },
);

law(
  "the sample of MKG-RAG-Bench has its known counts and ids, and its relevant rows are those that the benchmark's rule gives",
  async () => {
    if (!sample)
      return console.log("the folder mkg-rag-bench holds other questions than the sample: its counts are not checked");
    const { card, setting } = await loadDataset("mkg-rag-bench", { dir });
    const { counts } = card;
    assert.equal(
      [counts.textQuestions, counts.textTailMasked, counts.textRelationMasked, counts.textJudgements],
      [96, 67, 29, 131],
    );
    assert.equal([counts.mmQuestions, counts.mmJudgements], [30, 54]);
    assert.not(card.notices.some((n) => /candidates_count|not all rows of MarKG|without relevant rows/.test(n.what)));
    // qids 10 and 42663 are the smallest and largest text qids, 26 and 493 the multimodal ones: 494 is the offset of S1
    const ends = (name: "S1" | "S2" | "S4") => [setting(name).questions[0]!.id, setting(name).questions.at(-1)!.id];
    assert.equal(
      [ends("S1"), ends("S2"), ends("S4")],
      [
        ["26", String(42663 + 494)],
        ["10", "42663"],
        ["26", "493"],
      ],
    );
  },
);

test.run();
