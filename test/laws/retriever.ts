import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hitId, rankHits } from "../../lib/core/index.js";
import { type Dataset, defineDataset } from "../../lib/datasets/index.js";
import type { Run } from "../../lib/evaluate/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { type Retriever, resolveRetriever, retrieve } from "../../lib/retrieve/index.js";

/** A drawing: a bar of a colour and slope on a ground; `shift` moves it, so that two drawings of one thing differ. */
const drawing = (hue: number, slope: number, shift = 0) =>
  bytesImage(
    new TextEncoder().encode(
      `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="hsl(${hue},60%,80%)"/><rect x="${20 + shift}" y="8" width="14" height="48" fill="hsl(${(hue + 150) % 360},80%,35%)" transform="rotate(${slope} 32 32)"/></svg>`,
    ),
    `drawing-${hue}-${slope}-${shift}`,
  );

/**
 * A small invented world: 60 triples, of which every third is a word-for-word repeat of another (so that scores tie), three of whose heads have
 * pictures, two of them the same; and questions of which one has no word at all, one no word of the corpus, one is longer than any text, and three
 * have a picture, one of them nothing else.
 */
export function lawDataset(): Dataset {
  const animals = ["amberfox", "stone heron", "glass beetle", "river eel", "moss bear"];
  const places = ["glass forest", "river delta", "high moor", "salt coast"];
  const relations = ["lives in", "is seen near", "avoids"];
  const pictures = [[drawing(10, 0)], [drawing(200, 60)], [], [drawing(200, 60), drawing(90, 120)], []];
  const entities = [...animals, ...places].map((label, i) => ({ id: `e${i}`, label, images: pictures[i] ?? [] }));
  const facts = animals.flatMap((_, a) => places.map((_, p) => [a, p, relations[(a + p) % 3] as string] as const));
  const triples = facts.flatMap(([a, p, relation], i) =>
    [0, 1, 2].map((copy) => ({
      id: `t${i * 3 + copy}`,
      head: `e${a}`,
      relation: relations.indexOf(relation).toString(),
      relationLabel: copy === 2 ? "borders on" : relation,
      tail: `e${animals.length + p}`,
    })),
  );
  const texts = [
    "Where does the amberfox live?",
    "What avoids the river delta?",
    "…?",
    "zzz qqq",
    "moss bear high moor",
    `Tell me ${"about the glass forest and ".repeat(40)}the eel`,
  ];
  return defineDataset({
    name: "laws",
    graph: graphFrom({ entities, triples }),
    questions: [
      ...texts.map((text, i) => ({ id: `q${i}`, text })),
      { id: "q6", text: "[IMAGE] Where does this animal live?", images: [drawing(10, 0, 3)] },
      { id: "q7", text: "[IMAGE]", images: [drawing(200, 60, -2), drawing(90, 120, 2)] },
      { id: "q8", text: "Does the amberfox avoid what is shown?", images: [drawing(300, 30)] },
    ],
  });
}

const found = (run: Run) =>
  JSON.stringify(
    run.items.map(({ id, evidence, error }) => ({
      id,
      hits: evidence?.hits,
      trace: evidence?.trace,
      spend: evidence?.spend,
      error,
    })),
  );

/**
 * The contract of retrievers, as a suite over one of them: `make` must give a fresh retriever each time. Every entry of
 * the table is run through it, and so should be any that a user defines with a version.
 */
