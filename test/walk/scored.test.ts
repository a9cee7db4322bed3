import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Image, type Query, random } from "../../lib/core/index.js";
import { loadDataset, toQuery } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { prepareWalk, searchOrders, walk } from "../../lib/walk/index.js";

const test = suite("scored agents");
const signal = new AbortController().signal;
let count = 0;
const ask = (text: string, images: readonly Image[] = []): Query =>
  Object.freeze({ id: `q${count++}`, text, images, meta: {} });

async function go(graph: ReturnType<typeof graphFrom>, query: Query, options: Readonly<Record<string, unknown>> = {}) {
  const state = await prepareWalk({ graph, signal }, options);
  return walk(query, { graph, state, k: 10, random: random(0), signal }, options);
}
const paths = ({ hits }: Awaited<ReturnType<typeof walk>>) => hits.map((h) => h.path?.join(" > "));
const topicOf = ({ trace }: Awaited<ReturnType<typeof walk>>) =>
  (trace as { step: string; entity: string | null }[]).find((s) => s.step === "topic")?.entity;

const birds = graphFrom({
  entities: [
    { id: "b1", label: "Rook", kind: "bird" },
    { id: "b2", label: "Rook of the Hill", kind: "bird" },
    { id: "b3", label: "Café Öhr", kind: "bird" },
    { id: "f", label: "snail", kind: "food" },
    { id: "h", label: "high moor", kind: "habitat" },
    { id: "n", label: "old oak", kind: "nest" },
  ],
  triples: [
    { id: "1", head: "b1", relation: "eats", tail: "f" },
    { id: "2", head: "b1", relation: "lives in", tail: "h" },
    { id: "3", head: "b1", relation: "builds nest in", tail: "n", condition: "spring has come" },
    { id: "4", head: "b2", relation: "eats", tail: "f" },
    { id: "5", head: "b3", relation: "eats", tail: "f" },
  ],
});

test("the topic is the longest label that the question says, whole words, whatever the case", async () => {
  assert.is(topicOf(await go(birds, ask("What does a rook eat?"))), "b1");
  assert.is(topicOf(await go(birds, ask("What does the ROOK of the hill eat?"))), "b2");
  assert.is(topicOf(await go(birds, ask("What does café öhr eat?"))), "b3");
  // "Rookery" does not say "Rook", and nothing leads on from "snail"
  assert.is.not(topicOf(await go(birds, ask("What is a snail at the Café Öhr?"))), "f");
});

test("the edge that the question is about comes first: by relation, by kind of tail, by condition", async () => {
  for (const [text, tail] of [
    ["What does the Rook eat?", "f"],
    ["Where does the Rook live?", "h"],
    ["Name a habitat of the Rook.", "h"],
    ["In what does the Rook build?", "n"],
    ["The spring has come. What of the Rook?", "n"],
  ] as const)
    assert.is(paths(await go(birds, ask(text)))[0], `b1 > ${tail}`, text);
});

test("a path is left open while an edge that goes on fits better, and ends where none does", async () => {
  const graph = graphFrom({
    entities: [
      { id: "Rook" },
      { id: "Jay", kind: "rival" },
      { id: "Fen", kind: "habitat" },
      { id: "Elm", kind: "tree" },
    ],
    triples: [
      { id: "1", head: "Rook", relation: "competes with", tail: "Jay" },
      { id: "2", head: "Jay", relation: "nests in", tail: "Elm" },
      { id: "3", head: "Rook", relation: "lives in", tail: "Fen" },
    ],
  });
  assert.is(
    paths(await go(graph, ask("In which tree nests the rival of the Rook?"), { pathCount: 1 }))[0],
    "Rook > Jay > Elm",
  );
  assert.is(paths(await go(graph, ask("With whom does the Rook compete?"), { pathCount: 1 }))[0], "Rook > Jay");
});

test("an empty question and one without words still give evidence, with finite scores", async () => {
  for (const text of ["", "…?!"]) {
    const { hits } = await go(birds, ask(text));
    assert.ok(hits.every((h) => Number.isFinite(h.score)));
  }
  assert.equal((await go(graphFrom({ entities: [{ id: "a" }], triples: [] }), ask("a"))).hits, []);
});

