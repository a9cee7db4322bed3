import sharp from "sharp";
import { errorText, type Image, MkgError, positiveInteger, refuseUnknown } from "../core/index.js";
import { imageFormat } from "../graph/index.js";
import { named } from "./image.js";
import { checkSvg, svgSeconds } from "./svg.js";

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

/** Most pixels of a picture unless more are allowed. */
export const defaultMaxPixels = 64e6;
const readable = "PNG, JPEG, WebP, GIF, TIFF, AVIF, SVG";

/**
 * Decodes an image to sRGB pixels: EXIF orientation applied, transparency laid on white, palette, grey, CMYK and 16-bit converted, the first
 * frame of an animated file and the first page of a TIFF ({@link framesOf} gives the others). What cannot be decoded whole is an error, never
 * a grey or black picture. The format is told by the bytes, not by a name.
 *
 * The size in the header is checked before anything is decoded, so an enormous picture costs nothing. Cost: O(pixels of the source).
 * Scaling is libvips' (Lanczos 3); its last bit may differ between processor families. An SVG must stand alone: one that refers to other files
 * or addresses, or holds a script, is refused; its text is drawn in whatever fonts the machine has.
 *
 * Errors name the image and the file or address that it was opened from: not a picture, truncated, more than `maxPixels`, a size that is not a
 * positive integer, an unknown option.
 *
 * @example
 * const { width, height, data } = await pixels(image, { width: 48, height: 48 });
 * data.length   // 6912
 */
export async function pixels(image: Image, options: PixelsOptions = {}): Promise<Pixels> {
  const place = named(image);
  refuseUnknown(place, options, ["width", "height", "maxPixels"], "option");
  const { width, height, maxPixels = defaultMaxPixels } = options;
  if (width !== undefined) positiveInteger(place, "width", width);
  if (height !== undefined) positiveInteger(place, "height", height);
  positiveInteger(place, "maxPixels", maxPixels);
  return decoding(place, await image.bytes(), maxPixels, async (picture) => {
    const { data, info } = await picture
      .autoOrient()
      .resize({ width, height, fit: width && height ? "fill" : "inside" })
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data: rgb(data, info.channels) };
  });
}

/** Does something with an encoded picture that has been looked at first; what fails says why, with the image's name. */
export async function decoding<T>(
  place: string,
  bytes: Uint8Array,
  maxPixels: number,
  work: (picture: sharp.Sharp) => Promise<T>,
  page = 0,
  pages = 1,
): Promise<T> {
  const format = imageFormat(bytes)?.name;
  if (format === undefined || format === "BMP")
    throw new MkgError(
      place,
      `not a picture that can be read (${bytes.length} bytes: ${format ?? "no known format"})`,
      readable,
      format ? "Convert it" : "Replace or remove it",
    );
  // the decoder takes what is there of a GIF for the whole; a whole one ends in a semicolon
  if (format === "GIF" && bytes[bytes.findLastIndex((byte) => byte !== 0)] !== 0x3b)
    throw broken(place, bytes, "it does not end as a GIF does");
  if (format === "SVG")
    await checkSvg(place, bytes, (inner) =>
      decoding(`${place}, a picture in the SVG`, inner, maxPixels, (picture) => picture.stats()),
    );
  const picture = sharp(bytes, {
    limitInputPixels: maxPixels,
    failOn: "error",
    ...(page > 0 ? { page } : {}),
    ...(pages > 1 ? { pages } : {}),
  });
  try {
    return await work(format === "SVG" ? picture.timeout({ seconds: svgSeconds }) : picture);
  } catch (error) {
    throw error instanceof MkgError ? error : await whyNot(place, bytes, maxPixels, errorText(error));
  }
}

const broken = (place: string, bytes: Uint8Array, why: string): MkgError =>
  new MkgError(
    place,
    `the picture cannot be decoded whole (${bytes.length} bytes: ${why.slice(0, 200)})`,
    "",
    "It may be truncated or damaged: fetch it again, or remove it",
  );

/** Looks at the header, once decoding has failed, to say what is wrong. */
async function whyNot(place: string, bytes: Uint8Array, maxPixels: number, why: string): Promise<MkgError> {
  if (/^timeout/.test(why))
    return new MkgError(place, `drawing it takes more than ${svgSeconds} s`, "", "Draw it to a PNG, and use that");
  let size: { width?: number; height?: number };
  try {
    size = await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch {
    return broken(place, bytes, why);
  }
  if ((size.width ?? 0) * (size.height ?? 0) > maxPixels)
    return new MkgError(
      place,
      `too many pixels (${size.width} × ${size.height})`,
      `At most ${maxPixels} pixels`,
      "Make it smaller, or raise maxPixels",
    );
  return broken(place, bytes, why);
}

/** Three channels from what the decoder left: grey pictures may come with one. */
function rgb(data: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const n = data.length / channels;
  const out = new Uint8Array(n * 3);
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) out[i * 3 + c] = data[i * channels + (channels < 3 ? 0 : c)] as number;
  return out;
}
