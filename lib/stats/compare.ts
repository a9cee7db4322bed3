import { type ColumnTable, table } from "arquero";
import { MkgError, quote, refuseUnknown, unknownName } from "../core/index.js";
import { tQuantile } from "./distributions.js";
import { checkLevel, clusterMean, clusterSums, fewClustersWarning } from "./mean.js";
import { holm, mcnemar, signFlip } from "./paired.js";
import { type Cell, chosenMeasures, inOrder, readParts, shown, valueOfCell } from "./rows.js";
import type { Comparison, Scores } from "./types.js";

const tests = ["auto", "permutation", "mcnemar"] as const;
const corrections = ["holm", "none"] as const;

export interface CompareOptions {
  /** Measures to compare, default all of the rows, in order of appearance. */
  readonly measures?: readonly string[];
  /** Column of the unit of independence, default "cluster"; null when the questions are independent. */
  readonly cluster?: string | null;
  /** Over the rows of the call that have a p, default "holm". */
  readonly correction?: (typeof corrections)[number];
  /** "auto": exact McNemar for 0/1 values of independent questions, else the sign-flip permutation test. */
  readonly test?: (typeof tests)[number];
  /** Confidence level of the interval, default 0.95. */
  readonly level?: number;
  /** For the Monte Carlo draws of the permutation test, default 0. */
  readonly seed?: number;
  /** Monte Carlo draws, default 9,999. */
  readonly resamples?: number;
}
const optionNames = [
  "measures",
  "cluster",
  "correction",
  "test",
  "level",
  "seed",
  "resamples",
] as const satisfies readonly (keyof CompareOptions)[];

/**
 * Compares every run with a baseline, question by question: one row a measure and run, in order of appearance.
 * `difference` is run − baseline. See {@link comparePairs} for the columns and the tests.
 *
 * @throws MkgError for an unknown option, baseline, measure or column, with the nearest name.
 * @example
 * compare(scores, { baseline: "bm25", measures: ["nDCG@10"] }).print();
 * // │ a    │ b    │ measure │ difference │ low     │ high   │ p      │ pAdjusted │ …
 * // │ bm25 │ mine │ nDCG@10 │ 0.0412     │ -0.0103 │ 0.0927 │ 0.1134 │ 0.1134    │ …
 */
export function compare(scores: Scores, options: CompareOptions & { readonly baseline: string }): ColumnTable {
  refuseUnknown("compare", options, ["baseline", ...optionNames], "option");
  const { baseline, ...rest } = options;
  const read = readRuns("compare", scores, rest);
  if (!read.runs.includes(baseline)) throw unknownName("compare", "baseline", baseline, read.runs);
  const others = read.runs.filter((run) => run !== baseline);
  if (others.length === 0)
    throw new MkgError(
      "compare",
      `nothing to compare with the baseline (${quote(baseline)})`,
      "Scores of at least two runs",
    );
  return compareRead(
    "compare",
    read,
    others.map((b) => ({ a: baseline, b })),
    rest,
  );
}

/**
 * Compares given pairs of runs, question by question: one row a measure and pair, `difference` = b − a.
 *
 * Questions are paired by id after averaging their seeds; those without a value in either run are left out and counted
 * in `nMissing`. Null hypothesis of both tests: the two runs could be exchanged (see {@link signFlip} and
 * {@link mcnemar}). `low` and `high`: cluster-robust t interval of the difference (see {@link clusterMean}); `effect`: difference
 * over the standard deviation of the questions' differences; `mde`: (t at 0.975 + t at 0.8) · standard error with
 * clusters − 1 degrees of freedom (Bloom 1995, doi 10.1177/0193841X9501900504). The last three are null where nothing
 * varies. `pAdjusted`: Holm over the rows of this call that have a p. Fewer than 20 clusters: the row says so in `warning`. No
 * pair at all: status `not-computed`, nulls.
 *
 * Cost: linear in rows; per comparison 2^(G/2) up to 32 clusters, else resamples × clusters.
 *
 * @param scores Score rows, a table or an array.
 * @param pairs `a` is the baseline.
 * @throws MkgError for an unknown run, measure, column or option; for test "mcnemar" where values are not 0/1 or
 *   questions are clustered; for what {@link interval} refuses.
 * @example
 * comparePairs(scores, [{ a: "closed-book", b: "base" }], { correction: "none" }).get("p", 0);
 * // 0.0021
 */
export function comparePairs(
  scores: Scores,
  pairs: readonly { readonly a: string; readonly b: string }[],
  options: CompareOptions = {},
): ColumnTable {
  refuseUnknown("comparePairs", options, optionNames, "option");
  return compareRead("comparePairs", readRuns("comparePairs", scores, options), pairs, options);
}

interface Read {
  readonly runs: readonly string[];
  readonly measures: readonly string[];
  readonly cells: ReadonlyMap<string, ReadonlyMap<string, Cell>>;
}
const cellKey = (run: string, measure: string): string => JSON.stringify([run, measure]);

function readRuns(place: string, scores: Scores, { measures, cluster = "cluster" }: CompareOptions): Read {
  const parts = readParts(place, scores, ["run", "measure"], cluster);
  return {
    runs: [...new Set(parts.map(({ key }) => key[0] as string))],
    measures: chosenMeasures(
      place,
      measures,
      parts.map(({ key }) => key[1] as string),
    ),
    cells: new Map(parts.map(({ key: [run, measure], cells }) => [cellKey(run as string, measure as string), cells])),
  };
}

