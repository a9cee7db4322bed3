import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { table } from "arquero";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { makeRun } from "../../lib/evaluate/index.js";
import { chart } from "../../lib/figure/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { type MimeBundle, mimeBundle, runNotebook, show } from "../../lib/notebook/index.js";
import { compare } from "../../lib/stats/index.js";

const showing = suite("show");
const root = fileURLToPath(new URL("../..", import.meta.url));
const attack = '<img src=x onerror="alert(1)">&\'`';
const escaped = "&#60;img src=x onerror=&#34;alert(1)&#34;&#62;&#38;&#39;&#96;";

const png = async (width: number, height: number, colour: string): Promise<Uint8Array> =>
  sharp({ create: { width, height, channels: 3, background: colour } })
    .png()
    .toBuffer();
const image = (id: string, bytes: Uint8Array, key = true): Image => ({ id, key, bytes: async () => bytes });
const html = (bundle: MimeBundle): string => bundle["text/html"] as string;

/** The pictures inside an HTML output, decoded. */
const pictures = (text: string) =>
  Promise.all(
    [...text.matchAll(/src="data:image\/png;base64,([^"]+)"/g)].map(async (match) => {
      const { width, height, format } = await sharp(Buffer.from(match[1] as string, "base64")).metadata();
      return { width, height, format };
    }),
  );

showing("text of a table is data: escaped in names and cells, kept as it is in the text form", async () => {
  const bundle = await mimeBundle(table({ [attack]: [attack] }));
  assert.not.match(html(bundle), "<img");
  assert.is(html(bundle).split(escaped).length - 1, 2);
  assert.match(bundle["text/plain"], '<img src=x onerror="alert(1)">');
});

showing("a table is cut at maxRows and maxColumns, and what is left out is counted", async () => {
  const columns = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`c${i}`, Array.from({ length: 253 }, (_, r) => r)]),
  );
  const bundle = await mimeBundle(table(columns));
  for (const text of [html(bundle), bundle["text/plain"]]) {
    assert.match(text, "… 228 more rows");
    assert.match(text, "… 10 more columns");
  }
  assert.is(html(bundle).split("<tr>").length - 1, 26);
  assert.is(html(bundle).split("<td").length - 1, 25 * 20);
  const all = await mimeBundle(table({ a: [1, 2] }), { maxRows: 2 });
  assert.not.match(html(all), "more");
});

showing(
  "cells print values as they are: 4 digits, whole parts in full, a dash for nothing, no bare undefined, no NaN, long text cut",
  async () => {
    const values = [
      1 / 3,
      -0.000123456,
      12345.678,
      12345678,
      null,
      undefined,
      Number.NaN,
      "é".repeat(300),
      ["a", "b"],
      { k: 1n },
    ];
    const bundle = await mimeBundle(values.map((value) => ({ value })));
    const cells = [...html(bundle).matchAll(/<td[^>]*>([^<]*)<\/td>/g)].map((match) => match[1]);
    const shown = [
      "0.3333",
      "-0.0001235",
      "12346",
      "12345678",
      "–",
      "–",
      "not a number",
      `${"é".repeat(199)}…`,
      "a, b",
    ];
    assert.equal(cells, [...shown, "{&#34;k&#34;:&#34;1&#34;}"]);
  },
);

showing("the text form of a table lines its columns up", async () => {
  const { "text/plain": text } = await mimeBundle([
    { run: "bm25", value: 0.62 },
    { run: "walk", value: 1 },
  ]);
  assert.is(text, "run   value\nbm25  0.62\nwalk  1");
});

showing(
  "a comparison shows who, what and how sure, in that order; other columns are named, warnings stand below",
  async () => {
    const rows = ["q1", "q2"].flatMap((question, i) => [
      { run: "a", question, cluster: question, measure: "m", value: 0 },
      { run: attack, question, cluster: question, measure: "m", value: 1 / (3 + i) },
    ]);
    const bundle = await mimeBundle(compare(rows, { baseline: "a" }));
    const lines = bundle["text/plain"].split("\n");
    assert.match(lines[0] as string, /^b +a +measure +difference +low +high +pAdjusted +n +nMissing +clusters$/);
    assert.match(lines[1] as string, / a +m +0\.2917 /); // (1/3 + 1/4) / 2
    assert.match(bundle["text/plain"], /\n1 of 1 rows: .*cluster/);
    assert.match(bundle["text/plain"], /\nnot shown: p, effect, mde, test/);
    assert.match(html(bundle), escaped);
    assert.not.match(html(bundle), "<img");
  },
);

