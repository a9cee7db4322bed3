import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Dataset, defineDataset } from "../../lib/datasets/index.js";
import { makeRun, type Run } from "../../lib/evaluate/index.js";
import { type Retriever, readRun, retrieve, retriever, writeRun } from "../../lib/retrieve/index.js";
import { lawDataset } from "../laws/retriever.js";

const test = suite("runs in files");
let dir = "";
test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), "mkglab-runs-"));
});
test.after(() => rm(dir, { recursive: true, force: true }));

const base = lawDataset();
/** The law data set with a setting whose document and question ids are not the graph's. */
const dataset: Dataset = defineDataset({
  name: "filed",
  graph: base.graph,
  questions: base.questions,
  settings: {
    S2: () => ({
      questions: dataset.questions.map((question, i) => ({ id: String(100 + i), question })),
      candidates: dataset
        .setting()
        .candidates.slice(0, 30)
        .map((c, i) => ({ ...c, id: String(500 + i) })),
    }),
  },
});
const message = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "nothing was thrown",
    (error: Error) => error.message,
  );
const evidence = (run: Run) => run.items.map(({ id, evidence, answer, error }) => ({ id, evidence, answer, error }));

test("a TREC file has the setting's ids, strictly falling scores, and gives the ranking back", async () => {
  const run = await retrieve(dataset, retriever("bm25"), { k: 4, setting: "S2" });
  const path = join(dir, "bm25.trec");
  // q2 ("…?"), q3, q6 and q7 have no word of the corpus: no rows, but not failed
  assert.equal(await writeRun(run, path, "trec"), { path, questions: 9, failed: 0, rows: 20 });
  const lines = (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" "));
  const own = lines.filter(([q]) => q === "100");
  assert.equal(
    own.map(([, , , rank, , tag]) => [rank, tag]),
    own.map((_, i) => [String(i + 1), "bm25"]),
  );
  const hits = run.get("100").evidence?.hits ?? [];
  own.forEach(([, , , , score], i) => {
    // the hit's score as a 32-bit float, or the least bit below where two hits tie
    assert.ok(Math.abs(Number(score) - (hits[i]?.score as number)) < 1e-6);
    assert.ok(i === 0 || Number(score) < Number(own[i - 1]?.[4]));
  });
  assert.ok(lines.every(([, , document]) => Number(document) >= 500 && Number(document) < 530));
  const back = await readRun(path, dataset, { setting: "S2" });
  assert.is(back.label, "bm25");
  for (const { id, evidence } of run.items) {
    const found = back.get(id);
    if (evidence?.hits.length)
      assert.equal(
        found.evidence?.hits.map((h) => h.triple),
        evidence.hits.map((h) => h.triple),
      );
    else assert.match(found.error ?? "", /^not in bm25\.trec$/);
  }
});

test("in a TREC file a path stands as its triples, each where it first comes, those without a document id left out", async () => {
  // t0 and t3 start at e0; t33 is not among the 30 candidates of S2
  const paths: Retriever = (_query, { graph }) => {
    const path = (id: string) => [graph.triple(id).head, graph.triple(id).tail];
    return [
      { score: 3, path: path("t33"), pathTriples: ["t33"] },
      { score: 2, path: path("t3"), pathTriples: ["t3"] },
      { score: 1, triple: "t0" },
      { score: 0, triple: "t3" },
    ];
  };
  const path = join(dir, "paths.trec");
  await writeRun(await retrieve(dataset, paths, { k: 9, setting: "S2" }), path, "trec");
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.startsWith("100 "));
  assert.equal(lines, ["100 Q0 503 1 2 paths", "100 Q0 500 2 1 paths"]);
});

