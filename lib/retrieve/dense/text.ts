import type { RetrieverEntry } from "../types.js";
import { openText, textEncoder } from "./options.js";
import { questionOptions, questionText } from "./question.js";
import { hitsOf, type TextRows, textRows } from "./rows.js";

/**
 * Dense retrieval by text: the cosine between the vectors of the question and of each candidate's text (head, relation
 * and tail labels, or the passage). An encoder that has corpus statistics is fitted to the candidates. A question without features
 * (an empty text) has no hits. Preparing encodes N texts and keeps 4 · N · dim bytes; a query costs O(N · dim).
 */
export const text: RetrieverEntry = {
  name: "text",
  version: "2",
  citation:
    "Karpukhin et al. 2020, Dense passage retrieval, arXiv 2004.04906; triples as text: MKG-RAG-Bench 2026, arXiv 2606.26458",
  options: { encoder: textEncoder, ...questionOptions },
  label: (options) => `text (${options.encoder})`,
  async prepare(context, options): Promise<TextRows> {
    const encoder = await openText(options.encoder, context);
    return textRows(context, encoder, ({ text }) => (options.lowerCase === true ? text.toLowerCase() : text));
  },
  search: (query, { state, k }, options) => searchText(state as TextRows, questionText(query.text, options), k),
};

/** The hits by text alone; none for a text without features. */
export async function searchText({ encoder, index, candidates }: TextRows, text: string, k: number) {
  const vector = await encoder.encode([text]);
  return vector.every((value) => value === 0) ? [] : hitsOf(candidates, await index.search(vector, k));
}
