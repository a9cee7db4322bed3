import type { MeasureEntry, RankingInput } from "./measure.js";

/** Linear gain is trec_eval's; exponential is 2^grade − 1. A grade below 1 gains nothing. */
const gains: Readonly<Record<string, (grade: number) => number>> = {
  linear: (grade) => grade,
  exp: (grade) => 2 ** grade - 1,
};

/** What several measures look up in one input. */
interface Looked {
  /** Grade at each rank; NaN where there is no judgement. */
  readonly grades: Float64Array;
  readonly relevant: number;
  /** Grades of all judged documents, highest first. */
  readonly ideal: Float64Array;
}
const looked = new WeakMap<RankingInput, Looked>();

function lookUp(input: RankingInput): Looked {
  let known = looked.get(input);
  if (!known) {
    const ideal = Float64Array.from(input.grades.values()).sort().reverse();
    let relevant = 0;
    for (const g of ideal) if (g > 0) relevant++;
    const grades = Float64Array.from(input.ranking, (id) => input.grades.get(id) ?? Number.NaN);
    known = { grades, relevant, ideal };
    looked.set(input, known);
  }
  return known;
}

const grade = (input: RankingInput, rank: number): number => lookUp(input).grades[rank] as number;
const relevantCount = (input: RankingInput): number => lookUp(input).relevant;

/** Relevant documents among the first `k`. */
function found(input: RankingInput, k: number): number {
  const { grades } = lookUp(input);
  const end = Math.min(k, grades.length);
  let count = 0;
  for (let i = 0; i < end; i++) if ((grades[i] as number) > 0) count++;
  return count;
}

/** Σ gain / log2(rank + 1) over the first `k` grades. */
function discounted(grades: Float64Array, k: number, gain: (grade: number) => number): number {
  let sum = 0;
  const end = Math.min(k, grades.length);
  for (let i = 0; i < end; i++) {
    const g = grades[i] as number;
    if (g > 0) sum += gain(g) / Math.log2(i + 2);
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
      const { grades, ideal } = lookUp(input);
      const best = discounted(ideal, k, gain);
      return best === 0 ? 0 : discounted(grades, k, gain) / best;
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
      const { grades } = lookUp(input);
      for (let i = 0; i < grades.length; i++) if ((grades[i] as number) > 0) sum += ++seen / (i + 1);
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
  {
    name: "Rprec",
    doc: "precision at rank R, the number of relevant documents",
    citation: "trec_eval Rprec; Buckley & Voorhees 2000, doi 10.1145/345508.345543",
    needs: "ranking",
    cutoff: "none",
    compute(input) {
      const all = relevantCount(input);
      return all === 0 ? 0 : found(input, all) / all;
    },
  },
  {
    name: "bpref",
    doc: "how seldom judged irrelevant documents stand above relevant ones; documents without a judgement, or with a negative grade, are passed over",
    citation: "Buckley & Voorhees 2004, doi 10.1145/1008992.1009000; trec_eval bpref",
    needs: "ranking",
    cutoff: "none",
    compute(input) {
      const { grades, relevant, ideal } = lookUp(input);
      if (relevant === 0) return 0;
      let irrelevant = 0;
      for (const g of ideal) if (g === 0) irrelevant++;
      let above = 0;
      let sum = 0;
      for (const g of grades) {
        if (g > 0) sum += above === 0 ? 1 : 1 - Math.min(above, relevant) / Math.min(irrelevant, relevant);
        else if (g === 0) above++;
      }
      return sum / relevant;
    },
  },
  {
    name: "RBP",
    doc: "rank-biased precision: share of relevant documents seen by a reader who goes on to the next with probability p",
    citation: "Moffat & Zobel 2008, doi 10.1145/1416950.1416952",
    needs: "ranking",
    cutoff: "optional",
    params: { p: ["0.8", "0.5", "0.95"] },
    compute(input, { k, params }) {
      const p = Number(params.p);
      const { grades } = lookUp(input);
      let sum = 0;
      let weight = 1 - p;
      for (let i = 0; i < Math.min(k, grades.length); i++, weight *= p) if ((grades[i] as number) > 0) sum += weight;
      return sum;
    },
  },
];
