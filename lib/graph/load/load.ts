import { basename, dirname } from "node:path";
import { checkFlag, checkString, type Image, MkgError, quote, refuseUnknown, unknownName } from "../../core/index.js";
import { build } from "../build.js";
import { type Column, type Columns, pickRows, TextColumn, type Where } from "../columns.js";
import type { SourceRows } from "../formats/format.js";
import { Graph } from "../graph.js";
import { imagesOf } from "../images/cells.js";
import { type Fetcher, type FetchOptions, imageFolder, openImages } from "../images/open.js";
import { fetchOptions } from "../images/remote.js";
import { Noticing } from "../notices.js";
import { stack } from "../text-column.js";
import type { RefusedRow } from "../types.js";
import type { ColumnMap } from "./header.js";
import { joinImages, joinLabels, type LabelOptions, noRows, type Tables } from "./join.js";
import { type FileRows, fileName, type GraphFiles, readSources, rowPlace } from "./sources.js";
import { type CellType, checkTyped, type TypedOptions, typed } from "./typed.js";

export interface LoadGraphOptions {
  /** Name for reports; default: the file's or folder's name. */
  readonly name?: string;
  /** Format, where the file's extension does not say it. */
  readonly format?: string;
  /** Whether the first line names the columns, in csv, tsv and xlsx; default: whether it holds the names that are needed. */
  readonly header?: boolean;
  /**
   * Column names of the file, or positions from 0 → the names used here, such as `{ subject: "head", object: "tail" }` or `{ 0: "tail", 2: "head", 1: "relation" }`.
   * For both tables; or one map each: `{ entities: {…}, triples: {…} }`. A key that finds no column is an error.
   */
  readonly columns?: ColumnMap | { readonly entities?: ColumnMap; readonly triples?: ColumnMap };
  /** Columns whose cells hold several values → what stands between them, such as `{ aliases: "|" }`. They become frozen arrays; an empty cell an empty one. */
  readonly split?: Readonly<Record<string, string>>;
  /**
   * Columns whose cells are not text: `number`, `integer` (within ±2^53), `bigint`, `boolean` (true, false, 1, 0), `date` (ISO 8601; without a zone UTC), or `text`, which makes
   * strings of JSON numbers. Not for the texts of a graph (id, head, label …), save `text`. An empty cell is null; a cell that is no such value is an error that names it.
   */
  readonly types?: Readonly<Record<string, CellType>>;
  /** Texts that stand in files of their own (UTF-8): `id TAB text` without header, or id → text. */
  readonly labels?: LabelOptions;
  /** Folder with pictures of entities: `<id>/<any name>` or `<id>.<extension>`. */
  readonly images?: string;
  /** Whether, and how, pictures at remote addresses may be fetched when their bytes are read; default false: never. */
  readonly fetch?: boolean | Fetcher | FetchOptions;
  /** Leave out rows that cannot be kept and list them in `report.refused` and the notices; default false: the first is an error. */
  readonly lenient?: boolean;
  /** Which sheet of a workbook or part of a JSON file; default: those called entities and triples, or the only one. */
  readonly sheet?: string;
  /** Encoding of the text files, by its name in the Encoding Standard, such as `windows-1252`; default UTF-8, or UTF-16 where a byte order mark says so. */
  readonly encoding?: string;
  /** What stands between the fields of csv files: one character of ASCII, such as `;` where the comma marks decimals; default a comma. */
  readonly delimiter?: string;
  /** The absolute IRI that relative ones in Turtle are relative to, where the file states no base of its own: usually where it was published. */
  readonly base?: string;
  /**
   * What becomes of RDF. `statements` (default): each is a triple, and what was loaded can be written as RDF again. `described`, for retrieval: the statements that give
   * a node its label, its description and its pictures (foaf:depiction, schema:image and the like: addresses) are no triples; nodes and relations
   * without a label get the last part of their IRI; the name of a node's first rdf:type is its kind.
   */
  readonly rdf?: "statements" | "described";
}

