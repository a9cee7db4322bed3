import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256 } from "../../lib/core/index.js";
import { type Bestiary, bestiary, bestiaryOptions, type Dataset, loadDataset } from "../../lib/datasets/index.js";
import type { Entity } from "../../lib/graph/index.js";

const test = suite("bestiary worlds");
const attackSets = (w: Bestiary) =>
  w.entities
    .filter((e) => e.kind === "creature")
    .map((c) =>
      w.entities
        .filter((e) => e.kind === "attack" && e.id.startsWith(`${c.id} `))
        .map((e) => e.id.slice(c.id.length + 1)),
    );

test("options written out at their defaults are the default world", async () => {
  const written = Object.fromEntries(Object.entries(bestiaryOptions).map(([key, spec]) => [key, spec.default]));
  assert.is((await loadDataset("bestiary", written)).fingerprint, (await loadDataset("bestiary")).fingerprint);
});

test("the default world is the one that published figures were measured on: its words hash to the golden value", () => {
  // made by this expression; it must not move without a line in the change log
  const { questions, triples, entities } = bestiary(["test", 0, 0]);
  const text = JSON.stringify([
    questions.map((q) => [q.id, q.text, q.answers, q.group, q.cluster, q.gold?.paths, q.gold?.pathTriples, q.meta]),
    triples.map((t) => [t.id, t.head, t.relation, t.tail, t.condition]),
    entities.map((e) => [e.id, e.kind, e.description]),
    [...entities, ...questions].map((x) => x.images.map((i) => [i.id, i.key])),
  ]);
  assert.is(sha256(text).slice(0, 16), "7d51d70c177dd6cb");
});

test("a creature has minAttacks to maxAttacks attacks, both reached, each of another move", async () => {
  for (const [minAttacks, maxAttacks] of [
    [3, 3],
    [5, 7],
    [4, 9],
    [12, 12],
  ] as const) {
    const sets = attackSets(bestiary("attacks", { minAttacks, maxAttacks, regularity: 0.5 }));
    assert.is(sets.length, 22);
    assert.is(Math.min(...sets.map((s) => s.length)), minAttacks);
    assert.is(Math.max(...sets.map((s) => s.length)), maxAttacks);
    for (const names of sets) assert.is(new Set(names.map((name) => name.split(" ").at(-1))).size, names.length);
    // loading checks that every gold path is in the graph
    assert.is((await loadDataset("bestiary", { minAttacks, maxAttacks })).questions.length, 238);
  }
});

test("at twelve attacks each slot still leaves the canon as often as regularity says, and then for another move", () => {
  const moves = (world: unknown, regularity: number) =>
    attackSets(bestiary(world, { minAttacks: 12, maxAttacks: 12, regularity })).flat();
  const canon = moves("any", 1);
  const share = (regularity: number) => {
    let kept = 0;
    for (let w = 0; w < 10; w++) kept += moves(w, regularity).filter((name, i) => name === canon[i]).length;
    return kept / (10 * canon.length);
  };
  assert.is(share(0), 0);
  // 10 worlds × 22 creatures × 12 slots: standard deviation 0.0095 at 0.6
  assert.ok(Math.abs(share(0.6) - 0.6) < 0.038, `${share(0.6)}`);
});

test("fewer attacks allowed than required is refused", async () => {
  let message = "nothing was thrown";
  await loadDataset("bestiary", { minAttacks: 8 }).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /bestiary: minAttacks is larger than maxAttacks \(8 > 7\)/);
});

test("validation and training worlds: as many as asked for, prefixed when they stand side by side, no picture twice anywhere", async () => {
  const world = await loadDataset("bestiary", { creatures: 5, trainWorlds: 7, validationWorlds: 3 });
  const [train, validation] = [await world.splits.train(), await world.splits.validation()];
  const each = world.questions.length;
  assert.is(train.questions.length, 7 * each);
  assert.is(validation.questions.length, 3 * each);
  const prefixes = (d: Dataset) => [...new Set(d.questions.map((q) => q.cluster.split("/")[0]))].sort();
  assert.equal(prefixes(train), ["w1", "w2", "w3", "w4", "w5", "w6", "w7"]);
  assert.equal(prefixes(validation), ["w1", "w2", "w3"]);
  assert.is(new Set([...train.questions, ...validation.questions].map((q) => q.cluster)).size, 7 * 5);
  const all = [world, train, validation].flatMap((d) =>
    [...(d.graph.entities.objects() as Entity[]), ...d.questions].flatMap((x) => x.images.map((i) => i.id)),
  );
  assert.is(new Set(all).size, all.length);
  const single = await (await loadDataset("bestiary", { creatures: 5 })).splits.validation();
  assert.not.ok(single.questions.some((q) => q.cluster.includes("/")));
  // the first of several validation worlds is the single one
  const texts = (d: Dataset, prefix: string) =>
    d.questions
      .filter((q) => q.cluster.startsWith(prefix))
      .map((q) => q.text)
      .sort();
  assert.equal(texts(validation, "w1/"), texts(single, ""));
});

