import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Evidence, type MkgError, type Query, random } from "../../lib/core/index.js";
import { type Graph, graphFrom } from "../../lib/graph/index.js";
import { type Agents, searchOrders, walk } from "../../lib/walk/index.js";

const test = suite("walk engine");
const query: Query = Object.freeze({ id: "q", text: "anything", images: [], meta: {} });
const signal = new AbortController().signal;

/** "a>b c" gives the edges a→b and a→c, triple ids "a>b" and "a>c". */
function graphOf(lines: readonly string[], kinds: Readonly<Record<string, string>> = {}): Graph {
  const triples = lines.flatMap((line) => {
    const [head, tails] = line.split(">") as [string, string];
    return tails.split(" ").map((tail) => ({ id: `${head}>${tail}`, head, relation: "r", tail }));
  });
  const ids = new Set(triples.flatMap((t) => [t.head, t.tail]));
  return graphFrom({ entities: [...ids].map((id) => ({ id, kind: kinds[id] ?? "" })), triples });
}

/** Starts at `topic`, follows every edge in graph order, and finds sufficient exactly the entities of `enough`. */
const scripted = (topic: string, enough: readonly string[], changes: Partial<Agents> = {}): Agents => ({
  topic: () => topic,
  expansion: ({ edges }) => edges.map((e) => e.triple),
  validation: ({ path }) => ({
    verdict: enough.includes(path.entity) ? "sufficient" : "insufficient",
    score: 1 / (1 + path.depth),
  }),
  ...changes,
});

const run = (graph: Graph, agents: Agents, options: Readonly<Record<string, unknown>> = {}, seed = 0, k = 100) =>
  walk(query, { graph, state: undefined, k, random: random(seed), signal }, options, agents);

type Step = { step: string; path?: string[]; entity?: string };
/** Recorded paths in the order of recording, entities joined. */
const recorded = ({ trace }: Evidence) =>
  (trace as Step[]).filter((s) => s.step === "recorded").map((s) => s.path?.join(""));
const calls = ({ spend }: Evidence) => spend?.calls;

// r ─► a ─► d ─► f        insufficient: r a b d; sufficient: c e f g
//  │    └─► e
//  ├─► b ─► g
//  └─► c
const tree = graphOf(["r>a b c", "a>d e", "b>g", "d>f"]);
const treeAgents = scripted("r", ["c", "e", "f", "g"]);

// Worked by hand from the three definitions:
//   batch-dfs  r: a✗ b✗ c✓ | a: d✗ e✓ | d: f✓ | b: g✓
//   bfs        r: a✗ b✗ c✓ | a: d✗ e✓ | b: g✓ | d: f✓
//   dfs        r: a✗ | a: d✗ | d: f✓ | a: e✓ | r: b✗ | b: g✓ | r: c✓
const byHand: Readonly<Record<string, readonly string[]>> = {
  "batch-dfs": ["rc", "rae", "radf", "rbg"],
  bfs: ["rc", "rae", "rbg", "radf"],
  dfs: ["radf", "rae", "rbg", "rc"],
};

test("every order of the table has an order worked by hand below", () => {
  assert.equal(searchOrders.map((o) => o.name).sort(), Object.keys(byHand).sort());
});

for (const { name } of searchOrders) {
  test(`${name} records paths in the order worked by hand`, async () => {
    const evidence = await run(tree, treeAgents, { order: name, pathCount: 9 });
    assert.equal(recorded(evidence), byHand[name]);
    // topic + its validation + 4 expansions (r a b d) + 7 validations (a b c d e f g)
    assert.is(calls(evidence), 13);
    assert.is(evidence.spend?.expanded, 4);
    assert.is(evidence.spend?.validated, 7);
  });

  test(`${name} under a strict cap of n keeps the first n of what it would record, for every n`, async () => {
    for (let n = 1; n <= 4; n++) {
      const evidence = await run(tree, treeAgents, { order: name, pathCount: n });
      assert.equal(recorded(evidence), byHand[name]?.slice(0, n));
      assert.is(evidence.hits.length, n);
      assert.is(evidence.spend?.excess, 0);
    }
  });
}