export function retrieverLaws(name: string, make: () => Retriever): void {
  const test = suite(`retriever laws: ${name}`);
  const dataset = lawDataset();
  const { candidates } = dataset.setting();

  test("it has a label, and a version and plain parameters under which results can be stored", () => {
    const a = resolveRetriever(make());
    assert.ok(a.label.length > 0 && a.persistent && a.version);
    assert.equal(JSON.parse(JSON.stringify(a.params)), a.params);
    assert.equal(resolveRetriever(make()), a);
  });

  test("the same seed gives the same evidence, at concurrency 1 and 8, on a fresh retriever", async () => {
    const first = found(await retrieve(dataset, make(), { k: 7, seed: 3, concurrency: 1 }));
    assert.is(found(await retrieve(dataset, make(), { k: 7, seed: 3, concurrency: 8 })), first);
    const again = make();
    await retrieve(dataset, again, { k: 7, seed: 4 });
    assert.is(found(await retrieve(dataset, again, { k: 7, seed: 3 })), first);
  });

  test("a question's evidence does not depend on the other questions", async () => {
    const whole = await retrieve(dataset, make(), { k: 7 });
    for (const question of dataset.questions) {
      const alone = defineDataset({ name: "laws", graph: dataset.graph, questions: [question] });
      const run = await retrieve(alone, make(), { k: 7 });
      assert.equal(run.get(question.id).evidence, whole.get(question.id).evidence);
    }
  });

  for (const k of [1, 7, candidates.length + 40])
    test(`hits are at most k = ${k}, finite, distinct, best first, ties by id ascending`, async () => {
      const run = await retrieve(dataset, make(), { k });
      for (const { id, evidence, error } of run.items) {
        assert.ok(evidence, `question ${id} failed: ${error}`);
        const { hits } = evidence;
        assert.ok(hits.length <= k);
        assert.is(new Set(hits.map(hitId)).size, hits.length);
        assert.ok(hits.every((hit) => Number.isFinite(hit.score)));
        assert.equal(hits, rankHits(hits));
      }
    });

  test("what it returns itself is ranked, distinct and at most k, before retrieve mends it", async () => {
    const inner = make();
    const k = 7;
    const raw: Retriever = async (query, context) => {
      const given = await inner(query, context);
      const hits = "hits" in given ? given.hits : given;
      assert.ok(hits.length <= k);
      assert.is(new Set(hits.map(hitId)).size, hits.length);
      assert.ok(hits.slice(1).every((hit, i) => (hits[i]?.score as number) >= hit.score));
      return given;
    };
    for (const { error } of (await retrieve(dataset, raw, { k })).items) assert.is(error, undefined);
  });

  test("called inside another retriever it finds what it finds alone", async () => {
    const inner = make();
    const outer: Retriever = (query, context) => inner(query, context);
    assert.is(found(await retrieve(dataset, outer, { k: 7 })), found(await retrieve(dataset, make(), { k: 7 })));
  });

  test("an empty question, one without words and one of unknown words give evidence, possibly without hits, and no error", async () => {
    const inner = make();
    const emptied: Retriever = (query, context) => inner(Object.freeze({ ...query, text: "" }), context);
    for (const run of [await retrieve(dataset, make(), { k: 5 }), await retrieve(dataset, emptied, { k: 5 })])
      for (const { evidence, error } of run.items) assert.ok(evidence, error);
  });

  test("k that is not a positive integer is refused", async () => {
    for (const k of [0, -3, 2.5, Number.NaN, "5" as unknown as number]) {
      const message = await retrieve(dataset, make(), { k }).then(
        () => "nothing was thrown",
        (error: Error) => error.message,
      );
      assert.match(message, /^retrieve: k is not a positive integer/);
    }
  });

  test("an abort before or during a run ends it with the signal's reason", async () => {
    const reason = new Error("stop here");
    const outcome = (signal: AbortSignal, onProgress?: () => void) =>
      retrieve(dataset, make(), { k: 5, signal, concurrency: 1, ...(onProgress ? { onProgress } : {}) }).then(
        () => "finished",
        (error) => error,
      );
    assert.is(await outcome(AbortSignal.abort(reason)), reason);
    const controller = new AbortController();
    assert.is(await outcome(controller.signal, () => controller.abort(reason)), reason);
  });

  test("graph and candidates are left as they were", async () => {
    const before = [dataset.graph.fingerprint, JSON.stringify(candidates)];
    const own = lawDataset();
    await retrieve(own, make(), { k: 5 });
    assert.equal([lawDataset().graph.fingerprint, JSON.stringify(own.setting().candidates)], before);
  });

  test("a data set without triples gives evidence without triples", async () => {
    const bare = defineDataset({
      name: "bare",
      graph: graphFrom({ entities: [{ id: "a" }], triples: [] }),
      questions: [{ id: "1", text: "anything" }],
    });
    const { evidence, error } = (await retrieve(bare, make(), { k: 5 })).get("1");
    assert.ok(evidence, error);
    assert.is(evidence.hits.filter((hit) => hit.triple !== undefined).length, 0);
  });

  test("passages are found under their ids, or nothing is, where there are no triples", async () => {
    const read = defineDataset({
      name: "read",
      graph: graphFrom({ entities: [], triples: [] }),
      passages: [
        { id: "p1", text: "The amberfox lives in the glass forest.", images: [drawing(10, 0)] },
        { id: "p2", text: "Nothing of the kind." },
      ],
      questions: [{ id: "1", text: "Where does the amberfox live?", images: [drawing(10, 0, 3)] }],
    });
    const { evidence, error } = (await retrieve(read, make(), { k: 5 })).get("1");
    assert.ok(evidence, error);
    for (const hit of evidence.hits) assert.ok(hit.passage === "p1" || hit.passage === "p2", JSON.stringify(hit));
  });

  test.run();
}
