import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadDataset, toQuery } from "../../lib/datasets/index.js";
import { augmentImage, bytesImage, pixels } from "../../lib/media/index.js";
import { medicalFiles, put } from "../fixtures/make-rag-bench.js";

const test = suite<{ dir: string }>("mkg-rag-bench-m");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

async function message(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (error) {
    assert.match((error as Error).constructor.name, /^(Mkg|Setup)Error$/, String(error));
    return (error as Error).message;
  }
  return assert.unreachable() as never;
}

test("the graph is made of the corpora alone: image heads, relation ids as texts, one triple a row", async ({
  dir,
}) => {
  put(dir, await medicalFiles());
  const { graph, card, clusterName } = await loadDataset("mkg-rag-bench-m", { dir, split: "train" });
  assert.equal([card.counts.textRows, card.counts.multimodalRows], [18, 16]);
  assert.is(graph.text("mm:2"), "Image_I11 NEGATIVE concept C3");
  assert.equal(graph.triple("mm:2").relationLabel, "NEGATIVE");
  assert.is(clusterName, "head entity");
});

test("questions of the medical schema: positives equal the relevant rows, relation-masked ones ask for the relation", async ({
  dir,
}) => {
  put(dir, await medicalFiles());
  const { questions, card, setting } = await loadDataset("mkg-rag-bench-m", { dir, split: "train" });
  assert.not(card.notices.some((n) => /positives|not all rows|sibling/.test(n.what)));
  // rows 0 and 1 of the text corpus: C1 part_of C2, C1 part_of C3
  const tail = questions.find((q) => q.id === "text:0");
  assert.equal(
    [tail?.gold, tail?.answers, tail?.group],
    [{ triples: ["text:0", "text:1"] }, ["concept C2", "concept C3"], "text tail-masked"],
  );
  // I11 POSITIVE C1 and I11 UNCERTAIN C1 are rows 0 and 3: the question masks their relation
  const relation = questions.find((q) => q.group === "mm relation-masked" && q.cluster === "I12");
  assert.equal(relation?.answers, ["POSITIVE", "UNCERTAIN"]);
  assert.equal(relation?.gold?.triples, ["mm:4", "mm:7"]);
  const view = setting("S4");
  assert.equal(view.candidates[4], {
    id: "4",
    triple: "mm:4",
    text: "Image_I12 POSITIVE concept C1",
    multimodal: true,
  });
});

test("without pictures questions go on with their text and the card counts them; a query does not tell its head", async ({
  dir,
}) => {
  put(dir, await medicalFiles());
  const dataset = await loadDataset("mkg-rag-bench-m", { dir, split: "train" });
  const mm = dataset.questions.filter((q) => q.id.startsWith("mm:"));
  const notice = dataset.card.notices.find((n) => /not in the folder: text only/.test(n.what));
  assert.is(notice?.count, mm.length);
  assert.ok(dataset.card.limits.includes("multimodal questions are without picture: text only"));
  assert.not.match(JSON.stringify(toQuery(dataset, mm[0]!)), /I1[1-4]/);
});