const place = "loadGraph";
const known = [
  "name",
  "format",
  "header",
  "columns",
  "split",
  "types",
  "labels",
  "images",
  "fetch",
  "lenient",
  "sheet",
  "encoding",
  "delimiter",
  "base",
  "rdf",
];
/** What the graph itself reads as strings. */
const textNames = ["id", "label", "description", "kind", "head", "relation", "relationLabel", "tail", "condition"];

/**
 * A graph from a file of triples (or of entities alone), a file of both (xlsx with sheets, json with lists called entities and triples, N-Triples,
 * Turtle), a folder with `triples.*` and `entities.*` (or one `graph.*`), or files named one by one. Formats: csv, tsv or txt (a quote is a character like any
 * other), jsonl or ndjson, json, xlsx, parquet, arrow, nt, nq, ttl; each also compressed, as `.gz`.
 *
 * Triples need the columns head, relation, tail; id, relationLabel, condition are known and others kept: see `triple(id).attributes`. A tsv, csv or xlsx
 * table of three columns may go without a header. Entities need id; label, description, kind, images are known and others kept. Every value is a string exactly
 * as in the file, unless `types` or the format say otherwise. Every row is kept, duplicates too; an empty head, relation, tail or id is an error that
 * names file, line and column, unless `lenient`. `report` says what was read, kept, added, altered, refused and noticed.
 *
 * An option that none of the files takes, such as `header` for jsonl, is an error; in a folder of several formats it holds for those that do.
 *
 * Pictures (`images`): references relative to the file's folder, data URLs or addresses; a list, or text with `|` between; `keyFrames` beside it
 * holds the positions from 0 of the marked frames.
 *
 * Cost: O(file) time. csv, tsv and jsonl are streamed, with no bound on their size; a million triples with two hundred thousand names take 4 bytes a cell
 * and each name once. Other formats are held in memory, up to 512 MiB.
 *
 * @example
 * const graph = await loadGraph("triples.tsv", { labels: { entities: "entity2text.txt" } });
 * String(graph.describe());
 * // Graph triples.tsv: 3 entities (3 in triples), 2 triples (2 distinct), 1 relation
 * // …
 * // notice: files read without a header line: 1 (triples.tsv)
 */
export async function loadGraph(source: string | GraphFiles, options: LoadGraphOptions = {}): Promise<Graph> {
  refuseUnknown(place, options, known, "option");
  const { labels = {}, lenient = false } = options;
  refuseUnknown(place, labels, ["entities", "descriptions", "relations"], "key of labels");
  for (const name of ["name", "format", "images", "sheet", "encoding"] as const)
    checkString(place, name, options[name]);
  for (const name of ["header", "lenient"] as const) checkFlag(place, name, options[name]);
  fetchOptions(place, options.fetch);
  checkTypes(options);
  const noticing = new Noticing();
  const repairing = new Noticing();
  const late = new Noticing();
  const sources = await readSources(place, source, options, late);
  checkNamed(options, [...sources.entities, ...sources.triples]);
  const entityIds = new Set<unknown>();
  const tripleIds = new Set<unknown>();
  const parts = {
    entities: sources.entities.map((rows) => sift(rows, ["id"], lenient, options, entityIds)),
    triples: sources.triples.map((rows) => sift(rows, ["head", "relation", "tail"], lenient, options, tripleIds)),
  };
  const all = [...parts.entities, ...parts.triples];
  for (const part of all) if (!part.header) noticing.add("files read without a header line", fileName(part));
  // those that reading refused, then those refused here
  const refused = [...sources.entities, ...sources.triples].flatMap((part) => part.refused);
  for (const part of all) refused.push(...part.refused);
  for (const row of refused) noticing.add(`refused rows: ${row.reason}`, `${basename(row.file)}, line ${row.line}`);
  for (const part of [...sources.entities, ...sources.triples]) {
    repairing.merge(part.repaired);
    late.merge(part.notices);
  }
  noticing.merge(late.list());

  const withImages: Columns[] = [];
  for (const part of parts.entities)
    withImages.push(await opened(part, options.fetch, lenient ? repairing : undefined));
  const tables: Tables = {
    entities: withImages.length > 0 ? stack(withImages) : noRows,
    triples: parts.triples.length > 0 ? stack(parts.triples.map((part) => part.columns)) : noRows,
  };
  const rowsRead = (rows: readonly SourceRows[]) =>
    rows.reduce((n, part) => n + part.columns.rows + part.refused.length, 0);
  const read: Record<string, number> = { entities: rowsRead(sources.entities), triples: rowsRead(sources.triples) };
  const given = tables.entities.rows;
  const tally = { place, noticing, repairing, read };
  await joinLabels(tables, labels, tally);
  if (options.images !== undefined) joinImages(tables, await imageFolder(place, options.images), tally);
  const graph = build({
    place,
    entities: tables.entities,
    triples: tables.triples,
    whereEntity: whereIn(parts.entities),
    whereTriple: whereIn(parts.triples),
    read,
    added: tables.entities.rows - given,
    repaired: repairing.list(),
    notices: noticing.list(),
    refused: refused.map((row) => Object.freeze(row)),
  });
  return new Graph(options.name ?? nameOf(source), graph);
}

