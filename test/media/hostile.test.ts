import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MkgError } from "../../lib/core/index.js";
import { imageFile, openImage } from "../../lib/graph/index.js";
import { bytesImage, fileImage, framesOf, pixels } from "../../lib/media/index.js";

const test = suite("hostile pictures");
const refuses = async (run: () => unknown, pattern: RegExp) => {
  const error = await Promise.resolve()
    .then(run)
    .then(
      () => new Error("nothing was thrown"),
      (e: Error) => e,
    );
  assert.match(error.message, pattern);
  assert.instance(error, MkgError);
};
const open = (bytes: Uint8Array | string, id = "x") =>
  pixels(bytesImage(typeof bytes === "string" ? Buffer.from(bytes) : bytes, id));

const still = (background: string, width = 4, height = 4) => ({
  create: { width, height, channels: 3 as const, background },
});
const svg = (inner: string, size = 'width="8" height="8"', before = "") =>
  `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${inner}</svg>`;
const redSquare = '<rect width="8" height="8" fill="red"/>';

const chunk = (type: string, body: Uint8Array) => {
  const named = Buffer.concat([Buffer.from(type), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};
/** A PNG whose header says width × height, with chunks of one's own. */
const pngOf = (width: number, height: number, ...chunks: Buffer[]) => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);
};

test("20,000 × 20,000 is refused by its header without memory, and decoded when maxPixels allows it", async () => {
  // 1.2 GB of pixels that deflate to about 1 MB: eight rows' worth would already show in the resident size
  const big = await sharp({ ...still("#112233", 20_000, 20_000), limitInputPixels: false })
    .png({ compressionLevel: 9 })
    .toBuffer();
  assert.ok(big.length < 2e6, `${big.length} bytes`);
  const before = process.memoryUsage.rss();
  await refuses(
    () => open(big, "giant"),
    /^image "giant": too many pixels \(20000 × 20000\)\. At most 64000000 pixels/,
  );
  assert.ok(process.memoryUsage.rss() - before < 100e6);
  const small = await pixels(bytesImage(big, "giant"), { maxPixels: 4e8, width: 2, height: 2 });
  assert.equal([...small.data.subarray(0, 3)], [0x11, 0x22, 0x33]);
});

test("a header that promises more than the file holds is an error, not a grey area", async () => {
  const data = deflateSync(Buffer.from([0, 1, 2, 3]));
  await refuses(() => open(pngOf(8000, 8000, chunk("IDAT", data)), "liar"), /^image "liar": .*cannot be decoded whole/);
  await refuses(() => open(pngOf(0, 0, chunk("IDAT", data)), "none"), /^image "none": .*cannot be decoded whole/);
});

test("a text chunk that inflates to 300 MB costs no memory", async () => {
  const bomb = Buffer.concat([Buffer.from("a\0\0"), deflateSync(Buffer.alloc(300e6), { level: 9 })]);
  const before = process.memoryUsage.rss();
  await refuses(
    () => open(pngOf(1, 1, chunk("zTXt", bomb), chunk("IDAT", deflateSync(Buffer.from([0, 1, 2, 3])))), "bomb"),
    /^image "bomb": the picture cannot be decoded whole/,
  );
  assert.ok(process.memoryUsage.rss() - before < 100e6);
});

test("every truncation of every format is an error that names the image, never a picture", async () => {
  const noise = Buffer.from(Array.from({ length: 32 * 32 * 3 }, (_, i) => (i * 7919) % 251));
  const raw = { raw: { width: 32, height: 32, channels: 3 as const } };
  const whole = {
    png: await sharp(noise, raw).png().toBuffer(),
    jpeg: await sharp(noise, raw).jpeg().toBuffer(),
    gif: await sharp(noise, raw).gif().toBuffer(),
    webp: await sharp(noise, raw).webp().toBuffer(),
    tiff: await sharp(noise, raw).tiff({ compression: "lzw" }).toBuffer(),
    avif: await sharp(noise, raw).avif({ effort: 0 }).toBuffer(),
  };
  for (const [format, bytes] of Object.entries(whole)) {
    assert.is((await open(bytes)).data.length, 32 * 32 * 3, format);
    for (const share of [0, 0.02, 0.3, 0.6, 0.9, 0.97])
      await refuses(
        () => open(bytes.subarray(0, Math.floor(bytes.length * share)), `cut ${format}`),
        new RegExp(`^image "cut ${format}": (not a picture|the picture cannot be decoded whole)`),
      );
  }
});

