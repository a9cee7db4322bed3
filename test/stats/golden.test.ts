import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clusterMean, compare, holm, interval, mcnemar, signFlip, wilson } from "../../lib/stats/index.js";

const test = suite("stats goldens");

// made by test/golden/stats/make.py with scipy 1.17.1 and statsmodels 0.15.0
const golden = JSON.parse(readFileSync(new URL("../golden/stats/cases.json", import.meta.url), "utf8"));
const near = (actual: unknown, expected: number, law: string) =>
  assert.ok(
    typeof actual === "number" && Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${law}: ${actual}, expected ${expected}`,
  );

test("Wilson's interval is statsmodels' proportion_confint", () => {
  for (const { successes, n, level, low, high } of golden.wilson) {
    const own = wilson(successes, n, level);
    near(own.low, low, `low of ${successes}/${n}`);
    near(own.high, high, `high of ${successes}/${n}`);
  }
});

test("the cluster-robust t interval is that of statsmodels' OLS with cov_type cluster and use_t", () => {
  assert.ok(golden.clusterMean.length >= 9);
  for (const { values, clusters, level, mean, se, low, high } of golden.clusterMean) {
    const own = clusterMean(values, clusters, level);
    near(own.mean, mean, "mean");
    near(own.se, se, "standard error");
    near(own.low, low, "low");
    near(own.high, high, "high");
  }
});

test("interval and compare give statsmodels' mean, interval, effect and detectable effect", () => {
  for (const { values, clusters, level, mean, low, high, mde, effect } of golden.clusterMean) {
    const rows = (run: string, of: (value: number) => number) =>
      values.map((value: number, i: number) => ({
        run,
        question: `q${i}`,
        cluster: clusters[i],
        seed: 0,
        measure: "M",
        value: of(value),
        status: "ok",
      }));
    const [one] = interval(
      rows("r", (v) => v),
      { level, method: "cluster-t" },
    ).objects() as Record<string, number>[];
    near(one?.mean, mean, "mean");
    near(one?.low, low, "low");
    near(one?.high, high, "high");
    // differences are the values: 2v + 1 against v + 1
    const [pair] = compare([...rows("a", (v) => v + 1), ...rows("b", (v) => 2 * v + 1)], {
      baseline: "a",
      level,
    }).objects() as Record<string, number>[];
    near(pair?.difference, mean, "difference");
    near(pair?.low, low, "low of difference");
    near(pair?.high, high, "high of difference");
    near(pair?.mde, mde, "mde");
    near(pair?.effect, effect, "effect");
  }
});

test("the exact sign-flip p is that of scipy's exhaustive permutation_test", () => {
  for (const { sums, p } of golden.signFlip) {
    const own = signFlip(sums);
    assert.ok(own.exact);
    near(own.p, p, JSON.stringify(sums));
  }
});

test("the exact McNemar p is statsmodels' mcnemar(exact=True)", () => {
  for (const { onlyA, onlyB, p } of golden.mcnemar) {
    const a = [...Array(onlyA).fill(1), ...Array(onlyB).fill(0), 1, 0];
    const b = [...Array(onlyA).fill(0), ...Array(onlyB).fill(1), 1, 0];
    const own = mcnemar(a, b);
    assert.equal([own.onlyA, own.onlyB], [onlyA, onlyB]);
    near(own.p, p, `${onlyA}, ${onlyB}`);
  }
});

test("Holm's adjustment is statsmodels' multipletests", () => {
  for (const { p, adjusted } of golden.holm) {
    const own = holm(p);
    adjusted.forEach((expected: number, i: number) => {
      near(own[i], expected, JSON.stringify(p));
    });
  }
});

test.run();
