/** A scoring function of triples: higher is more plausible. `h`, `r`, `t` are where the three vectors begin. */
export interface KgeModel {
  readonly citation: string;
  /** Numbers of a vector of entities and of relations, of a dimension. */
  readonly entitySize: (dim: number) => number;
  readonly relationSize: (dim: number) => number;
  /** Loss that the authors trained with, and whether the margin is added to the score (distances need it, products do not). */
  readonly loss: "margin" | "logistic";
  readonly isDistance: boolean;
  score(e: Float32Array, h: number, rel: Float32Array, r: number, t: number, dim: number): number;
  /** Adds g · ∂score to the gradients of head, relation and tail, which begin at `gh`, `gr`, `gt`. */
  backward(
    e: Float32Array,
    h: number,
    rel: Float32Array,
    r: number,
    t: number,
    dim: number,
    g: number,
    ge: Float64Array,
    gh: number,
    grel: Float64Array,
    gr: number,
    gt: number,
  ): void;
}

const at = (x: Float32Array, i: number): number => x[i] as number;
const add = (x: Float64Array, i: number, value: number): void => {
  x[i] = (x[i] as number) + value;
};

/** −‖h + r − t‖₁. */
const transe: KgeModel = {
  citation: "Bordes et al. 2013, Translating embeddings for modeling multi-relational data, NeurIPS",
  entitySize: (dim) => dim,
  relationSize: (dim) => dim,
  loss: "margin",
  isDistance: true,
  score(e, h, rel, r, t, dim) {
    // four sums at once, since a single one would wait for itself at every step
    let [a, b, c, d] = [0, 0, 0, 0];
    let i = 0;
    for (; i + 3 < dim; i += 4) {
      a += Math.abs(at(e, h + i) + at(rel, r + i) - at(e, t + i));
      b += Math.abs(at(e, h + i + 1) + at(rel, r + i + 1) - at(e, t + i + 1));
      c += Math.abs(at(e, h + i + 2) + at(rel, r + i + 2) - at(e, t + i + 2));
      d += Math.abs(at(e, h + i + 3) + at(rel, r + i + 3) - at(e, t + i + 3));
    }
    for (; i < dim; i++) a += Math.abs(at(e, h + i) + at(rel, r + i) - at(e, t + i));
    return -(a + b + c + d);
  },
  backward(e, h, rel, r, t, dim, g, ge, gh, grel, gr, gt) {
    for (let i = 0; i < dim; i++) {
      const sign = -g * Math.sign(at(e, h + i) + at(rel, r + i) - at(e, t + i));
      add(ge, gh + i, sign);
      add(grel, gr + i, sign);
      add(ge, gt + i, -sign);
    }
  },
};

/** Σ h r t. */
const distmult: KgeModel = {
  citation:
    "Yang et al. 2015, Embedding entities and relations for learning and inference in knowledge bases, arXiv 1412.6575",
  entitySize: (dim) => dim,
  relationSize: (dim) => dim,
  loss: "logistic",
  isDistance: false,
  score(e, h, rel, r, t, dim) {
    let sum = 0;
    for (let i = 0; i < dim; i++) sum += at(e, h + i) * at(rel, r + i) * at(e, t + i);
    return sum;
  },
  backward(e, h, rel, r, t, dim, g, ge, gh, grel, gr, gt) {
    for (let i = 0; i < dim; i++) {
      const [x, y, z] = [at(e, h + i), at(rel, r + i), at(e, t + i)];
      add(ge, gh + i, g * y * z);
      add(grel, gr + i, g * x * z);
      add(ge, gt + i, g * x * y);
    }
  },
};

/** Re Σ h r t̄, real parts first, then imaginary ones. */
const complex: KgeModel = {
  citation: "Trouillon et al. 2016, Complex embeddings for simple link prediction, arXiv 1606.06357",
  entitySize: (dim) => 2 * dim,
  relationSize: (dim) => 2 * dim,
  loss: "logistic",
  isDistance: false,
  score(e, h, rel, r, t, dim) {
    let sum = 0;
    for (let i = 0; i < dim; i++) {
      const [a, b, c, d] = [at(e, h + i), at(e, h + dim + i), at(rel, r + i), at(rel, r + dim + i)];
      sum += (a * c - b * d) * at(e, t + i) + (a * d + b * c) * at(e, t + dim + i);
    }
    return sum;
  },
  backward(e, h, rel, r, t, dim, g, ge, gh, grel, gr, gt) {
    for (let i = 0; i < dim; i++) {
      const [a, b, c, d] = [at(e, h + i), at(e, h + dim + i), at(rel, r + i), at(rel, r + dim + i)];
      const [x, y] = [at(e, t + i), at(e, t + dim + i)];
      add(ge, gh + i, g * (c * x + d * y));
      add(ge, gh + dim + i, g * (c * y - d * x));
      add(grel, gr + i, g * (a * x + b * y));
      add(grel, gr + dim + i, g * (a * y - b * x));
      add(ge, gt + i, g * (a * c - b * d));
      add(ge, gt + dim + i, g * (a * d + b * c));
    }
  },
};

/** −Σ |h e^{ir} − t| over complex components; a relation is a list of angles. */
const rotate: KgeModel = {
  citation:
    "Sun et al. 2019, RotatE: knowledge graph embedding by relational rotation in complex space, arXiv 1902.10197",
  entitySize: (dim) => 2 * dim,
  relationSize: (dim) => dim,
  loss: "logistic",
  isDistance: true,
  score(e, h, rel, r, t, dim) {
    let sum = 0;
    for (let i = 0; i < dim; i++) {
      const [a, b, angle] = [at(e, h + i), at(e, h + dim + i), at(rel, r + i)];
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const re = a * c - b * s - at(e, t + i);
      const im = a * s + b * c - at(e, t + dim + i);
      sum += Math.sqrt(re * re + im * im);
    }
    return -sum;
  },
  backward(e, h, rel, r, t, dim, g, ge, gh, grel, gr, gt) {
    for (let i = 0; i < dim; i++) {
      const [a, b, angle] = [at(e, h + i), at(e, h + dim + i), at(rel, r + i)];
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const re = a * c - b * s - at(e, t + i);
      const im = a * s + b * c - at(e, t + dim + i);
      const length = Math.sqrt(re * re + im * im);
      // where the two meet the modulus has no slope
      if (length === 0) continue;
      const [u, v] = [(-g * re) / length, (-g * im) / length];
      add(ge, gh + i, u * c + v * s);
      add(ge, gh + dim + i, v * c - u * s);
      add(grel, gr + i, u * (-a * s - b * c) + v * (a * c - b * s));
      add(ge, gt + i, -u);
      add(ge, gt + dim + i, -v);
    }
  },
};

export const kgeModels = { complex, distmult, rotate, transe } as const satisfies Readonly<Record<string, KgeModel>>;
export type KgeModelName = keyof typeof kgeModels;
