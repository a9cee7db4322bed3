import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NotebookError, type NotebookOptions, runNotebook } from "../../lib/notebook/index.js";

const notebook = suite("notebook runner");
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "mkglab-notebook-")));
notebook.after(() => rmSync(folder, { recursive: true }));

type Cell = string | { md: string } | { code: string; tags: string[] };
let made = 0;

/** Writes a notebook of these cells; strings are code. */
function write(cells: Cell[], metadata: object = {}): string {
  const path = join(folder, `n${++made}.ipynb`);
  const full = cells.map((cell, i) => {
    if (typeof cell === "object" && "md" in cell)
      return { cell_type: "markdown", id: `c${i}`, metadata: {}, source: cell.md };
    const { code, tags } = typeof cell === "string" ? { code: cell, tags: [] } : cell;
    const run = { start: "then" };
    return {
      cell_type: "code",
      execution_count: 7,
      id: `c${i}`,
      metadata: { tags, execution: run },
      outputs: [],
      source: code,
    };
  });
  writeFileSync(path, JSON.stringify({ cells: full, metadata, nbformat: 4, nbformat_minor: 5 }));
  return path;
}

async function failure(path: string, options: NotebookOptions = {}): Promise<NotebookError> {
  try {
    await runNotebook(path, options);
  } catch (error) {
    assert.instance(error, NotebookError);
    return error as NotebookError;
  }
  throw new Error("the notebook was expected to fail");
}

const outputsOf = (path: string) =>
  JSON.parse(readFileSync(path, "utf8")).cells.map((cell: { outputs?: unknown }) => cell.outputs);

notebook(
  "streams, results and displays are written in order, as nbformat 4.5, with nothing that changes from run to run",
  async () => {
    const path = write([
      { md: "# Title\ntext" },
      'import { display } from "tslab";\nconsole.log("one\\ntwo");\nconsole.error("three");\nconsole.log("four");\ndisplay.html("<b>x</b>");',
      "[1, 2].map((x) => x + 1)",
      "const nothing = 1;",
    ]);
    const out = join(folder, "deep", "out.ipynb");
    const { cells, outputsWritten } = await runNotebook(path, { out });
    assert.is(outputsWritten, out);
    assert.equal(
      cells.map((cell) => [cell.cell, cell.executionCount]),
      [
        [2, 1],
        [3, 2],
        [4, 3],
      ],
    );
    const written = JSON.parse(readFileSync(out, "utf8"));
    assert.equal([written.nbformat, written.nbformat_minor], [4, 5]);
    assert.equal(written.cells[0], { cell_type: "markdown", id: "c0", metadata: {}, source: "# Title\ntext" });
    assert.equal(written.cells[1].outputs, [
      { output_type: "stream", name: "stdout", text: ["one\n", "two\n"] },
      { output_type: "stream", name: "stderr", text: ["three\n"] },
      { output_type: "stream", name: "stdout", text: ["four\n"] },
      { output_type: "display_data", data: { "text/html": ["<b>x</b>"] }, metadata: {} },
    ]);
    assert.equal(written.cells[2].outputs, [
      { output_type: "execute_result", execution_count: 2, data: { "text/plain": ["[ 2, 3 ]"] }, metadata: {} },
    ]);
    assert.equal(written.cells[3].outputs, []);
    assert.equal(
      written.cells.map((cell: { execution_count?: number }) => cell.execution_count),
      [undefined, 1, 2, 3],
    );
    assert.equal(written.cells[1].metadata, { tags: [] }, "times of an earlier run are gone");
    const again = join(folder, "again.ipynb");
    await runNotebook(out, { out: again });
    assert.is(readFileSync(again, "utf8"), readFileSync(out, "utf8"));
  },
);

