import { test } from "uvu";
import * as assert from "uvu/assert";
import { defineDataset } from "../../lib/datasets/index.js";
import { plan } from "../../lib/study/spec.js";
import { tiny } from "../support/tiny.js";

const dataset = tiny();
const labels = (spec: Parameters<typeof plan>[0]) => plan(spec).cells.map((cell) => cell.label);
const message = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
};

test("one-at-a-time: the base and each value that differs from it, once", () => {
  // pathCount's base is the walk's default 5; order's is batch-dfs: 1 + 2 + 1 cells
  assert.equal(
    labels({
      dataset,
      base: { retriever: "walk" },
      vary: { pathCount: [1, 3, 5, 3], order: ["batch-dfs", "bfs"] },
      controls: [],
    }),
    ["base", "pathCount=1", "pathCount=3", "order=bfs"],
  );
});

test("a reader that learns is refused before anything runs where there is no training split", () => {
  const untrained = defineDataset({ name: "own", graph: dataset.graph, questions: [...dataset.questions] });
  const spec = { dataset: untrained, base: { retriever: "bm25", reader: "extractive" }, vary: { reader: ["learned"] } };
  assert.match(
    message(() => plan(spec)),
    /^study: reader learned learns from a training split, and own has none\. Its splits: test\..*questions\.train\.jsonl/,
  );
});

test("grid: every combination of values with the base's; pairs: each value and each pair", () => {
  const spec = {
    dataset,
    base: { retriever: "walk" },
    vary: { pathCount: [1, 3], order: ["bfs"], maxDepth: [2] },
    controls: [],
  };
  // 3 path counts (5, 1, 3) × 2 orders × 2 depths = 12
  assert.is(labels({ ...spec, design: "grid" }).length, 12);
  // 1 base + 4 values + pairs 2·1 + 2·1 + 1·1 = 5
  assert.is(labels({ ...spec, design: "pairs" }).length, 10);
  assert.is(new Set(labels({ ...spec, design: "grid" })).size, 12);
});

test("cross: every cell under each value of the crossed factor, compared within it", () => {
  const trained = defineDataset({
    name: "trained",
    graph: dataset.graph,
    questions: [...dataset.questions],
    splits: { train: () => dataset },
  });
  const { cells } = plan({
    dataset: trained,
    base: { retriever: "walk", reader: "extractive" },
    vary: { pathCount: [1], reader: ["extractive", "learned"] },
    cross: ["reader"],
    controls: ["oracle"],
  });
  assert.equal(
    cells.map((cell) => [cell.label, cell.baseline, cell.crossed.reader]),
    [
      ["base", "base", "extractive"],
      ["pathCount=1", "base", "extractive"],
      ["control=oracle", "base", "extractive"],
      ["reader=learned", "reader=learned", "learned"],
      ["reader=learned, pathCount=1", "reader=learned", "learned"],
      ["reader=learned, control=oracle", "reader=learned", "learned"],
    ],
  );
});

test("controls are on by default; those that cannot apply are listed with their reason; those turned off are named", () => {
  const on = plan({ dataset, base: { retriever: "bm25", reader: "extractive" } });
  assert.equal(
    on.cells.map((cell) => cell.label),
    [
      "base",
      "control=question-only",
      "control=random-path same-subgraph",
      "control=random-path other-subgraph",
      "control=oracle",
    ],
  );
  // the tiny data set has no picture anywhere
  assert.equal(
    on.notApplicable.map(({ what }) => what),
    ["control closed-book", "control text-only"],
  );
  assert.equal(plan({ dataset, base: { retriever: "bm25" }, controls: ["oracle"] }).controlsOff, [
    "question-only",
    "closed-book",
    "text-only",
    "random-path",
  ]);
});

test("a factor that no part of the base takes is listed, not run", () => {
  const planned = plan({
    dataset,
    base: { retriever: "bm25" },
    vary: { retriever: ["walk"], pathCount: [1] },
    controls: [],
  });
  assert.equal(
    planned.cells.map((cell) => cell.label),
    ["base", "retriever=walk"],
  );
  assert.is(planned.notApplicable[0]?.what, "pathCount");
});

