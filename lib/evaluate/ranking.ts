import type { MeasureEntry, RankingInput } from "./measure.js";

/** Linear gain is trec_eval's; exponential is 2^grade − 1. A grade below 1 gains nothing. */
const gains: Readonly<Record<string, (grade: number) => number>> = {
  linear: (grade) => grade,
  exp: (grade) => 2 ** grade - 1,
};

const grade = (input: RankingInput, rank: number): number => input.grades.get(input.ranking[rank] as string) ?? 0;

const relevantCount = (input: RankingInput): number => {
  let count = 0;
  for (const g of input.grades.values()) if (g > 0) count++;
  return count;
};

/** Relevant documents among the first `k`. */
function found(input: RankingInput, k: number): number {
  const end = Math.min(k, input.ranking.length);
  let count = 0;
  for (let i = 0; i < end; i++) if (grade(input, i) > 0) count++;
  return count;
}

/** Σ gain / log2(rank + 1) over the first `k` grades. */
function discounted(grades: Iterable<number>, k: number, gain: (grade: number) => number): number {
  let sum = 0;
  let rank = 0;
  for (const g of grades) {
    if (rank >= k) break;
    rank++;
    if (g > 0) sum += gain(g) / Math.log2(rank + 1);
  }
  return sum;
}

/** Rank (from 1) of the first relevant document, at most `k`; 0 when there is none. */
function firstRelevant(input: RankingInput, k: number): number {
  const end = Math.min(k, input.ranking.length);
  for (let i = 0; i < end; i++) if (grade(input, i) > 0) return i + 1;
  return 0;
}

/** Measures of a ranking, as trec_eval 9 defines them: a question without relevant documents has the value 0. */
export const rankingMeasures: readonly MeasureEntry<"ranking">[] = [
  {
    name: "nDCG",
    doc: "discounted cumulative gain over that of the ideal order of all judged documents",
    citation:
      "Järvelin & Kekäläinen 2002, doi 10.1145/582415.582418; exponential gain: Burges et al. 2005, doi 10.1145/1102351.1102363",
    needs: "ranking",
    cutoff: "optional",
    params: { gain: ["linear", "exp"] },
    compute(input, { k, params }) {
      const gain = gains[params.gain as string] as (grade: number) => number;
      const ideal = discounted(
        [...input.grades.values()].sort((a, b) => b - a),
        k,
        gain,
      );
      return ideal === 0
        ? 0
        : discounted(
            input.ranking.map((_, i) => grade(input, i)),
            k,
            gain,
          ) / ideal;
    },
  },
  {
    name: "P",
    doc: "precision: relevant documents among the first k, divided by k even when fewer were returned",
    citation: "trec_eval P",
    needs: "ranking",
    cutoff: "required",
    compute: (input, { k }) => found(input, k) / k,
  },
  {
    name: "R",
    doc: "recall: share of the relevant documents that are among the first k",
    citation: "trec_eval recall",
    needs: "ranking",
    cutoff: "required",
    compute(input, { k }) {
      const all = relevantCount(input);
      return all === 0 ? 0 : found(input, k) / all;
    },
  },
  {
    name: "RR",
    doc: "reciprocal rank of the first relevant document; with a cut-off, 0 when it lies below rank k",
    citation: "Voorhees 1999, TREC-8 question answering track; trec_eval recip_rank",
    needs: "ranking",
    cutoff: "optional",
    compute(input, { k }) {
      const rank = firstRelevant(input, k);
      return rank === 0 ? 0 : 1 / rank;
    },
  },
  {
    name: "AP",
    doc: "average over the relevant documents of the precision at their ranks; those not returned count 0",
    citation: "Buckley & Voorhees 2000, doi 10.1145/345508.345543; trec_eval map",
    needs: "ranking",
    cutoff: "none",
    compute(input) {
      const all = relevantCount(input);
      let seen = 0;
      let sum = 0;
      input.ranking.forEach((_, i) => {
        if (grade(input, i) > 0) sum += ++seen / (i + 1);
      });
      return all === 0 ? 0 : sum / all;
    },
  },
  {
    name: "Success",
    doc: "1 when a relevant document is among the first k, else 0",
    citation: "trec_eval success",
    needs: "ranking",
    cutoff: "required",
    compute: (input, { k }) => (firstRelevant(input, k) > 0 ? 1 : 0),
  },
];
