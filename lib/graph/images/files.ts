import { realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import {
  checkFlag,
  type Image,
  MkgError,
  positiveInteger,
  quote,
  refuseUnknown,
  stableHash,
} from "../../core/index.js";
import { maxImageBytes, readPicture, trouble } from "./bytes.js";

/** One frozen picture object; an image that is frozen already stays the same object, so that caches keyed by it stay warm. */
export const frozenImage = (image: Image): Image =>
  Object.isFrozen(image) ? image : Object.freeze({ id: image.id, key: image.key, bytes: () => image.bytes() });

export const noImages: readonly Image[] = Object.freeze([]);

/** What an image was opened from; a writer may put it back. */
const references = new WeakMap<Image, string>();

/**
 * The reference that an image was opened from: the path below its folder, the data URL or the address. Undefined for an image made another
 * way, and for the pictures of a query, whose source could give the answer away.
 *
 * @example
 * imageReference(openImage("flags/fr.png", { folder: "data/atlas" }))   // "flags/fr.png"
 */
export const imageReference = (image: Image): string | undefined => references.get(image);

export interface FileOptions {
  /** Marked as a frame that tells; default true, as for a single still. */
  readonly key?: boolean;
  /** Where the reference stands, for errors. */
  readonly place?: string;
  /** Most bytes of the encoded picture; default {@link maxImageBytes}, 64 MiB. */
  readonly maxBytes?: number;
}

export const fileKeys = ["key", "place", "maxBytes"];

export function made(
  reference: string,
  id: unknown,
  key: boolean | undefined,
  bytes: () => Promise<Uint8Array>,
): Image {
  const image = Object.freeze({ id: stableHash(id), key: key ?? true, bytes });
  references.set(image, reference);
  return image;
}

export function checkOptions(place: string, options: FileOptions): void {
  if (options.maxBytes !== undefined) positiveInteger(place, "maxBytes", options.maxBytes);
  checkFlag(place, "key", options.key);
}

/**
 * A picture file below a folder, as an {@link Image} whose id is a hash of the relative path and says nothing about what is shown.
 * Nothing is read before `bytes()` is called; each call reads the file anew, at most 64 MiB. For paths that come from data: they must stay
 * inside the folder. An absolute path, `..`, a backslash, a drive letter or NUL is refused here; a symbolic link that leads out, a folder or a
 * device when it is read.
 *
 * @param path relative to `folder`, with `/` between its parts; taken literally, so that `%2b` in a name is those three characters.
 * @example
 * await imageFile("data/markg/images", "Q1501/3.pool2.jpg").bytes()   // Uint8Array(…)
 */
export function imageFile(folder: string, path: string, options: FileOptions = {}): Image {
  const place = options.place ?? "imageFile";
  refuseUnknown(place, options, fileKeys, "option");
  checkOptions(place, options);
  checkPath(place, path);
  const { maxBytes = maxImageBytes } = options;
  return made(path, ["image", path], options.key, async () =>
    readPicture(place, await realPath(place, folder, path), { shown: join(folder, path), maxBytes }),
  );
}

export function checkPath(place: string, path: unknown): void {
  const problem =
    typeof path !== "string" ||
    path === "" ||
    path.includes("\0") ||
    isAbsolute(path) ||
    path.split(/[/\\]/).includes("..")
      ? "not a path inside the folder"
      : path.includes("\\")
        ? "a path with a backslash"
        : /^[a-z]:|^[a-z][a-z0-9+.-]*:\/\//i.test(path)
          ? "neither a path inside the folder nor an address that can be opened"
          : undefined;
  if (problem)
    throw new MkgError(
      place,
      `${problem} (${quote(path)})`,
      "A relative path without .., with / between its parts",
      "Put the picture below the folder",
    );
}

/**
 * A picture in any file of yours, under an id of yours. For paths that a program chooses: symbolic links are followed and no folder confines it;
 * paths that data names go through {@link imageFile}. Nothing is read until `bytes()` is called, and then each time anew: holding a million of
 * them is cheap.
 *
 * @param id opaque: it must not say what is shown, as a file's name often does.
 * @param options.key whether it is a marked key frame; default true, right for a still.
 * @param options.maxBytes default 64 MiB.
 * Errors (from `bytes()`): a missing, unreadable or too large file, named.
 * @example
 * const image = fileImage("flags/fr.png", "i7");
 * (await image.bytes()).length   // 1284
 */
export function fileImage(
  path: string,
  id: string,
  options: { readonly key?: boolean; readonly maxBytes?: number } = {},
): Image {
  refuseUnknown("fileImage", options, ["key", "maxBytes"], "option");
  checkOptions("fileImage", options);
  if (typeof path !== "string" || path === "") throw new MkgError("fileImage", `path is not a path (${quote(path)})`);
  if (typeof id !== "string" || id === "")
    throw new MkgError("fileImage", `id is not a non-empty string (${quote(id)})`);
  const { key = true, maxBytes = maxImageBytes } = options;
  const bytes = () => readPicture("image", path, { maxBytes, followLinks: true });
  const image = Object.freeze({ id, key, bytes });
  references.set(image, path);
  return image;
}

/** That the file is there and inside the folder, symbolic links followed; an error otherwise. Reads no picture. */
export async function checkImageFile(
  folder: string,
  path: string,
  options: { readonly place?: string } = {},
): Promise<void> {
  const place = options.place ?? "checkImageFile";
  checkPath(place, path);
  await realPath(place, folder, path);
}

/** Where the path leads, symbolic links followed; an error outside the folder. */
export async function realPath(place: string, folder: string, path: string): Promise<string> {
  let real: string;
  let root: string;
  try {
    root = await realpath(folder);
    real = await realpath(join(folder, path));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new MkgError(place, `cannot read the picture (${join(folder, path)})`, "", trouble(code));
  }
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new MkgError(
      place,
      `the picture lies outside its folder (${join(folder, path)})`,
      `Files below ${folder}`,
      "Replace the symbolic link by the file",
    );
  return real;
}
