import { closest, distance } from "fastest-levenshtein";

/**
 * Every error a user can cause. The message reads
 * `place: what is wrong (the value). What is allowed. What to do.`
 */
export class MkgError extends Error {
  override readonly name: string = "MkgError";
  constructor(
    readonly place: string,
    readonly problem: string,
    readonly allowed = "",
    readonly remedy = "",
  ) {
    super(`${place}: ${[problem, allowed, remedy].filter(Boolean).map(sentence).join(" ")}`);
  }
}

/** Something is missing on this machine; the remedy holds the command that mends it. Shown without a stack. */
export class SetupError extends MkgError {
  override readonly name = "SetupError";
}

const sentence = (text: string) => (/[.!?:\n]$/.test(text) ? text : `${text}.`);

/** A value as it stands in an error message: quoted, one line, at most 80 characters. */
export function quote(value: unknown): string {
  let text: string;
  if (typeof value === "string") text = JSON.stringify(value);
  else if (typeof value === "function") text = `function ${value.name || "(anonymous)"}`;
  else if (typeof value === "number" || typeof value === "bigint" || value === undefined) text = String(value);
  else {
    try {
      text = JSON.stringify(value) ?? String(value);
    } catch {
      text = Object.prototype.toString.call(value);
    }
  }
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** The known name nearest to `name`, if it is near enough to have been meant. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  const known = [...names];
  if (known.length === 0) return undefined;
  const folded = name.toLowerCase();
  const same = known.find((k) => k.toLowerCase() === folded);
  if (same) return same;
  const best = closest(name, known);
  // half of a short name may be wrong (two letters swapped in `bm25` are two edits), a third of a long one
  const most = Math.floor(best.length / (best.length <= 5 ? 2 : 3));
  return distance(folded, best.toLowerCase()) <= Math.max(1, most) ? best : undefined;
}

/** The error for a name that is not in a table; `names` is computed from the table. */
export function unknownName(place: string, kind: string, name: unknown, names: Iterable<string>): MkgError {
  const known = [...names];
  const meant = typeof name === "string" ? nearest(name, known) : undefined;
  const shown = known.length > 40 ? `${known.slice(0, 40).join(", ")}, … (${known.length})` : known.join(", ");
  return new MkgError(
    place,
    `unknown ${kind} (${quote(name)})`,
    `Known: ${shown || "none"}`,
    meant ? `Did you mean ${quote(meant)}?` : "",
  );
}

/** What a thrown value says, in one line; code may throw anything, `undefined` included. */
export const errorText = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : `threw ${quote(error)}`).replace(/\s+/g, " ");