notebook("a failing cell stops the run with its number, name and message; the file shows the real error", async () => {
  const path = write([
    { md: "a" },
    "let a = 1;",
    'function f() { throw new RangeError("too far"); }\nf();',
    'console.log("never");',
  ]);
  const out = join(folder, "failed.ipynb");
  const error = await failure(path, { out });
  assert.equal([error.cell, error.kind, error.ename, error.evalue], [3, "error", "RangeError", "too far"]);
  assert.is(error.message, `${path}, cell 3: the cell failed (RangeError: too far).`);
  const [, , failed, after] = outputsOf(out);
  assert.equal([failed[0].output_type, failed[0].ename, failed[0].evalue], ["error", "RangeError", "too far"]);
  assert.is(failed[0].traceback[0], "RangeError: too far");
  assert.match(failed[0].traceback[1], /at f \(cell, compiled line \d+\)/);
  assert.not.match(failed[0].traceback.join(), /tslab\/dist|child\.js|node:/);
  assert.equal(after, []);
});

notebook("in place, a failing run leaves the file as it was", async () => {
  const path = write(["throw new Error('x');"]);
  const before = readFileSync(path, "utf8");
  await failure(path, { out: path });
  assert.is(readFileSync(path, "utf8"), before);
});

notebook("a type error fails the cell before any of it runs", async () => {
  const error = await failure(write(['console.log("ran");\nlet n: number = "one";']), {
    out: join(folder, "types.ipynb"),
  });
  assert.is(error.kind, "types");
  assert.match(error.message, "cell 1: a type error (2:5 - Type 'string' is not assignable to type 'number'.)");
  assert.equal(
    outputsOf(join(folder, "types.ipynb"))[0].map((o: { output_type: string }) => o.output_type),
    ["error"],
  );
});

notebook("a type error in a module cell fails too, though the kernel itself calls that a success", async () => {
  assert.is((await failure(write(['/** @module m */\nexport const n: number = "one";']))).kind, "types");
});

notebook("a cell for the browser is refused, which the kernel would skip in silence", async () => {
  assert.match((await failure(write(["/** @browser */\nexport const n = 1;"]))).message, "@browser");
});

notebook("the kernel's fault with shorthand properties of earlier cells is named, with the way round it", async () => {
  const shorthand = await failure(write(["let seed = 1;", "const o = { a: 1, seed };"]));
  assert.match(
    shorthand.message,
    "(ReferenceError: seed is not defined). For a variable of an earlier cell write `seed: seed`",
  );
  const { cells } = await runNotebook(write(["let seed = 1;", "({ seed: seed })"]));
  assert.is(cells[1]?.outputs.length, 1);
  assert.not.match((await failure(write(["eval('seed')"]))).message, "earlier cell");
});

notebook("an endless synchronous loop is killed at the time limit; what it printed is kept", async () => {
  const out = join(folder, "endless.ipynb");
  const error = await failure(write(['console.log("before");', 'console.log("in");\nfor (;;) {}']), {
    timeoutMs: 1500,
    out,
  });
  assert.equal([error.cell, error.kind], [2, "timeout"]);
  assert.match(error.message, "cell 2: the cell took too long (limit 1500 ms)");
  assert.equal(outputsOf(out)[1][0], { output_type: "stream", name: "stdout", text: ["in\n"] });
});

notebook("a promise that never settles meets the same limit", async () => {
  assert.is((await failure(write(["await new Promise(() => {});"]), { timeoutMs: 1000 })).kind, "timeout");
});

notebook("a rejection that nobody awaits, and an error thrown from a timer, fail the run", async () => {
  const rejected = await failure(write(['const p = Promise.reject(new Error("left"));']));
  assert.equal([rejected.cell, rejected.evalue], [1, "left"]);
  const timer = await failure(
    write(['setTimeout(() => { throw new Error("late"); }, 20);', "await new Promise((r) => setTimeout(r, 500));"]),
  );
  assert.equal([timer.cell, timer.evalue], [2, "late"]);
});

notebook("a cell that ends the process, or throws what is no Error, is a failure with a reason", async () => {
  const ended = await failure(write(["process.exit(0);"]));
  assert.equal([ended.kind, ended.evalue], ["ended", "exit code 0"]);
  const thrown = await failure(write(["throw null;"]));
  assert.equal([thrown.kind, thrown.evalue], ["error", "null"]);
});

