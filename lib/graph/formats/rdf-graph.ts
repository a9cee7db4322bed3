import { type Column, type Columns, TextColumn } from "../columns.js";
import { Noticing } from "../notices.js";
import { TextCodes } from "../text-column.js";
import { RowLines } from "./lines.js";
import { literalParts } from "./rdf-terms.js";

/** Predicates that name an entity; the first in the list counts before the next. Their statements stay triples as well. */
const labelPredicates = [
  "http://www.w3.org/2000/01/rdf-schema#label",
  "http://www.w3.org/2004/02/skos/core#prefLabel",
  "http://schema.org/name",
  "https://schema.org/name",
  "http://xmlns.com/foaf/0.1/name",
];

const descriptionPredicates = [
  "http://www.w3.org/2000/01/rdf-schema#comment",
  "http://www.w3.org/2004/02/skos/core#definition",
  "http://schema.org/description",
  "https://schema.org/description",
  "http://purl.org/dc/terms/description",
];

const typePredicate = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/** Predicates whose object is the address of a picture. */
const picturePredicates = new Set([
  "http://xmlns.com/foaf/0.1/depiction",
  "http://xmlns.com/foaf/0.1/img",
  "http://schema.org/image",
  "https://schema.org/image",
  "http://dbpedia.org/ontology/thumbnail",
  "http://www.wikidata.org/prop/direct/P18",
]);

