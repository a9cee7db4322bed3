import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { byCodeUnit, type Image, MkgError, quote, readText, unknownName } from "../core/index.js";
import { build } from "./build.js";
import { type Columns, columnsOfObjects, frozenTable } from "./columns.js";
import { Graph } from "./graph.js";
import { headerOf, type Role } from "./header.js";
import { checkImageFile, imageFile, imageFolder } from "./images.js";
import { type Labels, labelsFrom } from "./labels.js";
import { Noticing } from "./notices.js";
import { formatOf, parseJson, readRows, type SourceRows, tableFormats } from "./table-file.js";
import type { RefusedRow } from "./types.js";

export interface LoadGraphOptions {
  /** Name for reports; default: the file's or folder's name. */
  readonly name?: string;
  /** Format, where the file's extension does not say it. */
  readonly format?: string;
  /** Whether the first line names the columns; default: whether it holds the names that are needed. */
  readonly header?: boolean;
  /** Column names of the file → the names used here, such as `{ subject: "head", object: "tail" }`. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Texts that stand in files of their own: `id TAB text` without header, or id → text. */
  readonly labels?: { readonly entities?: Labels; readonly descriptions?: Labels; readonly relations?: Labels };
  /** Folder with pictures of entities: `<id>/<any name>` or `<id>.<extension>`. */
  readonly images?: string;
  /** Leave out rows that cannot be kept and list them in `report.refused` and the notices; default false: the first is an error. */
  readonly lenient?: boolean;
}

const place = "loadGraph";
const known = ["name", "format", "header", "columns", "labels", "images", "lenient"];

/**
 * A graph from a file of triples (or of entities alone), or from a folder with `triples.*` and `entities.*`. Formats: csv, tsv or txt (a quote is a
 * character like any other), jsonl or ndjson, json (an array of rows, or `{entities, triples}`).
 *
 * Triples need the columns head, relation, tail; id, relationLabel, condition are known and others kept. A tsv or csv file of three columns
 * may go without a header. Entities need id; label, description, kind, images (picture files relative to the folder: an array, or names with
 * `|` between) are known and others kept. Every value is a string exactly as in the file. Every row is kept, duplicates too; an empty
 * head, relation, tail or id is an error that names file, line and column, unless `lenient`. `report` says what was noticed.
 *
 * Cost: O(file) time and memory; files up to 512 MiB.
 *
 * @example
 * const graph = await loadGraph("triples.tsv", { labels: { entities: "entity2text.txt" } });
 * String(graph.describe());
 * // Graph triples.tsv: 3 entities (3 in triples), 2 triples (2 distinct), 1 relations
 * // notice: files read without a header line: 1 (triples.tsv)
 */
export async function loadGraph(source: string, options: LoadGraphOptions = {}): Promise<Graph> {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw unknownName(place, "option", key, known);
  if (typeof source !== "string" || source === "")
    throw new MkgError(place, `source is not a path (${quote(source)})`, "A file or a folder");
  if (!existsSync(source))
    throw new MkgError(
      place,
      `there is no such file or folder (${source})`,
      `A file in one of the formats ${tableFormats().join(", ")}, or a folder with triples.* and entities.*`,
      "Check the path",
    );
  const isFolder = statSync(source).isDirectory();
  const { entities, triples } = isFolder ? await readFolder(source, options) : await readFile(source, options);

  const noticing = new Noticing();
  const sifted = {
    entities: entities && sift(entities, ["id"], options.lenient ?? false),
    triples: triples && sift(triples, ["head", "relation", "tail"], options.lenient ?? false),
  };
  for (const part of [entities, triples])
    if (part && !part.header) noticing.add("files read without a header line", basename(part.file));
  const refused = [entities, triples]
    .flatMap((part) => part?.refused ?? [])
    .concat(sifted.entities?.refused ?? [], sifted.triples?.refused ?? []);
  for (const row of refused) noticing.add(`refused rows: ${row.reason}`, `${basename(row.file)}, line ${row.line}`);

  const folder = isFolder ? source : dirname(source);
  let entityColumns = await openImages(folder, sifted.entities);
  let tripleColumns: Columns | undefined = sifted.triples?.columns;
  const read: Record<string, number> = { entities: sourceRows(entities), triples: sourceRows(triples) };
  const { labels } = options;
  if (labels?.entities || labels?.descriptions) {
    const [texts, descriptions] = [
      await labelsFrom(place, labels.entities),
      await labelsFrom(place, labels.descriptions),
    ];
    if (labels.entities) read.entityLabels = texts.size;
    if (labels.descriptions) read.entityDescriptions = descriptions.size;
    entityColumns = addEntityTexts(entityColumns, texts, descriptions, tripleColumns);
    const ids = new Set(entityColumns.data.get("id"));
    for (const id of descriptions.keys())
      if (!ids.has(id)) noticing.add("descriptions of ids that are no entities: left out", id);
  }
  if (labels?.relations) {
    const texts = await labelsFrom(place, labels.relations);
    const used = new Set((tripleColumns?.data.get("relation") ?? []) as string[]);
    read.relationLabels = texts.size;
    for (const id of texts.keys()) if (!used.has(id)) noticing.add("relation labels without triples", id);
    for (const id of used) if (!texts.has(id)) noticing.add("relations without a label: the id stands for it", id);
    if (tripleColumns) tripleColumns = fill(tripleColumns, "relation", "relationLabel", texts);
  }
  if (options.images !== undefined) {
    const { byEntity, skipped } = await imageFolder(place, options.images);
    const ids = new Set([...((entityColumns?.data.get("id") ?? []) as string[]), ...endsOf(tripleColumns)]);
    for (const name of skipped) noticing.add("files in the folder of pictures that are no pictures", name);
    for (const id of byEntity.keys()) if (!ids.has(id)) noticing.add("pictures of ids that are no entities", id);
    entityColumns = addEntityImages(entityColumns, new Map([...byEntity].filter(([id]) => ids.has(id))));
  }
  const graph = build({
    place,
    entities: entityColumns && frozenTable(entityColumns.data),
    triples: tripleColumns && frozenTable(tripleColumns.data),
    whereEntity: sifted.entities && whereIn(sifted.entities),
    whereTriple: sifted.triples && whereIn(sifted.triples),
    read,
    notices: noticing.list(),
    refused,
  });
  return new Graph(options.name ?? basename(source), graph);
}

