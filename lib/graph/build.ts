import type { ColumnTable } from "arquero";
import { type Image, isImage, MkgError, quote } from "../core/index.js";
import { type Adjacency, adjacency } from "./adjacency.js";
import { meantBy } from "./column-names.js";
import {
  type Column,
  type Columns,
  columnsOf,
  frozenTable,
  RowNumbers,
  type TableInput,
  TextColumn,
  type Where,
} from "./columns.js";
import { frozenImage, noImages } from "./images/open.js";
import { duplicateRows, type Notice, Noticing } from "./notices.js";
import { textColumn } from "./text-column.js";
import type { LoadReport } from "./types.js";

/** What a graph is made of. Rows of `ids` … `images` are entities; rows of `head`, `tail`, `relation` … are triples. */
export interface GraphParts {
  readonly entities: ColumnTable;
  readonly triples: ColumnTable;
  readonly ids: readonly string[];
  /** The same array as `ids` when no entity has a label of its own. */
  readonly labels: readonly string[];
  readonly descriptions: readonly string[];
  readonly kinds: readonly string[];
  readonly images: readonly (readonly Image[])[];
  readonly rowOf: ReadonlyMap<string, number>;
  readonly tripleIds: Column<string | null>;
  tripleRowOf(id: string): number | undefined;
  readonly head: Int32Array;
  readonly tail: Int32Array;
  readonly relations: readonly string[];
  readonly relation: Int32Array;
  readonly relationLabels: TextColumn;
  readonly conditions: TextColumn;
  readonly out: Adjacency;
  readonly in: Adjacency;
  /** Names of the columns that the source has beyond those known here. */
  readonly furtherOfEntities: readonly string[];
  readonly furtherOfTriples: readonly string[];
  readonly report: LoadReport;
}

export interface BuildInput {
  readonly place: string;
  readonly entities: Columns;
  readonly triples: Columns;
  readonly whereEntity?: Where;
  readonly whereTriple?: Where;
  /** What a loader counted, noticed and altered before; the own come after. `added`: entity rows it put in. */
  readonly read?: Readonly<Record<string, number>>;
  readonly added?: number;
  readonly repaired?: readonly Notice[];
  readonly notices?: readonly Notice[];
  readonly refused?: LoadReport["refused"];
}

const entityColumns = ["id", "label", "description", "kind", "images"];
const tripleColumns = ["id", "head", "relation", "relationLabel", "tail", "condition"];

/** The columns of both tables, as {@link build} takes them. */
export const tables = (place: string, entities: TableInput | undefined, triples: TableInput | undefined) => ({
  entities: columnsOf(place, "entities", entities),
  triples: columnsOf(place, "triples", triples),
});

/**
 * Validates, indexes and freezes. O(entities + triples) time and memory: about 40 bytes a triple in codes and index, each distinct string once.
 */
