import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** What was tried: it works, it is not there, or it is there and fails. */
export type CheckStatus = "works" | "missing" | "broken";

export interface Finding {
  readonly status: CheckStatus;
  readonly detail: string;
  /** The command or step that gets or mends it; "" when it works. */
  readonly remedy: string;
}

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Asked only when given. */
  readonly endpoint: string | undefined;
  /** The package's own folder: packages are looked up from here. */
  readonly root: string;
}

const works = (detail: string): Finding => ({ status: "works", detail, remedy: "" });
const missing = (detail: string, remedy: string): Finding => ({ status: "missing", detail, remedy });
const broken = (detail: string, remedy: string): Finding => ({ status: "broken", detail, remedy });

/** The first line of an error's message. */
export const reason = (error: unknown): string => String((error as Error)?.message ?? error).split("\n")[0] ?? "";

// Everything below is imported when it is tried: one broken package must not keep the others from being looked at.

export function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const detail = `${process.version}, ${process.platform} ${process.arch}`;
  return major > 20 || (major === 20 && minor >= 19)
    ? works(detail)
    : broken(`${detail}; 20.19 or newer is needed`, "Install a current Node.js from https://nodejs.org");
}

export async function build({ root }: Context): Promise<Finding> {
  const { buildState } = await import("../notebook/index.js");
  const state = buildState(root);
  if (state === "missing") return broken("dist/ is not built, and notebooks import it", "npm run build");
  if (state === "stale") return broken("dist/ is older than lib/, and notebooks import dist/", "npm run build");
  return works(state === "packaged" ? "an installed package" : "dist/ is as new as lib/");
}

const REINSTALL = "npm ci";

export async function tables(): Promise<Finding> {
  const { table, op } = await import("arquero");
  const sum = table({ n: [1, 2, 3] })
    .rollup({ sum: op.sum("n") })
    .get("sum");
  return sum === 6 ? works("a table was summed") : broken(`1 + 2 + 3 gave ${sum}`, REINSTALL);
}

export async function pictures(): Promise<Finding> {
  const { default: sharp } = await import("sharp");
  const create = { width: 2, height: 1, channels: 3 as const, background: "red" };
  const { width } = await sharp(await sharp({ create }).png().toBuffer()).metadata();
  return width === 2
    ? works(`libvips ${sharp.versions.vips}`)
    : broken(`a picture 2 wide came back ${width} wide`, REINSTALL);
}

export async function rasters(): Promise<Finding> {
  const { Resvg } = await import("@resvg/resvg-js");
  const { width } = new Resvg('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>').render();
  return width === 1 ? works("an SVG was rendered") : broken(`an SVG 1 wide came out ${width} wide`, REINSTALL);
}

export function font({ root }: Context): Finding {
  const folder = join(root, "assets", "fonts");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => /\.ttf$/i.test(name)) : [];
  return files.length > 0
    ? works(files.sort().join(", "))
    : broken("assets/fonts holds no font, and figures need one", "Restore assets/fonts from the repository");
}

export async function figures(): Promise<Finding> {
  const { chart } = await import("../figure/index.js");
  const one = chart("dots", [{ level: "x", mean: 0.5, low: 0.4, high: 0.6, n: 10 }]);
  const [svg, pdf, png] = await Promise.all([one.svg(), one.pdf(), one.png()]);
  return works(`a chart as SVG (${svg.length} characters), PDF (${pdf.length} bytes), PNG (${png.length} bytes)`);
}