notebook(
  "the tag raises-exception lets the run go on after the recorded error, but not after a type error",
  async () => {
    const tags = ["raises-exception"];
    const { cells } = await runNotebook(write([{ code: "throw new Error('shown');", tags }, "1 + 1"]));
    assert.equal(
      cells.map((cell) => cell.outputs[0]?.output_type),
      ["error", "execute_result"],
    );
    assert.is((await failure(write([{ code: "let s: string = 1;", tags }]))).kind, "types");
  },
);

const taking: Cell[] = [
  { code: 'let alpha = 1;\nlet mode = "a";\nlet list = [1];', tags: ["parameters"] },
  "console.log(alpha, mode, list)",
];

notebook(
  "parameters are assigned after the cell tagged `parameters`, and an executed file takes new ones",
  async () => {
    const out = join(folder, "with.ipynb");
    const first = await runNotebook(write(taking), { parameters: { alpha: 5, mode: 'say "hi"', list: [2, 3] }, out });
    const printed = (text: string) => [{ output_type: "stream", name: "stdout", text: [text] }];
    assert.equal(first.cells[2]?.outputs, printed('5 say "hi" [ 2, 3 ]\n'));
    const second = await runNotebook(out, { parameters: { alpha: 6 } });
    assert.equal(second.cells.length, 3);
    assert.equal(second.cells[2]?.outputs, printed("6 a [ 1 ]\n"));
  },
);

notebook("a parameter of a wrong name or type is refused by name", async () => {
  const wrongName = await failure(write(taking), { parameters: { alpah: 5 } });
  assert.equal([wrongName.cell, wrongName.kind], [2, "types"]);
  assert.match(wrongName.message, /parameters do not fit \(1:1 - Cannot find name 'alpah'. Did you mean 'alpha'\?/);
  const wrongType = await failure(write(taking), { parameters: { alpha: "five" } });
  assert.match(wrongType.message, "Type 'string' is not assignable to type 'number'");
});

notebook("parameters that cannot be injected are errors before anything runs", async () => {
  const fails = async (path: string, parameters: Record<string, unknown>, message: RegExp) => {
    let said = "";
    await runNotebook(path, { parameters }).catch((error: Error) => {
      said = error.message;
    });
    assert.match(said, message);
  };
  await fails(write(["1"]), { alpha: 1 }, /takes no parameters \(alpha\)\..*tagged `parameters`/);
  await fails(write(taking), { "alpha = 1; process.exit(); let b": 1 }, /not a variable name/);
  await fails(write(taking), { alpha: Number.NaN }, /parameter alpha is not a JSON value \(NaN\)/);
});

notebook("what is no notebook is refused, and nothing is written", async () => {
  const refused = async (text: string, message: RegExp) => {
    const path = join(folder, `bad${++made}.ipynb`);
    writeFileSync(path, text);
    const out = join(folder, "bad-out.ipynb");
    let said = "";
    await runNotebook(path, { out }).catch((error: Error) => {
      said = error.message;
    });
    assert.match(said, message);
    assert.not.ok(existsSync(out));
  };
  await refused("{", /not a notebook/);
  await refused('{"nbformat": 3, "worksheets": []}', /nbformat 4/);
  await refused('{"nbformat": 4, "cells": [{"cell_type": "code"}]}', /cell 1: no cell_type or no source/);
  await refused(
    '{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "python"}}}',
    /language is "python"/,
  );
  let said = "";
  await runNotebook(join(folder, "absent.ipynb")).catch((error: Error) => {
    said = error.message;
  });
  assert.match(said, /cannot read the file/);
});

notebook("a cell imports a package that is an ES module only, by `import` and by `await import`", async () => {
  const home = join(folder, "node_modules", "esm-only");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "package.json"),
    '{"name":"esm-only","version":"1.0.0","type":"module","exports":"./index.js"}',
  );
  writeFileSync(join(home, "index.js"), "export const x = 41;");
  // the package has no types, which a checked cell needs
  writeFileSync(join(home, "index.d.ts"), "export declare const x: number;");
  const { cells } = await runNotebook(
    write(['const m = await import("esm-only"); m.x + 1', 'import { x } from "esm-only";\nx']),
  );
  assert.equal(
    cells.map((cell) => cell.outputs),
    [
      [{ output_type: "execute_result", execution_count: 1, data: { "text/plain": ["42"] }, metadata: {} }],
      [{ output_type: "execute_result", execution_count: 2, data: { "text/plain": ["41"] }, metadata: {} }],
    ],
  );
});

