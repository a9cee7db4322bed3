import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { byCodeUnit, type Image, MkgError, quote, refuseUnknown } from "../../core/index.js";
import { checkPath, type FileOptions, fileKeys, imageFile, realPath } from "./files.js";
import { imageExtensions } from "./format.js";

/** Names in natural order: runs of digits by value (frame 2 before frame 10), the rest by code unit. A total order, the same everywhere. */
export function naturalOrder(a: string, b: string): number {
  const parts = (name: string): readonly string[] => name.match(/\d+|\D+/g) ?? [];
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [l, r] = [left[i] as string, right[i] as string];
    const both = /^\d/.test(l) && /^\d/.test(r);
    const [m, n] = both ? [l.replace(/^0+/, ""), r.replace(/^0+/, "")] : [l, r];
    const order = (both ? m.length - n.length : 0) || byCodeUnit(m, n);
    if (order !== 0) return order;
  }
  return left.length - right.length || byCodeUnit(a, b);
}

/** The file that lists the marked frames of a folder, one name a line. */
const marksFile = "keyframes.txt";

/**
 * The frames of a clip that lie in a folder, in natural order of their names (`frame2.png` before `frame10.png`).
 *
 * Marked key frames: those whose names stand in the folder's `keyframes.txt`, one a line; a name that is no frame is an error. Without that file
 * all are marked (`key`, default true), as in MH-MMKG, whose folders hold nothing but the frames that a human chose. Files that are no pictures by
 * their extension are passed by; `onSkipped` hears their names. A folder without any picture is an error.
 * One directory listing, no picture is read.
 *
 * @param path of the folder of frames, relative to `folder` and inside it.
 * @example
 * const frames = await frameFolder("mmkg/Vulmar", "Knowledge_Images/Tail Swing");
 * frames.map((frame) => frame.key)   // [true, true, true, true, true]
 */
export async function frameFolder(
  folder: string,
  path: string,
  options: FileOptions & { readonly onSkipped?: (path: string) => void } = {},
): Promise<readonly Image[]> {
  const { place = "frameFolder", onSkipped, ...own } = options;
  refuseUnknown(place, own, fileKeys, "option");
  checkPath(place, path);
  const at = await realPath(place, folder, path);
  const names = await listNames(place, at);
  const frames = names.filter((name) => isPicture(name));
  for (const name of names) if (!isPicture(name) && name !== marksFile) onSkipped?.(`${path}/${name}`);
  if (frames.length === 0)
    throw new MkgError(
      place,
      `a folder without pictures (${join(folder, path)})`,
      imageExtensions.join(" "),
      "Add its frames",
    );
  const marked = names.includes(marksFile) ? await readMarks(place, folder, `${path}/${marksFile}`, frames) : undefined;
  return Object.freeze(
    frames.map((name) =>
      imageFile(folder, `${path.replace(/\/+$/, "")}/${name}`, {
        ...own,
        place,
        key: marked ? marked.has(name) : (own.key ?? true),
      }),
    ),
  );
}

const isPicture = (name: string): boolean => imageExtensions.includes(extname(name).toLowerCase());

async function readMarks(place: string, folder: string, path: string, frames: readonly string[]): Promise<Set<string>> {
  // a link must not lead out: errors quote its lines
  const file = await realPath(place, folder, path);
  const info = await stat(file);
  if (!info.isFile())
    throw new MkgError(
      place,
      `the list of key frames is no file (${join(folder, path)})`,
      "Names of pictures, one a line",
    );
  const { size } = info;
  if (size > 2 ** 20)
    throw new MkgError(place, `the list of key frames is too large (${file}: ${size} bytes)`, "At most 1 MiB");
  const lines = (await readFile(file, "utf8")).replace(/^\uFEFF/, "").split(/\r?\n/);
  const known = new Set(frames);
  lines.forEach((name, i) => {
    if (name !== "" && !known.has(name))
      throw new MkgError(
        place,
        `${file}, line ${i + 1}: not a frame of the folder (${quote(name)})`,
        "Names of its pictures, one a line",
        "Mend or remove the line",
      );
  });
  return new Set(lines);
}

async function listNames(place: string, folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort(naturalOrder);
  } catch (error) {
    throw new MkgError(
      place,
      `cannot list the folder of pictures (${folder})`,
      "",
      (error as NodeJS.ErrnoException).code ?? String(error),
    );
  }
}

export interface ImageFolder {
  readonly byEntity: ReadonlyMap<string, readonly Image[]>;
  /** Entries that hold no picture. */
  readonly skipped: readonly string[];
}

/**
 * Pictures of entities: `<id>.<extension>` or the folder `<id>/` (its frames as in {@link frameFolder}; one without pictures is listed as skipped).
 * Two directory listings for each entity with a folder; no picture is read.
 */
export async function imageFolder(place: string, folder: string): Promise<ImageFolder> {
  const byEntity = new Map<string, Image[]>();
  const skipped: string[] = [];
  const add = (id: string, images: readonly Image[]) => byEntity.set(id, [...(byEntity.get(id) ?? []), ...images]);
  for (const name of await listNames(place, folder)) {
    const info = await stat(join(folder, name)).catch(() => undefined);
    if (info?.isDirectory()) {
      if (!(await listNames(place, join(folder, name))).some(isPicture)) skipped.push(`${name}/`);
      else add(name, await frameFolder(folder, name, { place, onSkipped: (path) => skipped.push(path) }));
    } else if (isPicture(name))
      add(name.slice(0, name.length - extname(name).length), [imageFile(folder, name, { place })]);
    else skipped.push(name);
  }
  return { byEntity, skipped };
}
