import * as fc from "fast-check";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { bytesImage, framesOf, type KeyFrames, keyFrameChoices, pixels, selectFrames } from "../../lib/media/index.js";
import { walkOptions } from "../../lib/walk/index.js";

const test = suite("frames");
const refuses = async (run: () => unknown, pattern: RegExp) => {
  const error = await Promise.resolve()
    .then(run)
    .then(
      () => new Error("nothing was thrown"),
      (e: Error) => e,
    );
  assert.match(error.message, pattern);
};
/** Frames that cannot be read: a choice that looks at bytes would fail on them. */
const unread = (marks: readonly boolean[]): Image[] =>
  marks.map((key, i) => ({ id: `f${i}`, key, bytes: () => Promise.reject(new Error("was read")) }));
const ids = (images: readonly Image[]) => images.map((image) => image.id).join(" ");
const greys = (levels: readonly number[]) =>
  Promise.all(
    levels.map(async (v, i) =>
      bytesImage(
        await sharp({ create: { width: 40, height: 30, channels: 3, background: { r: v, g: v, b: v } } })
          .png()
          .toBuffer(),
        `f${i}`,
        { key: false },
      ),
    ),
  );

test("none ⊆ first and human ⊆ all, in time order, the same objects, without reading any", async () => {
  const images = unread([false, true, false, true]);
  const chosen = Object.fromEntries(
    await Promise.all(
      (["none", "first", "human", "all"] as const).map(async (c) => [c, ids(await selectFrames(images, c))] as const),
    ),
  );
  assert.equal(chosen, { none: "", first: "f0", human: "f1 f3", all: "f0 f1 f2 f3" });
  assert.is((await selectFrames(images, "human"))[0], images[1]);
  assert.equal(await selectFrames([images[0]!], "human"), [], "no falling back where no frame is marked");
  assert.equal(await selectFrames([], "first"), []);
  assert.is.not(await selectFrames(images, "all"), images, "a new array");
});

test("uniform:n takes the middle of each of n equal parts, without reading any", async () => {
  const images = unread(Array(16).fill(true));
  // 16 frames in 4 parts of 4: middles at 2, 6, 10, 14; in 3 parts of 16/3: 2.67, 8, 13.33; in 5 of 3.2: 1.6, 4.8, 8, 11.2, 14.4
  assert.is(ids(await selectFrames(images, "uniform:4")), "f2 f6 f10 f14");
  assert.is(ids(await selectFrames(images, "uniform:3")), "f2 f8 f13");
  assert.is(ids(await selectFrames(images, "uniform:5")), "f1 f4 f8 f11 f14");
  assert.is(ids(await selectFrames(images, "uniform:1")), "f8");
  for (const n of [16, 17, 1000]) assert.equal(await selectFrames(images, `uniform:${n}`), images);
});

test("uniform:n gives min(n, m) distinct frames in time order, each within half a part of its centre", () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 40 }), async (n, m) => {
      const images = unread(Array(m).fill(false));
      const at = (await selectFrames(images, `uniform:${n}`)).map((image) => images.indexOf(image));
      assert.is(at.length, Math.min(n, m));
      at.forEach((position, i) => {
        if (i > 0) assert.ok(position > at[i - 1]!);
        if (n < m) assert.ok(Math.abs(position + 0.5 - ((i + 0.5) * m) / n) <= 0.5 + 1e-9);
      });
    }),
    { seed: 4, numRuns: 300 },
  ));

test("change:n takes the frames that differ most from the one before, ties the earlier, in time order", async () => {
  // changes to the frame before: –, 0, 50, 50, 100, 10
  const images = await greys([100, 100, 150, 100, 200, 210]);
  assert.is(ids(await selectFrames(images, "change:1")), "f4");
  assert.is(ids(await selectFrames(images, "change:2")), "f2 f4");
  assert.is(ids(await selectFrames(images, "change:3")), "f2 f3 f4");
  assert.is(ids(await selectFrames(images, "change:4")), "f2 f3 f4 f5");
  assert.is(ids(await selectFrames(images, "change:5")), "f1 f2 f3 f4 f5", "the first, which has none before it, last");
  assert.is(ids(await selectFrames(images, "change:6")), "f0 f1 f2 f3 f4 f5");
  assert.equal(await selectFrames([], "change:3"), []);
});

test("change:n sees by luma: red is three times as bright as blue", async () => {
  // ITU-R BT.601: blue 0.114 · 255 = 29, red 0.299 · 255 = 76; changes to the frame before: –, 29, 47
  const images = await Promise.all(
    ["#000000", "#0000ff", "#ff0000"].map(async (colour, i) => bytesImage(await solid(colour), `f${i}`)),
  );
  assert.is(ids(await selectFrames(images, "change:1")), "f2");
});

test("change:n reads each picture once, and names one that cannot be read", async () => {
  let reads = 0;
  const counted = (await greys([0, 9, 0])).map((image) =>
    Object.freeze({
      ...image,
      bytes: () => {
        reads++;
        return image.bytes();
      },
    }),
  );
  await selectFrames(counted, "change:1");
  await selectFrames(counted, "change:2");
  assert.is(reads, 3);
  const broken = bytesImage(new Uint8Array([1, 2, 3]), "bad");
  await refuses(() => selectFrames([...counted, broken], "change:1"), /^image "bad": not a picture/);
});

