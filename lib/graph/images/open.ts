import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Image, MkgError, quote, refuseUnknown } from "../../core/index.js";
import { maxImageBytes, tooLarge } from "./bytes.js";
import { checkOptions, type FileOptions, fileKeys, imageFile, made, realPath } from "./files.js";
import { frameFolder } from "./folders.js";
import { type Fetcher, type FetchOptions, fetchOptions, readRemote, remoteAddress } from "./remote.js";

export { checkImageFile, fileImage, frozenImage, imageFile, imageReference, noImages } from "./files.js";
export { frameFolder, type ImageFolder, imageFolder, naturalOrder } from "./folders.js";
export { type ImageFormat, imageFormat } from "./format.js";
export type { Fetcher, FetchOptions } from "./remote.js";

export interface OpenImageOptions extends FileOptions {
  /** The folder that paths are relative to and must stay in; without it, a path is an error. */
  readonly folder?: string;
  /** Whether, and how, a remote address may be fetched when its bytes are read; default false: never. */
  readonly fetch?: boolean | Fetcher | FetchOptions;
}

/**
 * The one way from a reference, as data sets write it, to an {@link Image}. Nothing is read or fetched before `bytes()` is called.
 *
 * | reference | |
 * |---|---|
 * | `a/b.png` | a file below `folder`: see {@link imageFile} |
 * | `data:…` | a data URL (RFC 2397), base64 or percent-encoded; the media type that it states is not looked at |
 * | `http://…`, `https://…` | an address, kept as it is. Its bytes are fetched only where `fetch` allows it; reading them otherwise is a `SetupError` that says how |
 *
 * Anything else, such as `file:` or `ftp:`, is an error. The id is a hash of the reference. {@link imageReference} gives the reference back.
 *
 * @example
 * const flag = openImage("flags/fr.png", { folder: "data/atlas" });
 * const far = openImage("https://example.org/fr.png", { fetch: { cache: "pictures", timeoutMs: 5000 } });
 */
export function openImage(reference: string, options: OpenImageOptions = {}): Image {
  const { place = "openImage", folder, key, maxBytes = maxImageBytes } = options;
  refuseUnknown(place, options, [...fileKeys, "folder", "fetch"], "option");
  checkOptions(place, options);
  const fetching = fetchOptions(place, options.fetch);
  if (typeof reference !== "string") throw new MkgError(place, `not a reference to a picture (${quote(reference)})`);
  if (/^data:/i.test(reference)) {
    // percent-encoded, a byte takes three characters
    if (reference.length > 3 * maxBytes + 1024)
      throw tooLarge(place, quote(reference), `${Math.floor(reference.length / 3)} or more`, maxBytes);
    return made(reference, ["data URL", reference], key, () => readDataUrl(place, reference, maxBytes));
  }
  if (/^https?:/i.test(reference)) {
    remoteAddress(place, reference);
    return made(reference, ["address", reference], key, () => readRemote(place, reference, fetching, maxBytes));
  }
  if (folder === undefined)
    throw new MkgError(
      place,
      `a path without the folder that it is relative to (${quote(reference)})`,
      "A path with { folder }, a data URL, or an http address",
      "Give the option folder; fileImage opens any file of yours",
    );
  return imageFile(folder, reference, { place, maxBytes, ...(key === undefined ? {} : { key }) });
}

async function readDataUrl(place: string, url: string, maxBytes: number): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    // the Fetch standard's own reading of data URLs; nothing leaves the machine
    bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  } catch {
    throw new MkgError(
      place,
      `a data URL that cannot be read (${quote(url)})`,
      "data:image/png;base64,… or percent-encoded after the comma",
      "Mend or remove it",
    );
  }
  if (bytes.length > maxBytes) throw tooLarge(place, quote(url), bytes.length, maxBytes);
  return bytes;
}

/**
 * The images behind a reference that may be a folder of frames, checked: the file or folder is there and inside `folder`, a data URL can be
 * decoded. An address is not fetched. A folder gives its frames in time order (see {@link frameFolder}); anything else gives one image.
 *
 * @example
 * (await openImages("Knowledge_Images/Tail Swing", { folder: "mmkg/Vulmar" })).length   // 5
 */
export async function openImages(reference: string, options: OpenImageOptions = {}): Promise<readonly Image[]> {
  const image = openImage(reference, { place: "openImages", ...options });
  const { place = "openImages", folder, fetch: _, ...own } = options;
  if (/^data:/i.test(reference)) await image.bytes();
  else if (folder !== undefined && !/^https?:/i.test(reference)) {
    const info = await stat(await realPath(place, folder, reference));
    if (info.isDirectory()) return frameFolder(folder, reference, { ...own, place });
    if (!info.isFile())
      throw new MkgError(place, `not a file (${join(folder, reference)})`, "A picture or a folder of frames");
  }
  return Object.freeze([image]);
}
