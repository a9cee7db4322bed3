import { type Hit, oneOf } from "../core/index.js";
import { type Encoder, embed, encoder, encoderNames, openIndex, type VectorIndex } from "../embed/index.js";
import { contentOf, inTieOrder } from "./order.js";
import type { RetrieverEntry } from "./types.js";

interface TextState {
  readonly encoder: Encoder<string>;
  /** Triple or passage by row of the index, in the order of ties. */
  readonly contents: readonly Pick<Hit, "triple" | "passage">[];
  readonly index: VectorIndex;
}

/**
 * Dense retrieval by text: the cosine between the vectors of the question and of each candidate's text (head, relation
 * and tail labels, or the passage). An encoder that has corpus statistics is fitted to the candidates. A question without features
 * (an empty text) has no hits. Preparing encodes N texts and keeps 4 · N · dim bytes; a query costs O(N · dim).
 */
export const text: RetrieverEntry = {
  name: "text",
  version: "1",
  citation:
    "Karpukhin et al. 2020, Dense passage retrieval, arXiv 2004.04906; triples as text: MKG-RAG-Bench 2026, arXiv 2606.26458",
  options: { encoder: oneOf(encoderNames("text"), { default: "hash", doc: "Encoder of questions and triples" }) },
  label: (options) => `text (${options.encoder})`,
  async prepare({ candidates, signal }, options): Promise<TextState> {
    const sorted = inTieOrder(candidates);
    const texts = sorted.map((c) => c.text);
    const plain = (await encoder(options.encoder as string)) as Encoder<string>;
    const fitted = plain.fit?.(texts) ?? plain;
    const vectors = await embed(texts, fitted, { signal });
    return { encoder: fitted, contents: sorted.map(contentOf), index: await openIndex(vectors) };
  },
  async search(query, { state, k }) {
    const { encoder, contents, index } = state as TextState;
    const vector = await encoder.encode([query.text]);
    if (vector.every((value) => value === 0)) return [];
    const found = await index.search(vector, k);
    return found.map(({ row, score }) => ({ score, ...contents[row] }));
  },
};