function nameOf(source: string | GraphFiles): string {
  if (typeof source === "string") return basename(source);
  return basename([source.triples ?? source.entities ?? ""].flat()[0] ?? "");
}

function checkTypes({ types, split }: LoadGraphOptions): void {
  for (const [name, option] of Object.entries({ types, split }))
    if (option !== undefined && (typeof option !== "object" || option === null || Array.isArray(option)))
      throw new MkgError(
        place,
        `${name} is not an object (${quote(option)})`,
        `Such as { ${name}: { rank: ${name === "types" ? '"integer"' : '"|"'} } }`,
      );
  checkTyped(place, { types, split });
  for (const [name, type] of Object.entries(types ?? {}))
    if (textNames.includes(name) && type !== "text")
      throw new MkgError(
        place,
        `types: the column ${name} is a text of the graph, not of type ${type}`,
        "Ids and labels are strings, so that 007 and 7 stay apart",
        "Leave it out, or map the column to another name with { columns }",
      );
  for (const name of Object.keys(split ?? {}))
    if (textNames.includes(name) || name === "images")
      throw new MkgError(
        place,
        `split: the column ${name} holds one value`,
        "Further columns hold lists; the pictures of an entity stand with | between as they are",
        "Leave it out, or map the column to another name with { columns }",
      );
}

/** A column that `types` or `split` name and no table has was misspelt. */
function checkNamed({ types = {}, split = {} }: TypedOptions, tables: readonly SourceRows[]): void {
  const names = new Set(tables.flatMap((table) => [...table.columns.data.keys()]));
  for (const name of [...Object.keys(types), ...Object.keys(split)])
    if (!names.has(name)) throw unknownName(place, "column in types or split", name, names);
}

/** Says where a row of tables stacked on each other stands; those beyond came from label files or pictures. */
function whereIn(parts: readonly SourceRows[]): Where {
  return (row) => {
    let at = row;
    for (const part of parts) {
      if (at < part.columns.rows) return rowPlace(part, at);
      at -= part.columns.rows;
    }
    return "labels";
  };
}

/**
 * Rows whose required fields are there, whose typed cells can be read and whose id is new. Others are an error, or set aside when lenient; a repeated
 * id that is not lenient is left for `build` to name.
 */
