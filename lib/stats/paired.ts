import { MkgError, quote, random } from "../core/index.js";
import { binomialCdf } from "./distributions.js";

/** Up to this many non-zero clusters the permutation test is exact. */
const exactClusters = 32;

export interface SignFlipOptions {
  /** Seeds the Monte Carlo draws, default 0. */
  readonly seed?: number;
  /** Monte Carlo draws, default 9,999: p is then known to about ±0.004 near 0.05. */
  readonly resamples?: number;
}

/**
 * Sign-flip permutation test of paired differences, two-sided.
 *
 * Null hypothesis: within every cluster the two runs could be exchanged, so that the sign of the cluster's summed
 * difference is a coin toss. Statistic: |sum over clusters|. Up to 32 non-zero clusters p is exact, the share of all 2^G
 * sign patterns at least as extreme (found by splitting the clusters in two halves, O(2^(G/2) · G)); beyond, Monte Carlo
 * with p = (b + 1)/(B + 1) (Phipson & Smyth 2010, doi 10.2202/1544-6115.1585). Zero sums do not matter; with none
 * else p is 1. The least p is 2^(1−G): five clusters cannot reach 0.05.
 *
 * @param sums Summed difference of each cluster (of each question when they are independent).
 * @returns p in (0, 1] and whether it is exact.
 * @example
 * signFlip([0.5, 1, 0.25, 2]);
 * // { p: 0.125, exact: true }
 */
export function signFlip(
  sums: readonly number[],
  { seed = 0, resamples = 9999 }: SignFlipOptions = {},
): { readonly p: number; readonly exact: boolean } {
  if (!Number.isSafeInteger(resamples) || resamples < 1)
    throw new MkgError(
      "signFlip",
      `resamples is not a positive integer (${quote(resamples)})`,
      "It takes an integer ≥ 1",
    );
  const used = sums.filter((sum) => sum !== 0);
  if (used.some((sum) => !Number.isFinite(sum)))
    throw new MkgError("signFlip", "a sum is not a finite number", "Finite numbers");
  let observed = 0;
  let scale = 0;
  for (const sum of used) {
    observed += sum;
    scale += Math.abs(sum);
  }
  // sums that are equal on paper differ by rounding: they count as ties
  const bar = Math.abs(observed) - 1e-12 * scale;
  if (bar <= 0) return { p: 1, exact: true };
  if (used.length <= exactClusters) return { p: exactShare(used, bar), exact: true };
  const generator = random(seed, "sign-flip");
  let extreme = 0;
  for (let draw = 0; draw < resamples; draw++) {
    let total = 0;
    let bits = 0;
    for (let i = 0; i < used.length; i++) {
      if (i % 32 === 0) bits = generator.int(2 ** 32);
      total += bits & 1 ? (used[i] as number) : -(used[i] as number);
      bits >>>= 1;
    }
    if (Math.abs(total) >= bar) extreme++;
  }
  return { p: (extreme + 1) / (resamples + 1), exact: false };
}

/** Share of sign patterns with |sum| ≥ bar > 0: twice the pairs of half-sums that reach the bar, by symmetry. */
function exactShare(sums: readonly number[], bar: number): number {
  const middle = sums.length >> 1;
  const left = signedSums(sums.slice(0, middle)).sort();
  const right = signedSums(sums.slice(middle)).sort();
  let count = 0;
  let from = right.length;
  for (const x of left) {
    while (from > 0 && x + (right[from - 1] as number) >= bar) from--;
    count += right.length - from;
  }
  return (2 * count) / 2 ** sums.length;
}

/** All ± sums of the values, one for each of the 2^n patterns. */
function signedSums(values: readonly number[]): Float64Array {
  const out = new Float64Array(2 ** values.length);
  values.forEach((value, i) => {
    const half = 2 ** i;
    for (let j = 0; j < half; j++) {
      const before = out[j] as number;
      out[j] = before - value;
      out[j + half] = before + value;
    }
  });
  return out;
}

/**
 * Exact McNemar test of paired 0/1 values, two-sided (McNemar 1947, doi 10.1007/BF02295996).
 *
 * Null hypothesis: where exactly one of the two is right, either is with probability ½. p is the doubled binomial
 * tail, at most 1; without disagreement it is 1. Questions must be independent: for clusters use {@link signFlip}.
 *
 * @param a Values of one run, each 0 or 1. @param b Of the other, same length and order.
 * @returns How often only `a` and only `b` was 1, and p in (0, 1].
 * @example
 * mcnemar([1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1, 1, 1]);
 * // { onlyA: 1, onlyB: 7, p: 0.0703125 }
 */
export function mcnemar(
  a: readonly number[],
  b: readonly number[],
): { readonly onlyA: number; readonly onlyB: number; readonly p: number } {
  if (a.length !== b.length)
    throw new MkgError("mcnemar", `unequal lengths (${a.length} and ${b.length})`, "Paired values");
  let onlyA = 0;
  let onlyB = 0;
  a.forEach((x, i) => {
    const y = b[i];
    for (const value of [x, y])
      if (value !== 0 && value !== 1)
        throw new MkgError("mcnemar", `pair ${i + 1} has a value that is not 0 or 1 (${quote(value)})`, "0 or 1");
    if (x > (y as number)) onlyA++;
    else if (x < (y as number)) onlyB++;
  });
  const tail = 2 * binomialCdf(Math.min(onlyA, onlyB), onlyA + onlyB, 0.5);
  // beyond some thousand discordant pairs the tail is below the smallest number there is
  return { onlyA, onlyB, p: Math.min(1, Math.max(tail, Number.MIN_VALUE)) };
}

/**
 * Holm's step-down adjustment for several tests (Holm 1979, Scandinavian Journal of Statistics 6): rejecting where the
 * adjusted p is at most α keeps the chance of any false rejection in the family at most α, however the tests depend on each other.
 *
 * @param p Values of the family; null for a test that was not done, which stays null and does not count.
 * @returns Adjusted values in the same order.
 * @example
 * holm([0.01, 0.04, null, 0.03]);
 * // [ 0.03, 0.06, null, 0.06 ]
 */
export function holm(p: readonly (number | null)[]): (number | null)[] {
  const order = p
    .map((_, i) => i)
    .filter((i) => p[i] !== null)
    .sort((x, y) => (p[x] as number) - (p[y] as number));
  const adjusted: (number | null)[] = p.map(() => null);
  let top = 0;
  order.forEach((at, rank) => {
    top = Math.max(top, Math.min(1, (order.length - rank) * (p[at] as number)));
    adjusted[at] = top;
  });
  return adjusted;
}
