import { MkgError, oneOf, refuseUnknown, resolveOptions } from "../../core/index.js";
import type { GraphEmbedding } from "./embedding.js";

/** One triple by the ids of its parts. */
export interface LinkTriple {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
}

export interface LinkResult {
  /** Mean rank, mean reciprocal rank, share of ranks ≤ k. */
  readonly MR: number;
  readonly MRR: number;
  readonly hits: Readonly<Record<number, number>>;
  /** Ranks that the means are over: two a triple, of its head and of its tail. */
  readonly n: number;
  readonly ranks: Float64Array;
}

interface LinkOptions {
  /** Triples known to be true: they do not count against the one that is asked for. */
  readonly filter?: readonly LinkTriple[];
  readonly ks?: readonly number[];
  /** `mean` (default): the middle of the places that ties leave open; `best`, `worst`: the first or last of them. */
  readonly ties?: "mean" | "best" | "worst";
}

const options = {
  ties: oneOf(["mean", "best", "worst"], { default: "mean", doc: "rank among equal scores" }),
};

/**
 * Link prediction: for each triple, the rank of its tail among all entities by the score with its head and relation, and of its head likewise, entities
 * that make another true triple left out (filtered; Bordes et al. 2013). Ties get the mean of the ranks that they span, since a model that scores all
 * the same must not come out first (Sun et al. 2020, arXiv 1911.03903).
 *
 * Cost: O(triples · entities · dim); memory O(entities). Errors: an entity or relation that the embedding lacks.
 *
 * @example
 * const { MRR, hits } = evaluateLinks(embedding, test, { filter: [...train, ...test] }); // MRR 0.31, hits[10] 0.52
 */
export function evaluateLinks(
  embedding: GraphEmbedding,
  triples: readonly LinkTriple[],
  given: LinkOptions = {},
): LinkResult {
  const place = "evaluateLinks";
  refuseUnknown(place, given, ["filter", "ks", "ties"], "option");
  const { filter = [], ks = [1, 3, 10] } = given;
  const { ties } = resolveOptions(place, options, given.ties === undefined ? {} : { ties: given.ties });
  if (triples.length === 0) throw new MkgError(place, "no triples", "At least one");
  const known = new Map<string, number[]>();
  const note = (key: string, entity: number) => {
    const own = known.get(key);
    if (own) own.push(entity);
    else known.set(key, [entity]);
  };
  for (const { head, relation, tail } of filter) {
    const [h, r, t] = embedding.numbers(place, head, relation, tail);
    note(`t ${h} ${r}`, t);
    note(`h ${t} ${r}`, h);
  }
  const n = embedding.entities.length;
  const scores = new Float64Array(n);
  const ranks = new Float64Array(2 * triples.length);
  const rank = (wanted: number, others: readonly number[]): number => {
    const own = scores[wanted] as number;
    for (const other of others) if (other !== wanted) scores[other] = Number.NaN;
    let above = 0;
    let equal = 0;
    for (const score of scores) {
      if (score > own) above++;
      else if (score === own) equal++;
    }
    return ties === "best" ? above + 1 : ties === "worst" ? above + equal : above + (equal + 1) / 2;
  };
  triples.forEach(({ head, relation, tail }, i) => {
    const [h, r, t] = embedding.numbers(place, head, relation, tail);
    for (let e = 0; e < n; e++) scores[e] = embedding.scoreOf(h, r, e);
    ranks[2 * i] = rank(t, known.get(`t ${h} ${r}`) ?? []);
    for (let e = 0; e < n; e++) scores[e] = embedding.scoreOf(e, r, t);
    ranks[2 * i + 1] = rank(h, known.get(`h ${t} ${r}`) ?? []);
  });
  const mean = (of: (rank: number) => number) => ranks.reduce((sum, r) => sum + of(r), 0) / ranks.length;
  return {
    MR: mean((r) => r),
    MRR: mean((r) => 1 / r),
    hits: Object.fromEntries(ks.map((k) => [k, mean((r) => (r <= k ? 1 : 0))])),
    n: ranks.length,
    ranks,
  };
}
