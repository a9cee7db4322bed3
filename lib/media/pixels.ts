import sharp from "sharp";
import { type Image, MkgError, positiveInteger, quote } from "../core/index.js";

/** Decoded pixels. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** [height, width, 3] row-major, sRGB, 0–255. */
  readonly data: Uint8Array;
}

interface PixelsOptions {
  /** Pixels; with `height` the picture is stretched to both, alone it keeps its proportions. */
  readonly width?: number;
  readonly height?: number;
  /** Most pixels of the encoded picture; default 64 million, about 200 MB decoded. */
  readonly maxPixels?: number;
}

/**
 * Decodes an image to sRGB pixels: EXIF orientation applied, transparency laid on white, grey, CMYK and 16-bit converted, the first
 * frame of an animated file. What cannot be decoded whole is an error, never a grey or black picture.
 *
 * The size in the header is checked before anything is decoded, so an enormous picture costs nothing. Cost: O(pixels of the source).
 * Scaling is libvips' (Lanczos 3); its last bit may differ between processor families.
 *
 * Errors name the image: not a picture, truncated, more than `maxPixels`, a size that is not a positive integer.
 *
 * @example
 * const { width, height, data } = await pixels(image, { width: 48, height: 48 });
 * data.length   // 6912
 */
export async function pixels(image: Image, options: PixelsOptions = {}): Promise<Pixels> {
  const { width, height, maxPixels = 64e6 } = options;
  const place = `image ${quote(image.id)}`;
  if (width !== undefined) positiveInteger(place, "width", width);
  if (height !== undefined) positiveInteger(place, "height", height);
  positiveInteger(place, "maxPixels", maxPixels);
  const bytes = await image.bytes();
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: maxPixels, failOn: "error" })
      .autoOrient()
      .resize({ width, height, fit: width && height ? "fill" : "inside" })
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: rgb(data, info.channels) };
  } catch (error) {
    throw await whyNot(place, bytes, maxPixels, error);
  }
}

/** Looks at the header, once decoding has failed, to say what is wrong. */
async function whyNot(place: string, bytes: Uint8Array, maxPixels: number, error: unknown): Promise<MkgError> {
  let size: { width?: number; height?: number };
  try {
    size = await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch {
    return new MkgError(
      place,
      `not a picture that can be read (${bytes.length} bytes: ${firstLine(error)})`,
      "PNG, JPEG, WebP, GIF, TIFF, AVIF, SVG",
      "Replace or remove it",
    );
  }
  if ((size.width ?? 0) * (size.height ?? 0) > maxPixels)
    return new MkgError(
      place,
      `too many pixels (${size.width} × ${size.height})`,
      `At most ${maxPixels} pixels`,
      "Make it smaller, or raise maxPixels",
    );
  return new MkgError(
    place,
    `the picture cannot be decoded whole (${bytes.length} bytes: ${firstLine(error)})`,
    "",
    "It may be truncated or damaged: fetch it again, or remove it",
  );
}

const firstLine = (error: unknown) => (error as Error).message.split("\n")[0]?.trim();

/** Three channels from what the decoder left: grey pictures may come with one. */
function rgb(data: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const n = data.length / channels;
  const out = new Uint8Array(n * 3);
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) out[i * 3 + c] = data[i * channels + (channels < 3 ? 0 : c)] as number;
  return out;
}