export function build(input: BuildInput): GraphParts {
  const { place, entities, triples } = input;
  const whereEntity = input.whereEntity ?? ((row) => `entities, row ${row} (from 0)`);
  const whereTriple = input.whereTriple ?? ((row) => `triples, row ${row} (from 0)`);
  const noticing = new Noticing();
  const repairing = new Noticing();

  const required = (where: Where, column: string) => (row: number) => {
    throw new MkgError(
      place,
      `${where(row)}, column ${column}: empty`,
      "Every row needs one",
      "Fill it in or remove the row",
    );
  };
  const given = entities.rows;
  const ids = given === 0 ? [] : strings(textColumn(place, entities, "id", whereEntity, required(whereEntity, "id")));
  const rowOf = uniqueRows(place, "entity id", ids, whereEntity);
  const column = (name: string, fallback: (row: number) => string) =>
    entities.data.has(name) ? strings(textColumn(place, entities, name, whereEntity, fallback)) : undefined;
  const ownLabels = column("label", (row) => ids[row]!);
  const descriptions = column("description", () => "") ?? new Array<string>(given).fill("");
  const kinds = column("kind", () => "") ?? new Array<string>(given).fill("");
  const images = imageColumn(place, entities, whereEntity);

  const need = (name: string) => textColumn(place, triples, name, whereTriple, required(whereTriple, name));
  const heads = need("head");
  const tails = need("tail");
  const relationNames = need("relation");
  const tripleIds = triples.data.has("id") ? need("id") : new RowNumbers(triples.rows);
  const tripleRowOf =
    tripleIds instanceof RowNumbers ? numbered(triples.rows) : uniqueTexts(place, tripleIds, whereTriple);

  const added = (id: string): number => {
    const row = ids.push(id) - 1;
    rowOf.set(id, row);
    ownLabels?.push(id);
    descriptions.push("");
    kinds.push("");
    images.push(noImages);
    repairing.add("ends of triples without an entity row: an entity with the id as label was added", id);
    return row;
  };
  const { head, tail } = entityRows(heads, tails, rowOf, added);
  const { rows: relation, names: relations } = dense(relationNames);
  const relationColumn = new TextColumn(relation, relations);
  const relationLabels = triples.data.has("relationLabel")
    ? textColumn(place, triples, "relationLabel", whereTriple, (row) => relations[relation[row]!]!)
    : relationColumn;
  const conditions = triples.data.has("condition")
    ? textColumn(place, triples, "condition", whereTriple, () => "")
    : new TextColumn(new Int32Array(triples.rows), [""]);
  const labels = ownLabels ?? ids;
  const out = adjacency(head, tail, ids.length);
  const inward = adjacency(tail, head, ids.length);

  for (const t of duplicateRows(head, relation, tail, conditions.codes))
    noticing.add("duplicate triples", tripleIds.at(t)!);
  for (let e = 0; e < ids.length; e++) {
    if (out.start[e] === out.start[e + 1] && inward.start[e] === inward.start[e + 1])
      noticing.add("entities without triples", ids[e]!);
    if (/^\s|\s$/.test(ids[e]!)) noticing.add("entity ids that begin or end with white space", JSON.stringify(ids[e]));
  }
  if (labels !== ids) {
    const seen = new Set<string>();
    labels.forEach((label, e) => {
      if (seen.has(label)) noticing.add("entities whose label an earlier entity has", ids[e]!);
      seen.add(label);
    });
  }

  const furtherOfEntities = [...entities.data.keys()].filter((name) => !entityColumns.includes(name));
  const furtherOfTriples = [...triples.data.keys()].filter((name) => !tripleColumns.includes(name));
  for (const [table, { data }, further, known] of [
    ["entities", entities, furtherOfEntities, entityColumns],
    ["triples", triples, furtherOfTriples, tripleColumns],
  ] as const)
    for (const name of further) {
      const meant = meantBy(name, known);
      if (meant !== undefined && !data.has(meant))
        noticing.add(
          "further columns that may be meant as known ones, and are not read as such",
          `${table}, ${name}: ${meant}?`,
        );
    }
  const table = (own: Record<string, Column>, from: Columns, further: readonly string[], rows: number) =>
    frozenTable(
      new Map([
        ...Object.entries(own),
        ...further.map((name) => [name, lengthened(from.data.get(name)!, rows)] as const),
      ]),
    );
  return {
    entities: table(
      { id: ids, label: labels, description: descriptions, kind: kinds, images },
      entities,
      furtherOfEntities,
      ids.length,
    ),
    triples: table(
      {
        id: tripleIds,
        head: new TextColumn(head, ids),
        relation: relationColumn,
        relationLabel: relationLabels,
        tail: new TextColumn(tail, ids),
        condition: conditions,
      },
      triples,
      furtherOfTriples,
      triples.rows,
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
    relations,
    relation,
    relationLabels,
    conditions,
    out,
    in: inward,
    furtherOfEntities,
    furtherOfTriples,
    report: Object.freeze({
      read: Object.freeze(input.read ?? { entities: given, triples: triples.rows }),
      kept: Object.freeze({ entities: ids.length, triples: triples.rows }),
      added: Object.freeze({ entities: (input.added ?? 0) + ids.length - given, triples: 0 }),
      repaired: Object.freeze([...(input.repaired ?? []), ...repairing.list()]),
      notices: Object.freeze([...(input.notices ?? []), ...noticing.list()]),
      refused: Object.freeze([...(input.refused ?? [])]),
    }),
  };
}

const strings = (column: TextColumn): string[] => Array.from(column.codes, (code) => column.values[code]!);

/** Rows of the entities at both ends of each triple, head before tail; an id without a row is `added`. One look-up per distinct string, not per mention. */
function entityRows(
  heads: TextColumn,
  tails: TextColumn,
  rowOf: ReadonlyMap<string, number>,
  added: (id: string) => number,
) {
  const head = new Int32Array(heads.length);
  const tail = new Int32Array(heads.length);
  const rowsOfHeads = new Int32Array(heads.values.length).fill(-1);
  const rowsOfTails = tails.values === heads.values ? rowsOfHeads : new Int32Array(tails.values.length).fill(-1);
  const row = (rows: Int32Array, code: number, values: readonly string[]): number => {
    const known = rows[code]!;
    if (known >= 0) return known;
    const id = values[code]!;
    const found = rowOf.get(id) ?? added(id);
    rows[code] = found;
    return found;
  };
  for (let t = 0; t < head.length; t++) {
    head[t] = row(rowsOfHeads, heads.codes[t]!, heads.values);
    tail[t] = row(rowsOfTails, tails.codes[t]!, tails.values);
  }
  return { head, tail };
}

/** Codes in order of first appearance: a column's list of values may hold strings of other columns too. */
function dense(column: TextColumn): { rows: Int32Array; names: string[] } {
  const rows = new Int32Array(column.length);
  const rowOfCode = new Int32Array(column.values.length).fill(-1);
  const names: string[] = [];
  for (let t = 0; t < rows.length; t++) {
    const code = column.codes[t]!;
    if (rowOfCode[code]! < 0) rowOfCode[code] = names.push(column.values[code]!) - 1;
    rows[t] = rowOfCode[code]!;
  }
  return { rows, names };
}

const secondRow = (place: string, what: string, id: string, where: Where, row: number, first: number) =>
  new MkgError(
    place,
    `${where(row)}: a second row with the ${what} ${quote(id)}; the first is ${where(first)}`,
    "Ids are distinct",
    "Remove or rename one of them",
  );

function uniqueRows(place: string, what: string, ids: readonly string[], where: Where): Map<string, number> {
  const rows = new Map<string, number>();
  for (let i = 0; i < ids.length; i++) {
    const first = rows.get(ids[i]!);
    if (first !== undefined) throw secondRow(place, what, ids[i]!, where, i, first);
    rows.set(ids[i]!, i);
  }
  return rows;
}

/** Look-up of triple ids of their own: distinctness is checked on codes now, the map is made when first asked for. */
function uniqueTexts(place: string, ids: TextColumn, where: Where): (id: string) => number | undefined {
  const first = new Int32Array(ids.values.length).fill(-1);
  for (let row = 0; row < ids.length; row++) {
    const code = ids.codes[row]!;
    if (first[code]! >= 0) throw secondRow(place, "triple id", ids.values[code]!, where, row, first[code]!);
    first[code] = row;
  }
  let rows: Map<string, number> | undefined;
  return (id) => {
    rows ??= new Map(Array.from(ids.codes, (code, row) => [ids.values[code]!, row]));
    return rows.get(id);
  };
}

// a pattern takes a number for its text, and 0 is no id where "0" is one
const numbered = (rows: number) => (id: unknown) =>
  typeof id === "string" && /^(0|[1-9]\d{0,9})$/.test(id) && Number(id) < rows ? Number(id) : undefined;

function imageColumn(place: string, entities: Columns, where: Where): (readonly Image[])[] {
  const column = entities.data.get("images");
  if (!column) return new Array<readonly Image[]>(entities.rows).fill(noImages);
  return Array.from({ length: entities.rows }, (_, i) => {
    const value = column.at(i) ?? noImages;
    if (!Array.isArray(value) || !value.every(isImage))
      throw new MkgError(
        place,
        `${where(i)}, column images: not a list of images (${quote(value)})`,
        "Images are {id, key, bytes()}",
        "Make them of references: fileImage for a file, bytesImage for bytes, openImage for a path in a folder, a data URL or an address, frameFolder for the frames of a clip",
      );
    return value.length === 0 ? noImages : Object.freeze(value.map(frozenImage));
  });
}

/** The column with a null for each row that was added. */
function lengthened(column: Column, rows: number): Column {
  if (column.length === rows) return column;
  const more = rows - column.length;
  if (column instanceof TextColumn) {
    const codes = new Int32Array(rows).fill(-1);
    codes.set(column.codes);
    return new TextColumn(codes, column.values);
  }
  return [...column, ...new Array<null>(more).fill(null)].map((value) => value ?? null);
}
