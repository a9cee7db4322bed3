import { refuseUnknown } from "../../core/index.js";
import { type Column, type Columns, TextColumn } from "../columns.js";
import { Noticing } from "../notices.js";
import { RowLines } from "./lines.js";
import { literalParts } from "./rdf-terms.js";

/** Which predicates name and describe an entity; the first in the list counts before the next. */
export interface RdfOptions {
  /** Default: rdfs:label, skos:prefLabel, schema:name, foaf:name. Their statements stay triples as well. */
  readonly labels?: readonly string[];
  /** Default: rdfs:comment, skos:definition, schema:description, dcterms:description. */
  readonly descriptions?: readonly string[];
}

const rdfDefaults: Required<RdfOptions> = {
  labels: [
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
  ],
  descriptions: [
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#definition",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://purl.org/dc/terms/description",
  ],
};

/** The best text that statements gave a node so far; a lower rank is better. */
interface Choice {
  text: string;
  rank: number;
  several: boolean;
}

/**
 * Statements as two tables. Every node is an entity, in order of first mention: its id is its term, a literal's label its text, kept with
 * datatype and language. Of several labels of a node the first predicate of the list counts, then no language before English before others, then
 * the first in the file. O(statements).
 */
export class RdfGraph {
  readonly #nodes = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #heads: number[] = [];
  readonly #relations: number[] = [];
  readonly #tails: number[] = [];
  readonly #graphs: number[] = [];
  #named = false;
  readonly #lines = new RowLines();
  readonly #nodeLines = new RowLines();
  readonly #labels = new Map<number, Choice>();
  readonly #descriptions = new Map<number, Choice>();
  readonly #options: Required<RdfOptions>;
  readonly #relationNodes = new Map<string, number>();
  readonly #relationIds: string[] = [];
  readonly #graphIds: string[] = [];
  readonly #graphCodes = new Map<string, number>();

  constructor(place: string, options: RdfOptions = {}) {
    refuseUnknown(place, options, ["labels", "descriptions"], "option");
    this.#options = { ...rdfDefaults, ...options };
  }

  get size(): number {
    return this.#heads.length;
  }

  add(head: string, relation: string, tail: string, graph: string | null, line: number): void {
    const subject = this.#node(head, line);
    const object = this.#node(tail, line);
    this.#lines.set(this.#heads.length, line);
    this.#heads.push(subject);
    this.#tails.push(object);
    this.#relations.push(code(relation, this.#relationNodes, this.#relationIds));
    this.#graphs.push(graph === null ? -1 : code(graph, this.#graphCodes, this.#graphIds));
    this.#named ||= graph !== null;
    if (tail.startsWith('"')) {
      this.#choose(this.#labels, this.#options.labels, subject, relation, tail);
      this.#choose(this.#descriptions, this.#options.descriptions, subject, relation, tail);
    }
  }

  #node(id: string, line: number): number {
    const before = this.#ids.length;
    const node = code(id, this.#nodes, this.#ids);
    if (node === before) this.#nodeLines.set(node, line);
    return node;
  }

  #choose(
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

  entities(): Columns {
    const literals = this.#ids.map((id) => (id.startsWith('"') ? literalParts(id) : undefined));
    const column = (of: (row: number) => string | null): Column =>
      this.#ids.map((_, row) => of(row)) as unknown as Column;
    const kind = (row: number) => (literals[row] ? "literal" : this.#ids[row]!.startsWith("_:") ? "blank node" : null);
    const data = new Map([
      ["id", this.#ids as unknown as Column],
      ["label", column((row) => literals[row]?.value ?? this.#labels.get(row)?.text ?? null)],
      ["description", column((row) => this.#descriptions.get(row)?.text ?? null)],
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
    return { rows: this.#ids.length, data };
  }

  triples(): Columns {
    const column = (codes: number[], values: string[]) => new TextColumn(Int32Array.from(codes), values);
    const labels = this.#relationIds.map((id) => this.#labels.get(this.#nodes.get(id) ?? -1)?.text ?? null);
    const data = new Map<string, Column>([
      ["head", column(this.#heads, this.#ids)],
      ["relation", column(this.#relations, this.#relationIds)],
      ["tail", column(this.#tails, this.#ids)],
    ]);
    if (labels.some((label) => label !== null))
      data.set("relationLabel", this.#relations.map((relation) => labels[relation]!) as unknown as Column);
    if (this.#named) data.set("graph", column(this.#graphs, this.#graphIds));
    return { rows: this.#heads.length, data };
  }

  line = (row: number): number => this.#lines.of(row);
  nodeLine = (row: number): number => this.#nodeLines.of(row);

  notices(): Noticing {
    const notices = new Noticing();
    for (const [what, choices] of [
      ["nodes with several labels: one is the label, all stay triples", this.#labels],
      ["nodes with several descriptions: one is the description, all stay triples", this.#descriptions],
    ] as const)
      for (const [node, { several }] of choices) if (several) notices.add(what, this.#ids[node]!);
    return notices;
  }
}

function code(text: string, codes: Map<string, number>, values: string[]): number {
  let found = codes.get(text);
  if (found === undefined) {
    found = values.push(text) - 1;
    codes.set(text, found);
  }
  return found;
}
