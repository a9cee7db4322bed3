import type { ColumnTable } from "arquero";
import { type Image, MkgError, quote } from "../core/index.js";
import { type Adjacency, adjacency } from "./adjacency.js";
import { type Columns, columnsOf, frozenTable, type TableInput, textColumn, type Where } from "./columns.js";
import { frozenImage, noImages } from "./images.js";
import { duplicateRows, type Notice, Noticing } from "./notices.js";
import type { LoadReport } from "./types.js";

/** What a graph is made of. Rows of `ids` … `images` are entities; rows of `triples` … are triples. */
export interface GraphParts {
  readonly entities: ColumnTable;
  readonly triples: ColumnTable;
  readonly ids: readonly string[];
  readonly labels: readonly string[];
  readonly descriptions: readonly string[];
  readonly kinds: readonly string[];
  readonly images: readonly (readonly Image[])[];
  readonly rowOf: ReadonlyMap<string, number>;
  readonly tripleIds: readonly string[];
  readonly tripleRowOf: ReadonlyMap<string, number>;
  readonly head: Int32Array;
  readonly tail: Int32Array;
  readonly relations: readonly string[];
  readonly relation: Int32Array;
  readonly relationLabels: readonly string[];
  readonly conditions: readonly string[];
  readonly out: Adjacency;
  readonly in: Adjacency;
  readonly report: LoadReport;
}

export interface BuildInput {
  readonly place: string;
  readonly entities: TableInput | undefined;
  readonly triples: TableInput | undefined;
  readonly whereEntity?: Where;
  readonly whereTriple?: Where;
  /** What a loader noticed and counted before; the own notices come after. */
  readonly read?: Readonly<Record<string, number>>;
  readonly notices?: readonly Notice[];
  readonly refused?: LoadReport["refused"];
}

const entityColumns = ["id", "label", "description", "kind", "images"];
const tripleColumns = ["id", "head", "relation", "relationLabel", "tail", "condition"];

