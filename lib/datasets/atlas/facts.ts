import { type Image, words } from "../../core/index.js";
import type { Graph, Neighbour } from "../../graph/index.js";

/** Relation ids of the atlas, as in `data/atlas/triples.tsv`. */
export const relation = {
  capital: "has the capital",
  capitalOf: "is the capital of",
  borders: "borders",
  currency: "uses the currency",
  language: "has the official language",
  script: "is written in",
  liesIn: "lies in",
  partOf: "is part of",
  unGroup: "belongs to the UN regional group",
  domain: "has the internet domain",
  demonym: "has inhabitants called",
  isA: "is a",
} as const;

/** A way through the graph: entity ids, and the triple ids between them. */
export interface Route {
  readonly path: readonly string[];
  readonly triples: readonly string[];
}

/** What questions are made from: the graph, read by relation. Costs one pass over its tables. */
export class Facts {
  /** Ids of the countries and territories, in the order of the table. */
  readonly countries: readonly string[];
  /** Id → its position in `countries`. */
  readonly position: ReadonlyMap<string, number>;
  /** Those whose flag is hard to tell from another's. */
  readonly flagsAlike: ReadonlySet<string>;
  readonly #graph: Graph;
  readonly #aliases = new Map<string, readonly string[]>();
  readonly #spellings = new Map<string, readonly string[]>();
  readonly #named = new Map<string, number>();
  readonly #borders = new Map<string, readonly Neighbour[]>();
  readonly #stated = new Map<string, string>();

  constructor(graph: Graph) {
    this.#graph = graph;
    const alike = new Set<string>();
    const countries: string[] = [];
    const column = (name: string) => graph.entities.array(name) as (string | null)[];
    const [ids, kinds, aliases, flagLike] = ["id", "kind", "aliases", "flagLike"].map(column) as [
      string[],
      string[],
      (string | null)[],
      (string | null)[],
    ];
    ids.forEach((id, i) => {
      if (kinds[i] === "country") countries.push(id);
      if (flagLike[i]) alike.add(id);
      this.#aliases.set(id, aliases[i] ? (aliases[i] as string).split("|") : []);
      for (const key of new Set(this.spellings(id).map((name) => mentionKey(kinds[i] as string, name))))
        this.#named.set(key, (this.#named.get(key) ?? 0) + 1);
    });
    for (const id of graph.triples.array("id") as string[]) {
      const { head, relation: r, tail } = graph.triple(id);
      this.#stated.set(statedKey(head, r, tail), id);
    }
    this.countries = countries;
    this.position = new Map(countries.map((id, i) => [id, i]));
    this.flagsAlike = alike;
  }

  label(id: string): string {
    return this.#graph.entity(id).label;
  }

  /** Its label, then its aliases. */
  names(id: string): readonly string[] {
    return [this.label(id), ...(this.#aliases.get(id) as readonly string[])];
  }

  /** Its names as words with a blank around them, for finding them in one another. */
  spellings(id: string): readonly string[] {
    let known = this.#spellings.get(id);
    if (!known) {
      known = this.names(id).map((name) => ` ${words(name).join(" ")} `);
      this.#spellings.set(id, known);
    }
    return known;
  }

  flag(country: string): Image {
    return this.#graph.entity(country).images[0] as Image;
  }

  /** Whether its label names no other entity of its kind. */
  isClear(id: string): boolean {
    return this.#named.get(mentionKey(this.#graph.entity(id).kind, this.spellings(id)[0] as string)) === 1;
  }

  /** Each route, one edge of the relation further. */
  along(routes: readonly Route[], wanted: string): Route[] {
    return routes.flatMap(({ path, triples }) =>
      this.#graph
        .neighbours(path.at(-1) as string, { relation: wanted })
        .map((n) => ({ path: [...path, n.entity], triples: [...triples, n.triple] })),
    );
  }

  /** Each route, one border further, in either sense of the triple: who borders is bordered. One route for each neighbour; none goes back. */
  across(routes: readonly Route[]): Route[] {
    return routes.flatMap(({ path, triples }) =>
      this.#around(path.at(-1) as string)
        .filter((n) => !path.includes(n.entity))
        .map((n) => ({ path: [...path, n.entity], triples: [...triples, n.triple] })),
    );
  }

  /** Neighbours by land, each with one triple that says so: the outgoing one where there are both. */
  #around(country: string): readonly Neighbour[] {
    let found = this.#borders.get(country);
    if (!found) {
      const each = new Map<string, Neighbour>();
      for (const n of this.#graph.neighbours(country, { direction: "both", relation: relation.borders }))
        if (n.direction === "out" || !each.has(n.entity)) each.set(n.entity, n);
      found = [...each.values()];
      this.#borders.set(country, found);
    }
    return found;
  }

  /** Countries that border this one. */
  neighbours(country: string): string[] {
    return this.#around(country).map((n) => n.entity);
  }

  /** Heads of the triples with this relation and tail, each with its triple. */
  heads(tail: string, wanted: string): { readonly entity: string; readonly triple: string }[] {
    return this.#graph.neighbours(tail, { direction: "in", relation: wanted });
  }

  /** The triple that says so, if one does. */
  triple(head: string, wanted: string, tail: string): string | undefined {
    return this.#stated.get(statedKey(head, wanted, tail));
  }

  /** Whether it is a border that one of the two countries alone states. */
  isOneSided(id: string): boolean {
    return this.#graph.triple(id).relation === relation.borders && this.reversed(id).length === 0;
  }

  /** Triples that state what this one states, the other way round: of a border, of a capital. */
  reversed(id: string): string[] {
    const { head, tail, relation: r } = this.#graph.triple(id);
    const other = reverse[r];
    return other === undefined ? [] : [this.triple(tail, other, head)].filter((t) => t !== undefined);
  }
}

/** Relations whose other direction the graph states too. */
const reverse: Readonly<Record<string, string>> = {
  [relation.borders]: relation.borders,
  [relation.capital]: relation.capitalOf,
  [relation.capitalOf]: relation.capital,
};

const statedKey = (head: string, wanted: string, tail: string) => `${head}\t${wanted}\t${tail}`;
const mentionKey = (kind: string, spelling: string) => `${kind}:${spelling}`;

export const start = (id: string): Route => ({ path: [id], triples: [] });
export const last = ({ path }: Route): string => path.at(-1) as string;
