import { MkgError, quote, unknownName } from "../core/index.js";
import { answerMeasures } from "./answer.js";
import { captionMeasures } from "./captions.js";
import {
  checkSpec,
  type Measure,
  type MeasureEntry,
  type MeasureInputs,
  type MeasureSpec,
  makeMeasure,
} from "./measure.js";
import { pathMeasures } from "./path.js";
import { rankingMeasures } from "./ranking.js";

type AnyEntry = { readonly [N in keyof MeasureInputs]: MeasureEntry<N> }[keyof MeasureInputs];
const entries: readonly AnyEntry[] = [...rankingMeasures, ...pathMeasures, ...answerMeasures, ...captionMeasures];

const byName: ReadonlyMap<string, AnyEntry> = new Map(entries.map((entry) => [entry.name, entry]));

/**
 * Names of the built-in measures, computed from the table, `k` standing for a cut-off.
 *
 * @example
 * measureNames().slice(0, 5);
 * // [ "nDCG", "nDCG@k", "nDCG(gain=exp)", "nDCG(gain=exp)@k", "P@k" ]
 */
export function measureNames(): string[] {
  return entries.flatMap((entry) => {
    const variants = Object.entries(entry.params ?? {}).flatMap(([key, values]) =>
      values.slice(1).map((value) => `(${key}=${value})`),
    );
    const cuts = entry.cutoff === "none" ? [""] : entry.cutoff === "required" ? ["@k"] : ["", "@k"];
    return ["", ...variants].flatMap((variant) => cuts.map((cut) => `${entry.name}${variant}${cut}`));
  });
}

/** A line of {@link measureTable}. */
export interface MeasureRow {
  /** As it is written, `k` standing for a cut-off. */
  readonly name: string;
  readonly doc: string;
  readonly needs: keyof MeasureInputs;
  /** Authors, year, DOI, or the trec_eval measure that it equals. */
  readonly citation: string;
}

/**
 * The built-in measures with their meaning and source. All lie in 0 … 1, higher is better.
 *
 * @example
 * measureTable().find(({ name }) => name === "P@k")?.citation; // "trec_eval P"
 */
export const measureTable = (): MeasureRow[] =>
  measureNames().map((name) => {
    const { doc, needs, citation } = byName.get(/^[^@()]+/.exec(name)?.[0] as string) as AnyEntry;
    return { name, doc, needs, citation };
  });

/**
 * The measure of a printed name: `name`, `name@k`, `name(parameter=value)@k`. Its `name` is the canonical form, which
 * parses back to the same measure; a parameter at its default is left out.
 *
 * @throws MkgError for an unknown name, with the nearest one; for a missing or wrong cut-off or parameter.
 * @example
 * parseMeasure("nDCG(gain=linear)@10").name;
 * // "nDCG@10"
 */
export function parseMeasure(text: string): Measure {
  const place = "parseMeasure";
  const parts = typeof text === "string" ? /^([^@()]+)(?:\(([^()]*)\))?(?:@(.*))?$/s.exec(text) : null;
  const entry = parts ? byName.get(parts[1] as string) : undefined;
  if (!parts || !entry) {
    // with the cut-off that was asked for, so that the name meant can be told
    const cutoff = typeof text === "string" ? /@\d+$/.exec(text)?.[0] : undefined;
    throw unknownName(
      place,
      "measure",
      text,
      cutoff ? measureNames().map((name) => name.replace("@k", cutoff)) : measureNames(),
    );
  }
  const params = parseParams(place, text, entry, parts[2]);
  const k = parseCutoff(place, text, entry, parts[3]);
  const printed = Object.entries(entry.params ?? {})
    .filter(([key, values]) => params[key] !== values[0])
    .map(([key]) => `${key}=${params[key]}`);
  const name = `${entry.name}${printed.length > 0 ? `(${printed.join(",")})` : ""}${Number.isFinite(k) ? `@${k}` : ""}`;
  const compute = entry.compute as (
    input: unknown,
    options: { k: number; params: Readonly<Record<string, string>> },
  ) => number | null;
  return makeMeasure({
    name,
    range: [0, 1],
    needs: entry.needs,
    gold: entry.gold ?? true,
    compute: (input) => compute(input, { k, params }),
  });
}