test("a strict cap of 3 ends the search at once: calls made until then, counted by hand", async () => {
  // batch-dfs: topic, its validation, r, abc, a, de, d, f = 11; bfs: …, b, g instead of d, f = 11
  // dfs: topic, its validation, r, a, a, d, d, f, e, b, b, g = 12 (the letter alone twice: validated, then expanded)
  const made = await Promise.all(
    searchOrders.map(async ({ name }) => [name, calls(await run(tree, treeAgents, { order: name, pathCount: 3 }))]),
  );
  assert.equal(Object.fromEntries(made), { "batch-dfs": 11, bfs: 11, dfs: 12 });
});

test("an entry cap is looked at only before an expansion: its batch is finished, and the excess is reported", async () => {
  const star = graphOf(["r>a b c d e f g h"]);
  const agents = scripted("r", ["a", "b", "c", "d", "e", "f", "g", "h"]);
  for (const { name } of searchOrders) {
    const entry = await run(star, agents, { order: name, pathCount: 3, cap: "entry" });
    assert.is(entry.hits.length, 8);
    assert.is(entry.spend?.pathsRecorded, 8);
    assert.is(entry.spend?.excess, 5);
    const strict = await run(star, agents, { order: name, pathCount: 3, cap: "strict" });
    assert.is(strict.hits.length, 3);
    assert.is(strict.spend?.excess, 0);
  }
});

test("an entry cap of 2 on the tree: batch-dfs has c and e when it comes to d, so that neither d nor b is expanded", async () => {
  const evidence = await run(tree, treeAgents, { pathCount: 2, cap: "entry" });
  assert.equal(recorded(evidence), ["rc", "rae"]);
  assert.is(evidence.spend?.expanded, 2);
  assert.is(evidence.spend?.open, 2);
  // depth first, the open brothers e, b and c are still validated after f, though b may not be expanded any more
  const dfs = await run(tree, treeAgents, { pathCount: 2, cap: "entry", order: "dfs" });
  assert.equal(recorded(dfs), ["radf", "rae", "rc"]);
  assert.is(dfs.spend?.excess, 1);
});

test("a topic that is sufficient is the only path, of length 0, after two calls", async () => {
  const evidence = await run(tree, scripted("r", ["r", "a"]));
  assert.equal(
    evidence.hits.map((h) => [h.path, h.pathTriples]),
    [[["r"], []]],
  );
  assert.is(calls(evidence), 2);
});

test("an entity that is on the path already is skipped and counted, or recorded unvalidated when asked for", async () => {
  // r → a → r and a → a: two cycles; a → c is sufficient
  const loop = graphOf(["r>a", "a>r a c"]);
  const skip = await run(loop, scripted("r", ["c"]));
  assert.equal(recorded(skip), ["rac"]);
  assert.is(skip.spend?.cycles, 2);
  const kept = await run(loop, scripted("r", ["c"]), { cycles: "record" });
  assert.equal(recorded(kept), ["rar", "raa", "rac"]);
  assert.is(kept.spend?.cycles, 2);
  assert.is(kept.spend?.validated, skip.spend?.validated);
  // it has the score of the path it closes: r → a is 1 / (1 + 1)
  assert.is(kept.hits.find((h) => h.path?.join("") === "rar")?.score, 0.5);
});

test("two ways to the same entity are two paths: only the path itself makes a cycle", async () => {
  const diamond = graphOf(["r>a b", "a>z", "b>z"]);
  assert.equal(recorded(await run(diamond, scripted("r", ["z"]))), ["raz", "rbz"]);
});

test("parallel edges are different paths of the same entities", async () => {
  const graph = graphFrom({
    triples: [
      { id: "day", head: "r", relation: "r", tail: "z", condition: "by day" },
      { id: "night", head: "r", relation: "r", tail: "z", condition: "by night" },
    ],
  });
  const { hits } = await run(graph, scripted("r", ["z"]));
  assert.equal(hits.map((h) => h.pathTriples?.[0]).sort(), ["day", "night"]);
});

test("dead ends, unclear verdicts, unknown choices and repeated choices leave no path and are counted", async () => {
  const graph = graphOf(["r>a b c"]);
  const agents = scripted("r", ["c"], {
    expansion: ({ edges }) => ["nowhere>x", ...edges.map((e) => e.triple), "r>c"],
    validation: ({ path }) => ({
      verdict: path.entity === "b" ? "unclear" : path.entity === "c" ? "sufficient" : "insufficient",
      score: 1,
    }),
  });
  const { hits, spend } = await run(graph, agents);
  assert.equal(
    hits.map((h) => h.path),
    [["r", "c"]],
  );
  assert.equal([spend?.deadEnds, spend?.dropped, spend?.unknownChoices, spend?.validated], [1, 1, 1, 3]);
});

