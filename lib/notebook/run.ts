import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { MkgError, positiveInteger, SetupError, writeAtomic } from "../core/index.js";
import { buildState, packageRoot } from "./build.js";
import type { CellError, ChildMessage } from "./child.js";
import {
  type CellOutput,
  hasTag,
  injectParameters,
  type NotebookCell,
  type NotebookFile,
  notebookLanguage,
  readNotebook,
  sourceText,
  textLines,
} from "./format.js";

/** The version of the kernel that this runner was tried with; it uses the kernel's inner modules. */
export const TSLAB_VERSION = "1.0.22";

const STARTUP_MS = 120_000;

/** A cell that failed, ran out of time or ended the kernel. */
export class NotebookError extends MkgError {
  override readonly name = "NotebookError";
  constructor(
    /** Number of the cell among all cells of the file, from 1. */
    readonly cell: number,
    readonly cause: "error" | "types" | "timeout" | "ended",
    readonly ename: string,
    readonly evalue: string,
    readonly traceback: readonly string[],
    ...message: ConstructorParameters<typeof MkgError>
  ) {
    super(...message);
  }
}

/** One executed code cell. */
export interface ExecutedCell {
  /** Number of the cell among all cells of the executed notebook, from 1. */
  readonly cell: number;
  readonly executionCount: number;
  readonly outputs: readonly CellOutput[];
}

export interface NotebookOptions {
  /** Where the executed notebook goes: a file path; may be the notebook itself. Nothing is written by default. */
  readonly out?: string;
  /** Values for variables that the cell tagged `parameters` declares with `let`. JSON values. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Time limit of each cell in milliseconds, default 600,000: the kernel is killed when a cell exceeds it. */
  readonly timeoutMs?: number;
  /** Ends the kernel at once; the call then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called before each code cell: its number among all cells, from 1, and how many cells there are. */
  readonly onCell?: (cell: number, of: number) => void;
}

export interface NotebookResult {
  readonly cells: readonly ExecutedCell[];
  /** Path of the executed notebook; null when none was asked for. */
  readonly outputsWritten: string | null;
  /** Such as: dist/ is older than lib/. */
  readonly notices: readonly string[];
}

/**
 * Executes a notebook headless, through the notebook kernel's own compiler and executor and without Python. Cells run in
 * the notebook's folder, in a process of their own, one after another; the first that fails stops the run, unless it is
 * tagged `raises-exception`. The written file is nbformat 4.5 with the real outputs and no times, so the same cells
 * give the same bytes. When a cell fails, the file holds the outputs so far and the error, except in place (`out` is the
 * notebook itself): then it stays as it was.
 *
 * Starting the kernel takes 1–2 s and about 150 MB.
 *
 * @throws NotebookError when a cell throws, has a type error, exceeds `timeoutMs` or ends its process.
 * @throws SetupError when the kernel or the build is missing.
 * @throws MkgError for a file that is no notebook, or parameters that it does not take.
 *
 * @example
 * const { cells } = await runNotebook("notebooks/01-quickstart.ipynb", { parameters: { alpha: 3 } });
 * cells.length; // 9
 */
export async function runNotebook(path: string, options: NotebookOptions = {}): Promise<NotebookResult> {
  const { out, parameters = {}, timeoutMs = 600_000, signal, onCell } = options;
  positiveInteger("runNotebook", "timeoutMs", timeoutMs);
  const source = await readNotebook(path);
  const language = notebookLanguage(path, source);
  const notebook = injectParameters(path, source, parameters);
  signal?.throwIfAborted();
  const kernel = await startKernel(dirname(resolve(path)), language, signal);
  const executed: ExecutedCell[] = [];
  try {
    for (const [i, cell] of notebook.cells.entries()) {
      if (cell.cell_type !== "code") continue;
      onCell?.(i + 1, notebook.cells.length);
      const executionCount = executed.length + 1;
      const { outputs, failure } = await kernel.run(sourceText(cell), executionCount, timeoutMs);
      executed.push({ cell: i + 1, executionCount, outputs });
      if (failure && !(failure.cause === "error" && hasTag(cell, "raises-exception")))
        throw notebookError(path, i + 1, cell, failure);
    }
  } catch (error) {
    if (out && error instanceof NotebookError && resolve(out) !== resolve(path))
      await writeAtomic(out, notebookText(withOutputs(notebook, executed)));
    throw error;
  } finally {
    kernel.stop();
  }
  if (out) await writeAtomic(out, notebookText(withOutputs(notebook, executed)));
  return { cells: executed, outputsWritten: out ?? null, notices: buildNotices(path) };
}

