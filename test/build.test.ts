import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildState } from "../lib/notebook/index.js";

const building = suite("build");
const repository = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mkglab-build-"));
building.after(() => rmSync(folder, { recursive: true }));

let made = 0;
/** A package folder with this content; TypeScript is there unless told. */
function project(files: Record<string, string>, { typescript = true } = {}): string {
  const root = join(folder, `p${++made}`);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  write("package.json", '{"type":"module"}');
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    rootDir: "lib",
    outDir: "dist",
    declaration: true,
    types: [],
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["lib"] }));
  mkdirSync(join(root, "node_modules"));
  if (typescript) symlinkSync(join(repository, "node_modules/typescript"), join(root, "node_modules/typescript"));
  return root;
}
const build = (root: string) => {
  const child = spawnSync(process.execPath, [join(repository, "scripts/build.mjs"), root], { encoding: "utf8" });
  return { code: child.status, said: child.stdout + child.stderr };
};
/** Makes a file look edited an hour from now. */
const touch = (path: string) => {
  const later = new Date(Date.now() + 3_600_000);
  utimesSync(path, later, later);
};
const sources = {
  "lib/index.ts": "export const a = 1;",
  "lib/cli/main.ts": "#!/usr/bin/env node\nexport const m = 1;",
};

building("it compiles in silence, makes the command executable, and is current afterwards until lib changes", () => {
  const root = project(sources);
  assert.is(buildState(root), "missing");
  assert.equal(build(root), { code: 0, said: "" });
  assert.match(readFileSync(join(root, "dist/index.js"), "utf8"), "export const a = 1");
  assert.is(statSync(join(root, "dist/cli/main.js")).mode & 0o111, 0o111);
  assert.is(buildState(root), "current");
  touch(join(root, "lib/index.ts"));
  assert.is(buildState(root), "stale");
});

building("when nothing changed it does not compile: what is in dist stays untouched", () => {
  const root = project(sources);
  build(root);
  writeFileSync(join(root, "dist/index.js"), "mark");
  build(root);
  assert.is(readFileSync(join(root, "dist/index.js"), "utf8"), "mark");
  touch(join(root, "lib/index.ts"));
  build(root);
  assert.match(readFileSync(join(root, "dist/index.js"), "utf8"), "export const a");
});

building("what no source makes any more is removed, with its folder; other files in dist stay", () => {
  const root = project({ ...sources, "lib/old/gone.ts": "export const g = 1;" });
  build(root);
  assert.ok(existsSync(join(root, "dist/old/gone.js")));
  writeFileSync(join(root, "dist/note.txt"), "x");
  rmSync(join(root, "lib/old"), { recursive: true });
  touch(join(root, "lib"));
  build(root);
  assert.not.ok(existsSync(join(root, "dist/old")));
  assert.ok(existsSync(join(root, "dist/note.txt")));
  assert.ok(existsSync(join(root, "dist/cli/main.d.ts")));
});

building("a type error fails, shows where, and leaves dist as it was", () => {
  const root = project(sources);
  build(root);
  writeFileSync(join(root, "lib/index.ts"), "export const a: string = 2;");
  touch(join(root, "lib/index.ts"));
  const { code, said } = build(root);
  assert.is(code, 1);
  assert.match(said, "lib/index.ts(1,14)");
  assert.match(readFileSync(join(root, "dist/index.js"), "utf8"), "export const a = 1");
});

building(
  "without TypeScript a built dist is used as it is, an absent one is an error, and a package without lib is left alone",
  () => {
    const built = project({ ...sources, "dist/cli/main.js": "built" }, { typescript: false });
    assert.is(build(built).code, 0);
    assert.is(readFileSync(join(built, "dist/cli/main.js"), "utf8"), "built");
    const bare = build(project(sources, { typescript: false }));
    assert.is(bare.code, 1);
    assert.match(bare.said, "npm ci");
    const packaged = project({ "dist/index.js": "x" }, { typescript: false });
    assert.equal(build(packaged), { code: 0, said: "" });
    assert.is(buildState(packaged), "packaged");
  },
);

building.run();
