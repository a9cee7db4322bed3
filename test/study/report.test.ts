import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { study } from "../../lib/study/index.js";
import { type Compared, gainText } from "../../lib/study/report-text.js";
import type { Plan } from "../../lib/study/spec.js";
import { tiny } from "../support/tiny.js";

const row = (level: string, difference: number, low: number | null, high: number | null) =>
  ({
    a: "base",
    b: `control=${level}`,
    measure: "EM",
    factor: "control",
    level,
    difference,
    low,
    high,
    pAdjusted: 0.0004,
  }) as unknown as Compared;
const plan = { cells: [{ baseline: "base" }], controlsOff: [] } as unknown as Plan;

test("the gain is the method minus the strongest control of each sort; its interval is turned round; the oracle is no control to beat", () => {
  const rows = [
    row("question-only", -0.3, -0.4, -0.2),
    row("closed-book", -0.25, -0.35, -0.15),
    row("text-only", -0.1, -0.2, 0.05),
    row("random-path same-subgraph", -0.2, -0.3, -0.1),
    row("oracle", 0.6, 0.5, 0.7),
  ];
  const lines = gainText({ plan }, rows, "EM").split("\n").slice(0, 2);
  assert.equal(lines, [
    "- base: 25.0 points of EM [15.0, 35.0] over **closed-book**, the strongest control without evidence; adjusted p < 0.001.",
    "- base: 10.0 points of EM [−5.0, 20.0] over **text-only**, the strongest control with evidence; adjusted p < 0.001.",
  ]);
});

test("a control that beats the method makes a negative gain, and one without an interval says so", () => {
  assert.match(
    gainText({ plan }, [row("text-only", 0.125, null, null)], "EM"),
    /^- base: −12\.5 points of EM \[no interval\] over \*\*text-only\*\*/,
  );
});

const reported = async (more = {}) => {
  const s = await study({
    dataset: tiny(),
    base: { retriever: "walk", reader: "extractive", k: 5 },
    vary: { pathCount: [1], reader: ["extractive", "learned"], retriever: ["bm25"] },
    dir: mkdtempSync(join(tmpdir(), "report-")),
    seeds: [0],
    ...more,
  }).run();
  const { report } = await s.report();
  return { s, text: readFileSync(report, "utf8") };
};
// a training split: the learned reader needs one
const withTrain = async () => {
  const { loadDataset } = await import("../../lib/datasets/index.js");
  const { writeFolder } = await import("../support/cli.js");
  return loadDataset(writeFolder(tiny(), mkdtempSync(join(tmpdir(), "tiny-"))));
};

test("the Holm family is the rows that have a p: measures of evidence once, not per reader, and not where gold settles them", async () => {
  const { s, text } = await reported({ dataset: await withTrain(), cross: ["reader"] });
  const rows = s.compare().objects() as { measure: string; b: string; p: number | null; pAdjusted: number | null }[];
  // EM and F1: pathCount=1, bm25, question-only, two random-path, oracle = 6 cells under 2 readers; PathRecall and PathPrecision: pathCount=1, and bm25, which finds no paths
  assert.equal(
    ["EM", "F1", "PathRecall", "PathPrecision"].map((name) => rows.filter((r) => r.measure === name).length),
    [12, 12, 2, 2],
  );
  assert.not(rows.some((r) => r.measure.startsWith("Path") && /oracle|random|learned/.test(r.b)));
  const tested = rows.filter((r) => r.p !== null);
  assert.match(text, new RegExp(`Holm over the ${tested.length} rows with a p`));
  const least = tested.reduce((a, b) => ((b.p as number) < (a.p as number) ? b : a));
  assert.ok(Math.abs((least.pAdjusted as number) - Math.min(1, (least.p as number) * tested.length)) < 1e-12);
});

test("the report says when no comparison can be significant: six clusters, 2^−5 after Holm", async () => {
  const { text } = await reported({ dataset: await withTrain() });
  assert.match(
    text,
    /With 6 clusters no p can be below 0\.031, and after Holm over \d+ rows none can fall below 0\.05/,
  );
});

test("text of a data set cannot become mark-up of the report", async () => {
  const { graph, questions } = tiny();
  const { defineDataset } = await import("../../lib/datasets/index.js");
  const dataset = defineDataset({ name: "x\n# H <b>bold</b> `c`", graph, questions });
  const { text } = await reported({ dataset, base: { retriever: "bm25" }, vary: {}, controls: [] });
  assert.match(text, /^# Ablation on x \\# H \\<b\\>bold\\<\/b\\> \\`c\\`\n/);
  assert.is(text.split("\n").filter((line) => /^# /.test(line)).length, 1);
});

test.run();
