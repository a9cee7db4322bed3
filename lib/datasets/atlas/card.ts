import { byCodeUnit, type Question } from "../../core/index.js";
import type { Graph } from "../../graph/index.js";
import { majority } from "../majority.js";
import type { DatasetCard } from "../types.js";
import type { Facts } from "./facts.js";
import { kinds } from "./forms.js";
import type { Supply } from "./questions.js";

/** Counts, limits and shortcuts of the atlas and of the questions asked of it. */
export function card(
  graph: Graph,
  facts: Facts,
  questions: readonly Question[],
  { leftOut }: Supply,
  perKind: number,
): Pick<DatasetCard, "summary" | "origin" | "counts" | "notices" | "limits"> {
  const { kinds: sorts, relations, images } = graph.describe();
  const counts: Record<string, number> = { relations, flags: images, "flags nearly another's": facts.flagsAlike.size };
  for (const { kind, count } of sorts) counts[`entities: ${kind}`] = count;
  const several = (list: readonly unknown[] | undefined) => (list?.length ?? 0) > 1;
  counts["countries asked about"] = new Set(questions.map((q) => q.cluster)).size;
  counts["gold routes"] = questions.reduce((n, q) => n + (q.gold?.paths?.length ?? 0), 0);
  counts["questions with several routes"] = questions.filter((q) => several(q.gold?.paths)).length;
  const short: string[] = [];
  const shortcuts: string[] = [];
  for (const kind of kinds) {
    const own = questions.filter((q) => q.group === kind);
    counts[kind] = own.length;
    if (own.length < perKind) short.push(`${kind}: ${own.length} of ${perKind}`);
    const best = majority(own);
    if (best)
      shortcuts.push(`Shortcut, ${kind}: one answer (${best.answer}) is right for ${best.hits} of ${own.length}`);
  }
  return {
    summary:
      "Real countries and territories with capitals, borders, currencies, languages, scripts and regions, flags as pictures; questions by grammar in five kinds with all answers and routes",
    origin: "real",
    counts,
    notices: [
      ...[...leftOut]
        .sort(([a], [b]) => byCodeUnit(a, b))
        .map(([reason, count]) => ({
          what: `questions that could be asked and are not: ${reason}`,
          count,
          examples: [],
        })),
      ...(short.length > 0
        ? [
            {
              what: "kinds with fewer questions than asked for, for want of matter",
              count: short.length,
              examples: short,
            },
          ]
        : []),
    ],
    limits: [
      "A model knows countries from its training: without the control closed-book, no gain can be put down to the graph",
      "Facts are as the packages state them (data/atlas/sources.json), not checked against the world",
      "Questions come from templates: a reader can learn them",
      "Questions of the kind flag show the graph's own drawing, cropped, tilted and shaded: recognising it is easier than recognising a photograph",
      "Splits share no country asked about, but answers such as a common currency or language recur",
      "Of the kind intersection, questions about a subregion and a language start at entities without outgoing edges: a walk along outgoing edges cannot answer them",
      ...shortcuts,
    ],
  };
}
