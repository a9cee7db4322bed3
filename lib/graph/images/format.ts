/** A format of encoded pictures, told by its first bytes. */
export interface ImageFormat {
  readonly name: string;
  /** Of file names, without dot; the first is the usual one. */
  readonly extensions: readonly string[];
  readonly mediaType: string;
}

interface Entry extends ImageFormat {
  readonly matches: (head: Uint8Array) => boolean;
}

const ascii = (head: Uint8Array, from: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (head[from + i] !== text.charCodeAt(i)) return false;
  return true;
};

/** SVG is text: an optional declaration, comments and document type, then its root element. */
const svgRoot =
  /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*(?:<!DOCTYPE\s+svg\b|<(?:\w+:)?svg[\s>/])/;

const formats: readonly Entry[] = [
  {
    name: "PNG",
    extensions: ["png"],
    mediaType: "image/png",
    matches: (h) => ascii(h, 0, "\x89PNG\r\n\x1a\n"),
  },
  {
    name: "JPEG",
    extensions: ["jpg", "jpeg"],
    mediaType: "image/jpeg",
    matches: (h) => ascii(h, 0, "\xff\xd8\xff"),
  },
  {
    name: "GIF",
    extensions: ["gif"],
    mediaType: "image/gif",
    matches: (h) => ascii(h, 0, "GIF87a") || ascii(h, 0, "GIF89a"),
  },
  {
    name: "WebP",
    extensions: ["webp"],
    mediaType: "image/webp",
    matches: (h) => ascii(h, 0, "RIFF") && ascii(h, 8, "WEBP"),
  },
  {
    name: "TIFF",
    extensions: ["tif", "tiff"],
    mediaType: "image/tiff",
    matches: (h) => ["II*\0", "MM\0*", "II+\0", "MM\0+"].some((magic) => ascii(h, 0, magic)),
  },
  {
    name: "AVIF",
    extensions: ["avif"],
    mediaType: "image/avif",
    matches: (h) => ascii(h, 4, "ftypavi"),
  },
  { name: "BMP", extensions: ["bmp"], mediaType: "image/bmp", matches: (h) => ascii(h, 0, "BM") && h.length >= 26 },
  {
    name: "SVG",
    extensions: ["svg"],
    mediaType: "image/svg+xml",
    matches: (h) => svgRoot.test(new TextDecoder().decode(h.subarray(0, 4096))),
  },
];

/**
 * The format of an encoded picture by its first bytes, whatever its name or declared type says; undefined for anything else. It says how the
 * picture begins, not that it can be decoded.
 *
 * @example
 * imageFormat(await image.bytes())?.name;   // "PNG"
 */
export function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const found = formats.find((format) => format.matches(bytes));
  if (!found) return undefined;
  const { name, extensions, mediaType } = found;
  return { name, extensions, mediaType };
}

/** Extensions by which a file in a folder is taken for a picture, with dot, lower case. */
export const imageExtensions: readonly string[] = formats.flatMap((f) => f.extensions.map((e) => `.${e}`));
