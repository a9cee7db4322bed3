import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const runner = suite("test runner");
const uvu = import.meta.resolve("uvu");
const header = `import { test } from ${JSON.stringify(uvu)};\n`;

/** Runs test/run.mjs, in a process of its own, over a folder made of these files. */
function run(files: Record<string, string>, args: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "mkglab-runner-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const child = spawnSync(process.execPath, ["test/run.mjs", "--dir", folder, ...args], { encoding: "utf8" });
    return { code: child.status, output: child.stdout, last: child.stdout.trimEnd().split("\n").at(-1) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const passing = (cases: number) =>
  `${header}${Array.from({ length: cases }, (_, i) => `test("p${i}", () => {});\n`).join("")}test.run();\n`;
const failing = `${header}test("good", () => {});\ntest("bad", () => { throw new Error("two is not three"); });\ntest.run();\n`;

runner("cases are summed over files in nested folders, and the last line is only the totals", () => {
  const { code, last } = run({ "a.test.ts": passing(2), "deep/b.test.ts": passing(3), "helper.ts": "throw 1" });
  assert.is(last, "5 passed, 0 failed");
  assert.is(code, 0);
});

runner("a failing case is counted, its output shown, and the exit code says so", () => {
  const { code, last, output } = run({ "a.test.ts": failing, "b.test.ts": passing(1) });
  assert.is(last, "2 passed, 1 failed");
  assert.is(code, 1);
  assert.match(output, "two is not three");
});

runner("zero tests fail: no file, an empty file, a filter that meets nothing", () => {
  assert.is(run({}).code, 1);
  assert.is(run({ "a.test.ts": "export {};" }).code, 1);
  assert.is(run({ "a.test.ts": `${header}test.run();` }).last, "0 passed, 1 failed");
  const filtered = run({ "a.test.ts": passing(1) }, ["nowhere"]);
  assert.is(filtered.code, 1);
  assert.match(filtered.output, "nowhere");
});

runner("a crash without totals is a failure", () => {
  const { code, last, output } = run({ "a.test.ts": "process.exit(0);", "b.test.ts": passing(1) });
  assert.is(last, "1 passed, 1 failed");
  assert.is(code, 1);
  assert.match(output, "ended without totals");
});

runner("cases lost to a throwing `before` hook are failures, though uvu exits 0", () => {
  const { code, last } = run({
    "a.test.ts": `${header}test.before(() => { throw new Error("x"); });\ntest("never", () => {});\ntest.run();`,
  });
  assert.is(last, "0 passed, 1 failed");
  assert.is(code, 1);
});

runner("a non-zero exit after passing cases is a failure", () => {
  const { last } = run({ "a.test.ts": `${passing(1)}process.on("exit", () => { process.exitCode = 3; });` });
  assert.is(last, "1 passed, 1 failed");
});

runner("an endless file is killed at the time limit and counted", () => {
  const { code, last, output } = run({ "a.test.ts": "for (;;) {}", "b.test.ts": passing(1) }, [
    "--timeout-seconds",
    "3",
  ]);
  assert.is(last, "1 passed, 1 failed");
  assert.is(code, 1);
  assert.match(output, "killed after 3 s");
});

runner("skips are counted and their reasons listed; a skip without a reason is named", () => {
  const text = `${header}console.log("SKIP the law of x: MKGLAB_DATA is not set");\ntest.skip("x", () => {});\n`;
  const { code, last, output } = run({
    "a.test.ts": `${text}test("y", () => {});\ntest.run();`,
    "b.test.ts": `${header}test.skip("z", () => {});\ntest("w", () => {});\ntest.run();`,
  });
  assert.is(last, "2 passed, 0 failed, 2 skipped");
  assert.is(code, 0);
  assert.match(output, "a.test.ts: the law of x: MKGLAB_DATA is not set");
  assert.match(output, "b.test.ts: 1 without a reason");
});

runner("a filter runs only the files whose path holds it", () => {
  assert.is(run({ "a.test.ts": failing, "deep/b.test.ts": passing(1) }, ["deep"]).last, "1 passed, 0 failed");
});

runner.run();
