import { type Random, random } from "../../core/index.js";
import type { Triple } from "../../graph/index.js";
import { moves } from "./moves.js";
import type { WorldOptions } from "./options.js";
import {
  classes,
  conditions,
  creatureNames,
  elements,
  habitats,
  hazards,
  phaseConditions,
  phases,
  statuses,
  type Theme,
  themes,
  titleAdjectives,
  titleNouns,
  weapons,
} from "./vocabulary.js";

/** What the facts of a world depend on. */
export type FactOptions = Pick<
  WorldOptions,
  "creatures" | "minAttacks" | "maxAttacks" | "phaseRate" | "conditionRate" | "crossEdges" | "regularity"
>;

interface Attack {
  readonly id: string;
  /** Name without the creature: "Ember Sweep". */
  readonly name: string;
  readonly creature: string;
  readonly move: string;
  readonly theme: Theme;
}

export interface Creature {
  readonly id: string;
  /** Place in `creatureNames`: what its look depends on. */
  readonly index: number;
  readonly kind: string;
  readonly alias: string;
  readonly phases: readonly { readonly id: string; readonly name: string; readonly description: string }[];
  readonly attacks: readonly Attack[];
}

/** A route: entity ids and the triples between them. */
export interface Route {
  readonly path: readonly string[];
  readonly triples: readonly string[];
}

export interface World {
  readonly creatures: readonly Creature[];
  readonly triples: readonly Triple[];
  readonly attack: ReadonlyMap<string, Attack>;
  readonly out: ReadonlyMap<string, readonly Triple[]>;
  /** Shortest routes from a creature to one of its attacks: straight, through each phase that allows it, or through an attack that it only ever follows. */
  routes(creature: string, attack: string): readonly Route[];
}

/** Relations as they stand in the graph. */
export const relation = {
  phase: "can enter",
  attack: "can use attack",
  combo: "is followed by",
  status: "inflicts",
  hazard: "leaves behind",
  element: "carries",
  weapon: "is weak to",
  habitat: "lives in",
  alias: "is also known as",
  resembles: "resembles",
  rival: "competes with",
  prey: "preys on",
} as const;

/** Moves that the canon can give a creature in a world of the default size; the rest are what a slot takes that leaves the canon. */
const canonMoves = 7;
const comboRate = 0.5;

/**
 * Decides each fact of a world by its own random stream. With probability `regularity` a fact is the canon's, the same
 * in every world; otherwise it is drawn anew, and differs from the canon's wherever the draw allows.
 */
function factsOf(worldKey: unknown, regularity: number) {
  const keeps = (key: string) => random("bestiary", worldKey, "keep", key).float() < regularity;
  const fact = <T>(key: string, draw: (r: Random) => T): T => {
    const canon = draw(random("bestiary canon", key));
    if (keeps(key)) return canon;
    const own = random("bestiary", worldKey, key);
    let value = draw(own);
    for (let tries = 0; value === canon && tries < 50; tries++) value = draw(own);
    return value;
  };
  return { keeps, fact };
}

