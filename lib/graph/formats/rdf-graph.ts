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

/** The best text that statements gave a node so far; a lower rank is better. */
interface Choice {
  text: string;
  rank: number;
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
    if (tail.startsWith('"')) {
      choose(this.#labels, labelPredicates, subject, relation, tail);
      choose(this.#descriptions, descriptionPredicates, subject, relation, tail);
    }
  }

  #node(id: string, line: number): number {
    const before = this.#nodes.values.length;
    const node = this.#nodes.code(id);
    if (node === before) this.#nodeLines.set(node, line);
    return node;
  }

  entities(from = 0, to = this.size.nodes): Columns {
    const ids = this.#nodes.values.slice(from, to);
    const literals = ids.map((id) => (id.startsWith('"') ? literalParts(id) : undefined));
    const column = (of: (row: number) => string | null): Column => ids.map((_, row) => of(row)) as unknown as Column;
    const kind = (row: number) => (literals[row] ? "literal" : ids[row]!.startsWith("_:") ? "blank node" : null);
    const data = new Map([
      ["id", ids as unknown as Column],
      ["label", column((row) => literals[row]?.value ?? this.#labels.get(from + row)?.text ?? null)],
      ["description", column((row) => this.#descriptions.get(from + row)?.text ?? null)],
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
    return { rows: ids.length, data };
  }

  triples(from = 0, to = this.size.statements): Columns {
    const column = (codes: number[], { values }: TextCodes) =>
      new TextColumn(Int32Array.from(codes.slice(from, to)), values);
    const labels = this.#relationNames.values.map((id) => this.#labels.get(this.#nodes.known(id) ?? -1)?.text ?? null);
    const data = new Map<string, Column>([
      ["head", column(this.#heads, this.#nodes)],
      ["relation", column(this.#relations, this.#relationNames)],
      ["tail", column(this.#tails, this.#nodes)],
    ]);
    if (labels.some((label) => label !== null))
      data.set(
        "relationLabel",
        this.#relations.slice(from, to).map((relation) => labels[relation]!) as unknown as Column,
      );
    if (this.#graphNames.values.length > 0) data.set("graph", column(this.#graphs, this.#graphNames));
    return { rows: to - from, data };
  }

  line = (row: number): number => this.#lines.of(row);
  nodeLine = (row: number): number => this.#nodeLines.of(row);

  notices(from = 0, to = this.size.nodes): Noticing {
    const notices = new Noticing();
    for (const [what, choices] of [
      ["nodes with several labels: one is the label, all stay triples", this.#labels],
      ["nodes with several descriptions: one is the description, all stay triples", this.#descriptions],
    ] as const)
      for (let node = from; node < to; node++)
        if (choices.get(node)?.several) notices.add(what, this.#nodes.values[node]!);
    return notices;
  }
}

function choose(
  choices: Map<number, Choice>,
  predicates: readonly string[],
  node: number,
  relation: string,
  tail: string,
): void {
  const order = predicates.indexOf(relation);
  if (order < 0) return;
  const { value, language } = literalParts(tail)!;
  const rank = 3 * order + (language === null ? 0 : /^en(?:-|$)/i.test(language) ? 1 : 2);
  const choice = choices.get(node);
  if (!choice) choices.set(node, { text: value, rank, several: false });
  else {
    choice.several = true;
    if (rank < choice.rank) {
      choice.text = value;
      choice.rank = rank;
    }
  }
}