// 32 × 32 pictures: `bar` puts a dark bar at one of four places of a white field
async function bar(place: number, shade: number): Promise<Image> {
  const data = Buffer.alloc(32 * 32 * 3, 255);
  for (let y = 0; y < 32; y++)
    for (let x = 0; x < 32; x++)
      if ((place < 2 ? y : x) >> 3 === 1 + (place % 2)) data.fill(shade, (y * 32 + x) * 3, (y * 32 + x) * 3 + 3);
  const png = await sharp(data, { raw: { width: 32, height: 32, channels: 3 } })
    .png()
    .toBuffer();
  return bytesImage(png, `bar ${place} ${shade}`);
}

/** An animal with four attacks that differ in their last frame alone; the first shows the same for all. */
async function pictured() {
  const idle = bytesImage(await (await bar(0, 200)).bytes(), "idle", { key: false });
  const frames = await Promise.all([0, 1, 2, 3].map(async (p) => [idle, await bar(p, 0)]));
  const graph = graphFrom({
    entities: [{ id: "Rook" }, ...frames.map((images, i) => ({ id: `move ${i}`, kind: "attack", images }))],
    triples: frames.map((_, i) => ({ id: `t${i}`, head: "Rook", relation: "can use", tail: `move ${i}` })),
  });
  return { graph, idle };
}

test("the picture decides between edges that the text does not tell apart", async () => {
  const { graph, idle } = await pictured();
  for (let i = 0; i < 4; i++) {
    const query = ask("What attack can the Rook use here?", [idle, await bar(i, 40)]);
    for (const keyFrames of ["human", "all"])
      assert.is(paths(await go(graph, query, { pathCount: 1, keyFrames }))[0], `Rook > move ${i}`, `${keyFrames} ${i}`);
  }
});

test("a picture of the topic itself keeps no answer back, and the picture still decides where ways on have pictures", async () => {
  const portraits = await Promise.all([0, 1, 2].map((p) => bar(p, 0)));
  const graph = graphFrom({
    entities: [
      ...["Robin", "Heron", "Owl"].map((id, i) => ({ id, images: [portraits[i] as Image] })),
      ...["Worm", "Fish", "Mouse"].map((id) => ({ id })),
    ],
    triples: [
      { id: "0", head: "Robin", relation: "eats", tail: "Worm" },
      { id: "1", head: "Heron", relation: "eats", tail: "Fish" },
      { id: "2", head: "Owl", relation: "eats", tail: "Mouse" },
    ],
  });
  for (const [i, path] of ["Robin > Worm", "Heron > Fish", "Owl > Mouse"].entries()) {
    const shown = await bar(i, 40);
    assert.is(paths(await go(graph, ask("What does this bird eat?", [shown]), { pathCount: 1 }))[0], path);
    assert.is(
      paths(await go(graph, ask(`What does the ${path.split(" ")[0]} eat?`, [shown]), { pathCount: 1 }))[0],
      path,
    );
  }
});

test("without frames, or with a first frame that all share, all edges are equal: the picture of the act is not used", async () => {
  const { graph, idle } = await pictured();
  for (const keyFrames of ["none", "first"])
    for (let i = 0; i < 4; i++) {
      const { hits } = await go(graph, ask("What attack can the Rook use here?", [idle, await bar(i, 40)]), {
        keyFrames,
      });
      assert.is(hits.length, 4);
      assert.equal(
        hits.map((h) => h.score.toFixed(6)),
        Array(4).fill((0.25).toFixed(6)),
      );
    }
});

test("a question with a picture is not answered by a path on which nothing pictured stands", async () => {
  const { graph, idle } = await pictured();
  const more = graphFrom({
    entities: [...(graph.entities.objects() as { id: string }[]), { id: "moor", kind: "habitat" }],
    triples: [
      ...(graph.triples.objects() as { head: string; relation: string; tail: string }[]),
      { id: "m", head: "Rook", relation: "lives in", tail: "moor" },
    ],
  });
  const options = { keyFrames: "human", margin: 0, threshold: 0, breadth: 9 };
  assert.not.ok(
    paths(await go(more, ask("Where does the Rook live?", [idle, await bar(2, 40)]), options)).includes("Rook > moor"),
  );
  assert.ok(paths(await go(more, ask("Where does the Rook live?"), options)).includes("Rook > moor"));
});

