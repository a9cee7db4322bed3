import type { Adjacency } from "./adjacency.js";
import type { LoadReport } from "./types.js";

export type Notice = LoadReport["notices"][number];

/** Counts occurrences of one kind and keeps the first five as examples. */
export class Noticing {
  private readonly kinds = new Map<string, { count: number; examples: string[] }>();

  add(what: string, example: string): void {
    let kind = this.kinds.get(what);
    if (!kind) {
      kind = { count: 0, examples: [] };
      this.kinds.set(what, kind);
    }
    kind.count++;
    if (kind.examples.length < 5) kind.examples.push(example);
  }

  list(): Notice[] {
    return [...this.kinds].map(([what, { count, examples }]) =>
      Object.freeze({ what, count, examples: Object.freeze(examples) }),
    );
  }
}

/** Rows of triples that repeat an earlier one in head, relation, tail and condition. O(triples) time, memory of the largest degree. */
export function duplicateRows(
  out: Adjacency,
  relation: Int32Array,
  tail: Int32Array,
  condition: readonly string[],
): number[] {
  const rows: number[] = [];
  const seen = new Set<string>();
  for (let e = 0; e + 1 < out.start.length; e++) {
    const from = out.start[e]!;
    const to = out.start[e + 1]!;
    if (to - from < 2) continue;
    seen.clear();
    for (let i = from; i < to; i++) {
      const t = out.items[i]!;
      const key = `${relation[t]} ${tail[t]} ${condition[t]}`;
      if (seen.has(key)) rows.push(t);
      else seen.add(key);
    }
  }
  return rows.sort((a, b) => a - b);
}
