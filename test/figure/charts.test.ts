import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { table } from "arquero";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fontFiles } from "../../lib/figure/font.js";
import { type Chart, chart, charts } from "../../lib/figure/index.js";
import * as examples from "./examples.js";

const test = suite("figure: charts");
const goldens = fileURLToPath(new URL("../golden/figures/", import.meta.url));

/** Drawn data marks of an SVG: circles, squares … of the plot, not of the legend. */
const marks = (svg: string) => svg.match(/aria-roledescription="point"/g)?.length ?? 0;
const drawn = (c: Chart) =>
  c.data.length - (c.spec.usermeta as { mkglab: { notComputed: string[] } }).mkglab.notComputed.length;
/** The text that a reader of the picture sees, entities resolved. */
const seen = (svg: string) =>
  [...svg.matchAll(/<t(?:ext|span)[^>]*>([^<]*)(?=<)/g)]
    .map((m) =>
      (m[1] as string)
        .replace(/&lt;/g, "<")
        .replace(/&gt;/g, ">")
        .replace(/&quot;/g, '"')
        .replace(/&amp;/g, "&"),
    )
    .join("\n");
const message = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("no error was thrown");
};

for (const [name, make] of Object.entries(examples)) {
  test(`the specification of ${name} equals its golden file`, () => {
    const file = join(goldens, `${name}.spec.json`);
    const text = `${JSON.stringify(make().spec, null, 2)}\n`;
    if (process.env.UPDATE_GOLDENS) writeFileSync(file, text);
    assert.ok(existsSync(file), `${file} is missing: run once with UPDATE_GOLDENS=1 and look at the picture`);
    assert.is(text, readFileSync(file, "utf8"));
  });

  test(`${name} draws one mark for each row that has a value, and no more`, async () => {
    const c = make();
    assert.is(marks(await c.svg()), drawn(c));
  });

  test(`${name}: nothing leaves the picture at a column's, a page's and a narrow width`, async () => {
    for (const inches of [2.5, 3.03, 5.5]) {
      const svg = await make().resize(inches).svg();
      const [, width, height] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg) as unknown as [string, string, string];
      assert.is(Number(width), Number((inches * 96).toFixed(3)));
      // the ground fills the picture; what is left is measured by resvg, which knows nothing of our text metrics
      const bare = svg.replace(/<rect [^>]*fill="white"\/>/, "");
      const box = new Resvg(bare, { font: { loadSystemFonts: false, fontFiles: Object.values(fontFiles) } }).getBBox();
      assert.ok(box, "nothing drawn");
      assert.ok(box.x >= 0 && box.y >= 0, `${inches} in: starts at ${box.x}, ${box.y}`);
      assert.ok(box.x + box.width <= Number(width) + 0.5, `${inches} in: ends at ${box.x + box.width} of ${width}`);
      assert.ok(box.y + box.height <= Number(height) + 0.5, `${inches} in: ends at ${box.y + box.height} of ${height}`);
    }
  });
}

test("every chart of the table has an example here", () => {
  const shown = new Set(Object.values(examples).map((make) => make().name));
  assert.equal(
    Object.keys(charts).filter((name) => !shown.has(name)),
    [],
  );
});

test("no type is smaller than 6 pt (8 px)", async () => {
  for (const make of Object.values(examples))
    for (const [, size] of (await make().svg()).matchAll(/font-size="([\d.]+)px"/g))
      assert.ok(Number(size) >= 8, `${size} px`);
});

test("the same chart gives the same SVG bytes twice, alone and among others", async () => {
  const alone = await examples.linePathCount().svg();
  const [first, , second] = await Promise.all([
    examples.linePathCount().svg(),
    examples.dotsKeyFrames().svg(),
    examples.linePathCount().svg(),
  ]);
  assert.is(first, alone);
  assert.is(second, alone);
});

