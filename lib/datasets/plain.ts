import { MkgError, quote } from "../core/index.js";

/** A deeply frozen copy of plain data (JSON values); anything else is refused, since it could carry what must not travel. */
export function plainCopy<T>(place: string, what: string, value: T): T {
  return copy(place, what, value) as T;
}

/** Levels that data may be nested: more is a fault of whatever wrote it, and would end the program. */
const deepest = 200;

function copy(place: string, what: string, value: unknown, depth = 0): unknown {
  if (depth > deepest)
    throw new MkgError(place, `${what.slice(0, 40)}… is nested too deeply`, `At most ${deepest} levels`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item, i) => copy(place, `${what}[${i}]`, item, depth + 1)));
  if (
    typeof value === "object" &&
    (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)
  ) {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined);
    return Object.freeze(
      Object.fromEntries(entries.map(([key, v]) => [key, copy(place, `${what}.${key}`, v, depth + 1)])),
    );
  }
  throw new MkgError(
    place,
    `${what} is not plain data (${quote(value)})`,
    "Strings, finite numbers, booleans, null, arrays and objects of these",
  );
}
