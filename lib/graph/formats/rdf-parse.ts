import type { EventEmitter } from "node:events";
import type { Quad, Token } from "n3";
import { quote } from "../../core/index.js";
import { isBlank, isIri, literalId, xsdString } from "./rdf-terms.js";

/** A statement as ids, and the line it ends at. */
export interface Statement {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
  readonly graph: string | null;
  readonly line: number;
}

/** A mistake in the text: what, and in which line. */
export class RdfMistake extends Error {
  constructor(
    readonly what: string,
    readonly line: number,
  ) {
    super(what);
  }
}

/**
 * Labels of blank nodes, the same at each reading: those of the file as they stand, `g1`, `g2` … for those without one. A label of the file that was
 * given away already is changed.
 */
export class BlankNodes {
  readonly #names = new Map<string, string>();
  /** Labels of the file that were changed. */
  readonly renamed: string[] = [];
  #count = 0;

  /** @param taken labels given away, by other files too. */
  constructor(private readonly taken: Set<string>) {}

  id(label?: string): string {
    const known = label === undefined ? undefined : this.#names.get(label);
    if (known !== undefined) return `_:${known}`;
    let name = label ?? `g${++this.#count}`;
    while (this.taken.has(name)) name = `g${++this.#count}`;
    if (label !== undefined && name !== label) this.renamed.push(`_:${label}`);
    this.taken.add(name);
    if (label !== undefined) this.#names.set(label, name);
    return `_:${name}`;
  }
}

/** A message of n3 without its line, in the words used here. */
const inWords = (message: string): string =>
  /^Unexpected "?<</.test(message)
    ? "a triple as a term (RDF-star)"
    : message === "Invalid IRI" || message.startsWith("Invalid IRI on line")
      ? "an IRI that is not absolute"
      : message.replace(/ on line \d+\.?$/, "");

type Format = "N-Triples" | "N-Quads" | "Turtle";
type Callbacks = {
  onQuad(error: unknown, quad: Quad | null): void;
  onToken(token: Token): void;
};
type Term = { readonly termType: string; readonly id: string; readonly value: string };

/**
 * Statements of a text that comes in pieces: `push` takes one, `end` says that there are no more; a mistake is thrown as {@link RdfMistake}. n3 does the
 * parsing; terms become ids here, since its own factory changes language tags and labels.
 */
export function statementParser(
  Parser: typeof import("n3").Parser,
  format: Format,
  blanks: BlankNodes,
  take: (statement: Statement) => void,
  base?: string,
): { push(text: string): void; end(): void } {
  let line = 1;
  let begun = 0;
  let mistake: RdfMistake | undefined;
  const fail = (what: string, at = line) => {
    mistake ??= new RdfMistake(what, at);
  };
  const term = (termType: string, id: string): Term => ({ termType, id, value: id });
  const iri = (value: string) => {
    if (!isIri(value))
      fail(
        /^[a-z][a-z0-9+.-]*:/i.test(value)
          ? `an IRI with characters it cannot have (${quote(value)})`
          : `a relative IRI, and no base to take it from (${quote(value)})`,
      );
    return term("NamedNode", value);
  };
  const factory = {
    namedNode: iri,
    blankNode: (label?: string) => {
      const id = blanks.id(label);
      if (!isBlank(id)) fail(`a blank node with an unusual label (${quote(id)})`);
      return term("BlankNode", id);
    },
    literal: (value: string, kind?: string | Term | { language: string; direction?: string }) => {
      if (/\p{Surrogate}/u.test(value)) fail(`half of a surrogate pair (${quote(value)})`);
      const [datatype, language] =
        kind === undefined
          ? [xsdString, null]
          : typeof kind === "string"
            ? ["", kind]
            : "language" in kind
              ? ["", kind.direction ? `${kind.language}--${kind.direction}` : kind.language]
              : [kind.value, null];
      return term("Literal", literalId({ value, datatype, language }));
    },
    variable: (value: string) => term("Variable", value),
    defaultGraph: () => term("DefaultGraph", ""),
    quad: (subject: Term, predicate: Term, object: Term, graph: Term) => ({
      ...term("Quad", ""),
      subject,
      predicate,
      object,
      graph,
    }),
  };
  const parser = new Parser({ format, factory, blankNodePrefix: "_:", baseIRI: base } as object);
  const events = new Map<string, (text?: string) => void>();
  const source = { on: (event: string, callback: (text?: string) => void) => events.set(event, callback) };
  const callbacks: Callbacks = {
    onToken(token) {
      line = token.line;
      if (format === "Turtle" || token.type === "eof") return;
      // one statement a line
      if (begun === 0) begun = line;
      else if (begun !== line) fail("a statement that runs over its line", begun);
      if (token.type === ".") begun = 0;
    },
    onQuad(error, quad) {
      if (error) {
        const { message, context } = error as Error & { context?: { line?: number } };
        // a line without its end is only missed in the next
        fail(inWords(message), begun || (context?.line ?? line));
      } else if (quad && !mistake) {
        const { subject, predicate, object, graph } = quad as unknown as Record<string, Term>;
        const odd = [subject!, object!].find(({ termType }) => termType === "Quad" || termType === "Variable");
        if (odd) fail(odd.termType === "Quad" ? "a triple as a term (RDF-star)" : `a variable (?${odd.value})`);
        else take({ head: subject!.id, relation: predicate!.id, tail: object!.id, graph: graph!.id || null, line });
      }
    },
  };
  parser.parse(source as unknown as EventEmitter, callbacks as never);
  const feed = (event: "data" | "end", text?: string) => {
    events.get(event)!(text);
    if (mistake) throw mistake;
  };
  return { push: (text) => feed("data", text), end: () => feed("end") };
}