test("random bytes, and any change of a valid file, give pixels or a named error", async () => {
  const valid = await Promise.all(
    (["png", "jpeg", "gif", "webp", "tiff"] as const).map((f) =>
      sharp(still("#804020", 16, 16))
        [f]()
        .toBuffer(),
    ),
  );
  const changed = fc
    .tuple(fc.constantFrom(...valid), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }))
    .map(([bytes, edits]) => {
      const copy = Buffer.from(bytes);
      for (const [at, value] of edits) copy[at % copy.length] = value;
      return copy;
    });
  await fc.assert(
    fc.asyncProperty(fc.oneof(changed, fc.uint8Array({ maxLength: 64 }).map(Buffer.from)), async (bytes) => {
      try {
        const p = await pixels(bytesImage(bytes, "fuzz"), { maxPixels: 1e6 });
        assert.is(p.data.length, p.width * p.height * 3);
      } catch (error) {
        assert.instance(error, MkgError);
        assert.match((error as Error).message, /^image "fuzz"/);
      }
    }),
    { seed: 4, numRuns: 300 },
  );
});

test("the bytes decide, not the name: a wrong extension is read, text is refused under its path", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mkglab-hostile-"));
  try {
    writeFileSync(join(dir, "photo.png"), await sharp(still("#ff0000")).webp({ lossless: true }).toBuffer());
    writeFileSync(join(dir, "words.png"), "these are words");
    writeFileSync(join(dir, "empty.png"), "");
    assert.equal([...(await pixels(imageFile(dir, "photo.png"))).data.subarray(0, 3)], [255, 0, 0]);
    await refuses(
      () => pixels(imageFile(dir, "words.png")),
      /^image "[0-9a-f]{16}" \(words.png\): not a picture that can be read \(15 bytes: no known format\)\. PNG, JPEG.*Replace or remove it/,
    );
    await refuses(() => pixels(imageFile(dir, "empty.png")), /\(empty.png\): not a picture .*\(0 bytes/);
    await refuses(() => pixels(fileImage(join(dir, "words.png"), "w")), /^image "w" \(.*words.png\): not a picture/);
  } finally {
    rmSync(dir, { recursive: true });
  }
  const link = openImage("data:image/png;base64,aGVsbG8gd29ybGQ=");
  await refuses(() => pixels(link), /^image "[0-9a-f]{16}" \(data:image\/png;base64…\): not a picture/);
  await refuses(
    () => open(`BM${"\0".repeat(60)}`),
    /^image "x": not a picture that can be read \(62 bytes: BMP\)\..*Convert it/,
  );
  await refuses(() => open(gzipSync(svg(redSquare))), /no known format/);
});

