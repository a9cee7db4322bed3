import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { MkgError, SetupError } from "./errors.js";
import { linesOf, markedEncoding, openFile, parseJsonLine, readingError, readingTrouble } from "./lines.js";
import { byCodeUnit } from "./types.js";

/** Makes a folder and those above it. Not `recursive: true`, which never returns where a file system refuses with ENOENT (/proc). */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path || existsSync(dirname(path))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

/** Writes the whole file or nothing: to a temporary file beside it, then renamed. Makes missing folders. */
export async function writeAtomic(path: string, data: string | Uint8Array): Promise<void> {
  await writing(path, () => makeFolder(dirname(path)));
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  await writing(path, async () => {
    try {
      await writeFile(temporary, data);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {}); // where nothing can be written, nothing is left behind
      throw error;
    }
  });
}

const writingTrouble: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room",
  EACCES: "Writing is not permitted: choose another place, or change its mode",
  EPERM: "Writing is not permitted: choose another place",
  EROFS: "The file system is read-only: choose another place",
  ENOTDIR: "A part of the path is a file, not a folder: choose another place",
  EEXIST: "A file stands where a folder is wanted: choose another place",
  EISDIR: "It is a folder: give a file",
  ENOENT: "Folders cannot be made there: choose another place",
};

/** Does some writing; what the system refuses is an error that names the place and what to do. */
const writing = <T>(path: string, work: () => Promise<T>): Promise<T> =>
  work().catch((error) => {
    throw writingError("writing", path, error);
  });

/** What the system refused on writing, as an error that says what to do; any other error as it is. */
export function writingError(place: string, path: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof MkgError) return error;
  return new SetupError(place, `cannot write (${path}: ${code})`, "", writingTrouble[code] ?? "Choose another place");
}

/** Whether something stands at the path; an error where the system does not let one look, so that "missing" is not said of what is hidden. */
export async function isThere(place: string, path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw readingError(place, path, error);
  }
}

/** The names in a folder, in code-unit order; `[]` where there is none. One that cannot be read is an error that says why. */
export async function namesIn(place: string, folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort(byCodeUnit);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    if (code === undefined) throw error;
    throw new SetupError(place, `cannot list the folder (${folder})`, "", readingTrouble(code));
  }
}

/** Refuses what is there and is no regular file: a pipe would be waited for without end. */
export async function refusePipe(place: string, path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  if (info && !info.isFile())
    throw new MkgError(
      place,
      `not a file (${path})`,
      "",
      info.isDirectory() ? readingTrouble("EISDIR") : "It is a pipe or a device; give a regular file",
    );
}

/** The bytes of a regular file. */
async function readBytes(place: string, path: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const file = await openFile(place, path);
  try {
    const { size } = await file.stat();
    if (size > maxBytes)
      throw new MkgError(place, `the file is too large (${path}: ${size} bytes)`, `At most ${maxBytes} bytes`);
    return await file.readFile();
  } catch (error) {
    throw readingError(place, path, error);
  } finally {
    await file.close();
  }
}

/** Reads a text file as strict UTF-8, or UTF-16 with a byte order mark; refuses what is missing, too large or not text. */
export async function readText(path: string, { place = "readText", maxBytes = 512 * 2 ** 20 } = {}): Promise<string> {
  const bytes = await readBytes(place, path, maxBytes);
  const encoding = markedEncoding(bytes);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    if (encoding === "utf-8") throw linesOf(place, path, bytes, 1).find((line) => line instanceof MkgError);
    throw new MkgError(
      place,
      `the file is not ${encoding} text, as its byte order mark says (${path})`,
      "",
      "Convert it, for example with iconv",
    );
  }
}

/**
 * An append-only log of JSON lines that survives being killed at any moment: a line is whole or absent.
 * On opening, a torn last line is cut off. One writer at a time.
 */
export class JsonlLog<T> {
  private constructor(
    readonly path: string,
    /** The records that were there when the log was opened, in order. */
    readonly stored: readonly T[],
    private readonly handle: Awaited<ReturnType<typeof open>>,
  ) {}

  /** @param check says what is wrong with a stored record, or nothing; a wrong one is an error that names file and line. */
  static async open<T>(path: string, check: (record: T) => string | undefined = () => undefined): Promise<JsonlLog<T>> {
    await writing(path, () => makeFolder(dirname(path)));
    const stored: T[] = [];
    if (existsSync(path)) {
      const bytes = await readBytes("stored results", path);
      const whole = bytes.lastIndexOf(10) + 1;
      if (whole < bytes.length) await writing(path, () => truncate(path, whole));
      const lines = bytes.subarray(0, whole).toString("utf8").split("\n");
      lines.forEach((line, i) => {
        if (!line) return;
        const record = parseJsonLine<T>(line, path, i + 1);
        const wrong = check(record);
        if (wrong)
          throw new MkgError(
            "stored results",
            `${path}, line ${i + 1}: ${wrong}`,
            "",
            "Delete the file: what it held is run again",
          );
        stored.push(record);
      });
    }
    return new JsonlLog<T>(path, stored, await writing(path, () => open(path, "a")));
  }

  /** One write call per record, so that concurrent appends do not mix. */
  async append(record: T): Promise<void> {
    await writing(this.path, () => this.handle.appendFile(`${JSON.stringify(record)}\n`));
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
