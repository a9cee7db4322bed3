import { type Image, isImage, MkgError, type OptionSpecs, quote } from "../../core/index.js";
import type { Encoder } from "../types.js";
import { modelOptions, outputOf, Weights } from "./transformers.js";

export const clipOptions: OptionSpecs = modelOptions("Xenova/clip-vit-base-patch32");

/** Rows of any length, and the same scaled to 1. */
function encoderOf<T extends string | Image>(
  parts: Omit<Encoder<T>, "encode" | "encodeRaw" | "dim">,
  dim: number,
  one: (item: T, i: number) => Promise<Float32Array>,
): Encoder<T> {
  const encodeRaw = async (items: readonly T[]): Promise<Float32Array> => {
    const out = new Float32Array(items.length * dim);
    for (const [i, item] of items.entries()) out.set(await one(item, i), i * dim);
    return out;
  };
  return Object.freeze({
    ...parts,
    dim,
    encodeRaw,
    async encode(items: readonly T[]): Promise<Float32Array> {
      const out = await encodeRaw(items);
      for (let i = 0; i < items.length; i++) {
        const row = out.subarray(i * dim, (i + 1) * dim);
        const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)) || 1;
        for (let j = 0; j < dim; j++) row[j] = (row[j] as number) / length;
      }
      return out;
    },
  });
}

/**
 * The text half of CLIP (Radford et al. 2021, arXiv 2103.00020) through transformers.js: the projected vector of a text of at most 77 tokens, in one space
 * with {@link clipImage}. `encodeRaw` gives it as long as the model does.
 */
export async function clipText(name: string, given: Readonly<Record<string, unknown>>): Promise<Encoder<string>> {
  const place = `encoder(${quote(name)})`;
  const weights = await Weights.find(place, given, ["text_model"]);
  const tokenizer = await weights.load((library, id, options) => library.AutoTokenizer.from_pretrained(id, options));
  const model = await weights.load((library, id, options) =>
    library.CLIPTextModelWithProjection.from_pretrained(id, { ...options, model_file_name: "text_model" }),
  );
  const one = async (text: string, i: number): Promise<Float32Array> => {
    if (typeof text !== "string")
      throw new MkgError(place, `item ${i} is not text (${quote(text)})`, "It encodes strings");
    return outputOf(place, await model(weights.tokens(tokenizer, text)), ["text_embeds"]).data;
  };
  const { length: dim } = await one("a", 0);
  const space = `clip ${weights.options.model}`;
  return encoderOf({ name, revision: weights.revision, modality: "text", space }, dim, one);
}

/** The picture half of CLIP: see {@link clipText}. */
export async function clipImage(name: string, given: Readonly<Record<string, unknown>>): Promise<Encoder<Image>> {
  const place = `encoder(${quote(name)})`;
  const weights = await Weights.find(place, given, ["vision_model"]);
  const processor = await weights.load((library, id, options) => library.AutoProcessor.from_pretrained(id, options));
  const model = await weights.load((library, id, options) =>
    library.CLIPVisionModelWithProjection.from_pretrained(id, { ...options, model_file_name: "vision_model" }),
  );
  const raster = async (picture: unknown): Promise<Float32Array> =>
    outputOf(place, await model(await processor(picture)), ["image_embeds"]).data;
  const one = async (image: Image, i: number): Promise<Float32Array> => {
    if (!isImage(image)) throw new MkgError(place, `item ${i} is not a picture (${quote(image)})`, "It encodes images");
    return raster(await weights.raw(image));
  };
  const { length: dim } = await raster(new weights.library.RawImage(new Uint8ClampedArray(48).fill(128), 4, 4, 3));
  const space = `clip ${weights.options.model}`;
  return encoderOf({ name, revision: weights.revision, modality: "image", space }, dim, one);
}