test("an SVG that stands alone is drawn; entities, depth and reuse without end are errors", async () => {
  assert.equal([...(await open(svg(redSquare))).data.subarray(0, 3)], [255, 0, 0]);
  let laughs = '<!ENTITY a0 "lollollol">';
  for (let i = 1; i < 10; i++) laughs += `<!ENTITY a${i} "${`&a${i - 1};`.repeat(10)}">`;
  const broken = /^image "x": the picture cannot be decoded whole/;
  await refuses(() => open(svg("<text>&a9;</text>", undefined, `<!DOCTYPE svg [${laughs}]>`)), broken);
  await refuses(
    () => open(svg("<text>&x;</text>", undefined, '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
    broken,
  );
  await refuses(() => open(svg("<g>".repeat(10_000) + "</g>".repeat(10_000))), broken);
  let uses = `<g id="u0">${redSquare}</g>`;
  for (let i = 1; i < 9; i++) uses += `<g id="u${i}">${`<use xlink:href="#u${i - 1}"/>`.repeat(10)}</g>`;
  await refuses(() => open(svg(`<defs>${uses}</defs><use xlink:href="#u8"/>`)), broken);
});

test("an SVG reads no file, asks no server and runs no script: it is refused, not drawn with holes", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.png`;
  const outside = /^image "x": an SVG that refers to other files or addresses.*Draw it to a PNG/;
  try {
    for (const inner of [
      `<image xlink:href="${address}" width="8" height="8"/>`,
      `<image href='${address}'/>`,
      '<image xlink:href="file:///etc/hostname"/>',
      '<s:image\nwidth="1" href = "../secret.png"/>',
      `<use href="${address}#a"/>`,
      `<style>@import "${address}";</style>`,
      `<rect style="fill:url(${address}#a)"/>`,
    ])
      await refuses(() => open(svg(redSquare + inner)), outside);
    await refuses(() => open(svg(redSquare, undefined, `<?xml-stylesheet href="${address}"?>`)), outside);
    await refuses(() => open(svg(`<script>while(true){}</script>${redSquare}`)), /^image "x": an SVG with a script/);
  } finally {
    server.close();
  }
  assert.is(asked, 0);
  const local =
    '<linearGradient id="a"><stop stop-color="red"/></linearGradient><rect fill="url(#a)" width="8" height="8"/>';
  assert.equal([...(await open(svg(local))).data.subarray(0, 3)], [255, 0, 0], "references inside it are fine");
});

test("an address that hides behind escapes or character references is found, in time that grows with the text alone", async () => {
  const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inner}</svg>`;
  for (const inner of [
    '<rect width="9" height="9" style="fill:u\\72l(http://127.0.0.1/a)"/>',
    '<rect width="9" height="9" style="fill:&#117;rl(http://127.0.0.1/a)"/>',
    "<style>rect{fill:\\75\\72\\6c(http://127.0.0.1/a)}</style>",
    "<style>@\\69mport 'http://127.0.0.1/a.css';</style>",
  ])
    await refuses(() => open(svg(inner)), /refers to other files or addresses/);
  // what is drawn is refused for what it is, not after minutes: the check must not look at the rest again for each beginning
  await refuses(() => open(svg("<use ".repeat(200_000))), /cannot be decoded whole/);
});

test("the size of an SVG, and of the pictures in it, is bounded like any other", async () => {
  await refuses(() => open(svg(redSquare, 'width="20000" height="20000"')), /too many pixels \(20000 × 20000\)/);
  for (const side of ["1000000000", "1e9", "99999px"])
    await refuses(() => open(svg(redSquare, `width="${side}" height="8"`)), /too many pixels \(an SVG whose width is/);
  const embedded = (bytes: Uint8Array) =>
    svg(`<image xlink:href="data:image/png;base64,${Buffer.from(bytes).toString("base64")}" width="8" height="8"/>`);
  const blue = await sharp(still("#0000ff", 8, 8))
    .png()
    .toBuffer();
  assert.equal([...(await open(embedded(blue))).data.subarray(0, 3)], [0, 0, 255]);
  const inner = /^image "x", a picture in the SVG: /;
  await refuses(() => open(embedded(blue.subarray(0, 40))), inner);
  await refuses(
    () => open(embedded(pngOf(16_000, 16_000, chunk("IDAT", Buffer.alloc(8))))),
    /in the SVG: too many pixels/,
  );
});

test("a truncated animation is an error, not a shorter clip", async () => {
  const frames = await Promise.all(
    ["#ff0000", "#00ff00", "#0000ff"].map((c) =>
      sharp(still(c, 24, 24))
        .png()
        .toBuffer(),
    ),
  );
  for (const format of ["gif", "webp"] as const) {
    const whole = await sharp(frames, { join: { animated: true } })
      [format]()
      .toBuffer();
    assert.is((await framesOf(bytesImage(whole, "w"))).length, 3, format);
    for (const share of [0.5, 0.8, 0.95])
      await refuses(
        () => framesOf(bytesImage(whole.subarray(0, Math.floor(whole.length * share)), "half")),
        /^image "half": the picture cannot be decoded whole/,
      );
  }
});

test("frames that are decoded in blocks are those decoded one by one, in any order, over several blocks", async () => {
  // 40 frames of 800 × 600: more pixels than one block holds
  const frames = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      sharp(still(`rgb(${i * 6},0,0)`, 800, 600))
        .composite([{ input: { ...still("#00ff00", 10 + i, 10) }, left: i, top: 2 * i }])
        .png()
        .toBuffer(),
    ),
  );
  const gif = await sharp(frames, { join: { animated: true } })
    .gif({ effort: 1 })
    .toBuffer();
  const list = await framesOf(bytesImage(gif, "g"));
  for (const i of [39, 0, 1, 33, 20, 34]) {
    const { data } = await pixels(list[i] as Parameters<typeof pixels>[0]);
    const alone = await sharp(gif, { page: i }).flatten({ background: "#ffffff" }).removeAlpha().raw().toBuffer();
    assert.ok(alone.equals(data), `frame ${i}`);
  }
  await refuses(() => framesOf(bytesImage(frames[0] as Buffer, "still"), { key: [99] }), /key is not a list of frames/);
});

test("options are checked, misspelt ones named", async () => {
  const image = bytesImage(await sharp(still("#ff0000")).png().toBuffer(), "a");
  await refuses(
    () => pixels(image, { widht: 3 } as never),
    /^image "a": unknown option \("widht"\)\. .*Did you mean "width"/,
  );
  await refuses(() => pixels(image, { maxPixels: 0 }), /maxPixels is not a positive integer/);
  await refuses(() => bytesImage(new Uint8Array(), "a", { keys: true } as never), /unknown option \("keys"\).*"key"/);
  await refuses(() => framesOf(image, { maxFrame: 3 } as never), /unknown option \("maxFrame"\).*"maxFrames"/);
});

test.run();
