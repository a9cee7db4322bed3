import { isUtf8 } from "node:buffer";
import { errorText, MkgError } from "../../core/index.js";
import type { RefusedRow } from "../types.js";
import { textOf, wholeLines, wrongByte } from "./decode.js";
import type { Reading, Source, SourceRows, TableFormat } from "./format.js";
import { RdfGraph } from "./rdf-graph.js";
import { BlankNodes, RdfMistake, type Statement, statementParser } from "./rdf-parse.js";
import { encodeNQuads, encodeNTriples } from "./rdf-write.js";

/**
 * N-Triples (RDF 1.1). Every statement is a triple, in order, repeated ones too; every node an entity. Ids are terms: an IRI as it stands; `_:b1`; a literal in
 * its N-Triples form (`"Paris"@fr`), of kind `literal`, with its text as label and the columns datatype and language. A node that has a label
 * (rdfs:label and the like) gets it as its label too; the statement stays. Several files that are loaded together are one graph, in which a term is one entity;
 * blank nodes are those of one file, and a label that a file before has taken is changed.
 *
 * A malformed line is an error that names it; lenient, it is left out and listed. Triples as terms (RDF-star) and relative IRIs are errors.
 * Read piece by piece; memory O(distinct nodes + statements).
 *
 * Writing holds what reading gives back: a graph whose ids are terms and whose labels follow from its triples.
 */
export const ntriples: TableFormat = {
  extensions: ["nt"],
  holds: "all",
  text: true,
  read: (source, reading) => readRdf(source, reading, "N-Triples"),
  encode: encodeNTriples,
};

/** N-Quads (RDF 1.1): N-Triples with the name of the graph of each statement, kept in the column `graph` of the triples, null for the default graph. */
export const nquads: TableFormat = {
  extensions: ["nq"],
  holds: "all",
  text: true,
  read: (source, reading) => readRdf(source, reading, "N-Quads"),
  encode: encodeNQuads,
};

/**
 * Turtle (RDF 1.1), read as {@link ntriples} is. Prefixes and base are applied (`base`: where the file states none); nodes without a label get `_:g1`, `_:g2` … in the order of the file. A
 * statement may run over lines, so that after a mistake nothing is certain: it is an error even when lenient. Only read.
 */
export const turtle: TableFormat = {
  extensions: ["ttl"],
  relativeIris: true,
  holds: "all",
  text: true,
  read: (source, reading) => readRdf(source, reading, "Turtle"),
};

/** The two tables `entities` and `triples` of an RDF file; where several are read into `reading.rdf`, complete once all are. */
async function readRdf(
  source: Source,
  reading: Reading,
  format: "N-Triples" | "N-Quads" | "Turtle",
): Promise<readonly SourceRows[]> {
  const { place, lenient, rdf: graph = new RdfGraph() } = reading;
  const { Parser } = await import("n3");
  const from = graph.size;
  const blanks = new BlankNodes(graph.blankLabels);
  const refused: RefusedRow[] = [];
  const text = textOf(source, reading);
  const add = ({ head, relation, tail, graph: name, line }: Statement, first = 1) =>
    graph.add(head, relation, tail, name, line + first - 1);
  const mistake = (error: unknown, first = 1): MkgError =>
    error instanceof MkgError
      ? error
      : new MkgError(
          place,
          `${source.path}, line ${(error instanceof RdfMistake ? error.line : 1) + first - 1}: ${errorText(error)}`,
          `${format} of RDF 1.1${format === "Turtle" ? "" : ": one statement a line"}`,
          format === "Turtle"
            ? `Mend that line${/a relative IRI/.test(errorText(error)) ? '; or say what it is relative to, as in { base: "http://example.org/" }' : ""}`
            : "Mend that line; { lenient: true } reads the others and lists it in the report",
        );

  const turtleParser =
    format === "Turtle" ? statementParser(Parser, format, blanks, (found) => add(found), reading.base) : undefined;
  let first = 1;
  for await (const block of wholeLines(text.chunks, place, source.path)) {
    const lines = countLines(block);
    if (turtleParser) {
      const wrong = wrongLine(block);
      attempt(() => turtleParser.push(block.toString("utf8", 0, wrong?.start)));
      if (wrong) throw mistake(new RdfMistake(wrong.what, wrong.line), first);
    } else {
      const found = lineBlock(block, (part) => add(part, first));
      if (found && !lenient) throw mistake(found, first);
      if (found) oneByOne(block, first);
    }
    first += lines;
  }
  if (turtleParser) attempt(() => turtleParser.end());
  const to = graph.size;
  const { renamed } = blanks;
  const what = "labels of blank nodes changed: taken by another";
  if (renamed.length > 0) text.repaired.push({ what, count: renamed.length, examples: renamed.slice(0, 5) });
  const nodes = once(() => graph.nodes(from.nodes, to.nodes));
  const statements = once(() => graph.statements(from.statements, to.statements));
  const entities = once(() => graph.entities(nodes()));
  const triples = once(() => graph.triples(statements()));
  const part = { file: source.path, header: true } as const;
  return [
    {
      ...part,
      part: "entities",
      derived: true,
      get columns() {
        return entities();
      },
      line: (row) => graph.nodeLine(nodes()[row]!),
      refused: [],
      repaired: text.repaired,
      get notices() {
        const notices = graph.notices(from, to);
        if (to.statements === from.statements) notices.add("files of RDF without statements", source.path);
        return notices.list();
      },
    },
    {
      ...part,
      part: "triples",
      get columns() {
        return triples();
      },
      line: (row) => graph.line(statements()[row]!),
      refused,
      repaired: [],
      notices: [],
    },
  ];

  function attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw mistake(error);
    }
  }

  /** Takes all statements of the block, or none and returns the first mistake. */
  function lineBlock(block: Buffer, take: (statement: Statement) => void): RdfMistake | undefined {
    const wrong = wrongLine(block);
    const found: Statement[] = [];
    const parser = statementParser(Parser, format, blanks, (statement) => found.push(statement));
    try {
      parser.push(block.toString("utf8", 0, wrong?.start));
      parser.end();
    } catch (error) {
      return error instanceof RdfMistake ? error : new RdfMistake(errorText(error), 1);
    }
    if (wrong) return new RdfMistake(wrong.what, wrong.line);
    for (const statement of found) take(statement);
    return undefined;
  }

  function oneByOne(block: Buffer, firstLine: number): void {
    for (let start = 0, line = firstLine; start < block.length; line++) {
      let end = block.indexOf(10, start) + 1;
      if (end === 0) end = block.length;
      const found = lineBlock(block.subarray(start, end), (statement) => add(statement, line));
      if (found) refused.push({ file: source.path, line, reason: found.what });
      start = end;
    }
  }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const countLines = (block: Buffer): number => {
  let lines = 0;
  for (let at = block.indexOf(10); at >= 0; at = block.indexOf(10, at + 1)) lines++;
  return lines;
};

/** The first line of a block that is not UTF-8, from 1. */
function wrongLine(block: Buffer): { what: string; line: number; start: number } | undefined {
  if (isUtf8(block)) return undefined;
  for (let start = 0, line = 1; start < block.length; line++) {
    let end = block.indexOf(10, start) + 1;
    if (end === 0) end = block.length;
    const bytes = block.subarray(start, end);
    if (!isUtf8(bytes)) return { what: `not UTF-8 (${wrongByte(bytes)})`, line, start };
    start = end;
  }
  return undefined;
}
