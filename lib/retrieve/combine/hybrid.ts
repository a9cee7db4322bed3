import { integer, type OptionSpecs, resolveOptions } from "../../core/index.js";
import { bm25 } from "../bm25.js";
import { image } from "../dense/image.js";
import { imageEncoder, keyFrames, textEncoder } from "../dense/options.js";
import { text } from "../dense/text.js";
import { fromEntry } from "../entry.js";
import type { Retriever, RetrieverEntry } from "../types.js";
import { fuse, fuseOptions } from "./fuse.js";

const options: OptionSpecs = {
  ...fuseOptions,
  encoder: textEncoder,
  imageEncoder,
  keyFrames,
  depth: integer({ min: 1, default: 100, doc: "hits asked of each part" }),
};

const parts = (given: Readonly<Record<string, unknown>>): Retriever => {
  const { method, norm, rrfK, depth, encoder, imageEncoder, keyFrames } = given;
  return fuse([fromEntry(bm25), fromEntry(text, { encoder }), fromEntry(image, { imageEncoder, keyFrames })], {
    ...(resolveOptions("hybrid", fuseOptions, { method, norm, rrfK }) as object),
    depth: depth as number,
  });
};

interface HybridState {
  readonly fused: Retriever;
  readonly state: unknown;
}

/** Words, meaning and pictures in one ranking: `bm25`, `text` and, for questions with pictures, `image`, fused. See {@link fuse}. */
export const hybrid: RetrieverEntry = {
  name: "hybrid",
  version: "1",
  citation: "reciprocal rank fusion: Cormack et al. 2009, doi 10.1145/1571941.1572114",
  options,
  label: ({ method, encoder, imageEncoder }) => `hybrid (${method}: bm25, ${encoder}, ${imageEncoder})`,
  async prepare(context, given): Promise<HybridState> {
    const fused = parts(given);
    return { fused, state: await fused.prepare?.(context) };
  },
  search(query, context) {
    const { fused, state } = context.state as HybridState;
    return fused(query, { ...context, state });
  },
};
