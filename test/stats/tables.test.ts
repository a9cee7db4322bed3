import { from } from "arquero";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Comparison, compare, comparePairs, type Interval, interval, wilson } from "../../lib/stats/index.js";

const test = suite("stats tables");
const fails = (run: () => unknown, pattern: RegExp) =>
  assert.throws(run, (error: Error) => error.name === "MkgError" && pattern.test(error.message));
const near = (actual: unknown, expected: number, law: string) =>
  assert.ok(
    typeof actual === "number" && Math.abs(actual - expected) < 1e-9,
    `${law}: ${actual}, expected ${expected}`,
  );

interface Row {
  run: string;
  question: string;
  group: string;
  cluster: string;
  seed: number;
  measure: string;
  value: number | null;
  status: string;
}
const row = (run: string, question: string, value: number | null, rest: Partial<Row> = {}): Row => ({
  run,
  question,
  group: "g",
  cluster: "",
  seed: 0,
  measure: "EM",
  value,
  status: value === null ? "not-computed" : "ok",
  ...rest,
});
const rowsOf = (run: string, values: (number | null)[], rest: (i: number) => Partial<Row> = () => ({})) =>
  values.map((value, i) => row(run, `q${i}`, value, rest(i)));
const intervals = (...args: Parameters<typeof interval>) => interval(...args).objects() as unknown as Interval[];
const comparisons = (...args: Parameters<typeof compare>) => compare(...args).objects() as unknown as Comparison[];

test("0/1 values of independent questions get Wilson's interval", () => {
  const [one] = intervals(rowsOf("r", [1, 1, 1, 0]), { cluster: null });
  assert.equal(one, {
    run: "r",
    measure: "EM",
    mean: 0.75,
    ...wilson(3, 4),
    n: 4,
    nMissing: 0,
    nFailed: 0,
    clusters: 4,
    method: "wilson",
    status: "ok",
    warning: null,
  });
  // by statsmodels: proportion_confint(3, 4, method="wilson") = (0.30064, 0.95441)
  near(Math.round((one?.low as number) * 1e5) / 1e5, 0.30064, "low");
});

test("an empty cluster makes the question its own cluster, even beside a cluster of the same name", () => {
  const [one] = intervals([row("r", "x", 1), row("r", "y", 0, { cluster: "x" }), row("r", "z", 0, { cluster: "x" })]);
  assert.equal([one?.clusters, one?.method], [2, "cluster-t"]);
});

test("seeds are averaged within the question before anything else", () => {
  // q0: 1, 0 → ½; q1: 1, 1 → 1; q2: 0 once → 0; mean ½, not 3/5
  const rows = [
    row("r", "q0", 1),
    row("r", "q0", 0, { seed: 1 }),
    row("r", "q1", 1),
    row("r", "q1", 1, { seed: 1 }),
    row("r", "q2", 0),
  ];
  const [one] = intervals(rows);
  assert.equal([one?.mean, one?.n, one?.method], [0.5, 3, "cluster-t"]);
});

test("a question with a seed that is not ok is missing, and counted; failures among them too", () => {
  const rows = [
    row("r", "q0", 1),
    row("r", "q0", null, { seed: 1, status: "failed" }),
    row("r", "q1", null),
    row("r", "q2", null, { status: "undefined" }),
    row("r", "q3", 0),
  ];
  const [one] = intervals(rows);
  assert.equal([one?.mean, one?.n, one?.nMissing, one?.nFailed], [0, 1, 3, 1]);
});

test("without any value the row stays, as not-computed with nulls", () => {
  const [one] = intervals([row("r", "q0", null, { status: "failed" })]);
  assert.equal(one, {
    run: "r",
    measure: "EM",
    mean: null,
    low: null,
    high: null,
    n: 0,
    nMissing: 1,
    nFailed: 1,
    clusters: 0,
    method: null,
    status: "not-computed",
    warning: null,
  });
});

