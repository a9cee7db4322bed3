import type { Question } from "../../core/index.js";
import type { Entity, Triple } from "../../graph/index.js";
import { majority } from "../majority.js";
import type { DatasetCard } from "../types.js";
import { phrasings, questionKinds, subTasks } from "./phrasings.js";

/** Counts, limits and measured shortcuts of generated questions. */
export function card(
  entities: readonly Entity[],
  triples: readonly Triple[],
  questions: readonly Question[],
  worlds: number,
  planted: readonly { readonly name: string; readonly share: number }[],
): Pick<DatasetCard, "summary" | "origin" | "counts" | "notices" | "limits"> {
  const byKind = (kind: string) => entities.filter((e) => e.kind === kind).length;
  const routes = questions.flatMap((q) => q.gold?.paths ?? []);
  // ids of phases and attacks start with their creature's, a single word
  const creatureOf = new Map(
    entities
      .filter((e) => e.kind === "creature" || e.kind === "phase" || e.kind === "attack")
      .map((e) => [e.id, e.id.split(" ")[0] as string]),
  );
  const crosses = (route: readonly string[]) =>
    new Set(route.map((id) => creatureOf.get(id)).filter((c) => c !== undefined)).size > 1;
  const phases = new Set(entities.filter((e) => e.kind === "phase").map((e) => e.id));
  const conditional = new Set(triples.filter((t) => t.condition !== "").map((t) => t.id));
  const counts: Record<string, number> = {
    worlds,
    creatures: byKind("creature"),
    phases: byKind("phase"),
    attacks: byKind("attack"),
    relations: new Set(triples.map((t) => t.relation)).size,
    "triples with a condition": triples.filter((t) => t.condition !== "").length,
    "gold routes": routes.length,
    "questions with several routes": questions.filter((q) => (q.gold?.paths?.length ?? 0) > 1).length,
    "routes that cross to another creature": routes.filter(crosses).length,
    "routes through a phase": routes.filter((route) => route.some((id) => phases.has(id))).length,
    "routes along a condition": questions
      .flatMap((q) => q.gold?.pathTriples ?? [])
      .filter((route) => route.some((id) => conditional.has(id))).length,
    frames: [...entities, ...questions].reduce((n, { images }) => n + images.length, 0),
  };
  for (let nodes = 1; nodes <= 6; nodes++) {
    const count = routes.filter((r) => r.length === nodes).length;
    if (count > 0) counts[`routes of ${nodes} ${nodes === 1 ? "entity" : "entities"}`] = count;
  }
  subTasks.forEach(({ label }, subTask) => {
    counts[label] = questions.filter((q) => q.group === label).length;
    counts[`templates of ${label}`] = questionKinds
      .filter((kind) => phrasings[kind].subTask === subTask)
      .reduce((n, kind) => n + phrasings[kind].texts.length, 0);
  });
  const leaks = planted.filter(({ share }) => share > 0);
  const missing = subTasks.filter(({ label }) => counts[label] === 0).map(({ label }) => label);
  return {
    summary:
      "Fictional creatures with phases, attacks shown as clips, conditions and combos; questions in six sub-tasks with gold paths",
    origin: "generated",
    counts,
    notices: [
      ...(missing.length > 0
        ? [
            {
              what: "sub-tasks without questions, for want of matter in this world",
              count: missing.length,
              examples: missing,
            },
          ]
        : []),
      ...(leaks.length > 0
        ? [
            {
              what: "leaks planted on purpose: scores do not say what a method can do",
              count: leaks.length,
              examples: leaks.map(({ name, share }) => `${name} ${share}`),
            },
          ]
        : []),
    ],
    limits: [
      "Generated: results say how a method handles this shape of graph, not how it does on real data",
      "Pictures are simple drawings; an encoder trained on photographs may do better or worse than on photographs",
      "Questions come from templates: a reader can learn them",
      ...subTasks
        .filter(({ label }) => !missing.includes(label))
        .map(({ label }) => {
          const own = questions.filter((q) => q.group === label);
          const { hits, answer } = majority(own) ?? { hits: 0, answer: "none" };
          return `Shortcut, ${label}: the answer right most often (${answer}) is right for ${hits} of ${own.length}`;
        }),
    ],
  };
}
