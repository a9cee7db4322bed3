import type { Random } from "../../core/index.js";
import type { KgeModel } from "./models.js";

/** Triples as columns of entity and relation numbers. */
export interface TripleColumns {
  readonly head: Int32Array;
  readonly relation: Int32Array;
  readonly tail: Int32Array;
}

export interface StepOptions {
  readonly dim: number;
  readonly negatives: number;
  readonly loss: "margin" | "logistic";
  readonly margin: number;
  /** Temperature of the weights of negatives, harder ones counting more; 0: all the same. */
  readonly adversarial: number;
  readonly learningRate: number;
  readonly optimiser: "adagrad" | "adam";
}

/** Numbers that are trained, and what the optimiser knows of each. */
export class Parameters {
  readonly first: Float32Array;
  readonly second: Float32Array;
  /** Gradients of the rows that a batch touches. */
  #gradient = new Float64Array(0);
  readonly #slot: Int32Array;
  #touched: Int32Array;
  #count = 0;

  constructor(
    readonly values: Float32Array,
    readonly size: number,
    optimiser: StepOptions["optimiser"],
  ) {
    const rows = values.length / size;
    this.first = new Float32Array(values.length);
    this.second = optimiser === "adam" ? new Float32Array(values.length) : new Float32Array(0);
    this.#slot = new Int32Array(rows).fill(-1);
    this.#touched = new Int32Array(Math.min(rows, 1024));
  }

  /** Where the gradient of a row begins; zero when the row is new in this batch. */
  slot(row: number): number {
    const known = this.#slot[row] as number;
    if (known >= 0) return known * this.size;
    const slot = this.#count++;
    if (slot === this.#touched.length) {
      const more = new Int32Array(2 * slot);
      more.set(this.#touched);
      this.#touched = more;
    }
    if ((slot + 1) * this.size > this.#gradient.length) {
      const more = new Float64Array(Math.max(2 * this.#gradient.length, 256 * this.size));
      more.set(this.#gradient);
      this.#gradient = more;
    }
    this.#slot[row] = slot;
    this.#touched[slot] = row;
    return slot * this.size;
  }

  get gradient(): Float64Array {
    return this.#gradient;
  }

  /** Moves the touched rows, and forgets their gradients. `step` counts from 1. Cost: the rows touched. */
  update({ optimiser, learningRate }: StepOptions, step: number): void {
    const { values, first, second, size } = this;
    const gradient = this.#gradient;
    const [b1, b2, tiny] = [0.9, 0.999, 1e-8];
    const rate = optimiser === "adam" ? (learningRate * Math.sqrt(1 - b2 ** step)) / (1 - b1 ** step) : learningRate;
    for (let slot = 0; slot < this.#count; slot++) {
      const row = this.#touched[slot] as number;
      const [from, own] = [row * size, slot * size];
      if (optimiser === "adam")
        for (let i = 0; i < size; i++) {
          const p = from + i;
          const slope = gradient[own + i] as number;
          const m = b1 * (first[p] as number) + (1 - b1) * slope;
          const v = b2 * (second[p] as number) + (1 - b2) * slope * slope;
          first[p] = m;
          second[p] = v;
          values[p] = (values[p] as number) - (rate * m) / (Math.sqrt(v) + tiny);
        }
      else
        for (let i = 0; i < size; i++) {
          const p = from + i;
          const slope = gradient[own + i] as number;
          if (slope === 0) continue;
          const sum = (first[p] as number) + slope * slope;
          first[p] = sum;
          values[p] = (values[p] as number) - (rate * slope) / (Math.sqrt(sum) + tiny);
        }
      gradient.fill(0, own, own + size);
      this.#slot[row] = -1;
    }
    this.#count = 0;
  }
}

const softplus = (x: number): number => (x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x)));
const sigmoid = (x: number): number => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

/** Triples that take the place of a positive one, as numbers of the entity that stands in and whether at the head. */
export type Corrupt = (positive: number, random: Random) => { readonly entity: number; readonly atHead: boolean };

/**
 * The mean loss of the positives `batch` against negatives, gradients added to the parameters'. Cost: batch · (1 + negatives) · dim.
 *
 * margin: mean over negatives of max(0, margin − s(positive) + s(negative)). logistic: softplus(−s₊) + Σ w softplus(s₋), with s shifted by the margin for distances,
 * and w = 1 / negatives, or, adversarial, a softmax of s₋ at that temperature, taken as a constant (Sun et al. 2019, arXiv 1902.10197, equation 5).
 */
export function lossOf(
  model: KgeModel,
  entities: Parameters,
  relations: Parameters,
  triples: TripleColumns,
  batch: Int32Array,
  corrupt: Corrupt,
  random: Random,
  options: StepOptions,
): number {
  const { dim, negatives, margin, adversarial, loss } = options;
  const { values: e, size } = entities;
  const { values: rel, size: relSize } = relations;
  const shift = model.isDistance ? margin : 0;
  const scores = new Float64Array(negatives);
  const heads = new Int32Array(negatives);
  const tails = new Int32Array(negatives);
  let total = 0;
  const back = (head: number, relation: number, tail: number, g: number): void => {
    if (g === 0) return;
    const [gh, gr, gt] = [entities.slot(head), relations.slot(relation), entities.slot(tail)];
    model.backward(
      e,
      head * size,
      rel,
      relation * relSize,
      tail * size,
      dim,
      g,
      entities.gradient,
      gh,
      relations.gradient,
      gr,
      gt,
    );
  };
  for (const positive of batch) {
    const head = triples.head[positive] as number;
    const relation = triples.relation[positive] as number;
    const tail = triples.tail[positive] as number;
    const score = model.score(e, head * size, rel, relation * relSize, tail * size, dim);
    for (let j = 0; j < negatives; j++) {
      const { entity, atHead } = corrupt(positive, random);
      heads[j] = atHead ? entity : head;
      tails[j] = atHead ? tail : entity;
      scores[j] = model.score(
        e,
        (heads[j] as number) * size,
        rel,
        relation * relSize,
        (tails[j] as number) * size,
        dim,
      );
    }
    let slope = 0; // of the loss by the positive's score
    if (loss === "margin") {
      for (let j = 0; j < negatives; j++) {
        const violated = margin - score + (scores[j] as number);
        if (violated <= 0) continue;
        total += violated / negatives;
        slope -= 1 / negatives;
        back(heads[j] as number, relation, tails[j] as number, 1 / negatives / batch.length);
      }
    } else {
      total += softplus(-(score + shift));
      slope = -sigmoid(-(score + shift));
      let largest = Number.NEGATIVE_INFINITY;
      for (const s of scores) largest = Math.max(largest, s);
      let sum = 0;
      for (const s of scores) sum += Math.exp(adversarial * (s - largest));
      for (let j = 0; j < negatives; j++) {
        const s = (scores[j] as number) + shift;
        const weight =
          adversarial > 0 ? Math.exp(adversarial * ((scores[j] as number) - largest)) / sum : 1 / negatives;
        total += weight * softplus(s);
        back(heads[j] as number, relation, tails[j] as number, (weight * sigmoid(s)) / batch.length);
      }
    }
    back(head, relation, tail, slope / batch.length);
  }
  return total / batch.length;
}