test("clustered values that are all 0 or all 1 get Wilson's interval over the clusters; other equal values none", () => {
  const clustered = (i: number) => ({ cluster: `c${i % 3}` });
  const [zero] = intervals(rowsOf("r", [0, 0, 0, 0, 0, 0], clustered));
  assert.equal([zero?.mean, zero?.low, zero?.high, zero?.method], [0, 0, wilson(0, 3).high, "wilson-clusters"]);
  const [half] = intervals(rowsOf("r", [0.5, 0.5, 0.5], clustered));
  assert.equal([half?.mean, half?.low, half?.high, half?.method, half?.status], [0.5, null, null, null, "undefined"]);
  const [single] = intervals(rowsOf("r", [0, 1], () => ({ cluster: "c" })));
  assert.equal([single?.mean, single?.low, single?.status, single?.clusters], [0.5, null, "undefined", 1]);
});

test("by adds columns, kept as they are, and rows come in order of appearance", () => {
  const rows = [
    row("b", "q0", 1, { group: "z" }),
    row("a", "q0", 0, { group: "z" }),
    row("b", "q1", 0, { group: "y" }),
  ].map((r) => ({ ...r, k: 10 }));
  assert.equal(
    intervals(rows, { by: ["group", "k", "run"] }).map((r) => [
      r.run,
      (r as never as { group: string }).group,
      (r as never as { k: number }).k,
      r.mean,
    ]),
    [
      ["b", "z", 10, 1],
      ["a", "z", 10, 0],
      ["b", "y", 10, 0],
    ],
  );
  assert.equal(
    interval(rows, { by: ["group"] })
      .columnNames()
      .slice(0, 3),
    ["run", "measure", "group"],
  );
});

test("a table and an array of its rows give the same result, filters included", () => {
  const rows = [...rowsOf("a", [0, 1, 1]), ...rowsOf("b", [1, 1, null])];
  assert.equal(compare(from(rows), { baseline: "a" }).objects(), compare(rows, { baseline: "a" }).objects());
  const table = from(rows).filter((d: { run: string }) => d.run === "a");
  assert.equal(intervals(table), intervals(rows.filter((r) => r.run === "a")));
});

test("0/1 values of independent questions are compared by McNemar's exact test", () => {
  // only b right 7 times, only a once: 18/256
  const a = rowsOf("a", [1, 0, 0, 0, 0, 0, 0, 0, 1]);
  const b = rowsOf("b", [0, 1, 1, 1, 1, 1, 1, 1, 1]);
  const [one] = comparisons([...a, ...b], { baseline: "a" });
  assert.equal(
    [one?.a, one?.b, one?.measure, one?.test, one?.p, one?.n, one?.clusters, one?.status],
    ["a", "b", "EM", "mcnemar", 0.0703125, 9, 9, "ok"],
  );
  near(one?.difference, 6 / 9, "difference");
});

test("clustered or graded values are compared by sign flips of cluster sums", () => {
  // differences 1 1 | 1 | 1 in three clusters: sums 2, 1, 1, all of one sign: p = 2/8
  const cluster = (i: number) => ({ cluster: ["x", "x", "y", "z"][i] as string });
  const [one] = comparisons([...rowsOf("a", [0, 0, 0, 0], cluster), ...rowsOf("b", [1, 1, 1, 1], cluster)], {
    baseline: "a",
  });
  assert.equal([one?.test, one?.p, one?.clusters, one?.difference], ["permutation", 0.25, 3, 1]);
  // the differences do not vary: nothing to estimate a spread from
  assert.equal([one?.low, one?.high, one?.effect, one?.mde, one?.status], [null, null, null, null, "ok"]);
  assert.is(
    one?.warning,
    "3 of 3 clusters differ: p cannot be below 0.25; the differences do not vary between clusters: no interval",
  );
});

test("identical runs: difference 0, p 1, no interval, no effect, never NaN", () => {
  const [one] = comparisons([...rowsOf("a", [0.2, 0.7, 0.4]), ...rowsOf("b", [0.2, 0.7, 0.4])], { baseline: "a" });
  assert.equal([one?.difference, one?.p, one?.low, one?.effect, one?.mde], [0, 1, null, null, null]);
});

