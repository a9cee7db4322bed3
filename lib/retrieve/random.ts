import { contentOf } from "./order.js";
import type { RetrieverEntry } from "./types.js";

/**
 * A uniform draw of k candidates without replacement, in random order: the floor that any retriever must beat. Expected
 * recall at K is K / N for N candidates. Scores are (n − i) / n at place i of n drawn, and mean nothing beyond order.
 */
export const randomRetriever: RetrieverEntry = {
  name: "random",
  version: "1",
  citation: "Sampling without replacement; the random retriever of MKG-RAG-Bench 2026, arXiv 2606.26458",
  options: {},
  search(_query, { candidates, k, random }) {
    const drawn = random.sample(candidates, k);
    return drawn.map((candidate, i) => ({ score: (drawn.length - i) / drawn.length, ...contentOf(candidate) }));
  },
};
