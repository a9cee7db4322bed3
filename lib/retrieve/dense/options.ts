import { type Image, type OptionSpec, oneOf, oneOfForms } from "../../core/index.js";
import { type Encoder, encoderOption, openEncoder } from "../../embed/index.js";
import { keyFrameChoices } from "../../media/index.js";
import type { PrepareContext } from "../types.js";

export const textEncoder = encoderOption("text", { default: "hash", doc: "encoder of questions and triples" });
export const imageEncoder = encoderOption("image", { default: "pixels", doc: "encoder of pictures" });
export const keyFrames: OptionSpec = oneOfForms(Object.keys(keyFrameChoices), {
  default: "all",
  doc: "frames of the question's and of the entities' clips that are compared",
});
export const pictureOf: OptionSpec = oneOf(["head", "tail", "either"], {
  default: "head",
  doc: "whose pictures stand for a triple: its head's, as in MKG-RAG-Bench, its tail's, or the better of both",
});

type Given = Pick<PrepareContext, "folders">;

export const openText = (value: unknown, given: Given): Promise<Encoder<string>> =>
  openEncoder(value, given.folders) as Promise<Encoder<string>>;
export const openImage = (value: unknown, given: Given): Promise<Encoder<Image>> =>
  openEncoder(value, given.folders) as Promise<Encoder<Image>>;

/** Where vectors are kept, as `embed` takes it. */
export const cacheOf = ({ folders }: Given): { readonly cache?: string } =>
  folders?.cache === undefined ? {} : { cache: folders.cache };
