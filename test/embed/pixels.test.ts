import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { bestiary } from "../../lib/datasets/index.js";
import { encoder } from "../../lib/embed/index.js";
import { bytesImage, type KeyFrames, selectFrames } from "../../lib/media/index.js";

const test = suite("embed: pixels encoder");
const e = await encoder("pixels");
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, v, i) => sum + v * (b[i] as number), 0);
const rowOf = (rows: Float32Array, i: number) => rows.subarray(i * e.dim, (i + 1) * e.dim);
/** A 48 × 48 picture by a function of place, so that no scaling is involved. */
const picture = async (colour: (x: number, y: number) => number[], id = "p") => {
  const data = Buffer.from(Array.from({ length: 48 * 48 }, (_, i) => colour(i % 48, Math.floor(i / 48))).flat());
  return bytesImage(
    await sharp(data, { raw: { width: 48, height: 48, channels: 3 } })
      .png()
      .toBuffer(),
    id,
  );
};
const upright = (x: number) => (x % 16 < 8 ? [200, 200, 200] : [40, 40, 40]);

test("rows have length 1; a picture of one colour gives a zero row", async () => {
  const images = [await picture(upright), await picture((_, y) => [y * 5, 0, 0]), await picture(() => [10, 200, 30])];
  const rows = await e.encode(images);
  assert.is(rows.length, 3 * e.dim);
  const lengths = images.map((_, i) => Math.hypot(...rowOf(rows, i)));
  for (const [i, wanted] of [1, 1, 0].entries())
    assert.ok(Math.abs((lengths[i] as number) - wanted) < 1e-6, `${i}: ${lengths[i]}`);
});

test("a picture's row does not depend on what is encoded with it, nor on the order", async () => {
  const make = async () => [
    await picture(upright, "a"),
    await picture((x, y) => [x * 5, y * 5, 0], "b"),
    await picture((x, y) => (x > y ? [0, 0, 255] : [255, 255, 0]), "c"),
  ];
  const together = await e.encode(await make());
  const reversed = await e.encode((await make()).reverse());
  for (const [i, image] of (await make()).entries()) {
    const alone = await e.encode([image]);
    assert.equal([...alone], [...rowOf(together, i)]);
    assert.equal([...alone], [...rowOf(reversed, 2 - i)]);
  }
});

test("bytes are read once for each image object", async () => {
  const source = await picture(upright);
  let reads = 0;
  const counted: Image = { id: "c", key: true, bytes: () => source.bytes().finally(() => reads++) };
  assert.equal(await e.encode([counted]), await e.encode([counted]));
  assert.is(reads, 1);
});

test("even light changes nothing: all values raised by the same amount", async () => {
  const rows = await e.encode([await picture(upright), await picture((x) => upright(x).map((v) => v + 50))]);
  assert.ok(dot(rowOf(rows, 0), rowOf(rows, 1)) > 0.99999);
});

test("colours in the same places are nearer than the same colours elsewhere, and like edges nearer than crossed ones", async () => {
  const half = (left: number[], right: number[]) => (x: number) => (x < 24 ? left : right);
  const [red, blue, dark] = [
    [220, 30, 30],
    [30, 30, 220],
    [190, 20, 20],
  ];
  const colour = await e.encode([
    await picture(half(red, blue)),
    await picture(half(dark, blue)),
    await picture(half(blue, red)),
  ]);
  assert.ok(dot(rowOf(colour, 0), rowOf(colour, 1)) > dot(rowOf(colour, 0), rowOf(colour, 2)) + 0.3);
  const edges = await e.encode([
    await picture(upright),
    await picture((x) => upright(x + 1)),
    await picture((_, y) => upright(y)),
  ]);
  assert.ok(dot(rowOf(edges, 0), rowOf(edges, 1)) > dot(rowOf(edges, 0), rowOf(edges, 2)) + 0.3);
});

test("a broken picture fails the whole call, named", async () => {
  let message = "nothing was thrown";
  await e
    .encode([await picture(upright), bytesImage(new Uint8Array([1, 2, 3]), "bad9")])
    .catch((error: Error) => (message = error.message));
  assert.match(message, /^image "bad9": not a picture/);
});

/** One world for each ambiguity, so that its pictures are encoded once. */
const worlds = new Map<number | "default", Pick<ReturnType<typeof bestiary>, "entities" | "questions">>();

/**
 * Share of clip questions of 8 creatures whose frames are nearest to the right one among the creature's own attacks: mean over the question's
 * frames of the best match among the attack's frames. Also what guessing would get.
 */
async function rank1(choice: KeyFrames, imageAmbiguity?: number) {
  const key = imageAmbiguity ?? "default";
  const { entities, questions } =
    worlds.get(key) ??
    bestiary("pixels test", { creatures: 8, ...(imageAmbiguity === undefined ? {} : { imageAmbiguity }) });
  worlds.set(key, { entities, questions });
  const attacks = await Promise.all(
    entities
      .filter((x) => x.kind === "attack")
      .map(async (a) => ({ id: a.id, rows: await e.encode(await selectFrames(a.images, choice)) })),
  );
  const nearness = (question: Float32Array, attack: Float32Array) => {
    let sum = 0;
    for (let i = 0; i < question.length; i += e.dim) {
      let best = -1;
      for (let j = 0; j < attack.length; j += e.dim)
        best = Math.max(best, dot(question.subarray(i, i + e.dim), attack.subarray(j, j + e.dim)));
      sum += best;
    }
    return sum;
  };
  let [right, chance, n] = [0, 0, 0];
  for (const q of questions.filter((q) => q.images.length > 0)) {
    const rows = await e.encode(await selectFrames(q.images, choice));
    const own = attacks
      .filter((a) => a.id.startsWith(`${q.cluster} `))
      .map((a) => ({ id: a.id, near: nearness(rows, a.rows) }));
    if (own.reduce((a, b) => (b.near > a.near ? b : a)).id === q.meta.attack) right++;
    chance += 1 / own.length;
    n++;
  }
  return { share: right / n, chance: chance / n, noise: Math.sqrt((0.17 * 0.83) / n) };
}

test("on bestiary, marked frames tell an attack well but not surely, all frames less so, the first not at all", async () => {
  const [human, all, first] = [await rank1("human"), await rank1("all"), await rank1("first")];
  assert.ok(human.share >= 0.6 && human.share <= 0.92, `human ${human.share}`);
  assert.ok(all.share < human.share && all.share > all.chance + 3 * all.noise, `all ${all.share}`);
  assert.ok(Math.abs(first.share - first.chance) <= 3 * first.noise, `first ${first.share}, chance ${first.chance}`);
});

test("the more alike attacks are drawn the less marked frames tell: at imageAmbiguity 1, nothing", async () => {
  const [clear, alike] = [await rank1("human", 0), await rank1("human", 1)];
  assert.ok(clear.share > 0.8, `clear ${clear.share}`);
  assert.ok(Math.abs(alike.share - alike.chance) <= 3 * alike.noise, `alike ${alike.share}, chance ${alike.chance}`);
});

test.run();
