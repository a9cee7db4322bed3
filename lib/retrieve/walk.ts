import { type Agents, prepareWalk, scoredAgents, walk as walkGraph, walkOptions } from "../walk/index.js";
import type { RetrieverEntry } from "./types.js";

const agentNames = Object.keys(scoredAgents);

/**
 * The walk over the graph from the entity that the question names or shows; hits are paths. See {@link walkGraph} for
 * what is done at each step and what is counted.
 */
export const walk: RetrieverEntry = {
  name: "walk",
  version: "3",
  citation: "MH-MMKG 2025, arXiv 2506.17589",
  options: walkOptions,
  parts: {
    agents: {
      doc: "functions in place of the scored agents: any of topic, expansion, validation",
      default: {},
      allowed: `an object of functions by name: ${agentNames.join(", ")}`,
      check: (v) =>
        typeof v === "object" &&
        v !== null &&
        Object.entries(v).every(([name, agent]) => agentNames.includes(name) && typeof agent === "function"),
    },
  },
  prepare: (context, { agents: _, ...options }) => prepareWalk(context, options),
  search: (query, context, { agents, ...options }) =>
    walkGraph(query, context, options, Object.freeze({ ...scoredAgents, ...(agents as Partial<Agents>) })),
};
