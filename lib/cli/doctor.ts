import { fileURLToPath } from "node:url";
import { unknownName } from "../core/index.js";
import type { CheckStatus, Context, Finding, Optional } from "./checks.js";
import * as check from "./checks.js";

export interface Check extends Finding {
  readonly name: string;
  /** Whether the default run does without it. */
  readonly optional: boolean;
}

export interface DoctorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Base URL of an OpenAI-compatible server, such as `http://127.0.0.1:8080/v1`; asked only when given. */
  readonly endpoint?: string;
  /** The package's own folder, from which packages are looked up; this one's unless told. */
  readonly root?: string;
  /** Names of the checks to run; all unless told. */
  readonly only?: readonly string[];
}

const unused = "nothing in this version uses it yet";
const native =
  'loaded.backend().binding ? "runs on libtensorflow, " + (loaded.backend().isUsingGpuDevice ? "GPU" : "CPU") : "is pure JavaScript here, the slow cpu backend"';
/** What the default installation leaves out, with sizes as measured on Linux x64. */
const optional: readonly Optional[] = [
  {
    name: "native TensorFlow backend",
    packages: [
      { name: "@tensorflow/tfjs-node-gpu", megabytes: 302, probe: native },
      { name: "@tensorflow/tfjs-node", megabytes: 302, probe: native },
    ],
    use: "useBackend and exact search on libtensorflow; without it wasm and onnxruntime, which are installed",
    install:
      "npm install -D @tensorflow/tfjs-node-gpu@4.22.0, which downloads libtensorflow from storage.googleapis.com, or build it (README)",
  },
  {
    name: "models (transformers.js)",
    packages: [
      { name: "@huggingface/transformers", megabytes: 475, probe: '"loads, version " + loaded.env.version' },
      { name: "@xenova/transformers", megabytes: 241, probe: '"loads, version " + loaded.env.version' },
    ],
    use: "encoders minilm, bge, clip, clip-image and transformers:MODEL, captioners vit-gpt2 and blip",
    install: "npm install -D @huggingface/transformers@4 --onnxruntime-node-install=skip",
  },
  {
    name: "approximate search (usearch)",
    packages: [{ name: "usearch", megabytes: 22, probe: '"loads"' }],
    use: 'openIndex with kind "usearch"',
    install: "npm install -D usearch@2.25.3",
  },
  {
    name: "data frames (danfojs-node)",
    packages: [{ name: "danfojs-node", megabytes: 335, probe: '"loads"' }],
    use: "fromDanfo, toDanfo",
    install: "npm install -D danfojs-node@1.2.0 (in another project: with the overrides of this package.json)",
  },
  {
    name: "hosted models (openai)",
    packages: [{ name: "openai", megabytes: 20 }],
    use: unused,
    install: "npm install -D openai@6.49.0",
  },
];

/** The table of checks, in the order in which they are shown; null: was not asked for. */
const checks: readonly {
  readonly name: string;
  readonly optional?: boolean;
  run(context: Context): Finding | null | Promise<Finding | null>;
}[] = [
  { name: "Node.js", run: check.node },
  { name: "build", run: check.build },
  { name: "tables (arquero)", run: check.tables },
  { name: "pictures (sharp)", run: check.pictures },
  { name: "SVG to PNG (resvg)", run: check.rasters },
  { name: "figure font", run: check.font },
  { name: "figures (vega, PDF)", run: check.figures },
  { name: "notebooks without Jupyter (tslab)", run: check.headless },
  { name: "disk space", run: check.disk },
  { name: "JupyterLab", optional: true, run: check.jupyter },
  { name: "kernel in JupyterLab", optional: true, run: check.kernelSpec },
  { name: "data sets", optional: true, run: check.dataSets },
  ...optional.map((part) => ({
    name: part.name,
    optional: true,
    run: (context: Context) => check.optionalPart(part, context),
  })),
  { name: "API key", optional: true, run: check.apiKey },
  { name: "model server", optional: true, run: check.server },
];

/**
 * Tries everything that the library needs or can use on this machine, each part for real: draws a chart, executes a
 * notebook cell, loads the real data sets, loads each optional package in a process of its own. A part that fails is a
 * finding, never an error, and no key's value is shown. Takes 5–20 s.
 *
 * @example
 * const { checks } = await doctor({ env: process.env, cwd: process.cwd() });
 * checks[0]; // { name: "Node.js", optional: false, status: "works", detail: "v20.20.2, linux x64", remedy: "" }
 */
export async function doctor(options: DoctorOptions): Promise<{ checks: Check[] }> {
  const root = options.root ?? fileURLToPath(new URL("../..", import.meta.url));
  const context: Context = { env: options.env, cwd: options.cwd, endpoint: options.endpoint, root };
  const { only } = options;
  const names = checks.map(({ name }) => name);
  for (const name of only ?? []) if (!names.includes(name)) throw unknownName("doctor", "check", name, names);
  const found: Check[] = [];
  for (const { name, optional = false, run } of checks) {
    if (only && !only.includes(name)) continue;
    const finding = await Promise.resolve(context)
      .then(run)
      .catch((error): Finding => ({ status: "broken", detail: check.reason(error), remedy: "npm ci" }));
    if (finding) found.push({ name, optional, ...finding });
  }
  return { checks: found };
}

const marks: Readonly<Record<CheckStatus, string>> = { works: "ok     ", missing: "missing", broken: "BROKEN " };

/**
 * The checks as text: one line each, what to do below it, what the default run does without in a part of its own, counts last.
 *
 * @example
 * doctorText(await doctor({ env: process.env, cwd: process.cwd() }));
 * // ok       Node.js: v20.20.2, linux x64
 * // …
 */
export function doctorText({ checks: found }: { readonly checks: readonly Check[] }): string {
  const lines = (checks: readonly Check[]) =>
    checks.flatMap(({ name, status, detail, remedy, optional }) => [
      `${optional && status === "missing" ? "absent " : marks[status]}  ${name}: ${detail}`,
      ...(remedy ? [`         → ${remedy}`] : []),
    ]);
  const count = (checks: readonly Check[], status: CheckStatus) => checks.filter((one) => one.status === status).length;
  const needed = found.filter((one) => !one.optional);
  const rest = found.filter((one) => one.optional);
  const parts = [
    ...lines(needed),
    ...(rest.length > 0 ? ["", "Optional, not needed by the default run:", ...lines(rest)] : []),
    "",
    `${count(needed, "works")} work, ${count(needed, "missing")} missing, ${count(needed, "broken")} broken; optional: ${count(rest, "works")} work, ${count(rest, "missing")} absent, ${count(rest, "broken")} broken`,
  ];
  return `${parts.join("\n")}\n`;
}