test("questions without a value in either run, or in one run alone, are not paired and counted", () => {
  const rows = [...rowsOf("a", [1, 0, null, 1]), ...rowsOf("b", [1, null, 1]), row("b", "extra", 1)];
  const [one] = comparisons(rows, { baseline: "a" });
  // of q0 q1 q2 q3 extra only q0 has both
  assert.equal([one?.n, one?.nMissing, one?.difference], [1, 4, 0]);
});

test("nothing to pair is a row with status not-computed, and stays out of the Holm family", () => {
  const rows = [
    ...rowsOf("a", [0, 0, 0, 0, 0, 0]),
    ...rowsOf("b", [1, 1, 1, 1, 1, 1]),
    ...rowsOf("c", [null, null, null, null, null, null]),
    row("d", "q0", 0, { measure: "F1" }),
  ];
  const out = comparisons(rows, { baseline: "a" });
  // p of b: 2/64; the family is b alone
  assert.equal(
    out.map((r) => [r.b, r.measure, r.p, r.pAdjusted, r.status]),
    [
      ["b", "EM", 0.03125, 0.03125, "ok"],
      ["c", "EM", null, null, "not-computed"],
      ["d", "EM", null, null, "not-computed"],
      ["b", "F1", null, null, "not-computed"],
      ["c", "F1", null, null, "not-computed"],
      ["d", "F1", null, null, "not-computed"],
    ],
  );
  assert.equal(
    [out[1]?.difference, out[1]?.low, out[1]?.effect, out[1]?.mde, out[1]?.test, out[1]?.n, out[1]?.nMissing],
    [null, null, null, null, null, 0, 6],
  );
});

test("the Holm family is all rows of one call; correction none leaves p", () => {
  const measures = ["EM", "F1"];
  const rows = measures.flatMap((measure) => [
    ...rowsOf("a", [0, 0, 0, 0, 0, 0], () => ({ measure })),
    ...rowsOf("b", [1, 1, 1, 1, 1, 1], () => ({ measure })),
    ...rowsOf("c", [1, 1, 1, 1, 1, 1], () => ({ measure })),
  ]);
  // four rows of p = 1/32 each: 4/32
  assert.equal(
    comparisons(rows, { baseline: "a" }).map((r) => r.pAdjusted),
    [0.125, 0.125, 0.125, 0.125],
  );
  assert.equal(
    comparisons(rows, { baseline: "a", measures: ["F1"] }).map((r) => r.pAdjusted),
    [0.0625, 0.0625],
  );
  assert.equal(
    comparisons(rows, { baseline: "a", correction: "none" }).map((r) => r.pAdjusted),
    [0.03125, 0.03125, 0.03125, 0.03125],
  );
  assert.equal(
    (comparePairs(rows, [{ a: "b", b: "c" }], { measures: ["EM"] }).objects() as Comparison[]).map((r) => [
      r.a,
      r.b,
      r.p,
    ]),
    [["b", "c", 1]],
  );
});

test("fewer than 20 clusters are warned of, 20 are not", () => {
  const rows = (n: number) => [
    ...rowsOf(
      "a",
      Array.from({ length: n }, (_, i) => i % 2),
    ),
    ...rowsOf(
      "b",
      Array.from({ length: n }, (_, i) => (i % 3 ? 1 : 0)),
    ),
  ];
  assert.is(comparisons(rows(19), { baseline: "a" })[0]?.warning, "only 19 clusters: the interval may be too narrow");
  assert.is(comparisons(rows(20), { baseline: "a" })[0]?.warning, null);
});

