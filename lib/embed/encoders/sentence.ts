import { integer, MkgError, type OptionSpecs, oneOf, quote } from "../../core/index.js";
import type { Encoder } from "../types.js";
import { modelOptions, outputOf, Weights } from "./transformers.js";

/** Options of an encoder of sentences: which model, and how the vectors of its tokens become one. */
export const sentenceOptions = (model: string, pooling: "mean" | "cls"): OptionSpecs => ({
  ...modelOptions(model),
  pooling: oneOf(["mean", "cls"], {
    default: pooling,
    doc: "the mean of the vectors of all tokens, or that of the first, as the model was trained",
  }),
  maxTokens: integer({
    min: 0,
    max: 100_000,
    default: 0,
    doc: "where longer texts are cut; 0: where the tokenizer says",
  }),
});

/**
 * A sentence encoder through transformers.js: the vectors of a text's tokens, pooled, scaled to length 1. Texts go through the model one by one: in a
 * batch the padding changes the last digits of every row, so that scores would depend on what else was encoded.
 */
export async function sentenceEncoder(
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Encoder<string>> {
  const place = `encoder(${quote(name)})`;
  const weights = await Weights.find(place, given, ["model"]);
  const pooling = given.pooling as "mean" | "cls";
  const maxTokens = given.maxTokens as number;
  const tokenizer = await weights.load((library, id, options) => library.AutoTokenizer.from_pretrained(id, options));
  const model = await weights.load((library, id, options) => library.AutoModel.from_pretrained(id, options));
  const one = async (text: string): Promise<Float32Array> => {
    const output = outputOf(place, await model(weights.tokens(tokenizer, text, maxTokens)), [
      "last_hidden_state",
      "token_embeddings",
    ]);
    const [, tokens = 0, dim = 0] = output.dims;
    const row = new Float64Array(dim);
    for (let t = 0; t < (pooling === "cls" ? 1 : tokens); t++)
      for (let j = 0; j < dim; j++) row[j] = (row[j] as number) + (output.data[t * dim + j] as number);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)) || 1;
    return Float32Array.from(row, (value) => value / length);
  };
  const { length: dim } = await one("a");
  return Object.freeze({
    name,
    revision: `${weights.revision}-${pooling}-${maxTokens}`,
    modality: "text" as const,
    dim,
    async encode(items: readonly string[]): Promise<Float32Array> {
      const out = new Float32Array(items.length * dim);
      for (const [i, item] of items.entries()) {
        if (typeof item !== "string")
          throw new MkgError(place, `item ${i} is not text (${quote(item)})`, "It encodes strings");
        // a text without any character says nothing: a zero row, as every encoder gives it
        if (item.trim() !== "") out.set(await one(item), i * dim);
      }
      return out;
    },
  });
}
