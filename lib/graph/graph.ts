import type { ColumnTable } from "arquero";
import { type Hit, MkgError, quote, sha256, stableStringify, unknownName } from "../core/index.js";
import { build, type GraphParts } from "./build.js";
import { frozenTable, type TableInput } from "./columns.js";
import { describe, type GraphDescription } from "./describe.js";
import { noImages } from "./images.js";
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
    });
  }

  /** The triple with this id; an unknown id is an error with the nearest known one. */
  triple(id: string): Triple {
    const row = this.#parts.tripleRowOf.get(id);
    if (row === undefined) throw unknownName("graph.triple", "triple id", id, this.#parts.tripleIds);
    return this.#triple(row);
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
    const row = this.#row("graph.neighbours", id);
    const direction = checkDirection("graph.neighbours", options.direction ?? "out");
    let wanted = -1;
    if (options.relation !== undefined) {
      wanted = p.relations.indexOf(options.relation);
      if (wanted < 0) throw unknownName("graph.neighbours", "relation", options.relation, p.relations);
    }
    const found: Neighbour[] = [];
    const add = (t: number, way: "out" | "in") => {
      if (wanted >= 0 && p.relation[t] !== wanted) return;
      const other = way === "out" ? p.tail[t]! : p.head[t]!;
      found.push(Object.freeze({ triple: p.tripleIds[t]!, entity: p.ids[other]!, direction: way }));
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
    const tripleRows = rowsWhere(p.tripleIds.length, (t) => keep[p.head[t]!] === 1 && keep[p.tail[t]!] === 1);
    return new Graph(
      this.name,
      build({
        place: "graph.subgraph",
        entities: pick(this.entities, entityRows),
        triples: pick(this.triples, tripleRows),
      }),
    );
  }

  /** The same graph with no pictures, always the same object; shares the index, so that it costs one column. */
  withoutImages(): Graph {
    this.#bare ??= this.#withoutImages();
    return this.#bare;
  }

  #withoutImages(): Graph {
    const p = this.#parts;
    const images = p.ids.map(() => noImages);
    const columns = new Map<string, readonly unknown[]>();
    for (const name of p.entities.columnNames())
      columns.set(name, name === "images" ? images : (p.entities.data()[name] as unknown as unknown[]));
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
   * @example
   * graph.text("0")                                       // "Vulmar uses Ember Sweep (only if enraged)"
   * graph.text({ path: ["Vulmar", "Ember Sweep"] })       // "Vulmar\nVulmar uses Ember Sweep (only if enraged)\nEmber Sweep: a wide arc of fire"
   */
  text(of: string | Triple | Pick<Hit, "triple" | "path" | "pathTriples">): string {
    if (typeof of === "string") return this.#tripleText(this.#tripleRow(of));
    if (isTriple(of)) return this.#tripleText(this.#tripleRow(of.id));
    if (of.triple !== undefined) return this.#tripleText(this.#tripleRow(of.triple));
    if (of.path === undefined || of.path.length === 0)
      throw new MkgError(
        "graph.text",
        `neither a triple nor a path (${quote(of)})`,
        "It takes a triple id, a triple, or {path, pathTriples?}",
      );
    return this.#pathText(of.path, of.pathTriples);
  }

  #pathText(path: readonly string[], triples: readonly string[] | undefined): string {
    const p = this.#parts;
    if (triples && triples.length !== path.length - 1)
      throw new MkgError(
        "graph.text",
        `${path.length} entities and ${triples.length} triples in a path`,
        "One triple between two entities",
      );
    const lines: string[] = [];
    path.forEach((id, i) => {
      if (i > 0)
        lines.push(this.#tripleText(triples ? this.#tripleRow(triples[i - 1]!) : this.#edgeBetween(path[i - 1]!, id)));
      const row = this.#row("graph.text", id);
      const description = p.descriptions[row]!;
      lines.push(description === "" ? p.labels[row]! : `${p.labels[row]}: ${description}`);
    });
    return lines.join("\n");
  }

  #edgeBetween(a: string, b: string): number {
    const edge = this.neighbours(a, { direction: "both" }).find((n) => n.entity === b);
    if (!edge)
      throw new MkgError(
        "graph.text",
        `no triple joins ${quote(a)} and ${quote(b)}`,
        "A path follows triples of the graph",
      );
    return this.#tripleRow(edge.triple);
  }

  #tripleText(row: number): string {
    const p = this.#parts;
    const text = `${p.labels[p.head[row]!]} ${p.relationLabels[row]} ${p.labels[p.tail[row]!]}`;
    return p.conditions[row] === "" ? text : `${text} (only if ${p.conditions[row]})`;
  }

  #triple(row: number): Triple {
    const p = this.#parts;
    return Object.freeze({
      id: p.tripleIds[row]!,
      head: p.ids[p.head[row]!]!,
      relation: p.relations[p.relation[row]!]!,
      relationLabel: p.relationLabels[row]!,
      tail: p.ids[p.tail[row]!]!,
      condition: p.conditions[row]!,
    });
  }

  #tripleRow(id: string): number {
    const row = this.#parts.tripleRowOf.get(id);
    if (row === undefined) throw unknownName("graph.text", "triple id", id, this.#parts.tripleIds);
    return row;
  }

  #row(place: string, id: string): number {
    const row = this.#parts.rowOf.get(id);
    if (row === undefined) throw unknownName(place, "entity id", id, this.#parts.ids);
    return row;
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
 * Cost: O(entities + triples) time and memory; the tables are copied by reference, column by column.
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
  if (typeof input !== "object" || input === null || (input.entities === undefined && input.triples === undefined))
    throw new MkgError("graphFrom", `no tables given (${quote(input)})`, "It takes {entities?, triples?, name?}");
  for (const key of Object.keys(input))
    if (!["entities", "triples", "name"].includes(key))
      throw unknownName("graphFrom", "option", key, ["entities", "triples", "name"]);
  return new Graph(input.name ?? "", build({ place: "graphFrom", entities: input.entities, triples: input.triples }));
}

