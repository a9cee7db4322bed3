import sharp from "sharp";
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
  const about = await decoding(place, await image.bytes(), maxPixels, (picture) => picture.metadata());
  const { pages = 1 } = about;
  if (pages === 1) {
    markedFrames(place, key, 1);
    return Object.freeze([image]);
  }
  if (pages > maxFrames)
    throw new MkgError(place, `too many frames (${pages})`, `At most ${maxFrames}`, "Take fewer, or raise maxFrames");
  const marked = markedFrames(place, key, pages);
  const frame =
    about.orientation === undefined || about.orientation === 1 ? inBlocks(image, place, maxPixels, pages) : alone;
  return Object.freeze(
    Array.from({ length: pages }, (_, i) =>
      Object.freeze({
        id: `${image.id}/${i}`,
        key: marked.has(i),
        bytes: async () => new Uint8Array(await frame(i)),
      }),
    ),
  );

  /** One frame by itself, turned as its file says. */
  async function alone(i: number): Promise<Buffer> {
    return decoding(
      `${place}, frame ${i} (from 0)`,
      await image.bytes(),
      maxPixels,
      (picture) => picture.autoOrient().png(encoding).toBuffer(),
      i,
    );
  }
}

const encoding = { compressionLevel: 6 };
/** Most pixels that are decoded at once beyond one frame: 64 MB. */
const blockPixels = 16e6;

interface Block {
  readonly first: number;
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 2 | 3 | 4;
}

/**
 * A reader of single frames. The decoder can reach a frame only through those before it, so that a block of frames is decoded at once and kept as long
 * as there is memory to spare: going through n frames costs O(n), where their blocks fit.
 */
function inBlocks(image: Image, place: string, maxPixels: number, pages: number): (i: number) => Promise<Buffer> {
  let last: WeakRef<Block> | undefined;
  let reading: Promise<Block> | undefined;
  let perBlock = 1;
  const read = async (i: number): Promise<Block> => {
    const bytes = await image.bytes();
    const where = `${place}, frame ${i} (from 0)`;
    const { width = 1, height = 1 } = await decoding(where, bytes, maxPixels, (picture) => picture.metadata(), i);
    if (width * height > maxPixels)
      throw new MkgError(
        where,
        `too many pixels (${width} × ${height})`,
        `At most ${maxPixels} pixels`,
        "Make it smaller",
      );
    perBlock = Math.max(1, Math.floor(blockPixels / (width * height)));
    const first = Math.floor(i / perBlock) * perBlock;
    const count = Math.min(perBlock, pages - first);
    const { data, info } = await decoding(
      where,
      bytes,
      Math.max(maxPixels, width * height * count),
      (picture) => picture.raw().toBuffer({ resolveWithObject: true }),
      first,
      count,
    );
    return { first, data, width: info.width, height: Math.round(info.height / count), channels: info.channels };
  };
  return async (i) => {
    const kept = last?.deref();
    const holds = (block: Block | undefined): block is Block =>
      block !== undefined && i >= block.first && i < block.first + perBlock;
    let block = holds(kept) ? kept : await reading;
    if (!holds(block)) {
      const mine = read(i);
      reading = mine;
      try {
        block = await mine;
        last = new WeakRef(block);
      } finally {
        if (reading === mine) reading = undefined;
      }
    }
    const { first, data, width, height, channels } = block;
    const size = width * height * channels;
    return sharp(data.subarray((i - first) * size, (i - first + 1) * size), { raw: { width, height, channels } })
      .png(encoding)
      .toBuffer();
  };
}