test("a phase's attacks are reached through it alone, or after another attack; a creature's own are not asked of a phase", () => {
  const w = bestiary("phases", { phaseRate: 1 });
  const attackEdges = w.triples.filter((t) => t.relation === "can use attack");
  const phases = new Set(w.entities.filter((e) => e.kind === "phase").map((e) => e.id));
  const byAttack = new Map<string, string[]>();
  for (const t of attackEdges) byAttack.set(t.tail, [...(byAttack.get(t.tail) ?? []), t.head]);
  let inPhase = 0;
  for (const heads of byAttack.values()) {
    const kinds = new Set(heads.map((head) => phases.has(head)));
    assert.is(kinds.size, 1, heads.join());
    if (kinds.has(true)) inPhase++;
    else assert.is(heads.length, 1);
  }
  assert.ok(inPhase > 20, String(inPhase));
  for (const phase of phases) {
    const into = w.triples.filter((t) => t.tail === phase);
    assert.equal(
      into.map((t) => [t.head, t.relation]),
      [[phase.split(" ")[0], "can enter"]],
    );
  }
  // phase questions ask only for attacks that need one
  for (const q of w.questions.filter((q) => q.meta.kind === "phase"))
    for (const path of q.gold?.paths ?? []) assert.ok(phases.has(path[1] as string));
});

test("of an attack's followers at most one holds whatever the condition when any has one, so that the condition decides", () => {
  const w = bestiary("combos", { conditionRate: 0.6 });
  let decided = 0;
  for (const { id } of w.entities.filter((e) => e.kind === "attack")) {
    const conditions = w.triples
      .filter((t) => t.head === id && t.relation === "is followed by")
      .map((t) => t.condition);
    const stated = conditions.filter((c) => c !== "");
    assert.is(new Set(stated).size, stated.length, id);
    if (stated.length === 2) decided++;
  }
  assert.ok(decided > 5, String(decided));
});

test("with rates at 1 every attack has a condition, every creature a phase, and every attack of a shared move a likeness elsewhere", () => {
  const w = bestiary("all", { phaseRate: 1, conditionRate: 1, crossEdges: 1 });
  for (const t of w.triples)
    if (t.relation === "can use attack" || t.relation === "can enter") assert.is.not(t.condition, "", t.id);
  const creatures = w.entities.filter((e) => e.kind === "creature").map((e) => e.id);
  for (const c of creatures) assert.ok(w.triples.some((t) => t.head === c && t.relation === "can enter"));
  const attacks = w.entities.filter((e) => e.kind === "attack").map((e) => e.id);
  const move = (id: string) => id.split(" ").at(-1);
  for (const id of attacks) {
    const isShared = attacks.some((other) => other !== id && move(other) === move(id));
    assert.is(w.triples.filter((t) => t.head === id && t.relation === "resembles").length, isShared ? 1 : 0, id);
  }
});

test("every sub-task has at least six templates, and worlds use all of them", async () => {
  const train = await loadDataset("bestiary", { split: "train", trainWorlds: 10 });
  const names = /\b[A-Z]\w+(?:'s)?\b/g;
  const own = train.graph.triples.array("condition") as string[];
  const clauses = [...new Set(own)].filter(Boolean);
  for (const group of new Set(train.questions.map((q) => q.group))) {
    const templates = train.card.counts[`templates of ${group}`] as number;
    assert.ok(templates >= 6, `${group}: ${templates}`);
    const wordings = new Set(
      train.questions
        .filter((q) => q.group === group)
        .map((q) => {
          // what stands in the slots is not wording: phase hint, condition, relation to the other creature, names
          const bare = clauses.reduce(
            (t, clause) => t.replace(clause, "#"),
            q.text.replace(/^.*\b(?:Phase|begun)\b.*?\. /, ""),
          );
          const [first, ...rest] = bare.replace(/competes with|preys on/, "#").split(" ");
          return [first?.toLowerCase(), ...rest].join(" ").replace(names, "_");
        }),
    );
    assert.is(wordings.size, templates, [...wordings].sort().join("\n"));
  }
});

test("captions vary: recordings of one attack are put in other words, and of 131 captions few are the same but for the name", () => {
  const w = bestiary(["test", 0, 0]);
  const bare = w.entities
    .filter((e) => e.kind === "attack")
    .map((e) => e.description.replaceAll(e.id.split(" ")[0] as string, "_"));
  assert.ok(new Set(bare).size > 0.8 * bare.length, `${new Set(bare).size} of ${bare.length}`);
  const byAttack = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const q of bestiary("captions", { answerSkew: 1 }).questions) {
    if (q.meta.attack === undefined) continue;
    const id = q.meta.attack as string;
    byAttack.set(id, (byAttack.get(id) ?? new Set()).add(q.meta.caption as string));
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const [most, n] = [...counts].sort((a, b) => b[1] - a[1])[0] as [string, number];
  assert.ok(n >= 10 && (byAttack.get(most)?.size as number) >= 0.6 * n, `${byAttack.get(most)?.size} of ${n}`);
});

test("the card's counts of routes are those of the questions, counted here by the graph", async () => {
  const d = await loadDataset("bestiary", { seed: 5 });
  const routes = d.questions.flatMap((q) =>
    (q.gold?.paths ?? []).map((path, i) => ({ path, own: q.cluster, triples: q.gold?.pathTriples?.[i] ?? [] })),
  );
  const kind = (id: string) => d.graph.entity(id).kind;
  const creatures = d.graph.entities.objects().filter((e) => (e as Entity).kind === "creature") as Entity[];
  const foreign = (id: string, own: string) =>
    creatures.some((c) => c.id !== own && (c.id === id || id.startsWith(`${c.id} `)));
  const { counts } = d.card;
  assert.is(counts["gold routes"], routes.length);
  assert.is(
    counts["routes that cross to another creature"],
    routes.filter(({ path, own }) => path.some((id) => foreign(id, own))).length,
  );
  assert.is(
    counts["routes through a phase"],
    routes.filter(({ path }) => path.some((id) => kind(id) === "phase")).length,
  );
  assert.is(
    counts["routes along a condition"],
    routes.filter(({ triples }) => triples.some((t) => d.graph.triple(t).condition !== "")).length,
  );
});

test.run();
