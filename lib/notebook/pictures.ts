import sharp from "sharp";
import type { Image } from "../core/index.js";
import { escapeHtml, more } from "./html.js";
import type { MimeBundle, ShowOptions } from "./types.js";

/** Largest decoded size of a picture that is shown. */
const MAX_PIXELS = 64e6;

/** A picture as PNG, at most `width` × `width` pixels, upright, transparency on white; or why it cannot be shown. */
async function png(image: Image, width: number): Promise<{ png: Buffer } | { problem: string }> {
  try {
    const bytes = await image.bytes();
    const picture = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: "error" })
      .autoOrient()
      .resize({ width, height: width, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "#ffffff" });
    return { png: await picture.png().toBuffer() };
  } catch (error) {
    return { problem: (error as Error).message.split("\n")[0] ?? "" };
  }
}

/** `<img>` elements with the pictures inside, read one after another: memory holds one decoded picture at a time. */
export async function thumbnails(images: readonly Image[], width: number): Promise<string> {
  const parts: string[] = [];
  for (const image of images) {
    const made = await png(image, width);
    parts.push(
      "png" in made
        ? `<img src="data:image/png;base64,${made.png.toString("base64")}" alt="${escapeHtml(image.id)}">`
        : `<em>${escapeHtml(`${image.id} cannot be shown: ${made.problem}`)}</em>`,
    );
  }
  return parts.join(" ");
}

/** One picture at up to 800 pixels. */
export async function imageBundle(image: Image): Promise<MimeBundle> {
  const made = await png(image, 800);
  if ("problem" in made) return { "text/plain": `image ${image.id} cannot be shown: ${made.problem}` };
  return { "image/png": made.png.toString("base64"), "text/plain": `image ${image.id}` };
}

/** Pictures side by side, each with its id below. */
export async function imagesBundle(images: readonly Image[], options: Required<ShowOptions>): Promise<MimeBundle> {
  const shown = images.slice(0, options.maxImages);
  const figures: string[] = [];
  for (const image of shown) {
    const caption = `${image.id}${image.key && shown.some((other) => !other.key) ? " (key)" : ""}`;
    figures.push(
      `<figure style="display:inline-block;margin:4px">${await thumbnails([image], options.thumbnailPx)}` +
        `<figcaption>${escapeHtml(caption)}</figcaption></figure>`,
    );
  }
  const rest = more(images.length, shown.length, "image");
  return {
    "text/html": `<div>\n${figures.join("\n")}\n</div>${rest && `\n<p>${rest}</p>`}`,
    "text/plain": [`${images.length} images: ${shown.map((image) => image.id).join(", ")}`, rest]
      .filter(Boolean)
      .join("\n"),
  };
}