notebook("a display that updates is redrawn in place, from a later cell too: one output, the last state", async () => {
  const { cells } = await runNotebook(
    write([
      'import { newDisplay } from "tslab";\nconst d = newDisplay();\nd.text("0%");\nconsole.log("x");',
      'd.text("100%");',
    ]),
  );
  assert.equal(
    cells.map((cell) => cell.outputs),
    [
      [
        { output_type: "display_data", data: { "text/plain": ["100%"] }, metadata: {} },
        { output_type: "stream", name: "stdout", text: ["x\n"] },
      ],
      [],
    ],
  );
});

notebook("endless printing is cut at 4 Mi characters and does not fill the memory", async () => {
  const { cells } = await runNotebook(
    write(['const line = "x".repeat(1023);\nfor (let i = 0; i < 10000; i++) console.log(line);']),
  );
  const [output] = cells[0]?.outputs ?? [];
  assert.is(output?.output_type, "stream");
  if (output?.output_type !== "stream") return;
  // 4096 whole lines of 1024 characters, then the notice
  assert.is(output.text.filter((line) => line.startsWith("x")).length, 4096);
  assert.match(output.text.at(-1) as string, "cut after 4194304 characters");
});

notebook("an abort ends the run at once with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const run = runNotebook(write(["for (;;) {}"]), {
    signal: controller.signal,
    onCell: () => setTimeout(() => controller.abort(reason), 300),
  });
  let caught: unknown;
  await run.catch((error) => {
    caught = error;
  });
  assert.is(caught, reason);
});

notebook("when the runner is killed, its kernel does not go on, even in an endless loop", async () => {
  const mark = join(folder, "pid");
  const path = write([`require("fs").writeFileSync(${JSON.stringify(mark)}, String(process.pid));\nfor (;;) {}`]);
  const program = `import { runNotebook } from ${JSON.stringify(join(root, "dist/notebook/index.js"))}; await runNotebook(${JSON.stringify(path)});`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const wait = async (until: () => boolean) => {
    for (let i = 0; i < 200 && !until(); i++) await new Promise((next) => setTimeout(next, 50));
    return until();
  };
  assert.ok(await wait(() => existsSync(mark) && readFileSync(mark, "utf8") !== ""));
  const pid = Number(readFileSync(mark, "utf8"));
  parent.kill("SIGKILL");
  const gone = () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  const ended = await wait(gone);
  if (!ended) process.kill(pid, "SIGKILL");
  assert.ok(ended);
});

notebook("without the kernel installed the error names the command that gets it", async () => {
  const bare = join(folder, "bare");
  for (const stage of ["core", "notebook"])
    cpSync(join(root, "dist", stage), join(bare, "dist", stage), { recursive: true });
  writeFileSync(join(bare, "package.json"), '{"type":"module"}');
  for (const name of ["fastest-levenshtein", "pure-rand"]) {
    mkdirSync(join(bare, "node_modules"), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(bare, "node_modules", name));
  }
  const program = `import { runNotebook } from "./dist/notebook/run.js";
    await runNotebook(${JSON.stringify(write(["1"]))}).catch((error) => console.log(error.name + " " + error.message));`;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: bare, encoding: "utf8" });
  assert.is(
    child.stdout.trim(),
    "SetupError runNotebook: the notebook kernel is not installed (tslab). Run `npm install -D tslab@1.0.22`.",
    child.stderr,
  );
});

notebook.run();
