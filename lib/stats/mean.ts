import { byCodeUnit, MkgError, quote } from "../core/index.js";
import { normalQuantile, tQuantile } from "./distributions.js";

/** A mean with the interval of its cluster-robust t statistic; null where the data cannot tell. */
export interface ClusterMean {
  readonly mean: number;
  /** Standard error of the mean; null with fewer than two clusters. */
  readonly se: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly clusters: number;
}

/** Refuses a confidence level outside (0, 1). */
export function checkLevel(place: string, level: number): void {
  if (!(level > 0 && level < 1))
    throw new MkgError(
      place,
      `level is not a confidence level (${quote(level)})`,
      "A number between 0 and 1",
      "For example 0.95",
    );
}

/** Sums of values by cluster, in code-unit order of the clusters. */
export function clusterSums(values: readonly number[], clusters: readonly string[]): number[] {
  if (values.length !== clusters.length)
    throw new MkgError("clusterSums", `${values.length} values and ${clusters.length} clusters`, "One cluster a value");
  const sums = new Map<string, number>();
  clusters.forEach((cluster, i) => {
    sums.set(cluster, (sums.get(cluster) ?? 0) + (values[i] as number));
  });
  return [...sums].sort(([a], [b]) => byCodeUnit(a, b)).map(([, sum]) => sum);
}

/**
 * Mean of values whose clusters, not the values themselves, are independent.
 *
 * Variance = G/(G−1) · Σ over clusters of (sum of deviations)² / n², interval from Student's t with G−1 degrees of
 * freedom, for G clusters (Liang & Zeger 1986, doi 10.1093/biomet/73.1.13; Cameron & Miller 2015, doi
 * 10.3368/jhr.50.2.317). With clusters of one value each it is the textbook t interval. Not clipped to the range of the
 * values. Below about 20 clusters it is too narrow when clusters differ much in size. One cluster, or no variation at
 * all: no interval.
 *
 * @param values At least one.
 * @param clusters Name of the cluster of each value.
 * @param level Confidence level, default 0.95.
 * @example
 * clusterMean([1, 0, 1, 1], ["a", "a", "b", "c"]);
 * // { mean: 0.75, se: 0.1875, low: -0.0567…, high: 1.5567…, clusters: 3 }
 */
export function clusterMean(values: readonly number[], clusters: readonly string[], level = 0.95): ClusterMean {
  checkLevel("clusterMean", level);
  const n = values.length;
  if (n === 0) throw new MkgError("clusterMean", "no values", "At least one");
  let total = 0;
  for (const value of values) total += value;
  // what is zero on paper differs from it by rounding
  const scale = values.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
  const mean = Math.abs(total) <= 1e-12 * scale * n ? 0 : total / n;
  const deviations = clusterSums(
    values.map((value) => value - mean),
    clusters,
  );
  const G = deviations.length;
  let squares = 0;
  for (const sum of deviations) squares += sum * sum;
  const root = Math.sqrt(squares);
  const se = G < 2 ? null : root <= 1e-12 * scale * n ? 0 : (Math.sqrt(G / (G - 1)) * root) / n;
  const half = se ? tQuantile((1 + level) / 2, G - 1) * se : null;
  return { mean, se, low: half === null ? null : mean - half, high: half === null ? null : mean + half, clusters: G };
}

/**
 * Wilson's score interval for a proportion of independent trials (Wilson 1927, doi 10.1080/01621459.1927.10502953).
 * Holds its level down to small n and at 0 and n successes.
 *
 * @param successes 0 … n. @param n Trials, at least 1. @param level Confidence level, default 0.95.
 * @example
 * wilson(0, 22);
 * // { low: 0, high: 0.1486… }
 */
export function wilson(successes: number, n: number, level = 0.95): { readonly low: number; readonly high: number } {
  checkLevel("wilson", level);
  if (!Number.isSafeInteger(n) || n < 1 || !Number.isSafeInteger(successes) || successes < 0 || successes > n)
    throw new MkgError(
      "wilson",
      `not a count of successes among trials (${quote(successes)} of ${quote(n)})`,
      "Whole numbers, 0 ≤ successes ≤ n, n ≥ 1",
    );
  const z2 = normalQuantile((1 + level) / 2) ** 2;
  const centre = (successes + z2 / 2) / (n + z2);
  const half = (Math.sqrt(z2) / (n + z2)) * Math.sqrt((successes * (n - successes)) / n + z2 / 4);
  return { low: successes === 0 ? 0 : centre - half, high: successes === n ? 1 : centre + half };
}

/**
 * n² / Σ n_g²: how many clusters of one size would weigh as much as these (Kish 1965). With few of them the cluster-robust t
 * interval is too narrow: at 22 clusters whose sizes fall as 1/i (8.6 effective ones) a 95 % interval covered 89 %.
 */
function effectiveClusters(clusters: readonly string[]): number {
  const sizes = new Map<string, number>();
  for (const cluster of clusters) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
  let squares = 0;
  for (const size of sizes.values()) squares += size ** 2;
  return squares === 0 ? 0 : clusters.length ** 2 / squares;
}

const fewClusters = 20;
/** What to know of an interval that rests on few, or on very unequal, clusters; null when there are enough. */
export function fewClustersWarning(clusters: readonly string[]): string | null {
  const G = new Set(clusters).size;
  const effective = effectiveClusters(clusters);
  if (effective >= fewClusters) return null;
  const size =
    G < fewClusters
      ? `only ${G} cluster${G === 1 ? "" : "s"}`
      : `${G} clusters of very unequal size weigh as ${effective.toFixed(1)}`;
  return `${size}: the interval may be too narrow`;
}
