import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { byCodeUnit, MkgError, quote, readingTrouble, refuseUnknown, unknownName } from "../../core/index.js";
import { pickRows } from "../columns.js";
import type { DecideHeader, SourceRows } from "../formats/format.js";
import { RdfGraph } from "../formats/rdf-graph.js";
import { checkTaken, formatOf, readTables, splitName, tableFormats } from "../formats/table.js";
import type { Noticing } from "../notices.js";
import { type ColumnMap, checkColumns, headerOf, kindOf, Renaming, type Role } from "./header.js";
import { fill } from "./join.js";

/** Files of a graph, where they do not stand in one folder under the usual names. */
export interface GraphFiles {
  readonly entities?: string | readonly string[];
  readonly triples?: string | readonly string[];
}

export interface SourceOptions {
  readonly format?: string;
  readonly header?: boolean;
  readonly columns?: ColumnMap | { readonly entities?: ColumnMap; readonly triples?: ColumnMap };
  readonly lenient?: boolean;
  readonly sheet?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly base?: string;
  readonly rdf?: "statements" | "described";
}

export type Part = "entities" | "triples";

/** A table and the file that it stands in: pictures are named relative to its folder. */
export interface FileRows extends SourceRows {
  readonly path: string;
}
export type Sources = Readonly<Record<Part, readonly FileRows[]>>;

/** Renamings of both tables: one map for both, or one each. */
type Renamings = Readonly<Record<Part | "any", Renaming>>;

/** The tables of a source, columns renamed and the needed ones there; other sheets and parts are noticed. */
export async function readSources(
  place: string,
  source: string | GraphFiles,
  options: SourceOptions,
  noticing: Noticing,
): Promise<Sources> {
  const renamings = renamingsOf(place, options.columns ?? {});
  const files = await filesOf(place, source, options.format);
  checkTaken(
    place,
    files.map(([path]) => formatOf(place, path, options.format)),
    options,
  );
  const kinds = ["statements", "described"];
  if (options.rdf !== undefined && !kinds.includes(options.rdf)) throw unknownName(place, "rdf", options.rdf, kinds);
  const rdf = new RdfGraph(options.rdf === "described");
  const all: { readonly part: Part; readonly rows: FileRows }[] = [];
  const names = new Set<string>();
  const read: (() => readonly (typeof all)[number][])[] = [];
  for (const [path, role] of files)
    read.push(await readParts(place, path, role, { ...options, rdf }, renamings, noticing));
  // after all files: one may hold the label of what another names
  for (const parts of read)
    for (const found of parts()) {
      all.push(found);
      for (const name of found.rows.columns.data.keys()) names.add(name);
    }
  const unused = [...new Set(Object.values(renamings))].flatMap((renaming) => renaming.unused());
  if (unused.length > 0) {
    const error = unknownName(place, "column in { columns }", unused[0], names);
    throw new MkgError(place, error.problem, error.allowed.replace("Known", "Columns that were read"), error.remedy);
  }
  const of = (part: Part) => all.filter((one) => one.part === part).map((one) => one.rows);
  return { entities: onceEach(of("entities"), noticing), triples: of("triples") };
}

/** The tables without derived rows of ids that another table has a row for; what those rows say fills its empty cells. */
function onceEach(tables: readonly FileRows[], noticing: Noticing): readonly FileRows[] {
  const idsOf = ({ columns }: FileRows) => [...((columns.data.get("id") ?? []) as Iterable<string>)];
  const given = new Set(tables.filter(({ derived }) => !derived).flatMap(idsOf));
  if (given.size === 0) return tables;
  const said = new Map<string, Map<string, unknown>>();
  const rest = tables.map((table) => {
    if (!table.derived) return table;
    const ids = idsOf(table);
    for (const [row, id] of ids.entries())
      if (given.has(id)) {
        noticing.add("nodes of RDF that a table of entities has a row for: one entity", id);
        for (const [name, column] of table.columns.data) {
          const value = column.at(row) ?? null;
          if (name !== "id" && value !== null) said.set(name, (said.get(name) ?? new Map()).set(id, value));
        }
      }
    const keep = Int32Array.from(ids.keys()).filter((row) => !given.has(ids[row]!));
    const data = new Map([...table.columns.data].map(([name, column]) => [name, pickRows(column, keep)]));
    return { ...table, columns: { data, rows: keep.length }, line: (row: number) => table.line(keep[row]!) };
  });
  const filled = (table: FileRows): FileRows => ({
    ...table,
    columns: [...said].reduce((columns, [name, by]) => fill(columns, "id", name, by), table.columns),
  });
  return rest.map((table) => (table.derived ? table : filled(table)));
}

