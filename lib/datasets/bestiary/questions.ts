import { byCodeUnit, type Image, type Question, random } from "../../core/index.js";
import { withArticle } from "./captions.js";
import { moveNamed } from "./moves.js";
import { phaseHints, phrasings, type QuestionKind, questionKinds, subTasks } from "./phrasings.js";
import { type Creature, type Route, relation, type World } from "./world.js";

/** Something that can be asked: what it is about, what is right, and along which routes the graph says so. */
interface Candidate {
  readonly kind: QuestionKind;
  readonly creature: Creature;
  /** Attack that the clip shows; none for a text question. */
  readonly attack?: string;
  readonly answers: readonly string[];
  readonly routes: readonly Route[];
  /** Values of the slots of the phrasing besides the creature. */
  readonly slots?: Readonly<Record<string, string>>;
}

/** Makes the clip of an attack: `take` tells one recording from another. */
export type Clip = (attack: string, take: string) => { readonly images: readonly Image[]; readonly caption: string };

const extend = (routes: readonly Route[], triple: { readonly id: string; readonly tail: string }): Route[] =>
  routes.map((r) => ({ path: [...r.path, triple.tail], triples: [...r.triples, triple.id] }));

/** Everything that can be asked about one creature, each with all its right answers. */
function candidatesOf(world: World, creature: Creature): Candidate[] {
  const found: Candidate[] = [];
  const c = creature.id;
  const from = (head: string, label: string) => (world.out.get(head) ?? []).filter((t) => t.relation === label);
  const bare = (id: string) => world.attack.get(id)?.name ?? id;
  const named = (id: string) => [bare(id), id].filter((name, i, all) => all.indexOf(name) === i);
  const clause = (text: string) => [text, `when ${text}`, `if ${text}`, `only if ${text}`];
  const add = (
    kind: QuestionKind,
    attack: string | undefined,
    answers: readonly string[],
    routes: readonly Route[],
    slots?: Record<string, string>,
  ) => {
    if (answers.length > 0 && routes.length > 0)
      found.push({ kind, creature, attack, answers: [...new Set(answers)], routes, slots });
  };
  const here: Route = { path: [c], triples: [] };

  add("kind", undefined, [creature.kind, withArticle(creature.kind)], [here]);
  for (const [kind, label] of [
    ["alias", relation.alias],
    ["habitat", relation.habitat],
    ["weapon", relation.weapon],
  ] as const) {
    const facts = from(c, label);
    add(
      kind,
      undefined,
      facts.flatMap((t) => [t.tail, `the ${t.tail}`]),
      facts.flatMap((t) => extend([here], t)),
    );
  }

  for (const { id } of creature.attacks) {
    const routes = world.routes(c, id);
    add("recognise", id, named(id), routes);

    const combos = from(id, relation.combo);
    const open = combos.filter((t) => t.condition === "");
    if (open.length === combos.length)
      add(
        "next",
        id,
        combos.flatMap((t) => named(t.tail)),
        combos.flatMap((t) => extend(routes, t)),
      );
    for (const t of combos) {
      if (t.condition === "") continue;
      const route = extend(routes, t);
      add("comboCondition", id, clause(t.condition), route, { n: bare(t.tail) });
      if (combos.length > 1 && open.length === 0) add("conditionalNext", id, named(t.tail), route, { w: t.condition });
    }

    const last = routes.map((r) => world.triples.find((t) => t.id === r.triples.at(-1)));
    if (routes.length === 1 && last[0]?.relation === relation.attack && last[0].condition)
      add("accessCondition", id, clause(last[0].condition), routes);
    const phases = creature.phases.filter((p) => routes.some((r) => r.path.length === 3 && r.path[1] === p.id));
    if (phases.length === routes.length) {
      add(
        "phase",
        id,
        phases.flatMap((p) => [p.name, p.id, `the ${p.name}`]),
        routes,
      );
      const entry = phases.length === 1 ? from(c, relation.phase).find((t) => t.tail === phases[0]?.id)?.condition : "";
      if (entry) add("phaseCondition", id, clause(entry), routes);
    }

    for (const [kind, label] of [
      ["status", relation.status],
      ["hazard", relation.hazard],
      ["element", relation.element],
    ] as const)
      for (const t of from(id, label))
        add(kind, id, [t.tail, ...(kind === "element" ? [t.tail.replace(" Element", "")] : [])], extend(routes, t));
    if (combos.length === 1)
      for (const t of from((combos[0] as { tail: string }).tail, relation.status))
        add("nextStatus", id, [t.tail], extend(extend(routes, combos[0] as { id: string; tail: string }), t));

    for (const t of from(id, relation.resembles)) {
      const there = extend(routes, t);
      add("resembles", id, named(t.tail), there);
      for (const s of from(t.tail, relation.status)) add("resemblesStatus", id, [s.tail], extend(there, s));
      const other = world.attack.get(t.tail)?.creature as string;
      for (const label of [relation.rival, relation.prey])
        for (const rival of from(c, label))
          if (rival.tail === other) {
            const across = world
              .routes(other, t.tail)
              .map((r) => ({ path: [c, ...r.path], triples: [rival.id, ...r.triples] }));
            add("rivalAttack", id, named(t.tail), [...there, ...across], { r: label });
          }
    }
  }
  return found;
}

