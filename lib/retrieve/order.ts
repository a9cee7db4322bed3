import { type Hit, hitId, rankHits } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";

/**
 * The candidates in the order in which equal scores are ranked, so that a search that breaks ties by row breaks them by
 * id, also where it cuts at k. O(n log n).
 */
export const inTieOrder = (candidates: readonly Candidate[]): Candidate[] => {
  const byId = new Map(candidates.map((candidate) => [candidateId(candidate), candidate]));
  return rankHits([...byId.values()].map((candidate) => ({ score: 0, ...contentOf(candidate) }))).map(
    (hit) => byId.get(hitId(hit)) as Candidate,
  );
};

/** What a hit on the candidate holds: its triple, or its passage. */
export const contentOf = ({ triple, passage }: Candidate): Pick<Hit, "triple" | "passage"> =>
  triple === undefined ? { passage } : { triple };

/** The identity of a hit on the candidate: see `hitId`. */
export const candidateId = (candidate: Candidate): string => hitId({ score: 0, ...contentOf(candidate) });
