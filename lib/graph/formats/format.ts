import type { Columns } from "../columns.js";
import type { Notice } from "../notices.js";
import type { RefusedRow } from "../types.js";
import type { RdfGraph } from "./rdf-graph.js";

/** A file to read from, compressed or not: bytes as they are once decompressed, bounded, streamed. */
export interface Source {
  /** As it stands in errors. */
  readonly path: string;
  /** Without `.gz`: what the format is taken from. */
  readonly name: string;
  stream(): AsyncIterable<Uint8Array>;
  /** The whole of it; an error above the format's bound. */
  bytes(): Promise<Uint8Array>;
}

/** One table of a file: rows as columns, and where each row stands. */
export interface SourceRows {
  /** As it stands in errors: the path, and the sheet or part where there are several. */
  readonly file: string;
  /** Name of the sheet or part; "" when the file is one table. */
  readonly part: string;
  readonly columns: Columns;
  /** Where row `row` (from 0) begins: its line, sheet row or record, from 1. */
  line(row: number): number;
  /** What `line` counts, in words; default `line`. */
  readonly unit?: "row";
  /** Whether its rows stand for ids that other rows name, as the nodes of RDF: where a table has a row for an id, that is the one. */
  readonly derived?: boolean;
  /** False when the first line was read as data. */
  readonly header: boolean;
  /** Rows left out by a lenient reading. */
  readonly refused: readonly RefusedRow[];
  /** What reading altered: an encoding, merged cells, dates … */
  readonly repaired: readonly Notice[];
  readonly notices: readonly Notice[];
}

/**
 * The names of the columns, from the fields of the first line; `header` says whether that line is names or data.
 * `part`: name of the sheet or part, where the file has several tables.
 */
export type DecideHeader = (
  first: readonly string[],
  where: string,
  part?: string,
) => { readonly names: readonly string[]; readonly header: boolean };

export interface Reading {
  readonly place: string;
  readonly decide: DecideHeader;
  readonly lenient: boolean;
  /** Text formats: an encoding of the Encoding Standard, where it is not UTF-8 or UTF-16 with a byte order mark. */
  readonly encoding?: string;
  /** csv: one character of ASCII between fields, no quote and no line break; default a comma. */
  readonly delimiter?: string;
  /** Turtle: the absolute IRI that relative ones are relative to, until the file says another. */
  readonly base?: string;
  /** Workbooks: which sheet; default all. */
  readonly sheet?: string;
  /** RDF: what several files of one source are read into. */
  readonly rdf?: RdfGraph;
}

/** One entry of the table of formats. */
export interface TableFormat {
  /** Without dot, lower case. */
  readonly extensions: readonly string[];
  read(source: Source, reading: Reading): Promise<readonly SourceRows[]>;
  /** How many tables one file holds: `one` (default); `many`, as a workbook; `all` of a graph together, as N-Triples. */
  readonly holds?: "one" | "many" | "all";
  /** Text: may have another `encoding`, and a written file may be compressed (`.gz`). */
  readonly text?: boolean;
  /** The first line may be data, as `header` and `names` say; other formats name their columns. */
  readonly mayLackHeader?: boolean;
  /** What stands between its fields may be said. */
  readonly delimited?: boolean;
  /** Its IRIs may be relative. */
  readonly relativeIris?: boolean;
  /** Cells may be lists and objects. */
  readonly nested?: boolean;
  /** The file is a zip archive itself. */
  readonly zipped?: boolean;
  /**
   * Tables as files; absent where a format is only read. One file a table; one for all of `tables` where the format holds many or all.
   * Whoever writes a format of many calls it with one table at a time to get a file for each. What the format cannot hold is an error that names
   * table, row and column, thrown before the promise resolves: pieces are made only of what was checked.
   */
  encode?(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]>;
}

/** A file to write, `<part>.<extension>`; a large one in pieces, which are made as they are written, so that it is never held whole. */
export interface OutFile {
  readonly name: string;
  readonly data: OutData;
}
export type OutData = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A table to write: its part name (`entities`, `triples`, `questions`) and columns. */
export interface OutTable {
  readonly part: string;
  readonly columns: Columns;
}
