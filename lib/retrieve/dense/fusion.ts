import { oneOf } from "../../core/index.js";
import { type Encoder, openIndex, type VectorIndex } from "../../embed/index.js";
import type { KeyFrames } from "../../media/index.js";
import type { RetrieverEntry } from "../types.js";
import { imageEncoder, keyFrames, openImage, openText, textEncoder } from "./options.js";
import { questionOptions, questionText } from "./question.js";
import { hitsOf, meanRow, ownersOf, pictures, questionFrames, type TextRows, textRows, unit } from "./rows.js";

interface FusionState {
  readonly text: TextRows;
  readonly image: Awaited<ReturnType<typeof openImage>>;
  readonly index: VectorIndex;
  /** Whether both encoders map into one space, where their vectors may be added. */
  readonly shared: boolean;
}

/** Text and picture as one vector: their mean where they share a space, else one beside the other. Length as it comes. */
function joined(text: Float32Array, picture: Float32Array | null, shared: boolean, imageDim: number): Float32Array {
  const out = new Float32Array(shared ? text.length : text.length + imageDim);
  out.set(text);
  if (!picture) return out;
  if (shared) for (let j = 0; j < out.length; j++) out[j] = ((out[j] as number) + (picture[j] as number)) / 2;
  else out.set(picture, text.length);
  return out;
}

/**
 * One vector for text and picture: of a triple, the mean of the unit vectors of its text and of its head's picture where there is one, scaled to
 * length 1; of a question the same with its own picture; ranked by their cosine. A head with several pictures has the mean of their vectors.
 *
 * Encoders of different spaces, such as `hash` and `pixels`, cannot be averaged: their vectors stand one beside the other, so that the inner product
 * is the sum of the two cosines; where both sides have a picture, both count the same. Preparing keeps 4 · N · dim bytes; a query costs O(N · dim).
 */
export const fusion: RetrieverEntry = {
  name: "fusion",
  version: "1",
  citation: "the fusion retriever of MKG-RAG-Bench 2026, arXiv 2606.26458",
  options: {
    encoder: textEncoder,
    imageEncoder,
    queryFusion: oneOf(["normalised", "unnormalised"], {
      default: "normalised",
      doc: "the question's vectors before their mean: of length 1, as MKG-RAG-Bench-M has them; or as long as the encoder gives them, as -G does, where the longer one outweighs the other",
    }),
    keyFrames,
    ...questionOptions,
  },
  label: (options) => `fusion (${options.encoder}, ${options.imageEncoder})`,
  async prepare(context, options): Promise<FusionState> {
    const image = await openImage(options.imageEncoder, context);
    const text = await textRows(context, await openText(options.encoder, context), ({ text }) =>
      options.lowerCase === true ? text.toLowerCase() : text,
    );
    const known = await pictures(context, image, { of: "head", keyFrames: options.keyFrames as KeyFrames });
    const shared = text.encoder.space !== undefined && text.encoder.space === image.space;
    const means = Array.from({ length: known.owners.size }, (_, owner) =>
      meanRow(known.frames.data, known.starts[owner] as number, known.starts[owner + 1] as number, image.dim),
    );
    const n = text.candidates.length;
    const dim = shared ? text.encoder.dim : text.encoder.dim + image.dim;
    const data = new Float32Array(n * dim);
    text.candidates.forEach((candidate, row) => {
      const own = text.vectors.data.subarray(row * text.vectors.dim, (row + 1) * text.vectors.dim);
      const [owner = ""] = ownersOf(candidate, context.graph, "head");
      data.set(unit(joined(own, means[known.owners.get(owner) ?? -1] ?? null, shared, image.dim)), row * dim);
    });
    const revision = `${text.vectors.revision} ${image.name} ${image.revision}`;
    const index = await openIndex({ ...text.vectors, dim, data, revision });
    return { text, image, index, shared };
  },
  async search(query, { state, k }, options) {
    const { text, image, index, shared } = state as FusionState;
    const raw = options.queryFusion === "unnormalised";
    const said = await rows(text.encoder, [questionText(query.text, options)], raw);
    const shown =
      raw && query.images.length > 0
        ? await questionFrames(
            query.images,
            { ...image, encode: (items) => rows(image, items, true) },
            options.keyFrames as KeyFrames,
          )
        : await questionFrames(query.images, image, options.keyFrames as KeyFrames);
    const picture =
      shown && (raw && shown.length === image.dim ? shown : meanRow(shown, 0, shown.length / image.dim, image.dim));
    const vector = unit(joined(said, picture, shared, image.dim));
    return vector.every((value) => value === 0) ? [] : hitsOf(text.candidates, await index.search(vector, k));
  },
};

/** Rows of an encoder; `raw`: as long as the model gives them, where it gives any other length than 1. */
const rows = <T extends string | import("../../core/index.js").Image>(
  encoder: Encoder<T>,
  items: readonly T[],
  raw: boolean,
): Promise<Float32Array> => (raw && encoder.encodeRaw ? encoder.encodeRaw(items) : encoder.encode(items));
