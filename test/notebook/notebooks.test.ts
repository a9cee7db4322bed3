import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CellOutput, runNotebook } from "../../lib/notebook/index.js";

const notebooks = suite("notebooks");
const folder = fileURLToPath(new URL("../../notebooks/", import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith(".ipynb"));

/** What the same code prints on any machine: words and specifications, not the bytes of pictures. */
const comparable = (outputs: readonly CellOutput[]) =>
  outputs.map((output) => {
    if (!("data" in output)) return output;
    const { "text/plain": text, "application/vnd.vegalite.v5+json": spec } = output.data;
    return { kinds: Object.keys(output.data), text, spec };
  });

for (const name of files)
  notebooks(`${name} runs without key or network, and its stored outputs are what it prints now`, async () => {
    const path = `${folder}${name}`;
    const stored = JSON.parse(readFileSync(path, "utf8")).cells.filter(
      (cell: { cell_type: string }) => cell.cell_type === "code",
    );
    const { cells } = await runNotebook(path);
    for (const [i, cell] of cells.entries()) {
      // times are another machine's
      if (stored[i].metadata.tags?.includes("timing")) continue;
      assert.equal(
        comparable(cell.outputs),
        comparable(stored[i].outputs),
        `cell ${cell.cell} prints something else; store it: npx mkglab notebook notebooks/${name} --out notebooks`,
      );
    }
  });

notebooks("the quickstart shows a table, a chart and a picture", async () => {
  const { cells } = JSON.parse(readFileSync(`${folder}01-quickstart.ipynb`, "utf8"));
  const data = cells.flatMap((cell: { outputs?: { data?: Record<string, unknown> }[] }) =>
    (cell.outputs ?? []).flatMap((o) => o.data ?? []),
  );
  const html = data
    .flatMap((one: Record<string, unknown>) => one["text/html"] ?? [])
    .flat()
    .join("");
  assert.match(html, /<table[\s\S]*pAdjusted/);
  assert.match(html, '<img src="data:image/png;base64,');
  assert.ok(data.some((one: Record<string, unknown>) => one["application/vnd.vegalite.v5+json"] && one["image/png"]));
});

notebooks.run();
