import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  errorText,
  flag,
  type Image,
  MkgError,
  type OptionSpecs,
  oneOf,
  quote,
  SetupError,
  stableHash,
  textOption,
} from "../../core/index.js";
import { pixels } from "../../media/index.js";

/** What is used of transformers.js, under either of its names. */
interface Library {
  readonly env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    cacheDir?: string | null;
    version?: string;
  };
  readonly AutoTokenizer: Loader<Tokenizer>;
  readonly AutoProcessor: Loader<(image: unknown) => Promise<Inputs>>;
  readonly AutoModel: Loader<Model>;
  readonly CLIPTextModelWithProjection: Loader<Model>;
  readonly CLIPVisionModelWithProjection: Loader<Model>;
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => Ids;
  readonly RawImage: new (data: Uint8ClampedArray, width: number, height: number, channels: number) => unknown;
  pipeline(task: string, model: string, options: object): Promise<Pipeline>;
}
type Inputs = Readonly<Record<string, unknown>>;
type Tokenizer = ((texts: readonly string[], options: object) => Readonly<Record<string, Ids>>) & {
  readonly model_max_length?: number;
};
interface Ids {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: BigInt64Array;
}
type Model = (inputs: Inputs) => Promise<Readonly<Record<string, Tensor>>>;
export type Pipeline = (image: unknown, options?: object) => Promise<readonly { readonly generated_text: string }[]>;
interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}
interface Loader<T> {
  from_pretrained(id: string, options: object): Promise<T>;
}

const packages = ["@huggingface/transformers", "@xenova/transformers"] as const;
const dtypes = ["fp32", "fp16", "q8"] as const;

/** Options of everything that runs through transformers.js. */
export const modelOptions = (model: string): OptionSpecs => ({
  model: textOption({ default: model, doc: "id of the model, a folder below `models`" }),
  models: textOption({
    default: "models",
    doc: "folder of models, each in a folder by its id, as the Hugging Face hub has it",
  }),
  dtype: oneOf(dtypes, {
    default: "fp32",
    doc: "which weights: onnx/model.onnx, onnx/model_fp16.onnx or onnx/model_quantized.onnx; quantised ones give scores that vary with the machine",
  }),
  package: oneOf(["auto", ...packages], {
    default: "auto",
    doc: "which package runs it; auto: the first that is installed",
  }),
  modules: textOption({ default: ".", doc: "folder from which the package is looked for, besides that of mkglab" }),
  fetch: flag({ default: false, doc: "whether a model that is not there may be fetched from the hub" }),
});

export interface ModelOptions {
  readonly model: string;
  readonly models: string;
  readonly dtype: (typeof dtypes)[number];
  readonly package: string;
  readonly modules: string;
  readonly fetch: boolean;
}

const suffix = { fp32: "", fp16: "_fp16", q8: "_quantized" } as const;

/** A model of transformers.js that is about to be loaded: where its files are, and what they are. */
export class Weights {
  private constructor(
    readonly place: string,
    readonly options: ModelOptions,
    readonly library: Library,
    readonly package_: string,
    /** Hash of package, weights and files: another file, another revision. */
    readonly revision: string,
  ) {}

  /**
   * Finds the package and the files. `names` are the ONNX files by their names without suffix.
   * @throws SetupError where the package or a file is missing, with the command or the files that are wanted.
   */
  static async find(
    place: string,
    given: Readonly<Record<string, unknown>>,
    names: readonly string[],
  ): Promise<Weights> {
    const options = given as unknown as ModelOptions;
    const [name, library, version] = await importLibrary(place, options);
    const folder = join(options.models, options.model);
    const files = names.map((file) => `onnx/${file}${suffix[options.dtype]}.onnx`);
    const missing = ["config.json", ...files].filter((file) => !existsSync(join(folder, file)));
    if (missing.length > 0 && !options.fetch)
      throw new SetupError(
        place,
        `the model is not in its folder (${resolve(folder)}: ${missing.join(", ")} missing)`,
        "config.json, tokenizer.json or preprocessor_config.json, and onnx/ as on the Hugging Face hub",
        `Put them there, give another folder as \`models\`, or allow fetching with { fetch: true }`,
      );
    // what is fetched has no files to hash yet: its id stands for it
    const content = missing.length > 0 ? `fetched ${options.model}` : await hashOf(folder, files);
    return new Weights(place, options, library, name, stableHash([name, version, options.dtype, content]));
  }