export async function headless(): Promise<Finding> {
  const { runNotebook, TSLAB_VERSION } = await import("../notebook/index.js");
  const folder = await mkdtemp(join(tmpdir(), "mkglab-doctor-"));
  try {
    const path = join(folder, "doctor.ipynb");
    const cells = [{ cell_type: "code", metadata: {}, outputs: [], source: "const n: number = 20;\nn + 1" }];
    await writeFile(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
    const [output] = (await runNotebook(path, { timeoutMs: 60_000 })).cells[0]?.outputs ?? [];
    const text = output?.output_type === "execute_result" ? output.data["text/plain"] : undefined;
    return String(text) === "21"
      ? works(`tslab ${TSLAB_VERSION} ran a cell`)
      : broken(`20 + 1 gave ${text}`, REINSTALL);
  } catch (error) {
    const install = /npm [^`]+/.exec((error as Error).message)?.[0] ?? REINSTALL;
    return (/not installed/.test((error as Error).message) ? missing : broken)(reason(error), install);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The first of these programs on the PATH, or in a virtual environment beside the project. */
function program({ env, cwd }: Context, name: string): string | undefined {
  const folders = [...(env.PATH ?? "").split(delimiter).filter(Boolean), join(cwd, ".venv", "bin")];
  const names = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  return folders.flatMap((folder) => names.map((file) => join(folder, file))).find(isFile);
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

export function jupyter(context: Context): Finding {
  const found = program(context, "jupyter-lab");
  return found
    ? works(found)
    : missing(
        "not on the PATH; only needed to open notebooks in a browser (about 250 MB, needs Python)",
        "python3 -m venv .venv && .venv/bin/pip install jupyterlab",
      );
}

/** Folders in which Jupyter looks for kernels, found without running Python. */
function jupyterFolders(context: Context): string[] {
  const { env, cwd } = context;
  const home = env.HOME ?? homedir();
  const user =
    env.JUPYTER_DATA_DIR ??
    (process.platform === "darwin"
      ? join(home, "Library", "Jupyter")
      : process.platform === "win32"
        ? join(env.APPDATA ?? home, "jupyter")
        : join(env.XDG_DATA_HOME ?? join(home, ".local", "share"), "jupyter"));
  const lab = program(context, "jupyter-lab") ?? program(context, "jupyter");
  const prefixes = [env.VIRTUAL_ENV, env.CONDA_PREFIX, lab && dirname(dirname(lab)), join(cwd, ".venv")];
  const shared = [...prefixes, "/usr/local", "/usr"].flatMap((prefix) =>
    prefix ? [join(prefix, "share", "jupyter")] : [],
  );
  const given = (env.JUPYTER_PATH ?? "").split(delimiter).filter(Boolean);
  return [...new Set([...given, user, ...shared])];
}

export function kernelSpec(context: Context): Finding {
  const remedy =
    'npx tslab install --python=.venv/bin/python --sys-prefix --binary="$PWD/node_modules/.bin/tslab" (with the Python of your Jupyter)';
  const problems: string[] = [];
  const found: { name: string; folder: string }[] = [];
  for (const folder of jupyterFolders(context).map((path) => join(path, "kernels"))) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).sort()) {
      const spec = kernelAt(join(folder, name, "kernel.json"));
      if (!spec?.argv.some((part) => /tslab/.test(part))) continue;
      const [command = ""] = spec.argv;
      const there = isAbsolute(command) ? isFile(command) : program(context, command) !== undefined;
      if (there) found.push({ name, folder });
      if (there) continue;
      problems.push(`${name} in ${folder} names a program that is not there (${command})`);
    }
  }
  // tslab installs a kernel for JavaScript beside its own
  const best = found.find(({ name }) => name === "tslab") ?? found[0];
  if (best) return works(`${best.name} in ${best.folder}`);
  return problems.length > 0
    ? broken(problems.join("; "), remedy)
    : missing("no kernel that runs tslab; only needed to open notebooks in a browser", remedy);
}

function kernelAt(path: string): { argv: string[] } | undefined {
  try {
    if (statSync(path).size > 65_536) return undefined;
    const { argv } = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(argv) && argv.every((part) => typeof part === "string") ? { argv } : undefined;
  } catch {
    return undefined; // not a kernel folder
  }
}

/**
 * Which of the folders and files that a data set needs, as `datasetList` words it (`folder/: file, file; folder/`), are
 * not below `dir`.
 */
export function missingFiles(needs: string, dir: string): string[] {
  const paths = needs.split("; ").flatMap((part) => {
    const [folder = "", files] = part.split(": ");
    return files ? files.split(", ").map((file) => join(folder, file)) : folder ? [folder] : [];
  });
  return paths.filter((path) => !existsSync(join(dir, path)));
}

export async function dataSets({ env, cwd }: Context): Promise<Finding> {
  const { datasetList, loadDataset } = await import("../datasets/index.js");
  const dir = env.MKGLAB_DATA || join(cwd, "data");
  const here: string[] = [];
  const absent: string[] = [];
  const failing: string[] = [];
  for (const { name, needs } of datasetList()) {
    if (!needs) here.push(`${name} (embedded)`);
    else if (!needs.match(/[\w.-]+(?=\/)/g)?.every((folder) => existsSync(join(dir, folder))))
      absent.push(`${name} (${needs})`);
    else
      await loadDataset(name, { dir }).then(
        () => here.push(name),
        (error) => failing.push(`${name}: ${reason(error)}`),
      );
  }
  const detail = `${here.join(", ")} can be loaded`;
  if (failing.length > 0) return broken(`${detail}; ${failing.join("; ")}`, "Fetch the named file again");
  if (absent.length === 0) return works(detail);
  const place = env.MKGLAB_DATA ? `$MKGLAB_DATA (${dir})` : "data/, or set MKGLAB_DATA to the folder that holds them";
  return missing(
    `${detail}; not in ${dir}: ${absent.join("; ")}`,
    `Put them below ${place}; data/README.md says where they come from`,
  );
}

export function apiKey({ env }: Context): Finding {
  return env.OPENAI_API_KEY
    ? works("OPENAI_API_KEY is set (its value is not shown)")
    : missing("OPENAI_API_KEY is not set; only a hosted model needs one", "export OPENAI_API_KEY=…");
}

export async function server({ endpoint }: Context): Promise<Finding | null> {
  if (endpoint === undefined) return null;
  const remedy = "Start the server, or check the base URL";
  try {
    const { status } = await fetch(`${endpoint.replace(/\/+$/, "")}/models`, { signal: AbortSignal.timeout(5000) });
    const detail = `${endpoint} answered with HTTP status ${status}`;
    return status < 500 && status !== 404 ? works(detail) : broken(detail, remedy);
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    return broken(`${endpoint} does not answer (${cause?.code ?? reason(error)})`, remedy);
  }
}

export async function disk({ cwd }: Context): Promise<Finding> {
  const { bavail, bsize } = await statfs(cwd);
  const gigabytes = (bavail * bsize) / 1e9;
  const detail = `${gigabytes.toFixed(1)} GB free in ${cwd}`;
  return gigabytes >= 1 ? works(detail) : broken(`${detail}; runs and figures want 1 GB`, "Make room");
}

/** An optional package: what it is for, what it adds to node_modules, how to get it. */
export interface Optional {
  readonly name: string;
  readonly packages: readonly OptionalPackage[];
  readonly use: string;
  readonly install: string;
}

export interface OptionalPackage {
  readonly name: string;
  /** Size of the package with everything that it brings, in MB, as `npm install` of it alone was measured. */
  readonly megabytes: number;
  /** Expression in `loaded` (the package) and `load(name)` that gives a detail; may be a promise. */
  readonly probe?: string;
}

/** Works when one of its packages loads; broken when one is there and none loads. */
export async function optionalPart({ packages, use, install }: Optional, context: Context): Promise<Finding> {
  const found = [];
  for (const entry of packages) found.push({ entry, ...(await loadElsewhere(entry, context)) });
  const texts = found.map(({ entry, state, text }) =>
    state === "missing" ? `${entry.name} is not installed (${entry.megabytes} MB)` : `${entry.name} ${text}`,
  );
  const detail = `${texts.join("; ")}; ${use}`;
  if (found.some(({ state }) => state === "works")) return works(detail);
  return found.some(({ state }) => state === "broken") ? broken(detail, install) : missing(detail, install);
}

/** Loads a package in a process of its own: a native library can end the process or fill its output with noise. */
function loadElsewhere(entry: OptionalPackage, { env, root }: Context): Promise<{ state: CheckStatus; text: string }> {
  const program = `
    const { createRequire } = require("node:module");
    const { pathToFileURL } = require("node:url");
    const from = createRequire(${JSON.stringify(join(root, "package.json"))});
    const load = async (name) => { const m = await import(pathToFileURL(from.resolve(name))); return m.default ?? m; };
    const say = (state, text) => { process.stdout.write("\\n" + JSON.stringify({ state, text }) + "\\n", () => process.exit(0)); };
    try { from.resolve(${JSON.stringify(entry.name)}); } catch (error) {
      if (error.code === "MODULE_NOT_FOUND") return say("missing", "");
    }
    load(${JSON.stringify(entry.name)})
      .then(async (loaded) => say("works", String(await (${entry.probe ?? '"loads"'}))))
      .catch((error) => say("broken", "does not load (" + [error.code, String(error.message ?? error).split("\\n")[0]].filter(Boolean).join(": ") + ")"));`;
  const options = { env: { ...env, TF_CPP_MIN_LOG_LEVEL: "2" } as NodeJS.ProcessEnv, cwd: root, timeout: 60_000 };
  return new Promise((done) => {
    execFile(process.execPath, ["-e", `(() => {${program}})()`], options, (error, stdout) => {
      const line = stdout.trimEnd().split("\n").at(-1) ?? "";
      if (line.startsWith('{"state"')) return done(JSON.parse(line));
      done({
        state: "broken",
        text: `does not load (the process ended: ${error?.signal ?? error?.code ?? "no answer"})`,
      });
    });
  });
}
