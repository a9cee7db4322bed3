import type { ColumnTable } from "arquero";
import { checkString, type Hit, MkgError, quote, refuseUnknown, unknownName } from "../core/index.js";
import { build, type GraphParts, tables } from "./build.js";
import { type Column, type Columns, frozenTable, pickRows, storage, type TableInput } from "./columns.js";
import { type Components, isCyclic, weakComponents } from "./components.js";
import { describe, type GraphDescription } from "./describe.js";
import { fingerprintOf } from "./fingerprint.js";
import { noImages } from "./images/open.js";
import { depthFirst, Neighbourhood, reach, Scratch } from "./reach.js";
import { type GraphPath, type GraphPaths, routes, shortest } from "./routes.js";
import { pathText, styleOf, type TextOptions } from "./text.js";
import type { Direction, Entity, LoadReport, Neighbour, Triple } from "./types.js";

/**
 * A multimodal knowledge graph: two Arquero tables and an adjacency index over them. Immutable. Made by {@link graphFrom}
 * and `loadGraph`. Holds no question and no answer.
 *
 * Cost: memory O(entities + triples); every method is O(1) or O(degree) unless its comment says otherwise.
 */
export class Graph {
  readonly #parts: GraphParts;
  #fingerprint: string | undefined;
  #scratch: Scratch | undefined;
  #bare: Graph | undefined;
  /** Name for reports; "" when none was given. */
  readonly name: string;
  /** Columns id, label, description, kind, images, then the columns of the source that are not among them. */
  readonly entities: ColumnTable;
  /** Columns id, head, relation, relationLabel, tail, condition, then the columns of the source that are not among them. */
  readonly triples: ColumnTable;
  /** What was read and kept, and what was noticed on the way. */
  readonly report: LoadReport;

  /** @internal */
  constructor(name: string, parts: GraphParts) {
    this.#parts = parts;
    this.name = name;
    this.entities = parts.entities;
    this.triples = parts.triples;
    this.report = parts.report;
    Object.freeze(this);
  }

  /**
   * SHA-256 of everything in both tables, in row order; images count by their ids, the name and the report do not.
   * Computed when first asked for: O(entities + triples).
   */
  get fingerprint(): string {
    this.#fingerprint ??= fingerprintOf(this.entities, this.triples);
    return this.#fingerprint;
  }

  /** Whether there is an entity with this id. */
  has(id: string): boolean {
    return this.#parts.rowOf.has(id);
  }

  /**
   * The entity with this id. An unknown id is an error with the nearest known one (finding that is O(entities): ask {@link has} first
   * where misses are common).
   */
  entity(id: string): Entity {
    const p = this.#parts;
    const row = this.#row("graph.entity", id);
    return Object.freeze({
      id: p.ids[row]!,
      label: p.labels[row]!,
      description: p.descriptions[row]!,
      kind: p.kinds[row]!,
      images: p.images[row]!,
      ...attributes(p.entities, p.furtherOfEntities, row),
    });
  }

  /** The triple with this id; an unknown id is an error with the nearest known one. */
  triple(id: string): Triple {
    return this.#triple(this.#tripleRow("graph.triple", id));
  }

  /**
   * The ends of the edges at an entity, in triple order. A triple from the entity to itself appears once for each direction asked for,
   * outgoing first.
   *
   * @param options.direction `out` (default): edges whose head is `id`; `in`: whose tail is `id`; `both`.
   * @param options.relation only edges of this relation id; one that no triple has is an error.
   * @example
   * graphFrom({ triples: [{ head: "a", relation: "r", tail: "b" }] }).neighbours("a")
   * // [{ triple: "0", entity: "b", direction: "out" }]
   */
  neighbours(id: string, options: { readonly direction?: Direction; readonly relation?: string } = {}): Neighbour[] {
    const p = this.#parts;
    const place = "graph.neighbours";
    const row = this.#row(place, id);
    refuseUnknown(place, options, ["direction", "relation"], "option");
    const direction = checkDirection(place, options.direction ?? "out");
    const wanted = this.#relation(place, options.relation);
    const found: Neighbour[] = [];
    const add = (t: number, way: "out" | "in") => {
      if (wanted >= 0 && p.relation[t] !== wanted) return;
      const other = way === "out" ? p.tail[t]! : p.head[t]!;
      found.push(Object.freeze({ triple: p.tripleIds.at(t)!, entity: p.ids[other]!, direction: way }));
    };
    let o = direction === "in" ? 0 : p.out.start[row]!;
    const oEnd = direction === "in" ? 0 : p.out.start[row + 1]!;
    let i = direction === "out" ? 0 : p.in.start[row]!;
    const iEnd = direction === "out" ? 0 : p.in.start[row + 1]!;
    while (o < oEnd || i < iEnd) {
      if (i >= iEnd || (o < oEnd && p.out.items[o]! <= p.in.items[i]!)) add(p.out.items[o++]!, "out");
      else add(p.in.items[i++]!, "in");
    }
    return found;
  }

