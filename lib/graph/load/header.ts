import { MkgError, nearest, quote } from "../../core/index.js";

/** What a table's columns are checked for. */
export type Role = "entities" | "triples" | "any";

const needed = { triples: ["head", "relation", "tail"], entities: ["id"] } as const;

// first lines that are surely names, only not ours: read as data they would become a triple
const otherNames = new Set(
  "subject predicate object source target from to s p o h r t sub pred obj entity entity_id node name label head_id tail_id rel rel_id relation_id".split(
    " ",
  ),
);

/** Names of a file's columns, or their positions from 0 → names used here. */
export type ColumnMap = Readonly<Record<string | number, string>>;

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
    const named = fields.filter((name) => isNeeded(name) || otherNames.has(name.toLowerCase())).length;
    if (header === undefined && named > 0)
      throw new MkgError(
        place,
        `${where}: columns are given by position, and the first line may be names or data (${quote(fields)})`,
        "",
        "Say which: { header: true } or { header: false }",
      );
    const names = renaming.names(fields, (i) => `column${i}`);
    checkColumns(place, where, names, role, fields);
    return { names, header: false };
  }
  const first = renaming.names(fields);
  const has = (names: readonly string[]) => names.filter((name) => first.includes(name)).length;
  const kind = kindOf(first, role);
  const want = needed[kind];
  const found = has(want);
  if (header !== false && found === want.length) return { names: first, header: true };

  // one such word alone may be data: an entity called "node", a relation "r"
  const foreign = first.filter((name) => otherNames.has(name.toLowerCase())).length >= Math.min(2, first.length);
  if (header === true || (header === undefined && (found > 0 || foreign)))
    checkColumns(place, where, first, role, fields, header === undefined);
  const positions =
    kind === "triples"
      ? ["head", "relation", "tail"]
      : ["id", "label", "description"].slice(0, Math.max(2, first.length));
  if (first.length !== positions.length)
    throw new MkgError(
      place,
      `${where}: ${first.length} columns and no header (${quote(first)})`,
      kind === "triples"
        ? "Three columns head, relation, tail, or a header line that names them"
        : "Columns id, label and maybe description, or a header line with id",
      'Add a header line, or say where they stand: { columns: { 0: "head", 2: "tail", … } }',
    );
  return { names: positions, header: false };
}

/** Whether a table with these columns is one of entities or of triples. */
export function kindOf(names: readonly string[], role: Role): "entities" | "triples" {
  if (role !== "any") return role;
  const has = (wanted: readonly string[]) => wanted.some((name) => names.includes(name));
  return !has(needed.triples) && has(needed.entities) ? "entities" : "triples";
}

const isNeeded = (name: string) => [...needed.triples, ...needed.entities].includes(name as never);

/** That the needed columns are there. `own`: the file's names, which a mapping starts from. */
export function checkColumns(
  place: string,
  where: string,
  names: readonly string[],
  role: Role,
  own: readonly string[] = names,
  mayBeData = false,
): void {
  const kind = kindOf(names, role);
  const missing = needed[kind].find((name) => !names.includes(name));
  if (missing === undefined) return;
  const meant = nearest(missing, own);
  throw new MkgError(
    place,
    `${where}: no column ${missing} (${quote(names)})`,
    `A table of ${kind} needs ${needed[kind].join(", ")}`,
    `Rename the column, or map it: { columns: { ${JSON.stringify(meant ?? own[0] ?? "name")}: ${JSON.stringify(missing)} } }${mayBeData ? "; { header: false } if the line is data" : ""}`,
  );
}
