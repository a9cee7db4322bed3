import { type Image, isImage, MkgError, quote, refuseUnknown, sha256 } from "../core/index.js";
import { imageReference } from "../graph/index.js";

/**
 * An image whose encoded bytes (PNG, JPEG …) are at hand. They are copied, and each `bytes()` gives a copy, so that nobody can change them.
 *
 * @param id opaque: it must not say what is shown.
 * @param options.key whether it is a marked key frame; default true, right for a still.
 * @example
 * const image = bytesImage(await readFile("flag.png"), "i8");
 */
export function bytesImage(bytes: Uint8Array, id: string, options: { readonly key?: boolean } = {}): Image {
  refuseUnknown("bytesImage", options, ["key"], "option");
  if (!(bytes instanceof Uint8Array))
    throw new MkgError("bytesImage", `not bytes (${quote(bytes)})`, "It takes a Uint8Array");
  if (typeof id !== "string" || id === "")
    throw new MkgError("bytesImage", `id is not a non-empty string (${quote(id)})`);
  const { key = true } = options;
  if (typeof key !== "boolean") throw new MkgError("bytesImage", `key is not true or false (${quote(key)})`);
  const own = new Uint8Array(bytes);
  return Object.freeze({ id, key, bytes: async () => new Uint8Array(own) });
}

/**
 * SHA-256 of an image's encoded bytes, as 64 hexadecimal digits. Two files of the same picture in different encodings differ.
 * Reads the whole image, O(bytes) time and memory, and keeps nothing. Errors: those of reading it, such as a missing file; whether the bytes are a
 * picture is not looked at.
 *
 * @example
 * await contentHash(bytesImage(new Uint8Array(), "empty"));
 * // "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
 */
export async function contentHash(image: Image): Promise<string> {
  refuseOther(image);
  return sha256(await image.bytes());
}

/** Refuses what is no picture. */
export function refuseOther(image: unknown): asserts image is Image {
  if (!isImage(image))
    throw new MkgError(
      "image",
      `not a picture (${quote(image)})`,
      "{ id, key, bytes() }",
      "Make it with fileImage, bytesImage or openImage",
    );
}

/** An image as it stands in errors: its id, and the file or address that it was opened from. */
export function named(image: Image): string {
  refuseOther(image);
  const reference = imageReference(image);
  const from = reference?.replace(/^(data:[^,]{0,40}).*$/s, "$1…").replace(/^(https?:[^?#]*).*$/s, "$1");
  return `image ${quote(image.id)}${from === undefined ? "" : ` (${from})`}`;
}