function compareRead(
  place: string,
  read: Read,
  pairs: readonly { readonly a: string; readonly b: string }[],
  options: CompareOptions,
): ColumnTable {
  const { correction = "holm", test = "auto", level = 0.95, seed = 0, resamples = 9999 } = options;
  checkLevel(place, level);
  if (!tests.includes(test)) throw unknownName(place, "test", test, tests);
  if (!corrections.includes(correction)) throw unknownName(place, "correction", correction, corrections);
  for (const { a, b } of pairs) {
    for (const run of [a, b]) if (!read.runs.includes(run)) throw unknownName(place, "run", run, read.runs);
    if (a === b) throw new MkgError(place, `a run is paired with itself (${quote(a)})`, "Two different runs");
  }
  const raw = read.measures.flatMap((measure) =>
    pairs.map(({ a, b }) => {
      const of = (run: string) => read.cells.get(cellKey(run, measure)) ?? new Map<string, Cell>();
      return { a, b, measure, ...comparison(place, pairUp(place, of(a), of(b)), { test, level, seed, resamples }) };
    }),
  );
  const adjusted = correction === "holm" ? holm(raw.map(({ p }) => p)) : raw.map(({ p }) => p);
  const rows: Comparison[] = raw.map((row, i) => ({ ...row, pAdjusted: adjusted[i] as number | null }));
  const names = [
    "a",
    "b",
    "measure",
    "difference",
    "low",
    "high",
    "p",
    "pAdjusted",
    "effect",
    "mde",
    "n",
    "nMissing",
    "clusters",
    "test",
    "status",
    "warning",
  ] as const;
  return table(Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])));
}

interface Paired {
  readonly a: number[];
  readonly b: number[];
  readonly clusters: string[];
  readonly missing: number;
}

function pairUp(place: string, a: ReadonlyMap<string, Cell>, b: ReadonlyMap<string, Cell>): Paired {
  const out: Paired = { a: [], b: [], clusters: [], missing: 0 };
  for (const cell of inOrder(a)) {
    const other = b.get(cell.question);
    const [x, y] = [valueOfCell(cell), other && valueOfCell(other)];
    if (other && other.cluster !== cell.cluster)
      throw new MkgError(
        place,
        `question ${quote(cell.question)} is in two clusters (${shown(cell.cluster)} and ${shown(other.cluster)})`,
        "One value of the cluster column a question",
      );
    if (x === undefined || y === undefined) continue;
    out.a.push(x);
    out.b.push(y);
    out.clusters.push(cell.cluster);
  }
  const all = new Set([...a.keys(), ...b.keys()]).size;
  return { ...out, missing: all - out.a.length };
}

function comparison(
  place: string,
  { a, b, clusters, missing }: Paired,
  { test, level, seed, resamples }: Required<Pick<CompareOptions, "test" | "level" | "seed" | "resamples">>,
): Omit<Comparison, "a" | "b" | "measure" | "pAdjusted"> {
  const n = a.length;
  if (n === 0)
    return {
      difference: null,
      low: null,
      high: null,
      p: null,
      effect: null,
      mde: null,
      n,
      nMissing: missing,
      clusters: 0,
      test: null,
      status: "not-computed",
      warning: "no question has a value in both runs",
    };
  const differences = b.map((value, i) => value - (a[i] as number));
  const robust = clusterMean(differences, clusters, level);
  const G = robust.clusters;
  const simple = G === n && [...a, ...b].every((value) => value === 0 || value === 1);
  if (test === "mcnemar" && !simple)
    throw new MkgError(
      place,
      'test "mcnemar" does not fit the values',
      "0/1 values of independent questions (cluster: null)",
      'Use "auto" or "permutation"',
    );
  const exact = test === "mcnemar" || (test === "auto" && simple);
  const sums = clusterSums(differences, clusters);
  const p = exact ? mcnemar(a, b).p : signFlip(sums, { seed, resamples }).p;
  const sd = deviation(differences, robust.mean);
  return {
    difference: robust.mean,
    low: robust.low,
    high: robust.high,
    p,
    effect: sd === null ? null : robust.mean / sd,
    mde: robust.se ? (tQuantile(0.975, G - 1) + tQuantile(0.8, G - 1)) * robust.se : null,
    n,
    nMissing: missing,
    clusters: G,
    test: exact ? "mcnemar" : "permutation",
    status: "ok",
    warning: warningOf(clusters, sums.filter((sum) => sum !== 0).length, robust.low !== null),
  };
}

function warningOf(clusters: readonly string[], differing: number, hasInterval: boolean): string | null {
  const warnings: string[] = [];
  const few = hasInterval ? fewClustersWarning(clusters) : null;
  const G = new Set(clusters).size;
  if (few) warnings.push(few);
  // clusters without a difference say nothing of its sign: the least p of both tests is 2^(1−d) for d that differ
  if (differing > 0 && 2 ** (1 - differing) > 0.05)
    warnings.push(`${differing} of ${G} clusters differ: p cannot be below ${2 ** (1 - differing)}`);
  if (!hasInterval)
    warnings.push(
      G === 1 ? "only 1 cluster: no interval" : "the differences do not vary between clusters: no interval",
    );
  return warnings.length > 0 ? warnings.join("; ") : null;
}

/** Standard deviation of the differences; null when they are all equal, up to rounding. */
function deviation(values: readonly number[], mean: number): number | null {
  let squares = 0;
  let scale = 0;
  for (const value of values) {
    squares += (value - mean) ** 2;
    scale = Math.max(scale, Math.abs(value));
  }
  const sd = Math.sqrt(squares / (values.length - 1));
  return sd > 1e-12 * scale ? sd : null;
}