test("SVG, PDF and PNG bytes do not depend on time zone, language or day", () => {
  const script = fileURLToPath(new URL("./print-hashes.ts", import.meta.url));
  const run = (env: Record<string, string>) =>
    execFileSync(process.execPath, ["--import", "tsx", script], {
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", ...env },
    });
  const utc = run({ TZ: "UTC", LANG: "C" });
  assert.match(utc, /^([0-9a-f]{64}\n){3}$/);
  assert.is(run({ TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" }), utc);
});

test("FI-01: columns with dots, brackets, quotes and backslashes are drawn, and stand on the axis as written", async () => {
  // names and expectation of data/bugs/cases.json, case FI-01; the last three are ours
  for (const name of [
    "model.name",
    "nDCG[10]",
    "recall@10",
    "it's",
    "F1 (macro)",
    "a\\b",
    '"',
    "a\\.b",
    "__proto__ x",
  ]) {
    const svg = await chart(
      "line",
      [
        { [name]: 1, y: 2 },
        { [name]: 3, y: 5 },
      ],
      { x: name, y: "y", percent: false },
    ).svg();
    assert.is(marks(svg), 2, name);
    assert.ok(seen(svg).split("\n").includes(name), name);
    assert.not.match(svg, /NaN/);
    const flat = await chart(
      "dots",
      [
        { m: "a", [name]: 0.5 },
        { m: "b", [name]: 0.25 },
      ],
      { x: "m", y: name },
    ).svg();
    assert.is(marks(flat), 2, name);
    assert.ok(seen(flat).split("\n").includes(name), name);
  }
});

test("marks stand at their values: a dot at 25% lies a quarter of the way from 0% to 100%", async () => {
  const svg = await chart("dots", [{ level: "a", mean: 0.25 }], { domain: [0, 1] }).svg();
  const at = (m: RegExpExecArray | null) => Number(m?.[1]);
  const dot = at(/aria-roledescription="point" transform="translate\(([\d.]+)/.exec(svg));
  const zero = at(/translate\(([\d.]+),[\d.]+\)"[^>]*>0%</.exec(svg));
  const one = at(/translate\(([\d.]+),[\d.]+\)"[^>]*>100%</.exec(svg));
  // labels stand half a pixel right of the scale, Vega's crisp-edge shift
  assert.ok(Math.abs((dot - zero) / (one - zero) - 0.25) < 0.005, `${dot} between ${zero} and ${one}`);
});

test("what was not computed is listed with its reason, never drawn as 0", async () => {
  const rows = [
    { level: "a", mean: 0.4, status: "ok" },
    { level: "b", mean: null, status: "not-computed" },
    { level: "c", mean: null, status: "failed" },
    { level: "d", mean: null, status: "undefined" },
    { level: "e", mean: 0.7, status: "failed" },
  ];
  const c = chart("dots", rows);
  const text = seen(await c.svg());
  assert.is(marks(await c.svg()), 1);
  assert.match(text, "Not computed: b, c (failed), d (not defined), e (failed).");
  assert.equal((c.spec.usermeta as { mkglab: object }).mkglab, {
    chart: "dots",
    mark: null,
    notComputed: ["b", "c (failed)", "d (not defined)", "e (failed)"],
  });
});

test("a mean whose interval is not defined is drawn without one, and the picture says so", async () => {
  const c = chart("dots", [
    { level: "a", mean: 0.4, low: 0.3, high: 0.5, status: "ok" },
    { level: "b", mean: 0.6, low: null, high: null, status: "undefined" },
  ]);
  const svg = await c.svg();
  assert.is(marks(svg), 2);
  assert.is(/role-mark layer_0_marks.*?<\/g>/.exec(svg)?.[0].match(/<line/g)?.length, 1);
  assert.match(seen(svg), "No interval: b.");
});

test("n, missing counts, the interval's name and the mark are in the picture; the mark is in the spec", async () => {
  const same = chart("dots", [{ level: "a", mean: 0.4, low: 0.3, high: 0.5, n: 238, nMissing: 2 }], {
    intervalText: "95% interval",
    mark: "simulated",
  });
  const text = seen(await same.svg());
  assert.match(text, "Bars: 95% interval; n = 238. Missing values: a 2.");
  assert.ok(text.split("\n").includes("simulated"));
  assert.is((same.spec.usermeta as { mkglab: { mark: string } }).mkglab.mark, "simulated");
  const differing = seen(
    await chart("dots", [
      { level: "a", mean: 0.4, n: 24 },
      { level: "b", mean: 0.4, n: 109 },
    ]).svg(),
  );
  assert.match(differing, "a (n = 24)");
  assert.match(differing, "b (n = 109)");
  assert.match(
    seen(
      await chart("line", [
        { level: 1, mean: 0.4, n: 24 },
        { level: 2, mean: 0.4, n: 109 },
      ]).svg(),
    ),
    "n = 24–109",
  );
});

test("the strongest control is the highest mean that is neither the method nor a ceiling, for each series", async () => {
  const text = seen(await examples.controlsOfTheWalk().svg()).replace(/\n/g, " ");
  // means in examples.ts: extractive text-only 0.375 > random-path 0.25; learned random-path 0.3125 (its text-only is not computed)
  assert.match(text, "strongest control, text-only 37.5% (extractive), random-path 31.3% (learned)");
});

test("forest prints each adjusted p beside its row, never 0, and keeps the row of what was not computed", async () => {
  const text = seen(await examples.forestOfDifferences().svg());
  for (const line of ["p < 0.001", "p = 0.125", "p = 0.250", "p = 0.500", "not computed", "order = bfs"])
    assert.ok(text.split("\n").includes(line), line);
});

test("labels come out as text: markup, entities, quotes, control characters and TeX", async () => {
  const nasty = [
    "<script>alert(1)</script>",
    "a & b &amp; c",
    `"q" 'x'`,
    "$\\alpha_1$ % # {x}",
    "]]><!--",
    "url(#clip0)",
  ];
  const rows = nasty.map((level, i) => ({ level, series: `${level}${i}`, mean: i / 8 }));
  const c = chart("dots", rows, {
    title: "<b>t</b> & u",
    subtitle: "</text><image href='file:///x'/>",
    mark: "<i>m</i>",
    xTitle: "\u0000a\ud800b\nc",
  });
  const svg = await c.svg();
  assert.not.match(svg, /<(script|b|i|image|!--)/);
  const text = seen(svg);
  for (const label of nasty) assert.ok(text.includes(label), label);
  assert.ok(text.includes("\ufffda\ufffdb c"));
  assert.is(marks(svg), nasty.length);
  assert.ok((await c.pdf()).length > 1000);
  assert.ok((await c.png()).length > 1000);
});

test("characters outside the packaged font are named in a warning", () => {
  assert.match(chart("dots", [{ level: "中文", mean: 0.5 }]).warnings[0] as string, "中 文");
  assert.equal(chart("dots", [{ level: "α ≥ 5 → β − 1", mean: 0.5 }]).warnings, []);
});

test("Arquero tables and arrays of objects draw the same; levels and series keep the rows' order", () => {
  const rows = [
    { level: "z", mean: 0.5, n: 3 },
    { level: "a", mean: 0.25, n: 3 },
  ];
  const fromTable = chart("dots", table({ level: ["z", "a"], mean: [0.5, 0.25], n: [3, 3] }));
  assert.equal(fromTable.spec, chart("dots", rows).spec);
  assert.equal(fromTable.data, rows);
  const layer = (fromTable.spec.layer as { encoding: { y: { scale: { domain: string[] } } } }[])[0];
  assert.equal(layer?.encoding.y.scale.domain, ["z", "a"]);
});

test("a chart is a value: its spec and data cannot be changed, and the caller's rows are not touched", () => {
  const rows = [{ level: "a", mean: 0.5 }];
  const c = chart("dots", rows);
  assert.throws(() => ((c.spec as { width: number }).width = 1));
  assert.throws(() => ((c.data[0] as { mean: number }).mean = 1));
  assert.equal(rows, [{ level: "a", mean: 0.5 }]);
  assert.not.ok(Object.isFrozen(rows[0]));
});

test("equal values, one row, negative values and whole-number scales are drawn inside a real axis", async () => {
  for (const c of [
    chart("dots", [
      { level: "a", mean: 0, low: 0, high: 0 },
      { level: "b", mean: 0, low: 0, high: 0 },
    ]),
    chart("line", [{ level: 3, mean: 1 }]),
    chart(
      "line",
      [0, 1, 2].map((level) => ({ level, mean: level - 2, low: level - 3, high: level - 1 })),
      { percent: false },
    ),
    chart("dots", [{ level: "a", mean: 1234567.5 }], { percent: false }),
    chart("forest", [{ b: "x", difference: 0, low: 0, high: 0 }]),
  ]) {
    const svg = await c.svg();
    assert.is(marks(svg), c.data.length);
    assert.not.match(svg, /NaN|Infinity|undefined|null/);
    assert.ok((svg.match(/role-axis-tick/g)?.length ?? 0) >= 1);
  }
});

test("wrong names and values are refused in the house form, with what was meant", () => {
  const rows = [{ level: "a", mean: 0.5 }];
  assert.match(
    message(() => chart("lines", rows)),
    'chart: unknown chart ("lines"). Known: line, dots, controls, forest. Did you mean "line"?',
  );
  assert.match(
    message(() => chart("dots", rows, { ttitle: "x" } as never)),
    /unknown option \("ttitle"\).*Did you mean "title"\?/,
  );
  assert.match(
    message(() => chart("dots", rows, { y: "means" })),
    /unknown column for option y \("means"\). Known: level, mean. Did you mean "mean"\?/,
  );
  assert.match(
    message(() => chart("dots", rows, { low: "lo" })),
    /unknown column for option low/,
  );
  assert.match(
    message(() => chart("dots", [])),
    /chart dots: no rows/,
  );
  assert.match(
    message(() => chart("dots", [{ level: "a", mean: null }])),
    /nothing to draw: none of 1 rows has a value/,
  );
  assert.match(
    message(() => chart("dots", [{ level: "a", mean: Number.NaN }])),
    /row 1, column "mean": not a finite number \(NaN\)/,
  );
  assert.match(
    message(() => chart("dots", [{ level: "a", mean: "0.5" }])),
    /row 1, column "mean": not a finite number \("0.5"\)/,
  );
  assert.match(
    message(() => chart("line", rows)),
    /row 1, column "level": not a finite number \("a"\).*dots/,
  );
  assert.match(
    message(() => chart("dots", [...rows, ...rows])),
    /rows 1 and 2 have the same place \(x "a"\)/,
  );
  assert.match(
    message(() => chart("dots", [{ level: "a", mean: 0.5, low: 0.9, high: 0.1 }])),
    /row 1: low is above high/,
  );
  assert.match(
    message(() => chart("dots", [{ level: null, mean: 0.5 }])),
    /row 1, column "level": not a category \(null\)/,
  );
  assert.match(
    message(() => chart("dots", [{ level: "a", mean: 0.5, status: "done" }])),
    /unknown status \("done"\)/,
  );
  assert.match(
    message(() => chart("dots", rows, { domain: [0.6, 1] })),
    /row 1 lies outside the domain/,
  );
  assert.match(
    message(() => chart("controls", rows)),
    /no control among the levels/,
  );
  assert.match(
    message(() => chart("controls", [...rows, { level: "b", mean: 0.1 }], { method: ["wlak"] })),
    /unknown level in option method/,
  );
  assert.match(
    message(() => chart("line", [{ level: 0, mean: 0.5 }], { xScale: "log" })),
    /a level that a log scale cannot show \(0\)/,
  );
  const many = Array.from({ length: 8 }, (_, i) => ({ level: "a", series: `s${i}`, mean: 0.5 }));
  assert.match(
    message(() => chart("dots", many)),
    /too many series to tell apart \(8\). At most 7/,
  );
  assert.match(
    message(() => chart("dots", 3 as never)),
    /the rows are not a table \(3\)/,
  );
});

test.run();
