import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { defineDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { edgeGraph, pageRank } from "../../lib/retrieve/graph/ppr.js";
import { entityLinker, retrieve, retriever } from "../../lib/retrieve/index.js";
import { lawDataset } from "../laws/retriever.js";

const test = suite("retrieval over the graph");

const graph = graphFrom({
  entities: [
    { id: "DE", label: "Germany", kind: "country", aliases: ["Deutschland", "Federal Republic"] },
    { id: "FR", label: "France", kind: "country" },
    { id: "BE", label: "Belgium", kind: "country" },
    { id: "B", label: "Berlin", kind: "city" },
    { id: "P", label: "Paris", kind: "city" },
    { id: "P2", label: "Paris", kind: "city in Texas" },
    { id: "IN", label: "in", kind: "domain" },
    { id: "WE", label: "West Flanders", kind: "region" },
    { id: "F", label: "Flanders", kind: "region" },
  ] as never,
  triples: [
    { id: "0", head: "DE", relation: "has capital", tail: "B" },
    { id: "1", head: "FR", relation: "has capital", tail: "P" },
    { id: "2", head: "DE", relation: "borders", tail: "FR" },
    { id: "3", head: "DE", relation: "borders", tail: "BE" },
    { id: "4", head: "BE", relation: "borders", tail: "FR" },
    { id: "5", head: "BE", relation: "has domain", tail: "IN" },
  ],
});
const asked = (text: string) => defineDataset({ name: "asked", graph, questions: [{ id: "1", text }] });
const found = async (name: string, text: string, options = {}, k = 10) => {
  const { evidence, error } = (await retrieve(asked(text), retriever(name, options), { k })).get("1");
  assert.is(error, undefined);
  return evidence;
};

test("mentions are whole words, the longest first, by label or alias; one of function words alone is none; those of one name share its weight", async () => {
  const link = await entityLinker({ graph });
  const of = async (text: string) =>
    (await link({ text, images: [] })).map(({ entity, weight, via }) => [entity, Number(weight.toFixed(4)), via]);
  assert.equal(await of("Which city is in Deutschland?"), [["DE", 1, "mention"]]);
  assert.equal(await of("From the Federal Republic to PARIS"), [
    ["DE", 0.5, "mention"],
    ["P", 0.25, "mention"],
    ["P2", 0.25, "mention"],
  ]);
  assert.equal(await of("West Flanders in Belgium"), [
    ["WE", 0.5, "mention"],
    ["BE", 0.5, "mention"],
  ]);
  assert.equal((await of("Berliner")).map(([, , via]) => via)[0], "text");
  assert.equal(await of(""), []);
  assert.equal(await (await entityLinker({ graph }, { textLinks: 0 }))({ text: "Berliner", images: [] }), []);
});

test("a picture links the entity that looks most like it, next to what is mentioned", async () => {
  const { graph, questions } = lawDataset();
  const link = await entityLinker({ graph });
  const [first, ...rest] = await link(questions.find((q) => q.id === "q6") as never);
  assert.equal([first?.entity, first?.via], ["e0", "image"]);
  assert.ok((first?.weight as number) > 0.9 && rest.every(({ via }) => via === "image"));
  const both = await link(questions.find((q) => q.id === "q8") as never);
  assert.equal(new Set(both.map(({ via }) => via)), new Set(["mention", "image"]));
  assert.ok(Math.abs(both.reduce((sum, { weight }) => sum + weight, 0) - 1) < 1e-12);
});

test("personalised PageRank equals networkx on weighted multigraphs with loops and parallel edges", () => {
  for (const { edges, start, damping, visits } of JSON.parse(
    readFileSync(new URL("../golden/ppr.json", import.meta.url), "utf8"),
  )) {
    const world = graphFrom({
      triples: edges.map(([a, b]: number[], i: number) => ({ id: `${i}`, head: `${a}`, relation: "r", tail: `${b}` })),
    } as never);
    const candidates = edges.map((_: unknown, i: number) => ({
      id: `${i}`,
      triple: `${i}`,
      text: "",
      multimodal: false,
    }));
    const own = edgeGraph(world, candidates);
    const begin = Object.entries(start as Record<string, number>).map(([id, weight]) => ({
      node: own.nodes.get(id) as number,
      weight,
    }));
    const got = pageRank(
      own,
      Float64Array.from(edges, ([, , w]: number[]) => w as number),
      begin,
      {
        damping,
        iterations: 10_000,
        signal: new AbortController().signal,
      },
    );
    for (const [id, value] of Object.entries(visits as Record<string, number>))
      assert.ok(Math.abs((got.visits[own.nodes.get(id) as number] as number) - value) < 1e-8, `${id}: ${value}`);
  }
});

test("ppr ranks the edge that fits the question at the entity that it names first, and finds nothing without an entity", async () => {
  const evidence = await found("ppr", "What is the capital of France?");
  assert.is(evidence?.hits[0]?.triple, "1");
  assert.equal(evidence?.trace, [{ step: "entities linked", entities: [{ entity: "FR", weight: 1, via: "mention" }] }]);
  // without the question's fit the three edges of France are passed alike by a walker that restarts at once
  const plain = await found("ppr", "What is the capital of France?", { damping: 0, fit: 0 });
  assert.equal(
    plain?.hits.map(({ triple }) => triple),
    ["1", "2", "4"],
  );
  assert.is(new Set(plain?.hits.map(({ score }) => score.toFixed(12))).size, 1);
  assert.equal((await found("ppr", "…", { textLinks: 0 }))?.hits, []);
});

test("paths join what the question names before they lead elsewhere, shortest first, and run along candidates only", async () => {
  const evidence = await found("paths", "Which country borders both Berlin and Paris?", { maxLength: 3 }, 5);
  assert.equal(evidence?.hits[0]?.path?.length, 4);
  assert.equal(new Set(evidence?.hits[0]?.pathTriples), new Set(["0", "2", "1"]));
  const capital = await found("paths", "What is the capital of France?", {}, 1);
  assert.equal([capital?.hits[0]?.path, capital?.hits[0]?.pathTriples], [["FR", "P"], ["1"]]);
  const narrow = defineDataset({
    name: "narrow",
    graph,
    questions: [{ id: "1", text: "Berlin and Paris" }],
    settings: {
      S2: () => ({
        questions: narrow.setting().questions,
        candidates: narrow.setting().candidates.filter(({ id }) => id !== "2"),
      }),
    },
  });
  const hits =
    (await retrieve(narrow, retriever("paths", { maxLength: 3 }), { k: 50, setting: "S2" })).get("1").evidence?.hits ??
    [];
  assert.ok(hits.length > 0 && hits.every(({ pathTriples }) => !pathTriples?.includes("2")));
});

test("no path holds an entity twice or is longer than maxLength", async () => {
  for (const maxLength of [1, 2, 3]) {
    const hits = (await found("paths", "Germany France", { maxLength }, 1000))?.hits ?? [];
    assert.ok(hits.some(({ pathTriples }) => pathTriples?.length === maxLength));
    for (const { path = [], pathTriples = [] } of hits) {
      assert.ok(pathTriples.length <= maxLength);
      assert.is(new Set(path).size, path.length);
    }
  }
});

test.run();
