import type { Image } from "../core/index.js";

/** One entity, as the graph holds it. `id` is the string of the file, untouched. */
export interface Entity {
  readonly id: string;
  readonly label: string;
  /** Free text about the entity, a human caption of its pictures among it; "" when there is none. */
  readonly description: string;
  /** Kind of entity, such as `creature` or `attack`; "" when the source has none. */
  readonly kind: string;
  /** Stills, or the frames of one clip in time order. */
  readonly images: readonly Image[];
  /** The further columns of the source, by name, without prototype; absent when it has none. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** One edge. Several may join the same two entities. */
export interface Triple {
  readonly id: string;
  readonly head: string;
  /** Relation id, as in the file. */
  readonly relation: string;
  readonly relationLabel: string;
  readonly tail: string;
  /** Text of the condition under which the edge holds; "" when it always does. */
  readonly condition: string;
  /** The further columns of the source, by name, without prototype; absent when it has none. */
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** One edge as seen from one of its ends: what `graph.neighbours` returns. */
export interface Neighbour {
  /** Id of the triple walked along. */
  readonly triple: string;
  /** Id of the entity at its other end. */
  readonly entity: string;
  readonly direction: "out" | "in";
}

/** Which edges of an entity: those it is the head of (`out`), the tail of (`in`), or both. */
export type Direction = "out" | "in" | "both";

/** How often something was met, and up to five places or ids where. */
export interface Notice {
  readonly what: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/**
 * What a loader saw. Nothing is dropped, added or altered without a line here: for each table, read = kept + refused − added.
 *
 * `read`, `kept` and `added` count rows by table (`entities`, `triples`; `read` also label files).
 */
export interface LoadReport {
  readonly read: Readonly<Record<string, number>>;
  readonly kept: Readonly<Record<string, number>>;
  /** Rows that stand in no file: entities that only a triple, a label file or a folder of pictures names. */
  readonly added: Readonly<Record<string, number>>;
  /** What was altered on the way, such as an entity added for the end of a triple, or text decoded from UTF-16. */
  readonly repaired: readonly Notice[];
  /** What is kept as it is and noteworthy: `duplicate triples`, `entities without triples`, `relation labels without triples` … */
  readonly notices: readonly Notice[];
  /** Rows left out by a lenient reading, each with its reason, such as `empty head`; always empty otherwise. */
  readonly refused: readonly RefusedRow[];
}

export interface RefusedRow {
  readonly file: string;
  /** Line from 1; in a JSON file the position of the record from 1. */
  readonly line: number;
  readonly reason: string;
}
