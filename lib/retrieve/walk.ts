import { prepareWalk, walk as walkGraph, walkOptions } from "../walk/index.js";
import type { RetrieverEntry } from "./types.js";

/**
 * The walk over the graph from the entity that the question names or shows; hits are paths. See {@link walkGraph} for
 * what is done at each step and what is counted.
 */
export const walk: RetrieverEntry = {
  name: "walk",
  version: "1",
  citation: "MH-MMKG 2025, arXiv 2506.17589",
  options: walkOptions,
  prepare: (context, options) => prepareWalk(context, options),
  search: (query, context, options) => walkGraph(query, context, options),
};