function buildNotices(path: string): string[] {
  // a notebook elsewhere imports an installed package, not this build
  if (relative(packageRoot, resolve(path)).startsWith("..") || buildState() !== "stale") return [];
  return ["dist/ is older than lib/, and notebooks import dist/. Run `npm run build`."];
}

interface Failure extends CellError {
  readonly cause: NotebookError["cause"];
}

function notebookError(path: string, number: number, cell: NotebookCell, failure: Failure): NotebookError {
  const { cause, ename, evalue, traceback } = failure;
  const injected = hasTag(cell, "injected-parameters");
  const problem = {
    error: `the cell failed (${ename}: ${evalue})`,
    types: `${injected ? "the parameters do not fit" : "a type error"} (${traceback.join("; ")})`,
    timeout: `the cell took too long (${evalue})`,
    ended: `the cell ended the kernel (${evalue})`,
  }[cause];
  const allowed = injected ? "Names and types as the cell tagged `parameters` declares them with `let`" : "";
  const place = `${path}, cell ${number}`;
  return new NotebookError(number, cause, ename, evalue, traceback, place, problem, allowed);
}

function withOutputs(notebook: NotebookFile, executed: readonly ExecutedCell[]): NotebookFile {
  const byNumber = new Map(executed.map((cell) => [cell.cell, cell]));
  const cells = notebook.cells.map((cell, i) => {
    if (cell.cell_type !== "code") return cell;
    const done = byNumber.get(i + 1);
    // JupyterLab's record of when a cell ran
    const { execution: _, ...metadata } = cell.metadata;
    return { ...cell, metadata, execution_count: done?.executionCount ?? null, outputs: done?.outputs ?? [] };
  });
  return { ...notebook, cells };
}

/** Indented by one space, as Jupyter itself writes. */
const notebookText = (notebook: NotebookFile) => `${JSON.stringify(notebook, null, 1)}\n`;

interface Kernel {
  run(
    source: string,
    executionCount: number,
    timeoutMs: number,
  ): Promise<{ outputs: CellOutput[]; failure: Failure | null }>;
  stop(): void;
}

async function startKernel(cwd: string, language: string, signal: AbortSignal | undefined): Promise<Kernel> {
  // always the built program, also when this module runs from source: a loader for TypeScript in the child would load
  // the library in another way than a notebook does
  const program = join(packageRoot, "dist", "notebook", "child.js");
  if (!existsSync(program)) throw new SetupError("runNotebook", "the build is missing", "", "Run `npm run build`");
  const child = fork(program, [language], {
    cwd,
    // loading an ES module by `require` warns with the process id in the text
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const stop = () => child.kill("SIGKILL");
  const native = nativeOutput(child);
  const first = await nextMessage(child, STARTUP_MS, signal, () => {});
  if (first.kind === "ready") return { run: (...cell) => runCell(child, native, signal, ...cell), stop };
  stop();
  const reason =
    first.kind === "setup" ? first.reason : first.kind === "ended" ? `${first.how} ${native()}` : first.kind;
  if (/Cannot find module '(tslab|@tslab)\//.test(reason))
    throw new SetupError(
      "runNotebook",
      "the notebook kernel is not installed (tslab)",
      "",
      `Run \`npm install --no-save tslab@${TSLAB_VERSION}\``,
    );
  throw new SetupError(
    "runNotebook",
    `the notebook kernel does not start (${reason.split("\n")[0]})`,
    `Tried with tslab ${TSLAB_VERSION}`,
    `Run \`npm install --no-save tslab@${TSLAB_VERSION}\``,
  );
}

/** What reaches the process's own output past the kernel: words of a native library, or of a crash. The last 2,000 characters. */
function nativeOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(-2000);
    });
  return () => text.trim();
}

