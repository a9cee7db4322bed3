import { contentWords } from "../../core/index.js";
import type { Candidate } from "../../datasets/index.js";
import { dot, type Encoder, embed, type Vectors } from "../../embed/index.js";
import { cacheOf, openText } from "../dense/options.js";
import { questionText } from "../dense/question.js";
import type { PrepareContext } from "../types.js";
import type { LinkedEntity } from "./link.js";

/** How well edges fit a question, by what sort of edge they are. */
export interface EdgeFit {
  /** Cosine, at least 0, of the question without the names that it links with each candidate's sort. */
  of(text: string, linked: readonly LinkedEntity[]): Promise<Float64Array>;
}

/**
 * Encodes each sort of edge once: its relation, the kind of its tail, and whether it has a condition. There are far fewer sorts than edges, and
 * the names at an edge's ends say nothing about the relation that a question asks for. Memory 4 · sorts · dim bytes and 4 a candidate.
 */
export async function edgeFit(
  context: PrepareContext,
  candidates: readonly Candidate[],
  encoderName: unknown,
): Promise<EdgeFit> {
  const { graph, signal } = context;
  const positions = new Map<string, number>();
  const sortOf = Int32Array.from(candidates, ({ triple }) => {
    if (triple === undefined) return -1;
    const { relationLabel, tail, condition } = graph.triple(triple);
    const sort = contentWords(`${relationLabel} ${graph.entity(tail).kind} ${condition === "" ? "" : "condition"}`);
    const known = positions.get(sort) ?? positions.size;
    positions.set(sort, known);
    return known;
  });
  const plain = (await openText(encoderName, context)) as Encoder<string>;
  const sorts = [...positions.keys()];
  const encoder = plain.fit?.(sorts) ?? plain;
  const vectors: Vectors = await embed(sorts, encoder, { signal, ...cacheOf(context) });
  return {
    async of(text, linked) {
      // the longest name first: "West Africa" before "Africa"
      const names = linked.filter(({ via }) => via === "mention").map(({ entity }) => graph.entity(entity).label);
      names.sort((a, b) => b.length - a.length);
      const rest = names.reduce((left, name) => contentWords(left, name), questionText(text, {}));
      const vector = await encoder.encode([contentWords(rest)]);
      const cosines = Float64Array.from(sorts, (_, i) => Math.max(0, dot(vector, 0, vectors.data, i, vectors.dim)));
      return Float64Array.from(sortOf, (sort) => cosines[sort] ?? 0);
    },
  };
}
