import type { Command } from "commander";
import type { OnProgress } from "../core/index.js";
import type { Folders } from "../embed/index.js";
import { progressLine } from "./terminal.js";

export type Flags = Record<string, unknown> & { json?: boolean };

export const out = (text: string): void => void process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
export const json = (value: unknown): void => out(JSON.stringify(value, null, 2));

/** The data root: the option, else the environment, else `data`. */
export const dataDir = (command: Command): string =>
  (command.optsWithGlobals().data as string | undefined) ?? (process.env.MKGLAB_DATA || "data");

/** Where vectors are kept and models are found: the options, else the environment; else nothing is kept and models are looked for in `models`. */
export function foldersOf(command: Command): Folders {
  const { cache = process.env.MKGLAB_CACHE, models = process.env.MKGLAB_MODELS } = command.optsWithGlobals() as Folders;
  return { ...(cache ? { cache } : {}), ...(models ? { models } : {}) };
}

/** An option's text as the type of its default. */
export const typedOption = (text: string, like: unknown): unknown =>
  typeof like === "number" && text.trim() !== "" && !Number.isNaN(Number(text))
    ? Number(text)
    : typeof like === "boolean" && /^(true|false)$/.test(text)
      ? text === "true"
      : text;

/** `12 B`, `34 kB`, `5.6 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** How long something may take before its progress is shown. */
const quietMs = 2000;

/** Work with progress on stderr once it takes over two seconds; the first interrupt stops it in order, a second one at once. */
export async function withInterrupt<T>(work: (signal: AbortSignal, onProgress: OnProgress) => Promise<T>): Promise<T> {
  const line = progressLine(process.stderr);
  const abort = new AbortController();
  const interrupt = () => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort();
  };
  process.on("SIGINT", interrupt);
  try {
    return await work(abort.signal, (event) => {
      if (event.elapsedMs >= quietMs) line.report(event);
    });
  } finally {
    line.end();
    process.off("SIGINT", interrupt);
  }
}
