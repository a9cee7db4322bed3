import type { GraphParts } from "./build.js";

/** Which entities hang together, edges taken either way. Component 0 is the largest; of equal size the one with the earliest entity comes first. */
export interface Components {
  readonly count: number;
  /** Entities by component, largest first. */
  readonly sizes: readonly number[];
  /** The number of an entity's component; an unknown id is an error. */
  of(id: string): number;
  /** The ids of a component, in entity order. O(entities). */
  ids(component: number): string[];
}

/** The number of each entity's weakly connected component, and the sizes. Breadth-first over both directions: O(entities + triples). */
export function weakComponents(p: GraphParts): { readonly of: Int32Array; readonly sizes: readonly number[] } {
  const of = new Int32Array(p.ids.length).fill(-1);
  const queue = new Int32Array(p.ids.length);
  const sizes: number[] = [];
  for (let first = 0; first < of.length; first++) {
    if (of[first]! >= 0) continue;
    const number = sizes.length;
    of[first] = number;
    queue[0] = first;
    let end = 1;
    for (let q = 0; q < end; q++)
      for (const { start, ends } of [p.out, p.in])
        for (let i = start[queue[q]!]!; i < start[queue[q]! + 1]!; i++) {
          const other = ends[i]!;
          if (of[other]! >= 0) continue;
          of[other] = number;
          queue[end++] = other;
        }
    sizes.push(end);
  }
  const order = sizes.map((_, number) => number).sort((a, b) => sizes[b]! - sizes[a]! || a - b);
  const rank = new Int32Array(sizes.length);
  order.forEach((number, r) => {
    rank[number] = r;
  });
  return { of: of.map((number) => rank[number]!), sizes: order.map((number) => sizes[number]!) };
}

/**
 * Whether following triples from head to tail can lead back to where it began; a triple from an entity to itself is a cycle. Entities without incoming
 * edges are taken away until none is left or the rest goes round (Kahn 1962, doi 10.1145/368996.369025): O(entities + triples), no recursion.
 */
export function isCyclic(p: GraphParts): boolean {
  const n = p.ids.length;
  const left = new Int32Array(n);
  const queue = new Int32Array(n);
  let end = 0;
  for (let e = 0; e < n; e++) {
    left[e] = p.in.start[e + 1]! - p.in.start[e]!;
    if (left[e] === 0) queue[end++] = e;
  }
  for (let q = 0; q < end; q++)
    for (let i = p.out.start[queue[q]!]!; i < p.out.start[queue[q]! + 1]!; i++) {
      const other = p.out.ends[i]!;
      if (--left[other]! === 0) queue[end++] = other;
    }
  return end < n;
}
