import { lstat } from "node:fs/promises";
import { join } from "node:path";
import {
  flag,
  integer,
  isThere,
  MkgError,
  makeFolder,
  type OnProgress,
  type OptionSpecs,
  Progress,
  quote,
  readingError,
  readText,
  refuseUnknown,
  resolveOptions,
  SetupError,
  textOption,
  writeAtomic,
} from "../core/index.js";
import { type Download, download, fileHash } from "./download.js";
import { isFields } from "./intake.js";
import { checkBase, type DatasetSource, datasetSource, type SourceFile } from "./manifest.js";

export interface FetchDatasetOptions {
  /** Data root; the files go to the folder of the data set's name below it. Default `data`. */
  readonly dir?: string;
  /** Address of a mirror: a folder that holds the published paths. Default: the address in the manifest. */
  readonly from?: string;
  /** Also fetch files whose SHA-256 nobody has verified; what came is recorded in `fetched.json`. Default false: they are an error. */
  readonly acceptUnverified?: boolean;
  /** Silence on a connection after which it is given up; milliseconds, default 30,000. */
  readonly timeoutMs?: number;
  /** How often a broken connection is taken up again without a byte gained; default 3. */
  readonly retries?: number;
  /** Largest file taken where the manifest does not say the size; default 2 GiB. */
  readonly maxBytes?: number;
  /** The proxy for an address, as an address; undefined for none. Default: none. */
  readonly proxy?: (url: URL) => string | undefined;
  /** A manifest of one's own; default the package's. */
  readonly manifest?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
}

/** What became of one file. */
export interface FetchedFile {
  readonly file: string;
  /** `there`: it was there before and is left as it is. */
  readonly status: "fetched" | "there";
  readonly bytes: number;
  readonly sha256: string;
  /** Whether the manifest states this SHA-256. */
  readonly verified: boolean;
  /** Bytes of an earlier, interrupted fetch that were used. */
  readonly resumedFrom: number;
}

export interface FetchReport {
  readonly name: string;
  readonly folder: string;
  readonly files: readonly FetchedFile[];
  readonly byHand: DatasetSource["byHand"];
}

const specs = {
  dir: textOption({ default: "data", doc: "data root" }),
  acceptUnverified: flag({ default: false, doc: "also fetch files whose SHA-256 is not known" }),
  timeoutMs: integer({
    min: 1,
    max: 2 ** 31 - 1,
    default: 30_000,
    doc: "silence after which a connection is given up",
  }),
  retries: integer({ min: 0, max: 100, default: 3, doc: "how often a broken connection is taken up again" }),
  maxBytes: integer({ min: 1, default: 2 ** 31, doc: "largest file of unknown size" }),
} as const satisfies OptionSpecs;
const otherKeys = ["from", "proxy", "manifest", "signal", "onProgress"];

/** The file beside fetched ones that says what unverified files were when they came. */
const recordName = "fetched.json";

/**
 * Fetches the files of a data set that upstream publishes openly at a fixed commit, as the manifest lists them, into `<dir>/<name>/`.
 *
 * Each file goes to `<file>.part`, is compared with the manifest's size and SHA-256, and only then gets its name: under it there is never anything else.
 * A file with the right SHA-256 that is there already is left as it is; another one is an error, and stays. An interrupted fetch goes on where it
 * stopped (HTTP Range, If-Range), where the server says by a strong ETag or a date that its file is still the same, or the SHA-256 is known;
 * should the whole not have the SHA-256 then, it is fetched anew once. One file at a time, memory O(1).
 *
 * Errors: a name that the manifest does not have; a data set that is not published so; files without a known SHA-256 unless `acceptUnverified`; a
 * wrong size or SHA-256; an answer other than the file. No connection is a `SetupError` that lists the files with their addresses, to be fetched by hand.
 * When `signal` aborts, its reason is thrown, and `.part` files stay for the next time.
 *
 * @example
 * const { files } = await fetchDataset("markg", { dir: "data" });
 * files.every((file) => file.verified);   // true
 */
