import { join } from "node:path";
import type { ColumnTable } from "arquero";
import { MkgError, quote, unknownName, writeAtomic } from "../core/index.js";
import type { Graph } from "./graph.js";

const place = "writeGraph";

interface Writer {
  readonly extension: string;
  /** Why a cell cannot stand in this format, if so. */
  refuse(value: unknown): string | undefined;
  header(names: readonly string[]): string;
  row(names: readonly string[], cells: readonly unknown[]): string;
}

const notText = (value: unknown) => (value === null || typeof value === "string" ? undefined : "not a string");
const csvField = (value: unknown): string => {
  const text = (value ?? "") as string;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// one entry a format
const writers: Readonly<Record<string, Writer>> = {
  tsv: {
    extension: "tsv",
    refuse: (value) => notText(value) ?? (/[\t\r\n]/.test((value ?? "") as string) ? "a tab or line break" : undefined),
    header: (names) => names.join("\t"),
    row: (_, cells) => cells.map((cell) => cell ?? "").join("\t"),
  },
  csv: {
    extension: "csv",
    refuse: notText,
    header: (names) => names.map(csvField).join(","),
    row: (_, cells) => cells.map(csvField).join(","),
  },
  jsonl: {
    extension: "jsonl",
    refuse: () => undefined,
    header: () => "",
    row: (names, cells) => JSON.stringify(Object.fromEntries(names.map((name, i) => [name, cells[i]]))),
  },
};

/**
 * Writes a graph's two tables as `entities.*` and `triples.*` into a folder, from which `loadGraph` reads the same graph: every string unchanged.
 * Each file is written whole or not at all. What a format cannot hold is an error before anything is written: a tab or line break in tsv, values other
 * than strings in tsv and csv (an empty cell of a further column comes back as ""), half of a surrogate pair in all. Pictures do not stand in tables: a graph that
 * has some is refused, `graph.withoutImages()` is written.
 *
 * @param options.format `tsv` (default; without quoting), `csv`, `jsonl`.
 * @returns the two paths, entities first.
 * @example
 * await writeGraph(graph, "out")   // ["out/entities.tsv", "out/triples.tsv"]
 */
export async function writeGraph(
  graph: Graph,
  folder: string,
  options: { readonly format?: string } = {},
): Promise<string[]> {
  const format = options.format ?? "tsv";
  if (!Object.hasOwn(writers, format)) throw unknownName(place, "format", format, Object.keys(writers));
  const writer = writers[format]!;
  const { images, entitiesWithImages } = graph.describe();
  if (images > 0)
    throw new MkgError(
      place,
      `the graph has pictures, which a table cannot hold (${images} of ${entitiesWithImages} entities)`,
      "",
      "Write graph.withoutImages()",
    );
  const files = [
    { path: join(folder, `entities.${writer.extension}`), text: render(writer, "entities", graph.entities, "images") },
    { path: join(folder, `triples.${writer.extension}`), text: render(writer, "triples", graph.triples) },
  ];
  for (const { path, text } of files) await writeAtomic(path, text);
  return files.map(({ path }) => path);
}

function render(writer: Writer, what: string, table: ColumnTable, leaveOut = ""): string {
  const names = table.columnNames().filter((name) => name !== leaveOut);
  const columns = names.map((name) => table.data()[name]!);
  const check = (value: unknown, row: string, name: string) => {
    const why =
      writer.refuse(value) ??
      (typeof value === "string" && /\p{Surrogate}/u.test(value) ? "half of a surrogate pair" : undefined);
    if (why)
      throw new MkgError(
        place,
        `${what}, ${row}, column ${name}: ${writer.extension} cannot hold it: ${why} (${quote(value)})`,
        `Formats: ${Object.keys(writers).join(", ")}`,
        "Choose another format or change the value",
      );
  };
  for (const name of names) check(name, "header", name);
  const lines = [writer.header(names)].filter((line) => line !== "");
  for (let i = 0; i < table.numRows(); i++) {
    const cells = columns.map((column) => column.at(i));
    for (const [c, cell] of cells.entries()) check(cell, `row ${i} (from 0)`, names[c]!);
    lines.push(writer.row(names, cells));
  }
  return lines.map((line) => `${line}\n`).join("");
}