test("pictures: absolute-looking paths are cut to their last two components, image_mapping.csv names those of questions", async ({
  dir,
}) => {
  const files = await medicalFiles({ pictures: true });
  put(dir, files);
  const { graph, questions, card } = await loadDataset("mkg-rag-bench-m", { dir, split: "train" });
  const released = { dir, split: "train", queryImage: "gold-augmented" } as const;
  const file = (name: string) => readFileSync(join(dir, "mkg-rag-bench-m/images", name));
  for (const i of ["11", "12", "13", "14"])
    assert.equal(Buffer.from(await graph.entity(`I${i}`).images[0]!.bytes()), file(`s${i}/I${i}.jpg`));
  const of = (head: string) => questions.find((q) => q.cluster === head && q.id.startsWith("mm:"))!;
  // each study has one picture, and it is indexed
  assert.is(of("I12").images.length, 0);
  assert.equal(card.notices.find((n) => /image_mapping/.test(n.what))?.examples, ["I99"]);
  // the mapping wins over the path in the corpus, and a path cannot lead out of the folder
  put(dir, files, { "mkg-rag-bench-m/image_mapping.csv": "I12,/x/s13/I13.jpg\nI11,/etc/../..\n" });
  const other = await loadDataset("mkg-rag-bench-m", released);
  const [first, second] = ["I12", "I11"].map((head) => other.questions.find((q) => q.cluster === head)!);
  const { qid } = /mm:(?<qid>\d+)/.exec(first!.id)!.groups as { qid: string };
  assert.equal(
    await first!.images[0]!.bytes(),
    await augmentImage(bytesImage(file("s13/I13.jpg"), "s13"), {
      key: `aug::${qid}::I12::s13/I13.jpg::${first!.text}`,
      variant: "medical",
    }).bytes(),
  );
  assert.is(second!.images.length, 0);
  // a second view of the study, which is not indexed, stands for it where nothing may leak
  put(dir, files, { "mkg-rag-bench-m/images/s12/I12b.jpg": "another view" });
  const heldOut = await loadDataset("mkg-rag-bench-m", { dir, split: "train" });
  const shown = heldOut.questions.find((q) => q.cluster === "I12" && q.id.startsWith("mm:"));
  assert.equal(Buffer.from(await shown!.images[0]!.bytes()), file("s12/I12b.jpg"));
});

test("rows of image_mapping.csv are counted; one that is blank, or names a second picture of a head, is an error, or refused", async ({
  dir,
}) => {
  const files = await medicalFiles({ pictures: true });
  const mapping = (text: string) => put(dir, files, { "mkg-rag-bench-m/image_mapping.csv": text });
  const load = (lenient = false) =>
    loadDataset("mkg-rag-bench-m", { dir, split: "train", lenient, queryImage: "gold-augmented" });
  mapping("head,path\nI11,/x/s11/I11.jpg\nI12,/x/s13/I13.jpg\nI12,/y/s13/I13.jpg\n");
  const { card } = await load();
  assert.equal([card.read.mappedPictures, card.kept.mappedPictures], [3, 3]);
  for (const [bad, problem] of [
    ["I12,/x/s12/I12.jpg", /a second picture of the head "I12" \(s12\/I12\.jpg\); the first is s13\/I13\.jpg/],
    [",/x/s12/I12.jpg", /head is not a non-empty string/],
  ] as const) {
    mapping(`I12,/x/s13/I13.jpg\n${bad}\n`);
    const text = await message(() => load());
    assert.match(text, /^dataset mkg-rag-bench-m: .*image_mapping\.csv, line 2: /);
    assert.match(text, problem);
    const { card, questions } = await load(true);
    assert.equal([card.read.mappedPictures, card.kept.mappedPictures, card.refused.length], [2, 1, 1]);
    const shown = questions.find((q) => q.cluster === "I12" && q.id.startsWith("mm:"));
    // gray is what s13 holds
    const { data } = await pixels(shown!.images[0]!, { width: 1, height: 1 });
    assert.ok(Math.abs((data[0] as number) - 128) < 30 && Math.abs((data[1] as number) - (data[0] as number)) < 6);
  }
});

test("the medical part needs its corpora: MarKG does not stand in, and the error says where to get them", async ({
  dir,
}) => {
  const files = await medicalFiles();
  put(dir, Object.fromEntries(Object.entries(files).filter(([name]) => !name.includes("corpus"))));
  assert.match(
    await message(() => loadDataset("mkg-rag-bench-m", { dir })),
    /^dataset mkg-rag-bench-m: files are missing in .*\(text_corpus\.jsonl, mm_corpus\.jsonl\)\. Released: train\/, val\/, test\/ .*PhysioNet/,
  );
  assert.match(
    await message(() => loadDataset("mkg-rag-bench-m", { dir, corpora: "superset" })),
    /unknown option \("corpora"\)/,
  );
  rmSync(join(dir, "mkg-rag-bench-m"), { recursive: true });
  assert.match(await message(() => loadDataset("mkg-rag-bench-m", { dir })), /there is no folder .*mkg-rag-bench-m\./);
});

test.run();