export async function fetchDataset(name: string, options: FetchDatasetOptions = {}): Promise<FetchReport> {
  const place = `fetchDataset(${quote(name)})`;
  refuseUnknown(place, options, [...Object.keys(specs), ...otherKeys], "option");
  const { from, proxy, manifest, signal, onProgress, ...plain } = options;
  const { dir, acceptUnverified, timeoutMs, retries, maxBytes } = resolveOptions(place, specs, plain) as {
    readonly dir: string;
    readonly acceptUnverified: boolean;
    readonly timeoutMs: number;
    readonly retries: number;
    readonly maxBytes: number;
  };
  const source = await datasetSource(place, name, manifest);
  const base = checkBase(`${place}, from`, from ?? (source.url || notPublished(place, source)));
  const folder = join(dir, name);
  const unverified = source.files.filter(({ sha256 }) => sha256 === null);
  if (unverified.length > 0 && !acceptUnverified)
    throw new MkgError(
      place,
      `the SHA-256 of ${unverified.length} of ${source.files.length} files is not known, so that nobody can say whether what comes is right (${shortList(unverified)})`,
      "acceptUnverified takes whatever comes, and records it",
      "If you trust the connection and the repository: acceptUnverified: true, or --accept-unverified on the command line",
    );
  const record = await readRecord(place, folder);
  const open: Download[] = [];
  const done = new Map<string, FetchedFile>();
  for (const file of source.files) {
    const path = await checkedPath(place, folder, file.file);
    const found = await alreadyThere(place, folder, path, file);
    if (found) done.set(file.file, found);
    else
      open.push({
        place: `${place}, ${file.file}`,
        url: new URL(file.path.split("/").map(encodeURIComponent).join("/"), base),
        path,
        bytes: file.bytes,
        sha256: file.sha256,
        timeoutMs,
        retries,
        maxBytes,
        proxy,
        signal,
        help: () => byHandText(source, folder),
      });
  }
  const known = open.every(({ bytes }) => bytes !== null);
  const total = known ? open.reduce((sum, { bytes }) => sum + (bytes as number), 0) : open.length;
  const progress = new Progress(`${known ? "bytes" : "files"} of ${name}`, total, onProgress);
  for (const one of open) {
    const file = source.files.find(({ file }) => join(folder, file) === one.path) as SourceFile;
    let counted = 0;
    const count = (size: number, stored: boolean) => {
      const more = Math.min(size, one.bytes ?? 0) - counted;
      if (!known || more <= 0) return;
      counted += more;
      progress.tick(more, { stored });
    };
    const got = await download(one, count);
    if (!known) progress.tick();
    done.set(file.file, { file: file.file, status: "fetched", verified: file.sha256 !== null, ...got });
    if (file.sha256 === null) {
      record[file.file] = { url: one.url.href, bytes: got.bytes, sha256: got.sha256 };
      await writeAtomic(join(folder, recordName), `${JSON.stringify({ files: record }, null, 2)}\n`);
    }
  }
  return {
    name,
    folder,
    files: source.files.map(({ file }) => done.get(file) as FetchedFile),
    byHand: source.byHand,
  };
}

function notPublished(place: string, source: DatasetSource): never {
  throw new MkgError(
    place,
    source.embedded !== undefined || /^generated/.test(source.source)
      ? `nothing is to be fetched: it comes with the package (${source.source})`
      : `its files are not published at an address of their own (${source.source})`,
    "",
    source.embedded !== undefined || /^generated/.test(source.source)
      ? `loadDataset(${quote(source.name)}) makes or reads it`
      : "data/README.md says how they are laid out",
  );
}

/** The published files with their addresses and places, and what else there is: what a reader without a connection needs. */
function byHandText(source: DatasetSource, folder: string): string {
  const rows = source.files.map(({ file, path }) => `  ${join(folder, file)}  from ${source.url}${path}`);
  return `By hand: fetch these files elsewhere and put them at\n${rows.join("\n")}\nthen run mkglab data check ${source.name}. A mirror of them is named by --from\n`;
}

const shortList = (files: readonly SourceFile[]): string =>
  files.length <= 3
    ? files.map(({ file }) => file).join(", ")
    : `${files
        .slice(0, 2)
        .map(({ file }) => file)
        .join(", ")}, … (${files.length})`;

