import { open, readdir, realpath } from "node:fs/promises";
import { extname, isAbsolute, join, sep } from "node:path";
import { byCodeUnit, type Image, MkgError, quote, stableHash } from "../core/index.js";

/** One frozen picture object; an image that is frozen already stays the same object, so that caches keyed by it stay warm. */
export const frozenImage = (image: Image): Image =>
  Object.isFrozen(image) ? image : Object.freeze({ id: image.id, key: image.key, bytes: () => image.bytes() });

export const noImages: readonly Image[] = Object.freeze([]);

const extensions = [".jpg", ".jpeg", ".png", ".webp", ".gif", ".tif", ".tiff", ".bmp", ".avif"];
const maxBytes = 64 * 2 ** 20;

/**
 * A picture file below a folder, as an {@link Image} whose id is a hash of the relative path and says nothing about what is shown.
 * Nothing is read before `bytes()` is called; each call reads the file anew, at most 64 MiB. The path must stay inside the folder:
 * an absolute path or `..` is refused here, a symbolic link that leads out when it is read.
 *
 * @param path relative to `folder`, with `/` between its parts; taken literally, so that `%2b` in a name is those three characters.
 * @param options.key marked as a frame that tells; default true, as for a single still.
 * @example
 * await imageFile("data/markg/images", "Q1501/3.pool2.jpg").bytes()   // Uint8Array(…)
 */
export function imageFile(
  folder: string,
  path: string,
  options: { readonly key?: boolean; readonly place?: string } = {},
): Image {
  const place = options.place ?? "imageFile";
  if (
    typeof path !== "string" ||
    path === "" ||
    path.includes("\0") ||
    isAbsolute(path) ||
    path.split(/[/\\]/).includes("..")
  )
    throw new MkgError(
      place,
      `not a path inside the folder (${quote(path)})`,
      "A relative path without ..",
      "Put the picture below the folder",
    );
  const bytes = () => readInside(place, folder, path);
  return Object.freeze({ id: stableHash(["image", path]), key: options.key ?? true, bytes });
}

/** That the file is there and inside the folder, symbolic links followed; an error otherwise. Reads no picture. */
export async function checkImageFile(
  folder: string,
  path: string,
  options: { readonly place?: string } = {},
): Promise<void> {
  await realPath(options.place ?? "checkImageFile", folder, path);
}

async function realPath(place: string, folder: string, path: string): Promise<string> {
  let real: string;
  let root: string;
  try {
    root = await realpath(folder);
    real = await realpath(join(folder, path));
  } catch {
    throw new MkgError(
      place,
      `cannot read the picture (${join(folder, path)})`,
      "",
      "There is no such file; check the path",
    );
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

async function readInside(place: string, folder: string, path: string): Promise<Uint8Array> {
  const file = await open(await realPath(place, folder, path), "r");
  try {
    const info = await file.stat();
    if (!info.isFile()) throw new MkgError(place, `not a file (${join(folder, path)})`);
    if (info.size > maxBytes)
      throw new MkgError(
        place,
        `the picture is too large (${join(folder, path)}: ${info.size} bytes)`,
        `At most ${maxBytes} bytes`,
      );
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

export interface ImageFolder {
  readonly byEntity: ReadonlyMap<string, readonly Image[]>;
  /** Entries that hold no picture. */
  readonly skipped: readonly string[];
}

/** Pictures of entities: `<id>/<any name>` or `<id>.<extension>` below the folder, in code-unit order of the names. One directory listing per entity. */
export async function imageFolder(place: string, folder: string): Promise<ImageFolder> {
  const byEntity = new Map<string, Image[]>();
  const skipped: string[] = [];
  const add = (id: string, path: string) => {
    if (!extensions.includes(extname(path).toLowerCase())) return void skipped.push(path);
    const list = byEntity.get(id) ?? [];
    list.push(imageFile(folder, path, { place }));
    byEntity.set(id, list);
  };
  const list = async (at: string) => {
    try {
      return (await readdir(at, { withFileTypes: true })).sort((a, b) => byCodeUnit(a.name, b.name));
    } catch (error) {
      throw new MkgError(
        place,
        `cannot list the folder of pictures (${at})`,
        "",
        (error as NodeJS.ErrnoException).code ?? String(error),
      );
    }
  };
  for (const entry of await list(folder)) {
    if (!entry.isDirectory()) add(entry.name.slice(0, entry.name.length - extname(entry.name).length), entry.name);
    else for (const file of await list(join(folder, entry.name))) add(entry.name, `${entry.name}/${file.name}`);
  }
  return { byEntity, skipped };
}
