import {
  type Image,
  MkgError,
  type OptionSpecs,
  quote,
  refuseUnknown,
  resolveOptions,
  unknownName,
} from "../../core/index.js";
import { checkReference } from "../parity.js";
import type { Encoder } from "../types.js";
import { clipImage, clipOptions, clipText } from "./clip.js";
import { hashEncoder, hashOptions } from "./hash.js";
import { openaiEncoder, openaiOptions } from "./openai.js";
import { pixelsEncoder } from "./pixels.js";
import { sentenceEncoder, sentenceOptions } from "./sentence.js";

/** An entry of the table of encoders. */
interface EncoderEntry<T extends string | Image> {
  readonly modality: "text" | "image";
  readonly citation: string;
  readonly options: OptionSpecs;
  load(options: Readonly<Record<string, unknown>>, name: string): Encoder<T> | Promise<Encoder<T>>;
}

const sentences = (model: string, pooling: "mean" | "cls", citation: string): EncoderEntry<string> => ({
  modality: "text",
  citation,
  options: sentenceOptions(model, pooling),
  load: (options, name) => sentenceEncoder(name, options),
});

const encoders = {
  bge: sentences(
    "Xenova/bge-small-en-v1.5",
    "cls",
    "Xiao et al. 2023, C-Pack: packed resources for general Chinese embeddings, arXiv 2309.07597",
  ),
  clip: {
    modality: "text",
    citation:
      "Radford et al. 2021, Learning transferable visual models from natural language supervision, arXiv 2103.00020",
    options: clipOptions,
    load: (options, name) => clipText(name, options),
  } satisfies EncoderEntry<string>,
  "clip-image": {
    modality: "image",
    citation:
      "Radford et al. 2021, Learning transferable visual models from natural language supervision, arXiv 2103.00020",
    options: clipOptions,
    load: (options, name) => clipImage(name, options),
  } satisfies EncoderEntry<Image>,
  hash: {
    modality: "text",
    citation: "Weinberger et al. 2009, Feature hashing for large scale multitask learning, arXiv 0902.2206",
    options: hashOptions,
    load: hashEncoder,
  } satisfies EncoderEntry<string>,
  minilm: sentences(
    "Xenova/all-MiniLM-L6-v2",
    "mean",
    "Reimers & Gurevych 2019, Sentence-BERT, arXiv 1908.10084; Wang et al. 2020, MiniLM, arXiv 2002.10957",
  ),
  pixels: {
    modality: "image",
    citation: "Dalal & Triggs 2005, Histograms of oriented gradients for human detection, doi 10.1109/CVPR.2005.177",
    options: {},
    load: pixelsEncoder,
  } satisfies EncoderEntry<Image>,
};

/** Families: what follows the colon names a model. */
const families: Readonly<Record<string, (model: string) => EncoderEntry<string>>> = {
  openai: () => ({
    modality: "text",
    citation: "OpenAI's embeddings interface",
    options: openaiOptions,
    load: (options, name) => openaiEncoder(name, options),
  }),
  transformers: (model) =>
    sentences(model || "?", "mean", "Wolf et al. 2020, Transformers, doi 10.18653/v1/2020.emnlp-demos.6"),
};

export type EncoderName = keyof typeof encoders;
type Encodes<N extends EncoderName> = (typeof encoders)[N] extends EncoderEntry<infer T> ? T : never;

/** The names that {@link encoder} takes, in code-unit order; with a modality, only those of it. */
export const encoderNames = (modality?: "text" | "image"): string[] =>
  Object.keys(encoders)
    .filter((name) => !modality || encoders[name as EncoderName].modality === modality)
    .sort();

/** Forms of names besides those of {@link encoderNames}, of encoders of texts. */
export const encoderForms = (): string[] => Object.keys(families).map((family) => `${family}:MODEL`);

function entryOf(name: unknown): EncoderEntry<never> | undefined {
  if (typeof name !== "string") return undefined;
  if (Object.hasOwn(encoders, name)) return encoders[name as EncoderName] as EncoderEntry<never>;
  const at = name.indexOf(":");
  const family = at > 0 ? name.slice(0, at) : "";
  return Object.hasOwn(families, family) && at + 1 < name.length
    ? (families[family]?.(name.slice(at + 1)) as EncoderEntry<never>)
    : undefined;
}

/** Whether {@link encoder} takes the name, of that modality. */
export const isEncoderName = (name: unknown, modality?: "text" | "image"): boolean => {
  const found = entryOf(name);
  return found !== undefined && (modality === undefined || found.modality === modality);
};

/** Whether a name alone says what vectors will be: not of a model in files, or behind a service, which may change under its name. */
export const isStable = (name: string): boolean => {
  const options = entryOf(name)?.options ?? {};
  return !Object.hasOwn(options, "models") && !Object.hasOwn(options, "baseUrl");
};

/** The options that an encoder declares. Error: unknown name. */
export function encoderOptions(name: string): OptionSpecs {
  const found = entryOf(name);
  if (!found) throw unknownName("encoder", "encoder", name, [...encoderNames(), ...encoderForms()]);
  return found.options;
}

/** What is said of a function of one's own that encodes. */
export interface OwnEncoder {
  readonly name: string;
  /** Change it whenever equal input could give other vectors: stored ones are told apart by it. */
  readonly revision: string;
  readonly modality: "text" | "image";
  readonly dim: number;
  /** Encoders of one space name the same, and their vectors may be averaged. */
  readonly space?: string;
}
type Encode<T> = (
  items: readonly T[],
) => Promise<Float32Array | readonly ArrayLike<number>[]> | Float32Array | readonly ArrayLike<number>[];

