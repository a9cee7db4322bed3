import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dataset } from "../../lib/datasets/index.js";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "dist/cli/main.js");

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line in a folder; `onErr` sees stderr as it grows and may kill the process. */
export function mkglab(
  args: readonly string[],
  {
    cwd = root,
    env = {},
    onErr,
  }: {
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    onErr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
  } = {},
): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [main, ...args], { cwd, env: { ...process.env, ...env } });
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
      onErr?.(err, (signal) => child.kill(signal));
    });
    child.on("close", (code) => done({ code, out, err }));
  });
}

export const temporary = (name = "mkglab-"): string => mkdtempSync(join(tmpdir(), name));

const pick = (row: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(row).filter(([key]) => keys.includes(key)));

/** Writes a data set as a folder in the documented format; pictures are left out. */
export function writeFolder(dataset: Dataset, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const questions = dataset.questions.map(({ id, text, answers, group, cluster, gold }) => ({
    id,
    text,
    answers,
    group,
    cluster,
    gold,
  }));
  writeFileSync(
    join(folder, "entities.jsonl"),
    jsonl(dataset.graph.entities.objects().map((row) => pick(row, ["id", "label", "kind"]))),
  );
  writeFileSync(
    join(folder, "triples.jsonl"),
    jsonl(dataset.graph.triples.objects().map((row) => pick(row, ["id", "head", "relation", "tail"]))),
  );
  writeFileSync(join(folder, "questions.jsonl"), jsonl(questions));
  writeFileSync(join(folder, "questions.train.jsonl"), jsonl(questions.slice(0, 8)));
  return folder;
}
