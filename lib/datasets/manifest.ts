import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MkgError, quote, readText, refuseUnknown, unknownName } from "../core/index.js";
import { isFields } from "./intake.js";

/** One published file. */
export interface SourceFile {
  /** Where it belongs, below the data set's folder; `/` between. */
  readonly file: string;
  /** Where it is published, below the source's `url`; the same as `file` where the manifest does not say. */
  readonly path: string;
  /** Size; null where it is not known. */
  readonly bytes: number | null;
  /** SHA-256 as 64 hexadecimal digits; null where nobody has verified the file. */
  readonly sha256: string | null;
  /** Other places below the folder where the loader takes it from. */
  readonly also: readonly string[];
}

/** What the manifest says about a data set: where it comes from, under which licence, and what to expect. */
export interface DatasetSource {
  readonly name: string;
  /** In words. */
  readonly source: string;
  readonly licence: string;
  /** Whether it may be passed on under that licence. */
  readonly redistribution: boolean;
  readonly citation: string;
  /** Address below which the files are published at a fixed commit; "" where they are not. */
  readonly url: string;
  readonly files: readonly SourceFile[];
  /** What cannot be fetched at a fixed version, and where it goes below the folder. */
  readonly byHand: readonly { readonly what: string; readonly to: string }[];
  /** Counts to expect on the card of the test split with default options. */
  readonly counts: Readonly<Record<string, number>>;
  /** The folder of a data set that comes with the package; undefined where it is looked for below the data root, or generated. */
  readonly embedded?: string;
}

const sourceKeys = "source licence redistribution citation url files byHand counts embedded".split(" ");
const fileKeys = ["path", "bytes", "sha256", "also"];

/** The manifest of the package: beside the code, in a clone as in an installed package. */
const own = fileURLToPath(new URL("../../data/manifest.json", import.meta.url));

/**
 * The sources of data sets by name, from `data/manifest.json` of the package or from a file of the same form. A wrong field, a file name that
 * leads out of the folder, and an address that is not http(s) are errors that name file, data set and field.
 *
 * @param path a manifest of one's own; default the package's.
 * @example
 * (await datasetSources()).get("markg")?.licence   // "MIT"
 */
export async function datasetSources(path: string = own): Promise<ReadonlyMap<string, DatasetSource>> {
  const place = `manifest ${basename(path)}`;
  const text = await readText(path, { place, maxBytes: 16 * 2 ** 20 });
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new MkgError(place, `not JSON (${(error as Error).message})`, "An object { datasets: { name: … } }");
  }
  refuseUnknown(place, read, ["comment", "datasets"], "field");
  const { datasets } = read as { datasets?: unknown };
  if (!isFields(datasets)) throw new MkgError(place, `datasets is not an object (${quote(datasets)})`, "Name → source");
  return new Map(
    Object.entries(datasets).map(([name, entry]) => [name, sourceOf(`${place}, ${name}`, name, entry, dirname(path))]),
  );
}

/** The source of one data set, or an error with the nearest known name. */
export async function datasetSource(place: string, name: string, manifest?: string): Promise<DatasetSource> {
  const sources = await datasetSources(manifest);
  const found = sources.get(name);
  if (!found) throw unknownName(place, "data set", name, sources.keys());
  return found;
}

