import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../core/index.js";
import { packageRoot } from "./build.js";
import type { CellError, ChildMessage } from "./child.js";
import { type CellOutput, textLines } from "./format.js";

/** The version of the kernel that this runner was tried with; it uses the kernel's inner modules. */
export const TSLAB_VERSION = "1.0.22";

const STARTUP_MS = 120_000;

/** What went wrong: an exception, a type error before anything ran, the time limit, or the end of the process. */
export type FailureKind = "error" | "types" | "timeout" | "ended";

export interface Failure extends CellError {
  readonly kind: FailureKind;
}

/** A process that runs cells, one after another. */
export interface Kernel {
  run(
    source: string,
    executionCount: number,
    timeoutMs: number,
  ): Promise<{ outputs: CellOutput[]; failure: Failure | null }>;
  stop(): void;
}

/** Starts the process that runs cells with `cwd` as working folder; a missing or broken kernel is a SetupError. */
export async function startKernel(cwd: string, language: string, signal: AbortSignal | undefined): Promise<Kernel> {
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
  const shown: Shown = new Map();
  const first = await nextMessage(child, STARTUP_MS, signal, () => {});
  if (first.kind === "ready") return { run: (...cell) => runCell(child, native, shown, signal, ...cell), stop };
  stop();
  const reason =
    first.kind === "setup" ? first.reason : first.kind === "ended" ? `${first.how} ${native()}` : first.kind;
  if (/Cannot find module '(tslab|@tslab)\//.test(reason))
    throw new SetupError(
      "runNotebook",
      "the notebook kernel is not installed (tslab)",
      "",
      `Run \`npm install -D tslab@${TSLAB_VERSION}\``,
    );
  throw new SetupError(
    "runNotebook",
    `the notebook kernel does not start (${reason.split("\n")[0]})`,
    `Tried with tslab ${TSLAB_VERSION}`,
    `Run \`npm install -D tslab@${TSLAB_VERSION}\``,
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
      child.off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    const onMessage = (message: ChildMessage) => {
      if (message.kind === "ready" || message.kind === "setup" || message.kind === "done") finish(() => done(message));
      else onOutput(message);
    };
    const onClose = (code: number | null, by: string | null) =>
      finish(() => done({ kind: "ended", how: by ?? `exit code ${code}` }));
    // a process that the cell left behind can hold the pipes open, and then there is no `close`
    const onExit = (code: number | null, by: string | null) => setTimeout(onClose, 1000, code, by);
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
    child.on("exit", onExit);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    else if (child.exitCode !== null || child.signalCode !== null) onClose(child.exitCode, child.signalCode);
  });
}

async function runCell(
  child: ChildProcess,
  native: () => string,
  shown: Shown,
  signal: AbortSignal | undefined,
  source: string,
  executionCount: number,
  timeoutMs: number,
): Promise<{ outputs: CellOutput[]; failure: Failure | null }> {
  const outputs = new Outputs(executionCount, shown);
  const wait = nextMessage(child, timeoutMs, signal, (message) => outputs.add(message));
  child.send({ source }, () => {}); // a broken channel shows as the end of the process
  const last = await wait;
  let failure: Failure | null;
  if (last.kind === "done")
    failure = last.error && { ...last.error, kind: last.error.ename === "TypeScriptError" ? "types" : "error" };
  else if (last.kind === "timeout") failure = lost("timeout", "Timeout", `limit ${timeoutMs} ms`);
  else
    failure = lost(
      "ended",
      "KernelEnded",
      last.kind === "ended" ? [last.how, native()].filter(Boolean).join(": ") : last.kind,
    );
  return { outputs: outputs.finish(failure), failure };
}

const lost = (kind: FailureKind, ename: string, evalue: string): Failure => ({
  kind,
  ename,
  evalue,
  traceback: [`${ename}: ${evalue}`],
});

type StreamOutput = Extract<CellOutput, { output_type: "stream" }>;

/** Where each display with an id stands, so that a later update, from another cell too, redraws it in place. */
type Shown = Map<string, { readonly list: CellOutput[]; readonly at: number }>;

/** The outputs of one cell as they arrive. */
class Outputs {
  private readonly list: CellOutput[] = [];
  private readonly texts = new Map<CellOutput, string[]>();
  constructor(
    private readonly executionCount: number,
    private readonly shown: Shown,
  ) {}

  add(message: ChildMessage): void {
    if (message.kind === "stream") {
      const last = this.list.at(-1);
      if (last?.output_type === "stream" && last.name === message.name) this.texts.get(last)?.push(message.text);
      else {
        const output: StreamOutput = { output_type: "stream", name: message.name, text: [] };
        this.list.push(output);
        this.texts.set(output, [message.text]);
      }
    } else if (message.kind === "result") {
      const data = { "text/plain": textLines(message.text) };
      this.list.push({ output_type: "execute_result", execution_count: this.executionCount, data, metadata: {} });
    } else if (message.kind === "display") {
      const { data, metadata, displayId, update } = message;
      const output: CellOutput = { output_type: "display_data", data: linesOf(data), metadata };
      const before = displayId === undefined ? undefined : this.shown.get(displayId);
      if (update && before) before.list[before.at] = output;
      else {
        if (displayId !== undefined) this.shown.set(displayId, { list: this.list, at: this.list.length });
        this.list.push(output);
      }
    }
  }

  /** The list itself: a display of this cell may still be redrawn by a later one. */
  finish(failure: Failure | null): CellOutput[] {
    for (const [i, output] of this.list.entries())
      if (output.output_type === "stream")
        this.list[i] = { ...output, text: textLines((this.texts.get(output) ?? []).join("")) };
    if (failure) {
      const { ename, evalue, traceback } = failure;
      this.list.push({ output_type: "error", ename, evalue, traceback });
    }
    return this.list;
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
