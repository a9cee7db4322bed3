import { readdirSync, readFileSync, statSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bestiaryCard, leaks, plantedShare, plantedTable } from "../../lib/cli/bestiary-card.js";
import { answererNames, measureShortcuts } from "../../lib/cli/bestiary-shortcuts.js";
import { bestiaryOptions, loadDataset } from "../../lib/datasets/index.js";
import { bytesImage, pixels } from "../../lib/media/index.js";

const test = suite("bestiary card");
const folder = new URL("../../data/bestiary/", import.meta.url);
// to renew it: node --import tsx scripts/make-bestiary-card.mjs
const committed = readFileSync(new URL("card.md", folder), "utf8");
const sectionsOf = (markdown: string) =>
  new Map(markdown.split("\n## ").map((s) => [s.split("\n")[0] as string, s.trim()]));
/** Cells of a section's first table, by first column and heading. */
const cellsOf = (section: string) => {
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.slice(2, -2).split(" | "));
  const [heads = [], , ...body] = rows;
  return new Map(body.flatMap((row) => row.map((cell, i) => [`${row[0]}/${heads[i]}`, cell] as const)));
};

if (process.arch !== "x64") {
  const law = "the committed card equals a fresh measurement, text and pictures";
  console.log(`SKIP ${law}: it was made on x64, this is ${process.arch}`);
  test.skip(law, () => {});
} else
  test("the committed card equals a fresh measurement, text and pictures", async () => {
    const { markdown, pictures } = await bestiaryCard();
    const [fresh, kept] = [sectionsOf(markdown), sectionsOf(committed)];
    assert.equal(
      [...kept.keys()].filter((title) => !fresh.has(title)),
      ["Leaks planted and found"],
    );
    for (const [title, text] of fresh) assert.is(kept.get(title), text, title);
    for (const { name, png } of pictures) {
      const drawn = await pixels(bytesImage(png, name));
      const stored = await pixels(bytesImage(readFileSync(new URL(name, folder)), name));
      assert.equal([drawn.width, drawn.height], [stored.width, stored.height]);
      assert.ok(Buffer.compare(drawn.data, stored.data) === 0, name);
    }
  });

test("planted leaks: the committed table equals a fresh measurement of the answerers that draw nothing", async () => {
  const cells = cellsOf(sectionsOf(committed).get("Leaks planted and found") as string);
  const only = ["majority", "text, nearest", "caption, named", "caption, nearest"];
  for (const leak of leaks) {
    const rows = await measureShortcuts(await loadDataset("bestiary", { [leak]: plantedShare }), { only });
    for (const row of plantedTable(new Map([[leak, rows]])))
      if (only.includes(row.answerer as string)) assert.is(cells.get(`${row.answerer}/${leak}`), row[leak]);
  }
  for (const name of answererNames)
    for (const leak of ["none", ...leaks]) assert.match(cells.get(`${name}/${leak}`) ?? "", /^\d+\/109$/);
});

test("a percentage of the card is right answers over questions", async () => {
  const rows = await measureShortcuts(await loadDataset("bestiary"), { only: ["majority"] });
  const cells = cellsOf(sectionsOf(committed).get("Known shortcuts, measured") as string);
  const right = rows.filter((r) => r.value === 1).length;
  assert.is(cells.get("majority/all")?.split(" ")[0], ((100 * right) / 238).toFixed(1));
});

test("the card names every option, refers to every picture and to no other, and all of it is small", () => {
  for (const option of Object.keys(bestiaryOptions)) assert.match(committed, new RegExp(`^\\| ${option} \\|`, "m"));
  const named = [...committed.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map((m) => m[1]).sort();
  const files = readdirSync(folder).sort();
  assert.equal(
    files.filter((f) => f.endsWith(".png")),
    named,
  );
  assert.ok(files.reduce((sum, f) => sum + statSync(new URL(f, folder)).size, 0) < 1.5 * 2 ** 20);
});

test("a card of other options is measured on them and says so; a misspelt option is refused", async () => {
  const { markdown, pictures } = await bestiaryCard({
    creatures: 3,
    trainWorlds: 1,
    imageAmbiguity: 1,
    textShortcut: 0.5,
  });
  assert.match(markdown, /with `creatures` 3, `trainWorlds` 1, `imageAmbiguity` 1, `textShortcut` 0\.5\. Training/);
  assert.match(markdown, /^\| creatures \| 3 \| 22 \|$/m);
  assert.match(markdown, /leaks planted on purpose.*textShortcut 0\.5/);
  assert.equal(
    pictures.map((p) => p.name),
    [...markdown.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map((m) => m[1]),
    "the pictures are those that the text shows",
  );
  let message = "";
  await bestiaryCard({ imageAmbiguty: 1 } as object).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /unknown option \("imageAmbiguty"\).*Did you mean "imageAmbiguity"\?/);
});

test.run();
