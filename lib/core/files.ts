import { createReadStream, existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { MkgError } from "./errors.js";

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
    if (!info.isFile()) throw new MkgError(place, `not a file (${path})`);
    size = info.size;
  } catch (error) {
    if (error instanceof MkgError) throw error;
    throw new MkgError(place, `cannot read the file (${path})`, "", reason(error));
  }
  if (size > maxBytes) throw new MkgError(place, `the file is too large (${path}: ${size} bytes)`, `At most ${maxBytes} bytes`);
  const bytes = await readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new MkgError(place, `the file is not UTF-8 text (${path})`, "UTF-8", "Convert it, for example with iconv");
  }
}

const reason = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "There is no such file; check the path";
  if (code === "EACCES") return "Reading is not permitted; check the file's mode";
  return code ?? String(error);
};

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
        if (line) stored.push(parseJson<T>(line, path, i + 1));
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

/** Streams the records of a JSON-lines file with their line numbers; blank lines are skipped. A bad line is an error that names it. */
export async function* readJsonl<T>(path: string, place = "readJsonl"): AsyncGenerator<{ record: T; line: number }> {
  if (!existsSync(path)) throw new MkgError(place, `cannot read the file (${path})`, "", "There is no such file; check the path");
  const lines = createInterface({ input: createReadStream(path, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
  let line = 0;
  for await (const raw of lines) {
    line++;
    const text = line === 1 ? raw.replace(/^\uFEFF/, "") : raw;
    if (text.trim()) yield { record: parseJson<T>(text, path, line, place), line };
  }
}

function parseJson<T>(text: string, path: string, line: number, place = "readJsonl"): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new MkgError(place, `${path}, line ${line}: not JSON (${(error as Error).message})`, "One JSON value a line", "Mend or remove that line");
  }
}
