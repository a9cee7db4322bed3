import { readFileSync } from "node:fs";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { jitter } from "../../lib/media/augment.js";
import { augmentImage, bytesImage, pixels } from "../../lib/media/index.js";
import { PythonRandom } from "../../lib/media/python-random.js";

const test = suite("augmented pictures");
const golden = JSON.parse(readFileSync(new URL("../golden/augment.json", import.meta.url), "utf8"));

test("random numbers are those of CPython for the same seed, call by call", () => {
  for (const { seed, draws } of golden.draws) {
    const r = new PythonRandom(seed);
    const six = [0, 1, 2, 3, 4, 5];
    const thousand = Array.from({ length: 1000 }, (_, i) => i);
    assert.equal(
      [
        r.random(),
        r.choice(six),
        r.uniform(0.75, 0.95),
        r.randint(85, 95),
        r.randint(0, 0),
        r.choice(thousand),
        r.randint(-5, 2 ** 20),
        r.random(),
      ],
      draws,
    );
  }
});

test("jitter gives Pillow's bytes", () => {
  const [width, height] = [13, 9];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set(
        [(x * 37 + y * 11) % 256, (x * x * 5 + y * 83) % 256, (255 - x * 19 + y * y * 7) % 256],
        (y * width + x) * 3,
      );
  for (const { factors, bytes } of golden.jitter)
    assert.is(
      Buffer.from(jitter({ width, height, data }, factors).data).toString("hex"),
      bytes,
      JSON.stringify(factors),
    );
});

const picture = async (hue: number, width = 60, height = 40) =>
  bytesImage(
    await sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="hsl(${hue},70%,50%)"/><circle cx="20" cy="20" r="9"/></svg>`,
      ),
    )
      .png()
      .toBuffer(),
    `h${hue}`,
  );

test("equal keys give equal bytes, other keys other pictures, and each is a JPEG of another content than the source", async () => {
  const image = await picture(10);
  const of = async (key: string) => Buffer.from(await augmentImage(image, { key }).bytes());
  const seen = new Set<string>();
  for (let qid = 0; qid < 30; qid++) {
    const first = await of(`S4||${qid}`);
    assert.equal(await of(`S4||${qid}`), first);
    assert.equal([...first.subarray(0, 3)], [255, 216, 255]);
    seen.add(first.toString("base64"));
  }
  // draws are continuous: 30 keys give 30 pictures
  assert.is(seen.size, 30);
});

test("the general variant keeps the size, the medical one's crop takes three quarters, and its rotation grows by black corners", async () => {
  const image = await picture(200);
  const sizes = async (variant: "general" | "medical") => {
    const found = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const { width, height } = await pixels(augmentImage(image, { key: `k${i}`, variant }));
      found.add(
        width === 60 && height === 40
          ? "same"
          : width === 45 && height === 30
            ? "cropped"
            : width > 60
              ? "grown"
              : `${width}x${height}`,
      );
    }
    return [...found].sort();
  };
  assert.equal(await sizes("general"), ["same"]);
  const medical = await sizes("medical");
  assert.equal(
    medical.filter((size) => size !== "same" && size !== "cropped" && size !== "grown"),
    [],
  );
  assert.ok(medical.includes("cropped") && medical.includes("grown"));
});

test("swap shows one of the others, and only where there is one", async () => {
  const [image, other] = [await picture(0), await picture(120)];
  let swapped = 0;
  for (let i = 0; i < 60; i++) {
    const alone = await pixels(augmentImage(image, { key: `s${i}` }));
    const shown = await pixels(augmentImage(image, { key: `s${i}`, others: [other] }));
    const green = ({ data }: { data: Uint8Array }) => (data[1] as number) > (data[0] as number) + 60;
    assert.not.ok(green(alone));
    if (green(shown)) swapped++;
  }
  // one of six: within 4 standard errors of 10
  assert.ok(swapped > 0 && swapped < 22, String(swapped));
});

test("wrong options are errors in the house form", async () => {
  const image = await picture(1);
  assert.throws(() => augmentImage(image, { key: "" }), /augmentImage: key is not a non-empty string/);
  assert.throws(() => augmentImage(image, { key: "a", variant: "genral" as never }), /Did you mean "general"\?/);
  assert.throws(() => augmentImage(image, { key: "a", other: [] } as never), /unknown option \("other"\)/);
});

test.run();
