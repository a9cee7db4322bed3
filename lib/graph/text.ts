import { MkgError, quote, refuseUnknown, unknownName } from "../core/index.js";
import type { GraphParts } from "./build.js";

/** How triples and paths are put into words; one entry a style. */
interface Style {
  readonly entity: (p: GraphParts, row: number) => string;
  readonly triple: (p: GraphParts, row: number) => string;
  /** Whether a path is told no further than the edge that comes back to an entity on it. */
  readonly endsAtRepeat: boolean;
}

const head = (p: GraphParts, t: number) => p.labels[p.head[t]!]!;
const tail = (p: GraphParts, t: number) => p.labels[p.tail[t]!]!;
const relation = (p: GraphParts, t: number) => p.relationLabels.at(t)!;
const condition = (p: GraphParts, t: number) => p.conditions.at(t)!;

const plain: Style = {
  entity: (p, e) => (p.descriptions[e] === "" ? p.labels[e]! : `${p.labels[e]}: ${p.descriptions[e]}`),
  triple: (p, t) =>
    `${head(p, t)} ${relation(p, t)} ${tail(p, t)}${condition(p, t) === "" ? "" : ` (only if ${condition(p, t)})`}`,
  endsAtRepeat: false,
};

/** Names in quotes, a full stop after each edge: what the released code of MH-MMKG gives its agents (arXiv 2506.17589), in words of our own. */
const mhMmkg: Style = {
  entity: (p, e) => {
    const further = p.furtherOfEntities.includes("additionalInformation")
      ? p.entities.data().additionalInformation?.at(e)
      : undefined;
    return [
      `"${p.labels[e]}":`,
      p.descriptions[e] === "" ? "" : `Action Description: ${p.descriptions[e]}`,
      typeof further === "string" && further !== "" ? `Additional Information: ${further}` : "",
    ]
      .filter(Boolean)
      .join(" ");
  },
  triple: (p, t) =>
    `"${head(p, t)}" ${relation(p, t)} "${tail(p, t)}"${condition(p, t) === "" ? "" : ` (only if ${condition(p, t)} is satisfied)`}.`,
  endsAtRepeat: true,
};

const styles: Readonly<Record<string, Style>> = { plain, "mh-mmkg": mhMmkg };

export interface TextOptions {
  /** `plain` (default) or `mh-mmkg`. */
  readonly style?: "plain" | "mh-mmkg";
}

export function styleOf(place: string, options: TextOptions): Style {
  refuseUnknown(place, options, ["style"], "option");
  const name = options.style ?? "plain";
  if (!Object.hasOwn(styles, name)) throw unknownName(place, "style", name, Object.keys(styles));
  return styles[name]!;
}

/** The lines of a path: its entities, and between them the edges. `row` finds an entity, `edge` the triple that joins two. */
export function pathText(
  p: GraphParts,
  style: Style,
  path: readonly string[],
  triples: readonly string[] | undefined,
  find: { row(id: string): number; triple(id: string): number },
): string {
  const place = "graph.text";
  if (triples && triples.length !== path.length - 1)
    throw new MkgError(
      place,
      `${path.length} entities and ${triples.length} triples in a path`,
      "One triple between two entities",
    );
  const lines: string[] = [];
  const told = new Set<number>();
  for (const [i, id] of path.entries()) {
    const row = find.row(id);
    if (i > 0) {
      const before = path[i - 1]!;
      lines.push(style.triple(p, triples ? find.triple(triples[i - 1]!) : edgeBetween(p, find.row(before), row)));
    }
    if (style.endsAtRepeat && told.has(row)) break;
    told.add(row);
    lines.push(style.entity(p, row));
  }
  return lines.join("\n");
}

/** The first triple in triple order that joins two entities, either way round. O(edges of the first). */
function edgeBetween(p: GraphParts, a: number, b: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const { start, ends, items } of [p.out, p.in])
    for (let i = start[a]!; i < start[a + 1]!; i++)
      if (ends[i] === b) {
        first = Math.min(first, items[i]!);
        break;
      }
  if (first === Number.POSITIVE_INFINITY)
    throw new MkgError(
      "graph.text",
      `no triple joins ${quote(p.ids[a])} and ${quote(p.ids[b])}`,
      "A path follows triples of the graph",
    );
  return first;
}
