export { dot } from "./dot.js";
export { embed } from "./embed.js";
export { type EncoderName, encoder, encoderNames, isEncoder } from "./encoder.js";
export { type Neighbour, TopK } from "./topk.js";
export type { Encoder, Folders, Vectors } from "./types.js";
export { openIndex, type VectorIndex } from "./vector-index.js";
