import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { defineDataset } from "../../lib/datasets/index.js";
import { dot, type Encoder, encoder } from "../../lib/embed/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { type Retriever, retrieve, retriever } from "../../lib/retrieve/index.js";
import { lawDataset } from "../laws/retriever.js";

const test = suite("dense retrievers");
const dataset = lawDataset();
const { graph } = dataset;
const ranking = async (r: Retriever, id: string, k = 5) =>
  ((await retrieve(dataset, r, { k })).get(id).evidence?.hits ?? []).map((hit) => [hit.triple, hit.score] as const);

/** Vectors of a question's pictures and of one entity's, and late interaction between them in plain doubles. */
async function likeness(images: readonly Image[], own: readonly Image[]): Promise<number> {
  const pixels = (await encoder("pixels")) as Encoder<Image>;
  const [a, b] = [await pixels.encode(images), await pixels.encode(own)];
  let sum = 0;
  for (let i = 0; i < images.length; i++) {
    let best = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < own.length; j++) {
      let product = 0;
      for (let d = 0; d < pixels.dim; d++)
        product += (a[i * pixels.dim + d] as number) * (b[j * pixels.dim + d] as number);
      best = Math.max(best, product);
    }
    sum += best;
  }
  return sum / images.length;
}

const question = (id: string) => dataset.questions.find((q) => q.id === id) as (typeof dataset.questions)[number];

test("image: each triple's score is the late interaction of the question's pictures with its head's; heads without a picture are not found", async () => {
  const hits = await ranking(retriever("image"), "q7", 100);
  assert.is(hits.length, 3 * 12); // three of five heads have pictures, each with 12 triples
  for (const [triple, score] of hits) {
    const { images } = graph.entity(graph.triple(triple as string).head);
    assert.ok(Math.abs(score - (await likeness(question("q7").images, images))) < 1e-6);
  }
  assert.equal(await ranking(retriever("image"), "q0"), []);
});

test("image: of tails none has a picture; either end is the head's then", async () => {
  assert.equal(await ranking(retriever("image", { of: "tail" }), "q6"), []);
  assert.equal(await ranking(retriever("image", { of: "either" }), "q6"), await ranking(retriever("image"), "q6"));
});

test("rerank: only triples of the anchors, in the order of text; without a picture it is text", async () => {
  const text = await ranking(retriever("text"), "q6", 100);
  const one = await ranking(retriever("rerank", { anchors: 1 }), "q6", 100);
  // e0 is what q6 shows
  assert.is(one.length, 12);
  assert.ok(one.every(([triple]) => graph.triple(triple as string).head === "e0"));
  const order = text.filter(([triple]) => graph.triple(triple as string).head === "e0").map(([triple]) => triple);
  assert.equal(
    one.map(([triple]) => triple),
    order,
  );
  assert.equal(await ranking(retriever("rerank"), "q0"), await ranking(retriever("text"), "q0"));
});

test("fusion in spaces of their own: the score is that of the two vectors side by side, each side of length 1", async () => {
  const candidates = dataset.setting().candidates;
  const hash = ((await encoder("hash")) as Encoder<string>).fit?.(candidates.map((c) => c.text)) as Encoder<string>;
  const pixels = (await encoder("pixels")) as Encoder<Image>;
  const shown = question("q6");
  const [asked, seen] = [await hash.encode(["Where does this animal live?"]), await pixels.encode(shown.images)];
  for (const [triple, score] of await ranking(retriever("fusion"), "q6", 100)) {
    const own = await hash.encode([candidates.find((c) => c.triple === triple)?.text as string]);
    const { images } = graph.entity(graph.triple(triple as string).head);
    const text = dot(asked, 0, own, 0, hash.dim);
    let expected = text / Math.SQRT2; // the question has a picture, the triple none
    if (images.length > 0) {
      const frames = await pixels.encode(images);
      const mean = Float64Array.from({ length: pixels.dim }, (_, d) =>
        images.reduce((sum, _image, i) => sum + (frames[i * pixels.dim + d] as number), 0),
      );
      const length = Math.hypot(...mean);
      const product = mean.reduce((sum, value, d) => sum + (value / length) * (seen[d] as number), 0);
      expected = (text + product) / 2;
    }
    assert.ok(Math.abs(score - expected) < 1e-5, `${triple}: ${score}, ${expected}`);
  }
});

test("fusion in one space: the mean of unit vectors, or, as released, of the question's vectors as long as they come", async () => {
  // two dimensions: what is said along x, what is shown along y; the model's picture vectors are three times as long
  const said: Encoder<string> = {
    name: "said",
    revision: "1",
    modality: "text",
    dim: 2,
    space: "plane",
    encode: async (items) => Float32Array.from(items.flatMap((t) => (t.includes("left") ? [1, 0] : [0.6, 0.8]))),
  };
  const shown: Encoder<Image> = {
    name: "shown",
    revision: "1",
    modality: "image",
    dim: 2,
    space: "plane",
    encode: async (items) => Float32Array.from(items.flatMap(() => [0, 1])),
    encodeRaw: async (items) => Float32Array.from(items.flatMap(() => [0, 3])),
  };
  const picture = { id: "p", key: true, bytes: async () => new Uint8Array() };
  const world = defineDataset({
    name: "plane",
    graph: graphFrom({
      entities: [{ id: "a", images: [picture] }, { id: "b" }],
      triples: [
        { head: "a", relation: "left", tail: "b" },
        { head: "b", relation: "right", tail: "a" },
      ],
    }),
    questions: [{ id: "1", text: "left", images: [picture] }],
  });
  const scores = async (queryFusion: string) => {
    const fused = retriever("fusion", { encoder: said, imageEncoder: shown, queryFusion });
    assert.equal([fused.label, fused.params?.encoder], ["fusion (said 1, shown 1)", "said 1"]);
    const hits = (await retrieve(world, fused, { k: 5 })).get("1").evidence?.hits ?? [];
    return hits.map(({ triple, score }) => [triple, score.toFixed(4)]);
  };
  // row 0: mean of (1,0) and (0,1), unit: (.7071, .7071); row 1: (.6, .8)
  assert.equal(await scores("normalised"), [
    ["0", "1.0000"],
    ["1", "0.9899"],
  ]);
  // question: mean of (1,0) and (0,3), unit: (.3162, .9487)
  assert.equal(await scores("unnormalised"), [
    ["1", "0.9487"],
    ["0", "0.8944"],
  ]);
});

test("the mark [IMAGE] is not part of what is asked unless it is kept, and lower case is an option", async () => {
  const alike = { ...question("q6"), id: "plain", text: "Where does this animal live?", images: [] };
  const marked = { ...alike, id: "marked", text: "[IMAGE] Where does this animal live?" };
  const two = defineDataset({ name: "two", graph, questions: [alike, marked] });
  const hits = async (options: object, id: string) =>
    (await retrieve(two, retriever("text", options as never), { k: 5 })).get(id).evidence?.hits;
  assert.equal(await hits({}, "marked"), await hits({}, "plain"));
  assert.not.equal(await hits({ imageMark: "keep" }, "marked"), await hits({ imageMark: "keep" }, "plain"));
  assert.is(retriever("text", { lowerCase: true }).params?.lowerCase, true);
});

test.run();