/** A world of creatures, decided fact by fact: O(creatures). `worldKey` is any JSON value; equal keys and options, equal world. */
export function makeWorld(worldKey: unknown, options: FactOptions): World {
  const { keeps, fact } = factsOf(worldKey, options.regularity);
  const chance = (key: string, probability: number) => fact(`${key}?`, (r) => r.float()) < probability;
  const triples: Triple[] = [];
  const out = new Map<string, Triple[]>();
  const link = (head: string, label: string, tail: string, condition = "") => {
    const known = out.get(head) ?? [];
    if (known.some((t) => t.relation === label && t.tail === tail && t.condition === condition)) return;
    const triple = { id: `t${triples.length}`, head, relation: label, relationLabel: label, tail, condition };
    triples.push(triple);
    out.set(head, [...known, triple]);
  };
  const condition = (key: string, not = "") =>
    chance(`${key}/conditional`, options.conditionRate)
      ? fact(`${key}/condition`, (r) => r.pick(conditions.filter((c) => c !== not)))
      : "";

  const creatures = creatureNames.slice(0, options.creatures).map((id, index): Creature => {
    const attacks = drawAttacks(id, keeps, fact, worldKey, options);
    const count = chance(`${id}/phase`, options.phaseRate) ? (chance(`${id}/second phase`, 0.45) ? 2 : 1) : 0;
    const named = random("bestiary canon", id, "phases").shuffle(phases).slice(0, 4);
    const first = fact(`${id}/phase 1`, (r) => r.int(4));
    const second = (first + 1 + fact(`${id}/phase 2`, (r) => r.int(3))) % 4;
    return {
      id,
      index,
      kind: fact(`${id}/kind`, (r) => r.pick(classes)),
      alias: `${fact(`${id}/title`, (r) => r.pick(titleAdjectives))} ${titleNouns[index] as string}`,
      phases: [first, second]
        .slice(0, count)
        .map((i) => ({ ...(named[i] as (typeof phases)[number]), id: `${id} ${named[i]?.name}` })),
      attacks,
    };
  });

  for (const { id, alias, phases: own, attacks } of creatures) {
    link(id, relation.alias, alias);
    twoOf(id, relation.habitat, habitats, 0.3);
    twoOf(id, relation.weapon, weapons, 0.35);
    for (const phase of own)
      link(
        id,
        relation.phase,
        phase.id,
        chance(`${phase.id}/conditional`, Math.min(1, 2 * options.conditionRate))
          ? fact(`${phase.id}/condition`, (r) => r.pick(phaseConditions))
          : "",
      );
    const phaseIds = own.map((p) => p.id);
    for (const slot of attacks.keys()) giveAccess(id, phaseIds, attacks, slot);
    for (const attack of attacks) {
      if (chance(`${attack.id}/status`, 0.7))
        link(
          attack.id,
          relation.status,
          fact(`${attack.id}/status`, (r) => r.pick(r.float() < 0.5 ? attack.theme.statuses : statuses)),
        );
      if (chance(`${attack.id}/hazard`, 0.4))
        link(
          attack.id,
          relation.hazard,
          fact(`${attack.id}/hazard`, (r) => r.pick(r.float() < 0.5 ? attack.theme.hazards : hazards)),
        );
      if (chance(`${attack.id}/element`, 0.45))
        link(
          attack.id,
          relation.element,
          fact(`${attack.id}/element`, (r) => (r.float() < 0.5 ? attack.theme.element : r.pick(elements))),
        );
    }
    for (const slot of attacks.keys()) addCombos(id, attacks, slot);
  }
  const attack = new Map(creatures.flatMap((c) => c.attacks).map((a) => [a.id, a]));
  addCrossEdges();
  return { creatures, triples, attack, out, routes };

  function twoOf(id: string, label: string, values: readonly string[], secondRate: number) {
    const first = fact(`${id}/${label} 1`, (r) => r.pick(values));
    link(id, label, first);
    if (chance(`${id}/${label} 2`, secondRate))
      link(
        id,
        label,
        fact(`${id}/${label} 2`, (r) => r.pick(values.filter((v) => v !== first))),
      );
  }

  /** The first two attacks are always open; the last may only ever follow another; the rest may belong to one or two phases. */
  function giveAccess(id: string, own: readonly string[], attacks: readonly Attack[], slot: number) {
    const attack = attacks[slot] as Attack;
    if (slot === attacks.length - 1 && chance(`${id}/${slot}/follows only`, 0.6)) {
      link(
        (attacks[fact(`${id}/${slot}/after`, (r) => r.int(2))] as Attack).id,
        relation.combo,
        attack.id,
        condition(`${id}/${slot}/after`),
      );
      return;
    }
    const inPhase = slot >= 2 && own.length > 0 && chance(`${id}/${slot}/in phase`, 0.65);
    if (!inPhase) return link(id, relation.attack, attack.id, condition(`${attack.id}/access`));
    const at = fact(`${id}/${slot}/which phase`, (r) => r.int(2)) % own.length;
    link(own[at] as string, relation.attack, attack.id, condition(`${attack.id}/access`));
    if (own.length > 1 && chance(`${id}/${slot}/both phases`, 0.3))
      link(own[1 - at] as string, relation.attack, attack.id, condition(`${attack.id}/access 2`));
  }

  /** Up to two followers, among the other attacks. Two followers are told apart by a condition each, or by none. */
  function addCombos(id: string, attacks: readonly Attack[], slot: number) {
    if (!chance(`${id}/${slot}/combo`, comboRate)) return;
    const head = (attacks[slot] as Attack).id;
    const others = attacks.filter((_, i) => i !== slot);
    const at =
      fact(`${id}/${slot}/follower`, (r) => r.int(Math.max(canonMoves, options.maxAttacks) - 1)) % others.length;
    const linked = (out.get(head) ?? []).filter((t) => t.relation === relation.combo);
    const followers = [others[at] as Attack].filter((a) => !linked.some((t) => t.tail === a.id));
    if (linked.length === 0 && chance(`${id}/${slot}/second`, 0.45))
      followers.push(others[(at + 1) % others.length] as Attack);
    const first = condition(`${id}/${slot}/combo`, linked[0]?.condition);
    for (const [i, follower] of followers.entries()) {
      const own =
        i === 0 || first === ""
          ? first
          : fact(`${id}/${slot}/combo/condition 2`, (r) => r.pick(conditions.filter((c) => c !== first)));
      link(head, relation.combo, follower.id, own);
    }
  }

  /** Rivals and prey among creatures; resemblances between attacks of the same kind, with rival and prey first. */
  function addCrossEdges() {
    const others = new Map<string, string[]>();
    for (const { id, index } of creatures) {
      const n = creatures.length;
      const other = (key: string) =>
        creatures[(index + 1 + (fact(`${id}/${key}`, (r) => r.int(1000)) % Math.max(1, n - 1))) % n]?.id as string;
      const known: string[] = [];
      for (const [key, label] of [
        ["rival", relation.rival],
        ["prey", relation.prey],
      ] as const) {
        const to = other(key);
        if (n < 2 || known.includes(to) || !chance(`${id}/${key}`, Math.min(1, 2 * options.crossEdges))) continue;
        known.push(to);
        link(id, label, to);
      }
      others.set(id, known);
    }
    for (const { id, attacks } of creatures)
      for (const own of attacks) {
        if (!chance(`${own.id}/resembles`, options.crossEdges)) continue;
        const alike = creatures.filter((c) => c.id !== id).flatMap((c) => c.attacks.filter((a) => a.move === own.move));
        const near = alike.filter((a) => others.get(id)?.includes(a.creature));
        const among = near.length > 0 ? near : alike;
        if (among.length > 0)
          link(
            own.id,
            relation.resembles,
            (among[fact(`${own.id}/resembles`, (r) => r.int(1000)) % among.length] as Attack).id,
          );
      }
  }

  function routes(creature: string, target: string): Route[] {
    const from = (head: string, label: string) => (out.get(head) ?? []).filter((t) => t.relation === label);
    const found: Route[] = from(creature, relation.attack)
      .filter((t) => t.tail === target)
      .map((t) => ({ path: [creature, target], triples: [t.id] }));
    for (const phase of from(creature, relation.phase))
      for (const t of from(phase.tail, relation.attack))
        if (t.tail === target) found.push({ path: [creature, phase.tail, target], triples: [phase.id, t.id] });
    if (found.length > 0) return found;
    const own = creatures.find((c) => c.id === creature)?.attacks ?? [];
    // the attack before is open by itself, or the search would not end
    for (const before of own)
      for (const t of from(before.id, relation.combo))
        if (t.tail === target && before.id !== target && hasAccess(before.id))
          for (const route of routes(creature, before.id))
            found.push({ path: [...route.path, target], triples: [...route.triples, t.id] });
    return found;
  }

  function hasAccess(target: string): boolean {
    return triples.some((t) => t.relation === relation.attack && t.tail === target);
  }
}

