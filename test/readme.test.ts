import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runNotebook } from "../lib/notebook/index.js";
import { root, temporary } from "./support/cli.js";

const readme = readFileSync(join(root, "README.md"), "utf8");
/** Each marked example with the output that stands under it. */
const examples = [...readme.matchAll(/<!-- run -->\n```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)].map(
  ([, code, output]) => ({ code: code as string, output: output as string }),
);

test("every marked example of the README is found, and the retriever is defined and used in under 10 lines", () => {
  assert.is(examples.length, readme.split("<!-- run -->").length - 1);
  assert.ok(examples.length >= 2);
  const lines =
    examples[0]?.code
      .trim()
      .split("\n")
      .filter((line) => line.trim() && !line.startsWith("import")) ?? [];
  assert.ok(lines.length < 10, `${lines.length} lines`);
});

test("every file that the README links to is in the package, and a user's own notebooks and runs are not", () => {
  const { stdout, status, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  assert.is(status, 0, stderr);
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const packed = files.map(({ path }) => path).filter((path) => !path.startsWith("dist/"));
  const linked = ["README.md", "figures/bestiary/report.md", "figures/mkg-rag-bench/report.md"].flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map(([, to = ""]) =>
      join(dirname(from), to).split(sep).join("/"),
    ),
  );
  assert.ok(linked.length > 10);
  for (const path of linked) assert.ok(packed.includes(path), path);
  const own = packed.filter((path) => /^(notebooks|runs|data)\//.test(path));
  const embedded = own.filter((path) => /^data\/(atlas|bestiary)\//.test(path));
  // one flag a country, and what both data sets state about themselves
  assert.is(embedded.filter((path) => /^data\/atlas\/flags\/[a-z]{3}\.png$/.test(path)).length, 250);
  for (const path of ["atlas/LICENSE-ODbL.txt", "atlas/sources.json", "bestiary/card.md"])
    assert.ok(embedded.includes(`data/${path}`), path);
  assert.equal(own.filter((path) => !embedded.includes(path)).sort(), [
    "data/README.md",
    "data/manifest.json",
    "notebooks/01-quickstart.ipynb",
    "notebooks/02-retrievers.ipynb",
  ]);
});

for (const [i, { code, output }] of examples.entries()) {
  test(`README example ${i + 1} prints what stands under it, imported by the package's name`, () => {
    // inside the package, so that its own name resolves
    const folder = mkdtempSync(join(root, "runs-readme-"));
    try {
      const file = join(folder, "example.mts");
      writeFileSync(file, code);
      const { stdout, stderr, status } = spawnSync(process.execPath, ["--import", "tsx", file], {
        cwd: folder,
        encoding: "utf8",
      });
      assert.is(status, 0, stderr);
      assert.is(stdout.trim(), output.trim());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test(`README example ${i + 1} runs in a notebook cell with the same output`, async () => {
    const notebook = join(temporary(), "example.ipynb");
    const cell = code.replace('"mkglab"', JSON.stringify(join(root, "dist/index.js")));
    writeFileSync(
      notebook,
      JSON.stringify({
        nbformat: 4,
        nbformat_minor: 5,
        metadata: {
          kernelspec: { name: "tslab", display_name: "TypeScript", language: "typescript" },
          language_info: { name: "typescript" },
        },
        cells: [{ cell_type: "code", id: "a", metadata: {}, outputs: [], execution_count: null, source: cell }],
      }),
    );
    const { cells } = await runNotebook(notebook);
    const text = cells
      .flatMap(({ outputs }) => outputs.flatMap((o) => (o.output_type === "stream" ? [o.text].flat() : [])))
      .join("");
    assert.is(text.trim(), output.trim());
  });
}

test.run();
