/** Compressed sparse rows: the triples of entity row `e` are `items[start[e] .. start[e + 1])`, in triple order; `ends` holds the entity at each one's other end. */
export interface Adjacency {
  readonly start: Int32Array;
  readonly items: Int32Array;
  readonly ends: Int32Array;
}

/** Groups triple rows by the entity at one of their ends. Counting sort: O(entities + triples) time and memory, stable. */
export function adjacency(from: Int32Array, to: Int32Array, entities: number): Adjacency {
  const start = new Int32Array(entities + 1);
  for (let t = 0; t < from.length; t++) start[from[t]! + 1]!++;
  for (let e = 0; e < entities; e++) start[e + 1]! += start[e]!;
  const next = start.slice();
  const items = new Int32Array(from.length);
  const ends = new Int32Array(from.length);
  for (let t = 0; t < from.length; t++) {
    const at = next[from[t]!]!++;
    items[at] = t;
    ends[at] = to[t]!;
  }
  return { start, items, ends };
}
