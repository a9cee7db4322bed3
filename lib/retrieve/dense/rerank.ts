import { integer } from "../../core/index.js";
import { dot, TopK } from "../../embed/index.js";
import type { KeyFrames } from "../../media/index.js";
import type { RetrieverEntry } from "../types.js";
import { imageEncoder, keyFrames, openImage, openText, textEncoder } from "./options.js";
import { questionOptions, questionText } from "./question.js";
import {
  hitsOf,
  ownersOf,
  type Pictures,
  pictureScores,
  pictures,
  questionFrames,
  type TextRows,
  textRows,
} from "./rows.js";
import { searchText } from "./text.js";

interface RerankState {
  readonly text: TextRows;
  readonly pictures: Pictures;
  /** Rows of each owner, ascending. */
  readonly rowsOf: readonly (readonly number[])[];
}

/**
 * Anchors by picture, ranks by text: of the heads, the `anchors` whose pictures fit the question's best; of their triples, the order of the cosine
 * between question and triple text. Only triples of those heads are returned, so that fewer than k hits are possible and recall at a large k is bounded;
 * a question without pictures, or candidates without any, are searched by text alone. Heads that fit equally: by id.
 */
export const rerank: RetrieverEntry = {
  name: "rerank",
  version: "1",
  citation: "the anchor retriever of MKG-RAG-Bench 2026, arXiv 2606.26458",
  options: {
    encoder: textEncoder,
    imageEncoder,
    anchors: integer({ min: 1, default: 10, doc: "heads that are kept by their pictures (10 as released)" }),
    keyFrames,
    ...questionOptions,
  },
  label: (options) => `rerank (${options.encoder}, ${options.imageEncoder})`,
  async prepare(context, options): Promise<RerankState> {
    const text = await textRows(context, await openText(options.encoder, context), ({ text }) =>
      options.lowerCase === true ? text.toLowerCase() : text,
    );
    const known = await pictures(context, await openImage(options.imageEncoder, context), {
      of: "head",
      keyFrames: options.keyFrames as KeyFrames,
    });
    const rowsOf: number[][] = Array.from({ length: known.owners.size }, () => []);
    text.candidates.forEach((candidate, row) => {
      for (const key of ownersOf(candidate, context.graph, "head")) rowsOf[known.owners.get(key) ?? -1]?.push(row);
    });
    return { text, pictures: known, rowsOf };
  },
  async search(query, { state, k }, options) {
    const { text, pictures: known, rowsOf } = state as RerankState;
    const asked = questionText(query.text, options);
    const shown = await questionFrames(query.images, known.encoder, options.keyFrames as KeyFrames);
    if (!shown || known.owners.size === 0) return searchText(text, asked, k);
    const anchors = new TopK(options.anchors as number, known.owners.size);
    pictureScores(known, shown).forEach((score, owner) => {
      anchors.push(owner, score);
    });
    const vector = await text.encoder.encode([asked]);
    const { data, dim } = text.vectors;
    const best = new TopK(k, text.candidates.length);
    for (const anchor of anchors.ranked())
      for (const row of rowsOf[anchor.row] as readonly number[]) best.push(row, dot(vector, 0, data, row, dim));
    return hitsOf(text.candidates, best.ranked());
  },
};
