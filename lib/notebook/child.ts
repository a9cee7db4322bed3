// The program that executes cells for `runNotebook`, in a process of its own: one that a timeout can kill even in a
// synchronous endless loop. It drives the kernel's own converter and executor, so a cell means what it means in
// JupyterLab. The working folder is the notebook's.
import { createRequire } from "node:module";
import { format } from "node:util";
import { Worker } from "node:worker_threads";

/** What the parent sends: one cell at a time. */
export interface CellRequest {
  readonly source: string;
}

export interface CellError {
  readonly ename: string;
  readonly evalue: string;
  readonly traceback: readonly string[];
}

/** What the parent gets. `done` comes once per cell, after its outputs. */
export type ChildMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "setup"; readonly reason: string }
  | { readonly kind: "stream"; readonly name: "stdout" | "stderr"; readonly text: string }
  | { readonly kind: "result"; readonly text: string }
  | {
      readonly kind: "display";
      readonly data: Readonly<Record<string, unknown>>;
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly displayId?: string;
      readonly update: boolean;
    }
  | { readonly kind: "done"; readonly error: CellError | null };

interface Diagnostic {
  readonly start: { readonly line: number; readonly character: number };
  readonly messageText: string;
  readonly fileName?: string;
}
interface Converter {
  convert(previous: string, source: string): { diagnostics: Diagnostic[] };
  addModule(name: string, content: string, meta: unknown): Diagnostic[];
}
interface Kernel {
  execute(source: string): Promise<boolean>;
}
interface DisplayData {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly transient?: { readonly display_id?: string };
}

const MAX_STREAM_CHARACTERS = 4 * 2 ** 20;
const send = (message: ChildMessage) => process.send?.(message);
const write = { stdout: process.stdout.write.bind(process.stdout), stderr: process.stderr.write.bind(process.stderr) };

/** Of the current cell. */
let diagnostics: readonly Diagnostic[] = [];
let thrown: unknown;
let streamed = 0;
let fail: (error: unknown) => void = () => {};

function catchStream(name: "stdout" | "stderr"): void {
  process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
    const left = MAX_STREAM_CHARACTERS - streamed;
    streamed += text.length;
    if (text.length <= left) send({ kind: "stream", name, text });
    else if (left >= 0)
      send({ kind: "stream", name, text: `${text.slice(0, left)}\n… cut after ${MAX_STREAM_CHARACTERS} characters\n` });
    const callback = rest.at(-1);
    if (typeof callback === "function") callback();
    return true;
  }) as typeof process.stdout.write;
}

function startKernel(isJS: boolean): { kernel: Kernel; metadata: (source: string) => { mode?: string } } {
  const require = createRequire(import.meta.url);
  const { createConverter } = require("tslab/dist/converter.js");
  const { createExecutor } = require("tslab/dist/executor.js");
  const { getCodeMetadata } = require("tslab/dist/metadata.js");
  const jupyter = require("tslab/dist/jupyter.js");
  jupyter.lastWriteDisplayData = ({ data, metadata = {}, transient }: DisplayData, update: boolean) =>
    send({ kind: "display", data, metadata, displayId: transient?.display_id, update });
  const inner: Converter = createConverter({ isJS, isBrowser: false });
  // the executor prints diagnostics and says only that something failed: they are read off here
  const node = {
    ...inner,
    convert(previous: string, source: string) {
      const converted = inner.convert(previous, source);
      diagnostics = converted.diagnostics;
      return converted;
    },
    addModule(name: string, content: string, meta: unknown) {
      diagnostics = inner.addModule(name, content, meta);
      return diagnostics;
    },
  };
  const kernel: Kernel = createExecutor(
    process.cwd(),
    { node, browser: node, close() {} },
    {
      log: (value: unknown) => send({ kind: "result", text: format(value) }),
      error: (error: unknown) => {
        thrown = error;
      },
    },
  );
  return { kernel, metadata: getCodeMetadata };
}

/** The error's own stack without the kernel's frames and without this machine's folders. */
function describe(error: unknown): CellError {
  if (!(error instanceof Error)) return { ename: "Error", evalue: format(error), traceback: [format(error)] };
  const lines = (error.stack ?? `${error.name}: ${error.message}`).split("\n");
  // the engine puts the source line above the first line of an error that reached the top
  const first = lines.findIndex((line) => line.startsWith(error.name));
  const folder = process.cwd();
  const traceback = lines
    .slice(Math.max(0, first))
    .filter((line) => !/^\s+at .*(node:|[/\\]tslab[/\\]dist[/\\]|[/\\]notebook[/\\]child\.js)/.test(line))
    .map((line) =>
      line.replaceAll(folder, ".").replace(/evalmachine\.<anonymous>:(\d+):\d+/, "cell, compiled line $1"),
    );
  return { ename: error.name, evalue: error.message, traceback };
}

async function runCell(
  { kernel, metadata }: ReturnType<typeof startKernel>,
  source: string,
): Promise<CellError | null> {
  diagnostics = [];
  thrown = undefined;
  streamed = 0;
  if (metadata(source).mode === "browser")
    return describe(
      new Error("a cell for the browser (@browser): the kernel skips it without a word. Remove the mark"),
    );
  const stray = new Promise<never>((_, reject) => {
    fail = reject;
  });
  try {
    const ok = await Promise.race([kernel.execute(source), stray]);
    // one turn of the event loop: a promise that the cell left rejected is reported in it
    await Promise.race([new Promise((next) => setImmediate(next)), stray]);
    if (ok && diagnostics.length === 0) return null;
  } catch (error) {
    return describe(error);
  } finally {
    fail = (error) => {
      pending ??= { error };
    };
  }
  if (diagnostics.length === 0) return describe(thrown);
  const lines = diagnostics.map(
    ({ start, messageText, fileName }) =>
      `${fileName ? `${fileName} ` : ""}${start.line + 1}:${start.character + 1} - ${messageText}`,
  );
  return { ename: "TypeScriptError", evalue: lines[0] as string, traceback: lines };
}

/** An error that came between two cells: the next one reports it. */
let pending: { error: unknown } | undefined;

process.on("uncaughtException", (error) => fail(error));
process.on("unhandledRejection", (error) => fail(error));
process.on("disconnect", () => process.exit(0));
// a synchronous loop hears nothing of its parent's end; a thread does
new Worker(
  `const parent = process.ppid; setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 1000);`,
  { eval: true },
).unref();

try {
  const started = startKernel(process.argv[2] === "javascript");
  catchStream("stdout");
  catchStream("stderr");
  process.on("message", ({ source }: CellRequest) => {
    const late = pending;
    pending = undefined;
    const run = late ? Promise.resolve(describe(late.error)) : runCell(started, source);
    void run.then((error) => send({ kind: "done", error }));
  });
  send({ kind: "ready" });
} catch (error) {
  write.stderr(format(error));
  send({ kind: "setup", reason: (error as Error).message });
}
