import type { Notice } from "../graph/index.js";

/** A notice that counts these and shows the first five; none where there are none. */
export const noticed = (what: string, all: readonly string[]): Notice[] =>
  all.length === 0 ? [] : [{ what, count: all.length, examples: all.slice(0, 5) }];