test("intervals over few or very unequal clusters say so; Wilson's over independent questions does not", () => {
  // cluster i of 22 has 22/i questions, 22 + 11 + 7 + 5 + 4 + 3 + 3 + 2 · 4 + 1 · 11 = 74, squares 22² + 11² + 7² + 5² + 4² + 2 · 3² + 4 · 2² + 11 = 740:
  // effective clusters 74² / 740 = 7.4
  const sizes = Array.from({ length: 22 }, (_, i) => Math.floor(22 / (i + 1)));
  const unequal = sizes.flatMap((size, c) =>
    Array.from({ length: size }, (_, q) => row("r", `${c}-${q}`, (c + q) % 2, { cluster: `c${c}` })),
  );
  assert.is(unequal.length, 74);
  assert.is(
    intervals(unequal)[0]?.warning,
    "22 clusters of very unequal size weigh as 7.4: the interval may be too narrow",
  );
  const equal = (clusters: number) =>
    rowsOf(
      "r",
      Array.from({ length: 2 * clusters }, (_, i) => (i % 3) / 2),
      (i) => ({ cluster: `c${i % clusters}` }),
    );
  assert.is(intervals(equal(20))[0]?.warning, null);
  assert.is(intervals(equal(19))[0]?.warning, "only 19 clusters: the interval may be too narrow");
  assert.is(intervals(rowsOf("r", [1, 0, 1]))[0]?.warning, null);
  // the comparison's interval rests on the same clusters
  const other = unequal.map((r, i) => ({ ...r, run: "s", value: (i % 5) / 4 }));
  assert.match(
    comparisons([...unequal, ...other], { baseline: "r" })[0]?.warning as string,
    /^22 clusters of very unequal size weigh as 7\.4: the interval may be too narrow$/,
  );
});

test("clusters that do not differ say nothing of the sign: the least p is told from those that do", () => {
  const run = (name: string, better: number) =>
    rowsOf(
      name,
      Array.from({ length: 22 }, (_, i) => (i < better ? 1 : 0.5)),
    );
  // 4 of 22 differ, all in one direction: 2 of the 2⁴ patterns are as extreme
  const [four] = comparisons([...run("a", 0), ...run("b", 4)], { baseline: "a" });
  assert.equal([four?.p, four?.clusters], [0.125, 22]);
  assert.is(four?.warning, "4 of 22 clusters differ: p cannot be below 0.125");
  // 2/2⁶ = 0.03125 can be reached with six
  assert.is(comparisons([...run("a", 0), ...run("b", 6)], { baseline: "a" })[0]?.warning, null);
});

test("measures chooses the rows of interval and leaves their order", () => {
  const rows = ["EM", "F1", "RR"].flatMap((measure) => [row("a", "q", 1, { measure }), row("b", "q", 0, { measure })]);
  assert.equal(
    intervals(rows, { measures: ["RR", "EM"] }).map((r) => `${r.run} ${r.measure} ${r.mean}`),
    ["a EM 1", "b EM 0", "a RR 1", "b RR 0"],
  );
  assert.is(intervals(rows).length, 6);
  fails(() => interval(rows, { measures: ["F2"] }), /unknown measure \("F2"\)\. Known: EM, F1, RR\. Did you mean "F1"/);
  fails(() => interval(rows, { measures: "EM" as never }), /measures is not a list \("EM"\)/);
});

test("an unknown option is refused with the nearest one, never ignored", () => {
  const rows = [...rowsOf("a", [1, 0]), ...rowsOf("b", [1, 1])];
  fails(() => interval(rows, { bye: ["group"] } as never), /^interval: unknown option \("bye"\)\. .*Did you mean "by"/);
  fails(
    () => compare(rows, { baseline: "a", clusters: null } as never),
    /^compare: unknown option \("clusters"\)\. Known: baseline, .*Did you mean "cluster"/,
  );
  fails(
    () => comparePairs(rows, [{ a: "a", b: "b" }], { sed: 1 } as never),
    /^comparePairs: unknown option \("sed"\)\. .*Did you mean "seed"/,
  );
  fails(() => interval(rows, ["group"] as never), /not an object of options \(\["group"\]\)/);
});