/**
 * The encoder of that name, or one that a function is. `hash` and `pixels` need neither weights nor a network; the others run models whose files
 * stand in a folder, through transformers.js (`@huggingface/transformers` or `@xenova/transformers`, whichever is installed), or ask a service.
 *
 * | name | encodes | options (default) | is |
 * |---|---|---|---|
 * | `hash` | text | dim (512), ngramMin (3), ngramMax (5) | spelling: {@link hashEncoder} |
 * | `pixels` | images | – | colours and edges in place: {@link pixelsEncoder} |
 * | `minilm` | text | models ("models"), model, pooling ("mean"), dtype ("fp32"), package, fetch (false) … | all-MiniLM-L6-v2, 384 numbers |
 * | `bge` | text | the same, pooling ("cls") | bge-small-en-v1.5, 384 numbers |
 * | `transformers:MODEL` | text | the same, pooling ("mean") | any sentence encoder |
 * | `clip`, `clip-image` | text, images | models, model, dtype, package, fetch | CLIP ViT-B/32, 512 numbers in one space |
 * | `openai:MODEL` | text | baseUrl, keyName ("OPENAI_API_KEY"), dimensions, batch (64), retries (4) | a service that speaks OpenAI's protocol |
 *
 * A function `(items) => vectors` with {@link OwnEncoder} is an encoder too; rows are scaled to length 1, and those as it gives them are `encodeRaw`'s.
 * Nothing is fetched unless `fetch` says so. `revision` holds a hash of the model's files. A model with reference vectors (`minilm`) is compared with them.
 *
 * Errors: unknown name, option or value; a package or file that is missing (with the command, or the files); vectors that are not those of the reference.
 *
 * @example
 * const e = await encoder("hash", { dim: 64 });
 * (await e.encode(["red fox", "Red foxes"])).length; // 128
 * @example
 * const mine = await encoder((texts) => texts.map((t) => [t.length, 1]), { name: "length", revision: "1", modality: "text", dim: 2 });
 * (await mine.encode(["abc"]))[0]; // 0.9486833
 */
export function encoder<N extends EncoderName>(
  name: N,
  options?: Readonly<Record<string, unknown>>,
): Promise<Encoder<Encodes<N>>>;
export function encoder(name: string, options?: Readonly<Record<string, unknown>>): Promise<Encoder>;
export function encoder<T extends string | Image>(encode: Encode<T>, about: OwnEncoder): Promise<Encoder<T>>;
export async function encoder(
  given: string | Encode<never>,
  options: Readonly<Record<string, unknown>> | OwnEncoder = {},
): Promise<Encoder> {
  if (typeof given === "function") return own(given, options as OwnEncoder) as unknown as Encoder;
  const entry = entryOf(given);
  if (!entry) throw unknownName("encoder", "encoder", given, [...encoderNames(), ...encoderForms()]);
  const place = `encoder(${JSON.stringify(given)})`;
  const resolved = resolveOptions(place, entry.options, options as Readonly<Record<string, unknown>>);
  const made = (await entry.load(resolved, given)) as unknown as Encoder;
  await checkReference(place, given, resolved, made);
  return made;
}

function own(encode: Encode<never>, about: OwnEncoder): Encoder<never> {
  const place = "encoder";
  refuseUnknown(place, about, ["name", "revision", "modality", "dim", "space"], "field");
  const { name, revision, modality, dim, space } = about;
  for (const [field, value] of Object.entries({ name, revision }))
    if (typeof value !== "string" || value === "")
      throw new MkgError(
        place,
        `${field} of a function is not a non-empty string (${quote(value)})`,
        "",
        `Give it a ${field}`,
      );
  if (modality !== "text" && modality !== "image")
    throw unknownName(place, "modality", String(modality), ["text", "image"]);
  if (!Number.isSafeInteger(dim) || dim < 1) throw new MkgError(place, `dim is not a positive integer (${quote(dim)})`);
  const encodeRaw = async (items: readonly never[]): Promise<Float32Array> => {
    const rows = await encode(items);
    if (rows instanceof Float32Array && rows.length === items.length * dim) return rows;
    const list = Array.isArray(rows) ? (rows as readonly ArrayLike<number>[]) : [];
    if (list.length !== items.length || list.some((row) => row?.length !== dim))
      throw new MkgError(
        place,
        `${name} returned another shape (${quote(rows instanceof Float32Array ? `${rows.length} numbers` : list.map((row) => row?.length))})`,
        `${items.length} rows of ${dim} numbers`,
      );
    const out = new Float32Array(items.length * dim);
    list.forEach((row, i) => {
      out.set(row, i * dim);
    });
    return out;
  };
  return Object.freeze({
    name,
    revision,
    modality,
    dim,
    ...(space === undefined ? {} : { space }),
    encodeRaw,
    async encode(items: readonly never[]): Promise<Float32Array> {
      const out = new Float32Array(await encodeRaw(items));
      for (let i = 0; i < items.length; i++) {
        const row = out.subarray(i * dim, (i + 1) * dim);
        const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
        // a number that is not finite is for `embed` to name
        if (length > 0) for (let j = 0; j < dim; j++) row[j] = (row[j] as number) / length;
      }
      return out;
    },
  });
}
