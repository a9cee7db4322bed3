import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { covers, EXCEPTIONS, layerViolations, STAGES } from "./support/layers.js";

const layers = suite("layers");
const lib = fileURLToPath(new URL("../lib", import.meta.url));

const files = new Map(
  readdirSync(lib, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [relative(lib, path).split(sep).join("/"), readFileSync(path, "utf8")]),
);

layers("lib keeps the order of stages and the bans on printing, exits, environment, clock and chance", () => {
  assert.equal(
    layerViolations(files).map((v) => `${v.rule}: ${v.path}: ${v.detail}`),
    [],
  );
});

layers("every stage that exists has an index", () => {
  const present = new Set([...files.keys()].filter((path) => path.includes("/")).map((path) => path.split("/")[0]));
  const without = [...present].filter((stage) => stage !== "cli" && !files.has(`${stage}/index.ts`));
  assert.equal(without, []);
});

layers("every exception is needed: without it a file of lib breaks its rule", () => {
  const bare = layerViolations(files, []);
  const idle = EXCEPTIONS.filter((e) => !bare.some((v) => v.rule === e.rule && covers(e.path, v.path)));
  assert.equal(
    idle.map((e) => `${e.rule}: ${e.path}`),
    [],
  );
});

/** Rules that an invented tree breaks; its other files are sound. */
const broken = (tree: Record<string, string>) => {
  const sound = { "index.ts": 'export { a } from "./core/index.js";', "core/index.ts": "export const a = 1;" };
  return layerViolations(new Map(Object.entries({ ...sound, ...tree })), []).map((v) => v.rule);
};

layers("a sound tree breaks no rule", () => {
  assert.equal(broken({}), []);
  assert.equal(
    broken({
      "stats/index.ts": 'import { a } from "../core/index.js";\nexport const b = a;',
      "core/late.ts": 'export const load = async () => await import("vega");',
      "core/time.ts": "export const at = (ms: number) => new Date(ms);",
    }),
    [],
  );
});

const planted: [rule: string, tree: Record<string, string>][] = [
  ["order", { "graph/index.ts": 'import { x } from "../study/index.js"; x;', "study/index.ts": "export const x = 1;" }],
  ["order", { "core/b.ts": 'export type T = import("../cli/index.js").X;', "cli/index.ts": "export type X = 1;" }],
  ["order", { "core/b.ts": 'export const f = () => import("../graph/index.js");', "graph/index.ts": "export {};" }],
  ["index", { "graph/index.ts": 'export { x } from "../core/x.js";', "core/x.ts": "export const x = 1;" }],
  ["own index", { "core/b.ts": 'import type { a } from "./index.js";\nexport type B = typeof a;' }],
  ["missing", { "core/b.ts": 'export * from "./gone.js";' }],
  ["stage", { "util/index.ts": "export {};" }],
  ["cycle", { "core/b.ts": 'export * from "./c.js";', "core/c.ts": 'export * from "./b.js";' }],
  ["code in index", { "index.ts": "export const one = 1;" }],
  ["prints", { "core/b.ts": 'console.warn("x");' }],
  ["prints", { "core/b.ts": 'process.stderr.write("x");' }],
  ["exits", { "core/b.ts": "process.exit(1);" }],
  ["environment", { "core/b.ts": 'export const k = process["env"].KEY;' }],
  ["environment", { "core/b.ts": "const { env } = process;\nexport { env };" }],
  ["environment", { "core/b.ts": 'import { env as e } from "node:process";\nexport { e };' }],
  ["chance", { "core/b.ts": "export const r = Math.random();" }],
  ["clock", { "core/b.ts": "export const t = Date.now();" }],
  ["clock", { "core/b.ts": "export const t = new Date();" }],
  ["locale", { "core/b.ts": "export const s = (a: string[]) => a.sort((x, y) => x.localeCompare(y));" }],
  ["top-level await", { "core/b.ts": 'export const v = await import("node:fs");' }],
  ["static vega", { "core/b.ts": 'import * as vega from "vega";\nexport { vega };' }],
];
for (const [i, [rule, tree]] of planted.entries())
  layers(`a planted breach is caught, and nothing else: ${rule} (${i + 1})`, () => {
    assert.equal(broken(tree), [rule]);
  });

layers("an exception lifts its own rule in its own place only", () => {
  const tree = new Map([
    ["index.ts", ""],
    ["core/b.ts", "console.log(Math.random());"],
    ["graph/index.ts", "console.log(1);"],
  ]);
  const left = layerViolations(tree, [{ rule: "prints", path: "core/", why: "" }]).map((v) => `${v.rule} ${v.path}`);
  assert.equal(left, ["chance core/b.ts", "prints graph/index.ts"]);
});

layers("the order is the one of the documentation: core first, cli last, no name twice", () => {
  assert.is(STAGES[0], "core");
  assert.is(STAGES.at(-1), "cli");
  assert.is(new Set(STAGES).size, 17);
});

layers.run();