type Last =
  | Extract<ChildMessage, { kind: "ready" | "setup" | "done" }>
  | { kind: "timeout" }
  | { kind: "ended"; how: string };

/** The message that ends a wait; outputs on the way go to `onOutput`. */
function nextMessage(
  child: ChildProcess,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  onOutput: (message: ChildMessage) => void,
): Promise<Last> {
  return new Promise((done, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("close", onClose);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onMessage = (message: ChildMessage) => {
      if (message.kind === "ready" || message.kind === "setup" || message.kind === "done") finish(() => done(message));
      else onOutput(message);
    };
    const onClose = (code: number | null, by: string | null) =>
      finish(() => done({ kind: "ended", how: by ?? `exit code ${code}` }));
    const onAbort = () => {
      child.kill("SIGKILL");
      finish(() => reject(signal?.reason));
    };
    const timer = setTimeout(
      () => {
        child.kill("SIGKILL");
        finish(() => done({ kind: "timeout" }));
      },
      Math.min(timeoutMs, 2 ** 31 - 1),
    );
    child.on("message", onMessage);
    child.on("close", onClose);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    else if (child.exitCode !== null || child.signalCode !== null) onClose(child.exitCode, child.signalCode);
  });
}

async function runCell(
  child: ChildProcess,
  native: () => string,
  signal: AbortSignal | undefined,
  source: string,
  executionCount: number,
  timeoutMs: number,
): Promise<{ outputs: CellOutput[]; failure: Failure | null }> {
  const outputs = new Outputs(executionCount);
  const wait = nextMessage(child, timeoutMs, signal, (message) => outputs.add(message));
  child.send({ source }, () => {}); // a broken channel shows as the end of the process
  const last = await wait;
  let failure: Failure | null;
  if (last.kind === "done")
    failure = last.error && { ...last.error, cause: last.error.ename === "TypeScriptError" ? "types" : "error" };
  else if (last.kind === "timeout") failure = lost("timeout", "Timeout", `limit ${timeoutMs} ms`);
  else
    failure = lost(
      "ended",
      "KernelEnded",
      last.kind === "ended" ? [last.how, native()].filter(Boolean).join(": ") : last.kind,
    );
  if (failure) {
    const { ename, evalue, traceback } = failure;
    outputs.list.push({ output_type: "error", ename, evalue, traceback });
  }
  return { outputs: outputs.list, failure };
}

const lost = (cause: Failure["cause"], ename: string, evalue: string): Failure => ({
  cause,
  ename,
  evalue,
  traceback: [`${ename}: ${evalue}`],
});

/** The outputs of one cell as they arrive. */
class Outputs {
  readonly list: CellOutput[] = [];
  private readonly shown = new Map<string, number>();
  constructor(private readonly executionCount: number) {}

  add(message: ChildMessage): void {
    if (message.kind === "stream") {
      const last = this.list.at(-1);
      const merge = last?.output_type === "stream" && last.name === message.name;
      const text = textLines((merge ? last.text.join("") : "") + message.text);
      if (merge) this.list.pop();
      this.list.push({ output_type: "stream", name: message.name, text });
    } else if (message.kind === "result") {
      const data = { "text/plain": textLines(message.text) };
      this.list.push({ output_type: "execute_result", execution_count: this.executionCount, data, metadata: {} });
    } else if (message.kind === "display") {
      const { data, metadata, displayId } = message;
      const output: CellOutput = { output_type: "display_data", data: linesOf(data), metadata };
      const at = displayId === undefined ? undefined : this.shown.get(displayId);
      // redrawn in place: only the last state stays
      if (message.update && at !== undefined) this.list[at] = output;
      else {
        if (displayId !== undefined) this.shown.set(displayId, this.list.length);
        this.list.push(output);
      }
    }
  }
}

/** Text as lines, except base64 and JSON. */
const linesOf = (data: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(data).map(([type, value]) => [
      type,
      typeof value === "string" && /^(text\/|image\/svg)/.test(type) ? textLines(value) : value,
    ]),
  );