const isTriple = (value: object): value is Triple => "head" in value && "tail" in value && "id" in value;

function checkDirection(place: string, direction: unknown): Direction {
  const known = ["out", "in", "both"];
  if (!known.includes(direction as string)) throw unknownName(place, "direction", direction, known);
  return direction as Direction;
}

const rowsWhere = (rows: number, test: (row: number) => boolean): number[] => {
  const found: number[] = [];
  for (let i = 0; i < rows; i++) if (test(i)) found.push(i);
  return found;
};

/** Rows of a table as objects would cost a key lookup a cell: columns are picked instead. */
const pick = (from: ColumnTable, rows: readonly number[]): ColumnTable => {
  const data = from.data();
  return frozenTable(new Map(from.columnNames().map((name) => [name, rows.map((row) => data[name]!.at(row))])));
};

function fingerprintOf(...tables: ColumnTable[]): string {
  const parts: string[] = [];
  for (const t of tables) {
    const names = t.columnNames();
    const columns = names.map((name) => t.data()[name]!);
    let rows: string[] = [JSON.stringify(names)];
    for (let i = 0; i < t.numRows(); i++) {
      rows.push(columns.map((column, c) => cellText(names[c]!, column.at(i))).join(","));
      if (rows.length === 4096) {
        parts.push(sha256(rows.join("\n")));
        rows = [];
      }
    }
    parts.push(sha256(rows.join("\n")));
  }
  return sha256(parts.join("\n"));
}

function cellText(name: string, value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (name === "images")
    return JSON.stringify((value as readonly { id: string; key: boolean }[]).map((image) => [image.id, image.key]));
  try {
    return stableStringify(value);
  } catch {
    return `${typeof value} ${String(value)}`;
  }
}
