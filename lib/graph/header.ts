import { MkgError, nearest, quote } from "../core/index.js";

/** What a table's columns are checked for. */
export type Role = "entities" | "triples" | "any";

const needed = { triples: ["head", "relation", "tail"], entities: ["id"] } as const;

// first lines that are surely names, only not ours: read as data they would become a triple
const otherNames = new Set(
  "subject predicate object source target from to s p o h r t sub pred obj entity entity_id node name label head_id tail_id rel rel_id relation_id".split(
    " ",
  ),
);

/**
 * The column names of a table from its first line. A first line with the needed names is a header; a first line of three fields without any of them
 * is a triple (two or three fields where entities are expected: id, label, description). What is neither is an error. A file that may hold either
 * (`any`) holds entities only if a header line with id and without head, relation, tail says so.
 */
export function headerOf(
  place: string,
  where: string,
  first: readonly string[],
  role: Role,
  header?: boolean,
): { names: readonly string[]; header: boolean } {
  const has = (names: readonly string[]) => names.filter((name) => first.includes(name)).length;
  const kind = role !== "any" ? role : has(needed.triples) === 0 && has(needed.entities) > 0 ? "entities" : "triples";
  const want = needed[kind];
  const found = has(want);
  if (header !== false && found === want.length) return { names: first, header: true };

  // one such word alone may be data: an entity called "node", a relation "r"
  const foreign = first.filter((name) => otherNames.has(name.toLowerCase())).length >= Math.min(2, first.length);
  if (header === true || (header === undefined && (found > 0 || foreign))) {
    const missing = want.find((name) => !first.includes(name))!;
    const meant = nearest(missing, first);
    throw new MkgError(
      place,
      `${where}: no column ${missing} (${quote(first)})`,
      `A table of ${kind} needs ${want.join(", ")}`,
      `Rename the column, or map it: { columns: { ${JSON.stringify(meant ?? first[0] ?? "name")}: ${JSON.stringify(missing)} } }${header === undefined ? "; { header: false } if the line is data" : ""}`,
    );
  }
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
      "Add a header line",
    );
  return { names: positions, header: false };
}
