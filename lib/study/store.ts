import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { JsonlLog, MkgError, makeFolder, SetupError, sha256 } from "../core/index.js";

/** Stages whose code decides evidence and answers; a change in any of them makes stored results stale. */
const costlyStages = ["core", "graph", "media", "datasets", "embed", "answer", "walk", "retrieve"];

/** Packages that decide what a part computes: how a picture is drawn and decoded, a file is parsed, a number is drawn. */
const decidingPackages = ["sharp", "@resvg/resvg-js", "csv-parse", "pure-rand", "arquero"];

/** The version of an installed package; "absent" where it is not found. */
function versionOf(name: string): string {
  try {
    let dir = dirname(createRequire(import.meta.url).resolve(name));
    for (; dir !== dirname(dir); dir = dirname(dir)) {
      const file = join(dir, "package.json");
      if (!existsSync(file)) continue;
      const found = JSON.parse(readFileSync(file, "utf8")) as { name?: string; version?: string };
      if (found.name === name) return found.version ?? "";
    }
  } catch {
    // not installed: the parts that need it fail on their own
  }
  return "absent";
}

/** Hash of the code that makes evidence and answers, so that results of another version are never taken for this one's. */
export function codeHash(root = fileURLToPath(new URL("..", import.meta.url))): string {
  const parts: string[] = decidingPackages.map((name) => `${name} ${versionOf(name)}`);
  for (const stage of costlyStages)
    for (const file of readdirSync(join(root, stage), { recursive: true, encoding: "utf8" }).sort())
      if (/(?<!\.d)\.(js|ts)$/.test(file))
        parts.push(`${stage}/${file}\n${readFileSync(join(root, stage, file), "utf8")}`);
  return sha256(parts.join("\n")).slice(0, 16);
}

/** Folders that this process holds, which its own process number in a lock file cannot tell. */
const held = new Set<string>();

/** A study's folder, held by one process at a time. Logs inside are append-only; everything else in it is derived. */
export class Store {
  private constructor(readonly dir: string) {}

  static async open(folder: string): Promise<Store> {
    const dir = resolve(folder);
    if (held.has(dir))
      throw new MkgError(
        "study",
        `this process is already running a study in the folder (${dir})`,
        "One at a time",
        "Await it, or choose another folder",
      );
    held.add(dir); // before the first wait, or two calls would both pass
    try {
      await makeFolder(dir);
      await takeLock(dir);
    } catch (error) {
      held.delete(dir);
      if (error instanceof MkgError) throw error;
      throw new SetupError(
        "study",
        `cannot write to the folder (${dir}: ${(error as NodeJS.ErrnoException).code ?? error})`,
        "A writable folder",
        "Choose another one with dir or --out",
      );
    }
    return new Store(dir);
  }

  /** The log of one configuration; `key` is its hash. */
  log<T>(kind: "evidence" | "answers", key: string, check: (record: T) => string | undefined): Promise<JsonlLog<T>> {
    return JsonlLog.open<T>(join(this.dir, kind, `${key}.jsonl`), check);
  }

  close(): Promise<void> {
    held.delete(this.dir);
    return rm(join(this.dir, ".lock"), { force: true });
  }
}

/**
 * Takes the folder's lock. The file appears whole, by a link: it is never seen empty. One that a dead process left is moved
 * aside under a name of its own and looked at again, so that of two that find it one wins and neither takes a living one's.
 */
async function takeLock(dir: string): Promise<void> {
  const path = join(dir, ".lock");
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, String(process.pid));
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await linked(own, path)) return;
      const seen = await readFile(path, "utf8").catch(() => "");
      if (Number(seen) !== process.pid && isAlive(Number(seen)))
        throw new MkgError(
          "study",
          `another process writes to this folder (${dir}, process ${seen})`,
          "One at a time",
          `Wait for it, or choose another folder; if that process is not mkglab, delete ${path}`,
        );
      const aside = `${own}.stale`;
      const moved = await rename(path, aside).then(
        () => true,
        () => false,
      );
      if (moved && (await readFile(aside, "utf8")) !== seen) await linked(aside, path); // another one's, taken meanwhile: put it back
      await rm(aside, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
  throw new MkgError("study", `the folder is being taken by another process (${dir})`, "One at a time", "Try again");
}

const linked = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
};

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
