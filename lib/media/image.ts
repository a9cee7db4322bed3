import { readFile, stat } from "node:fs/promises";
import { type Image, MkgError, quote, sha256 } from "../core/index.js";

const maxFileBytes = 256 * 2 ** 20;

/** An id must be there and say nothing; whether it does is the caller's part. */
function checked(place: string, id: string, key: boolean): { id: string; key: boolean } {
  if (typeof id !== "string" || id === "") throw new MkgError(place, `id is not a non-empty string (${quote(id)})`);
  if (typeof key !== "boolean") throw new MkgError(place, `key is not true or false (${quote(key)})`);
  return { id, key };
}

/**
 * An image in a file. Nothing is read until `bytes()` is called, and then each time anew: holding a million of them is cheap.
 *
 * @param path file of at most 256 MB. Whether the path may be read at all is for the caller to check.
 * @param id opaque id: it must not say what is shown, as a file's name often does.
 * @param options.key whether it is a marked key frame; default true, right for a still.
 * Errors (from `bytes()`): a missing, unreadable or too large file, named.
 * @example
 * const image = fileImage("flags/fr.png", "i7");
 * (await image.bytes()).length   // 1284
 */
export function fileImage(path: string, id: string, { key = true }: { readonly key?: boolean } = {}): Image {
  const read = async () => {
    let size: number;
    try {
      const info = await stat(path);
      if (!info.isFile()) throw new MkgError("image", `not a file (${path})`);
      size = info.size;
      if (size <= maxFileBytes) return new Uint8Array(await readFile(path));
    } catch (error) {
      if (error instanceof MkgError) throw error;
      const code = (error as NodeJS.ErrnoException).code;
      throw new MkgError(
        "image",
        `cannot read the file (${path})`,
        "",
        code === "ENOENT" ? "There is no such file; check the path" : (code ?? String(error)),
      );
    }
    throw new MkgError("image", `the file is too large (${path}: ${size} bytes)`, `At most ${maxFileBytes} bytes`);
  };
  return Object.freeze({ ...checked("fileImage", id, key), bytes: read });
}

/**
 * An image whose encoded bytes (PNG, JPEG …) are at hand. They are copied, and each `bytes()` gives a copy, so that nobody can change them.
 *
 * @example
 * const image = bytesImage(await readFile("flag.png"), "i8");
 */
export function bytesImage(bytes: Uint8Array, id: string, { key = true }: { readonly key?: boolean } = {}): Image {
  if (!(bytes instanceof Uint8Array))
    throw new MkgError("bytesImage", `not bytes (${quote(bytes)})`, "It takes a Uint8Array");
  const own = new Uint8Array(bytes);
  return Object.freeze({ ...checked("bytesImage", id, key), bytes: async () => new Uint8Array(own) });
}

/**
 * SHA-256 of an image's encoded bytes, as 64 hexadecimal digits. Two files of the same picture in different encodings differ.
 * Reads the whole image: O(bytes).
 */
export async function contentHash(image: Image): Promise<string> {
  return sha256(await image.bytes());
}
