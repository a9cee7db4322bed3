export { type CompareOptions, compare, comparePairs } from "./compare.js";
export { type IntervalOptions, interval } from "./interval.js";
export { clusterMean, wilson } from "./mean.js";
export { holm, mcnemar, signFlip } from "./paired.js";
export type { Comparison, Interval, Scores } from "./types.js";
