// Builds lib/ into dist/: quiet, and quick when nothing changed. `npm ci` runs it too, through `prepare`.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), ".."));
const lib = join(root, "lib");
const dist = join(root, "dist");
const stamp = join(dist, ".built");
const main = join(dist, "cli", "main.js");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");

/** Paths below a folder, deepest first, folders included: deleting a file changes its folder's time. */
function tree(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [...tree(path), path] : [path];
  });
}

function upToDate() {
  if (!existsSync(stamp)) return false;
  const built = statSync(stamp).mtimeMs;
  return [lib, ...tree(lib), join(root, "tsconfig.json")].every((path) => statSync(path).mtimeMs < built);
}

function removeStale() {
  for (const path of tree(dist)) {
    if (statSync(path).isDirectory()) {
      if (readdirSync(path).length === 0) rmdirSync(path);
      continue;
    }
    const stem = path.match(/^(.*?)(\.d\.ts|\.js)(\.map)?$/)?.[1];
    if (stem !== undefined && !existsSync(`${lib}${stem.slice(dist.length)}.ts`)) rmSync(path);
  }
}

function fail(message) {
  process.stderr.write(`build: ${message}\n`);
  process.exit(1);
}

// an installed package holds dist/ and no lib/: there is nothing to build
if (existsSync(lib) && !upToDate()) {
  if (existsSync(compiler)) {
    const started = new Date();
    const project = join(root, "tsconfig.json");
    const tsc = spawnSync(process.execPath, [compiler, "-p", project, "--noEmitOnError"], {
      cwd: root,
      encoding: "utf8",
    });
    if (tsc.status !== 0) fail(`TypeScript found errors; dist/ is as it was.\n${tsc.stdout}${tsc.stderr}`);
    mkdirSync(dist, { recursive: true });
    removeStale();
    if (existsSync(main)) chmodSync(main, 0o755);
    // the time of the start: what was edited meanwhile is built next time
    writeFileSync(stamp, "");
    utimesSync(stamp, started, started);
  } else if (existsSync(main)) {
    process.stderr.write("build: TypeScript is not installed; dist/ is used as it is.\n");
  } else {
    fail("TypeScript is not installed and dist/ is not built. Run `npm ci` with its development packages.");
  }
}
