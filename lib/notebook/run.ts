import { dirname, relative, resolve } from "node:path";
import { MkgError, positiveInteger, writeAtomic } from "../core/index.js";
import { buildState, packageRoot } from "./build.js";
import {
  type CellOutput,
  hasTag,
  injectParameters,
  type NotebookCell,
  type NotebookFile,
  notebookLanguage,
  readNotebook,
  sourceText,
} from "./format.js";
import { type Failure, type FailureKind, startKernel } from "./process.js";

/** A cell that failed, ran out of time or ended the kernel. */
export class NotebookError extends MkgError {
  override readonly name = "NotebookError";
  constructor(
    /** Number of the cell among all cells of the file, from 1. */
    readonly cell: number,
    readonly kind: FailureKind,
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
 * const { cells } = await runNotebook("notebooks/01-quickstart.ipynb", { parameters: { k: 5 } });
 * cells.length; // 9: its 8 code cells, and one that sets k
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
      if (failure && !(failure.kind === "error" && hasTag(cell, "raises-exception")))
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

function notebookError(path: string, number: number, cell: NotebookCell, failure: Failure): NotebookError {
  const { kind, ename, evalue, traceback } = failure;
  const injected = hasTag(cell, "injected-parameters");
  const problem = {
    error: `the cell failed (${ename}: ${evalue})`,
    types: `${injected ? "the parameters do not fit" : "a type error"} (${traceback.join("; ")})`,
    timeout: `the cell took too long (${evalue})`,
    ended: `the cell ended the kernel (${evalue})`,
  }[kind];
  const allowed = injected ? "Names and types as the cell tagged `parameters` declares them with `let`" : "";
  const place = `${path}, cell ${number}`;
  return new NotebookError(number, kind, ename, evalue, traceback, place, problem, allowed, hint(cell, failure));
}

/** The kernel (tslab 1.0.22) compiles `{ x }` wrongly when x is a variable of an earlier cell; its error does not tell. */
function hint(cell: NotebookCell, { ename, evalue }: Failure): string {
  const name = ename === "ReferenceError" ? /^([\w$]+) is not defined$/.exec(evalue)?.[1] : undefined;
  const shorthand = name && new RegExp(`[{,]\\s*${name.replaceAll("$", "\\$")}\\s*[,}]`).test(sourceText(cell));
  return shorthand
    ? `For a variable of an earlier cell write \`${name}: ${name}\`: the kernel does not see \`{ ${name} }\``
    : "";
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