function renamingsOf(place: string, columns: NonNullable<SourceOptions["columns"]>): Renamings {
  if (typeof columns !== "object" || columns === null || Array.isArray(columns))
    throw new MkgError(place, `columns is not an object (${quote(columns)})`, '{ subject: "head" } or { 0: "head" }');
  const check = (map: object): ColumnMap => {
    const taken = new Set<string>();
    for (const [from, to] of Object.entries(map)) {
      if (typeof to !== "string" || to === "")
        throw new MkgError(place, `columns: ${quote(from)} is mapped to no name (${quote(to)})`, "A string");
      if (taken.has(to))
        throw new MkgError(place, `columns: two are mapped to one name (${quote(to)})`, "Distinct names", "Rename one");
      taken.add(to);
    }
    return map as ColumnMap;
  };
  if (Object.values(columns).some((value) => typeof value === "object" && value !== null)) {
    refuseUnknown(place, columns, ["entities", "triples"], "table in { columns }");
    const { entities = {}, triples = {} } = columns as { entities?: ColumnMap; triples?: ColumnMap };
    const own = { entities: new Renaming(check(entities)), triples: new Renaming(check(triples)) };
    // a single file whose columns are said for one table is that table
    const [only, ...more] = Object.keys(columns) as Part[];
    return { ...own, any: only !== undefined && more.length === 0 ? own[only] : new Renaming({}) };
  }
  const both = new Renaming(check(columns));
  return { entities: both, triples: both, any: both };
}

/** Paths and what each holds: `any` where its columns or parts will say. */
async function filesOf(
  place: string,
  source: string | GraphFiles,
  format: string | undefined,
): Promise<[string, Role][]> {
  if (typeof source === "object" && source !== null && !Array.isArray(source)) {
    refuseUnknown(place, source, ["entities", "triples"], "part of the source");
    const list = (paths: string | readonly string[] | undefined) => (paths === undefined ? [] : [paths].flat());
    const files = [
      ...list(source.entities).map((path): [string, Role] => [path, "entities"]),
      ...list(source.triples).map((path): [string, Role] => [path, "triples"]),
    ];
    if (files.length === 0) throw new MkgError(place, `no files given (${quote(source)})`, "{ entities?, triples? }");
    for (const [path] of files) checkPath(place, path);
    return files;
  }
  checkPath(place, source);
  return statSync(source as string).isDirectory() ? folderFiles(place, source as string) : [[source as string, "any"]];

  function checkPath(place: string, path: unknown): void {
    if (typeof path !== "string" || path === "" || path.includes("\0"))
      throw new MkgError(place, `source is not a path (${quote(path)})`, "A file or a folder");
    if (!existsSync(path))
      throw new MkgError(
        place,
        `there is no such file or folder (${path})`,
        `A file in one of the formats ${tableFormats().join(", ")}, or a folder with triples.* and entities.*`,
        "Check the path",
      );
    if (format !== undefined) formatOf(place, path, format);
  }
}

async function folderFiles(place: string, folder: string): Promise<[string, Role][]> {
  const listed = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new MkgError(place, `cannot list the folder (${folder})`, "", readingTrouble(error.code ?? String(error)));
  });
  const names = listed.sort(byCodeUnit);
  const find = (stem: string): string | undefined => {
    const files = names.filter((name) => splitName(name).stem === stem && splitName(name).extension !== "");
    const readable = files.filter((name) => tableFormats().includes(splitName(name).extension));
    if (readable.length > 1)
      throw new MkgError(
        place,
        `two files of ${stem} in ${folder} (${readable.join(", ")})`,
        "One of them",
        "Remove the other, or give the files: { entities: path, triples: [paths] }",
      );
    if (readable.length === 0 && files.length > 0) formatOf(place, join(folder, files[0]!));
    return readable[0];
  };
  const found: [string, Role][] = [];
  for (const part of ["entities", "triples"] as const) {
    const name = find(part);
    if (name !== undefined) found.push([join(folder, name), part]);
  }
  if (found.length === 0) {
    const whole = find("graph");
    if (whole !== undefined) return [[join(folder, whole), "any"]];
    throw new MkgError(
      place,
      `no entities.* or triples.* in the folder (${folder})`,
      `Formats: ${tableFormats().join(", ")}`,
      "Name the files so (or graph.* for one that holds both), or give one file's path",
    );
  }
  return found;
}