showing("tables of words are laid out by their words: none is broken to make columns equal", async () => {
  const text = html(await mimeBundle([{ pAdjusted: 1 }]));
  assert.match(text, '<table style="table-layout:auto">');
  assert.match(text, /<th style="[^"]*word-break:normal;overflow-wrap:normal/);
});

showing("a chart goes out as Vega-Lite 5 for JupyterLab, as a PNG and as words", async () => {
  const c = chart("dots", [{ level: "first", mean: 0.41, low: 0.35, high: 0.47, n: 238 }], {
    xTitle: "key frames",
    yTitle: "exact match",
  });
  const bundle = await mimeBundle(c);
  const spec = bundle["application/vnd.vegalite.v5+json"] as Record<string, unknown>;
  assert.is(spec.$schema, "https://vega.github.io/schema/vega-lite/v5.json");
  assert.equal(spec.data, c.spec.data);
  const { format, width } = await sharp(Buffer.from(bundle["image/png"] as string, "base64")).metadata();
  assert.equal([format, width], ["png", Math.round(c.widthInches * 96 * 2)]);
  assert.match(bundle["text/plain"], "n = 238");
});

showing(
  "one picture is a PNG of at most 800 pixels; a list is a grid with escaped captions and a count of the rest",
  async () => {
    const one = await mimeBundle(bytesImage(await png(1000, 500, "red"), "frame"));
    const { width, height } = await sharp(Buffer.from(one["image/png"] as string, "base64")).metadata();
    assert.equal([width, height], [800, 400]);
    const small = await png(20, 10, "blue");
    const images = Array.from({ length: 5 }, (_, i) => image(i === 0 ? attack : `i${i}`, small, i === 1));
    const grid = html(await mimeBundle(images, { maxImages: 3 }));
    assert.equal(
      await pictures(grid),
      Array.from({ length: 3 }, () => ({ width: 20, height: 10, format: "png" })),
    );
    assert.not.match(grid, "<img src=x");
    assert.match(grid, `<figcaption>${escaped}</figcaption>`);
    assert.match(grid, "<figcaption>i1 (key)</figcaption>");
    assert.match(grid, "… 2 more images");
  },
);

showing("a picture that cannot be read is named in its place, and the others are shown", async () => {
  const images = [image("bad<", Uint8Array.of(1, 2, 3)), image("good", await png(4, 4, "green"))];
  const text = html(await mimeBundle(images));
  assert.match(text, "bad&#60; cannot be shown: Input buffer contains unsupported image format");
  assert.is((await pictures(text)).length, 1);
});

const graph = graphFrom({
  entities: [
    { id: "v", label: "Vulmar", kind: attack },
    { id: "e", label: attack },
  ],
  triples: [{ head: "v", relation: "uses", tail: "e" }],
});

showing("a graph shows its own summary, escaped", async () => {
  const bundle = await mimeBundle(graph);
  assert.is(bundle["text/plain"], String(graph.describe()));
  assert.match(bundle["text/plain"], attack);
  assert.match(html(bundle), escaped);
  assert.not.match(html(bundle), "<img");
});

const query = (id: string, images: Image[] = []) => ({ id, text: `What does ${attack} use?`, images, meta: {} });

async function run() {
  const frame = image("frame", await png(300, 300, "red"));
  const hit = { score: 0.5, triple: "0", images: [frame] };
  const dataset = { name: "tiny", split: "test", graph, card: { origin: "generated" } } as never;
  const items = ["q1", "q2", "q3", "q4", "q5"].map((id, i) => ({
    id,
    question: id,
    query: query(id, i === 0 ? [frame] : []),
    evidence:
      i === 1
        ? null
        : { hits: [hit, { score: 0.25, path: ["v"] }], trace: [{ step: attack, n: 2 }], spend: { calls: 3 } },
    answer: i === 0 ? { text: "fire", status: "ok" as const, citedRanks: [1], tokens: 0, costUsd: 0, stop: "" } : null,
    ...(i === 1 ? { error: "it broke" } : {}),
  }));
  return makeRun({
    label: "walk",
    dataset,
    setting: { name: "all", questions: [], candidates: [] },
    k: 5,
    seed: 1,
    config: {},
    items,
  });
}

