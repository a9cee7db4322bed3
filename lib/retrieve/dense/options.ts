import { type Image, type OptionSpec, oneOf, oneOfForms } from "../../core/index.js";
import { type Encoder, encoder, encoderNames, isEncoder } from "../../embed/index.js";
import { keyFrameChoices } from "../../media/index.js";

const encoderOption = (modality: "text" | "image", fallback: string, doc: string): OptionSpec => {
  const named = oneOf(encoderNames(modality), { default: fallback, doc });
  return {
    ...named,
    allowed: `${named.allowed}, or an encoder of ${modality === "text" ? "texts" : "pictures"}`,
    check: (value) => named.check(value) || (isEncoder(value) && value.modality === modality),
  };
};

export const textEncoder = encoderOption("text", "hash", "encoder of questions and triples");
export const imageEncoder = encoderOption("image", "pixels", "encoder of pictures");
export const keyFrames: OptionSpec = oneOfForms(Object.keys(keyFrameChoices), {
  default: "all",
  doc: "frames of the question's and of the entities' clips that are compared",
});
export const pictureOf: OptionSpec = oneOf(["head", "tail", "either"], {
  default: "head",
  doc: "whose pictures stand for a triple: its head's, as in MKG-RAG-Bench, its tail's, or the better of both",
});

/** The encoder that an option means. */
const open = async (value: unknown): Promise<Encoder> => (isEncoder(value) ? value : encoder(value as string));
export const openText = (value: unknown): Promise<Encoder<string>> => open(value) as Promise<Encoder<string>>;
export const openImage = (value: unknown): Promise<Encoder<Image>> => open(value) as Promise<Encoder<Image>>;