test("wrong specifications are refused before anything runs, in the house form, with the name that was meant", () => {
  const cases: [unknown, RegExp][] = [
    [
      { dataset, base: { retriever: "bm25" }, varyy: {} },
      /^study: unknown key \("varyy"\)\. Known: .*Did you mean "vary"\?$/,
    ],
    [
      { dataset, base: { retriever: "bm52" } },
      /^study: unknown retriever \("bm52"\)\. Known: .*Did you mean "bm25"\?$/,
    ],
    [
      { dataset, base: { retriever: "bm25", reader: "learnt" } },
      /^study: unknown reader \("learnt"\)\. Known: extractive, learned/,
    ],
    [
      { dataset, base: { retriever: "walk", pathcount: 3 } },
      /^study base: unknown key \("pathcount"\)\..*Did you mean "pathCount"\?$/,
    ],
    [
      { dataset, base: { retriever: "walk" }, vary: { ordr: ["bfs"] } },
      /^study vary: unknown key \("ordr"\)\..*Did you mean "order"\?$/,
    ],
    [
      { dataset, base: { retriever: "walk", pathCount: 0 } },
      /^study: option pathCount has a wrong value \(0\)\. It takes an integer/,
    ],
    [
      { dataset, base: { retriever: "walk" }, vary: { order: ["up"] } },
      /^study: option order has a wrong value \("up"\)\. It takes one of/,
    ],
    [{ dataset, base: { retriever: "bm25", k: 0 } }, /^study: k is not a positive integer \(0\)/],
    [{ dataset, base: { retriever: "bm25", k: "5" } }, /^study: k is not a positive integer \("5"\)/],
    [{ dataset, base: { retriever: "bm25", setting: "S2" } }, /^study on tiny: unknown setting \("S2"\)\. Known: none/],
    [{ dataset, base: { retriever: "bm25" }, vary: { k: 5 } }, /^study: vary\.k is not a list of values \(5\)/],
    [{ dataset, base: { retriever: "bm25" }, vary: { k: [] } }, /^study: vary\.k is not a list of values/],
    [
      { dataset, base: { retriever: "bm25" }, design: "gird" },
      /^study: unknown design \("gird"\)\..*Did you mean "grid"\?$/,
    ],
    [{ dataset, base: { retriever: "bm25" }, cross: ["reader"] }, /^study: unknown factor in cross \("reader"\)/],
    [
      { dataset, base: { retriever: "bm25" }, controls: ["orcale"] },
      /^control: unknown control \("orcale"\)\..*Did you mean "oracle"\?$/,
    ],
    [{ dataset, base: { retriever: "bm25" }, measures: ["nDGC@10"] }, /unknown measure \("nDGC@10"\)/],
    [{ dataset, base: { retriever: "bm25" }, seeds: [] }, /^study: seeds are not a list of integers/],
    [{ dataset, base: { retriever: "bm25" }, seeds: [1, 1] }, /^study: a seed stands twice/],
    [{ dataset, base: { retriever: "bm25" }, seeds: [1.5] }, /^study: seeds are not a list of integers/],
    [{ dataset, base: { retriever: "bm25" }, split: "dev" }, /^study: unknown split \("dev"\)/],
    [{ dataset, base: {} }, /^study: base names no retriever/],
    [{ dataset, base: null }, /^study: base is not an object \(null\)/],
    [{ dataset, base: { retriever: 7 } }, /^study: retriever is neither a name nor a function \(7\)\. Names: /],
    [{ dataset, base: { retriever: null } }, /^study: retriever is neither a name nor a function \(null\)/],
    [{ dataset, base: { retriever: "bm25" }, vary: { retriever: [null] } }, /^study: retriever is neither/],
    [{ dataset, base: { retriever: "bm25" }, cross: 5 }, /^study: cross is not a list of factors \(5\)/],
    [
      { dataset, base: { retriever: "bm25" }, controls: "oracle" },
      /^study: controls are not a list of controls \("oracle"\)/,
    ],
    [{ dataset, base: { retriever: "bm25" }, controls: [null] }, /^study: controls are not a list of controls/],
    [
      { dataset, base: { retriever: "bm25" }, controls: [{ name: "oracle", x: 1 }] },
      /^study, control oracle: unknown option \("x"\)/,
    ],
    [
      { dataset, base: { retriever: "bm25" }, controls: [{ name: "random-path", draws: -5 }] },
      /option draws has a wrong value \(-5\)/,
    ],
    [
      { dataset, base: { retriever: "bm25" }, controls: [{ name: "random-path", as: "reader" }] },
      /unknown option \("as"\)/,
    ],
    [{ dataset, base: { retriever: "bm25" }, measures: "EM" }, /^study: measures are not a list of names \("EM"\)/],
    [{ dataset, base: { retriever: "bm25" }, measures: [] }, /^study: measures are not a list of names/],
    [
      { dataset, base: { retriever: "bm25" }, measures: ["EM"] },
      /^study: EM needs answers, and the base names no reader/,
    ],
    [{ dataset, base: { retriever: "bm25" }, dir: 5 }, /^study: dir is not a path \(5\)/],
    [undefined, /^study: the specification is not an object \(undefined\)/],
    [{ base: { retriever: "bm25" } }, /^study: dataset is not a data set \(undefined\)/],
    [
      { dataset: "bestiary", base: { retriever: "bm25" } },
      /^study: dataset is not a data set \("bestiary"\)\..*loadDataset/,
    ],
    [
      { dataset: tiny({ withAnswers: false, withGold: false }), base: { retriever: "bm25" } },
      /^study: nothing can be measured/,
    ],
  ];
  for (const [spec, expected] of cases)
    assert.match(
      message(() => plan(spec as never)),
      expected,
    );
});

test.run();
