import type { Notice } from "./types.js";

export type { Notice };

/** Counts occurrences of one kind and keeps the first five as examples. */
export class Noticing {
  private readonly kinds = new Map<string, { count: number; examples: string[] }>();

  add(what: string, example: string, times = 1): void {
    let kind = this.kinds.get(what);
    if (!kind) {
      kind = { count: 0, examples: [] };
      this.kinds.set(what, kind);
    }
    kind.count += times;
    if (kind.examples.length < 5) kind.examples.push(example);
  }

  /** Notices made elsewhere, counts added up. */
  merge(notices: readonly Notice[]): void {
    for (const { what, count, examples } of notices) {
      const [first = "", ...more] = examples;
      this.add(what, first, count - more.length);
      for (const example of more) this.add(what, example);
    }
  }

  list(): Notice[] {
    return [...this.kinds].map(([what, { count, examples }]) =>
      Object.freeze({ what, count, examples: Object.freeze(examples) }),
    );
  }
}

/**
 * Rows of triples that repeat an earlier one in head, relation, tail and condition (codes: equal text, equal code), ascending. Open addressing over
 * row numbers: O(triples) expected time, 8 bytes a triple while it runs.
 */
export function duplicateRows(
  head: Int32Array,
  relation: Int32Array,
  tail: Int32Array,
  condition: Int32Array,
): number[] {
  const rows: number[] = [];
  let size = 16;
  while (size < head.length * 2) size *= 2;
  const slots = new Int32Array(size).fill(-1);
  for (let t = 0; t < head.length; t++) {
    const h = head[t]!;
    const r = relation[t]!;
    const e = tail[t]!;
    const c = condition[t]!;
    let hash =
      Math.imul(h, 0x9e3779b1) ^ Math.imul(e, 0x85ebca6b) ^ Math.imul(r, 0xc2b2ae35) ^ Math.imul(c, 0x27d4eb2f);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (size - 1);
    for (;;) {
      const other = slots[slot]!;
      if (other < 0) {
        slots[slot] = t;
        break;
      }
      if (head[other] === h && tail[other] === e && relation[other] === r && condition[other] === c) {
        rows.push(t);
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return rows;
}
