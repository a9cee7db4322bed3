import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that holds package.json: the same seen from lib/notebook and from dist/notebook. */
export const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

/** `packaged`: installed without sources, so there is nothing to be older than. */
export type BuildState = "current" | "stale" | "missing" | "packaged";

/**
 * Whether dist/, which notebooks import, is as new as lib/. `root` is a package folder, by default this one's.
 * Reads the times of all files of lib: some hundred `stat` calls.
 *
 * @example
 * buildState(); // "current"
 */
export function buildState(root: string = packageRoot): BuildState {
  const lib = join(root, "lib");
  if (!existsSync(join(root, "dist", "index.js"))) return "missing";
  if (!existsSync(lib)) return "packaged";
  const stamp = join(root, "dist", ".built");
  if (!existsSync(stamp)) return "stale";
  const built = statSync(stamp).mtimeMs;
  const paths = readdirSync(lib, { recursive: true, encoding: "utf8" }).map((path) => join(lib, path));
  return [lib, ...paths].every((path) => statSync(path).mtimeMs < built) ? "current" : "stale";
}