/** The last part of an IRI, escapes undone; null where it has none. */
function localName(iri: string): string | null {
  const part = /[^/#:]+(?=[/#]?$)/.exec(iri)?.[0];
  if (part === undefined || iri.startsWith("_:")) return null;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The best text that statements gave a node so far, and which statement; a lower rank is better. */
interface Choice {
  text: string;
  rank: number;
  statement: number;
  several: boolean;
}

/** How much a graph holds. */
export interface RdfSize {
  readonly nodes: number;
  readonly statements: number;
}

/**
 * Statements as two tables. Every node is an entity, in order of first mention: its id is its term, a literal's label its text, kept with
 * datatype and language. Of several labels of a node the first predicate of the list counts, then no language before English before others, then
 * the first in the file. O(statements).
 *
 * Several files may be read into one, each a range of nodes and of statements: a node is an entity of the file that names it first, and has the label that
 * any of them gives it.
 *
 * `described`: the statements that gave a node its label, description and pictures are no triples; what has no label gets the last part of its
 * IRI, and a node the name of its first type as its kind.
 */
export class RdfGraph {
  /** Labels of blank nodes that are taken: two files mean two nodes by one label. */
  readonly blankLabels = new Set<string>();
  readonly #nodes = new TextCodes();
  readonly #relationNames = new TextCodes();
  readonly #graphNames = new TextCodes();
  readonly #heads: number[] = [];
  readonly #relations: number[] = [];
  readonly #tails: number[] = [];
  readonly #graphs: number[] = [];
  readonly #lines = new RowLines();
  readonly #nodeLines = new RowLines();
  readonly #labels = new Map<number, Choice>();
  readonly #descriptions = new Map<number, Choice>();
  readonly #types = new Map<number, number>();
  readonly #pictures = new Map<number, { readonly address: string; readonly statement: number }[]>();

  constructor(private readonly described = false) {}

  get size(): RdfSize {
    return { nodes: this.#nodes.values.length, statements: this.#heads.length };
  }

  add(head: string, relation: string, tail: string, graph: string | null, line: number): void {
    const subject = this.#node(head, line);
    const object = this.#node(tail, line);
    this.#lines.set(this.#heads.length, line);
    this.#heads.push(subject);
    this.#tails.push(object);
    this.#relations.push(this.#relationNames.code(relation));
    this.#graphs.push(graph === null ? -1 : this.#graphNames.code(graph));
    const statement = this.#heads.length - 1;
    if (tail.startsWith('"')) {
      choose(this.#labels, labelPredicates, subject, relation, tail, statement);
      choose(this.#descriptions, descriptionPredicates, subject, relation, tail, statement);
    } else if (!this.described) return;
    else if (relation === typePredicate && !this.#types.has(subject)) this.#types.set(subject, object);
    else if (picturePredicates.has(relation) && /^https?:/i.test(tail)) {
      const pictures = this.#pictures.get(subject) ?? [];
      this.#pictures.set(subject, [...pictures, { address: tail, statement }]);
    }
  }

  /** Statements that became texts or pictures of their heads. */
  #told(): Set<number> {
    if (!this.described) return new Set();
    const said = [...this.#labels.values(), ...this.#descriptions.values(), ...[...this.#pictures.values()].flat()];
    return new Set(said.map(({ statement }) => statement));
  }

  /** Those of a range that are triples. */
  statements(from = 0, to = this.size.statements): number[] {
    const told = this.#told();
    return range(from, to).filter((statement) => !told.has(statement));
  }

  /** Those of a range that are entities: all but what only a text or picture of another node mentions. */
  nodes(from = 0, to = this.size.nodes): number[] {
    const told = this.#told();
    if (told.size === 0) return range(from, to);
    const named = new Set(this.#heads);
    for (const [statement, tail] of this.#tails.entries()) if (!told.has(statement)) named.add(tail);
    return range(from, to).filter((node) => named.has(node));
  }

  #name(node: number): string | null {
    return this.#labels.get(node)?.text ?? (this.described ? localName(this.#nodes.values[node]!) : null);
  }

  #node(id: string, line: number): number {
    const before = this.#nodes.values.length;
    const node = this.#nodes.code(id);
    if (node === before) this.#nodeLines.set(node, line);
    return node;
  }

  entities(nodes: readonly number[] = this.nodes()): Columns {
    const ids = nodes.map((node) => this.#nodes.values[node]!);
    const literals = ids.map((id) => (id.startsWith('"') ? literalParts(id) : undefined));
    const column = (of: (row: number) => string | null): Column => ids.map((_, row) => of(row)) as unknown as Column;
    const kind = (row: number) => {
      const type = this.#types.get(nodes[row]!);
      if (type !== undefined) return this.#name(type);
      return literals[row] ? "literal" : ids[row]!.startsWith("_:") ? "blank node" : null;
    };
    const data = new Map([
      ["id", ids as unknown as Column],
      ["label", column((row) => literals[row]?.value ?? this.#name(nodes[row]!))],
      ["description", column((row) => this.#descriptions.get(nodes[row]!)?.text ?? null)],
      ["kind", column(kind)],
    ]);
    if (literals.some((literal) => literal !== undefined)) {
      data.set(
        "datatype",
        column((row) => literals[row]?.datatype ?? null),
      );
      data.set(
        "language",
        column((row) => literals[row]?.language ?? null),
      );
    }
    if (nodes.some((node) => this.#pictures.has(node)))
      data.set(
        "images",
        nodes.map((node) => this.#pictures.get(node)?.map(({ address }) => address) ?? null) as unknown as Column,
      );
    return { rows: ids.length, data };
  }

  triples(statements: readonly number[] = this.statements()): Columns {
    const column = (codes: number[], { values }: TextCodes) =>
      new TextColumn(
        Int32Array.from(statements, (statement) => codes[statement]!),
        values,
      );
    const labels = this.#relationNames.values.map(
      (id) => this.#labels.get(this.#nodes.known(id) ?? -1)?.text ?? (this.described ? localName(id) : null),
    );
    const data = new Map<string, Column>([
      ["head", column(this.#heads, this.#nodes)],
      ["relation", column(this.#relations, this.#relationNames)],
      ["tail", column(this.#tails, this.#nodes)],
    ]);
    if (labels.some((label) => label !== null))
      data.set(
        "relationLabel",
        statements.map((statement) => labels[this.#relations[statement]!]!) as unknown as Column,
      );
    if (this.#graphNames.values.length > 0) data.set("graph", column(this.#graphs, this.#graphNames));
    return { rows: statements.length, data };
  }

  line = (statement: number): number => this.#lines.of(statement);
  nodeLine = (node: number): number => this.#nodeLines.of(node);

  /** Of the nodes and statements from one size to another. */
  notices({ nodes: from, statements }: RdfSize, { nodes: to, statements: end }: RdfSize): Noticing {
    const notices = new Noticing();
    for (const told of this.#told())
      if (told >= statements && told < end)
        notices.add(
          "statements that became a label, description or picture, and are no triples",
          this.#nodes.values[this.#heads[told]!]!,
        );
    const others = this.described ? "the others" : "all";
    for (const [what, choices] of [
      [`nodes with several labels: one is the label, ${others} stay triples`, this.#labels],
      [`nodes with several descriptions: one is the description, ${others} stay triples`, this.#descriptions],
    ] as const)
      for (let node = from; node < to; node++)
        if (choices.get(node)?.several) notices.add(what, this.#nodes.values[node]!);
    return notices;
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

function choose(
  choices: Map<number, Choice>,
  predicates: readonly string[],
  node: number,
  relation: string,
  tail: string,
  statement: number,
): void {
  const order = predicates.indexOf(relation);
  if (order < 0) return;
  const { value, language } = literalParts(tail)!;
  const rank = 3 * order + (language === null ? 0 : /^en(?:-|$)/i.test(language) ? 1 : 2);
  const choice = choices.get(node);
  if (!choice) choices.set(node, { text: value, rank, statement, several: false });
  else {
    choice.several = true;
    if (rank < choice.rank) {
      choice.text = value;
      choice.rank = rank;
      choice.statement = statement;
    }
  }
}
