import type { Graph } from "../../graph/index.js";
import type { CardInput } from "../card.js";
import type { QuestionInput } from "../question.js";
import { type MadeGraph, upperBoundName } from "./graph.js";
import type { Naming } from "./names.js";
import type { MhMmkgOptions } from "./options.js";
import { type QuestionRow, subTasks } from "./question-list.js";
import type { Scope } from "./scope.js";

/** Counts of the question list and the graph, what loading saw, and what the data cannot show. `rows`: those that questions were made of. */
export function cardOf(
  scope: Scope,
  naming: Naming,
  options: MhMmkgOptions,
  { graph, added }: MadeGraph,
  rows: readonly QuestionRow[],
  questions: readonly QuestionInput[],
): CardInput {
  const upperBound = graph.name === upperBoundName;
  const { intake } = scope;
  const own = (table: "entities" | "triples") => graph[table].numRows() - added[table];
  return {
    summary: `${questions.length} questions of MH-MMKG about battle scenes in Monster Hunter: World, ${
      upperBound ? `over the ${upperBoundName}` : "over the graph of its monsters"
    }`,
    origin: "real",
    counts: { ...graphCounts(graph, naming), ...questionCounts(naming, rows, questions) },
    limits: [
      ...(upperBound
        ? [
            `${upperBoundName}. It holds what the gold routes name and nothing else: no figure over it says how well a method finds evidence`,
            "the question list names nodes, not relations: every edge has the same relation, and entities have no texts and no pictures",
          ]
        : []),
      ...(questions.every(({ images = [] }) => images.length === 0) ? ["no pictures of questions: text only"] : []),
      ...(options.merge === "as-released" && !upperBound
        ? [
            "as released, later monsters overwrite earlier ones; here in the order of their names, there in that of the file system",
          ]
        : []),
      ...(options.duplicates === "as-released"
        ? ["as released, questions with one File count once: their last text, their first answer and gold"]
        : []),
      "a test split only: whatever is tuned on these questions is not tested by them",
      "an answer is one wording of many",
    ],
    ...(upperBound ? { upperBound } : {}),
    read: { ...intake.read, entities: own("entities"), triples: own("triples") },
    kept: { ...intake.kept },
    added,
    repaired: scope.repaired.list(),
    notices: scope.notices.list(),
    refused: intake.refused,
  };
}

function graphCounts(graph: Graph, naming: Naming): Record<string, number> {
  const ids = [...(graph.entities.array("id") as Iterable<string>)];
  const triples = graph.triples.data();
  const distinct = (column: "relation" | "condition") => new Set(triples[column] as Iterable<string>);
  let conditional = 0;
  for (const condition of triples.condition as Iterable<string>) if (condition !== "") conditional++;
  return {
    monsters: ids.filter((id) => naming.isMonster(id)).length,
    phases: ids.filter((id) => naming.kind(id) === "phase").length,
    elements: ids.filter((id) => naming.kind(id) === "element").length,
    relations: distinct("relation").size,
    "triples with a condition": conditional,
  };
}

function questionCounts(
  naming: Naming,
  rows: readonly QuestionRow[],
  questions: readonly QuestionInput[],
): Record<string, number> {
  const counts: Record<string, number> = {
    "text-only questions": rows.filter(({ textOnly }) => textOnly).length,
    "question pictures": questions.reduce((n, { images = [] }) => n + images.length, 0),
  };
  const routes = rows.flatMap((row) => row.routes.map((nodes) => ({ monster: row.monster, nodes })));
  counts["gold routes"] = routes.length;
  counts["routes that cross to another monster"] = routes.filter(({ monster, nodes }) =>
    nodes.some((node) => node !== monster && naming.isMonster(node)),
  ).length;
  for (let n = 1; n <= Math.max(0, ...rows.map((row) => row.routes.length)); n++)
    counts[`questions with ${n} ${n === 1 ? "route" : "routes"}`] = rows.filter(
      (row) => row.routes.length === n,
    ).length;
  for (let n = 1; n <= Math.max(0, ...routes.map(({ nodes }) => nodes.length)); n++)
    counts[`routes of ${n} ${n === 1 ? "entity" : "entities"}`] = routes.filter(
      ({ nodes }) => nodes.length === n,
    ).length;
  for (const [type, label] of subTasks.entries()) counts[label] = rows.filter((row) => row.type === type).length;
  return counts;
}
