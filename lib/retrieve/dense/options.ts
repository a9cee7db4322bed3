import { type Image, type OptionSpec, oneOf, oneOfForms } from "../../core/index.js";
import { type Encoder, encoder, encoderNames } from "../../embed/index.js";
import { keyFrameChoices } from "../../media/index.js";
import type { PrepareContext } from "../types.js";

export const textEncoder: OptionSpec = oneOf(encoderNames("text"), {
  default: "hash",
  doc: "encoder of questions and triples",
});
export const imageEncoder: OptionSpec = oneOf(encoderNames("image"), { default: "pixels", doc: "encoder of pictures" });
export const keyFrames: OptionSpec = oneOfForms(Object.keys(keyFrameChoices), {
  default: "all",
  doc: "frames of the question's and of the entities' clips that are compared",
});
export const pictureOf: OptionSpec = oneOf(["head", "tail", "either"], {
  default: "head",
  doc: "whose pictures stand for a triple: its head's, as in MKG-RAG-Bench, its tail's, or the better of both",
});

export const openText = (name: unknown, _context: Pick<PrepareContext, "folders">): Promise<Encoder<string>> =>
  encoder(name as string) as Promise<Encoder<string>>;
export const openImage = (name: unknown, _context: Pick<PrepareContext, "folders">): Promise<Encoder<Image>> =>
  encoder(name as string) as Promise<Encoder<Image>>;
