// Runs test/**/*.test.ts, each file in a process of its own, and closes with `N passed, N failed[, N skipped]`.
//   node test/run.mjs [part of a path …] [--dir FOLDER] [--timeout-seconds 600]
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";

const AT_ONCE = 2;
const KEPT_CHARACTERS = 2 ** 20;
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dir: { type: "string", default: "test" }, "timeout-seconds": { type: "string", default: "600" } },
});
const folder = resolve(root, values.dir);
const timeoutSeconds = Number(values["timeout-seconds"]);
if (!(timeoutSeconds > 0)) {
  process.stderr.write(`test: --timeout-seconds is not a positive number (${values["timeout-seconds"]}).\n`);
  process.exit(2);
}

const running = new Set();
const killTree = (child) => {
  try {
    process.kill(-child.pid, "SIGKILL"); // the group: what a test started goes with it
  } catch {
    child.kill("SIGKILL");
  }
};
for (const signal of ["SIGINT", "SIGTERM"])
  process.on(signal, () => {
    for (const child of running) killTree(child);
    process.exit(130);
  });

/** What one file's process said, as counts; `trouble` says why a file counts as failed beyond its failed cases. */
function judge(output, code, signal, timedOut) {
  const text = stripVTControlCharacters(output);
  const last = (name) => {
    const found = [...text.matchAll(new RegExp(`^ {2}${name}: +(\\d+)$`, "gm"))].at(-1);
    return found ? Number(found[1]) : undefined;
  };
  const total = last("Total");
  const passed = last("Passed");
  const skipped = last("Skipped");
  const reasons = [...text.matchAll(/(?:^|[•✘] )SKIP (.+)$/gm)].map((match) => match[1]);
  const counted = total !== undefined && passed !== undefined && skipped !== undefined;
  const failed = counted ? total - passed : 0; // uvu exits 0 when a before hook throws, and shows it only here
  let trouble = "";
  if (timedOut) trouble = `killed after ${timeoutSeconds} s`;
  else if (!counted) trouble = `ended without totals (${signal ?? `exit code ${code}`})`;
  else if (total + skipped === 0) trouble = "holds no test";
  else if (code !== 0 && failed === 0) trouble = `ended with ${signal ?? `exit code ${code}`} after its tests passed`;
  return { passed: passed ?? 0, failed: failed + (trouble ? 1 : 0), skipped: skipped ?? 0, reasons, trouble };
}

function runFile(file) {
  return new Promise((done) => {
    const started = performance.now();
    const child = spawn(process.execPath, ["--import", "tsx", "--import", "./test/support/seeds.mjs", file], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" },
    });
    running.add(child);
    let output = "";
    let timedOut = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        output = (output + text).slice(-KEPT_CHARACTERS);
      });
    }
    const timer = setTimeout(() => {
      timedOut = true;
      killTree(child);
    }, timeoutSeconds * 1000);
    child.on("error", (error) => {
      output += error.message;
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      running.delete(child);
      done({ file, output, seconds: (performance.now() - started) / 1000, ...judge(output, code, signal, timedOut) });
    });
  });
}

const name = (file) => relative(folder, file).split(sep).join("/");
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => positionals.length === 0 || positionals.some((part) => name(file).includes(part)))
  .sort();

const sum = { passed: 0, failed: 0, skipped: 0 };
const skips = [];
const queue = [...files];
async function worker() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = await runFile(file);
    for (const key of Object.keys(sum)) sum[key] += result[key];
    skips.push(...result.reasons.map((reason) => `${name(file)}: ${reason}`));
    const unexplained = result.skipped - result.reasons.length;
    if (unexplained > 0) skips.push(`${name(file)}: ${unexplained} without a reason`);
    const counts = [
      `${result.passed} passed`,
      result.failed && `${result.failed} failed`,
      result.skipped && `${result.skipped} skipped`,
    ];
    process.stdout.write(
      `${result.failed ? "FAIL" : "ok  "} ${name(file)}: ${counts.filter(Boolean).join(", ")} (${result.seconds.toFixed(1)} s)` +
        `${result.trouble ? `: ${result.trouble}` : ""}\n`,
    );
    if (result.failed) process.stdout.write(`${result.output.trimEnd().replace(/^/gm, "  | ")}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, worker));

if (skips.length > 0)
  process.stdout.write(
    `\nSkipped:\n${skips
      .sort()
      .map((line) => `  ${line}\n`)
      .join("")}`,
  );
if (files.length === 0)
  process.stdout.write(
    `No test file in ${values.dir}${positionals.length ? ` has ${positionals.join(" or ")} in its path` : ""}.\n`,
  );
process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed${sum.skipped ? `, ${sum.skipped} skipped` : ""}\n`);
process.exitCode = sum.failed > 0 || sum.passed + sum.failed === 0 ? 1 : 0;
