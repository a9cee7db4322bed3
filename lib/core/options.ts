import { MkgError, nearest, quote, unknownName } from "./errors.js";

/** One option of a part: meaning, allowed values, default. Tables of parts declare theirs, and an unknown key is an error. */
export interface OptionSpec {
  readonly doc: string;
  readonly default: unknown;
  readonly allowed: string;
  readonly check: (value: unknown) => boolean;
  /** What was probably meant by a wrong value, as a sentence; "" when nothing is near. */
  readonly meant?: (value: unknown) => string;
}
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export const integer = (spec: { min?: number; max?: number; default: number | null; doc: string }): OptionSpec => {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = spec;
  const range =
    spec.min !== undefined && spec.max !== undefined
      ? ` from ${min} to ${max}`
      : spec.min !== undefined
        ? ` ≥ ${min}`
        : "";
  return {
    doc: spec.doc,
    default: spec.default,
    allowed: `an integer${range}`,
    check: (v) => Number.isSafeInteger(v) && (v as number) >= min && (v as number) <= max,
  };
};

export const real = (spec: { min?: number; max?: number; default: number; doc: string }): OptionSpec => {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = spec;
  return {
    doc: spec.doc,
    default: spec.default,
    allowed: `a finite number from ${min} to ${max}`,
    check: (v) => typeof v === "number" && Number.isFinite(v) && v >= min && v <= max,
  };
};

export const oneOf = (
  values: readonly (string | number)[],
  spec: { default: string | number; doc: string },
): OptionSpec => ({
  ...spec,
  allowed: `one of ${values.map((v) => quote(v)).join(", ")}`,
  check: (v) => values.includes(v as string),
});

/**
 * The form among `forms` that a value has: `all` is `all`; `uniform:4` is `uniform:n` with n = 4. n is an integer ≥ 1 in its shortest writing, so
 * that one level has one name.
 */
export function matchForm(forms: readonly string[], value: unknown): { form: string; n: number } | undefined {
  if (typeof value !== "string") return undefined;
  const [head, digits] = splitForm(value);
  const form = digits === undefined ? head : `${head}:n`;
  if (!forms.includes(form)) return undefined;
  if (digits === undefined) return { form, n: 0 };
  const n = Number(digits);
  return /^[1-9]\d*$/.test(digits) && Number.isSafeInteger(n) ? { form, n } : undefined;
}

function splitForm(text: string): [head: string, digits: string | undefined] {
  const at = text.indexOf(":");
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The value that was probably meant by one that has none of the forms; undefined when none is near. */
export function nearestForm(forms: readonly string[], value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const [head, digits = ""] = splitForm(value);
  const heads = forms.map((form) => splitForm(form)[0]);
  const meant = nearest(head, heads);
  if (meant === undefined) return undefined;
  if (forms.includes(meant)) return meant;
  return `${meant}:${matchForm(forms, `${meant}:${digits}`)?.n ?? 4}`;
}

/** One of several names, of which those written `name:n` take a number: `uniform:4`. */
export const oneOfForms = (forms: readonly string[], spec: { default: string; doc: string }): OptionSpec => ({
  ...spec,
  allowed: `one of ${forms.map((form) => quote(form)).join(", ")}, n an integer ≥ 1`,
  check: (value) => matchForm(forms, value) !== undefined,
  meant: (value) => {
    const near = nearestForm(forms, value);
    return near === undefined ? "" : `Did you mean ${quote(near)}?`;
  },
});

export const flag = (spec: { default: boolean; doc: string }): OptionSpec => ({
  ...spec,
  allowed: "true or false",
  check: (v) => typeof v === "boolean",
});

export const textOption = (spec: { default: string; doc: string }): OptionSpec => ({
  ...spec,
  allowed: "a non-empty string",
  check: (v) => typeof v === "string" && v.length > 0,
});

/**
 * The given options over the declared defaults, checked. Keys in code-unit order, so that the result hashes the same
 * however it was written. An unknown key or a wrong value is an error that names what is allowed.
 */
export function resolveOptions(
  place: string,
  specs: OptionSpecs,
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  for (const key of Object.keys(given)) {
    if (!Object.hasOwn(specs, key)) {
      const known = Object.keys(specs);
      const meant = nearest(key, known);
      throw new MkgError(
        place,
        `unknown option (${quote(key)})`,
        `Options: ${known.join(", ") || "none"}`,
        meant ? `Did you mean ${quote(meant)}?` : "",
      );
    }
  }
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(specs).sort()) {
    const spec = specs[key] as OptionSpec;
    const value = given[key] ?? spec.default;
    if (given[key] !== undefined && !spec.check(given[key]))
      throw new MkgError(
        place,
        `option ${key} has a wrong value (${quote(given[key])})`,
        `It takes ${spec.allowed}`,
        spec.meant?.(given[key]),
      );
    out[key] = value;
  }
  return out;
}

/** Refuses what is not an object of known keys; undefined passes. `kind`: what a key is called in the message, such as `option` or `key of labels`. */
export function refuseUnknown(place: string, object: unknown, known: readonly string[], kind = "key"): void {
  if (object === undefined) return;
  if (typeof object !== "object" || object === null || Array.isArray(object))
    throw new MkgError(
      place,
      `not an object of ${kind.replace(/ (?=of |in )|$/, "s$&")} (${quote(object)})`,
      `Known: ${known.join(", ")}`,
    );
  for (const key of Object.keys(object)) if (!known.includes(key)) throw unknownName(place, kind, key, known);
}

/** A positive integer, or an error in the house form. */
export function positiveInteger(place: string, name: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 1)
    throw new MkgError(place, `${name} is not a positive integer (${quote(value)})`, "It takes an integer ≥ 1");
  return value as number;
}

/** Refuses what is not a string; undefined passes. */
export function checkString(place: string, name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "string")
    throw new MkgError(place, `${name} is not a string (${quote(value)})`);
}

/** Refuses what is neither true nor false; undefined passes. */
export function checkFlag(place: string, name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean")
    throw new MkgError(place, `${name} is not true or false (${quote(value)})`);
}
