import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Reader, reader } from "../../lib/answer/index.js";
import { hitId, random } from "../../lib/core/index.js";
import { type Dataset, defineDataset, loadDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import {
  control,
  controlNames,
  controlSummary,
  type Retriever,
  retrieve,
  retriever,
} from "../../lib/retrieve/index.js";
import { tiny } from "../support/tiny.js";

const dataset = tiny();
const context = { graph: dataset.graph, state: undefined, random: random(0), signal: new AbortController().signal };

for (const [name, sees] of [
  ["question-only", { triples: 0, evidence: 0 }],
  ["closed-book", { triples: 0, evidence: 0 }],
  ["text-only", { triples: 24, evidence: 1 }],
] as const)
  test(`under ${name} a reader is given ${sees.triples} triples and ${sees.evidence} hits, and never a graph with pictures`, async () => {
    let seen: unknown;
    const spy: Reader = (query, evidence, { graph }) => {
      const pictures = (graph.entities.array("images") as readonly (readonly unknown[])[]).flat().length;
      seen = {
        triples: graph.triples.numRows(),
        evidence: evidence.hits.length,
        images: query.images.length,
        pictures,
      };
      return { text: null, status: "abstained", citedRanks: [], tokens: 0, costUsd: 0, stop: "" };
    };
    const image = Object.freeze({ id: "p", key: true, bytes: async () => new Uint8Array([1]) });
    const { entities, triples } = dataset.graph;
    const pictured = graphFrom({
      entities: (entities.objects() as object[]).map((row) => ({ ...row, images: [image] })) as never,
      triples,
    });
    await control(name, spy, { as: "reader" })(
      { id: "q", text: "?", images: [image], meta: {} },
      { hits: [{ score: 1, triple: "Amru-0" }] },
      { ...context, graph: pictured },
    );
    assert.equal(seen, { ...sees, images: name === "closed-book" ? 1 : 0, pictures: 0 });
  });

test("random-path: as many hits as retrieved less those without an admissible one; none retrieved, none gold, none with an answer, same lengths", async () => {
  const data = await loadDataset("bestiary");
  const questions = data.questions.filter((_, i) => i % 4 === 0);
  const some: Dataset = defineDataset({ name: "some", graph: data.graph, questions });
  for (const [name, options] of [
    ["walk", { keyFrames: "none" }],
    ["bm25", {}],
  ] as const)
    for (const subgraph of ["same-subgraph", "other-subgraph"]) {
      const base = await retrieve(some, retriever(name, options), { k: 5 });
      const drawn = await retrieve(some, control("random-path", retriever(name, options), { subgraph }), { k: 5 });
      for (const { id, evidence } of drawn.items) {
        const found = base.get(id).evidence?.hits ?? [];
        const question = some.questions.find((q) => q.id === id)!;
        const gold = new Set(question.gold?.pathTriples?.flat());
        const retrieved = new Set(found.map(hitId));
        assert.is((evidence?.hits.length ?? 0) + (evidence?.spend?.pathsUnmatched ?? 0), found.length);
        const lengths = found.map((hit) => hit.path?.length ?? 2).sort();
        for (const hit of evidence?.hits ?? []) {
          assert.not(retrieved.has(hitId(hit)));
          assert.not((hit.pathTriples ?? [hit.triple as string]).some((triple) => gold.has(triple)));
          const text = some.graph.text(hit as never).toLowerCase();
          for (const answer of question.answers) assert.not(text.includes(` ${answer.toLowerCase()} `));
          const at = lengths.indexOf(hit.path?.length ?? 2);
          assert.ok(at >= 0);
          lengths.splice(at, 1);
          if (subgraph === "same-subgraph" && hit.path) assert.ok(found.some((f) => f.path?.[0] === hit.path?.[0]));
        }
      }
    }
});

test("of the admissible random paths the nearest in tokens, degree and pictures is kept", async () => {
  const graph = graphFrom({
    entities: ["a", "found", "near", "far"].map((id) => ({
      id,
      label: id === "far" ? "a very long label of many more words" : id,
    })),
    triples: ["found", "near", "far"].map((tail) => ({ id: tail, head: "a", relation: "r", tail })),
  });
  const data = defineDataset({
    name: "near",
    graph,
    questions: [{ id: "1", text: "?", answers: ["x"], gold: { triples: [] } }],
  });
  const one: Retriever = () => [{ triple: "found", score: 1 }];
  for (const seed of [0, 1, 2, 3]) {
    const run = await retrieve(data, control("random-path", one, { draws: 32 }), { k: 1, seed });
    // both of the others are drawn among 256 tries: `near` has the retrieved triple's tokens and degrees, `far` eight words more
    assert.equal(
      run.items[0]?.evidence?.hits.map((hit) => hit.triple),
      ["near"],
    );
    assert.ok((run.items[0]?.evidence?.spend?.excludedRetrieved ?? 0) > 0);
  }
});

test("the oracle gives all gold paths, whatever k", async () => {
  const data = await loadDataset("bestiary");
  const run = await retrieve(data, control("oracle", retriever("bm25")), { k: 1 });
  for (const { question, evidence } of run.items) {
    const gold = data.questions.find((q) => q.id === question)?.gold;
    assert.equal(
      evidence?.hits.map((hit) => hit.path),
      gold?.paths,
    );
  }
});

test("what a control wraps is checked: unknown names and options, wrong kinds of part", () => {
  const fails = (run: () => unknown, expected: RegExp) =>
    assert.throws(run, (error: Error) => expected.test(error.message));
  const bm25 = retriever("bm25");
  fails(() => control("orcale", bm25), /^control: unknown control \("orcale"\)\..*Did you mean "oracle"\?$/);
  fails(
    () => control("random-path", bm25, { draw: 3 }),
    /unknown option \("draw"\)\. Options: .*Did you mean "draws"\?/,
  );
  fails(() => control("random-path", bm25, { subgraph: "near" }), /option subgraph has a wrong value \("near"\)/);
  fails(
    () => control("oracle", reader("extractive")),
    /^control: oracle does not wrap a reader\. It wraps a retriever\.$/,
  );
  fails(() => control("oracle", "bm25" as never), /the target is not a retriever or reader \("bm25"\)/);
  assert.ok(controlNames().every((name) => controlSummary(name).length > 10));
});

test("a control that needs gold cannot be called around its door", async () => {
  const oracle: Retriever = control("oracle", retriever("bm25"));
  let message = "";
  try {
    await oracle({ id: "q", text: "", images: [], meta: {} }, {} as never);
  } catch (error) {
    message = (error as Error).message;
  }
  assert.match(message, /^oracle: was called directly\. Run it through retrieve\(\) or a study\.$/);
});

test("controls keep the identity of what they wrap, so that stored results never mix", () => {
  const labels = [control("text-only", retriever("bm25")), control("oracle", retriever("bm25"))].map((r) => [
    r.label,
    r.version,
    JSON.stringify(r.params),
  ]);
  assert.is(new Set(labels.map(String)).size, 2);
  assert.not.equal(
    control("text-only", retriever("bm25", { b: 0.4 })).params,
    control("text-only", retriever("bm25")).params,
  );
});

test.run();
