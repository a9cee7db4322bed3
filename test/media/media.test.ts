import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bytesImage, contentHash, fileImage, pixels } from "../../lib/media/index.js";

const test = suite("media");
const refuses = async (run: () => unknown, pattern: RegExp) => {
  let message = "nothing was thrown";
  try {
    await run();
  } catch (error) {
    message = (error as Error).message;
  }
  assert.match(message, pattern);
};
const at = (p: { width: number; data: Uint8Array }, x: number, y: number) => [
  ...p.data.subarray((y * p.width + x) * 3, (y * p.width + x) * 3 + 3),
];
const near = (found: number[], wanted: number[], by: number) =>
  assert.ok(
    found.every((v, i) => Math.abs(v - (wanted[i] as number)) <= by),
    `${found} is not ${wanted} ± ${by}`,
  );

/** 32 × 16, left half red, right half blue. */
const redBlue = Buffer.from(
  Array.from({ length: 32 * 16 }, (_, i) => (i % 32 < 16 ? [255, 0, 0] : [0, 0, 255])).flat(),
);
const raw = { raw: { width: 32, height: 16, channels: 3 as const } };
const red = { create: { width: 4, height: 4, channels: 3 as const, background: "#ff0000" } };

test("EXIF orientation 6 turns the picture: left becomes top", async () => {
  // a quarter turn clockwise of 32 × 16 is 16 × 32, and the left (red) side is on top
  const turned = await sharp(redBlue, raw)
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
    .toBuffer();
  const p = await pixels(bytesImage(turned, "a"));
  assert.equal([p.width, p.height, p.data.length], [16, 32, 16 * 32 * 3]);
  near(at(p, 8, 4), [255, 0, 0], 3);
  near(at(p, 8, 28), [0, 0, 255], 3);
});

const data = process.env.MKGLAB_DATA;
const caseLaw = "the phone photo of case ME-01 is upright";
if (!data) {
  console.log(`SKIP ${caseLaw}: MKGLAB_DATA is not set`);
  test.skip(caseLaw, () => {});
} else
  test(caseLaw, async () => {
    // expected values: data/bugs/cases.json, ME-01
    const p = await pixels(fileImage(join(data, "bugs/fixtures/exif6.jpg"), "me01"));
    assert.equal([p.width, p.height], [16, 32]);
    near(at(p, 8, 4), [255, 0, 0], 3);
    near(at(p, 8, 28), [0, 0, 255], 3);
  });