  /** Loads by one of the library's loaders. The library keeps its folders in one global place, so that loads wait for one another. */
  load<T>(make: (library: Library, id: string, options: object) => Promise<T>): Promise<T> {
    const { options, library, place } = this;
    const own = loading.then(async () => {
      Object.assign(library.env, {
        allowLocalModels: true,
        allowRemoteModels: options.fetch,
        localModelPath: resolve(options.models),
        ...(options.fetch ? { cacheDir: resolve(options.models) } : {}),
      });
      try {
        // the two packages name the choice of weights differently
        return await make(library, options.model, {
          dtype: options.dtype,
          quantized: options.dtype === "q8",
          local_files_only: !options.fetch,
        });
      } catch (error) {
        throw new SetupError(
          place,
          `the model does not load (${options.model}: ${errorText(error).slice(0, 300)})`,
          "A model that transformers.js runs",
          `Look at its files in ${resolve(options.models, options.model)}`,
        );
      }
    });
    loading = own.catch(() => {});
    return own;
  }

  /**
   * The tokens of a text as the model takes them, at most `limit` (0: what the tokenizer says). Cut as in Python: the last token, which ends a text, stays; the library
   * would cut it off, and models that look for it would be lost.
   */
  tokens(tokenizer: Tokenizer, text: string, limit = 0): Inputs {
    const most = limit > 0 ? limit : (tokenizer.model_max_length ?? Number.POSITIVE_INFINITY);
    const whole = tokenizer([text], { padding: false, truncation: false });
    return Object.fromEntries(
      Object.entries(whole).map(([name, ids]) => {
        const length = ids.dims[1] as number;
        if (length <= most) return [name, ids];
        const kept = BigInt64Array.from([...ids.data.subarray(0, most - 1), ids.data[length - 1] as bigint]);
        return [name, new this.library.Tensor(ids.type, kept, [1, most])];
      }),
    );
  }

  /** The picture as the library takes it, decoded here: orientation, transparency and damage are dealt with in one place. */
  async raw(image: Image): Promise<unknown> {
    const { data, width, height } = await pixels(image);
    return new this.library.RawImage(new Uint8ClampedArray(data), width, height, 3);
  }
}

let loading: Promise<unknown> = Promise.resolve();

async function importLibrary(
  place: string,
  { package: wanted, modules }: ModelOptions,
): Promise<[string, Library, string]> {
  const reasons: string[] = [];
  for (const name of wanted === "auto" ? packages : [wanted]) {
    for (const from of [join(resolve(modules), "any.js"), import.meta.filename ?? import.meta.url]) {
      try {
        const require = createRequire(from);
        // the package's own entry for Node: its condition "import" differs from what require finds
        const entry = await entryOf(require.resolve.paths(name) ?? [], name);
        if (!entry) continue;
        const library = (await import(pathToFileURL(entry.path).href)) as Library & { default?: Library };
        return [name, library.env ? library : (library.default as Library), entry.version];
      } catch (error) {
        reasons.push(`${name}: ${errorText(error).slice(0, 200)}`);
      }
    }
  }
  throw new SetupError(
    place,
    `it needs a package that is not installed (${wanted === "auto" ? packages.join(" or ") : wanted})${reasons.length > 0 ? `; ${reasons[0]}` : ""}`,
    "",
    `npm install --onnxruntime-node-install=skip ${wanted === "auto" ? packages[0] : wanted}; or name the folder that has it as \`modules\``,
  );
}

/** Where a package's entry for `import` in Node is, in the first of these folders that has the package. */
async function entryOf(
  folders: readonly string[],
  name: string,
): Promise<{ path: string; version: string } | undefined> {
  for (const folder of folders) {
    const root = join(folder, name);
    if (!existsSync(join(root, "package.json"))) continue;
    const { exports, main, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
      exports?: unknown;
      main?: string;
      version: string;
    };
    return { path: join(root, targetOf(exports) ?? main ?? "index.js"), version };
  }
  return undefined;
}

/** The target of conditional exports for Node's `import`. */
function targetOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  for (const [condition, target] of Object.entries(exports))
    if ([".", "node", "import", "default"].includes(condition)) {
      const found = targetOf(target);
      if (found) return found;
    }
  return undefined;
}

/** SHA-256 over the files that decide what a model gives: its settings, tokenizer and weights. */
async function hashOf(folder: string, weights: readonly string[]): Promise<string> {
  const settings = (await readdir(folder)).filter((file) => /\.(json|txt|model)$/.test(file)).sort();
  const hash = createHash("sha256");
  for (const file of [...settings, ...weights]) {
    const path = join(folder, file);
    if (!(await stat(path)).isFile()) continue;
    hash.update(`${file}\0`);
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(chunk as Uint8Array);
  }
  return hash.digest("hex");
}

/** The tensor of a model's output by name, [1, …]. */
export function outputOf(place: string, output: Readonly<Record<string, Tensor>>, names: readonly string[]): Tensor {
  for (const name of names) if (output[name]) return output[name];
  throw new MkgError(
    place,
    `the model's output has none of ${names.join(", ")} (${quote(Object.keys(output))})`,
    "A model that gives vectors",
    "Choose a model of the kind that this encoder is for",
  );
}
