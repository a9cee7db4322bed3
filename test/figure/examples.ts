import { type Chart, chart } from "../../lib/figure/index.js";

// One function = one golden specification of the same name in test/golden/figures. The numbers are invented.

const readers = ["extractive", "learned"];

export function linePathCount(): Chart {
  const rows = [0.31, 0.36, 0.4, 0.41, 0.39].flatMap((mean, i) =>
    readers.map((series, j) => ({
      level: i + 1,
      series,
      mean: mean + j / 8,
      low: mean + j / 8 - 0.0625,
      high: mean + j / 8 + 0.0625,
      n: 238,
    })),
  );
  return chart("line", rows, {
    title: "Path count",
    xTitle: "path count α",
    yTitle: "Exact match",
    intervalText: "95% interval, clustered by creature",
    mark: "generated data (bestiary)",
  });
}

export function lineDepthBand(): Chart {
  const rows = [1, 5, 10, 20, 50, 100].flatMap((k, i) =>
    ["bm25", "text (hash)", "random"].map((series, j) => {
      const mean = (i + 1) / (8 + j);
      return j === 2 && k > 50
        ? { k, series, recall: null, from: null, to: null, status: "failed" }
        : { k, series, recall: mean, from: mean - 0.03125, to: mean + 0.03125, status: "ok" };
    }),
  );
  return chart("line", rows, {
    x: "k",
    y: "recall",
    low: "from",
    high: "to",
    xScale: "log",
    intervals: "band",
    yTitle: "Recall@k",
  });
}

export function dotsKeyFrames(): Chart {
  const rows = ["none", "first", "all"].flatMap((level, i) =>
    readers.map((series, j) => ({
      level,
      series,
      mean: 0.375 + i / 32 + j / 8,
      low: 0.3125 + i / 32 + j / 8,
      high: 0.4375 + i / 32 + j / 8,
      n: 238,
      nMissing: i === 2 ? 3 : 0,
    })),
  );
  return chart("dots", rows, { xTitle: "key frames", yTitle: "Exact match", intervalText: "95% interval" });
}

export function dotsManyLongLevels(): Chart {
  const rows = Array.from({ length: 14 }, (_, i) => ({
    level: `random path, other subgraph no. ${i}`,
    mean: i / 16,
    low: Math.max(0, i / 16 - 0.125),
    high: i / 16 + 0.125,
    n: 10 + i,
  }));
  return chart("dots", rows, { xTitle: "", yTitle: "nDCG@10" });
}

export function controlsOfTheWalk(): Chart {
  const means = {
    walk: 0.5,
    "question-only": 0.0625,
    "closed-book": 0.125,
    "text-only": 0.375,
    "random-path": 0.25,
    oracle: 0.875,
  };
  const rows = Object.entries(means).flatMap(([level, mean]) =>
    readers.map((series, j) =>
      level === "text-only" && j === 1
        ? { level, series, mean: null, low: null, high: null, n: null, status: "not-computed" }
        : {
            level,
            series,
            mean: mean + j / 16,
            low: mean + j / 16 - 0.03125,
            high: mean + j / 16 + 0.03125,
            n: 238,
            status: "ok",
          },
    ),
  );
  return chart("controls", rows, {
    xTitle: "",
    yTitle: "Exact match",
    title: "The walk against its controls",
    mark: "simulated",
  });
}

export function forestOfDifferences(): Chart {
  const rows = ["α = 2", "α = 3", "α = 4", "order = bfs", "key frames = none"].map((b, i) => ({
    a: "α = 1",
    b,
    measure: "EM",
    difference: i === 3 ? null : i / 32 - 0.0625,
    low: i === 3 ? null : i / 32 - 0.125,
    high: i === 3 ? null : i / 32 + 0.03125,
    pAdjusted: i === 3 ? null : i === 0 ? 0.0004 : 0.125 * i,
    n: 238,
    status: i === 3 ? "not-computed" : "ok",
  }));
  return chart("forest", rows, {
    xTitle: "",
    yTitle: "Difference in exact match (percentage points)",
    intervalText: "95% interval",
    pText: "p: Holm over 5 comparisons",
  });
}
