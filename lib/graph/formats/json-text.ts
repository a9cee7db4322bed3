import { MkgError, quote } from "../../core/index.js";

/** Most levels of lists and objects in a cell; a file has up to three around its cells. What walks through cells may recurse. */
export const deepestCell = 200;
const deepest = deepestCell + 3;

/** Digits from which on an integer may be none that a double holds. */
const manyDigits = /\d{16}/;

/**
 * Parses JSON without losing anything: an integer beyond ±(2^53 − 1) becomes a bigint, since a double may hold only its neighbour, and a name that stands twice in one object is
 * an error instead of the last value. Any other number (with a fraction or an exponent) is the nearest double, as JSON's readers agree; one beyond the range of
 * doubles is an error, and so are more than 203 levels of objects and arrays. These come frozen. O(characters).
 *
 * @param where the file, and the line where there is one.
 */
export function parseJson(text: string, place: string, where: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    // the number of a single line stands in `where`
    const line = where.includes(", line ") ? "" : `, line ${lineOf(text, message)}`;
    throw new MkgError(place, `${where}${line}: not JSON (${message.replace(/\s+/g, " ")})`, "", "Mend it");
  }
  const { keys, finite, levels } = freeze(value);
  if (levels > deepest)
    throw new MkgError(place, `${where}: nested deeper than ${deepest} levels`, "", "Leave it out, or write it flat");
  const colons = count(text, /"\s*:/g, keys);
  if (finite && !manyDigits.test(text) && colons === keys) return value;
  const { repeated, infinite, unsafe } = scan(text);
  if (infinite !== undefined)
    throw new MkgError(
      place,
      `${where}: a number beyond the range of a double (${quote(infinite)})`,
      "Numbers up to 1.8e308, integers of any length",
      "Write it as a string",
    );
  if (repeated !== undefined)
    throw new MkgError(
      place,
      `${where}: the name ${JSON.stringify(repeated)} stands twice in one object`,
      "Distinct names: of two values one would be lost",
      "Remove or rename one of them",
    );
  if (unsafe.length === 0) return value;
  const exact = withBigints(text, unsafe);
  freeze(exact);
  return exact;
}

/** Longest text whose faulty line is searched for where the parser does not say the position. */
const searched = 2 ** 24;

/** The line, from 1, at which parsing failed: the parser's own position, or else the shortest beginning that fails other than by ending. */
function lineOf(text: string, message: string): number | string {
  const stated = /position (\d+)/.exec(message);
  let at = stated ? Number(stated[1]) : text.length;
  if (!stated && text.length > searched) return "unknown";
  if (!stated && !/end of JSON/.test(message)) {
    let fine = 0;
    while (at - fine > 1) {
      const middle = (fine + at) >> 1;
      if (failsWithin(text.slice(0, middle))) at = middle;
      else fine = middle;
    }
  }
  return text.slice(0, at).split("\n").length;
}

function failsWithin(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const { message } = error as Error;
    const stated = /position (\d+)/.exec(message);
    return !/end of JSON|Unterminated string/.test(message) && !(stated && Number(stated[1]) >= text.length);
  }
}

/** Freezes a value and all in it, with an explicit stack; gives the number of names in its objects, whether all its numbers are finite, and its levels. */
function freeze(value: unknown): { keys: number; finite: boolean; levels: number } {
  let keys = 0;
  let finite = true;
  let levels = 0;
  const stack: unknown[] = [value];
  // for each level that is open: how high the stack is once it is done
  const open: number[] = [];
  while (stack.length > 0) {
    const next = stack.pop();
    while (open.length > 0 && stack.length < open.at(-1)!) open.pop();
    if (typeof next === "number" && !Number.isFinite(next)) finite = false;
    if (typeof next !== "object" || next === null) continue;
    open.push(stack.length);
    levels = Math.max(levels, open.length);
    if (Array.isArray(next)) for (const item of next) stack.push(item);
    else
      for (const key of Object.keys(next)) {
        keys++;
        stack.push((next as Record<string, unknown>)[key]);
      }
    Object.freeze(next);
  }
  return { keys, finite, levels };
}

/** Matches, counted no further than one beyond `enough`. */
function count(text: string, what: RegExp, enough: number): number {
  let n = 0;
  while (n <= enough && what.exec(text)) n++;
  return n;
}

/** The tokens of valid JSON that {@link parseJson} looks for: a name that is repeated, a number that is infinite as a double, and where integers stand that a double does not hold. */
function scan(text: string): {
  repeated?: string;
  infinite?: string;
  unsafe: readonly (readonly [number, number])[];
} {
  const unsafe: [number, number][] = [];
  const names: (Set<string> | undefined)[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x7b) names.push(new Set());
    else if (char === 0x5b) names.push(undefined);
    else if (char === 0x7d || char === 0x5d) names.pop();
    else if (char === 0x22) {
      const start = i++;
      while (text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1;
      const own = names.at(-1);
      if (!own || !followedByColon(text, i + 1)) continue;
      const name = JSON.parse(text.slice(start, i + 1)) as string;
      if (own.has(name)) return { repeated: name, unsafe };
      own.add(name);
    } else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      const start = i;
      while (/[\d.eE+-]/.test(text[i + 1] ?? "")) i++;
      const token = text.slice(start, i + 1);
      if (/^-?\d+$/.test(token)) {
        if (!Number.isSafeInteger(Number(token))) unsafe.push([start, i + 1]);
      } else if (!Number.isFinite(Number(token))) return { infinite: token, unsafe };
    }
  }
  return { unsafe };
}

function followedByColon(text: string, from: number): boolean {
  let i = from;
  while (/\s/.test(text[i] ?? "")) i++;
  return text[i] === ":";
}

/** Parses again, each unsafe integer standing as a string that begins with a mark that the text does not hold. */
function withBigints(text: string, unsafe: readonly (readonly [number, number])[]): unknown {
  let mark = "bigint:";
  while (text.includes(mark)) mark += ":";
  let marked = "";
  let at = 0;
  for (const [start, end] of unsafe) {
    marked += `${text.slice(at, start)}"${mark}${text.slice(start, end)}"`;
    at = end;
  }
  return JSON.parse(marked + text.slice(at), (_, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}
