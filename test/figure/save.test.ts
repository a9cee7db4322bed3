import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sha256, stableHash } from "../../lib/core/index.js";
import { missingGlyphs, textWidth, type Weight, weightOf, wrap } from "../../lib/figure/font.js";
import { chart, saveFigure, venues } from "../../lib/figure/index.js";
import { renderSvg } from "../../lib/figure/render.js";
import * as examples from "./examples.js";

const test = suite("figure: font, formats, files");
const goldens = new URL("../golden/figures/text-widths.json", import.meta.url);

const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "mkglab-figure-"));
  folders.push(made);
  return made;
};
test.after(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});
const rejection = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("no error was thrown");
};

test("text is as wide as HarfBuzz says, kerning and ligatures included", () => {
  // test/golden/figures/text-widths.py, uharfbuzz 0.57.0, 1000 units an em
  const golden = JSON.parse(readFileSync(goldens, "utf8")) as { weight: Weight; text: string; width: number }[];
  assert.ok(golden.length >= 14);
  for (const { weight, text, width } of golden)
    assert.ok(Math.abs(textWidth(text, 1000, weight) - width) < 0.5, `${weight} ${text}`);
});

test("text width is in proportion to its size; nothing is 0 wide", () => {
  assert.is(textWidth("", 10), 0);
  assert.is(textWidth("a", 0), 0);
  assert.ok(Math.abs(textWidth("nDCG@10", 20) - 2 * textWidth("nDCG@10", 10)) < 1e-9);
});

test("wrapped lines are no wider than asked, lose no character, and break at spaces where they can", () => {
  const text = "a sentence that wraps and anexceedinglylongwordwithoutanyspacesinit at the end";
  const lines = wrap(text, 70, 10);
  for (const line of lines) assert.ok(textWidth(line, 10) <= 70, line);
  assert.is(lines.join("").replace(/ /g, ""), text.replace(/ /g, ""));
  assert.is(lines[0], "a sentence that");
});

test("glyphs that the font lacks are known", () => {
  assert.equal(missingGlyphs("a中α→−中"), ["中"]);
});

test("CSS weights from 600 up are drawn and measured in semibold, all others in regular", () => {
  assert.equal([600, "600", 700, "bold", "bolder"].map(weightOf), Array(5).fill("semibold"));
  assert.equal([400, "normal", undefined, 500].map(weightOf), Array(4).fill("regular"));
  assert.ok(textWidth("nDCG@10", 10, "semibold") > textWidth("nDCG@10", 10));
});

const clipped = {
  data: { values: [{ a: 1, b: 2 }] },
  mark: { type: "point", clip: true },
  encoding: { x: { field: "a", type: "quantitative" }, y: { field: "b", type: "quantitative" } },
};

test("ids inside an SVG do not count on from the picture before", async () => {
  const first = await renderSvg(clipped, 200);
  assert.match(first, /id="clip\d+"/);
  assert.is(await renderSvg(clipped, 200), first);
});