test("breadth bounds the edges followed from one entity, and margin those far below the best", async () => {
  const { graph, idle } = await pictured();
  const query = ask("What attack can the Rook use here?", [idle, await bar(1, 40)]);
  const base = { keyFrames: "human", margin: 0, threshold: 0, pathCount: 9 };
  for (const breadth of [1, 2, 3, 4]) assert.is((await go(graph, query, { ...base, breadth })).hits.length, breadth);
  assert.is((await go(graph, query, { ...base, margin: 1 })).hits.length, 1);
});

test("the probabilities of all edges of one entity sum to 1", async () => {
  const { graph, idle } = await pictured();
  const { hits } = await go(graph, ask("Which?", [idle, await bar(3, 40)]), {
    keyFrames: "human",
    margin: 0,
    threshold: 0,
    breadth: 9,
    pathCount: 9,
  });
  const sum = hits.reduce((s, h) => s + h.score, 0);
  assert.ok(Math.abs(sum - 1) < 1e-12, String(sum));
});

test("on generated worlds, for every order: fewer paths asked for are the first of more; never more than asked for; same seed, same bytes", async () => {
  const dataset = await loadDataset("bestiary", { seed: 5, creatures: 6 } as never);
  const { graph } = dataset;
  const state = await prepareWalk({ graph, signal }, { keyFrames: "human" });
  const once = (query: Query, options: object) =>
    walk(query, { graph, state, k: 10, random: random(1, query.id), signal }, { keyFrames: "human", ...options });
  const kept = (e: Awaited<ReturnType<typeof walk>>) =>
    (e.trace as { step: string; path: string[] }[]).filter((s) => s.step === "recorded").map((s) => s.path.join(" > "));
  let full = 0;
  for (const question of dataset.questions)
    for (const { name } of searchOrders) {
      const query = toQuery(dataset, question);
      const five = await once(query, { order: name, pathCount: 5 });
      assert.is(JSON.stringify(await once(query, { order: name, pathCount: 5 })), JSON.stringify(five));
      assert.ok(kept(five).length <= 5);
      if (kept(five).length === 5) full++;
      for (const pathCount of [1, 3])
        assert.equal(kept(await once(query, { order: name, pathCount })), kept(five).slice(0, pathCount));
      for (const hit of five.hits)
        for (const [i, id] of (hit.pathTriples ?? []).entries())
          assert.equal([graph.triple(id).head, graph.triple(id).tail], hit.path?.slice(i, i + 2));
    }
  assert.ok(full > 20, `the cap was met ${full} times`);
});

/** A hub with n outgoing edges that no question tells apart; one of them leads on. */
const hub = (n: number) =>
  graphFrom({
    entities: [
      { id: "Rook" },
      ...Array.from({ length: n }, (_, i) => ({ id: `place ${i}` })),
      { id: "end", label: "" },
    ],
    triples: [
      ...Array.from({ length: n }, (_, i) => ({ id: `t${i}`, head: "Rook", relation: "visits", tail: `place ${i}` })),
      { id: "on", head: "place 7", relation: "leads", tail: "end" },
    ],
  });

test("at a hub of 400 equal edges a walk still finds something: shares are relative to the best sibling", async () => {
  // all texts are alike, so that each edge has probability 1/400 and the share 1 of the best; breadth takes 4 of them
  const { hits, spend } = await go(hub(400), ask("What does the Rook visit?"), { lookahead: 0 });
  assert.equal(
    hits.map((h) => h.score.toFixed(9)),
    Array(4).fill((1 / 400).toFixed(9)),
  );
  assert.equal([spend?.validated, spend?.notChosen], [4, 396]);
});

test("even a threshold of 1 leaves the best edge of each entity that is followed", async () => {
  assert.ok((await go(hub(400), ask("What does the Rook visit?"), { threshold: 1 })).hits.length > 0);
});

test("the siblings of an entity are weighed once in a walk, however many of its children are validated", async () => {
  const graph = hub(40);
  const base = await prepareWalk({ graph, signal });
  let compared = 0;
  const state = {
    ...base,
    images(q: Query, ids: readonly string[]) {
      if (ids.length > 1) compared++;
      return base.images(q, ids);
    },
  };
  const options = { breadth: 9, pathCount: 99 };
  const { spend } = await walk(
    ask("What does the Rook visit?"),
    { graph, state, k: 99, random: random(0), signal },
    options,
  );
  assert.is(spend?.validated, 9);
  assert.is(compared, 1);
});

test.run();
