import type { Answer } from "../core/index.js";
import { readEvidence } from "./evidence.js";
import type { ReaderEntry } from "./types.js";

export const nothing: Answer = Object.freeze({
  text: null,
  status: "abstained",
  citedRanks: [],
  tokens: 0,
  costUsd: 0,
  stop: "no evidence offers an answer",
});

/**
 * Picks an answer out of the evidence and out of nothing else: the label of an entity, the condition of an edge, a relation label,
 * whichever fits the question best. Abstains when the evidence offers nothing that the question does not say already.
 */
export const extractive: ReaderEntry = {
  name: "extractive",
  version: "2",
  citation: "this project",
  options: {},
  async read(query, evidence, { graph }): Promise<Answer> {
    const candidates = await readEvidence(query.text, evidence.hits, graph);
    const best = candidates[0];
    if (!best) return nothing;
    return {
      text: best.text,
      status: "ok",
      citedRanks: best.ranks,
      tokens: 0,
      costUsd: 0,
      stop: "picked",
      trace: candidates.slice(0, 5).map(({ text, probability, ranks }) => ({ candidate: text, probability, ranks })),
    };
  },
};