test("an unknown choice names the known ones and the nearest; n is an integer ≥ 1 in its shortest writing", async () => {
  const known =
    /unknown choice of key frames \("humen"\)\. Known: none, first, human, all, uniform:n, change:n, n an integer ≥ 1\. Did you mean "human"\?/;
  await refuses(() => selectFrames([], "humen" as "human"), known);
  for (const [wrong, meant] of [
    ["unifrom:8", "uniform:8"],
    ["uniform", "uniform:4"],
    ["Change:3", "change:3"],
    ["uniform:0", "uniform:4"],
    ["uniform:04", "uniform:4"],
    ["uniform:1.5", "uniform:4"],
    ["uniform:-2", "uniform:4"],
    ["uniform:n", "uniform:4"],
    ["change:9007199254740993", "change:4"],
    ["all:3", "all"],
  ])
    await refuses(() => selectFrames([], wrong as KeyFrames), new RegExp(`Did you mean "${meant}"\\?$`));
  for (const name of ["constructor", "__proto__", "", 4, null])
    await refuses(() => selectFrames([], name as KeyFrames), /unknown choice/);
});

test("the walk's option takes exactly the names that selectFrames takes", async () => {
  const { check, allowed } = walkOptions.keyFrames!;
  for (const form of Object.keys(keyFrameChoices)) assert.ok(allowed.includes(`"${form}"`), form);
  for (const value of [
    "none",
    "all",
    "uniform:1",
    "change:12",
    "uniform",
    "uniform:0",
    "uniform:n",
    "toString",
    3,
    null,
  ])
    assert.is(
      check(value),
      await selectFrames([], value as KeyFrames).then(
        () => true,
        () => false,
      ),
      String(value),
    );
});

const solid = (background: string) =>
  sharp({ create: { width: 4, height: 4, channels: 3, background } })
    .png()
    .toBuffer();
const colours = ["#ff0000", "#00ff00", "#0000ff"] as const;

test("an animated file, and a TIFF of several pages, gives its frames in order, unmarked unless said", async () => {
  const parts = await Promise.all(colours.map(solid));
  for (const [format, options] of [
    ["gif", {}],
    ["webp", { lossless: true }],
    ["tiff", { compression: "lzw" }],
  ] as const) {
    const file = bytesImage(
      await sharp(parts, { join: { animated: true } })
        [format](options as never)
        .toBuffer(),
      "clip",
    );
    const frames = await framesOf(file, { key: [1] });
    assert.is(ids(frames), "clip/0 clip/1 clip/2", format);
    assert.equal(
      frames.map((f) => f.key),
      [false, true, false],
    );
    for (const [i, rgb] of [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ].entries()) {
      const { data, width } = await pixels(frames[i]!);
      assert.is(width, 4);
      for (let c = 0; c < 3; c++)
        assert.ok(Math.abs(data[c]! - rgb[c]!) <= 3, `${format} ${i}: ${data.subarray(0, 3)}`);
    }
    assert.equal(
      (await framesOf(file)).filter((f) => f.key),
      [],
    );
    await refuses(() => framesOf(file, { maxFrames: 2 }), /^image "clip": too many frames \(3\)\. At most 2/);
    await refuses(() => framesOf(file, { key: [3] }), /key is not a list of frames \(\[3\]\)\. Positions from 0 to 2/);
  }
});

test("a frame holds the whole picture, not what changed since the last one", async () => {
  // two frames that differ in one pixel: GIF stores the second as that pixel
  const first = Buffer.alloc(8 * 8 * 3, 255);
  const second = Buffer.from(first);
  second.set([255, 0, 0], 0);
  const raw = { raw: { width: 8, height: 8, channels: 3 as const } };
  const parts = await Promise.all([first, second].map((b) => sharp(b, raw).png().toBuffer()));
  const frames = await framesOf(
    bytesImage(
      await sharp(parts, { join: { animated: true } })
        .gif()
        .toBuffer(),
      "a",
    ),
  );
  const { data } = await pixels(frames[1]!);
  assert.ok(data[0]! > 250 && data[1]! < 8, "the pixel that changed");
  assert.equal([...data.subarray(data.length - 3)], [255, 255, 255]);
});

test("frames are turned as their file says, like pictures", async () => {
  const parts = await Promise.all(
    ["#ff0000", "#0000ff"].map((background) =>
      sharp({ create: { width: 6, height: 4, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const file = await sharp(parts, { join: { animated: true } })
    .withMetadata({ orientation: 6 })
    .tiff({ compression: "lzw" })
    .toBuffer();
  const frames = await framesOf(bytesImage(file, "turned"));
  for (const [i, rgb] of [
    [255, 0, 0],
    [0, 0, 255],
  ].entries()) {
    const { width, height, data } = await pixels(frames[i]!);
    assert.equal([width, height, ...data.subarray(0, 3)], [4, 6, ...rgb]);
  }
});

test("a still gives itself, as it is", async () => {
  const image = bytesImage(await solid("#ff0000"), "still");
  const frames = await framesOf(image);
  assert.is(frames.length, 1);
  assert.is(frames[0], image);
});

test.run();
