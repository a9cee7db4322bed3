import { type Image, MkgError, positiveInteger, quote, refuseUnknown } from "../core/index.js";
import { named } from "./image.js";
import { decoding, defaultMaxPixels } from "./pixels.js";

/** Positions from 0 of marked frames, checked. */
export function markedFrames(place: string, key: unknown, n: number): ReadonlySet<number> {
  if (!Array.isArray(key) || key.some((i) => !Number.isSafeInteger(i) || i < 0 || i >= n))
    throw new MkgError(place, `key is not a list of frames (${quote(key)})`, `Positions from 0 to ${n - 1}`);
  return new Set(key);
}

/**
 * The frames of an animated GIF or WebP, or the pages of a TIFF, as images in order; a still gives itself alone, as it is. A frame's id is
 * `<image id>/<position from 0>`; its bytes are a PNG without loss, decoded from the file each time they are asked for, so that one frame is in
 * memory at a time. How long each is shown is not kept.
 *
 * @param options.key positions from 0 of the frames that a human marked; default none, since nobody did.
 * @param options.maxFrames most frames; more are an error; default 1,000.
 * @param options.maxPixels most pixels of one frame; default 64 million.
 * Errors as {@link pixels}: a truncated file is one, not a shorter clip.
 * @example
 * const frames = await framesOf(fileImage("tail swing.gif", "a1"), { key: [6, 7] });
 * frames.length   // 16
 */
export async function framesOf(
  image: Image,
  options: { readonly key?: readonly number[]; readonly maxFrames?: number; readonly maxPixels?: number } = {},
): Promise<readonly Image[]> {
  const place = named(image);
  refuseUnknown(place, options, ["key", "maxFrames", "maxPixels"], "option");
  const { key = [], maxFrames = 1000, maxPixels = defaultMaxPixels } = options;
  positiveInteger(place, "maxFrames", maxFrames);
  positiveInteger(place, "maxPixels", maxPixels);
  const { pages = 1 } = await decoding(place, await image.bytes(), maxPixels, (picture) => picture.metadata());
  if (pages === 1) return Object.freeze([image]);
  if (pages > maxFrames)
    throw new MkgError(place, `too many frames (${pages})`, `At most ${maxFrames}`, "Take fewer, or raise maxFrames");
  const marked = markedFrames(place, key, pages);
  return Object.freeze(
    Array.from({ length: pages }, (_, i) =>
      Object.freeze({
        id: `${image.id}/${i}`,
        key: marked.has(i),
        bytes: async () =>
          new Uint8Array(
            await decoding(
              `${place}, frame ${i} (from 0)`,
              await image.bytes(),
              maxPixels,
              (picture) => picture.autoOrient().png({ compressionLevel: 6 }).toBuffer(),
              i,
            ),
          ),
      }),
    ),
  );
}