showing(
  "a run shows its first rankings in words, its failures, answers, pictures and work, and counts the rest",
  async () => {
    const bundle = await mimeBundle(await run());
    const text = bundle["text/plain"];
    assert.match(text, "run walk on tiny (generated data), split test: 5 questions, k = 5, seed 1, 1 failed");
    assert.match(text, /1 \(cited\) +0\.5 +Vulmar uses <img/);
    assert.match(text, "failed: it broke");
    assert.match(text, "answer: fire");
    assert.match(text, "spent: calls 3");
    assert.match(text, "… 2 more questions");
    assert.not.match(html(bundle), "<img src=x");
    // question picture at 160, and evidence pictures at 80 for the two shown questions with evidence
    assert.equal(
      (await pictures(html(bundle))).map((picture) => picture.width),
      [160, 80, 80],
    );
  },
);

showing("evidence alone, and one item of a run, are readable", async () => {
  const { items } = await run();
  const item = await mimeBundle(items[0]);
  assert.match(item["text/plain"], "q1: What does");
  const evidence = await mimeBundle(items[0]?.evidence);
  assert.match(evidence["text/plain"], /rank +score +evidence +images\n1 +0\.5 +0 +1\n2 +0\.25 +v +0/);
  assert.match(evidence["text/plain"], `1. step ${attack}, n 2`);
  assert.match(html(evidence), `1. step ${escaped}, n 2`);
  assert.is((await mimeBundle({ hits: [] }))["text/plain"], "no hit");
});

showing("anything else is shown as text; a promise and an unknown option are errors that say what to do", async () => {
  assert.is((await mimeBundle(41))["text/plain"], "41");
  assert.is((await mimeBundle([]))["text/plain"], "[]");
  const said = async (make: Promise<unknown>) =>
    make.then(
      () => "",
      (error: Error) => error.message,
    );
  assert.match(await said(mimeBundle(Promise.resolve(1))), "Write `await`");
  assert.match(await said(mimeBundle(1, { maxRow: 3 } as never)), 'Did you mean "maxRows"?');
});

showing("outside a kernel it gives the bundle; a display object gets the richest form", async () => {
  assert.equal(await show([{ a: 1 }]), await mimeBundle([{ a: 1 }]));
  const sent: [string, unknown][] = [];
  const display = { raw: (type: string, data: unknown) => sent.push([type, data]) };
  assert.is(await show([{ a: 1 }], display), undefined);
  await show("plain words", display);
  assert.equal(
    sent.map(([type]) => type),
    ["text/html", "text/plain"],
  );
  assert.is(sent[1]?.[1], "plain words");
});

showing(
  "in the kernel a table, a chart and a picture are one display each, all forms together, and nothing else is printed",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "mkglab-show-"));
    try {
      const dist = JSON.stringify(join(root, "dist", "notebook", "index.js"));
      const figure = JSON.stringify(join(root, "dist", "figure", "index.js"));
      const media = JSON.stringify(join(root, "dist", "media", "index.js"));
      const cells = [
        `import { show } from ${dist};\nimport { chart } from ${figure};\nimport { bytesImage } from ${media};\nimport { newDisplay } from "tslab";`,
        "await show([{ a: 1 }])",
        'await show(chart("dots", [{ level: "x", mean: 0.4, low: 0.3, high: 0.5, n: 9 }], {}))',
        `await show(bytesImage(Buffer.from(${JSON.stringify(Buffer.from(await png(2, 2, "red")).toString("base64"))}, "base64"), "p"))`,
        'const d = newDisplay();\nawait show("one", d);\nawait show("two", d)',
      ];
      const path = join(folder, "show.ipynb");
      const code = cells.map((source) => ({ cell_type: "code", metadata: {}, outputs: [], source }));
      writeFileSync(path, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: code }));
      await runNotebook(path, { out: path });
      const outputs = JSON.parse(readFileSync(path, "utf8")).cells.map((cell: { outputs: unknown[] }) => cell.outputs);
      assert.equal(
        outputs.map((list: { output_type: string; data: object }[]) =>
          list.map((o) => [o.output_type, ...Object.keys(o.data)]),
        ),
        [
          [],
          [["display_data", "text/html", "text/plain"]],
          [["display_data", "application/vnd.vegalite.v5+json", "image/png", "text/plain"]],
          [["display_data", "image/png", "text/plain"]],
          [["display_data", "text/plain"]],
        ],
      );
      assert.equal(outputs[4][0].data, { "text/plain": ["two"] });
      assert.is(typeof outputs[2][0].data["application/vnd.vegalite.v5+json"], "object");
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

showing.run();