type Sources = { readonly entities?: SourceRows; readonly triples?: SourceRows };

const sourceRows = (rows: SourceRows | undefined) => (rows ? rows.lines.length + rows.refused.length : 0);
const endsOf = (triples: Columns | undefined) => [
  ...((triples?.data.get("head") ?? []) as string[]),
  ...((triples?.data.get("tail") ?? []) as string[]),
];
const whereIn = (rows: Pick<SourceRows, "file" | "lines">) => (row: number) =>
  row < rows.lines.length ? `${rows.file}, line ${rows.lines[row]}` : "labels";

async function readFolder(folder: string, options: LoadGraphOptions): Promise<Sources> {
  const names = (await readdir(folder)).sort(byCodeUnit);
  const find = (stem: string): string | undefined => {
    const files = names.filter((name) => basename(name, extname(name)) === stem && extname(name) !== "");
    const readable = files.filter((name) => tableFormats().includes(extname(name).slice(1).toLowerCase()));
    if (readable.length > 1)
      throw new MkgError(
        place,
        `two files of ${stem} in ${folder} (${readable.join(", ")})`,
        "One of them",
        "Remove the other, or give one file's path",
      );
    if (readable.length === 0 && files.length > 0) formatOf(place, join(folder, files[0]!));
    return readable[0];
  };
  const [entities, triples] = [find("entities"), find("triples")];
  if (!entities && !triples)
    throw new MkgError(
      place,
      `no entities.* or triples.* in the folder (${folder})`,
      `Formats: ${tableFormats().join(", ")}`,
      "Name the files so, or give one file's path",
    );
  return {
    entities: entities ? await readPart(join(folder, entities), "entities", options) : undefined,
    triples: triples ? await readPart(join(folder, triples), "triples", options) : undefined,
  };
}

async function readFile(path: string, options: LoadGraphOptions): Promise<Sources> {
  if (formatOf(place, path, options.format) === "json") {
    const value = parseJson(await readText(path, { place }), place, path);
    if (!Array.isArray(value) && typeof value === "object" && value !== null) return readJsonObject(path, value);
  }
  const rows = await readPart(path, "any", options);
  return rows.columns.data.has("head") ? { triples: rows } : { entities: rows };
}

function readJsonObject(file: string, value: object): Sources {
  const parts = new Map(Object.entries(value));
  const rows = (part: "entities" | "triples"): SourceRows | undefined => {
    const list: unknown = parts.get(part);
    if (list === undefined) return undefined;
    if (!Array.isArray(list) || list.some((row) => typeof row !== "object" || row === null || Array.isArray(row)))
      throw new MkgError(
        place,
        `${file}: ${part} is not a list of objects (${quote(list)})`,
        "{entities: [{id, …}], triples: [{head, relation, tail, …}]}",
      );
    return {
      file: `${file}, ${part}`,
      columns: columnsOfObjects(place, file, list),
      lines: list.map((_, i) => i + 1),
      header: true,
      refused: [],
    };
  };
  const found = { entities: rows("entities"), triples: rows("triples") };
  if (!found.entities && !found.triples)
    throw new MkgError(
      place,
      `${file}: neither entities nor triples (${quote([...parts.keys()])})`,
      "An array of rows, or {entities, triples}",
    );
  return found;
}