test("a topic that the graph does not have, or none, gives no path, and the trace says so", async () => {
  for (const reply of ["R", null]) {
    const evidence = await run(tree, scripted("r", [], { topic: () => reply }));
    assert.equal(evidence.hits, []);
    assert.equal(evidence.trace, [
      { step: "topic", entity: null, reply },
      { step: "stop", because: "no topic" },
    ]);
  }
});

const phases = graphOf(["r>p1 p2 p3 a"], { p1: "phase", p2: "phase", p3: "phase", a: "attack" });
const keptOf = (evidence: Evidence) =>
  (evidence.trace as { step: string; kept?: string[] }[]).find((s) => s.step === "expansion")?.kept ?? [];

test("of several chosen phases one stays, drawn evenly; what is no phase stays too", async () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 600; seed++) {
    const evidence = await run(phases, scripted("r", []), {}, seed);
    const kept = keptOf(evidence);
    assert.is(kept.length, 2);
    assert.is(kept[1], "r>a");
    assert.is(evidence.spend?.phasesDropped, 2);
    counts.set(kept[0] as string, (counts.get(kept[0] as string) ?? 0) + 1);
  }
  // binomial(600, 1/3): mean 200, standard deviation 11.5; ± 5 standard deviations
  assert.equal([...counts.keys()].sort(), ["r>p1", "r>p2", "r>p3"]);
  for (const count of counts.values()) assert.ok(Math.abs(count - 200) < 58, String(count));
});

test("the released phase rule keeps one item of all when a phase is among several; off keeps all", async () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 100; seed++) {
    const kept = keptOf(await run(phases, scripted("r", []), { phaseRule: "released" }, seed));
    assert.is(kept.length, 1);
    seen.add(kept[0] as string);
  }
  // each is missed in 100 draws of 4 with probability 0.75^100 = 3e-13
  assert.equal([...seen].sort(), ["r>a", "r>p1", "r>p2", "r>p3"]);
  assert.is(keptOf(await run(phases, scripted("r", []), { phaseRule: "off" })).length, 4);
});

test("a single phase is no choice: nothing is drawn, nothing dropped", async () => {
  const one = graphOf(["r>p a"], { p: "phase", a: "attack" });
  for (const phaseRule of ["one", "off"])
    assert.equal(keptOf(await run(one, scripted("r", []), { phaseRule })), ["r>p", "r>a"]);
});

test("the same seed gives the same evidence, trace and spend, byte for byte; another seed another phase", async () => {
  const once = async (seed: number) => JSON.stringify(await run(phases, scripted("r", []), {}, seed));
  assert.is(await once(7), await once(7));
  const many = await Promise.all(Array.from({ length: 20 }, (_, seed) => once(seed)));
  assert.ok(new Set(many).size > 1);
});

test("a chain of 50,000 entities is walked to its end in every order, without deep recursion", async () => {
  const n = 50_000;
  const ids = Array.from({ length: n }, (_, i) => `n${i}`);
  const chain = graphFrom({
    triples: ids.slice(1).map((tail, i) => ({ id: `t${i}`, head: ids[i] as string, relation: "r", tail })),
  });
  const last = ids.at(-1) as string;
  for (const { name } of searchOrders) {
    const { hits, spend } = await run(chain, scripted("n0", [last]), { order: name, maxDepth: n, maxCalls: 3 * n });
    assert.is(hits.length, 1);
    assert.is(hits[0]?.path?.length, n);
    assert.is(hits[0]?.pathTriples?.at(-1), `t${n - 2}`);
    // topic and its validation, then each of n − 1 edges expanded to and validated
    assert.is(spend?.calls, 2 + 2 * (n - 1));
  }
});

test("maxDepth cuts paths that would be longer, and counts them", async () => {
  const evidence = await run(graphOf(["r>a", "a>b", "b>c"]), scripted("r", ["c"]), { maxDepth: 2 });
  assert.equal(evidence.hits, []);
  assert.is(evidence.spend?.depthCuts, 1);
  assert.equal(recorded(await run(graphOf(["r>a", "a>b", "b>c"]), scripted("r", ["c"]), { maxDepth: 3 })), ["rabc"]);
});

