export { type BackendInfo, type BackendName, useBackend } from "./backend.js";
export { type Captioner, captioner, captionerNames, captionerTakes, captionImages } from "./captions/captioner.js";
export { dot } from "./dot.js";
export { embed } from "./embed.js";
export { encoderOption, openEncoder } from "./encoders/option.js";
export {
  type EncoderName,
  encoder,
  encoderForms,
  encoderNames,
  encoderOptions,
  isEncoderName,
  isStable,
  type OwnEncoder,
} from "./encoders/table.js";
export { isEncoder } from "./is-encoder.js";
export { GraphEmbedding, loadGraphEmbedding } from "./kge/embedding.js";
export { evaluateLinks, type LinkResult, type LinkTriple } from "./kge/evaluate.js";
export type { KgeModelName } from "./kge/models.js";
export { kgeOptions, splitTriples, trainGraphEmbedding } from "./kge/train.js";
export { checkParity, type Reference } from "./parity.js";
export { type Neighbour, TopK } from "./topk.js";
export type { Encoder, Folders, Vectors } from "./types.js";
export { openIndex, type VectorIndex } from "./vector-index.js";
