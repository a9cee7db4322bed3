import { type Column, type Columns, TextColumn } from "../columns.js";
import type { Noticing } from "../notices.js";
import { stack } from "../text-column.js";
import { type Labels, labelsFrom } from "./labels.js";

/** Texts that stand in files of their own. */
export interface LabelOptions {
  readonly entities?: Labels;
  readonly descriptions?: Labels;
  readonly relations?: Labels;
}

/** Tables while they are put together. */
export interface Tables {
  entities: Columns;
  triples: Columns;
}

export const noRows: Columns = { data: new Map(), rows: 0 };

/** What was read beside the tables, and what came of it. */
export interface Tally {
  readonly place: string;
  readonly noticing: Noticing;
  readonly repairing: Noticing;
  readonly read: Record<string, number>;
}

/** Distinct strings of a column. O(rows), without a string a row where it is a text column. */
function distinct(column: Column | undefined): Set<string> {
  if (!(column instanceof TextColumn)) return new Set((column ?? []) as Iterable<string>);
  const used = new Uint8Array(column.values.length);
  for (const code of column.codes) if (code >= 0) used[code] = 1;
  return new Set(column.values.filter((_, code) => used[code] === 1));
}

/** Ids at the ends of triples: heads in order of first appearance in the source, then tails. */
const endsOf = ({ data }: Columns): Set<string> =>
  new Set([...distinct(data.get("head")), ...distinct(data.get("tail"))]);

/** Labels, descriptions and relation labels by id; the tables' own texts win. O(cells). */
export async function joinLabels(tables: Tables, labels: LabelOptions, tally: Tally): Promise<void> {
  const { place, noticing, repairing, read } = tally;
  if (labels.entities || labels.descriptions) {
    const texts = await labelsFrom(place, labels.entities);
    const descriptions = await labelsFrom(place, labels.descriptions);
    if (labels.entities) read.entityLabels = texts.size;
    if (labels.descriptions) read.entityDescriptions = descriptions.size;
    const added = "entities that only a label names: a row was added";
    // without a table of entities the labels are that table
    const listed = tables.entities.rows > 0;
    let entities = withIds(tables.entities, texts.keys(), (id) => listed && noticing.add(added, id));
    // a description alone makes no entity: it is kept for ids that a triple or a row names
    if (descriptions.size > 0)
      entities = withIds(
        entities,
        [...endsOf(tables.triples)].filter((id) => descriptions.has(id)),
        (id) => repairing.add("ends of triples that have a description and no entity row: a row was added", id),
      );
    tables.entities = fill(fill(entities, "id", "label", texts), "id", "description", descriptions);
    const ids = distinct(tables.entities.data.get("id"));
    for (const id of descriptions.keys())
      if (!ids.has(id)) noticing.add("descriptions of ids that are no entities: left out", id);
  }
  if (labels.relations) {
    const texts = await labelsFrom(place, labels.relations);
    const used = distinct(tables.triples.data.get("relation"));
    read.relationLabels = texts.size;
    for (const id of texts.keys()) if (!used.has(id)) noticing.add("relation labels without triples", id);
    for (const id of used) if (!texts.has(id)) noticing.add("relations without a label: the id stands for it", id);
    tables.triples = fill(tables.triples, "relation", "relationLabel", texts);
  }
}

/** Pictures by id, after those that an entity's row names; an id that only a triple names gets a row. */
export function joinImages(
  tables: Tables,
  images: { readonly byEntity: ReadonlyMap<string, readonly unknown[]>; readonly skipped: readonly string[] },
  { noticing, repairing }: Tally,
): void {
  const known = new Set([...distinct(tables.entities.data.get("id")), ...endsOf(tables.triples)]);
  for (const name of images.skipped) noticing.add("files in the folder of pictures that are no pictures", name);
  for (const id of images.byEntity.keys()) if (!known.has(id)) noticing.add("pictures of ids that are no entities", id);
  const found = new Map([...images.byEntity].filter(([id]) => known.has(id)));
  const columns = withIds(tables.entities, found.keys(), (id) =>
    repairing.add("ends of triples that have pictures and no entity row: a row was added", id),
  );
  const old = columns.data.get("images");
  const ids = [...((columns.data.get("id") ?? []) as Iterable<string>)];
  tables.entities = {
    ...columns,
    data: new Map([
      ...columns.data,
      ["images", ids.map((id, i) => [...((old?.at(i) as unknown[] | null) ?? []), ...(found.get(id) ?? [])])],
    ]),
  };
}

/** The column `to`, filled from `texts` by the column `from` where it is empty. */
export function fill(columns: Columns, from: string, to: string, texts: ReadonlyMap<string, unknown>): Columns {
  const keys = columns.data.get(from) ?? [];
  const old = columns.data.get(to);
  const filled: unknown[] = [];
  let row = 0;
  for (const key of keys) filled.push(old?.at(row++) || (texts.get(key as string) ?? null));
  return { ...columns, data: new Map([...columns.data, [to, filled]]) };
}

/** The entities with a row added for each id that has none yet. */
function withIds(entities: Columns, ids: Iterable<string>, onAdded: (id: string) => void): Columns {
  const seen = distinct(entities.data.get("id"));
  const added = [...new Set(ids)].filter((id) => !seen.has(id));
  if (added.length === 0 && entities.data.has("id")) return entities;
  for (const id of added) onAdded(id);
  const rows: Columns = {
    data: new Map([["id", new TextColumn(Int32Array.from(added.keys()), added)]]),
    rows: added.length,
  };
  return entities.rows === 0 ? rows : stack([entities, rows]);
}