test("JSON lines give the whole run back: evidence, traces, answers, failures", async () => {
  const mixed: Retriever = (query, { graph }) => {
    if (query.text.includes("avoids")) throw new Error("no");
    return {
      hits: [
        { score: 0.1 + 0.2, triple: "t1", via: "x" },
        { score: -1e-300, path: ["e0", graph.triple("t0").tail], pathTriples: ["t0"] },
        { score: -2, text: "line\u2028 \ud83d\ude00" },
      ],
      trace: [{ step: 1 }],
      spend: { calls: 2 },
    };
  };
  const run = await retrieve(dataset, mixed, { k: 5, setting: "S2", seed: 9 });
  const answered = makeRun({
    ...run,
    items: run.items.map((item) => ({
      ...item,
      answer: item.evidence && {
        text: "a",
        status: "ok" as const,
        citedRanks: [1],
        tokens: 3,
        costUsd: 0,
        stop: "end",
      },
    })),
  });
  const path = join(dir, "deep", "run.jsonl");
  assert.equal(await writeRun(answered, path, "jsonl"), { path, questions: 9, failed: 1, rows: 9 });
  const back = await readRun(path, dataset);
  assert.equal(evidence(back), evidence(answered));
  assert.equal([back.label, back.k, back.seed, back.setting.name, back.config], ["mixed", 5, 9, "S2", answered.config]);
  await writeRun(back, join(dir, "again.jsonl"), "jsonl");
  assert.is(await readFile(join(dir, "again.jsonl"), "utf8"), await readFile(path, "utf8"));
});

test("files of other data, other settings, and malformed ones are refused, naming file, line and id", async () => {
  const run = await retrieve(dataset, retriever("bm25"), { k: 2, setting: "S2" });
  const path = join(dir, "ok.jsonl");
  await writeRun(run, path, "jsonl");
  const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
  const reading = async (text: string, name = "bad.jsonl", options = {}) => {
    await writeFile(join(dir, name), text);
    return message(readRun(join(dir, name), dataset, options));
  };
  const other = defineDataset({ name: "other", graph: base.graph, questions: base.questions.slice(1) });
  assert.match(
    await message(readRun(path, other)),
    /the run was made on other data \(filed, test\)\. This data set is other, test/,
  );
  assert.match(
    await message(readRun(path, dataset, { setting: "S1" as never })),
    /made under another setting \(S2\)\. Asked for: S1/,
  );
  assert.match(await reading(""), /the file is empty/);
  assert.match(await reading(lines.slice(1).join("\n")), /bad\.jsonl, line 1: not the header of a run/);
  assert.match(await reading(lines.slice(0, -1).join("\n")), /bad\.jsonl: question "108" is missing/);
  assert.match(await reading([...lines, lines[1]].join("\n")), /line 11: a second line for question "100"/);
  assert.match(await reading([lines[0], (lines[1] as string).slice(0, 30)].join("\n")), /bad\.jsonl, line 2: not JSON/);
  assert.match(
    await reading(lines.join("\n").replace('"id":"101"', '"id":"1010"')),
    /unknown question id \("1010"\) under setting S2/,
  );
  assert.match(
    await reading(lines.join("\n").replace(/"triple":"t\d+"/, '"triple":"t77"')),
    /bad\.jsonl, question "100", hit \d+: unknown triple id \("t77"\)/,
  );
  assert.match(
    await reading("100 Q0 500 1 1 x\n7 Q0 500 1 1 x\n", "bad.trec", { setting: "S2" }),
    /bad\.trec: unknown question id \("7"\) under setting S2/,
  );
  assert.match(
    await reading("100 Q0 5 1 1 x\n", "bad.trec", { setting: "S2" }),
    /bad\.trec: unknown document id \("5"\) under setting S2/,
  );
  assert.match(await message(readRun(join(dir, "none.trec"), dataset)), /none\.trec/);
});

test("nothing is left half-written, and an unknown format or a hit without document id is refused", async () => {
  const run = await retrieve(dataset, () => [{ score: 1, text: "free" }], { k: 1 });
  const before = await readdir(dir);
  assert.match(
    await message(writeRun(run, join(dir, "x.trec"), "trec")),
    /question "q0" has a hit without a document id \(a text\).*as "jsonl" instead/,
  );
  assert.match(
    await message(writeRun(run, join(dir, "x.trec"), "terc" as "trec")),
    /unknown format \("terc"\)\. Known: trec, jsonl\./,
  );
  assert.equal(await readdir(dir), before);
});

test.run();