/**
 * `minAttacks` to `maxAttacks` attacks, each of another move. A slot that leaves the canon takes another move than the canon's: one of those that the
 * canon does not give this creature, as long as there are any.
 */
function drawAttacks(
  creature: string,
  keeps: (key: string) => boolean,
  fact: <T>(key: string, draw: (r: Random) => T) => T,
  worldKey: unknown,
  { minAttacks, maxAttacks }: FactOptions,
): Attack[] {
  const canon = random("bestiary canon", creature, "moves").shuffle(moves);
  const spare = random("bestiary", worldKey, creature, "moves").shuffle(canon.slice(canonMoves));
  const themePool = random("bestiary canon", creature, "themes").sample(themes, 2);
  const count = minAttacks + fact(`${creature}/attacks`, (r) => r.int(maxAttacks - minAttacks + 1));
  const slots = canon.slice(0, count).map((usual, slot) => ({ usual, kept: keeps(`${creature}/attack ${slot}`) }));
  const taken = new Set(slots.filter(({ kept }) => kept).map(({ usual }) => usual));
  return slots.map(({ usual, kept }, slot) => {
    // twelve slots at most leave one of the fourteen moves free that is not the usual one
    const free = [...spare.slice(slot), ...spare.slice(0, slot), ...canon].find((m) => m !== usual && !taken.has(m));
    const move = kept ? usual : (free as (typeof moves)[number]);
    taken.add(move);
    const theme = random("bestiary canon", creature, move.name, "theme").pick(themePool);
    const name = `${theme.name} ${move.name}`;
    return { id: `${creature} ${name}`, name, creature, move: move.name, theme };
  });
}
