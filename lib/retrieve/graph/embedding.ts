import { integer, real } from "../../core/index.js";
import type { Candidate } from "../../datasets/index.js";
import { type GraphEmbedding, kgeOptions, type LinkTriple, TopK, trainGraphEmbedding } from "../../embed/index.js";
import { hitsOf } from "../dense/rows.js";
import { inTieOrder } from "../order.js";
import type { RetrieverEntry } from "../types.js";
import { type EdgeFit, edgeFit } from "./fit.js";
import { type EntityLinker, entityLinker, linkOptions, linkTrace } from "./link.js";

interface EmbeddingState {
  readonly link: EntityLinker;
  readonly candidates: readonly Candidate[];
  readonly fit: EdgeFit;
  readonly embedding: GraphEmbedding | undefined;
}

const { model, negatives, learningRate } = kgeOptions as Required<typeof kgeOptions>;

/**
 * Triples near the entities that the question is about, in the vector space of a graph embedding that is trained on the candidates: an entity counts as much as
 * its cosine with the linked ones, by their weights; a triple as the mean of its ends, times `floor` + cosine^`fit` of its sort with the question.
 * What is like a linked entity in the graph is found though no edge joins them. Entities: see `entityLinker`. Training costs
 * O(epochs · triples · negatives · dim), once; a query O(linked · entities · dim + N).
 */
export const embedding: RetrieverEntry = {
  name: "embedding",
  version: "1",
  citation: "RotatE: Sun et al. 2019, arXiv 1902.10197; TransE: Bordes et al. 2013",
  options: {
    model: { ...(model as NonNullable<typeof model>), default: "rotate" },
    dim: integer({ min: 1, max: 4096, default: 32, doc: "dimension of the graph embedding" }),
    epochs: integer({ min: 1, max: 1_000_000, default: 30, doc: "passes over the candidates in training" }),
    negatives: negatives as NonNullable<typeof negatives>,
    learningRate: learningRate as NonNullable<typeof learningRate>,
    fit: real({
      min: 0,
      max: 100,
      default: 2,
      doc: "how much the fit of edge and question counts: the power of their cosine",
    }),
    floor: real({ min: 1e-9, max: 1, default: 0.01, doc: "weight of an edge that does not fit at all" }),
    ...linkOptions,
  },
  label: (options) => `embedding (${options.model}, ${options.encoder})`,
  async prepare(context, options): Promise<EmbeddingState> {
    const { graph, seed, signal } = context;
    const candidates = inTieOrder(context.candidates);
    const own = Object.fromEntries(Object.keys(linkOptions).map((key) => [key, options[key]]));
    const triples = candidates.flatMap(({ triple }): LinkTriple[] =>
      triple === undefined ? [] : [graph.triple(triple)],
    );
    const { model, dim, epochs, negatives, learningRate } = options;
    return {
      candidates,
      link: await entityLinker(context, own),
      fit: await edgeFit(context, candidates, options.encoder),
      embedding:
        triples.length === 0
          ? undefined
          : await trainGraphEmbedding(graph, {
              model,
              dim,
              epochs,
              negatives,
              learningRate,
              seed,
              triples,
              signal,
            } as never),
    };
  },
  async search(query, { state, k, graph }, options) {
    const { link, candidates, fit, embedding } = state as EmbeddingState;
    const linked = await link(query);
    const trace = linkTrace(linked);
    if (!embedding || linked.length === 0) return { hits: [], trace };
    const nearness = new Float64Array(embedding.entities.length);
    for (const { entity, weight } of linked)
      embedding.cosines(entity).forEach((cosine, row) => {
        nearness[row] = (nearness[row] as number) + weight * Math.max(0, cosine);
      });
    const near = new Map(embedding.entities.map((id, row) => [id, nearness[row] as number]));
    const fits = await fit.of(query.text, linked);
    const best = new TopK(k, candidates.length);
    candidates.forEach(({ triple }, row) => {
      if (triple === undefined) return;
      const { head, tail } = graph.triple(triple);
      const ends = ((near.get(head) as number) + (near.get(tail) as number)) / 2;
      best.push(row, ends * ((options.floor as number) + (fits[row] as number) ** (options.fit as number)));
    });
    return { hits: hitsOf(candidates, best.ranked()), trace };
  },
};
