import { MkgError, quote } from "../../core/index.js";
import type { Column, Columns } from "../columns.js";
import { isHalfPair } from "./cell-values.js";
import type { OutFile, OutTable } from "./format.js";
import { RdfGraph } from "./rdf-graph.js";
import { isBlank, isIri, termOf } from "./rdf-terms.js";

/** N-Triples: a statement a row of the triples, in order. */
export const encodeNTriples = (tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> =>
  encode(tables, place, "nt");

/** N-Quads: with the column `graph`. */
export const encodeNQuads = (tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> =>
  encode(tables, place, "nq");

/**
 * Statements hold heads, relations, tails and graph names; all else must be what a reader makes of them. Everything is checked before the first piece
 * is made: ids that are no terms, conditions, further columns, entities without statements, labels that no statement gives.
 */
async function encode(tables: readonly OutTable[], place: string, format: "nt" | "nq"): Promise<readonly OutFile[]> {
  const refuse = (part: string, row: number, column: string, why: string, value: unknown, remedy = "") =>
    new MkgError(
      place,
      `${part}, row ${row} (from 0), column ${column}: ${format} cannot hold it: ${why} (${quote(value)})`,
      "Statements of IRIs, blank nodes and literals, and the labels that they give",
      remedy || "Choose another format (jsonl, parquet), or change the value",
    );
  const triples = tables.find(({ part }) => part === "triples");
  const entities = tables.find(({ part }) => part === "entities");
  if (!triples)
    throw new MkgError(
      place,
      `no triples to write (${quote(tables.map(({ part }) => part))})`,
      `A table triples in ${format}`,
    );

  const { columns } = triples;
  const cell = (name: string, row: number) => columns.data.get(name)?.at(row) ?? null;
  const graph = new RdfGraph();
  for (let row = 0; row < columns.rows; row++) {
    for (const name of ["head", "relation", "tail", "graph"]) {
      const value = cell(name, row);
      if (name === "graph" && value === null) continue;
      if (name === "graph" && format === "nt") throw refuse("triples", row, name, "a graph name", value, "Choose nq");
      const fits =
        typeof value === "string" &&
        !isHalfPair(value) &&
        (name === "tail" ? termOf(value) !== undefined : isIri(value) || (name !== "relation" && isBlank(value)));
      if (!fits)
        throw refuse(
          "triples",
          row,
          name,
          name === "relation"
            ? "no absolute IRI"
            : name === "tail"
              ? "no IRI, blank node or literal"
              : "no IRI or blank node",
          value,
          "Make the ids IRIs, or choose another format",
        );
    }
    graph.add(
      cell("head", row) as string,
      cell("relation", row) as string,
      cell("tail", row) as string,
      cell("graph", row) as string | null,
      row,
    );
  }
  compare(
    "triples",
    columns,
    graph.triples(),
    (row) => row,
    (name, row) => (name === "id" ? String(row) : name === "relationLabel" ? cell("relation", row) : ""),
    refuse,
  );
  if (entities) {
    const derived = graph.entities();
    const rows = new Map([...(derived.data.get("id") as Iterable<string>)].map((id, row) => [id, row]));
    const ids = entities.columns.data.get("id");
    const rowOf = (row: number) => {
      const found = rows.get(ids?.at(row) as string);
      if (found === undefined) throw refuse("entities", row, "id", "an entity without statements", ids?.at(row));
      return found;
    };
    compare(
      "entities",
      entities.columns,
      derived,
      rowOf,
      (name, row) => (name === "label" ? ids?.at(row) : ""),
      refuse,
    );
  }
  return [{ name: `triples.${format}`, data: pieces(columns) }];
}

/** What a table holds must be what a reader makes of the statements; a graph fills what is empty (`filled`), which reads the same again. */
function compare(
  part: string,
  columns: Columns,
  derived: Columns,
  rowOf: (row: number) => number,
  filled: (name: string, row: number) => unknown,
  refuse: (part: string, row: number, column: string, why: string, value: unknown) => MkgError,
): void {
  for (const [name, column] of columns.data) {
    const from: Column | undefined = derived.data.get(name);
    let row = 0;
    for (const value of column) {
      const given = value ?? null;
      const read = from?.at(rowOf(row)) ?? null;
      // null and what a graph puts for it
      if (given !== read && !((given === null || given === filled(name, row)) && (read === null || read === "")))
        throw refuse(
          part,
          row,
          name,
          from || name === "id" ? "statements give another value" : "statements give none",
          given,
        );
      row++;
    }
  }
}

function* pieces({ data, rows }: Columns): Generator<string> {
  const [head, relation, tail, graph] = ["head", "relation", "tail", "graph"].map((name) => data.get(name));
  let text = "";
  for (let row = 0; row < rows; row++) {
    const name = graph?.at(row) as string | null | undefined;
    const terms = [head, relation, tail].map((column) => termOf(column!.at(row) as string)!);
    text += `${terms.join(" ")}${name == null ? "" : ` ${termOf(name)}`} .\n`;
    if (text.length > 65_536) {
      yield text;
      text = "";
    }
  }
  if (text !== "") yield text;
}
