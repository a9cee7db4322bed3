import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { defineDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { retrieve, retriever } from "../../lib/retrieve/index.js";
import { plan } from "../../lib/study/spec.js";

const test = suite("key frames as a factor");

/** A black frame, or one with a white bar at the left or on top. */
const frame = (id: string, kind: "black" | "left" | "top"): Promise<Image> => {
  const data = Buffer.alloc(48 * 48 * 3);
  for (let y = 0; y < 48; y++)
    for (let x = 0; x < 48; x++)
      if ((kind === "left" && x < 12) || (kind === "top" && y < 12))
        data.fill(255, (y * 48 + x) * 3, (y * 48 + x) * 3 + 3);
  return sharp(data, { raw: { width: 48, height: 48, channels: 3 } })
    .png()
    .toBuffer()
    .then((png) => bytesImage(png, id, { key: false }));
};
/** 8 frames of which only number `at` tells. */
const clip = (id: string, kind: "left" | "top", at: number) =>
  Promise.all(Array.from({ length: 8 }, (_, i) => frame(`${id}${i}`, i === at ? kind : "black")));

async function world(at: number) {
  const graph = graphFrom({
    entities: [
      { id: "Rook", kind: "creature" },
      { id: "Rook a", kind: "attack", images: await clip("a", "left", at) },
      { id: "Rook b", kind: "attack", images: await clip("b", "top", at) },
    ],
    triples: [
      { id: "0", head: "Rook", relation: "can use", tail: "Rook a" },
      { id: "1", head: "Rook", relation: "can use", tail: "Rook b" },
    ],
  });
  return defineDataset({
    name: "frames",
    graph,
    questions: [
      { id: "q0", text: "What does Rook do?", images: await clip("qa", "left", at), gold: { triples: ["0"] } },
      { id: "q1", text: "What does Rook do?", images: await clip("qb", "top", at), gold: { triples: ["1"] } },
    ],
  });
}
const firstPaths = async (at: number, keyFrames: string) => {
  const run = await retrieve(await world(at), retriever("walk", { keyFrames, pathCount: 1 }), { k: 1 });
  return run.items.map((item) => item.evidence?.hits[0]?.path?.at(-1));
};

test("the walk sees the attack exactly when the choice leaves the frame that tells", async () => {
  const right = ["Rook a", "Rook b"];
  // frame 6 of 8 is a middle of uniform:4 (1, 3, 5, 7 are not 6; of uniform:2 they are 2 and 6); the largest change is at 6 and at 7
  assert.equal(await firstPaths(6, "uniform:2"), right);
  assert.equal(await firstPaths(6, "change:2"), right);
  assert.equal(await firstPaths(6, "all"), right);
  for (const blind of ["uniform:4", "first", "none", "human"])
    assert.is(new Set(await firstPaths(6, blind)).size, 1, `${blind}: the same guess for both questions`);
});

test("a study takes them as levels of a factor, and refuses a misspelt one with what was meant", async () => {
  const dataset = await world(6);
  const spec = (keyFrames: readonly string[]) => ({
    dataset,
    base: { retriever: "walk" },
    vary: { keyFrames },
    controls: [],
  });
  assert.equal(
    plan(spec(["none", "uniform:4", "change:2"])).cells.map((cell) => cell.label),
    ["base", "keyFrames=none", "keyFrames=uniform:4", "keyFrames=change:2"],
  );
  assert.throws(
    () => plan(spec(["unifrom:4"])),
    /study: option keyFrames has a wrong value \("unifrom:4"\)\. .*"change:n".*Did you mean "uniform:4"\?/,
  );
});

test.run();
