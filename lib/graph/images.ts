import type { Image } from "../core/index.js";

/** One frozen picture object; an image that is frozen already stays the same object, so that caches keyed by it stay warm. */
export const frozenImage = (image: Image): Image =>
  Object.isFrozen(image) ? image : Object.freeze({ id: image.id, key: image.key, bytes: () => image.bytes() });

export const noImages: readonly Image[] = Object.freeze([]);