test("what Vega only warns about is an error: the picture would not be the one that was asked for", async () => {
  const wrong = { ...clipped, mark: "bar", encoding: { ...clipped.encoding, shape: { field: "a" } } };
  assert.match(await rejection(renderSvg(wrong, 200)), /chart: Vega cannot draw this as specified \(.*shape/);
});

test("PNG: text is drawn, in the packaged font and without any of the machine's", async () => {
  const png = async (title: string) => sha256(await chart("dots", [{ level: "a", mean: 0.5 }], { title }).png());
  assert.is.not(await png("iiii"), await png("MMMM"));
});

test("PDF: the same bytes twice, fixed dates, embedded font subsets with a Unicode map, no other font", async () => {
  const c = examples.linePathCount();
  const [first, second] = [await c.pdf(), await c.pdf()];
  assert.is(sha256(first), sha256(second));
  const text = Buffer.from(first).toString("latin1");
  const fonts = [...text.matchAll(/\/BaseFont \/(\S+)/g)].map((m) => m[1] as string);
  assert.ok(fonts.length > 0);
  for (const font of fonts) assert.match(font, /^[A-Z]{6}\+SourceSans3-(Regular|SemiBold)$/);
  assert.is(text.match(/\/FontFile2 /g)?.length, 2);
  assert.is(text.match(/\/ToUnicode /g)?.length, 2);
  assert.is(text.match(/\(D:\d{14}/g)?.length, 2);
  assert.is(text.match(/\(D:19700101000000Z\)/g)?.length, 2);
  assert.match(text, /\/CreationDate /);
  // 3.3 in × 72 pt wide
  assert.match(text, /\/MediaBox \[0 0 237\.6 /);
});

test("PDF: a subset holds the glyphs that are used, not the whole face", async () => {
  const bytes = await chart("dots", [{ level: "a", mean: 0.5 }]).pdf();
  assert.ok(bytes.length < 40_000, `${bytes.length} bytes; the face has 381020`);
});

test("PNG: width is exactly the width in inches × 96 × scale, the ground is white", async () => {
  const c = examples.dotsKeyFrames();
  for (const scale of [1, 2, 300 / 96]) {
    const png = Buffer.from(await c.png(scale));
    assert.is(png.readUInt32BE(16), Math.round(3.3 * 96 * scale));
  }
  // first pixel of the first row: filter byte 0..4, then RGBA; no filter changes the first pixel of the first row
  const png = Buffer.from(await c.png(1));
  let at = 8;
  const parts: Buffer[] = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  assert.equal([...inflateSync(Buffer.concat(parts)).subarray(1, 5)], [255, 255, 255, 255]);
  assert.match(await rejection(c.png(0)), /chart.png: scale is not usable \(0\)/);
});

test("saveFigure writes six files that belong together, at the venue's width, the same twice", async () => {
  const [one, two] = [join(folder(), "deep", "alpha"), join(folder(), "alpha")];
  const c = examples.linePathCount();
  const options = { venue: "acl", column: "single", provenance: { config: "abc", run: 1 } } as const;
  const paths = await saveFigure(c, one, options);
  const again = await saveFigure(c, two, options);
  assert.equal(paths, {
    svg: `${one}.svg`,
    pdf: `${one}.pdf`,
    png: `${one}.png`,
    spec: `${one}.spec.json`,
    data: `${one}.data.json`,
    provenance: `${one}.provenance.json`,
  });
  for (const kind of Object.keys(paths) as (keyof typeof paths)[])
    assert.is(sha256(readFileSync(paths[kind])), sha256(readFileSync(again[kind])), kind);
  assert.equal(readdirSync(join(one, "..")).length, 6);

  const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
  const provenance = read(paths.provenance);
  // ACL column: 7.7 cm
  assert.ok(Math.abs(provenance.widthInches - 7.7 / 2.54) < 1e-4);
  assert.match(readFileSync(paths.svg, "utf8"), 'width="291.024"');
  assert.is(readFileSync(paths.png).readUInt32BE(16), Math.round((7.7 / 2.54) * 300));
  assert.is(provenance.dataHash, stableHash(read(paths.data)));
  assert.is(provenance.specHash, stableHash(read(paths.spec)));
  assert.is(provenance.sha256.svg, sha256(readFileSync(paths.svg)));
  assert.is(provenance.mark, "generated data (bestiary)");
  assert.is(provenance.config, "abc");
  assert.match(provenance.versions.vega, /^6\./);
  assert.match(provenance.versions.vegaLite, /^6\./);
  assert.is(
    provenance.versions.mkglab,
    JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version,
  );
  assert.equal(read(paths.data), c.data);
});

test("saveFigure refuses bad names and fields, and then writes nothing", async () => {
  const c = examples.dotsKeyFrames();
  const at = folder();
  const path = join(at, "f");
  assert.match(
    await rejection(saveFigure(c, path, { venue: "alc" as never })),
    /option venue has a wrong value \("alc"\)/,
  );
  assert.match(
    await rejection(saveFigure(c, path, { colunm: "single" } as never)),
    /unknown option \("colunm"\).*Did you mean "column"\?/,
  );
  assert.match(await rejection(saveFigure(c, `${path}.svg`)), /the path has an extension/);
  assert.match(
    await rejection(saveFigure(c, path, { provenance: { mark: "real" } })),
    /a provenance field that is written already \(mark\)/,
  );
  assert.match(await rejection(saveFigure(c, path, { provenance: { value: Number.NaN } })), /NaN/);
  assert.equal(readdirSync(at), []);
});

test("every venue has a single width no greater than its double, between 3 and 8 inches", () => {
  for (const [name, { single, double }] of Object.entries(venues))
    assert.ok(3 <= single && single <= double && double <= 8, name);
});

test.run();
