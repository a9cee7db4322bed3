import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clusterMean, holm, mcnemar, signFlip, wilson } from "../../lib/stats/index.js";

const test = suite("stats functions");
const fails = (run: () => unknown, pattern: RegExp) =>
  assert.throws(run, (error: Error) => error.name === "MkgError" && pattern.test(error.message));
const near = (actual: number, expected: number, tolerance: number, law: string) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${law}: ${actual}, expected ${expected}`);

// case ST-02: 2/32; 2·(1+8)/256; a doubled tail is clipped to 1; no disagreement is no evidence
test("McNemar's p: 5 to 0 is 2/32, 1 to 7 is 18/256, equal counts and no disagreement are 1", () => {
  const pairs = (onlyA: number, onlyB: number): [number[], number[]] => [
    [...Array(onlyA).fill(1), ...Array(onlyB).fill(0)],
    [...Array(onlyA).fill(0), ...Array(onlyB).fill(1)],
  ];
  assert.equal(
    [
      [0, 0],
      [5, 0],
      [1, 7],
      [4, 4],
    ].map(([x, y]) => mcnemar(...pairs(x as number, y as number)).p),
    [1, 0.0625, 0.0703125, 1],
  );
  assert.equal(mcnemar([1, 1, 0, 0], [1, 1, 0, 0]), { onlyA: 0, onlyB: 0, p: 1 });
  fails(() => mcnemar([1, 0], [1]), /unequal lengths \(2 and 1\)/);
  fails(() => mcnemar([1, 0.5], [1, 0]), /pair 2 .*0\.5/);
  assert.ok(mcnemar(...pairs(0, 5000)).p > 0);
});

test("McNemar's exact test is the sign-flip test of the single questions", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(0, 1)), { minLength: 1, maxLength: 25 }),
      (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
        near(signFlip(b.map((y, i) => y - (a[i] as number))).p, mcnemar(a, b).p, 1e-12, JSON.stringify(pairs));
      },
    ),
  );
});

test("the exact sign-flip p is the share of all sign patterns, ties by rounding included", () => {
  const sum = fc.constantFrom(0.1, 0.2, 0.3, -0.1, -0.3, 1 / 3, 0.7, 0);
  fc.assert(
    fc.property(fc.array(sum, { minLength: 1, maxLength: 9 }), (sums) => {
      const observed = Math.abs(sums.reduce((x, y) => x + y, 0));
      let extreme = 0;
      for (let pattern = 0; pattern < 2 ** sums.length; pattern++) {
        const total = sums.reduce((x, y, i) => x + ((pattern >> i) & 1 ? y : -y), 0);
        if (Math.abs(total) >= observed - 1e-9) extreme++;
      }
      near(signFlip(sums).p, extreme / 2 ** sums.length, 1e-12, JSON.stringify(sums));
    }),
  );
});

test("beyond 32 clusters p is (b+1)/(B+1) of seeded draws, near the exact value of a coin toss", () => {
  // 40 clusters of ±1, 26 to 14: exact two-sided binomial 2·P(X ≥ 26 | 40, ½) = 0.0807 (scipy.stats.binomtest(26, 40).pvalue = 0.08069)
  const sums = [...Array(26).fill(1), ...Array(14).fill(-1)];
  const own = signFlip(sums, { seed: 1 });
  assert.not(own.exact);
  near(own.p, 0.08069, 0.011, "4 standard errors of 9,999 draws");
  assert.is(Math.round(own.p * 10000 * 1e6) % 1e6, 0, "a multiple of 1/(B+1)");
  assert.equal(signFlip(sums, { seed: 1 }), own);
  assert.is.not(signFlip(sums, { seed: 2 }).p, own.p);
  // 60 equal sums: no draw reaches the observed one, and p is still not 0
  assert.is(signFlip(Array(60).fill(1), { resamples: 99 }).p, 1 / 100);
  fails(() => signFlip([1, 2], { resamples: 0 }), /resamples/);
  fails(() => signFlip([1, Number.NaN]), /not a finite number/);
});

test("draws beyond 32 clusters toss every cluster's coin", () => {
  // one cluster outweighs all others together: |sum| reaches the observed one in half the patterns at most when the
  // others cannot help; with 64 others of 1 and one of 1,000, the observed 1,064 needs all signs equal
  assert.is(signFlip([...Array(64).fill(1), 1000], { resamples: 999 }).p, 1 / 1000);
  // and when the last cluster is the only one that matters, p is 1 whatever its sign
  assert.is(
    signFlip(
      [...Array(64).fill(1e-9), 1000].map((x, i) => (i % 2 ? x : -x)),
      { resamples: 999 },
    ).p > 0.3,
    true,
  );
});

test("nothing to tell apart gives p = 1", () => {
  assert.equal([signFlip([]).p, signFlip([0, 0]).p, signFlip([1, -1]).p], [1, 1, 1]);
});

test("Wilson's interval stays in [0, 1], holds the proportion, and mirrors", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.nat(),
      fc.constantFrom(0.5, 0.9, 0.95, 0.999),
      (n, pick, level) => {
        const k = pick % (n + 1);
        const { low, high } = wilson(k, n, level);
        assert.ok(low >= 0 && high <= 1 && low <= k / n && k / n <= high && low < high);
        const mirror = wilson(n - k, n, level);
        near(mirror.low, 1 - high, 1e-12, "mirror");
      },
    ),
  );
  for (const [k, n] of [
    [-1, 3],
    [4, 3],
    [0, 0],
    [0.5, 3],
  ])
    fails(() => wilson(k as number, n as number), /not a count/);
  fails(() => wilson(1, 2, 95), /level .*\(95\)/);
});

test("a cluster mean without variation, or with one cluster, has no interval", () => {
  assert.equal(clusterMean([0.1, 0.1, 0.1], ["a", "b", "c"]).low, null);
  assert.equal(clusterMean([0, 1], ["a", "a"]), { mean: 0.5, se: null, low: null, high: null, clusters: 1 });
  // 1/3 + … leaves rounding behind, which is not variation
  assert.is(
    clusterMean([1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3], ["a", "b", "c", "d", "e", "f", "g"]).low,
    null,
  );
  fails(() => clusterMean([], []), /no values/);
  fails(() => clusterMean([1], []), /1 values and 0 clusters/);
});

// by hand: deviations .25 −.75 | .25 | .25 → cluster sums −.5, .25, .25; Σ² = .375; se = √(3/2 · .375)/4 = .1875; t(.975, 2) = 4.302653
test("the documented example of clusterMean is what it returns", () => {
  const own = clusterMean([1, 0, 1, 1], ["a", "a", "b", "c"]);
  near(own.se as number, 0.1875, 1e-12, "se");
  near(own.low as number, 0.75 - 4.302652729749462 * 0.1875, 1e-9, "low");
});

test("Holm's adjusted values are never below the raw ones, keep their order, and skip tests that were not done", () => {
  assert.equal(holm([0.01, 0.04, null, 0.03]), [0.03, 0.06, null, 0.06]);
  fc.assert(
    fc.property(fc.array(fc.option(fc.double({ min: 1e-6, max: 1, noNaN: true })), { maxLength: 12 }), (p) => {
      const adjusted = holm(p);
      p.forEach((x, i) => {
        if (x === null) {
          assert.is(adjusted[i], null);
          return;
        }
        assert.ok((adjusted[i] as number) >= x && (adjusted[i] as number) <= 1);
        p.forEach((y, j) => {
          if (y !== null && x < y) assert.ok((adjusted[i] as number) <= (adjusted[j] as number));
        });
      });
    }),
  );
});

test.run();