test("maxCalls is never exceeded, and what was recorded until then stands", async () => {
  for (let maxCalls = 1; maxCalls <= 14; maxCalls++) {
    const evidence = await run(tree, treeAgents, { maxCalls });
    assert.is(calls(evidence), Math.min(maxCalls, 13));
    const full = byHand["batch-dfs"] as string[];
    assert.equal(recorded(evidence), full.slice(0, recorded(evidence).length));
    assert.equal((evidence.trace ?? []).at(-1), { step: "stop", because: maxCalls < 13 ? "maxCalls" : "nothing open" });
  }
});

test("hits are ranked by the validation agent's score, ties by id, and at most k", async () => {
  const agents = scripted("r", ["c", "e", "f", "g"], {
    validation: ({ path }) => ({
      verdict: "cefg".includes(path.entity) ? "sufficient" : "insufficient",
      score: path.entity === "f" ? 9 : 1,
    }),
  });
  const order = (e: Evidence) => e.hits.map((h) => h.path?.join(""));
  assert.equal(order(await run(tree, agents)), ["radf", "rae", "rbg", "rc"]);
  assert.equal(order(await run(tree, agents, {}, 0, 2)), ["radf", "rae"]);
});

test("a score that is not a finite number is an error, not a ranking", async () => {
  const agents = scripted("r", [], { validation: () => ({ verdict: "sufficient", score: Number.NaN }) });
  const message = await run(tree, agents).then(String, (e: Error) => e.message);
  assert.is(message, "walk: the validation agent gave a score that is not a number (NaN). A finite number.");
});

test("an option that does not exist, or a wrong value, is an error that names what does", async () => {
  const messageOf = (options: Readonly<Record<string, unknown>>) =>
    run(tree, treeAgents, options).then(String, (e: MkgError) => e.message);
  assert.is(
    await messageOf({ order: "dfss" }),
    'walk: option order has a wrong value ("dfss"). It takes one of "batch-dfs", "bfs", "dfs".',
  );
  assert.match(await messageOf({ pathcount: 3 }), /unknown option \("pathcount"\)\. .*Did you mean "pathCount"\?/);
  assert.match(await messageOf({ pathCount: 0 }), /option pathCount has a wrong value \(0\)\. It takes an integer ≥ 1/);
});

test("an abort ends the walk with the signal's reason: before any call, or after the call during which it came", async () => {
  const reason = new Error("enough");
  const outcome = (signal: AbortSignal, agents: Agents) =>
    walk(query, { graph: tree, state: undefined, k: 9, random: random(0), signal }, {}, agents).then(
      () => "finished",
      (e) => e,
    );
  let asked = 0;
  const counting = (stopAt: number, controller: AbortController): Agents =>
    scripted("r", [], {
      validation: () => {
        if (++asked === stopAt) controller.abort(reason);
        return { verdict: "insufficient", score: 1 };
      },
    });
  assert.is(await outcome(AbortSignal.abort(reason), counting(0, new AbortController())), reason);
  assert.is(asked, 0);
  const controller = new AbortController();
  assert.is(await outcome(controller.signal, counting(3, controller)), reason);
  assert.is(asked, 3);
});

test("an abort from outside reaches a walk whose agents never leave the microtask queue", async () => {
  // every entity of a complete graph of 12 leads to all others: far more simple paths than anybody waits for
  const ids = [..."abcdefghijkl"];
  const dense = graphOf(ids.map((id) => `${id}>${ids.filter((o) => o !== id).join(" ")}`));
  const controller = new AbortController();
  setImmediate(() => controller.abort(new Error("outside")));
  const outcome = await walk(
    query,
    { graph: dense, state: undefined, k: 9, random: random(0), signal: controller.signal },
    { maxCalls: 2_000_000, maxDepth: 12 },
    scripted("a", []),
  ).then(
    () => "finished",
    (e: Error) => e.message,
  );
  assert.is(outcome, "outside");
});

test("an error of an agent is the walk's error", async () => {
  const agents = scripted("r", [], {
    expansion: () => {
      throw new Error("agent broke");
    },
  });
  assert.is(await run(tree, agents).then(String, (e: Error) => e.message), "agent broke");
});

test.run();
