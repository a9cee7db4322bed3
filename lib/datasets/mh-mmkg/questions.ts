import { type Gold, MkgError, quote } from "../../core/index.js";
import type { Graph } from "../../graph/index.js";
import type { QuestionInput } from "../question.js";
import type { Naming } from "./names.js";
import type { MhMmkgOptions } from "./options.js";
import { type QuestionRow, subTasks } from "./question-list.js";
import type { Scope } from "./scope.js";

type Wording = Pick<MhMmkgOptions, "useName" | "useHint">;

/**
 * What is asked, in order: the game and, with `useName`, the monster; the hint, with `useHint`; the question. A slot `{}` gets a space and the name
 * of the monster, or a space and "the monster", as in the released code, so that a slot after a space has two. Text-only questions always
 * name the monster: nothing else says what they are about. Unlike in the released code, hints do not name it either without `useName`.
 */
function questionText(row: QuestionRow, wording: Wording): string {
  const named = wording.useName || row.textOnly;
  const start = `The game is Monster Hunter: World${named ? `, the opponent ${row.monster}` : ""}.`;
  const hint = wording.useHint && row.hint !== "" ? ` ${filled(row.hint, row, named)} ` : " ";
  return `${start}${hint}${filled(row.question, row, named)}`;
}

const filled = (text: string, { monster }: QuestionRow, named: boolean): string =>
  text.replaceAll("{}", () => (named ? ` ${monster}` : " the monster"));

export const questionId = (row: QuestionRow): string => `row${row.source.line}`;

/** The rows as questions over the graph. `captions`: of battle screens by File, as a model wrote them. */
export function questionsOf(
  scope: Scope,
  naming: Naming,
  graph: Graph,
  rows: readonly QuestionRow[],
  options: MhMmkgOptions,
  captions: ReadonlyMap<string, string> | undefined,
): QuestionInput[] {
  const rowsOf = new Map<string, QuestionRow[]>();
  for (const row of rows) rowsOf.set(row.file, [...(rowsOf.get(row.file) ?? []), row]);
  const apart = options.duplicates === "apart";
  for (const [file, same] of rowsOf)
    for (const row of same.slice(1)) {
      const first = `row ${same[0]!.source.line}`;
      if (apart)
        scope.notices.add(
          "questions whose File an earlier row has: kept apart",
          `${row.source.short}: ${file} (${first})`,
        );
      else
        scope.leaveOut(
          "questions",
          row.source.file,
          row.source.line,
          `its File has the answer and gold of ${first}, as released`,
        );
    }
  const perception = (row: QuestionRow): string => {
    if (options.questionCaptions === "none" || row.textOnly) return "";
    if (!captions) return row.caption;
    const written = captions.get(row.file);
    if (written !== undefined) return written;
    const stays = options.merge === "as-released";
    scope.notices.add(
      `questions without a caption of this model: ${stays ? "the human one stays, as released" : "none is shown"}`,
      row.source.short,
    );
    return stays ? row.caption : "";
  };
  const groups = apart
    ? rows.map((row) => [row, row] as const)
    : [...rowsOf.values()].map((same) => [same.at(-1)!, same[0]!] as const);
  return groups.map(([asked, judged]) => ({
    id: questionId(judged),
    text: questionText(asked, options),
    images: asked.images,
    answers: [judged.answer],
    group: subTasks[judged.type] as string,
    cluster: judged.monster,
    ...goldOf(scope, naming, graph, judged),
    meta: withoutBlanks({
      row: judged.source.line,
      file: asked.file,
      type: judged.type,
      textOnly: asked.textOnly,
      monster: asked.monster,
      hint: filled(asked.hint, asked, options.useName || asked.textOnly).trim(),
      caption: asked.caption,
      perception: perception(asked),
      video: asked.video,
    }),
  }));
}

/** Meta fields that queries show: what the agents of the paper are told besides question and picture. */
export const visibleMeta = (options: MhMmkgOptions): string[] => [
  ...(options.useName ? ["monster"] : []),
  ...(options.useHint ? ["hint"] : []),
  ...(options.questionCaptions === "none" ? [] : ["perception"]),
];

const withoutBlanks = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ""));

/** The routes that the graph has, with the edges along them. One that it lacks is an error or left out; what then stays is the gold. */
function goldOf(scope: Scope, naming: Naming, graph: Graph, row: QuestionRow): { gold?: Gold } {
  const { file, line } = row.source;
  const paths: string[][] = [];
  const pathTriples: string[][] = [];
  row.routes.forEach((nodes, i) => {
    const path = naming.route(row.monster, nodes);
    const found = triplesAlong(graph, path);
    const padded = nodes.find((node) => node !== node.trim());
    const why = padded === undefined ? "" : `; blanks are part of a name, as in ${quote(padded)}`;
    const lacks = "lacks" in found ? `column Search Route: route ${i + 1}, ${found.lacks}${why}` : undefined;
    let kept = false;
    scope.intake.row("gold routes", file, line, () => {
      // what the released merge overwrote is no mistake in the sheets
      if (lacks !== undefined && scope.merge === "union")
        throw new MkgError(
          row.source.where,
          lacks,
          "A route follows relations of the graph",
          "Mend the sheets or the cell, or load leniently: the question then goes on without this route",
        );
      kept = true;
    });
    if (!kept) return;
    if ("lacks" in found) {
      scope.leaveOut("gold routes", file, line, `${lacks}; left out of the gold`);
      return;
    }
    if (path[0] !== row.monster)
      scope.notices.add("gold routes that do not begin with their question's monster", row.source.short);
    for (const step of found.against)
      scope.notices.add(
        "steps of gold routes against the direction of their relation: a walk cannot take them",
        `${row.source.short}: ${step}`,
      );
    for (const step of found.parallel)
      scope.notices.add(
        "steps of gold routes that several relations fit: the first is taken",
        `${row.source.short}: ${step}`,
      );
    paths.push(path);
    pathTriples.push(found.triples);
  });
  return paths.length === 0 ? {} : { gold: { paths, pathTriples, triples: [...new Set(pathTriples.flat())] } };
}

/** The triples along a path, those in its direction first; or what the graph lacks. O(degree) a step. */
function triplesAlong(
  graph: Graph,
  path: readonly string[],
):
  | { readonly triples: string[]; readonly against: string[]; readonly parallel: string[] }
  | { readonly lacks: string } {
  const unknown = path.find((id) => !graph.has(id));
  if (unknown !== undefined) return { lacks: `there is no entity ${quote(unknown)}` };
  const [triples, against, parallel] = [[], [], []] as [string[], string[], string[]];
  for (let i = 1; i < path.length; i++) {
    const [from, to] = [path[i - 1] as string, path[i] as string];
    const edges = (direction: "out" | "in") =>
      graph.neighbours(from, { direction }).filter(({ entity }) => entity === to);
    const out = edges("out");
    const fitting = out.length > 0 ? out : edges("in");
    const step = `${from} > ${to}`;
    if (fitting.length === 0) return { lacks: `no relation joins ${quote(from)} and ${quote(to)}` };
    if (out.length === 0) against.push(step);
    if (fitting.length > 1) parallel.push(step);
    triples.push(fitting[0]!.triple);
  }
  return { triples, against, parallel };
}