async function readPart(path: string, role: Role, options: LoadGraphOptions): Promise<SourceRows> {
  const rename = options.columns ?? {};
  const renamed = (name: string) => (Object.hasOwn(rename, name) ? rename[name]! : name);
  const rows = await readRows(path, {
    place,
    format: options.format,
    lenient: options.lenient,
    decide: (first, where) => headerOf(place, where, first.map(renamed), role, options.header),
  });
  const columns = {
    ...rows.columns,
    data: new Map([...rows.columns.data].map(([name, values]) => [renamed(name), values])),
  };
  // jsonl and json have no header line: their keys are known only now
  headerOf(place, path, [...columns.data.keys()], role, true);
  return { ...rows, columns };
}

/** Rows whose required fields are there and, for entities, whose id is new. Others are an error, or set aside when lenient. */
function sift(rows: SourceRows, required: readonly string[], lenient: boolean): SourceRows {
  const keep: number[] = [];
  const refused: RefusedRow[] = [];
  const ids = new Set<unknown>();
  for (let i = 0; i < rows.lines.length; i++) {
    const where = `${rows.file}, line ${rows.lines[i]}`;
    let reason: string | undefined;
    for (const name of required) {
      const value = rows.columns.data.get(name)?.[i] ?? "";
      if (typeof value !== "string") reason ??= `${name} is not a string`;
      else if (value === "") reason ??= `empty ${name}`;
      if (reason && !lenient)
        throw new MkgError(
          place,
          `${where}, column ${name}: ${reason} (${quote(value)})`,
          `Every row needs ${required.join(", ")}, as strings`,
          "Mend the row; { lenient: true } reads the others and lists it in the report",
        );
    }
    if (lenient && rows.columns.data.has("id")) {
      const id = rows.columns.data.get("id")?.[i];
      if (ids.has(id)) reason ??= `a second row with the id ${quote(id)}`;
      ids.add(id);
    }
    if (reason) refused.push({ file: rows.file, line: rows.lines[i]!, reason });
    else keep.push(i);
  }
  if (refused.length === 0) return { ...rows, refused: [] };
  const data = new Map([...rows.columns.data].map(([name, values]) => [name, keep.map((i) => values[i])]));
  return { ...rows, columns: { data, rows: keep.length }, lines: keep.map((i) => rows.lines[i]!), refused };
}

async function openImages(folder: string, rows: SourceRows | undefined): Promise<Columns | undefined> {
  const column = rows?.columns.data.get("images");
  if (!rows || !column) return rows?.columns;
  const images: Image[][] = [];
  for (const [i, cell] of column.entries()) {
    const where = `${rows.file}, line ${rows.lines[i]}, column images`;
    const list: unknown = typeof cell === "string" ? cell.split("|").filter((name) => name !== "") : (cell ?? []);
    if (!Array.isArray(list) || list.some((name) => typeof name !== "string"))
      throw new MkgError(
        place,
        `${where}: not picture files (${quote(cell)})`,
        "A list of relative paths, or paths with | between",
      );
    images.push((list as string[]).map((name) => imageFile(folder, name, { place: `${place}: ${where}` })));
    for (const name of list as string[]) await checkImageFile(folder, name, { place: `${place}: ${where}` });
  }
  return { ...rows.columns, data: new Map([...rows.columns.data, ["images", images]]) };
}

/** The column `to` of `columns`, filled from `texts` by the column `from` where it is empty. */
function fill(columns: Columns, from: string, to: string, texts: ReadonlyMap<string, string>): Columns {
  const keys = columns.data.get(from) as readonly string[];
  const old = columns.data.get(to);
  return {
    ...columns,
    data: new Map([...columns.data, [to, keys.map((key, i) => old?.[i] || (texts.get(key) ?? null))]]),
  };
}

function addEntityTexts(
  entities: Columns | undefined,
  labels: ReadonlyMap<string, string>,
  descriptions: ReadonlyMap<string, string>,
  triples: Columns | undefined,
): Columns {
  let columns = withIds(entities, labels.keys());
  // a description alone makes no entity: it is kept for ids that a triple or a row names
  if (descriptions.size > 0) columns = withIds(columns, new Set(endsOf(triples).filter((id) => descriptions.has(id))));
  return fill(fill(columns, "id", "label", labels), "id", "description", descriptions);
}

function addEntityImages(entities: Columns | undefined, images: ReadonlyMap<string, readonly unknown[]>): Columns {
  const columns = withIds(entities, images.keys());
  const old = columns.data.get("images");
  const ids = columns.data.get("id") as readonly string[];
  return {
    ...columns,
    data: new Map([
      ...columns.data,
      ["images", ids.map((id, i) => [...((old?.[i] as unknown[]) ?? []), ...(images.get(id) ?? [])])],
    ]),
  };
}

/** The entities with a row added for each id that has none yet. */
function withIds(entities: Columns | undefined, ids: Iterable<string>): Columns {
  const base: Columns = entities ?? { data: new Map([["id", []]]), rows: 0 };
  const seen = new Set(base.data.get("id"));
  const added = [...ids].filter((id) => !seen.has(id));
  const rows = base.rows + added.length;
  const data = new Map(
    [...base.data].map(([name, values]) => [name, [...values, ...added.map((id) => (name === "id" ? id : null))]]),
  );
  return { data, rows };
}
