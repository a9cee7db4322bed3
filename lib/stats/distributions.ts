import { createRequire } from "node:module";

// cephes (Moshier) in WebAssembly: the same bits on every machine. By require, because the package's ES module
// compiles asynchronously and its CommonJS one at once.
const { bdtr, ndtri, stdtri } = createRequire(import.meta.url)("cephes") as {
  bdtr(k: number, n: number, p: number): number;
  ndtri(p: number): number;
  stdtri(df: number, p: number): number;
};

/** Quantile of Student's t with `df` ≥ 1 degrees of freedom (an integer), 0 < p < 1. */
export const tQuantile = (p: number, df: number): number => stdtri(df, p);

/** Quantile of the standard normal distribution, 0 < p < 1. */
export const normalQuantile = (p: number): number => ndtri(p);

/** P(X ≤ k) for X binomial with n trials of probability p. */
export const binomialCdf = (k: number, n: number, p: number): number => (n === 0 ? 1 : bdtr(k, n, p));
