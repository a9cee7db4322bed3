/** Compressed sparse rows: the triples of entity row `e` are `items[start[e] .. start[e + 1])`, in triple order. */
export interface Adjacency {
  readonly start: Int32Array;
  readonly items: Int32Array;
}

/** Groups triple rows by the entity at one of their ends. Counting sort: O(entities + triples) time and memory, stable. */
export function adjacency(ends: Int32Array, entities: number): Adjacency {
  const start = new Int32Array(entities + 1);
  for (const end of ends) start[end + 1]!++;
  for (let e = 0; e < entities; e++) start[e + 1]! += start[e]!;
  const next = start.slice();
  const items = new Int32Array(ends.length);
  for (let t = 0; t < ends.length; t++) items[next[ends[t]!]!++] = t;
  return { start, items };
}
