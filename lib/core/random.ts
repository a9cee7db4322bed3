import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plusFromState } from "pure-rand/generator/xoroshiro128plus";
import { MkgError } from "./errors.js";
import { sha256, stableStringify } from "./hash.js";

/** A stream of random numbers that depends on its seed alone. */
export interface Random {
  /** Uniform in [0, 1), 32 bits of resolution. */
  float(): number;
  /** Uniform integer in [0, n). */
  int(n: number): number;
  /** One item, uniformly; the list must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[];
  /** `k` distinct items in random order; all of them when k ≥ length. O(k) time and memory for k ≪ length. */
  sample<T>(items: readonly T[], k: number): T[];
}

/**
 * A generator seeded by any JSON values, for example `random(seed, question.id)`: streams for different
 * questions are independent of each other and of the order in which they are used.
 * xoroshiro128+ (Blackman & Vigna 2018, arXiv 1805.01407), seeded from a SHA-256.
 */
export function random(...seed: unknown[]): Random {
  const digest = sha256(stableStringify(seed));
  const generator = xoroshiro128plusFromState(
    [0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16) | 0) as [number, number, number, number],
  );
  const int = (n: number) => {
    if (!Number.isSafeInteger(n) || n < 1) throw new MkgError("random.int", `not a positive integer (${n})`);
    return n === 1 ? 0 : uniformInt(generator, 0, n - 1);
  };
  const sample = <T>(items: readonly T[], k: number): T[] => {
    const n = items.length;
    const count = Math.min(Math.max(0, k), n);
    // Fisher–Yates on a sparse copy: only the touched positions are stored
    const moved = new Map<number, number>();
    const out: T[] = [];
    for (let i = 0; i < count; i++) {
      const j = i + int(n - i);
      out.push(items[moved.get(j) ?? j] as T);
      moved.set(j, moved.get(i) ?? i);
    }
    return out;
  };
  return {
    float: () => uniformInt(generator, 0, 0xffffffff) / 0x100000000,
    int,
    pick: (items) => {
      if (items.length === 0) throw new MkgError("random.pick", "an empty list");
      return items[int(items.length)] as never;
    },
    shuffle: (items) => sample(items, items.length),
    sample,
  };
}
