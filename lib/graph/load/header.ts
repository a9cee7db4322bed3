import { MkgError, nearest, quote } from "../../core/index.js";
import { folded, isColumnName, meantBy } from "../column-names.js";

/** What a table's columns are checked for. */
export type Role = "entities" | "triples" | "any";

const needed = { triples: ["head", "relation", "tail"], entities: ["id"] } as const;

/** Names of a file's columns, or their positions from 0 → names used here. */
export type ColumnMap = Readonly<Record<string | number, string>>;

const columnsText = (entries: readonly (readonly [string, string])[]): string =>
  `{ columns: { ${entries.map(([from, to]) => `${JSON.stringify(from)}: ${JSON.stringify(to)}`).join(", ")} } }`;

/** Applies a {@link ColumnMap} and remembers which of its keys found a column. */
export class Renaming {
  readonly #unused: Set<string>;
  constructor(private readonly map: ColumnMap) {
    this.#unused = new Set(Object.keys(map));
  }

  /** Whether some keys are positions among these columns: whole numbers that no column is named by. */
  positions(names: readonly string[]): boolean {
    const known = new Set(names);
    return Object.keys(this.map).some((key) => /^(0|[1-9]\d*)$/.test(key) && !known.has(key));
  }

  /** A column's name wins over its position, where both stand in the map. `fallback(i)`: what an unmapped column is called. */
  names(names: readonly string[], fallback: (i: number) => string = (i) => names[i]!): string[] {
    const known = new Set(names);
    return names.map((name, i) => {
      const key = Object.hasOwn(this.map, name) ? name : known.has(String(i)) ? "" : String(i);
      if (key === "" || !Object.hasOwn(this.map, key)) return fallback(i);
      this.#unused.delete(key);
      return this.map[key]!;
    });
  }

  /** What is probably wrong with the map where a table with columns of these names lacks one; undefined where nothing stands out. */
  mistake(own: readonly string[], missing: string): string | undefined {
    const entries = Object.entries(this.map);
    const isOwn = (name: string) => own.includes(name) || (/^\d+$/.test(name) && Number(name) < own.length);
    const wrong = entries.filter(([from]) => !isOwn(from));
    if (wrong.length > 0 && entries.every(([, to]) => isOwn(to)))
      return `The map goes from the file's names to those used here: ${columnsText(entries.map(([from, to]) => [to, from]))}`;
    const slip = entries.find(([from, to]) => isOwn(from) && meantBy(to, [missing]));
    if (slip) return `{ columns } maps ${quote(slip[0])} to ${quote(slip[1])}: did you mean ${quote(missing)}?`;
    if (wrong.length === 0) return undefined;
    const meant = nearest(wrong[0]![0], own);
    return `${quote(wrong[0]![0])} in { columns } is no column of it${meant === undefined ? "" : `: did you mean ${quote(meant)}?`}`;
  }

  /** Keys that no table had a column for. */
  unused(): string[] {
    return [...this.#unused];
  }
}

export interface HeaderOptions {
  readonly role: Role;
  readonly header: boolean | undefined;
  readonly renaming: Renaming;
}

/**
 * The column names of a table from its first line, renamed. A first line with the needed names is a header; a first line of three fields without any of them
 * is a triple (two or three fields where entities are expected: id, label, description). What is neither is an error. A file that may hold either
 * (`any`) holds entities only if a header line with id and without head, relation, tail says so. Positions to rename by, and a first line
 * without any such name: data, whose unnamed columns are called `column3`.
 */
export function headerOf(
  place: string,
  where: string,
  fields: readonly string[],
  { role, header, renaming }: HeaderOptions,
): { names: readonly string[]; header: boolean } {
  const byPosition = renaming.positions(fields);
  if (byPosition && header !== true) {
    if (header === undefined && fields.some(isColumnName))
      throw new MkgError(
        place,
        `${where}: columns are given by position, and the first line may be names or data (${quote(fields)})`,
        "",
        "Say which: { header: true } or { header: false }",
      );
    const names = renaming.names(fields, (i) => `column${i}`);
    checkColumns(place, where, names, role, { own: fields, renaming });
    return { names, header: false };
  }
  const first = renaming.names(fields);
  const kind = kindOf(first, role);
  const want: readonly string[] = needed[kind];
  if (header !== false && want.every((name) => first.includes(name))) return { names: first, header: true };

  // read as data, a line of names would become a triple. One word of others alone may be data: an entity called "node", a relation "r"
  const foreign = first.filter(isColumnName).length >= Math.min(2, first.length);
  if (header === true || (header === undefined && (first.some((name) => want.includes(folded(name))) || foreign)))
    checkColumns(place, where, first, role, { own: fields, renaming, mayBeData: header === undefined });
  const positions =
    kind === "triples"
      ? ["head", "relation", "tail"]
      : ["id", "label", "description"].slice(0, Math.max(2, first.length));
  if (first.length !== positions.length)
    throw new MkgError(
      place,
      `${where}: ${first.length === 1 ? "one column" : `${first.length} columns`} and no header (${quote(first)})`,
      kind === "triples"
        ? "Three columns head, relation, tail, or a header line that names them"
        : "Columns id, label and maybe description, or a header line with id",
      separatorIn(fields) ?? 'Add a header line, or say where they stand: { columns: { 0: "head", 2: "tail", … } }',
    );
  return { names: positions, header: false };
}

/** Whether a table with these columns is one of entities or of triples. */
export function kindOf(names: readonly string[], role: Role): "entities" | "triples" {
  if (role !== "any") return role;
  const has = (wanted: readonly string[], own: readonly string[]) => wanted.some((name) => own.includes(name));
  const entities = (own: readonly string[]) => !has(needed.triples, own) && has(needed.entities, own);
  // ids in another case are looked for where none stands as it should: what is missing is then said of the right table
  return entities(names) || (!has(needed.triples, names) && entities(names.map(folded))) ? "entities" : "triples";
}

/** What may stand between the fields of a line that was read as one field; undefined where nothing does. */
function separatorIn([field, ...more]: readonly string[]): string | undefined {
  const found = more.length > 0 ? undefined : [";", "\t", "|", ","].find((char) => field?.includes(char));
  if (found === undefined) return undefined;
  const read =
    found === "\t"
      ? 'tsv, { format: "tsv" }'
      : `csv, ${found === "," ? '{ format: "csv" }' : `{ delimiter: ${quote(found)} }`}`;
  return `Its fields may be separated by ${quote(found)}: read it as ${read}`;
}

/** That the needed columns are there. `own`: the file's names, which a mapping starts from. */
export function checkColumns(
  place: string,
  where: string,
  names: readonly string[],
  role: Role,
  {
    own = names,
    renaming,
    mayBeData = false,
  }: { readonly own?: readonly string[]; readonly renaming: Renaming; readonly mayBeData?: boolean },
): void {
  const kind = kindOf(names, role);
  const missing = needed[kind].filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  const meanings = own.map((name) => meantBy(name, missing));
  const like = own.flatMap((name, i): [string, string][] =>
    meanings[i] && meanings.indexOf(meanings[i]) === i ? [[name, meanings[i]]] : [],
  );
  if (like.length === 0) like.push([own[0] ?? "name", missing[0]!]);
  throw new MkgError(
    place,
    `${where}: no column ${missing[0]} (${quote(names)})`,
    `A table of ${kind} needs ${needed[kind].join(", ")}`,
    renaming.mistake(own, missing[0]!) ??
      separatorIn(own) ??
      `Rename the column, or map it: ${columnsText(like)}${mayBeData ? "; { header: false } if the line is data" : ""}`,
  );
}