/** The path of a file below the folder; a symbolic link on the way there is refused, since it could lead out. */
async function checkedPath(place: string, folder: string, file: string): Promise<string> {
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw new SetupError(place, `cannot make the folder (${folder}: ${error.code})`, "", "Choose another with --data");
  });
  let at = folder;
  const parts = file.split("/");
  for (const [i, part] of parts.entries()) {
    at = join(at, part);
    const info = await lstat(at).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw readingError(place, at, error);
    });
    const isLast = i === parts.length - 1;
    if (info === undefined || (isLast ? info.isFile() : info.isDirectory())) continue;
    throw new MkgError(
      place,
      `${isLast ? "not a file" : "not a folder"} (${at})${info.isSymbolicLink() ? ": a symbolic link could lead out of the folder" : ""}`,
      "",
      "Move it away",
    );
  }
  return at;
}

async function alreadyThere(
  place: string,
  folder: string,
  path: string,
  file: SourceFile,
): Promise<FetchedFile | undefined> {
  const at = await firstThere(place, [path, ...file.also.map((one) => join(folder, one))]);
  if (at === undefined) return undefined;
  const { bytes, sha256 } = await fileHash(place, at);
  if (file.sha256 !== null && sha256 !== file.sha256)
    throw new MkgError(
      place,
      `another file than the published one is there (${at}: SHA-256 ${sha256})`,
      `${file.bytes} bytes with SHA-256 ${file.sha256}`,
      "Move it away, then fetch again",
    );
  return { file: file.file, status: "there", bytes, sha256, verified: file.sha256 !== null, resumedFrom: 0 };
}

async function firstThere(place: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isThere(place, path)) return path;
  return undefined;
}

/** What unverified files were when they came, by name. */
type FetchRecord = Record<string, { readonly url: string; readonly bytes: number; readonly sha256: string }>;

async function readRecord(place: string, folder: string): Promise<FetchRecord> {
  const path = join(folder, recordName);
  const record: FetchRecord = Object.create(null);
  if (!(await isThere(place, path))) return record;
  const text = await readText(path, { place, maxBytes: 2 ** 24 });
  let files: unknown;
  try {
    ({ files } = JSON.parse(text) as { files?: unknown });
  } catch {
    // said below
  }
  if (!isFields(files) || Object.values(files).some((f) => !isFields(f) || typeof f.sha256 !== "string"))
    throw new MkgError(place, `not a record of fetched files (${path})`, "", "Delete it and fetch again");
  return Object.assign(record, files);
}

/** How a file of a data set stands to the manifest. */
export interface CheckedFile {
  readonly file: string;
  /** Where it was found, below the folder; "" where it is missing. */
  readonly at: string;
  /**
   * `verified`: the published file. `recorded`: as it was fetched, while the published SHA-256 is not known. `unknown`: there, and nothing to compare it
   * with. `differs`: from the published file or from the record. `missing`.
   */
  readonly status: "verified" | "recorded" | "unknown" | "differs" | "missing";
  readonly bytes: number | null;
  readonly sha256: string | null;
  /** What it should be; null where it is not known. */
  readonly expected: string | null;
}

/**
 * Compares the files of a data set with the manifest, and those without a known SHA-256 with what was recorded when they were fetched. Reads each file once,
 * O(bytes) time, O(1) memory.
 *
 * @param folder where the files are; default `<dir>/<name>`, or the package's own folder for what comes with it.
 * @example
 * (await checkFiles("markg", "data/markg")).map((file) => file.status);   // ["verified", "verified", …]
 */
export async function checkFiles(name: string, folder: string, manifest?: string): Promise<CheckedFile[]> {
  const place = `checkFiles(${quote(name)})`;
  const source = await datasetSource(place, name, manifest);
  const record = await readRecord(place, folder);
  const checked: CheckedFile[] = [];
  for (const { file, also, sha256: published } of source.files) {
    const expected = published ?? (Object.hasOwn(record, file) ? record[file]!.sha256 : null);
    const names = [file, ...also];
    const path = await firstThere(
      place,
      names.map((one) => join(folder, one)),
    );
    const at = names.find((one) => join(folder, one) === path);
    if (path === undefined || at === undefined) {
      checked.push({ file, at: "", status: "missing", bytes: null, sha256: null, expected });
      continue;
    }
    const { bytes, sha256: own } = await fileHash(place, path);
    const status =
      expected === null ? "unknown" : own !== expected ? "differs" : published === null ? "recorded" : "verified";
    checked.push({ file, at, status, bytes, sha256: own, expected });
  }
  return checked;
}
