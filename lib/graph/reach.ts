import type { GraphParts } from "./build.js";
import type { Direction } from "./types.js";

/** An entity that a search came to, and over how many edges at least. */
export interface Reached {
  readonly entity: string;
  readonly distance: number;
}

/** What {@link reach} found: entity rows in the order in which breadth-first search met them. */
export interface Reach {
  readonly rows: Int32Array;
  /** `starts[d] .. starts[d + 1]` are those at distance `d`. */
  readonly starts: readonly number[];
  readonly complete: boolean;
}

/** Working memory of searches over one graph, made once: marks are epochs, so that nothing is cleared between searches. */
export class Scratch {
  readonly mark: Int32Array;
  readonly queue: Int32Array;
  #epoch = 0;
  constructor(entities: number) {
    this.mark = new Int32Array(entities);
    this.queue = new Int32Array(entities);
  }
  /** A number that no mark has. */
  fresh(): number {
    if (this.#epoch === 0x7fffffff) {
      this.mark.fill(0);
      this.#epoch = 0;
    }
    return ++this.#epoch;
  }
}

/** Which adjacency lists a direction walks. */
export const sides = (p: GraphParts, direction: Direction) =>
  direction === "out" ? [p.out] : direction === "in" ? [p.in] : [p.out, p.in];

export interface ReachOptions {
  readonly hops: number;
  readonly direction: Direction;
  /** Row of a relation, or −1 for all. */
  readonly relation: number;
  /** At most so many entities, the start among them. */
  readonly limit: number;
}

/**
 * Breadth-first search. Entities of one distance come in the order of those they were reached from, then in triple order (outgoing before incoming).
 * O(edges at the entities nearer than `hops`); no allocation but the result.
 */
export function reach(p: GraphParts, scratch: Scratch, from: number, options: ReachOptions): Reach {
  const { hops, relation, limit } = options;
  const { mark, queue } = scratch;
  const epoch = scratch.fresh();
  const lists = sides(p, options.direction);
  const starts = [0];
  mark[from] = epoch;
  queue[0] = from;
  let end = 1;
  let complete = true;
  let level = 0;
  for (let distance = 0; distance < hops && level < end && complete; distance++) {
    const levelEnd = end;
    starts.push(levelEnd);
    for (let q = level; q < levelEnd && complete; q++) {
      const row = queue[q]!;
      for (const list of lists) {
        const { ends, items } = list;
        const to = list.start[row + 1]!;
        for (let i = list.start[row]!; i < to; i++) {
          if (relation >= 0 && p.relation[items[i]!] !== relation) continue;
          const other = ends[i]!;
          if (mark[other] === epoch) continue;
          if (end >= limit) {
            complete = false;
            break;
          }
          mark[other] = epoch;
          queue[end++] = other;
        }
        if (!complete) break;
      }
    }
    level = levelEnd;
  }
  if (starts.at(-1) !== end) starts.push(end);
  return { rows: queue.slice(0, end), starts, complete };
}

/** The entities within some hops of one, nearest first. Ids are looked up when asked for: a large neighbourhood costs 4 bytes an entity. */
export class Neighbourhood implements Iterable<Reached> {
  readonly #reach: Reach;
  readonly #ids: readonly string[];

  /** @internal */
  constructor(reached: Reach, ids: readonly string[]) {
    this.#reach = reached;
    this.#ids = ids;
  }

  /** Number of entities, the one it began at among them. */
  get length(): number {
    return this.#reach.rows.length;
  }

  /** Largest distance of one of them. */
  get hops(): number {
    return this.#reach.starts.length - 2;
  }

  /** False when the limit ended the search before all within reach were found. */
  get complete(): boolean {
    return this.#reach.complete;
  }

  /** The `i`th, from 0: the entity itself at distance 0 comes first; undefined past the end. O(hops). */
  at(i: number): Reached | undefined {
    const row = this.#reach.rows[i];
    if (row === undefined) return undefined;
    const { starts } = this.#reach;
    let distance = 0;
    while (starts[distance + 1]! <= i) distance++;
    return Object.freeze({ entity: this.#ids[row]!, distance });
  }

  *[Symbol.iterator](): Iterator<Reached> {
    const { rows, starts } = this.#reach;
    for (let distance = 0; distance + 1 < starts.length; distance++)
      for (let i = starts[distance]!; i < starts[distance + 1]!; i++)
        yield Object.freeze({ entity: this.#ids[rows[i]!]!, distance });
  }

  /** The ids, nearest first: what `graph.subgraph` takes. */
  ids(): string[] {
    return Array.from(this.#reach.rows, (row) => this.#ids[row]!);
  }

  /** Number of entities at each distance, from 0. */
  counts(): number[] {
    const { starts } = this.#reach;
    return starts.slice(1).map((end, d) => end - starts[d]!);
  }
}

/**
 * Preorder of a depth-first search with an explicit stack: a chain of any length does not overflow. Edges are tried in triple order, outgoing before incoming.
 * O(edges of the entities visited).
 */
export function depthFirst(
  p: GraphParts,
  scratch: Scratch,
  from: number,
  direction: Direction,
  relation: number,
): Int32Array {
  const { mark, queue: order } = scratch;
  const epoch = scratch.fresh();
  const lists = sides(p, direction);
  const stack: number[] = [from];
  // place within the entity's own edges, all lists counted on
  const place: number[] = [0];
  mark[from] = epoch;
  order[0] = from;
  let found = 1;
  while (stack.length > 0) {
    const row = stack.at(-1)!;
    let at = place.at(-1)!;
    let next = -1;
    for (;;) {
      let k = at;
      let l = 0;
      while (l < lists.length && k >= lists[l]!.start[row + 1]! - lists[l]!.start[row]!) {
        k -= lists[l]!.start[row + 1]! - lists[l]!.start[row]!;
        l++;
      }
      if (l === lists.length) break;
      at++;
      const i = lists[l]!.start[row]! + k;
      if (relation >= 0 && p.relation[lists[l]!.items[i]!] !== relation) continue;
      const other = lists[l]!.ends[i]!;
      if (mark[other] !== epoch) {
        next = other;
        break;
      }
    }
    place[place.length - 1] = at;
    if (next < 0) {
      stack.pop();
      place.pop();
    } else {
      mark[next] = epoch;
      order[found++] = next;
      stack.push(next);
      place.push(0);
    }
  }
  return order.slice(0, found);
}
