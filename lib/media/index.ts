export { type KeyFrames, keyFrameChoices, selectFrames } from "./frames.js";
export { bytesImage, contentHash, fileImage } from "./image.js";
export { type Pixels, pixels } from "./pixels.js";