  /** Number of edges at an entity; `both` (default) counts an edge from the entity to itself twice. */
  degree(id: string, options: { readonly direction?: Direction } = {}): number {
    const p = this.#parts;
    const row = this.#row("graph.degree", id);
    refuseUnknown("graph.degree", options, ["direction"], "option");
    const direction = checkDirection("graph.degree", options.direction ?? "both");
    const out = direction === "in" ? 0 : p.out.start[row + 1]! - p.out.start[row]!;
    return out + (direction === "out" ? 0 : p.in.start[row + 1]! - p.in.start[row]!);
  }

  /**
   * The graph of the given entities and of all triples between them; ids, order, extra columns and images are kept.
   * An unknown id is an error; repeated ids count once. O(entities + triples).
   */
  subgraph(ids: Iterable<string>): Graph {
    const p = this.#parts;
    const keep = new Uint8Array(p.ids.length);
    for (const id of ids) keep[this.#row("graph.subgraph", id)] = 1;
    const entityRows = rowsWhere(p.ids.length, (e) => keep[e] === 1);
    const tripleRows = rowsWhere(p.head.length, (t) => keep[p.head[t]!] === 1 && keep[p.tail[t]!] === 1);
    return new Graph(
      this.name,
      build({
        place: "graph.subgraph",
        entities: pick(this.entities, entityRows),
        triples: pick(this.triples, tripleRows),
      }),
    );
  }

  /**
   * The entities within some hops of one: breadth-first, nearest first, the entity itself at distance 0; those of one distance in the order of the entities they
   * were reached from, then in triple order. O(edges at the entities nearer than `hops`): of a million triples some microseconds to milliseconds.
   *
   * @param options.hops 1 or more; `Infinity` for all that can be reached. Default 1.
   * @param options.direction `out` (default), `in` or `both`.
   * @param options.relation only along edges of this relation id.
   * @param options.limit at most so many entities, the first among them; then `complete` is false. Default: no limit.
   * @example
   * const near = graph.khop("Vulmar", { hops: 2 });
   * near.length        // 2
   * [...near]          // [{ entity: "Vulmar", distance: 0 }, { entity: "Ember Sweep", distance: 1 }]
   * graph.subgraph(near.ids())
   */
  khop(
    id: string,
    options: {
      readonly hops?: number;
      readonly direction?: Direction;
      readonly relation?: string;
      readonly limit?: number;
    } = {},
  ): Neighbourhood {
    const place = "graph.khop";
    const row = this.#row(place, id);
    refuseUnknown(place, options, ["hops", "direction", "relation", "limit"], "option");
    const reached = reach(this.#parts, this.#working(), row, {
      hops: count(place, "hops", options.hops ?? 1),
      direction: checkDirection(place, options.direction ?? "out"),
      relation: this.#relation(place, options.relation),
      limit: count(place, "limit", options.limit ?? Number.POSITIVE_INFINITY),
    });
    return new Neighbourhood(reached, this.#parts.ids);
  }

  /**
   * Ids in the order of a depth-first search (preorder), edges in triple order, outgoing before incoming. No recursion: a chain of any length will do.
   * O(entities + triples reached).
   *
   * @param options.direction `out` (default), `in` or `both`.
   * @param options.relation only along edges of this relation id.
   */
  depthFirst(id: string, options: { readonly direction?: Direction; readonly relation?: string } = {}): string[] {
    const place = "graph.depthFirst";
    const row = this.#row(place, id);
    refuseUnknown(place, options, ["direction", "relation"], "option");
    const direction = checkDirection(place, options.direction ?? "out");
    const order = depthFirst(this.#parts, this.#working(), row, direction, this.#relation(place, options.relation));
    return Array.from(order, (e) => this.#parts.ids[e]!);
  }

  /**
   * A shortest path between two entities, the first in triple order among several; undefined when there is none. From an entity to itself: the path of length 0.
   * O(entities + triples).
   *
   * @param options.direction `out` (default): along the edges; `in`: against them; `both`.
   * @param options.relation only along edges of this relation id.
   * @example
   * graph.shortestPath("Vulmar", "Ember Sweep")   // { path: ["Vulmar", "Ember Sweep"], pathTriples: ["0"] }
   */
  shortestPath(
    from: string,
    to: string,
    options: { readonly direction?: Direction; readonly relation?: string } = {},
  ): GraphPath | undefined {
    const place = "graph.shortestPath";
    const [a, b] = [this.#row(place, from), this.#row(place, to)];
    refuseUnknown(place, options, ["direction", "relation"], "option");
    return shortest(this.#parts, this.#working(), a, b, {
      direction: checkDirection(place, options.direction ?? "out"),
      relation: this.#relation(place, options.relation),
    });
  }

  /**
   * Simple paths between two entities (no entity twice), shortest first, of equal length in triple order; parallel edges give different paths. From an entity to
   * itself: the path of length 0 alone. Bounded, and `complete` and `cutBy` say whether a bound ended it. O(edges within `maxLength` of the end + steps).
   *
   * @param options.maxLength most edges in a path. Default 3: what longer chains say is rarely evidence, and their number grows with the degree's power.
   * @param options.limit most paths. Default 100.
   * @param options.maxSteps most edges looked at, for graphs in which few of many ways arrive. Default 10,000,000: about a second.
   * @param options.direction `out` (default): along the edges; `in`: against them; `both`.
   * @param options.relation only along edges of this relation id.
   * @example
   * graph.paths("Vulmar", "Ember Sweep")
   * // { paths: [{ path: ["Vulmar", "Ember Sweep"], pathTriples: ["0"] }], complete: true, cutBy: "" }
   */
  paths(
    from: string,
    to: string,
    options: {
      readonly maxLength?: number;
      readonly limit?: number;
      readonly maxSteps?: number;
      readonly direction?: Direction;
      readonly relation?: string;
    } = {},
  ): GraphPaths {
    const place = "graph.paths";
    const [a, b] = [this.#row(place, from), this.#row(place, to)];
    refuseUnknown(place, options, ["maxLength", "limit", "maxSteps", "direction", "relation"], "option");
    return routes(this.#parts, this.#working(), a, b, {
      maxLength: count(place, "maxLength", options.maxLength ?? 3),
      limit: count(place, "limit", options.limit ?? 100),
      maxSteps: count(place, "maxSteps", options.maxSteps ?? 10_000_000),
      direction: checkDirection(place, options.direction ?? "out"),
      relation: this.#relation(place, options.relation),
    });
  }

  /**
   * The weakly connected components: edges taken either way. O(entities + triples).
   *
   * @example
   * graph.components().sizes   // [2]
   */
  components(): Components {
    const { of, sizes } = weakComponents(this.#parts);
    return Object.freeze({
      count: sizes.length,
      sizes: Object.freeze(sizes),
      of: (id: string) => of[this.#row("components.of", id)]!,
      ids: (component: number) => this.#parts.ids.filter((_, row) => of[row] === component),
    });
  }

  /** Whether following triples from head to tail can lead back to where it began; a triple from an entity to itself is a cycle. O(entities + triples). */
  hasCycle(): boolean {
    return isCyclic(this.#parts);
  }

  /** The same graph with no pictures, always the same object; shares the index, so that it costs one column. */
  withoutImages(): Graph {
    this.#bare ??= this.#withoutImages();
    return this.#bare;
  }

  #withoutImages(): Graph {
    const p = this.#parts;
    const images = p.ids.map(() => noImages);
    const columns = new Map<string, Column>();
    for (const name of p.entities.columnNames())
      columns.set(name, name === "images" ? images : (p.entities.data()[name] as Column));
    return new Graph(this.name, { ...p, images, entities: frozenTable(columns) });
  }

  /** Counts of what is in the graph; its `toString()` is a summary to read. O(entities + triples). */
  describe(): GraphDescription {
    return describe(this.name, this.#parts);
  }

  /**
   * Text of a triple or of a path.
   *
   * A triple (its id, the triple, or a hit that holds one): head label, relation label, tail label, one space between, then
   * ` (only if <condition>)` when it has a condition. A path: one line for each entity (its label, then `: ` and its description when it has
   * one) and between them one line for each edge, as the text of its triple. Without `pathTriples` the first triple in triple order
   * that joins two entities, either way round, stands for the edge; when none does, that is an error.
   *
   * @param options.style `plain` (default) as above; `mh-mmkg`: names in quotes, `"head" relation "tail" (only if <condition> is satisfied).`, an entity as
   * `"name": Action Description: … Additional Information: …` (its description and its attribute `additionalInformation`, what there is of them).
   *
   * @example
   * graph.text("0")                                       // "Vulmar uses Ember Sweep (only if enraged)"
   * graph.text({ path: ["Vulmar", "Ember Sweep"] })       // "Vulmar\nVulmar uses Ember Sweep (only if enraged)\nEmber Sweep: a wide arc of fire"
   * graph.text("0", { style: "mh-mmkg" })                 // "\"Vulmar\" uses \"Ember Sweep\" (only if enraged is satisfied)."
   */
  text(of: string | Triple | Pick<Hit, "triple" | "path" | "pathTriples">, options: TextOptions = {}): string {
    const place = "graph.text";
    const style = styleOf(place, options);
    const triple = (id: string) => style.triple(this.#parts, this.#tripleRow(place, id));
    if (typeof of === "string") return triple(of);
    if (typeof of === "object" && of !== null) {
      if (isTriple(of)) return triple(of.id);
      if (of.triple !== undefined) return triple(of.triple);
    }
    if (!Array.isArray(of?.path) || of.path.length === 0)
      throw new MkgError(
        place,
        `neither a triple nor a path (${quote(of)})`,
        "It takes a triple id, a triple, or {path, pathTriples?}",
      );
    return pathText(this.#parts, style, of.path, of.pathTriples, {
      row: (id) => this.#row(place, id),
      triple: (id) => this.#tripleRow(place, id),
    });
  }

  #triple(row: number): Triple {
    const p = this.#parts;
    return Object.freeze({
      id: p.tripleIds.at(row)!,
      head: p.ids[p.head[row]!]!,
      relation: p.relations[p.relation[row]!]!,
      relationLabel: p.relationLabels.at(row)!,
      tail: p.ids[p.tail[row]!]!,
      condition: p.conditions.at(row)!,
      ...attributes(p.triples, p.furtherOfTriples, row),
    });
  }

  #tripleRow(place: string, id: string): number {
    const row = this.#parts.tripleRowOf(id);
    if (row === undefined) throw unknownId(place, "triple id", id, this.#parts.tripleIds as Iterable<string>);
    return row;
  }

  #row(place: string, id: string): number {
    const { rowOf, ids, labels } = this.#parts;
    const row = rowOf.get(id);
    if (row === undefined) throw unknownId(place, "entity id", id, ids, labels === ids ? [] : labels);
    return row;
  }

  /** Row of a relation; −1 when none is asked for. */
  #relation(place: string, relation: string | undefined): number {
    if (relation === undefined) return -1;
    const row = this.#parts.relations.indexOf(relation);
    if (row < 0) throw unknownName(place, "relation", relation, this.#parts.relations);
    return row;
  }

  #working(): Scratch {
    this.#scratch ??= new Scratch(this.#parts.ids.length);
    return this.#scratch;
  }
}

/**
 * A graph from Arquero tables or arrays of objects.
 *
 * Entities: `id`, and if there are `label` (default: the id), `description`, `kind`, `images`. Triples: `head`, `relation`, `tail`, and if there
 * are `id` (default: the row number from 0), `relationLabel` (default: the relation), `condition`. Other columns are kept. Ids are strings
 * and stay as they are; a number is refused. Duplicate triples are kept and noticed. An end of a triple without an entity row gets an entity with
 * its id as label, and a notice counts it. Errors name the table, row and column.
 *
 * Cost: O(entities + triples) time and memory. Arrays that are given are copied, so that changing them later changes no graph; columns of another graph's
 * tables, which cannot change, are shared.
 *
 * @example
 * const graph = graphFrom({
 *   entities: [{ id: "Vulmar", kind: "creature" }, { id: "Ember Sweep", description: "a wide arc of fire" }],
 *   triples: [{ head: "Vulmar", relation: "uses", tail: "Ember Sweep", condition: "enraged" }],
 * });
 * graph.text("0")   // "Vulmar uses Ember Sweep (only if enraged)"
 */
export function graphFrom(input: {
  readonly entities?: TableInput;
  readonly triples?: TableInput;
  readonly name?: string;
}): Graph {
  const place = "graphFrom";
  if (Array.isArray(input) || typeof (input as { columnNames?: unknown } | null)?.columnNames === "function")
    throw new MkgError(
      place,
      "one table given, without saying of what",
      "It takes {entities?, triples?, name?}",
      "Write graphFrom({ triples: table }), or graphFrom({ entities: table })",
    );
  if (typeof input !== "object" || input === null || (input.entities === undefined && input.triples === undefined))
    throw new MkgError(place, `no tables given (${quote(input)})`, "It takes {entities?, triples?, name?}");
  refuseUnknown(place, input, ["entities", "triples", "name"], "option");
  checkString(place, "name", input.name);
  return new Graph(input.name ?? "", build({ place, ...tables(place, input.entities, input.triples) }));
}

/** The error for an id that the graph does not have. Of an entity also its label may have been given, in some case. */
function unknownId(
  place: string,
  kind: string,
  id: unknown,
  ids: Iterable<string>,
  labels: readonly string[] = [],
): MkgError {
  const error = unknownName(place, kind, id, ids);
  const { problem, allowed } = error;
  if (typeof id !== "string") return new MkgError(place, problem, "Ids are strings", 'Write it as one, such as "0"');
  const known = [...ids];
  const labelled = (same: (label: string) => boolean) =>
    known.filter((_, row) => labels.length > 0 && same(labels[row]!));
  const exact = labelled((label) => label === id);
  const found = exact.length > 0 ? exact : labelled((label) => label.toLowerCase() === id.toLowerCase());
  if (found.length === 0) return error;
  const shown = found.slice(0, 5).map((one) => quote(one));
  return new MkgError(
    place,
    problem,
    allowed,
    `That is a label. Did you mean ${shown.length > 1 ? "one of " : ""}${shown.join(", ")}${found.length > shown.length ? ", …" : ""}?`,
  );
}

const isTriple = (value: object): value is Triple => "head" in value && "tail" in value && "id" in value;

function checkDirection(place: string, direction: unknown): Direction {
  const known = ["out", "in", "both"];
  if (!known.includes(direction as string)) throw unknownName(place, "direction", direction, known);
  return direction as Direction;
}

function count(place: string, name: string, value: number): number {
  if (value !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(value) || value < 1))
    throw new MkgError(place, `${name} is not a whole number from 1 on (${quote(value)})`, "1, 2, … or Infinity");
  return value;
}

function attributes(
  table: ColumnTable,
  names: readonly string[],
  row: number,
): { readonly attributes?: Readonly<Record<string, unknown>> } {
  if (names.length === 0) return {};
  const record: Record<string, unknown> = Object.create(null);
  for (const name of names) record[name] = table.data()[name]!.at(row);
  return { attributes: Object.freeze(record) };
}

function rowsWhere(rows: number, test: (row: number) => boolean): Int32Array {
  const found = new Int32Array(rows);
  let n = 0;
  for (let i = 0; i < rows; i++) if (test(i)) found[n++] = i;
  return found.slice(0, n);
}

const pick = (from: ColumnTable, rows: Int32Array): Columns => ({
  data: new Map(from.columnNames().map((name) => [name, pickRows(storage(from.data()[name] as Column), rows)])),
  rows: rows.length,
});
