import { type Image, type OptionSpecs, resolveOptions, unknownName } from "../core/index.js";
import { hashEncoder, hashOptions } from "./hash.js";
import { pixelsEncoder } from "./pixels.js";
import type { Encoder } from "./types.js";

/** An entry of the table of encoders. */
interface EncoderEntry<T extends string | Image> {
  readonly modality: "text" | "image";
  readonly citation: string;
  readonly options: OptionSpecs;
  load(options: Readonly<Record<string, unknown>>): Encoder<T> | Promise<Encoder<T>>;
}

const encoders = {
  hash: {
    modality: "text",
    citation: "Weinberger et al. 2009, Feature hashing for large scale multitask learning, arXiv 0902.2206",
    options: hashOptions,
    load: hashEncoder,
  } satisfies EncoderEntry<string>,
  pixels: {
    modality: "image",
    citation: "Dalal & Triggs 2005, Histograms of oriented gradients for human detection, doi 10.1109/CVPR.2005.177",
    options: {},
    load: pixelsEncoder,
  } satisfies EncoderEntry<Image>,
};

export type EncoderName = keyof typeof encoders;
type Encodes<N extends EncoderName> = (typeof encoders)[N] extends EncoderEntry<infer T> ? T : never;

/** The names that {@link encoder} takes, in code-unit order; with a modality, only those of it. */
export const encoderNames = (modality?: "text" | "image"): string[] =>
  Object.keys(encoders)
    .filter((name) => !modality || encoders[name as EncoderName].modality === modality)
    .sort();

/** Whether a value is an encoder: what {@link encoder} returns, or one of a user's own. */
export const isEncoder = (value: unknown): value is Encoder =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Encoder).name === "string" &&
  typeof (value as Encoder).revision === "string" &&
  typeof (value as Encoder).encode === "function" &&
  ["text", "image"].includes((value as Encoder).modality) &&
  Number.isSafeInteger((value as Encoder).dim) &&
  (value as Encoder).dim > 0;

/**
 * The encoder of that name; none of these needs weights or a network.
 *
 * | name | encodes | options (default) | sees |
 * |---|---|---|---|
 * | `hash` | text | dim (512), ngramMin (3), ngramMax (5) | spelling: {@link hashEncoder} |
 * | `pixels` | images | – | colours and edges in place: {@link pixelsEncoder} |
 *
 * Errors: unknown name, option or value.
 *
 * @example
 * const e = await encoder("hash", { dim: 64 });
 * (await e.encode(["red fox", "Red foxes"])).length; // 128
 */
export function encoder<N extends EncoderName>(
  name: N,
  options?: Readonly<Record<string, unknown>>,
): Promise<Encoder<Encodes<N>>>;
export function encoder(name: string, options?: Readonly<Record<string, unknown>>): Promise<Encoder>;
export async function encoder(name: string, options: Readonly<Record<string, unknown>> = {}): Promise<Encoder> {
  if (!Object.hasOwn(encoders, name)) throw unknownName("encoder", "encoder", name, encoderNames());
  const entry = encoders[name as EncoderName];
  return (await entry.load(resolveOptions(`encoder(${JSON.stringify(name)})`, entry.options, options))) as Encoder;
}
