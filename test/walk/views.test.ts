import { suite } from "uvu";
import * as assert from "uvu/assert";
import { random } from "../../lib/core/index.js";
import { defineDataset, toQuery } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { type Agents, prepareWalk, walk } from "../../lib/walk/index.js";

const test = suite("what agents of a walk see");
const signal = new AbortController().signal;

// words that stand nowhere but in what must stay hidden
const secrets = ["zanswer", "zgroup", "zcluster", "zmeta", "zid"];
const dataset = defineDataset({
  name: "hidden",
  graph: graphFrom({
    triples: [
      { id: "1", head: "rook", relation: "eats", tail: "snail" },
      { id: "2", head: "snail", relation: "eats", tail: "moss" },
      { id: "3", head: "rook", relation: "sees", tail: "moss" },
    ],
  }),
  questions: [
    {
      id: "zid",
      text: "What does the rook eat?",
      answers: ["zanswer"],
      group: "zgroup",
      cluster: "zcluster",
      meta: { note: "zmeta" },
      gold: { paths: [["rook", "snail"]], pathTriples: [["1"]], triples: ["1"] },
    },
  ],
});

/** Everything that can be reached from a value through own and inherited properties, getters, symbols, maps and sets. */
function reachable(from: unknown): unknown[] {
  const seen = new Set<unknown>();
  const open = [from];
  for (let value = open.pop(); value !== undefined || open.length > 0; value = open.pop()) {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) {
      seen.add(value);
      continue;
    }
    if (seen.has(value)) continue;
    seen.add(value);
    if (value instanceof Map || value instanceof Set) for (const [k, v] of value.entries()) open.push(k, v);
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== Function.prototype && prototype !== Array.prototype)
      open.push(prototype);
    for (const key of Reflect.ownKeys(value)) {
      open.push(key);
      try {
        open.push((value as Record<PropertyKey, unknown>)[key]);
      } catch {
        // a getter of a prototype, called on the prototype
      }
    }
  }
  return [...seen];
}

/** Runs a walk with agents that keep every view they are given. */
async function spied() {
  const views: Record<string, object>[] = [];
  const keep = <T extends object>(view: T): T => {
    views.push(view as unknown as Record<string, object>);
    return view;
  };
  const agents: Agents = {
    topic: (view) => {
      keep(view);
      return "rook";
    },
    expansion: (view) => keep(view).edges.map((e) => e.triple),
    validation: (view) => ({ verdict: keep(view).path.entity === "moss" ? "sufficient" : "insufficient", score: 1 }),
  };
  const { graph } = dataset;
  const query = toQuery(dataset, dataset.questions[0] as never);
  const state = await prepareWalk({ graph, signal });
  const evidence = await walk(query, { graph, state, k: 5, random: random(0), signal }, {}, agents);
  return { views, evidence };
}

test("nothing that an agent can reach holds answer, group, cluster, hidden meta or the question's id", async () => {
  const { views } = await spied();
  assert.ok(views.length >= 6);
  // the search would find them: it does when it starts at the question itself
  assert.ok(secrets.every((s) => reachable([dataset.questions]).includes(s)));
  for (const view of views) {
    const found = reachable(view);
    // the search does reach what is not hidden
    assert.ok(found.includes("What does the rook eat?") && found.includes("moss"));
    for (const value of found) {
      const text = typeof value === "symbol" ? String(value.description) : typeof value === "string" ? value : "";
      assert.is(
        secrets.find((s) => text.includes(s)),
        undefined,
      );
    }
    for (const name of ["answers", "gold", "group", "cluster"]) assert.not.ok(found.includes(name), name);
  }
});

test("views, their paths, edges and options cannot be changed", async () => {
  const { views } = await spied();
  for (const view of views) {
    assert.throws(() => Object.assign(view, { query: null }), TypeError);
    assert.throws(() => Object.assign(view, { gold: [] }), TypeError);
    assert.throws(() => Object.assign(view.options as object, { pathCount: 99 }), TypeError);
    if (view.path) assert.throws(() => Object.assign(view.path as object, { score: 99 }), TypeError);
    if (view.edges) assert.throws(() => (view.edges as unknown as unknown[]).push({}), TypeError);
  }
});

test("the memory is the path in words", async () => {
  const { views } = await spied();
  const memories = views.filter((v) => v.memory !== undefined).map((v) => String(v.memory));
  assert.equal(
    [...new Set(memories)],
    [
      "rook",
      "rook\nrook eats snail\nsnail",
      "rook\nrook sees moss\nmoss",
      "rook\nrook eats snail\nsnail\nsnail eats moss\nmoss",
    ],
  );
});

test("hits and trace of a walk are plain JSON and name no gold", async () => {
  const { evidence } = await spied();
  assert.equal(JSON.parse(JSON.stringify(evidence)), evidence);
  assert.not.match(JSON.stringify(evidence), /gold|zanswer/);
});

test.run();