function sourceOf(place: string, name: string, entry: unknown, folder: string): DatasetSource {
  refuseUnknown(place, entry, sourceKeys, "field");
  checkPath(place, "the name", name);
  const fields = entry as Readonly<Record<string, unknown>>;
  const text = (key: string, absent?: string): string => {
    const value = fields[key] ?? absent;
    if (typeof value !== "string") throw new MkgError(place, `${key} is not a string (${quote(value)})`);
    return value;
  };
  const list = (key: string): readonly unknown[] => {
    const value = fields[key] ?? [];
    if (!Array.isArray(value)) throw new MkgError(place, `${key} is not a list (${quote(value)})`);
    return value;
  };
  const record = (key: string): [string, unknown][] => {
    const value = fields[key] ?? {};
    if (!isFields(value)) throw new MkgError(place, `${key} is not an object (${quote(value)})`);
    return Object.entries(value);
  };
  if (typeof fields.redistribution !== "boolean")
    throw new MkgError(place, `redistribution is not true or false (${quote(fields.redistribution)})`);
  const url = text("url", "");
  if (url !== "") checkBase(place, url);
  const embedded = text("embedded", "");
  return Object.freeze({
    name,
    source: text("source"),
    licence: text("licence"),
    redistribution: fields.redistribution,
    citation: text("citation"),
    url,
    files: Object.freeze(
      apart(
        place,
        record("files").map(([file, about]) => fileOf(place, file, about)),
      ),
    ),
    byHand: Object.freeze(
      list("byHand").map((item) => {
        refuseUnknown(`${place}, byHand`, item, ["what", "to"], "field");
        const { what, to } = item as { what: unknown; to: unknown };
        if (typeof what !== "string" || typeof to !== "string")
          throw new MkgError(`${place}, byHand`, `not what and to as strings (${quote(item)})`);
        return Object.freeze({ what, to });
      }),
    ),
    counts: Object.freeze(
      Object.fromEntries(
        record("counts").map(([what, n]) => {
          if (!Number.isSafeInteger(n)) throw new MkgError(place, `counts.${what} is not an integer (${quote(n)})`);
          return [what, n as number];
        }),
      ),
    ),
    ...(embedded === "" ? {} : { embedded: join(folder, "..", embedded) }),
  });
}

function fileOf(place: string, file: string, about: unknown): SourceFile {
  const where = `${place}, file ${quote(file)}`;
  refuseUnknown(where, about, fileKeys, "field");
  const { path = file, bytes, sha256, also = [] } = about as Readonly<Record<string, unknown>>;
  checkPath(where, "the name", file);
  checkPath(where, "path", path);
  if (!Array.isArray(also)) throw new MkgError(where, `also is not a list (${quote(also)})`);
  for (const one of also) checkPath(where, "also", one);
  if (bytes !== null && !(Number.isSafeInteger(bytes) && (bytes as number) >= 0))
    throw new MkgError(where, `bytes is not an integer ≥ 0 (${quote(bytes)})`, "null where it is not known");
  if (sha256 !== null && !(typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256)))
    throw new MkgError(where, `sha256 is not 64 hexadecimal digits (${quote(sha256)})`, "null where it is not known");
  return Object.freeze({
    file,
    path: path as string,
    bytes: bytes as number | null,
    sha256,
    also: Object.freeze(also),
  });
}

/** Refuses whatever could lead out of the folder that it is joined to, on any system. */
function checkPath(place: string, what: string, path: unknown): void {
  const isSafe =
    typeof path === "string" &&
    path.length <= 1000 &&
    !/[\\:\0]/.test(path) &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isSafe)
    throw new MkgError(
      place,
      `${what} is not a path below the folder (${quote(path)})`,
      "Names with / between; no .., no drive, no backslash, no leading /",
      "Mend the manifest",
    );
}

/** An address that paths are added to. */
export function checkBase(place: string, base: string): URL {
  const folder = `${base}`.replace(/\/?$/, "/");
  const url = URL.canParse(folder) ? new URL(folder) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new MkgError(
      place,
      `not an address of files (${quote(base)})`,
      "https://host/folder/ or http://host/folder/, without user name and password",
    );
  return url;
}

/** Refuses names that cannot stand beside each other, or beside what fetching writes. */
function apart(place: string, files: readonly SourceFile[]): readonly SourceFile[] {
  const names = files.map(({ file }) => file);
  for (const name of names) {
    if (name === "fetched.json" || /\.part(\.json|\.lock)?$/.test(name))
      throw new MkgError(place, `files: the name is one that fetching writes itself (${quote(name)})`, "", "Rename it");
    const folder = names.find((other) => name.startsWith(`${other}/`));
    if (folder !== undefined)
      throw new MkgError(
        `${place}, files`,
        `${quote(folder)} is a file and the folder of ${quote(name)}`,
        "One or the other",
        "Rename one of them",
      );
  }
  return files;
}
