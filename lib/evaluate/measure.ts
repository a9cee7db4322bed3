import { MkgError, quote } from "../core/index.js";

/** A ranking of document ids, best first, against graded relevance: an id that is not in `grades` is not relevant. */
export interface RankingInput {
  /** Distinct ids: a repeat has been removed, and what came below it has moved up. */
  readonly ranking: readonly string[];
  readonly grades: ReadonlyMap<string, number>;
}

/** Paths found against gold paths, both lists of entity ids. */
export interface PathInput {
  /** As retrieved, best first; repeats are kept. */
  readonly paths: readonly (readonly string[])[];
  readonly gold: readonly (readonly string[])[];
}

/** An answer against the accepted answers; `text` is null when the reader abstained. */
export interface AnswerInput {
  readonly text: string | null;
  readonly accepted: readonly string[];
}

/** What a measure may look at, by the word in its `needs`. */
export interface MeasureInputs {
  readonly ranking: RankingInput;
  readonly paths: PathInput;
  readonly answer: AnswerInput;
}

export interface MeasureSpec<N extends keyof MeasureInputs> {
  /** As printed in score rows. */
  readonly name: string;
  /** Least and greatest value that `compute` can return. */
  readonly range: readonly [number, number];
  readonly needs: N;
  /** Whether it compares with what is known to be right (default). False for one that looks at the output alone. */
  readonly gold?: boolean;
  /** The value for one question; null where the measure is undefined, which is not 0. */
  readonly compute: (input: MeasureInputs[N]) => number | null | Promise<number | null>;
}

/** A measure of one question: what it needs, its range, and how it is computed. Made by {@link defineMeasure} or by name. */
export type Measure = { readonly [N in keyof MeasureInputs]: Required<MeasureSpec<N>> }[keyof MeasureInputs];

/** The measure as data, without checks. */
export const makeMeasure = <N extends keyof MeasureInputs>(spec: MeasureSpec<N>): Measure =>
  Object.freeze({ gold: true, ...spec }) as unknown as Measure;

const kinds: Readonly<Record<keyof MeasureInputs, true>> = { ranking: true, paths: true, answer: true };

/** Refuses a specification that could not be computed, in the house form. */
export function checkSpec(spec: MeasureSpec<keyof MeasureInputs>): void {
  const place = "defineMeasure";
  if (typeof spec.name !== "string" || !/^\S(?:[^\r\n\t]*\S)?$/.test(spec.name))
    throw new MkgError(place, `name is not a name (${quote(spec.name)})`, "It takes one line of text");
  const [low, high] = Array.isArray(spec.range) ? spec.range : [];
  if (typeof low !== "number" || typeof high !== "number" || !(low < high))
    throw new MkgError(place, `${spec.name} has a wrong range (${quote(spec.range)})`, "It takes [least, greatest]");
  if (!Object.hasOwn(kinds, spec.needs))
    throw new MkgError(
      place,
      `${spec.name} has a wrong needs (${quote(spec.needs)})`,
      `It takes one of ${Object.keys(kinds).map(quote).join(", ")}`,
    );
  if (typeof spec.compute !== "function")
    throw new MkgError(
      place,
      `${spec.name} has no compute (${quote(spec.compute)})`,
      "It takes a function of one input",
    );
}

/** Computes and checks one value: a measure that returns no number, or one outside its range, is an error that names the question. */
export async function valueFor<N extends keyof MeasureInputs>(
  measure: Required<MeasureSpec<N>>,
  input: MeasureInputs[N],
  question: string,
): Promise<number | null> {
  const value = await measure.compute(input);
  if (value === null) return null;
  const [low, high] = measure.range;
  // rounding may carry a ratio past its bound by a few units in the last place
  if (typeof value !== "number" || !(value >= low - 1e-9 && value <= high + 1e-9))
    throw new MkgError(
      `measure ${measure.name}`,
      `a wrong value for question ${quote(question)} (${quote(value)})`,
      `A number from ${low} to ${high}, or null where it is undefined`,
    );
  return Math.min(high, Math.max(low, value));
}

/** One line of the table of measures: a family that a name such as `nDCG(gain=exp)@10` picks a member of. All have the range [0, 1]. */
export interface MeasureEntry<N extends keyof MeasureInputs> {
  readonly name: string;
  readonly doc: string;
  readonly citation: string;
  readonly needs: N;
  /** False when it needs nothing known to be right. */
  readonly gold?: boolean;
  /** Whether `@k` may follow the name. */
  readonly cutoff: "required" | "optional" | "none";
  /** Allowed values by parameter; the first is the default and is not printed. */
  readonly params?: Readonly<Record<string, readonly string[]>>;
  /** `k` is Infinity without a cut-off. */
  compute(
    input: MeasureInputs[N],
    options: { readonly k: number; readonly params: Readonly<Record<string, string>> },
  ): number | null;
}
