import { suite } from "uvu";
import * as assert from "uvu/assert";
import { prepareReader, type Reader, resolveReader } from "../../lib/answer/index.js";
import { type Answer, type Evidence, type Query, random } from "../../lib/core/index.js";
import { type Dataset, defineDataset, toQuery } from "../../lib/datasets/index.js";
import { type Graph, graphFrom } from "../../lib/graph/index.js";

const places = ["glass forest", "river delta", "high moor", "salt coast"];
const foods = ["snails", "moss", "ants"];

function world(
  names: readonly string[],
  shift: number,
): { graph: Graph; questions: Parameters<typeof defineDataset>[0]["questions"] } {
  const triples = names.flatMap((name, i) => [
    {
      id: `${name}/home`,
      head: name,
      relation: "lives in",
      tail: places[(i + shift) % places.length] as string,
      condition: i % 2 ? "rain is falling" : "",
    },
    { id: `${name}/food`, head: name, relation: "eats", tail: foods[(i + shift) % foods.length] as string },
  ]);
  const graph = graphFrom({ triples });
  const gold = (id: string, head: string, tail: string) => ({
    paths: [[head, tail]],
    pathTriples: [[id]],
    triples: [id],
  });
  const questions = triples.map(({ id, head, relation, tail }) => ({
    id,
    text: relation === "eats" ? `What does the ${head} eat?` : `Where does the ${head} live?`,
    answers: [tail],
    group: "g",
    cluster: head,
    gold: gold(id, head, tail),
  }));
  return { graph, questions };
}

/** A small invented data set with a training split of other animals. */
export function readerDataset(): Dataset {
  const train = defineDataset({
    name: "readers",
    split: "train",
    ...world(["amberfox", "moss bear", "river eel", "stone heron"], 0),
  });
  return defineDataset({
    name: "readers",
    ...world(["glass beetle", "marsh owl", "sand crab"], 1),
    splits: { train: () => train },
  });
}

const signal = new AbortController().signal;

/**
 * The contract of readers, as a suite over one of them: `make` must give a fresh reader each time. Every entry of the
 * table is run through it, and so should be any that a user defines.
 */
export function readerLaws(name: string, make: () => Reader): void {
  const test = suite(`reader laws: ${name}`);
  const dataset = readerDataset();
  const { graph } = dataset;
  const query = (i: number): Query => toQuery(dataset, dataset.questions[i] as never);
  const all = graph.triples.array("id") as string[];
  const frozen = (hits: Evidence["hits"]): Evidence =>
    Object.freeze({ hits: Object.freeze(hits.map((h) => Object.freeze({ ...h }))) });
  const evidence: readonly Evidence[] = [
    frozen([]),
    frozen(all.slice(0, 3).map((triple, i) => ({ score: 3 - i, triple }))),
    frozen([{ score: 1, path: ["glass beetle", "river delta"], pathTriples: ["glass beetle/home"] }]),
    frozen([{ score: 1, path: ["glass beetle"], pathTriples: [] }]),
    frozen([{ score: 1, path: ["glass beetle", "river delta"] }]),
    frozen([{ score: 1, text: "The glass beetle lives in the river delta." }]),
    frozen([{ score: 1, passage: "p1" }]),
  ];

  const sound = (answer: Answer, hits: number) => {
    assert.ok(["ok", "abstained", "failed"].includes(answer.status));
    assert.is(typeof answer.text === "string", answer.status === "ok");
    assert.ok(answer.citedRanks.every((r) => Number.isInteger(r) && r >= 1 && r <= hits));
    assert.ok(answer.tokens >= 0 && answer.costUsd >= 0 && answer.stop.length > 0);
    assert.equal(JSON.parse(JSON.stringify(answer)), answer);
  };

  test("it has a label, and a version and plain parameters under which answers can be stored", () => {
    const a = resolveReader(make());
    assert.ok(a.label.length > 0 && a.persistent && a.version);
    assert.equal(JSON.parse(JSON.stringify(a.params)), a.params);
    assert.equal(resolveReader(make()), a);
  });

  test("whatever the evidence, frozen or empty, it gives a sound answer and does not fail", async () => {
    const read = await prepareReader(dataset, make(), 0, signal);
    for (const e of evidence)
      for (let i = 0; i < dataset.questions.length; i++) {
        const answer = await read(query(i), e, random(0));
        sound(answer, e.hits.length);
        assert.is.not(answer.status, "failed", answer.stop);
      }
  });

  test("a question without a word is answered or passed over, not failed", async () => {
    const read = await prepareReader(dataset, make(), 0, signal);
    for (const text of ["", "…?!"])
      for (const e of evidence) {
        const answer = await read(Object.freeze({ ...query(0), text }), e, random(0));
        sound(answer, e.hits.length);
        assert.is.not(answer.status, "failed", answer.stop);
      }
  });

  test("the same seed gives the same answers, on a fresh reader and in any order of questions", async () => {
    const answers = async (order: readonly number[]) => {
      const read = await prepareReader(readerDataset(), make(), 3, signal);
      const out: [string, string][] = [];
      for (const i of order)
        for (const [j, e] of evidence.entries())
          out.push([`${i}/${j}`, JSON.stringify(await read(query(i), e, random(3, i)))]);
      return out.sort(([a], [b]) => (a < b ? -1 : 1));
    };
    const forwards = dataset.questions.map((_, i) => i);
    assert.equal(await answers(forwards), await answers([...forwards].reverse()));
  });

  test("an abort ends it with the signal's reason", async () => {
    const reason = new Error("stop here");
    const controller = new AbortController();
    const read = await prepareReader(dataset, make(), 0, controller.signal);
    controller.abort(reason);
    const outcome = await read(query(0), evidence[1] as Evidence, random(0)).then(
      () => "answered",
      (e) => e,
    );
    assert.is(outcome, reason);
  });

  test("graph and training questions are left as they were", async () => {
    const own = readerDataset();
    const train = await own.splits.train();
    const before = JSON.stringify([own.graph.fingerprint, train.graph.fingerprint, train.questions]);
    const read = await prepareReader(own, make(), 0, signal);
    for (const e of evidence) await read(query(0), e, random(0));
    assert.is(JSON.stringify([own.graph.fingerprint, train.graph.fingerprint, train.questions]), before);
  });

  test.run();
}
