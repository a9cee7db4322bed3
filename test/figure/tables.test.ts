import { table } from "arquero";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { latexTable, markdownTable } from "../../lib/figure/index.js";

const test = suite("figure: tables");

const rows = [
  { run: "walk", mean: 0.412, low: 0.35, high: 0.474, n: 238, pAdjusted: 0.0002, status: "ok" },
  { run: "bm25", mean: null, low: null, high: null, n: 0, pAdjusted: null, status: "not-computed" },
  { run: "text", mean: null, low: null, high: null, n: 0, pAdjusted: null, status: "failed" },
];
const columns = ["run", "mean", "n", "pAdjusted"];

test("Markdown: mean [low, high], formats by column, the reason where there is no number", () => {
  assert.is(
    markdownTable(rows, { columns, format: { mean: "percent" } }),
    [
      "| run | mean [low, high] | n | pAdjusted |",
      "| :-- | --: | --: | --: |",
      "| walk | 41.2% [35.0%, 47.4%] | 238 | < 0.001 |",
      "| bm25 | not computed | 0 | not computed |",
      "| text | failed | 0 | failed |",
      "",
    ].join("\n"),
  );
});

test("LaTeX: the same table with booktabs rules, specials escaped", () => {
  assert.is(
    latexTable(rows, { columns, format: { mean: "percent" } }),
    [
      "\\begin{tabular}{lrrr}",
      "\\toprule",
      "run & mean [low, high] & n & pAdjusted \\\\",
      "\\midrule",
      "walk & 41.2\\% [35.0\\%, 47.4\\%] & 238 & \\textless{} 0.001 \\\\",
      "bm25 & not computed & 0 & not computed \\\\",
      "text & failed & 0 & failed \\\\",
      "\\bottomrule",
      "\\end{tabular}",
      "",
    ].join("\n"),
  );
});

test("numbers: three decimals at most, a true minus sign, signed points, no negative zero, no p of 0", () => {
  const line = (row: object, format = {}) => markdownTable([row as never], { format }).split("\n")[2];
  assert.is(line({ a: 0.12345 }), "| 0.123 |");
  assert.is(line({ a: -2 }), "| \u22122 |");
  assert.is(line({ a: -0.0001 }), "| \u22120.0001 |");
  assert.is(line({ a: -0 }), "| 0 |");
  assert.is(line({ a: 0.041 }, { a: "points" }), "| +4.1 |");
  assert.is(line({ a: -0.041 }, { a: "points" }), "| \u22124.1 |");
  assert.is(line({ a: -0.00001 }, { a: "percent" }), "| 0.0% |");
  assert.is(line({ p: 0 }), "| < 0.001 |");
  assert.is(line({ p: 0.0499 }), "| 0.050 |");
});

test("nothing prints NaN, null or undefined: missing cells are words, NaN is an error", () => {
  const text = markdownTable([
    { a: 1, b: null },
    { a: undefined, b: "x" },
    { b: "y", status: "undefined" },
  ]);
  assert.not.match(text, /NaN|null/);
  assert.is(text.split("\n")[4]?.startsWith("| not defined | y |"), true);
  assert.throws(() => markdownTable([{ a: Number.NaN }]), /row 1, column "a": not a finite number \(NaN\)/);
});

test("Markdown: any text stays one cell, without markup of its own", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (cell, name) => {
      const column = `c${name}`;
      const lines = markdownTable([{ [column]: cell, other: 1 }]).split("\n");
      assert.is(lines.length, 4);
      // a bar with an even number of backslashes before it ends a cell
      for (const line of [lines[0], lines[2]])
        assert.is([...(line as string).matchAll(/(?<!\\)(?:\\\\)*\|/g)].length, 3, line);
      assert.not.match(lines[2] as string, /[<>]/);
    }),
  );
  assert.is(
    markdownTable([{ a: "*b* _i_ `c` [l](u) <i>&amp;</i> a|b\n# x $y$" }]).split("\n")[2],
    "| \\*b\\* \\_i\\_ \\`c\\` \\[l\\](u) &lt;i&gt;&amp;amp;&lt;/i&gt; a\\|b \\# x \\$y\\$ |",
  );
});

test("LaTeX: any text stays one cell: no bare special is left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (cell) => {
      const line = latexTable([{ a: cell, b: 1 }]).split("\n")[4] as string;
      const body = line.replace(/ & 1 \\\\$/, "");
      // take away what was written by intent; nothing special may remain
      const rest = body.replace(/\\[{}$&#%_]|\\(text[a-z]+|char34)\{\}|\$(-|\\[a-z]+)\$|^\{\}|\{\}(?=-)/g, "");
      assert.not.match(rest, /[\\{}$&#%_^~<>|"`]/);
    }),
  );
  assert.is(
    latexTable([{ a: '50% of $x_1$ & {\\y} ~^ α ≥ 5 -- "q"' }]).split("\n")[4],
    "50\\% of \\$x\\_1\\$ \\& \\{\\textbackslash{}y\\} \\textasciitilde{}\\textasciicircum{} $\\alpha$ $\\geq$ 5 -{}- \\char34{}q\\char34{} \\\\",
  );
  // after \\ a bracket would be read as a length
  assert.match(latexTable([{ a: "x" }, { a: "[1em]" }]), /\n\{\}\[1em\] \\\\/);
});

test("Arquero tables and arrays give the same; unknown columns and formats are refused with what was meant", () => {
  assert.is(markdownTable(table({ a: ["x"], b: [1] })), markdownTable([{ a: "x", b: 1 }]));
  assert.throws(() => markdownTable(rows, { columns: ["rnu"] }), /unknown column \("rnu"\)/);
  assert.throws(() => markdownTable(rows, { format: { meann: "percent" } }), /Did you mean "mean"\?/);
  assert.throws(
    () => markdownTable(rows, { format: { mean: "precent" as never } }),
    /option mean has a wrong value \("precent"\)/,
  );
  assert.throws(() => markdownTable([]), /markdownTable: no rows/);
});

test.run();