test("transparency lies on white", async () => {
  const clear = await sharp({
    create: { width: 2, height: 2, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
    .png()
    .toBuffer();
  assert.equal([...(await pixels(bytesImage(clear, "a"))).data], Array(12).fill(255));
  const half = await sharp({
    create: { width: 1, height: 1, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
  })
    .png()
    .toBuffer();
  // half red over white: 255, 255 / 2, 255 / 2
  near([...(await pixels(bytesImage(half, "a"))).data], [255, 127.5, 127.5], 1.5);
});

test("all eight EXIF orientations give the same upright picture", async () => {
  // upright: red left, blue right, and a green top row across both, so that no turn or mirror leaves it as it is
  const upright = Buffer.from(redBlue);
  for (let x = 0; x < 32; x++) for (let y = 0; y < 4; y++) upright.set([0, 255, 0], (y * 32 + x) * 3);
  const base = sharp(upright, raw);
  // what a camera stores for each orientation (EXIF 2.32, tag 0x0112): the inverse of the turn that a viewer applies
  const stored = {
    1: base.clone(),
    2: base.clone().flop(),
    3: base.clone().rotate(180),
    4: base.clone().flip(),
    5: sharp(await base.clone().rotate(90).raw().toBuffer(), { raw: { width: 16, height: 32, channels: 3 } }).flop(),
    6: base.clone().rotate(270),
    7: sharp(await base.clone().rotate(270).raw().toBuffer(), { raw: { width: 16, height: 32, channels: 3 } }).flop(),
    8: base.clone().rotate(90),
  };
  for (const [orientation, picture] of Object.entries(stored)) {
    const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
    const bytes = await sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } })
      .withMetadata({ orientation: Number(orientation) })
      .jpeg({ quality: 100, chromaSubsampling: "4:4:4" })
      .toBuffer();
    const p = await pixels(bytesImage(bytes, "a"));
    assert.equal([p.width, p.height], [32, 16], orientation);
    near(at(p, 8, 10), [255, 0, 0], 6);
    near(at(p, 24, 10), [0, 0, 255], 6);
    near(at(p, 16, 1), [0, 255, 0], 12);
  }
});

test("palette, one pixel, transparent grey and 16-bit TIFF come out right", async () => {
  const palette = await sharp(redBlue, raw).png({ palette: true, colours: 2 }).toBuffer();
  assert.equal(at(await pixels(bytesImage(palette, "a")), 31, 0), [0, 0, 255]);
  const dot = await sharp({ create: { ...red.create, width: 1, height: 1 } })
    .webp({ lossless: true })
    .toBuffer();
  assert.equal(await pixels(bytesImage(dot, "a")), { width: 1, height: 1, data: new Uint8Array([255, 0, 0]) });
  assert.is((await pixels(bytesImage(dot, "a"), { width: 3, height: 2 })).data.length, 18);
  const clear = { create: { width: 2, height: 1, channels: 4 as const, background: { r: 9, g: 9, b: 9, alpha: 0 } } };
  for (const bytes of [
    await sharp(clear).toColourspace("b-w").png().toBuffer(),
    await sharp(clear).tiff({ compression: "lzw" }).toBuffer(),
    await sharp(clear).toColourspace("rgb16").png().toBuffer(),
  ])
    assert.equal([...(await pixels(bytesImage(bytes, "a"))).data], Array(6).fill(255));
  // 32768 of 65535 is 127.5 of 255
  const half = await sharp(new Uint16Array(4).fill(32768), { raw: { width: 2, height: 2, channels: 1 } })
    .toColourspace("grey16")
    .tiff({ compression: "none" })
    .toBuffer();
  near([...(await pixels(bytesImage(half, "a"))).data], Array(12).fill(128), 1);
});

test("grey, 16-bit and CMYK pictures come as three channels of 8 bits", async () => {
  const grey = await sharp(Buffer.from([100, 100, 100, 100]), { raw: { width: 2, height: 2, channels: 1 } })
    .toColourspace("b-w")
    .png()
    .toBuffer();
  assert.equal([...(await pixels(bytesImage(grey, "a"))).data], Array(12).fill(100));
  const deep = await sharp(red).toColourspace("rgb16").png().toBuffer();
  assert.equal(at(await pixels(bytesImage(deep, "a")), 1, 1), [255, 0, 0]);
  const print = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#ffffff" } })
    .toColourspace("cmyk")
    .jpeg()
    .toBuffer();
  const p = await pixels(bytesImage(print, "a"));
  assert.is(p.data.length, 8 * 8 * 3);
  near(at(p, 4, 4), [255, 255, 255], 4);
});

test("an animated file gives its first frame", async () => {
  const frames = await Promise.all(
    ["#ff0000", "#0000ff"].map((background) =>
      sharp({ create: { ...red.create, background } })
        .png()
        .toBuffer(),
    ),
  );
  const gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer();
  const p = await pixels(bytesImage(gif, "a"));
  assert.equal([p.width, p.height], [4, 4]);
  near(at(p, 2, 2), [255, 0, 0], 3);
});

test("one side keeps the proportions, two sides stretch", async () => {
  const image = bytesImage(await sharp(redBlue, raw).png().toBuffer(), "a");
  const narrow = await pixels(image, { width: 8 });
  assert.equal([narrow.width, narrow.height], [8, 4]);
  const square = await pixels(image, { width: 8, height: 8 });
  assert.equal([square.width, square.height], [8, 8]);
  assert.equal(at(square, 0, 4), [255, 0, 0]);
  assert.equal(at(square, 7, 4), [0, 0, 255]);
});

test("a truncated picture is an error that names it, not a grey area", async () => {
  const noise = Buffer.from(Array.from({ length: 64 * 64 * 3 }, (_, i) => (i * 7919) % 251));
  for (const format of ["jpeg", "png"] as const) {
    const whole = await sharp(noise, { raw: { width: 64, height: 64, channels: 3 } })
      [format]()
      .toBuffer();
    await refuses(
      () => pixels(bytesImage(whole.subarray(0, whole.length >> 1), "broken7")),
      /^image "broken7": the picture cannot be decoded whole .*truncated/,
    );
  }
});

test("what is no picture is an error that names it", async () => {
  await refuses(
    () => pixels(bytesImage(new TextEncoder().encode("hello"), "text3")),
    /^image "text3": not a picture that can be read \(5 bytes/,
  );
  await refuses(() => pixels(bytesImage(new Uint8Array(0), "empty")), /^image "empty": not a picture/);
});

test("20,000 × 20,000 is refused by its header, before decoding", async () => {
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(body.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const header = Buffer.from([0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20, 8, 2, 0, 0, 0]);
  const bomb = Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", Buffer.alloc(8)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  await refuses(
    () => pixels(bytesImage(bomb, "bomb")),
    /^image "bomb": too many pixels \(20000 × 20000\)\. At most 64000000 pixels\./,
  );
  const small = bytesImage(await sharp(red).png().toBuffer(), "small");
  await refuses(() => pixels(small, { maxPixels: 15 }), /too many pixels \(4 × 4\)/);
  assert.is((await pixels(small, { maxPixels: 16 })).data.length, 48);
});

test("a size that is no positive integer is refused", async () => {
  const image = bytesImage(await sharp(red).png().toBuffer(), "a");
  for (const width of [0, -3, 1.5, Number.NaN])
    await refuses(() => pixels(image, { width }), /width is not a positive integer/);
});

test("the content hash is the SHA-256 of the encoded bytes", async () => {
  // printf abc | sha256sum
  assert.is(
    await contentHash(bytesImage(new TextEncoder().encode("abc"), "a")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test("nobody can change an image through the bytes it was made of or gave out", async () => {
  const mine = new Uint8Array([1, 2, 3]);
  const image = bytesImage(mine, "a");
  mine[0] = 9;
  (await image.bytes())[1] = 9;
  assert.equal([...(await image.bytes())], [1, 2, 3]);
  assert.ok(Object.isFrozen(image));
});

test("a file's image holds the file's bytes; a missing file is named when it is read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mkglab-media-"));
  const path = join(folder, "x.png");
  writeFileSync(path, await sharp(red).png().toBuffer());
  const image = fileImage(path, "i1", { key: false });
  assert.equal([image.id, image.key], ["i1", false]);
  assert.is(await contentHash(image), createHash("sha256").update(readFileSync(path)).digest("hex"));
  rmSync(folder, { recursive: true });
  await refuses(() => image.bytes(), /^image: cannot read the picture \(.*x\.png\)\. There is no such file/);
  await refuses(() => fileImage(tmpdir(), "i2").bytes(), /not a file/);
  await refuses(() => fileImage("x", ""), /id is not a non-empty string/);
});

test.run();