function parseParams(place: string, text: string, entry: AnyEntry, given: string | undefined): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [key, values] of Object.entries(entry.params ?? {})) params[key] = values[0] as string;
  if (given === undefined) return params;
  for (const part of given.split(",")) {
    const [key = "", value = "", ...more] = part.split("=");
    const allowed = Object.hasOwn(params, key) ? entry.params?.[key] : undefined;
    if (!allowed) throw unknownName(place, `parameter of ${entry.name}`, key, Object.keys(params));
    if (more.length > 0 || !allowed.includes(value))
      throw new MkgError(
        place,
        `${entry.name} has a wrong ${key} (${quote(text)})`,
        `It takes ${allowed.join(" or ")}`,
      );
    params[key] = value;
  }
  return params;
}

function parseCutoff(place: string, text: string, entry: AnyEntry, given: string | undefined): number {
  if (given === undefined) {
    if (entry.cutoff === "required")
      throw new MkgError(
        place,
        `${entry.name} needs a cut-off (${quote(text)})`,
        `${entry.name}@k with an integer k ≥ 1`,
        `For example ${entry.name}@10`,
      );
    return Number.POSITIVE_INFINITY;
  }
  if (entry.cutoff === "none")
    throw new MkgError(place, `${entry.name} takes no cut-off (${quote(text)})`, "", `Write ${entry.name}`);
  if (!/^[1-9]\d*$/.test(given) || !Number.isSafeInteger(Number(given)))
    throw new MkgError(
      place,
      `the cut-off is not a positive integer (${quote(text)})`,
      `${entry.name}@k with an integer k ≥ 1`,
      `For example ${entry.name}@10`,
    );
  return Number(given);
}

/**
 * A measure of one's own, to be given to `score` beside or instead of names.
 *
 * @param spec `name` as printed; `range` [least, greatest]; `needs` "ranking" (ids best first against grades),
 *   "paths" (entity-id paths against gold paths) or "answer" (text, null when abstained, against accepted answers);
 *   `gold: false` when nothing known to be right is looked at; `compute` the value for one question, null where undefined.
 * @throws MkgError for a wrong field, or a name that the built-in table gives to another measure.
 * @example
 * const length = defineMeasure({
 *   name: "Words", range: [0, Infinity], needs: "answer", gold: false,
 *   compute: ({ text }) => (text === null ? null : text.split(" ").length),
 * });
 * (await score(run, dataset, ["EM", length])).print();
 */
export function defineMeasure<N extends keyof MeasureInputs>(spec: MeasureSpec<N>): Measure {
  checkSpec(spec as unknown as MeasureSpec<keyof MeasureInputs>);
  const base = /^[^@()]+/.exec(spec.name)?.[0] ?? "";
  if (byName.has(base))
    throw new MkgError(
      "defineMeasure",
      `the name belongs to a built-in measure (${quote(spec.name)})`,
      "",
      "Take another name",
    );
  return makeMeasure(spec);
}

/** A measure by name, or as it is. */
const toMeasure = (measure: string | Measure): Measure =>
  typeof measure === "string" ? parseMeasure(measure) : measure;

/**
 * Several measures by name or as they are, in order.
 *
 * @throws MkgError when none is given or a name comes twice.
 */
export function toMeasures(place: string, measures: readonly (string | Measure)[]): Measure[] {
  if (!Array.isArray(measures) || measures.length === 0)
    throw new MkgError(
      place,
      `no measures (${quote(measures)})`,
      `Known: ${measureNames().join(", ")}`,
      "Give a list of names",
    );
  const out = measures.map(toMeasure);
  out.forEach((measure, i) => {
    if (out.findIndex((other) => other.name === measure.name) !== i)
      throw new MkgError(place, `a measure is given twice (${quote(measure.name)})`, "Distinct names");
  });
  return out;
}

/**
 * What a measure looks at: "ranking", "paths" or "answer".
 *
 * @example
 * measureNeeds("EM");
 * // "answer"
 */
export const measureNeeds = (measure: string | Measure): keyof MeasureInputs => toMeasure(measure).needs;