const partNamed = (name: string | undefined): Part | undefined => {
  const folded = name?.trim().toLowerCase();
  return folded === "entities" || folded === "triples" ? folded : undefined;
};

async function readParts(
  place: string,
  path: string,
  role: Role,
  options: Omit<SourceOptions, "rdf"> & { readonly rdf: RdfGraph },
  renamings: Renamings,
  noticing: Noticing,
): Promise<() => { readonly part: Part; readonly rows: FileRows }[]> {
  // a sheet that is none of the graph's tables need not have a header that could be one
  const doubts = new Map<string, unknown>();
  const format = formatOf(place, path, options.format);
  const lacking = format.mayLackHeader ?? false;
  // beside files with several tables there may be one with a single one
  const sheet = format.holds === undefined ? undefined : options.sheet;
  const decide: DecideHeader = (first, where, part) => {
    const own = partNamed(part) ?? role;
    if (!lacking) return { names: first, header: true };
    try {
      return headerOf(place, where, first, { role: own, header: options.header, renaming: renamings[own] });
    } catch (error) {
      if (part === undefined || partNamed(part)) throw error;
      doubts.set(part, error);
      return { names: first.map((_, i) => `column${i}`), header: true };
    }
  };
  const tables = await readTables(path, { ...options, place, decide });
  return () => {
    const wanted = wantedOf(place, path, tables, sheet, lacking || role !== "any");
    for (const table of tables)
      if (!wanted.includes(table)) noticing.add("tables that are neither entities nor triples: left out", table.file);
    return wanted.map((table) => {
      if (doubts.has(table.part)) throw doubts.get(table.part);
      const own = partNamed(table.part) ?? role;
      const rows = lacking ? table : renamed(place, table, renamings[own]);
      const names = [...rows.columns.data.keys()];
      if (rows.columns.rows === 0 && names.length === 0 && own === "any")
        throw new MkgError(place, `the file is empty (${path})`, "At least one row", "Check the path");
      if (rows.columns.rows > 0 || names.length > 0)
        checkColumns(place, rows.file, names, own, { own: [...table.columns.data.keys()], renaming: renamings[own] });
      return { part: kindOf(names, own), rows: { ...rows, path } };
    });
  };
}

/** The tables meant: the sheet asked for, else those called entities and triples, else the only one. */
function wantedOf(
  place: string,
  path: string,
  tables: readonly SourceRows[],
  sheet: string | undefined,
  anyName: boolean,
): readonly SourceRows[] {
  const parts = tables.map((table) => table.part);
  if (sheet !== undefined) {
    const found = tables.filter((table) => table.part === sheet);
    if (found.length === 0) throw unknownName(place, `table of ${path}`, sheet, parts);
    return found;
  }
  const named = tables.filter((table) => partNamed(table.part));
  if (named.length > 0) return named;
  if (tables.length === 1 && (anyName || parts[0] === "")) return tables;
  throw new MkgError(
    place,
    `${path}: neither entities nor triples among its tables (${parts.map((part) => quote(part)).join(", ")})`,
    "Tables called entities and triples, or one table",
    "Rename them, or say which: { sheet }",
  );
}

/** Formats whose columns always have names are renamed once they are read. */
function renamed(place: string, table: SourceRows, renaming: Renaming): SourceRows {
  const own = [...table.columns.data.keys()];
  const names = renaming.names(own);
  if (names.every((name, i) => name === own[i])) return table;
  const data = new Map(names.map((name, i) => [name, table.columns.data.get(own[i]!)!]));
  if (data.size < names.length)
    throw new MkgError(
      place,
      `${table.file}: two columns have the same name (${quote(names.find((name, i) => names.indexOf(name) !== i))})`,
      "Column names are distinct",
      "Map one of them to another name",
    );
  return { ...table, columns: { data, rows: table.columns.rows } };
}

/** Where a row of a table stands, in words. */
export const rowPlace = (rows: SourceRows, row: number): string =>
  `${rows.file}, ${rows.unit ?? "line"} ${rows.line(row)}`;

export const fileName = (rows: Pick<SourceRows, "file">): string => basename(rows.file);