test("tables in a list are not taken for rows", () => {
  const rows = rowsOf("a", [1, 0]);
  fails(() => interval([from(rows), from(rows)] as never), /element 0 \(from 0\) .* is a table\. .*a\.concat\(b\)/);
  fails(
    () => compare([...rows, from(rows)] as never, { baseline: "a" }),
    /^compare: element 2 \(from 0\).* is a table/,
  );
  fails(() => interval([rows[0], null] as never), /element 1 \(from 0\) .* is not a row \(null\)/);
});

test("unknown names are refused with the nearest one, impossible requests with what fits", () => {
  const rows = [...rowsOf("bm25", [1, 0]), ...rowsOf("mine", [1, 1])];
  fails(() => compare(rows, { baseline: "bm2" }), /unknown baseline \("bm2"\).*Did you mean "bm25"/);
  fails(() => compare(rows, { baseline: "bm25", measures: ["Em"] }), /Did you mean "EM"/);
  fails(
    () => compare(rows, { baseline: "bm25", cluster: "clusters" }),
    /unknown cluster column.*Did you mean "cluster"/,
  );
  fails(
    () =>
      compare(
        rows.map(({ cluster: _, ...rest }) => rest),
        { baseline: "bm25" },
      ),
    /cluster: null/,
  );
  fails(() => compare(rows, { baseline: "bm25", test: "t" as never }), /unknown test/);
  fails(() => compare(rows, { baseline: "bm25", correction: "bonferroni" as never }), /unknown correction/);
  fails(
    () => compare(rowsOf("a", [0.5, 1]).concat(rowsOf("b", [1, 1])), { baseline: "a", test: "mcnemar" }),
    /"mcnemar" does not fit/,
  );
  fails(() => compare(rowsOf("a", [1]), { baseline: "a" }), /nothing to compare/);
  fails(() => comparePairs(rows, [{ a: "mine", b: "mine" }]), /paired with itself/);
  fails(() => comparePairs(rows, [{ a: "mine", b: "min" }]), /Did you mean "mine"/);
  fails(() => interval(rows, { by: ["grup"] }), /Did you mean "group"/);
  fails(() => interval(rows, { level: 95 }), /level/);
  fails(() => interval(rows, { method: "bootstrap" as never }), /unknown method/);
  fails(() => interval(rowsOf("r", [0.5]), { method: "wilson" }), /"wilson" does not fit/);
  fails(() => interval("scores" as never), /neither a table nor rows/);
});

test("rows that contradict each other or hold no number are refused, never averaged", () => {
  fails(
    () => interval([row("r", "q", 1), row("r", "q", 0)]),
    /two values of question "q", seed 0 for run "r", measure "EM"/,
  );
  fails(
    () => interval([row("r", "q", 1, { cluster: "a" }), row("r", "q", 0, { cluster: "b", seed: 1 })]),
    /in two clusters \("\w" and "\w"\)/,
  );
  fails(
    () => compare([row("a", "q", 1, { cluster: "x" }), row("b", "q", 0, { cluster: "y" })], { baseline: "a" }),
    /in two clusters \("\w" and "\w"\)/,
  );
  fails(
    () => interval([row("r", "q", Number.NaN, { status: "ok" })]),
    /row 1 has status ok and no finite value \(NaN\)/,
  );
  fails(() => interval([row("r", "q", null, { status: "ok" })]), /no finite value \(null\)/);
  fails(() => interval([row("r", "q", 1, { status: "OK" })]), /Did you mean "ok"/);
});

// grids of two runs over questions in clusters, some values missing, two seeds
const data = fc
  .record({
    values: fc.array(
      fc.tuple(
        fc.option(fc.constantFrom(0, 0.1, 0.3, 0.5, 1), { freq: 8 }),
        fc.option(fc.constantFrom(0, 0.2, 0.7, 1), { freq: 8 }),
        fc.nat(5),
      ),
      { minLength: 1, maxLength: 30 },
    ),
    binary: fc.boolean(),
    clustered: fc.boolean(),
    seeds: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ values, binary, clustered, seeds }) =>
    values.flatMap(([a, b, c], i) =>
      (["a", "b"] as const).flatMap((run) => {
        const value = run === "a" ? a : b;
        return Array.from({ length: seeds }, (_, seed) =>
          row(run, `q${i}`, value === null ? null : binary ? Math.round(value) : value + seed * 0.1 * (i % 3), {
            cluster: clustered ? `c${c}` : "",
            seed,
          }),
        );
      }),
    ),
  );