/** Validates, indexes and freezes. O(entities + triples) time and memory: per triple six references and four 4-byte integers. */
export function build(input: BuildInput): GraphParts {
  const { place } = input;
  const whereEntity = input.whereEntity ?? ((row) => `entities, row ${row} (from 0)`);
  const whereTriple = input.whereTriple ?? ((row) => `triples, row ${row} (from 0)`);
  const entities = columnsOf(place, "entities", input.entities);
  const triples = columnsOf(place, "triples", input.triples);
  const noticing = new Noticing();

  const required = (where: Where, column: string) => (row: number) => {
    throw new MkgError(
      place,
      `${where(row)}, column ${column}: empty`,
      "Every row needs one",
      "Fill it in or remove the row",
    );
  };
  const ids = textColumn(place, entities, "id", whereEntity, required(whereEntity, "id"));
  const rowOf = uniqueRows(place, "entity id", ids, whereEntity);
  const labels = textColumn(place, entities, "label", whereEntity, (i) => ids[i]!);
  const descriptions = textColumn(place, entities, "description", whereEntity, () => "");
  const kinds = textColumn(place, entities, "kind", whereEntity, () => "");
  const images = imageColumn(place, entities, whereEntity);

  const heads = textColumn(place, triples, "head", whereTriple, required(whereTriple, "head"));
  const tails = textColumn(place, triples, "tail", whereTriple, required(whereTriple, "tail"));
  const relationNames = textColumn(place, triples, "relation", whereTriple, required(whereTriple, "relation"));
  const relationLabels = textColumn(place, triples, "relationLabel", whereTriple, (i) => relationNames[i]!);
  const conditions = textColumn(place, triples, "condition", whereTriple, () => "");
  const tripleIds = triples.data.has("id")
    ? textColumn(place, triples, "id", whereTriple, required(whereTriple, "id"))
    : Array.from({ length: triples.rows }, (_, i) => String(i));
  const tripleRowOf = uniqueRows(place, "triple id", tripleIds, whereTriple);

  const given = ids.length;
  const end = (id: string): number => {
    let row = rowOf.get(id);
    if (row === undefined) {
      row = ids.push(id) - 1;
      rowOf.set(id, row);
      labels.push(id);
      descriptions.push("");
      kinds.push("");
      images.push(noImages);
      noticing.add("ends of triples without an entity row: an entity with the id as label was added", id);
    }
    return row;
  };
  const head = new Int32Array(triples.rows);
  const tail = new Int32Array(triples.rows);
  const relation = new Int32Array(triples.rows);
  const relationRow = new Map<string, number>();
  for (let t = 0; t < triples.rows; t++) {
    head[t] = end(heads[t]!);
    tail[t] = end(tails[t]!);
    const name = relationNames[t]!;
    let row = relationRow.get(name);
    if (row === undefined) {
      row = relationRow.size;
      relationRow.set(name, row);
    }
    relation[t] = row;
    // one string object for all triples of a relation and for all mentions of an entity: a parsed file holds a copy per mention
    relationNames[t] = name;
    heads[t] = ids[head[t]!]!;
    tails[t] = ids[tail[t]!]!;
  }
  const out = adjacency(head, ids.length);
  const inward = adjacency(tail, ids.length);

  for (const t of duplicateRows(out, relation, tail, conditions)) noticing.add("duplicate triples", tripleIds[t]!);
  for (let e = 0; e < ids.length; e++) {
    if (out.start[e] === out.start[e + 1] && inward.start[e] === inward.start[e + 1])
      noticing.add("entities without triples", ids[e]!);
    if (/^\s|\s$/.test(ids[e]!)) noticing.add("entity ids that begin or end with white space", JSON.stringify(ids[e]));
  }
  const seenLabels = new Set<string>();
  labels.forEach((label, e) => {
    if (seenLabels.has(label)) noticing.add("entities whose label an earlier entity has", ids[e]!);
    seenLabels.add(label);
  });

  return {
    entities: frozenTable(
      withExtra(
        { id: ids, label: labels, description: descriptions, kind: kinds, images },
        entities,
        entityColumns,
        ids.length,
      ),
    ),
    triples: frozenTable(
      withExtra(
        {
          id: tripleIds,
          head: heads,
          relation: relationNames,
          relationLabel: relationLabels,
          tail: tails,
          condition: conditions,
        },
        triples,
        tripleColumns,
        triples.rows,
      ),
    ),
    ids,
    labels,
    descriptions,
    kinds,
    images,
    rowOf,
    tripleIds,
    tripleRowOf,
    head,
    tail,
    relations: [...relationRow.keys()],
    relation,
    relationLabels,
    conditions,
    out,
    in: inward,
    report: Object.freeze({
      read: Object.freeze(input.read ?? { entities: given, triples: triples.rows }),
      kept: Object.freeze({ entities: ids.length, triples: triples.rows }),
      notices: Object.freeze([...(input.notices ?? []), ...noticing.list()]),
      refused: Object.freeze([...(input.refused ?? [])]),
    }),
  };
}

function uniqueRows(place: string, what: string, ids: readonly string[], where: Where): Map<string, number> {
  const rows = new Map<string, number>();
  for (let i = 0; i < ids.length; i++) {
    const first = rows.get(ids[i]!);
    if (first !== undefined)
      throw new MkgError(
        place,
        `${where(i)}: a second row with the ${what} ${quote(ids[i])}; the first is ${where(first)}`,
        "Ids are distinct",
        "Remove or rename one of them",
      );
    rows.set(ids[i]!, i);
  }
  return rows;
}

function imageColumn(place: string, entities: Columns, where: Where): (readonly Image[])[] {
  const column = entities.data.get("images");
  return Array.from({ length: entities.rows }, (_, i) => {
    const value = column?.[i] ?? noImages;
    if (!Array.isArray(value) || !value.every(isImage))
      throw new MkgError(
        place,
        `${where(i)}, column images: not a list of images (${quote(value)})`,
        "Images are {id, key, bytes()}",
      );
    return value.length === 0 ? noImages : Object.freeze(value.map(frozenImage));
  });
}

const isImage = (value: unknown): value is Image =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Image).id === "string" &&
  typeof (value as Image).key === "boolean" &&
  typeof (value as Image).bytes === "function";

function withExtra(
  own: Record<string, unknown[]>,
  given: Columns,
  names: readonly string[],
  rows: number,
): Map<string, unknown[]> {
  const columns = new Map(Object.entries(own));
  for (const [name, values] of given.data) {
    if (names.includes(name)) continue;
    columns.set(
      name,
      Array.from({ length: rows }, (_, i) => values[i] ?? null),
    );
  }
  return columns;
}
