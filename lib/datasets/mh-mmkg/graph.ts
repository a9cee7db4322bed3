import { join } from "node:path";
import { type Graph, graphFrom } from "../../graph/index.js";
import { offlineCaptions } from "./captions.js";
import { asReleased, type CaptionOf, union } from "./merge.js";
import type { Naming } from "./names.js";
import type { MhMmkgOptions } from "./options.js";
import type { QuestionRow } from "./question-list.js";
import type { Scope } from "./scope.js";
import { type MonsterSheets, type monsterFolders, readMonster } from "./sheets.js";

/** A graph, and how many of its entities and triples stand in no sheet. */
export interface MadeGraph {
  readonly graph: Graph;
  readonly added: Readonly<Record<"entities" | "triples", number>>;
}

/** Marks, in a name and on a card, a graph that was made from the gold. */
export const upperBoundName = "gold-routes graph, no distractors: upper bound";

/** The relation of every edge of the gold-routes graph: the question list names nodes only. */
const routeRelation = "leads to";

/** The graph of the monsters' sheets. */
export async function sheetGraph(
  scope: Scope,
  naming: Naming,
  folders: Awaited<ReturnType<typeof monsterFolders>>,
  options: MhMmkgOptions,
): Promise<MadeGraph> {
  const captionOf = await captioning(scope, options);
  const sheets: MonsterSheets[] = [];
  for (const folder of folders) sheets.push(await readMonster(scope, naming, folder));
  const merged = (options.merge === "union" ? union : asReleased)(scope, naming, sheets, captionOf);
  for (const table of ["node rows", "relation rows"]) scope.intake.table(table);
  return {
    graph: graphFrom({ entities: merged.entities, triples: merged.triples, name: "mh-mmkg" }),
    added: { entities: merged.added, triples: 0 },
  };
}

async function captioning(scope: Scope, { captions, merge }: MhMmkgOptions): Promise<CaptionOf> {
  const written = await offlineCaptions(scope, "captions", join(scope.root, "mmkg"), "kg_offline_", captions);
  if (captions === "human") return (_id, human) => human;
  if (!written) return () => "";
  const stays = merge === "as-released";
  return (id, human) => {
    const caption = written.get(id);
    if (caption !== undefined) return caption.replaceAll("**Response:**", "");
    if (human === "") return "";
    scope.notices.add(
      `entities without a caption of this model: ${stays ? "the human one stays, as released" : "none is shown"}`,
      id,
    );
    return stays ? human : "";
  };
}

/**
 * The graph that gold routes imply: their nodes, and an edge between each two that follow one another, in order of first appearance. It holds no
 * distractor, so that what is scored over it is an upper bound.
 */
export function goldRoutesGraph(naming: Naming, rows: readonly QuestionRow[]): MadeGraph {
  const entities = new Map<string, object>();
  const triples = new Map<string, object>();
  for (const row of rows)
    for (const nodes of row.routes) {
      const path = naming.route(row.monster, nodes);
      path.forEach((id, i) => {
        entities.set(id, { id, kind: naming.kind(id) });
        const head = path[i - 1];
        if (head !== undefined) triples.set(JSON.stringify([head, id]), { head, relation: routeRelation, tail: id });
      });
    }
  return {
    graph: graphFrom({ entities: [...entities.values()], triples: [...triples.values()], name: upperBoundName }),
    added: { entities: entities.size, triples: triples.size },
  };
}
