import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { MkgError } from "./errors.js";
import { parseJsonLine, readingTrouble } from "./lines.js";

/** Writes the whole file or nothing: to a temporary file beside it, then renamed. Makes missing folders. */
export async function writeAtomic(path: string, data: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    await writeFile(temporary, data);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Reads a text file as strict UTF-8 without BOM; refuses what is missing, too large or not text. */
export async function readText(path: string, { place = "readText", maxBytes = 512 * 2 ** 20 } = {}): Promise<string> {
  let size: number;
  try {
    const info = await stat(path);
    if (!info.isFile()) throw new MkgError(place, `not a file (${path})`, "", readingTrouble("EISDIR"));
    size = info.size;
  } catch (error) {
    if (error instanceof MkgError) throw error;
    throw new MkgError(
      place,
      `cannot read the file (${path})`,
      "",
      readingTrouble((error as NodeJS.ErrnoException).code ?? String(error)),
    );
  }
  if (size > maxBytes)
    throw new MkgError(place, `the file is too large (${path}: ${size} bytes)`, `At most ${maxBytes} bytes`);
  const bytes = await readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new MkgError(place, `the file is not UTF-8 text (${path})`, "UTF-8", "Convert it, for example with iconv");
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

  static async open<T>(path: string): Promise<JsonlLog<T>> {
    await mkdir(dirname(path), { recursive: true });
    const stored: T[] = [];
    if (existsSync(path)) {
      const bytes = await readFile(path);
      const whole = bytes.lastIndexOf(10) + 1;
      if (whole < bytes.length) await truncate(path, whole);
      const lines = bytes.subarray(0, whole).toString("utf8").split("\n");
      lines.forEach((line, i) => {
        if (line) stored.push(parseJsonLine<T>(line, path, i + 1));
      });
    }
    return new JsonlLog<T>(path, stored, await open(path, "a"));
  }

  /** One write call per record, so that concurrent appends do not mix. */
  async append(record: T): Promise<void> {
    await this.handle.appendFile(`${JSON.stringify(record)}\n`);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