function sift(
  rows: FileRows,
  required: readonly string[],
  lenient: boolean,
  options: TypedOptions,
  ids: Set<unknown>,
): FileRows {
  const reasons = new Map<number, string>();
  const refuse = (row: number, name: string, value: unknown, reason: string, allowed: string) => {
    if (!lenient)
      throw new MkgError(
        place,
        `${rowPlace(rows, row)}, column ${name}: ${reason} (${quote(value)})`,
        allowed,
        "Mend the row; { lenient: true } reads the others and lists it in the report",
      );
    if (!reasons.has(row)) reasons.set(row, reason);
  };
  const columns = typed(rows.columns, options, (row, name, value, reason) =>
    refuse(row, name, value, lenient ? `${name} is ${reason}` : reason, ""),
  );
  for (const name of required)
    for (const [row, value, empty] of unfit(columns.data.get(name), columns.rows))
      refuse(
        row,
        name,
        value ?? "",
        empty ? `empty ${name}` : `${name} is not a string`,
        `Every row needs ${required.join(", ")}, as strings`,
      );
  const idColumn = columns.data.get("id");
  if (lenient && idColumn)
    for (let row = 0; row < columns.rows; row++) {
      if (reasons.has(row)) continue;
      const id = idColumn.at(row);
      if (id === null || id === undefined || id === "") reasons.set(row, "empty id");
      else if (typeof id !== "string") reasons.set(row, "id is not a string");
      else if (ids.has(id)) reasons.set(row, `a second row with the id ${quote(id)}`);
      else ids.add(id);
    }
  if (reasons.size === 0) return { ...rows, columns, refused: [] };
  const keep = Int32Array.from(
    { length: columns.rows - reasons.size },
    ((row) => () => {
      while (reasons.has(row)) row++;
      return row++;
    })(0),
  );
  const refused: RefusedRow[] = [...reasons]
    .sort(([a], [b]) => a - b)
    .map(([row, reason]) => ({ file: rows.file, line: rows.line(row), reason }));
  const data = new Map([...columns.data].map(([name, column]) => [name, pickRows(column, keep)]));
  return { ...rows, columns: { data, rows: keep.length }, line: (row) => rows.line(keep[row]!), refused };
}

/** Rows of a required column that are empty or no string. Of a text column only codes are looked at. */
function* unfit(column: Column | undefined, rows: number): Generator<[row: number, value: unknown, empty: boolean]> {
  if (column instanceof TextColumn) {
    const blank = column.values.indexOf("");
    for (let row = 0; row < rows; row++)
      if (column.codes[row]! < 0 || column.codes[row] === blank) yield [row, "", true];
    return;
  }
  for (let row = 0; row < rows; row++) {
    const value = column?.at(row);
    if (value === null || value === undefined || value === "") yield [row, value, true];
    else if (typeof value !== "string") yield [row, value, false];
  }
}

/** The pictures that the cells of `images` name, marked as `keyFrames` says. With `leftOut`, those that cannot be opened are left out and counted there. */
async function opened(rows: FileRows, fetch: LoadGraphOptions["fetch"], leftOut?: Noticing): Promise<Columns> {
  const column = rows.columns.data.get("images");
  if (!column) return rows.columns;
  const folder = dirname(rows.path);
  const marks = rows.columns.data.get("keyFrames");
  const images: (readonly Image[])[] = [];
  for (let row = 0; row < rows.columns.rows; row++) {
    const where = rowPlace(rows, row);
    const own: Image[] = [];
    const orLeftOut = <T>(error: unknown): readonly T[] => {
      if (!leftOut || !(error instanceof MkgError)) throw error;
      leftOut.add("pictures that cannot be opened: left out", `${where}: ${error.problem}`);
      return [];
    };
    let named: ReturnType<typeof imagesOf> = [];
    try {
      named = imagesOf(place, where, column.at(row), marks?.at(row));
    } catch (error) {
      orLeftOut(error);
    }
    for (const { file, key } of named)
      own.push(
        ...(await openImages(file, {
          folder,
          key,
          place: `${place}: ${where}, column images`,
          ...(fetch === undefined ? {} : { fetch }),
        }).catch(orLeftOut<Image>)),
      );
    images.push(own);
  }
  const data = new Map([...rows.columns.data, ["images", images as Column]]);
  data.delete("keyFrames");
  return { rows: rows.columns.rows, data };
}
