import { TopK } from "../../embed/index.js";
import type { KeyFrames } from "../../media/index.js";
import { inTieOrder } from "../order.js";
import type { RetrieverEntry } from "../types.js";
import { imageEncoder, keyFrames, openImage, pictureOf } from "./options.js";
import { hitsOf, ownersOf, type PictureOf, type Pictures, pictureScores, pictures, questionFrames } from "./rows.js";

interface ImageState {
  readonly pictures: Pictures;
  readonly candidates: ReturnType<typeof inTieOrder>;
  /** Owners by candidate: positions in `pictures`, of those that have any. */
  readonly owners: readonly (readonly number[])[];
}

/**
 * Retrieval by picture alone: how well the question's pictures fit those of a triple's head (or tail), or of a passage: the mean over the
 * question's frames of the largest cosine over theirs. All triples of one entity tie, by id ascending. A question without pictures, and
 * candidates without any, have no hits. A query costs O(frames · dim + N).
 */
export const image: RetrieverEntry = {
  name: "image",
  version: "1",
  citation:
    "stage 1 of the anchor retriever of MKG-RAG-Bench 2026, arXiv 2606.26458; late interaction over frames: Khattab & Zaharia 2020, arXiv 2004.12832",
  options: { imageEncoder, keyFrames, of: pictureOf },
  label: (options) => `image (${options.imageEncoder})`,
  async prepare(context, options): Promise<ImageState> {
    const of = options.of as PictureOf;
    const known = await pictures(context, await openImage(options.imageEncoder, context), {
      of,
      keyFrames: options.keyFrames as KeyFrames,
    });
    const candidates = inTieOrder(context.candidates);
    const owners = candidates.map((candidate) =>
      ownersOf(candidate, context.graph, of).flatMap((key) => known.owners.get(key) ?? []),
    );
    return { pictures: known, candidates, owners };
  },
  async search(query, { state, k }, options) {
    const { pictures: known, candidates, owners } = state as ImageState;
    const shown = await questionFrames(query.images, known.encoder, options.keyFrames as KeyFrames);
    if (!shown || known.owners.size === 0) return [];
    const scores = pictureScores(known, shown);
    const best = new TopK(k, candidates.length);
    owners.forEach((own, row) => {
      if (own.length > 0) best.push(row, Math.max(...own.map((owner) => scores[owner] as number)));
    });
    return hitsOf(candidates, best.ranked());
  },
};
