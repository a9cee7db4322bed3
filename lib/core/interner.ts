import { isUtf8 } from "node:buffer";
import { MkgError } from "./errors.js";

/** What {@link Interner.code} gives for bytes that are not UTF-8. */
export const notUtf8 = -2;

/** What a hash of bytes begins at; each byte `b` makes `Math.imul(hash ^ b, hashStep)` of it (FNV-1a; Fowler, Noll, Vo, RFC 9923). */
export const hashStart = 0x811c9dc5 | 0;
export const hashStep = 0x01000193;

/** Probes after which a key goes to an ordinary map: so many neighbours come by chance once in a very long while, and by design in a hostile file. */
const mostProbes = 48;

/**
 * Distinct byte strings and their codes, in order of first appearance. Each is decoded (strict UTF-8) once, when it is first met: of a million rows with two
 * hundred thousand names that is the difference between three million strings and two hundred thousand. Open addressing, linear probing; O(bytes).
 */
export class Interner {
  readonly values: string[] = [];
  #slots = new Int32Array(1 << 12).fill(-1);
  #hashes = new Int32Array(1 << 10);
  /** Where the bytes of each code begin in `#bytes`; one more at the end. */
  #starts = new Float64Array((1 << 10) + 1);
  #bytes = Buffer.allocUnsafeSlow(1 << 14);
  readonly #crowded = new Map<string, number>();

  constructor(private readonly place: string) {}

  /** @param hash of these bytes, as {@link hashStart} says. @param high whether one of them is above 127. */
  code(from: Buffer, start: number, end: number, hash: number, high: boolean): number {
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    let probes = 0;
    for (let code = this.#slots[slot]!; code >= 0; code = this.#slots[slot]!) {
      if (this.#hashes[code] === hash && this.#same(code, from, start, end)) return code;
      slot = (slot + 1) & mask;
      if (++probes === mostProbes) break;
    }
    const crowded = probes === mostProbes;
    let key = "";
    if (crowded || this.#crowded.size > 0) {
      key = from.toString("latin1", start, end);
      const known = this.#crowded.get(key);
      if (known !== undefined) return known;
    }
    if (high && !isUtf8(from.subarray(start, end))) return notUtf8;
    const code = this.#add(from, start, end, hash, high);
    if (crowded) this.#crowded.set(key, code);
    else {
      this.#slots[slot] = code;
      if (code * 2 > this.#slots.length) this.#grow();
    }
    return code;
  }

  /** The code of bytes whose hash is not known yet. */
  codeOf(from: Buffer, start = 0, end = from.length): number {
    let hash = hashStart;
    let high = 0;
    for (let i = start; i < end; i++) {
      hash = Math.imul(hash ^ from[i]!, hashStep);
      high |= from[i]!;
    }
    return this.code(from, start, end, hash, high > 127);
  }

  #same(code: number, from: Buffer, start: number, end: number): boolean {
    const at = this.#starts[code]!;
    const length = end - start;
    if (this.#starts[code + 1]! - at !== length) return false;
    const own = this.#bytes;
    if (length > 64) return from.compare(own, at, at + length, start, end) === 0;
    for (let i = 0; i < length; i++) if (own[at + i] !== from[start + i]) return false;
    return true;
  }

  #add(from: Buffer, start: number, end: number, hash: number, high: boolean): number {
    const code = this.values.push(from.toString(high ? "utf8" : "latin1", start, end)) - 1;
    if (code === this.#hashes.length) {
      this.#hashes = widened(this.#hashes, new Int32Array(code * 2));
      this.#starts = widened(this.#starts, new Float64Array(code * 2 + 1));
    }
    const at = this.#starts[code]!;
    const to = at + end - start;
    if (to > this.#bytes.length) {
      // doubling until it is large, then by a quarter: the last doubling of gigabytes would fail where the text itself fits
      const more = Math.max(to, Math.floor(this.#bytes.length * (this.#bytes.length < 2 ** 28 ? 2 : 1.25)));
      if (to > 2 ** 32 - 1)
        throw new MkgError(
          this.place,
          "the table holds more than 4 GiB of distinct text",
          "",
          "Split it, or leave out long columns",
        );
      this.#bytes = widened(this.#bytes, Buffer.allocUnsafeSlow(Math.min(more, 2 ** 32 - 1)));
    }
    this.#bytes.set(from.subarray(start, end), at);
    this.#hashes[code] = hash;
    this.#starts[code + 1] = to;
    return code;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = slots.length - 1;
    for (const code of this.#slots) {
      if (code < 0) continue;
      const hash = this.#hashes[code]!;
      let slot = (hash ^ (hash >>> 15)) & mask;
      let probes = 0;
      while (slots[slot]! >= 0 && ++probes < mostProbes) slot = (slot + 1) & mask;
      if (probes < mostProbes) slots[slot] = code;
      else this.#crowded.set(this.#key(code), code);
    }
    this.#slots = slots;
  }

  #key(code: number): string {
    return this.#bytes.toString("latin1", this.#starts[code]!, this.#starts[code + 1]!);
  }
}

function widened<T extends Int32Array | Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from as never);
  return to;
}
