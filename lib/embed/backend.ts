import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { errorText, MkgError, refuseUnknown, SetupError, unknownName } from "../core/index.js";

const names = ["tfjs-node-gpu", "tfjs-node", "wasm", "cpu"] as const;
export type BackendName = (typeof names)[number];

/** Which backend of TensorFlow.js is in use, and why not another. */
export interface BackendInfo {
  readonly name: BackendName;
  /** Version of tfjs-core, which all backends share. */
  readonly version: string;
  /** Whether a GPU computes: the GPU package without a GPU computes on the processor. */
  readonly gpu: boolean;
  /** One sentence. */
  readonly why: string;
  /** Those that were tried before, each with the reason that it is not used. */
  readonly passed: readonly { readonly name: BackendName; readonly why: string }[];
}

type Core = typeof import("@tensorflow/tfjs-core");
interface NativePackage {
  readonly engine: () => unknown;
  readonly backend: () => { readonly binding?: unknown; readonly isUsingGpuDevice?: boolean };
}

interface BackendOptions {
  /** How a native package is loaded; for tests, and for packages in unusual places. Default: `require`, from mkglab's own folder. */
  readonly load?: (name: string) => unknown;
}

/**
 * Chooses the backend that TensorFlow.js computes on. `auto` (default): the first that works of `tfjs-node-gpu`, `tfjs-node` (libtensorflow: optional packages
 * `@tensorflow/tfjs-node-gpu` and `@tensorflow/tfjs-node`), `wasm` (one thread, no gradient of gather) and `cpu` (JavaScript, slow); the last two are part of a
 * default install. Exact search multiplies on libtensorflow once it is chosen. Results of the backends agree to single precision: a product of length d to
 * about d · 2^−24 of the lengths; whatever mkglab ranks by is computed again in doubles and does not depend on the backend.
 *
 * There is one copy of tfjs-core; a native package that brings its own is passed over, and the reason says so. To be quiet, libtensorflow wants
 * TF_CPP_MIN_LOG_LEVEL=2 in the environment before it is loaded.
 *
 * Errors: unknown name; a backend that was asked for by name and does not work (with the reason and the command).
 *
 * @example
 * const { name, why } = await useBackend(); // { name: "wasm", why: "part of the install", … } where no native package is installed
 */
export async function useBackend(
  wanted: "auto" | BackendName = "auto",
  options: BackendOptions = {},
): Promise<BackendInfo> {
  const place = "useBackend";
  refuseUnknown(place, options, ["load"], "option");
  if (wanted !== "auto" && !names.includes(wanted)) throw unknownName(place, "backend", wanted, ["auto", ...names]);
  const tf = await import("@tensorflow/tfjs-core");
  // else the first product on the JavaScript backend prints an advertisement of the native one
  tf.enableProdMode();
  const passed: { name: BackendName; why: string }[] = [];
  for (const name of wanted === "auto" ? names : [wanted]) {
    const tried = await (name === "wasm" || name === "cpu"
      ? plain(tf, name)
      : native(tf, name, options.load ?? ownRequire));
    if (!("failed" in tried))
      return Object.freeze({
        name,
        version: tf.version_core,
        gpu: tried.gpu,
        why: wanted === "auto" ? tried.why : "asked for by name",
        passed: Object.freeze(passed),
      });
    if (wanted !== "auto")
      throw new SetupError(
        place,
        `${name} does not work (${tried.failed})`,
        `Others: ${names.filter((other) => other !== name).join(", ")}`,
        name.startsWith("tfjs-node")
          ? `npm install @tensorflow/${name}@4.22.0, or build it (README, native backend)`
          : "npm ci",
      );
    passed.push({ name, why: tried.failed });
  }
  throw new MkgError(
    place,
    `no backend works (${passed.map(({ name, why }) => `${name}: ${why}`).join("; ")})`,
    "",
    "npm ci",
  );
}

type Tried = { readonly gpu: boolean; readonly why: string } | { readonly failed: string };
const ownRequire = createRequire(import.meta.url);

async function plain(tf: Core, name: "wasm" | "cpu"): Promise<Tried> {
  try {
    if (name === "wasm") {
      const { setWasmPaths } = await import("@tensorflow/tfjs-backend-wasm");
      setWasmPaths(`${join(dirname(ownRequire.resolve("@tensorflow/tfjs-backend-wasm/package.json")), "dist")}/`);
    } else await import("@tensorflow/tfjs-backend-cpu");
    if (await tf.setBackend(name)) return { gpu: false, why: "part of the install" };
    return { failed: "it does not start" };
  } catch (error) {
    return { failed: firstLine(error) };
  }
}

async function native(tf: Core, name: "tfjs-node" | "tfjs-node-gpu", load: (name: string) => unknown): Promise<Tried> {
  const package_ = `@tensorflow/${name}`;
  try {
    // removed in Node 23, used by the package
    const util = ownRequire("node:util") as Record<string, unknown>;
    util.isNullOrUndefined ??= (value: unknown) => value === null || value === undefined;
    util.isArray ??= Array.isArray;
    const loaded = load(package_) as NativePackage;
    if (typeof loaded.engine !== "function" || loaded.engine() !== tf.engine())
      return { failed: "it brings another copy of tfjs-core; npm dedupe" };
    const script = { failed: "pure JavaScript under the native name (danfojs installs it so)" };
    if (!tf.findBackendFactory("tensorflow") || !(await tf.setBackend("tensorflow"))) return script;
    const { binding, isUsingGpuDevice = false } = loaded.backend();
    if (!binding) return script;
    return {
      gpu: isUsingGpuDevice,
      why: isUsingGpuDevice ? "libtensorflow on a GPU" : "libtensorflow on the processor",
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "MODULE_NOT_FOUND" && errorText(error).includes(package_)) return { failed: "not installed" };
    if (code === "ERR_DLOPEN_FAILED") return { failed: `its libraries do not load: ${firstLine(error)}` };
    return { failed: firstLine(error) };
  }
}

const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : errorText(error)).split("\n")[0] as string).slice(0, 200);
