export { type KeyFrames, keyFrameChoices, selectFrames } from "./frames.js";
export { bytesImage, contentHash, fileImage } from "./image.js";
export { type Pixels, type PixelsOptions, pixels } from "./pixels.js";
