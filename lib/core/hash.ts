import { createHash } from "node:crypto";
import { MkgError } from "./errors.js";

/**
 * JSON with sorted keys, so that equal values give equal text whatever their key order.
 * Refuses what JSON would change silently: NaN, infinities, functions, symbols, bigint.
 */
export function stableStringify(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new MkgError("stableStringify", `a number that JSON cannot hold (${value})`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((v) => stableStringify(v === undefined ? null : v)).join(",")}]`;
  if (typeof value === "object") {
    const record = value as Record<string, unknown>;
    const keys = Object.keys(record)
      .filter((k) => record[k] !== undefined)
      .sort();
    return `{${keys.map((k) => `${JSON.stringify(k)}:${stableStringify(record[k])}`).join(",")}}`;
  }
  throw new MkgError("stableStringify", `a value that JSON cannot hold (${typeof value})`);
}

/** SHA-256 of bytes or text, as hexadecimal. */
export const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/** The first 16 hexadecimal digits of the SHA-256 of a value's stable JSON: equal values, equal hash, on any machine. */
export const stableHash = (value: unknown): string => sha256(stableStringify(value)).slice(0, 16);
