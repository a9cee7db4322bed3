import { createWriteStream, existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { MkgError, makeFolder, SetupError } from "../../core/index.js";
import type { OutData } from "../formats/format.js";

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room",
  EROFS: "The file system is read-only: choose another place",
  ENOTDIR: "A part of the path is a file, not a folder: choose another place",
  EEXIST: "A file stands where a folder is wanted: choose another place",
  EISDIR: "A folder stands where a file is wanted: choose another name",
};

const stagingPrefix = `.writing-${hostname()}-`;

/** Removes what writers of this machine left that were killed: their processes are gone. */
async function removeStale(target: string): Promise<void> {
  for (const name of await readdir(target)) {
    const pid = name.startsWith(stagingPrefix) ? /^(\d+)-/.exec(name.slice(stagingPrefix.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(target, name), { recursive: true, force: true }).catch(() => {}); // no reason not to write
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Files that appear together: written into a temporary folder beside their places, moved there once all are whole. */
export class Staging {
  #folder: string | undefined;
  /** Whether the target was made for these files. */
  #made = false;
  readonly #staged = new Map<string, string>();
  constructor(
    private readonly place: string,
    private readonly target: string,
  ) {}

  /** How many files have been added. */
  get size(): number {
    return this.#staged.size;
  }

  /** Whether `name` has been added. */
  has(name: string): boolean {
    return this.#staged.has(name);
  }

  /** Writes one file, `name` being its path below the target; pieces are written as they come. */
  async add(name: string, data: OutData, options: { readonly gzip?: boolean } = {}): Promise<void> {
    await this.#writing(name, async () => {
      if (this.#folder === undefined) {
        this.#made = !existsSync(this.target);
        await makeFolder(this.target);
        await removeStale(this.target);
        this.#folder = await mkdtemp(join(this.target, `${stagingPrefix}${process.pid}-`));
      }
      const path = join(this.#folder, String(this.#staged.size));
      if (options.gzip)
        await pipeline(
          Readable.from(typeof data === "string" || data instanceof Uint8Array ? [data] : data),
          createGzip(),
          createWriteStream(path),
        );
      else await writeFile(path, data);
      this.#staged.set(name, path);
    });
  }

  /** Moves the files to their places, in the order in which they were added; one of the same name is replaced. A place that cannot be taken is an error before any is. */
  async publish(): Promise<string[]> {
    const files = [...this.#staged].map(([name, from]) => ({ name, from, path: join(this.target, name) }));
    for (const { name, path } of files)
      await this.#writing(name, async () => {
        const there = await lstat(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
        });
        if (there?.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
      });
    for (const { name, path } of files) await this.#writing(name, () => makeFolder(dirname(path)));
    for (const { name, from, path } of files) await this.#writing(name, () => rename(from, path));
    return files.map(({ path }) => path);
  }

  /** Removes what was not published, and a target that was made in vain. */
  async clear(): Promise<void> {
    if (this.#folder === undefined) return;
    await rm(this.#folder, { recursive: true, force: true });
    // refused where there is something in it
    if (this.#made) await rmdir(this.target).catch(() => {});
  }

  async #writing(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined || error instanceof MkgError) throw error;
      throw new SetupError(
        this.place,
        `cannot write (${join(this.target, name)}: ${code})`,
        "",
        remedies[code] ?? "Choose another place, or change its mode",
      );
    }
  }
}
