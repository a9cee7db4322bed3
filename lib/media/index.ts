export { fileImage } from "../graph/index.js";
export { framesOf } from "./animation.js";
export { type AugmentOptions, augmentImage } from "./augment.js";
export { type ClipFramesOptions, clipFrames } from "./clips.js";
export { type KeyFrames, keyFrameChoices, selectFrames } from "./frames.js";
export { bytesImage, contentHash } from "./image.js";
export { type Pixels, pixels } from "./pixels.js";
