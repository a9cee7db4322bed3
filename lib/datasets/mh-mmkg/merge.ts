import type { Image } from "../../core/index.js";
import { fixedElements, type Naming } from "./names.js";
import type { Scope } from "./scope.js";
import type { MonsterSheets, NodeRow, RelationRow } from "./sheets.js";

/** An entity as the graph's table takes it. */
export interface MergedEntity {
  readonly id: string;
  readonly kind: string;
  readonly description: string;
  readonly images: readonly Image[];
  readonly additionalInformation: string;
  /** Paths of clips below the data set's folder, `|` between. */
  readonly video: string;
}

export interface MergedTriple {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
  readonly condition: string;
  readonly information: string;
  /** Whose sheet it stands in, and where. */
  readonly monster: string;
  readonly sheetRow: string;
}

export interface Merged {
  readonly entities: readonly MergedEntity[];
  readonly triples: readonly MergedTriple[];
  /** Entities that no node row names: fixed elements, and ends of relations. */
  readonly added: number;
}

/** What an entity's caption is, given its id and the human one. */
export type CaptionOf = (id: string, human: string) => string;

const bare = (naming: Naming, id: string): MergedEntity => ({
  id,
  kind: naming.kind(id),
  description: "",
  images: [],
  additionalInformation: "",
  video: "",
});

const tripleOf = (row: RelationRow): MergedTriple => ({
  head: row.head,
  relation: row.relation,
  tail: row.tail,
  condition: row.condition,
  information: row.information,
  monster: row.monster,
  sheetRow: String(row.source.line),
});

/**
 * One graph that keeps every row: rows of one entity give it their texts (distinct ones, a line each), pictures and clips; each row of relations is a
 * triple. O(rows).
 */
export function union(scope: Scope, naming: Naming, sheets: readonly MonsterSheets[], captionOf: CaptionOf): Merged {
  const rowsOf = new Map<string, NodeRow[]>();
  for (const row of sheets.flatMap(({ nodes }) => nodes)) {
    const known = rowsOf.get(row.id);
    if (known) {
      scope.notices.add(
        "node rows of an entity that has one already: their texts, pictures and clips are joined",
        `${row.source.short}: ${row.id}`,
      );
      known.push(row);
    } else rowsOf.set(row.id, [row]);
  }
  const entities = [...rowsOf].map(([id, rows]): MergedEntity => {
    const human = joined(rows.map((row) => row.caption));
    return {
      id,
      kind: naming.kind(id),
      description: captionOf(id, human),
      images: [...new Map(rows.flatMap((row) => row.images).map((image) => [image.id, image])).values()],
      additionalInformation: joined(rows.map((row) => row.information)),
      video: joined(
        rows.map((row) => row.video),
        "|",
      ),
    };
  });
  const triples = sheets.flatMap(({ relations }) => relations).map(tripleOf);
  const pairs = new Set<string>();
  for (const { source, head, tail } of sheets.flatMap(({ relations }) => relations)) {
    const pair = JSON.stringify([head, tail]);
    if (pairs.has(pair))
      scope.notices.add("relation rows between two entities that an earlier row joins: parallel edges", source.short);
    pairs.add(pair);
  }
  return completed(scope, naming, entities, triples);
}

/**
 * The graph as the released code makes it: within a sheet the last relation between two entities stays; of two monsters that name one entity, or
 * have edges from one head, the later one's stay; fixed elements are empty, whatever the sheets say. Later means in code-unit order of the folders' names: the
 * released order is that of the file system, which cannot be had again. Each row that loses is listed as refused.
 */
export function asReleased(
  scope: Scope,
  naming: Naming,
  sheets: readonly MonsterSheets[],
  captionOf: CaptionOf,
): Merged {
  const entities = new Map<string, NodeRow | undefined>();
  const adjacency = new Map<string, Map<string, RelationRow>>();
  const lose = (table: string, row: NodeRow | RelationRow | undefined, why: string) => {
    if (row) scope.leaveOut(table, row.source.file, row.source.line, `${why}, as released`);
  };
  const over = (row: NodeRow | RelationRow) => `overwritten by ${row.source.short}`;
  for (const { nodes, relations } of sheets) {
    for (const row of nodes) {
      lose("node rows", entities.get(row.id), over(row));
      entities.set(row.id, row);
    }
    for (const element of fixedElements) {
      lose("node rows", entities.get(element), "a fixed element, which stays empty");
      entities.set(element, undefined);
    }
    const own = new Map<string, Map<string, RelationRow>>();
    for (const row of relations) {
      const tails = own.get(row.head) ?? new Map<string, RelationRow>();
      own.set(row.head, tails);
      lose("relation rows", tails.get(row.tail), over(row));
      tails.set(row.tail, row);
    }
    for (const [head, tails] of own) {
      const [first] = tails.values();
      for (const row of adjacency.get(head)?.values() ?? []) lose("relation rows", row, over(first as RelationRow));
      adjacency.set(head, tails);
    }
  }
  const kept = [...entities].map(([id, row]): MergedEntity => {
    if (!row) return bare(naming, id);
    const { images, information, video, caption } = row;
    return {
      ...bare(naming, id),
      description: captionOf(id, caption),
      images,
      additionalInformation: information,
      video,
    };
  });
  const triples = [...adjacency.values()].flatMap((tails) => [...tails.values()].map(tripleOf));
  const fixed = kept.filter(({ id }) => entities.get(id) === undefined).length;
  return completed(scope, naming, kept, triples, fixed);
}

/** The texts of several rows as one: blank and repeated ones left out. */
const joined = (texts: readonly string[], between = "\n"): string =>
  [...new Set(texts.filter((text) => text !== ""))].join(between);

/** With the fixed elements and the ends of triples that no row names, both without any text. */
function completed(
  scope: Scope,
  naming: Naming,
  entities: readonly MergedEntity[],
  triples: readonly MergedTriple[],
  before = 0,
): Merged {
  const known = new Set(entities.map(({ id }) => id));
  const elements = fixedElements.filter((id) => !known.has(id));
  for (const id of elements) known.add(id);
  const ends = new Set(triples.flatMap(({ head, tail }) => [head, tail]).filter((id) => !known.has(id)));
  for (const id of ends)
    scope.repaired.add("ends of relations without a node row: an entity without texts was added", id);
  const more = [...elements, ...ends].map((id) => bare(naming, id));
  return { entities: [...entities, ...more], triples, added: before + more.length };
}
