import type { GraphParts } from "./build.js";
import { type Scratch, sides } from "./reach.js";
import type { Direction } from "./types.js";

/** A path as a hit holds it: entity ids, and the triple walked along between each two. */
export interface GraphPath {
  readonly path: readonly string[];
  readonly pathTriples: readonly string[];
}

/** What `graph.paths` found. */
export interface GraphPaths {
  /** Shortest first; of equal length in triple order of their edges. */
  readonly paths: readonly GraphPath[];
  /** False when a limit ended the search: there may be more. */
  readonly complete: boolean;
  /** Which limit that was; "" when complete. */
  readonly cutBy: "" | "limit" | "maxSteps";
}

const named = (p: GraphParts, rows: readonly number[], triples: readonly number[]): GraphPath =>
  Object.freeze({
    path: Object.freeze(rows.map((row) => p.ids[row]!)),
    pathTriples: Object.freeze(triples.map((t) => p.tripleIds.at(t)!)),
  });

const opposite = { out: "in", in: "out", both: "both" } as const;

/** One of the shortest paths, undefined when there is none: breadth-first, edges in triple order, outgoing before incoming. O(entities + triples) at most. */
export function shortest(
  p: GraphParts,
  scratch: Scratch,
  from: number,
  to: number,
  options: { readonly direction: Direction; readonly relation: number },
): GraphPath | undefined {
  const { mark, queue } = scratch;
  const epoch = scratch.fresh();
  const lists = sides(p, options.direction);
  // by place in the queue
  const parent = new Int32Array(p.ids.length);
  const by = new Int32Array(p.ids.length);
  mark[from] = epoch;
  queue[0] = from;
  let end = 1;
  for (let q = 0; q < end; q++) {
    const row = queue[q]!;
    if (row === to) {
      const rows = [row];
      const triples: number[] = [];
      for (let at = q; at > 0; at = parent[at]!) {
        triples.push(by[at]!);
        rows.push(queue[parent[at]!]!);
      }
      return named(p, rows.reverse(), triples.reverse());
    }
    for (const { start, ends, items } of lists)
      for (let i = start[row]!; i < start[row + 1]!; i++) {
        if (options.relation >= 0 && p.relation[items[i]!] !== options.relation) continue;
        const other = ends[i]!;
        if (mark[other] === epoch) continue;
        mark[other] = epoch;
        parent[end] = q;
        by[end] = items[i]!;
        queue[end++] = other;
      }
  }
  return undefined;
}

export interface RouteOptions {
  readonly maxLength: number;
  readonly limit: number;
  readonly maxSteps: number;
  readonly direction: Direction;
  readonly relation: number;
}

/**
 * Simple paths, shortest first. Distances to the end are found first, backwards, and no edge is followed that cannot arrive in the length left; each length is
 * searched depth-first with an explicit stack. O(edges within `maxLength` of the end), then O(steps), bounded by `maxSteps`.
 */
export function routes(p: GraphParts, scratch: Scratch, from: number, to: number, options: RouteOptions): GraphPaths {
  // no simple path comes back to where it began
  if (from === to) return Object.freeze({ paths: Object.freeze([named(p, [from], [])]), complete: true, cutBy: "" });
  const distance = distancesTo(p, scratch, to, options);
  const lists = sides(p, options.direction);
  const found: GraphPath[] = [];
  let cutBy: GraphPaths["cutBy"] = "";
  let steps = 0;
  const onPath = new Set<number>();
  const longest = Math.min(options.maxLength, p.ids.length - 1);
  for (let length = 1; length <= longest && cutBy === ""; length++) {
    const first = distance[from]!;
    if (first < 0) break;
    if (first > length) continue;
    const rows = [from];
    const triples: number[] = [];
    const place = [{ list: 0, i: lists[0]!.start[from]! }];
    onPath.clear();
    onPath.add(from);
    while (rows.length > 0 && cutBy === "") {
      const row = rows.at(-1)!;
      const at = place.at(-1)!;
      const left = length - triples.length - 1;
      let next = -1;
      while (at.list < lists.length) {
        const list = lists[at.list]!;
        if (at.i >= list.start[row + 1]!) {
          at.list++;
          at.i = lists[at.list]?.start[row] ?? 0;
          continue;
        }
        const i = at.i++;
        if (++steps > options.maxSteps) {
          cutBy = "maxSteps";
          break;
        }
        const t = list.items[i]!;
        const other = list.ends[i]!;
        // an edge from an entity to itself stands in both lists, but never on a simple path
        if (distance[other]! < 0 || distance[other]! > left || onPath.has(other)) continue;
        if (options.relation >= 0 && p.relation[t] !== options.relation) continue;
        if (left === 0) {
          if (found.length === options.limit) {
            cutBy = "limit";
            break;
          }
          found.push(named(p, [...rows, other], [...triples, t]));
          continue;
        }
        // the end may only come last
        if (other === to) continue;
        next = other;
        triples.push(t);
        break;
      }
      if (next >= 0) {
        rows.push(next);
        onPath.add(next);
        place.push({ list: 0, i: lists[0]!.start[next]! });
      } else if (cutBy === "") {
        onPath.delete(rows.pop()!);
        place.pop();
        triples.pop();
      }
    }
  }
  return Object.freeze({ paths: Object.freeze(found), complete: cutBy === "", cutBy });
}

/** Least number of edges from each entity to `to`, −1 beyond `maxLength`. */
function distancesTo(p: GraphParts, scratch: Scratch, to: number, options: RouteOptions): Int32Array {
  const lists = sides(p, opposite[options.direction]);
  const distance = new Int32Array(p.ids.length).fill(-1);
  const { queue } = scratch;
  distance[to] = 0;
  queue[0] = to;
  let end = 1;
  for (let q = 0; q < end; q++) {
    const row = queue[q]!;
    if (distance[row]! >= options.maxLength) break;
    for (const { start, ends, items } of lists)
      for (let i = start[row]!; i < start[row + 1]!; i++) {
        const other = ends[i]!;
        if (distance[other]! >= 0 || (options.relation >= 0 && p.relation[items[i]!] !== options.relation)) continue;
        distance[other] = distance[row]! + 1;
        queue[end++] = other;
      }
  }
  return distance;
}
