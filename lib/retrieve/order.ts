import { rankHits } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";

/**
 * The candidates in the order in which equal scores are ranked, so that a search that breaks ties by row breaks them by
 * id, also where it cuts at k. O(n log n).
 */
export const inTieOrder = (candidates: readonly Candidate[]): Candidate[] => {
  const byTriple = new Map(candidates.map((candidate) => [candidate.triple, candidate]));
  return rankHits([...byTriple.keys()].map((triple) => ({ score: 0, triple }))).map(
    (hit) => byTriple.get(hit.triple as string) as Candidate,
  );
};
