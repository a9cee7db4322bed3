import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bestiary, type Dataset, loadDataset } from "../../lib/datasets/index.js";
import type { Entity, Triple } from "../../lib/graph/index.js";
import { pixels } from "../../lib/media/index.js";

const test = suite("bestiary");
const counts = (values: readonly string[]) => {
  const out: Record<string, number> = {};
  for (const v of [...values].sort()) out[v] = (out[v] ?? 0) + 1;
  return out;
};
const entities = (d: Dataset) => d.graph.entities.objects() as Entity[];
const triples = (d: Dataset) => d.graph.triples.objects() as Triple[];
const world = await loadDataset("bestiary");
const subTasks = { I: 24, II: 109, III: 28, IV: 29, V: 35, VI: 13 };
const task = (group: string) => group.split(" ")[0] as string;
const words = (text: string) =>
  ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()} `;

test("the default world has 22 creatures, 14 elements and the six sub-task counts of MH-MMKG, at any seed", async () => {
  // counts: the 238 questions of arXiv 2506.17589
  for (const d of [world, await loadDataset("bestiary", { seed: 1 }), await loadDataset("bestiary", { seed: 977 })]) {
    assert.equal(counts(d.questions.map((q) => task(q.group))), subTasks);
    const kinds = counts(entities(d).map((e) => e.kind));
    assert.is(kinds.creature, 22);
    assert.is(kinds.element, 14);
    assert.ok((kinds.attack as number) >= 22 * 5 && (kinds.attack as number) <= 22 * 7);
  }
});

test("the questions of sub-task I have no pictures, all others a clip of 16 frames, 3 of them marked, the first never", () => {
  for (const q of world.questions) {
    assert.is(q.images.length, task(q.group) === "I" ? 0 : 16);
    if (q.images.length > 0) assert.is(q.images.filter((i) => i.key).length, 3);
    assert.is(q.images[0]?.key ?? false, false);
  }
});

test("every gold path starts at the question's creature and holds edge by edge, head to tail", () => {
  for (const q of world.questions) {
    assert.ok((q.gold?.paths?.length ?? 0) > 0);
    q.gold?.paths?.forEach((path, i) => {
      assert.is(path[0], q.cluster);
      const along = (q.gold?.pathTriples?.[i] ?? []).map((id) => world.graph.triple(id));
      assert.equal(
        along.map((t) => t.head),
        path.slice(0, -1),
      );
      assert.equal(
        along.map((t) => t.tail),
        path.slice(1),
      );
    });
    assert.equal(new Set(q.gold?.triples), new Set(q.gold?.pathTriples?.flat()));
  }
});

test("gold routes are 1 to 6 entities long, several for some questions, and about 18 cross to another creature", () => {
  const paths = world.questions.flatMap((q) => (q.gold?.paths ?? []).map((path) => ({ path, own: q.cluster })));
  const lengths = counts(paths.map((p) => String(p.path.length)));
  for (const length of ["1", "2", "3", "4"]) assert.ok((lengths[length] as number) > 0, length);
  assert.ok(Math.max(...paths.map((p) => p.path.length)) <= 6);
  // MH-MMKG has 24 questions with 2 or 3 routes
  const several = world.questions.filter((q) => (q.gold?.paths?.length ?? 0) > 1).length;
  assert.ok(several >= 12 && several <= 48, String(several));
  const creatures = entities(world)
    .filter((e) => e.kind === "creature")
    .map((e) => e.id);
  const crossing = paths.filter(({ path, own }) =>
    path.some((id) => creatures.some((c) => c !== own && (id === c || id.startsWith(`${c} `)))),
  ).length;
  assert.ok(crossing >= 13 && crossing <= 26, String(crossing));
});

test("the answer stands where each gold path leads: at an entity of it, on a condition along it, or in the text of a lone entity", () => {
  for (const q of world.questions)
    q.gold?.paths?.forEach((path, i) => {
      const labels = path.slice(1).map((id) => world.graph.entity(id).label);
      const conditions = (q.gold?.pathTriples?.[i] ?? []).map((id) => world.graph.triple(id).condition).filter(Boolean);
      const lone = path.length === 1 ? world.graph.entity(path[0] as string).description : "";
      assert.ok(
        q.answers.some((a) => labels.includes(a) || conditions.includes(a) || words(lone).includes(words(a))),
        `${q.id} ${q.text} ${q.answers}`,
      );
    });
});

test("answers to recognition are the shown attack with and without its creature, and gold holds every way in", () => {
  const direct = (creature: string, attack: string) => {
    const found: string[][] = [];
    for (const { entity } of world.graph.neighbours(creature, { relation: "can use attack" }))
      if (entity === attack) found.push([creature, entity]);
    for (const { entity: phase } of world.graph.neighbours(creature, { relation: "can enter" }))
      for (const { entity } of world.graph.neighbours(phase, { relation: "can use attack" }))
        if (entity === attack) found.push([creature, phase, entity]);
    return found;
  };
  for (const q of world.questions.filter((q) => task(q.group) === "II")) {
    const shown = q.meta.attack as string;
    assert.equal(q.answers, [shown.slice(q.cluster.length + 1), shown]);
    const routes = direct(q.cluster, shown);
    if (routes.length > 0) assert.equal(q.gold?.paths, routes);
    else
      for (const path of q.gold?.paths ?? [])
        assert.is(
          world.graph.triple(q.gold?.pathTriples?.[0]?.at(-1) as string).relation,
          "is followed by",
          path.join(),
        );
  }
});

test("what must hold for an attack is asked so that one condition alone is the answer: others on the route are said in the question", async () => {
  const worlds = [world, await loadDataset("bestiary", { split: "train" })];
  let inPhase = 0;
  for (const { graph, questions } of worlds)
    for (const q of questions) {
      if (q.meta.kind !== "accessCondition") continue;
      const [route = []] = q.gold?.pathTriples ?? [];
      const conditional = route.map((id) => graph.triple(id)).filter(({ condition }) => condition !== "");
      for (const { tail, condition } of conditional.slice(0, -1)) {
        inPhase++;
        const phase = graph.entity(tail).label.replace(/^.*?(?=\w+ Phase)/, "");
        assert.ok(words(q.text).includes(words(phase)), `${q.id}: ${q.text} without ${phase} (${condition})`);
      }
    }
  assert.ok(inPhase >= 5, `${inPhase}`);
});

test("when a follower depends on a condition, the question states it, and only its follower is right", () => {
  const asked = world.questions.filter((q) => q.meta.kind === "conditionalNext");
  assert.ok(asked.length > 0);
  for (const q of asked) {
    const followers = world.graph.neighbours(q.meta.attack as string, { relation: "is followed by" });
    // an edge without a condition always holds
    const holding = followers.filter((f) => {
      const { condition } = world.graph.triple(f.triple);
      return condition === "" || words(q.text).includes(words(condition));
    });
    assert.equal(
      holding.map((f) => f.entity),
      [q.gold?.paths?.[0]?.at(-1)],
    );
  }
});

test("no question's text holds one of its answers, and every clip question leaves out the shown attack's name", () => {
  for (const q of world.questions) {
    for (const a of q.answers) assert.not.ok(words(q.text).includes(words(a)), `${q.text} | ${a}`);
    if (q.meta.attack)
      assert.not.ok(words(q.text).includes(words((q.meta.attack as string).slice(q.cluster.length + 1))), q.text);
    assert.ok(words(q.text).includes(words(q.cluster)), "the creature is named, as in the paper's default");
  }
});

test("every sub-task is asked in at least 6 wordings", () => {
  const names = /\b[A-Z]\w+(?:'s)?\b/g;
  for (const group of new Set(world.questions.map((q) => q.group)))
    assert.ok(
      new Set(
        world.questions
          .filter((q) => q.group === group)
          .map((q) => q.text.replace(/^.*\b(?:Phase|begun)\b.*?\. /, "").replace(names, "_")),
      ).size >= 6,
      group,
    );
});

test("picture ids are distinct and say nothing: 16 hexadecimal digits and a position", () => {
  const ids = [...entities(world), ...world.questions].flatMap((x) => x.images.map((i) => i.id));
  assert.is(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9a-f]{16}(\/\d+)?$/);
});

test("a caption tells the act or not, as captionInformativeness says; it never holds the attack's name", () => {
  const vague = /makes its attack|goes for the hunter|strikes in front|moves in and hits|attacks without/;
  const told = (p: number) => {
    const attacks = bestiary("captions", { captionInformativeness: p }).entities.filter((e) => e.kind === "attack");
    for (const a of attacks) assert.not.ok(words(a.description).includes(words(a.id.split(" ").slice(1).join(" "))));
    return attacks.filter((a) => !vague.test(a.description)).length / attacks.length;
  };
  assert.is(told(0), 0);
  assert.is(told(1), 1);
  // about 130 captions: standard deviation 0.044 at one half
  assert.ok(Math.abs(told(0.5) - 0.5) < 0.15);
});

test("worlds share facts with the canon to the degree regularity: all at 1, none at 0, binomially between", () => {
  const facts = (key: unknown, regularity: number) => {
    const w = bestiary(key, { regularity });
    const aliases = w.triples.filter((t) => t.relation === "is also known as").map((t) => t.tail);
    const creatures = w.entities.filter((e) => e.kind === "creature").map((e) => e.id);
    // the first five attacks are there in every world
    const attacks = creatures.flatMap((c) =>
      w.entities
        .filter((e) => e.kind === "attack" && e.id.startsWith(`${c} `))
        .slice(0, 5)
        .map((e) => e.id),
    );
    return { aliases, attacks, all: JSON.stringify(w.triples) };
  };
  const canon = facts(0, 1);
  assert.is(facts("another world", 1).all, canon.all);
  const share = (regularity: number) => {
    let [kept, n] = [0, 0];
    for (let w = 0; w < 20; w++) {
      const own = facts(w, regularity);
      for (const kind of ["aliases", "attacks"] as const)
        own[kind].forEach((fact, i) => {
          n++;
          if (fact === canon[kind][i]) kept++;
        });
    }
    return kept / n;
  };
  assert.is(share(0), 0);
  // 20 worlds × (22 aliases + 110 attacks) = 2640 independent facts: standard deviation 0.0095 at 0.6; 4 of them allowed
  const found = share(0.6);
  assert.ok(Math.abs(found - 0.6) < 0.038, String(found));
});

test("rates at 0 take their matter away, and sub-tasks left without any are noticed on the card, not filled up", async () => {
  const d = await loadDataset("bestiary", { phaseRate: 0, conditionRate: 0, crossEdges: 0 });
  assert.is(entities(d).filter((e) => e.kind === "phase").length, 0);
  assert.is(triples(d).filter((t) => t.condition !== "").length, 0);
  assert.equal(counts(triples(d).map((t) => t.relation)).resembles, undefined);
  assert.equal(counts(d.questions.map((q) => task(q.group))), { I: 24, II: 109, III: 28, V: 35 });
  assert.is(d.card.notices.find((n) => n.what.startsWith("sub-tasks without questions"))?.count, 2);
});

test("with fewer creatures question counts scale: 11 creatures, half of each", async () => {
  const d = await loadDataset("bestiary", { creatures: 11 });
  // 24, 109, 28, 29, 35, 13 over 2, rounded half up
  assert.equal(counts(d.questions.map((q) => task(q.group))), { I: 12, II: 55, III: 14, IV: 15, V: 18, VI: 7 });
});

test("splits are other worlds: no picture in common, other facts; training worlds stand side by side under prefixed ids", async () => {
  const [train, validation] = [await world.splits.train(), await world.splits.validation()];
  assert.equal([train.split, validation.split, world.split], ["train", "validation", "test"]);
  assert.is(train.questions.length, 4 * 238);
  assert.is(validation.questions.length, 238);
  for (const q of train.questions) {
    assert.match(q.id, /^w[1-4]\/q\d{3}$/);
    assert.is(q.cluster.slice(0, 3), q.id.slice(0, 3));
    for (const id of q.gold?.paths?.flat() ?? []) assert.is(id.slice(0, 3), q.id.slice(0, 3));
  }
  assert.is(new Set(train.questions.map((q) => q.cluster)).size, 4 * 22);
  assert.ok(
    entities(train).every((e) => !e.label.includes("/")),
    "labels carry no world",
  );
  const pictures = (d: Dataset) => new Set([...entities(d), ...d.questions].flatMap((x) => x.images.map((i) => i.id)));
  const own = pictures(world);
  for (const id of [...pictures(train), ...pictures(validation)]) assert.not.ok(own.has(id));
  const facts = (d: Dataset) =>
    triples(d)
      .map((t) => `${t.head} ${t.relation} ${t.tail}`)
      .join("\n");
  assert.is.not(facts(validation), facts(world));
  assert.equal((await train.splits.test()).fingerprint, world.fingerprint);
});

test("another seed is another world; the order in which options are written does not matter", async () => {
  assert.is.not((await loadDataset("bestiary", { seed: 1 })).fingerprint, world.fingerprint);
  const a = await loadDataset("bestiary", { phaseRate: 0.5, creatures: 4 });
  const b = await loadDataset("bestiary", { creatures: 4, phaseRate: 0.5 });
  assert.is(a.fingerprint, b.fingerprint);
});

test("another process with another language and time zone makes the same world and the same picture bytes", () => {
  const program = `
    import { createHash } from "node:crypto";
    import { bestiary, loadDataset } from ${JSON.stringify(new URL("../../lib/datasets/index.ts", import.meta.url).href)};
    const d = await loadDataset("bestiary", { creatures: 3 });
    const hash = createHash("sha256").update(d.fingerprint);
    for (const e of bestiary("x", { creatures: 2 }).entities) for (const i of e.images) hash.update(await i.bytes());
    console.log(hash.digest("hex"));`;
  const run = (env: Record<string, string>) =>
    execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], {
      env: { ...process.env, ...env },
      encoding: "utf8",
    }).trim();
  const first = run({ TZ: "UTC", LC_ALL: "C" });
  assert.match(first, /^[0-9a-f]{64}$/);
  assert.is(run({ TZ: "Asia/Kathmandu", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" }), first);
});

const drawing = "the drawings are the ones that were looked at: pixels of five pictures equal the golden hashes";
if (process.arch !== "x64") {
  console.log(`SKIP ${drawing}: hashes were made on x64, this is ${process.arch}`);
  test.skip(drawing, () => {});
} else
  test(drawing, async () => {
    // made by this program after a contact sheet of all creatures and attacks was looked at; to renew: print `found` and look again
    const golden = JSON.parse(
      readFileSync(new URL("../golden/bestiary/pixels.json", import.meta.url), "utf8"),
    ) as Record<string, string>;
    const drawn = bestiary("golden").entities.filter((e) => e.images.length > 0);
    const found: Record<string, string> = {};
    for (const e of [drawn[0], drawn[1], drawn[9], drawn[40], drawn.at(-1)] as Entity[]) {
      const shown = e.images.find((i) => i.key) as (typeof e.images)[number];
      const { width, height, data } = await pixels(shown);
      assert.equal([width, height], [96, 96]);
      found[e.id] = createHash("sha256").update(data).digest("hex").slice(0, 16);
    }
    assert.equal(found, golden);
  });

test("an unknown option or a value out of range is refused, naming what is allowed", async () => {
  const refuses = async (options: Record<string, unknown>, pattern: RegExp) => {
    let message = "nothing was thrown";
    await loadDataset("bestiary", options).catch((error: Error) => {
      message = error.message;
    });
    assert.match(message, pattern);
  };
  await refuses({ phaserate: 1 }, /unknown option \("phaserate"\).*Did you mean "phaseRate"\?/);
  await refuses(
    { regularity: 1.5 },
    /option regularity has a wrong value \(1\.5\)\. It takes a finite number from 0 to 1/,
  );
  await refuses({ creatures: 23 }, /option creatures has a wrong value \(23\)\. It takes an integer from 2 to 22/);
  await refuses({ seed: -1 }, /option seed has a wrong value \(-1\)/);
});

test("the card says that the data are generated, and its measured shortcuts are true", () => {
  assert.is(world.card.origin, "generated");
  const shortcuts = world.card.limits.filter((l) => l.startsWith("Shortcut"));
  assert.is(shortcuts.length, 6);
  for (const line of shortcuts) {
    const [, group, answer, hits, n] =
      /^Shortcut, (.*): the answer right most often \((.*)\) is right for (\d+) of (\d+)/.exec(
        line,
      ) as unknown as string[];
    const asked = world.questions.filter((q) => q.group === group);
    const right = (a: string) => asked.filter((q) => q.answers.includes(a)).length;
    assert.is(asked.length, Number(n));
    assert.is(right(answer as string), Number(hits));
    assert.is(Math.max(...asked.flatMap((q) => q.answers).map(right)), Number(hits));
  }
});

test.run();