/** Kind of question → its answers, the one that is right for most that can be asked first; ties in code-unit order. */
export function favouriteAnswers(world: World): Map<QuestionKind, readonly string[]> {
  const counts = new Map<QuestionKind, Map<string, number>>();
  for (const { kind, answers } of world.creatures.flatMap((c) => candidatesOf(world, c))) {
    const count = counts.get(kind) ?? new Map<string, number>();
    counts.set(kind, count);
    count.set(answers[0] as string, (count.get(answers[0] as string) ?? 0) + 1);
  }
  return new Map(
    [...counts].map(([kind, count]) => [
      kind,
      [...count].sort(([a, n], [b, m]) => m - n || byCodeUnit(a, b)).map(([answer]) => answer),
    ]),
  );
}

/** The leaks that are planted in questions; see `bestiaryOptions`. */
export interface Leaks {
  readonly textShortcut: number;
  readonly answerSkew: number;
  readonly favourites: ReadonlyMap<QuestionKind, readonly string[]>;
}

/**
 * The questions of a world. Each sub-task gets its count (scaled by creatures / 22); each of its kinds gets its share as far as the world has
 * matter for it. Within a kind, everything is asked once before anything is asked twice (of another recording).
 * A sub-task without matter has no questions. Under `answerSkew` that share of them is drawn, again and again, from those with the first of the
 * kind's `favourites` that this world has.
 */
export function askQuestions(world: World, worldKey: unknown, clip: Clip, leaks: Leaks): Question[] {
  const r = random("bestiary", worldKey, "questions");
  const skew = random("bestiary", worldKey, "answer skew");
  const candidates = world.creatures.flatMap((c) => candidatesOf(world, c));
  /** What the wording gives away of the clip: how a person would put the act, the same words for the same move in every world. */
  const given = (attack: string | undefined, id: string): string => {
    if (attack === undefined || leaks.textShortcut === 0) return "";
    if (random("bestiary", worldKey, "text shortcut", id).float() >= leaks.textShortcut) return "";
    return `{c} ${moveNamed.get(world.attack.get(attack)?.move as string)?.captions[0]}. `;
  };
  const liked = new Map(
    [...leaks.favourites].map(([kind, answers]) => {
      const own = candidates.filter((c) => c.kind === kind);
      const favourite = answers.find((a) => own.some((c) => c.answers[0] === a));
      return [kind, own.filter((c) => c.answers[0] === favourite)] as const;
    }),
  );
  const chosen: (Candidate & { readonly take: number })[] = [];
  subTasks.forEach((task, subTask) => {
    const kinds = questionKinds.filter((k) => phrasings[k].subTask === subTask && candidates.some((c) => c.kind === k));
    const decks = new Map(kinds.map((k) => [k, [] as Candidate[]]));
    const dealt = new Map(kinds.map((k) => [k, 0]));
    const count = kinds.length === 0 ? 0 : Math.max(1, Math.round((task.count * world.creatures.length) / 22));
    for (let i = 0; i < count; i++) {
      // the kind that is furthest behind its share, of those that still have something new; else of all
      const behind = (k: QuestionKind) => ((dealt.get(k) as number) + 0.5) / phrasings[k].share;
      const fresh = kinds.filter((k) => dealt.get(k) === 0 || (decks.get(k) as Candidate[]).length > 0);
      const kind = (fresh.length > 0 ? fresh : kinds).reduce((a, b) => (behind(b) < behind(a) ? b : a));
      if ((decks.get(kind) as Candidate[]).length === 0)
        decks.set(kind, r.shuffle(candidates.filter((c) => c.kind === kind)));
      const among = liked.get(kind) ?? [];
      const isSkewed = among.length > 0 && skew.float() < leaks.answerSkew;
      const candidate = isSkewed ? skew.pick(among) : ((decks.get(kind) as Candidate[]).pop() as Candidate);
      chosen.push({ ...candidate, take: dealt.get(kind) as number });
      dealt.set(kind, (dealt.get(kind) as number) + 1);
    }
  });
  return r.shuffle(chosen).map((candidate, i) => {
    const id = `q${String(i + 1).padStart(3, "0")}`;
    return write(candidate, id, worldKey, clip, given(candidate.attack, id));
  });
}

function write(
  candidate: Candidate & { readonly take: number },
  id: string,
  worldKey: unknown,
  clip: Clip,
  given: string,
): Question {
  const { kind, creature, attack, answers, routes, slots = {}, take } = candidate;
  const r = random("bestiary", worldKey, "wording", id);
  const c = creature.id;
  const phase = creature.phases.find((p) => routes.every((route) => route.path[1] === p.id));
  // what must hold for an attack of a phase is asked within it: else the phase's own condition would be as right
  const hinted =
    phase !== undefined &&
    kind !== "phase" &&
    kind !== "phaseCondition" &&
    (r.float() < 0.5 || kind === "accessCondition");
  const template = (hinted ? r.pick(phaseHints) : "") + r.pick(withCreature(phrasings[kind].texts, hinted));
  const values: Record<string, string> = { ...slots, c, s: `${c}'s`, p: phase?.name ?? "" };
  const text = `${given}${template}`.replace(/\{(\w)\}/g, (_, slot: string) => values[slot] as string);
  const recording = attack === undefined ? undefined : clip(attack, `${kind} ${take}`);
  return {
    id,
    text,
    images: recording?.images ?? [],
    answers,
    group: subTasks[phrasings[kind].subTask]?.label as string,
    cluster: c,
    gold: {
      paths: routes.map((route) => route.path),
      pathTriples: routes.map((route) => route.triples),
      triples: [...new Set(routes.flatMap((route) => route.triples))],
    },
    meta: { kind, creature: c, ...(attack === undefined ? {} : { attack, caption: recording?.caption }) },
  };
}

/** The creature is named in every question: in the hint, or in the sentence itself. */
const withCreature = (texts: readonly string[], hinted: boolean) =>
  hinted ? texts : texts.filter((t) => /\{[cs]\}/.test(t));