test("the order of rows does not change a bit of any result", () => {
  fc.assert(
    fc.property(
      data.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
      ([rows, shuffled]) => {
        const sorted = (list: Interval[]) => [...list].sort((x, y) => (x.run < y.run ? -1 : 1));
        assert.equal(sorted(intervals(shuffled)), sorted(intervals(rows)));
        assert.equal(comparisons(shuffled, { baseline: "a" }), comparisons(rows, { baseline: "a" }));
      },
    ),
  );
});

test("swapping baseline and run mirrors the difference and its interval and keeps p", () => {
  fc.assert(
    fc.property(data, (rows) => {
      const [ab] = comparisons(rows, { baseline: "a" });
      const [ba] = comparisons(rows, { baseline: "b" });
      if (ab?.status === "not-computed") return assert.is(ba?.status, "not-computed");
      assert.is(ab?.p, ba?.p);
      near(-(ab?.difference as number), ba?.difference as number, "difference");
      if (ab?.low === null) assert.is(ba?.high, null);
      else near(-(ab?.low as number), ba?.high as number, "interval");
      assert.is(ab?.mde, ba?.mde);
    }),
  );
});

test("p lies in (0, 1], the difference is that of the means over paired questions, intervals hold their middle", () => {
  fc.assert(
    fc.property(data, (rows) => {
      for (const { mean, low, high } of intervals(rows))
        if (low !== null) assert.ok(low <= (mean as number) && (mean as number) <= (high as number));
      const [one] = comparisons(rows, { baseline: "a" });
      if (one?.status !== "ok") return;
      assert.ok((one.p as number) > 0 && (one.p as number) <= 1 && (one.pAdjusted as number) >= (one.p as number));
      if (one.low !== null)
        assert.ok(one.low <= (one.difference as number) && (one.difference as number) <= (one.high as number));
      const value = new Map<string, number | null>();
      const seeds = new Set(rows.map((r) => r.seed)).size;
      for (const { run, question, value: one } of rows) {
        const key = `${run} ${question}`;
        value.set(key, one === null ? null : (value.get(key) ?? 0) + one / seeds);
      }
      const both = [...new Set(rows.map((r) => r.question))].filter(
        (q) => value.get(`a ${q}`) !== null && value.get(`b ${q}`) !== null,
      );
      const mean = (run: string) =>
        both.reduce((sum, q) => sum + (value.get(`${run} ${q}`) as number), 0) / both.length;
      assert.is(one.n, both.length);
      near(one.difference, mean("b") - mean("a"), "difference");
      for (const field of Object.values(one)) assert.not(typeof field === "number" && !Number.isFinite(field));
    }),
  );
});

test("without a true difference p falls below 0.05 in at most about 5 % of samples, with clusters too", () => {
  // 400 samples of 12 clusters × 3 questions sharing a cluster shift of random sign; binomial 99.9 % bound on 5 % of 400: 36
  let state = 12345;
  const uniform = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
  let rejected = 0;
  for (let sample = 0; sample < 400; sample++) {
    const rows: Row[] = [];
    for (let c = 0; c < 12; c++) {
      const shift = uniform() - uniform();
      for (let q = 0; q < 3; q++) {
        const base = uniform();
        rows.push(
          row("a", `${c}-${q}`, base, { cluster: `c${c}` }),
          row("b", `${c}-${q}`, base + shift + (uniform() - uniform()) / 4, { cluster: `c${c}` }),
        );
      }
    }
    const [one] = comparisons(rows, { baseline: "a" });
    if ((one?.p as number) <= 0.05) rejected++;
  }
  assert.ok(rejected <= 36 && rejected >= 5, `${rejected} of 400`);
});

test.run();
