import { nearest, type OptionSpec, oneOf, quote } from "../../core/index.js";
import { isEncoder } from "../is-encoder.js";
import type { Encoder, Folders } from "../types.js";
import { encoder, encoderForms, encoderNames, encoderOptions, isEncoderName } from "./table.js";

/** An option that is an encoder: a name that {@link encoder} takes, of that modality, or an encoder itself. */
export function encoderOption(
  modality: "text" | "image",
  spec: { readonly default: string; readonly doc: string },
): OptionSpec {
  const names = [...encoderNames(modality), ...(modality === "text" ? encoderForms() : [])];
  return {
    ...oneOf(names, spec),
    allowed: `one of ${names.map((name) => quote(name)).join(", ")}, or an encoder of ${modality === "text" ? "texts" : "pictures"}`,
    check: (value) => isEncoderName(value, modality) || (isEncoder(value) && value.modality === modality),
    meant: (value) => {
      const near = typeof value === "string" ? nearest(value, names) : undefined;
      return near === undefined ? "" : `Did you mean ${quote(near)}?`;
    },
  };
}

/** The encoder that such an option means; one that has model files looks for them where `folders` says. `options` hold for the encoder of that name. */
export async function openEncoder(
  value: unknown,
  folders?: Folders,
  options: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Promise<Encoder> {
  if (isEncoder(value)) return value;
  const name = value as string;
  const models = folders?.models;
  return encoder(name, {
    ...(models !== undefined && Object.hasOwn(encoderOptions(name), "models") ? { models } : {}),
    ...options[name],
  });
}
