import { type ColumnTable, table } from "arquero";
import { MkgError, quote, refuseUnknown } from "../core/index.js";
import { checkLevel, clusterMean, fewClustersWarning, wilson } from "./mean.js";
import { chosenMeasures, inOrder, type Part, readParts, valueOfCell } from "./rows.js";
import type { Interval, Scores } from "./types.js";

const methods = ["auto", "wilson", "cluster-t"] as const;

export interface IntervalOptions {
  /** Measures to average, default all of the rows. */
  readonly measures?: readonly string[];
  /** Columns that tell the means apart, beside `run` and `measure`: `["group"]` gives one row a group. */
  readonly by?: readonly string[];
  /** Column of the unit of independence, default "cluster"; null when the questions are independent. */
  readonly cluster?: string | null;
  /** Confidence level, default 0.95. */
  readonly level?: number;
  /** "auto": Wilson for 0/1 values of independent questions, else the cluster-robust t interval. */
  readonly method?: (typeof methods)[number];
}
const optionNames = [
  "measures",
  "by",
  "cluster",
  "level",
  "method",
] as const satisfies readonly (keyof IntervalOptions)[];

/**
 * The mean of each run and measure with its interval, questions averaged over their seeds first.
 *
 * 0/1 values whose clusters hold one question each get Wilson's interval ("wilson"), others the cluster-robust t interval
 * ("cluster-t", see {@link clusterMean}; may pass the measure's range). When all values are 0, or all are 1, the
 * clustered interval has no width to estimate: Wilson's over the clusters is given instead ("wilson-clusters", wide).
 * Where no interval can be told (one cluster, equal values) `low` and `high` are null and the status is `undefined`;
 * without any value it is `not-computed` and the mean is null too. The seeds' own spread is not in the interval.
 *
 * @param scores Score rows. A question with a seed that is not ok counts as missing.
 * @returns One row a run, measure and further column of `by`, in order of appearance; see {@link Interval}. Fractions.
 * @throws MkgError for an unknown option, measure or column, a question in two clusters, two values for the same question and seed, or
 *   method "wilson" where the values are not 0/1 or the questions are clustered.
 * @example
 * interval(scores, { cluster: null }).print();
 * // │ run  │ measure │ mean │ low    │ high   │ n │ nMissing │ nFailed │ clusters │ method │ status │
 * // │ bm25 │ EM      │ 0.75 │ 0.3006 │ 0.9544 │ 4 │ 0        │ 0       │ 4        │ wilson │ ok     │
 */
export function interval(scores: Scores, options: IntervalOptions = {}): ColumnTable {
  refuseUnknown("interval", options, optionNames, "option");
  const { by = [], cluster = "cluster", level = 0.95, method = "auto" } = options;
  checkLevel("interval", level);
  if (!methods.includes(method))
    throw new MkgError("interval", `unknown method (${quote(method)})`, `Known: ${methods.join(", ")}`);
  const keys = [...new Set(["run", "measure", ...by])];
  const all = readParts("interval", scores, keys, cluster);
  const measureOf = (part: Part): string => part.key[keys.indexOf("measure")] as string;
  const measures = chosenMeasures("interval", options.measures, all.map(measureOf));
  const parts = all.filter((part) => measures.includes(measureOf(part)));
  const rows = parts.map((part) => intervalOf(part, level, method));
  const column = <T>(pick: (row: (typeof rows)[number]) => T): T[] => rows.map(pick);
  return table({
    ...Object.fromEntries(keys.map((key, at) => [key, parts.map((part) => part.values[at])])),
    mean: column((r) => r.mean),
    low: column((r) => r.low),
    high: column((r) => r.high),
    n: column((r) => r.n),
    nMissing: column((r) => r.nMissing),
    nFailed: column((r) => r.nFailed),
    clusters: column((r) => r.clusters),
    method: column((r) => r.method),
    status: column((r) => r.status),
    warning: column((r) => r.warning),
  });
}

function intervalOf(part: Part, level: number, method: IntervalOptions["method"]): Omit<Interval, "run" | "measure"> {
  const cells = inOrder(part.cells);
  const used = cells.filter((cell) => valueOfCell(cell) !== undefined);
  const values = used.map((cell) => valueOfCell(cell) as number);
  const clusters = used.map((cell) => cell.cluster);
  const counts = {
    n: used.length,
    nMissing: cells.length - used.length,
    nFailed: cells.filter((cell) => cell.status === "failed").length,
  };
  if (used.length === 0)
    return {
      mean: null,
      low: null,
      high: null,
      ...counts,
      clusters: 0,
      method: null,
      status: "not-computed",
      warning: null,
    };
  const robust = clusterMean(values, clusters, level);
  const G = robust.clusters;
  const binary = values.every((value) => value === 0 || value === 1);
  const independent = G === values.length;
  if (method === "wilson" && !(binary && independent))
    throw new MkgError(
      "interval",
      `method "wilson" does not fit ${part.key.map(quote).join(", ")}`,
      "0/1 values of independent questions",
      'Use "auto" or "cluster-t"',
    );
  const base = { mean: robust.mean, ...counts, clusters: G };
  if (method !== "cluster-t" && binary && independent)
    return { ...base, ...wilson(sum(values), values.length, level), method: "wilson", status: "ok", warning: null };
  if (robust.low !== null)
    return {
      ...base,
      low: robust.low,
      high: robust.high,
      method: "cluster-t",
      status: "ok",
      warning: fewClustersWarning(clusters),
    };
  if (method === "auto" && binary && new Set(values).size === 1)
    return {
      ...base,
      ...wilson(values[0] === 1 ? G : 0, G, level),
      method: "wilson-clusters",
      status: "ok",
      warning: null,
    };
  return {
    ...base,
    low: null,
    high: null,
    method: null,
    status: "undefined",
    warning: "no interval can be told from these values",
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
