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
  isEncoder,
  isEncoderName,
  isStable,
  type OwnEncoder,
} from "./encoders/table.js";
export { checkParity, type Reference } from "./parity.js";
export { type Neighbour, TopK } from "./topk.js";
export type { Encoder, Folders, Vectors } from "./types.js";
export { openIndex, type VectorIndex } from "./vector-index.js";
