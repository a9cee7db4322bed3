import type { ColumnTable } from "arquero";
import { type Image, MkgError, oneOf, refuseUnknown, resolveOptions } from "../../core/index.js";
import { type Column, storage } from "../columns.js";
import type { OutFile, OutTable } from "../formats/format.js";
import type { Graph } from "../graph.js";
import { Staging } from "./files.js";
import { type ImageMode, imageColumns } from "./images.js";
import { joinLists } from "./lists.js";
import { type Destination, destination } from "./target.js";

const place = "writeGraph";

export interface WriteGraphOptions {
  /** One of the written formats; text formats also with `.gz`, as `tsv.gz`. Default: the target's extension, else `tsv`. */
  readonly format?: string;
  /**
   * What becomes of pictures. `refuse` (default): a graph that has some is an error. `files`: each is written to `images/<SHA-256>.<extension>`
   * beside the tables, which name it. `data-urls`: into the cells. An address stays an address in both and is not fetched.
   */
  readonly images?: ImageMode;
  /** Columns that hold lists of strings → what stands between the items of a cell, for formats without lists. `loadGraph` takes the same. */
  readonly split?: Readonly<Record<string, string>>;
}

const keys = ["format", "images", "split"];
const imageSpec = oneOf(["refuse", "files", "data-urls"], { default: "refuse", doc: "what becomes of pictures" });

/**
 * Writes a graph so that `loadGraph` reads the same graph: every value unchanged, rows and columns in order. The files are moved to their places
 * once all are whole; on an error no file is left behind and those that were there stay.
 *
 * Target: a folder, which gets `entities.*` and `triples.*`; or one file, where the format holds both tables (`.xlsx`, `.json`, `.nt`).
 *
 * What a format cannot hold is an error that names table, row and column, before anything is written:
 *
 * | format | refuses |
 * |---|---|
 * | all | half of a surrogate pair |
 * | tsv | tabs and line breaks (there is no quoting); what csv refuses |
 * | csv | values other than strings (lists of strings by `split`); a column with both empty cells and "". An empty cell of a further column comes back as "" |
 * | jsonl, json | NaN, infinities, −0, bigints within ±2^53, dates and other objects with a class; nesting of more than 200 levels |
 * | xlsx | values other than strings; more than 32,767 characters in a cell, 1,048,576 rows, 16,384 columns |
 * | parquet, arrow | cells of different kinds in a column; objects, and lists of anything but one kind |
 * | nt, nq | ids that are no terms of RDF, and texts that do not follow from the statements |
 *
 * Pictures: see {@link WriteGraphOptions.images}. Their order and marks are kept; their ids are hashes of where they stand, and so change once.
 *
 * Cost: O(cells) time; text is made in pieces while it is written, so that a million triples need no more memory than the graph.
 *
 * @returns the paths of the tables, entities first.
 * @example
 * await writeGraph(graph, "out");                                        // ["out/entities.tsv", "out/triples.tsv"]
 * await writeGraph(graph, "out/graph.xlsx", { images: "files" });        // ["out/graph.xlsx"]
 */
export async function writeGraph(graph: Graph, target: string, options: WriteGraphOptions = {}): Promise<string[]> {
  refuseUnknown(place, options, keys, "option");
  const { images: mode } = resolveOptions(place, { images: imageSpec }, { images: options.images }) as {
    images: ImageMode;
  };
  const goal = await destination(place, target, options.format);
  const staging = new Staging(place, goal.folder);
  try {
    const entities = columnsOf(graph.entities);
    const images = entities.get("images") as Column<readonly Image[]>;
    entities.delete("images");
    const pictures = await imageColumns(place, images, mode, goal.format.nested ?? false, staging);
    if (pictures.size > 0 && entities.has("keyFrames"))
      throw new MkgError(
        place,
        "entities have pictures and a column keyFrames, which is where the marks of pictures stand",
        "Any other name",
        "Rename the column, or write graph.withoutImages()",
      );
    for (const [name, column] of pictures) entities.set(name, column);
    const tables = joinLists(
      place,
      [
        { part: "entities", columns: { data: entities, rows: graph.entities.numRows() } },
        { part: "triples", columns: { data: columnsOf(graph.triples), rows: graph.triples.numRows() } },
      ],
      options.split,
    );
    if (goal.format.nested) for (const [i, table] of tables.entries()) checkOrder(table, ownColumns[i]!);
    const pictureFiles = staging.size;
    for (const { name, data } of await encoded(tables, goal))
      await staging.add(`${name}${goal.gzip ? ".gz" : ""}`, data, { gzip: goal.gzip });
    return (await staging.publish()).slice(pictureFiles);
  } finally {
    await staging.clear();
  }
}

const columnsOf = (table: ColumnTable): Map<string, Column> =>
  new Map(table.columnNames().map((name) => [name, storage(table.data()[name] as Column)]));

/** The files of the tables; all are checked before the first is written. */
async function encoded(tables: readonly OutTable[], { name, format, file }: Destination): Promise<readonly OutFile[]> {
  if (file !== undefined || format.holds === "all") {
    const [whole] = await format.encode(tables, place);
    return [{ name: file ?? `triples.${name}`, data: whole!.data }];
  }
  const files: OutFile[] = [];
  for (const table of tables) files.push(...(await format.encode([table], place)));
  return files;
}

/** How many columns of entities (without images) and triples a graph always has, first and in this order. */
const ownColumns = [4, 6] as const;

/** An object lists whole numbers first, whatever order it was written in; and without rows it lists nothing. */
function checkOrder({ part, columns }: OutTable, own: number): void {
  const extra = [...columns.data.keys()].slice(own).filter((name) => name !== "images");
  const read = columns.rows === 0 ? [] : Object.keys(Object.fromEntries(extra.map((name) => [name, 0])));
  const at = extra.findIndex((name, i) => name !== read[i]);
  if (at >= 0)
    throw new MkgError(
      place,
      `${part}, header, column ${extra[at]}: ${columns.rows === 0 ? "JSON has no columns without rows" : "JSON lists columns named by whole numbers first"}`,
      "",
      "Choose csv or parquet, or rename the column",
    );
}
