// Everything a change must pass, cheapest first; stops at the first step that fails and says how to mend it.
//   node scripts/check.mjs [--no-tests]
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = "node_modules/typescript/bin/tsc"; // node_modules/.bin/tsc may be the notebook kernel's old one

const steps = [
  ["format and lint", ["node_modules/@biomejs/biome/bin/biome", "check", "."], "npm run format"],
  ["types of lib", [tsc, "--noEmit", "-p", "."], "mend the type errors above"],
  ["types of tests", [tsc, "-p", "test"], "mend the type errors above"],
  ["unused exports", ["node_modules/knip/bin/knip.js"], "remove what nothing uses, or use it"],
  ["build", ["scripts/build.mjs"], "mend the errors above"],
  [
    "declarations in notebook cells",
    ["scripts/declarations.mjs"],
    "write the named declaration as TypeScript 5.0 reads it",
  ],
  ["tests", ["test/run.mjs"], "npm test -- PART-OF-THE-PATH runs one file"],
];

const withTests = !process.argv.includes("--no-tests");
for (const [name, command, mend] of steps.filter(([name]) => withTests || name !== "tests")) {
  process.stdout.write(`== ${name}\n`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status !== 0) {
    process.stderr.write(`check: ${name} failed after ${seconds} s. To mend it: ${mend}.\n`);
    process.exit(1);
  }
  // the totals of the tests stay the last line
  if (name !== "tests") process.stdout.write(`   ok, ${seconds} s\n`);
}
