import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Image, sha256 } from "../../lib/core/index.js";
import { graphFrom, loadGraph, openImage, writeGraph } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";

const test = suite<{ dir: string }>("write graph");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const row = { head: "a", relation: "r", tail: "b" };
const simple = graphFrom({ triples: [row] });
const tables = ["csv", "tsv", "jsonl", "json", "xlsx", "parquet", "arrow"];

async function rejects(act: () => Promise<unknown>, message: RegExp, kind = "MkgError"): Promise<void> {
  try {
    await act();
  } catch (error) {
    assert.is((error as Error).constructor.name, kind, String((error as Error).stack));
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable(`no error ${message}`);
}

test("a folder gets a file a table, entities first; a file of a format that holds both gets both", async ({ dir }) => {
  const at = (...names: string[]) => names.map((name) => join(dir, name));
  assert.equal(await writeGraph(simple, join(dir, "t")), at("t/entities.tsv", "t/triples.tsv"));
  assert.equal(
    await writeGraph(simple, join(dir, "c"), { format: "csv.gz" }),
    at("c/entities.csv.gz", "c/triples.csv.gz"),
  );
  // ids that are terms of RDF: what N-Triples holds
  const [a, r] = ["http://example.org/a", "http://example.org/r"];
  const terms = graphFrom({ triples: [{ head: a, relation: r, tail: a }] });
  assert.equal(await writeGraph(terms, join(dir, "n"), { format: "nt" }), at("n/triples.nt"));
  assert.is((await loadGraph(join(dir, "n"))).fingerprint, (await loadGraph(join(dir, "n/triples.nt"))).fingerprint);
  assert.equal(await writeGraph(simple, join(dir, "x.xlsx")), at("x.xlsx"));
  assert.equal(
    await writeGraph(simple, join(dir, "deep/er/x.json.gz"), { format: "json.gz" }),
    at("deep/er/x.json.gz"),
  );
  assert.equal([...readFileSync(join(dir, "deep/er/x.json.gz")).subarray(0, 2)], [0x1f, 0x8b]);
  // a folder that is there stays a folder, whatever its name
  mkdirSync(join(dir, "f.csv"));
  assert.equal(await writeGraph(simple, join(dir, "f.csv")), at("f.csv/entities.tsv", "f.csv/triples.tsv"));
  assert.is(
    readFileSync(join(dir, "t/triples.tsv"), "utf8"),
    "id\thead\trelation\trelationLabel\ttail\tcondition\n0\ta\tr\tr\tb\t\n",
  );
});

test("a target and a format that do not fit are errors that name what does", async ({ dir }) => {
  const to = (target: string, options?: object) => () => writeGraph(simple, join(dir, target), options as never);
  await rejects(
    to("x", { format: "exel" }),
    /^writeGraph: unknown format \("exel"\)\. Known: csv, csv\.gz, tsv, tsv\.gz/,
  );
  await rejects(to("x", { format: "xlsx.gz" }), /unknown format \("xlsx\.gz"\)/);
  await rejects(to("x", { format: "parqet" }), /Did you mean "parquet"\?/);
  await rejects(
    to("x.csv"),
    /a file of csv holds one table, and a graph is two.*Both in one file: json, json\.gz, xlsx, nt, nt\.gz, nq, nq\.gz\. Give a folder/,
  );
  await rejects(to("x.json", { format: "xlsx" }), /the target's name and the format differ .*x\.json", "xlsx"\)/);
  await rejects(to("x", { image: "files" }), /unknown option \("image"\).*Did you mean "images"\?/);
  await rejects(
    to("x", { images: "file" }),
    /option images has a wrong value \("file"\)\. It takes one of "refuse", "files", "data-urls"/,
  );
  await rejects(
    to("x.ttl"),
    /ttl is read, not written .*Formats: csv, csv\.gz, .*For a folder of that name end it with \//,
  );
  await rejects(to("x.parquett"), /not one that is written here .*Did you mean \.parquet\?/);
  await rejects(to("x.graphml"), /not one that is written here/);
  await rejects(to("x.parquet.gz"), /parquet is not written compressed/);
  await rejects(() => writeGraph(simple, ""), /target is not a path \(""\)/);
  writeFileSync(join(dir, "file"), "");
  await rejects(to("file/g"), /^writ.*: cannot write \(.*ENOTDIR\).*choose another place/, "SetupError");
  assert.equal(readdirSync(dir), ["file"]);
});

test("a folder may have a name with a dot: where it is there, ends with /, has a version, or the format is said", async ({
  dir,
}) => {
  mkdirSync(join(dir, "old.data"));
  for (const [target, options] of [
    ["old.data", {}],
    ["new.ttl/", {}],
    ["run.v2", {}],
    ["run-0.1", {}],
    ["final.data", { format: "csv" }],
  ] as const) {
    await writeGraph(simple, join(dir, target), options);
    assert.is((await loadGraph(join(dir, target))).fingerprint, simple.fingerprint, target);
  }
});

test("a graph without rows comes back from every format, as folder and as file", async ({ dir }) => {
  const empty = graphFrom({ triples: [] });
  for (const format of [...tables, "nt", "nq"]) {
    await writeGraph(empty, join(dir, format), { format });
    assert.is((await loadGraph(join(dir, format))).fingerprint, empty.fingerprint, format);
  }
  for (const name of ["g.json", "g.xlsx", "g.nt", "g.nq.gz"]) {
    await writeGraph(empty, join(dir, name));
    assert.is((await loadGraph(join(dir, name))).fingerprint, empty.fingerprint, name);
  }
  const { notices } = (await loadGraph(join(dir, "g.nt"))).report;
  assert.equal(
    notices.map(({ what }) => what),
    ["files of RDF without statements"],
  );
});

test("what a killed writer left is removed by the next; that of one at work stays", async ({ dir }) => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const left = (id: number | undefined) => `.writing-${hostname()}-${id}-abcdef`;
  for (const name of [left(pid), left(process.ppid), ".writing-elsewhere-1-abcdef"]) {
    mkdirSync(join(dir, name));
    writeFileSync(join(dir, name, "0"), "half a ta");
  }
  await writeGraph(simple, dir);
  assert.equal(
    readdirSync(dir).sort(),
    [left(process.ppid), ".writing-elsewhere-1-abcdef", "entities.tsv", "triples.tsv"].sort(),
  );
});

test("a folder with tables of another format is refused: they would be read together with the new ones", async ({
  dir,
}) => {
  await writeGraph(simple, dir, { format: "csv" });
  await rejects(
    () => writeGraph(simple, dir),
    /the folder holds other tables.*entities\.csv, triples\.csv\)\. Files written: entities\.tsv, triples\.tsv\. Remove them/,
  );
  await rejects(() => writeGraph(simple, dir, { format: "csv.gz" }), /entities\.csv, triples\.csv/);
  // the same format replaces them
  await writeGraph(graphFrom({ triples: [row, { ...row, tail: "c" }] }), dir, { format: "csv" });
  assert.is((await loadGraph(dir)).triples.numRows(), 2);
});

test("what a format cannot hold is named by table, row and column; nothing is written, what was there stays", async ({
  dir,
}) => {
  const odd = (extra: object) =>
    graphFrom({
      triples: [
        { ...row, x: "fine" },
        { ...row, ...extra },
      ],
    });
  const where = "writeGraph: triples, row 1 \\(from 0\\), column x: ";
  const cases: [string, object, string][] = [
    ["tsv", { x: "a\tb" }, `${where}tsv cannot hold it: a tab or line break`],
    ["tsv", { x: "a\rb" }, `${where}tsv cannot hold it: a tab or line break`],
    ["tsv", { x: 3 }, `${where}tsv cannot hold it: not a string \\(3\\)`],
    ["csv", { x: true }, `${where}csv cannot hold it: not a string \\(true\\)`],
    ["csv", { x: ["a"] }, `${where}csv cannot hold it: not a string \\(\\["a"\\]\\)`],
    ["csv", { x: 5n }, `${where}csv cannot hold it: not a string \\(5\\)`],
    ["jsonl", { x: 5n }, `${where}jsonl cannot hold it: a bigint that would come back as a number \\(5\\)`],
    ["jsonl", { x: Number.NaN }, `${where}jsonl cannot hold it: a number that JSON does not have \\(NaN\\)`],
    ["json", { x: -0 }, `${where}json cannot hold it: a number that JSON does not have`],
    [
      "json",
      { x: { deep: [Number.POSITIVE_INFINITY] } },
      `${where}json cannot hold it: a number that JSON does not have`,
    ],
    ["json", { x: [undefined] }, `${where}json cannot hold it: not a JSON value`],
    ["json", { x: new Date(0) }, `${where}json cannot hold it: not a JSON value`],
    ["json", { x: new Float32Array(1) }, `${where}json cannot hold it: not a JSON value`],
    ["json", { x: { a: "\ud800" } }, `${where}json cannot hold it: half of a surrogate pair`],
    [
      "json",
      { x: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) },
      `${where}json cannot hold it: nested deeper than 200 levels`,
    ],
    ["xlsx", { x: 3 }, `${where}xlsx cannot hold it`],
    ["parquet", { x: 3 }, `${where}parquet cannot hold it`],
    ["arrow", { x: 3 }, `${where}arrow cannot hold it`],
    ["parquet", { x: { a: 1 } }, `${where}parquet cannot hold it`],
    ["arrow", { x: { a: 1 } }, `${where}arrow cannot hold it`],
    ...tables.map((format): [string, object, string] => [
      format,
      { x: "\udc00" },
      `${where}${format} cannot hold it: half of a surrogate pair`,
    ]),
  ];
  for (const [format, extra, message] of cases) {
    const target = join(dir, format);
    if (!existsSync(target)) await writeGraph(simple, target, { format });
    const before = readdirSync(target).map((name) => [name, sha256(readFileSync(join(target, name)))]);
    await rejects(() => writeGraph(odd(extra), target, { format }), new RegExp(`^${message}`));
    assert.equal(
      readdirSync(target).map((name) => [name, sha256(readFileSync(join(target, name)))]),
      before,
    );
  }
});

test('csv and tsv have one empty cell: beside "" no value is refused, alone it is read as ""', async ({ dir }) => {
  const graph = (...values: (string | null)[]) => graphFrom({ triples: values.map((x) => ({ ...row, x })) });
  for (const format of ["csv", "tsv"]) {
    await rejects(
      () => writeGraph(graph("a", null, ""), join(dir, format), { format }),
      new RegExp(`triples, row 2 \\(from 0\\), column x: ${format} cannot hold both "" here and no value in row 1`),
    );
    await writeGraph(graph("a", null, null), join(dir, format), { format });
    assert.equal((await loadGraph(join(dir, format))).triples.array("x"), ["a", "", ""]);
  }
  for (const format of ["jsonl", "json", "xlsx", "parquet", "arrow"]) {
    await writeGraph(graph("a", null, ""), join(dir, format), { format });
    assert.equal((await loadGraph(join(dir, format))).triples.array("x"), ["a", null, ""], format);
  }
});

test("a folder in the place of any file is found before the first is replaced: what was there stays", async ({
  dir,
}) => {
  const out = join(dir, "out");
  mkdirSync(join(out, "triples.tsv"), { recursive: true });
  writeFileSync(join(out, "entities.tsv"), "old");
  const graph = graphFrom({ triples: [{ head: "a", relation: "r", tail: "b" }] });
  await rejects(
    () => writeGraph(graph, out),
    /cannot write \(.*triples\.tsv: EISDIR\).*choose another name/,
    "SetupError",
  );
  assert.is(readFileSync(join(out, "entities.tsv"), "utf8"), "old");
  assert.equal(readdirSync(out).sort(), ["entities.tsv", "triples.tsv"]);
  // where the folder for pictures would stand there is a file
  const pictured = join(dir, "pictured");
  mkdirSync(pictured);
  writeFileSync(join(pictured, "images"), "old");
  await rejects(async () => writeGraph(await marked(), pictured, { images: "files" }), /images.*ENOTDIR/, "SetupError");
  assert.equal(readdirSync(pictured), ["images"]);
});

test("text is written in pieces: 300,000 triples in a heap that does not hold their text", async ({ dir }) => {
  const lines = Array.from({ length: 300_000 }, (_, i) => `Q${i % 50_000}\tP${i % 300}\tQ${(i * 7919) % 50_000}`);
  writeFileSync(join(dir, "t.tsv"), lines.join("\n"));
  const program = join(dir, "child.mts");
  const lib = pathToFileURL(join(import.meta.dirname, "../../lib/graph/index.ts"));
  writeFileSync(
    program,
    `import { loadGraph, writeGraph } from ${JSON.stringify(lib)};
    const graph = await loadGraph(${JSON.stringify(join(dir, "t.tsv"))});
    for (const format of ["jsonl", "csv", "jsonl.gz"]) await writeGraph(graph, ${JSON.stringify(dir)} + "/" + format, { format });`,
  );
  // joined, the 36 MB of jsonl end such a process: tried with the pieces of the same encoder collected into one string
  const heap = "--max-old-space-size=50";
  const child = spawnSync(process.execPath, [heap, "--import", "tsx", program], {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });
  assert.is(child.status, 0, child.stderr);
  assert.ok(statSync(join(dir, "jsonl/triples.jsonl")).size > 25e6);
  const back = await loadGraph(join(dir, "jsonl.gz"));
  assert.equal(
    ["head", "relation", "tail"].map((name) => back.triples.get(name, 299_999)),
    lines.at(-1)!.split("\t"),
  );
});

test("JSON would move columns named by whole numbers to the front, and forget columns without rows: refused", async ({
  dir,
}) => {
  const years = graphFrom({ triples: [{ ...row, 2019: "x", 2020: "y" }] });
  await writeGraph(years, join(dir, "years"), { format: "jsonl" });
  assert.is((await loadGraph(join(dir, "years"))).fingerprint, years.fingerprint);
  writeFileSync(join(dir, "t.csv"), "head,relation,tail,b,5\na,r,b,x,y\n");
  const mixed = await loadGraph(join(dir, "t.csv"));
  for (const format of ["jsonl", "json"])
    await rejects(
      () => writeGraph(mixed, join(dir, format), { format }),
      /triples, header, column b: JSON lists columns named by whole numbers first/,
    );
  writeFileSync(join(dir, "n.csv"), "head,relation,tail,note\n");
  const none = await loadGraph(join(dir, "n.csv"));
  await rejects(
    () => writeGraph(none, join(dir, "none"), { format: "jsonl" }),
    /triples, header, column note: JSON has no columns without rows/,
  );
});

test("lists of strings stand in text under a separator that none of them holds, and come back by the same option", async ({
  dir,
}) => {
  const graph = (names: unknown) =>
    graphFrom({
      entities: [
        { id: "a", names: ["x", "y z"] },
        { id: "b", names },
      ],
    });
  const split = { names: "|" };
  for (const format of ["csv", "tsv", "xlsx"]) {
    await writeGraph(graph([]), join(dir, format), { format, split });
    assert.equal((await loadGraph(join(dir, format), { split })).entities.array("names"), [["x", "y z"], []]);
  }
  for (const [names, why] of [
    [["p|q"], 'an item holds the separator "\\|"'],
    [[""], "a list of one empty string would come back as an empty list"],
    [[1], "not a list of strings"],
    [null, "not a list of strings"],
  ] as const)
    await rejects(
      () => writeGraph(graph(names), join(dir, "no"), { format: "csv", split }),
      new RegExp(`entities, row 1 \\(from 0\\), column names: ${why}`),
    );
  await rejects(
    () => writeGraph(graph([]), join(dir, "no"), { format: "csv", split: { nmes: "|" } }),
    /unknown column of split \("nmes"\).*Did you mean "names"\?/,
  );
  await rejects(
    () => writeGraph(graph([]), join(dir, "no"), { format: "csv", split: { names: "" } }),
    /split\.names is not a separator \(""\)/,
  );
  assert.not(existsSync(join(dir, "no")));
});

const picture = async (background: string, key: boolean): Promise<Image> => {
  const png = await sharp({ create: { width: 2, height: 2, channels: 3, background } })
    .png()
    .toBuffer();
  return bytesImage(new Uint8Array(png), `${background} ${key}`, { key });
};
const marked = async () =>
  graphFrom({
    entities: [
      { id: "all", images: [await picture("red", true), await picture("blue", true)] },
      { id: "some", images: [await picture("red", false), await picture("lime", true), await picture("blue", false)] },
      { id: "none", images: [await picture("blue", false)] },
      { id: "empty", images: [] },
      { id: "far", images: [openImage("https://example.org/a.png", { key: false })] },
    ],
    triples: [{ head: "all", relation: "r", tail: "some" }],
  });
const seen = async (images: readonly Image[]) =>
  Promise.all(images.map(async (image) => [sha256(await image.bytes()), image.key]));

for (const format of tables)
  for (const images of ["files", "data-urls"] as const)
    test(`pictures, their order and their marks come back from ${format} (${images}); an address is not fetched`, async ({
      dir,
    }) => {
      const graph = await marked();
      const paths = await writeGraph(graph, join(dir, "g"), { format, images });
      assert.ok(paths.every((path) => !path.includes("images")));
      const back = await loadGraph(join(dir, "g"));
      for (const id of ["all", "some", "none", "empty"])
        assert.equal(await seen(back.entity(id).images), await seen(graph.entity(id).images), id);
      const [far] = back.entity("far").images;
      assert.is(far!.key, false);
      await rejects(() => far!.bytes(), /example\.org/, "SetupError");
      assert.equal(back.entities.columnNames(), graph.entities.columnNames());
      if (images === "files") {
        // red, lime and blue: equal pictures share a file, named by its content
        const files = readdirSync(join(dir, "g", "images"));
        assert.is(files.length, 3);
        for (const file of files) assert.is(file, `${sha256(readFileSync(join(dir, "g", "images", file)))}.png`);
      } else assert.not(existsSync(join(dir, "g", "images")));
      // written once more it is the same graph, ids of pictures included
      await writeGraph(back, join(dir, "again"), { format, images });
      assert.is((await loadGraph(join(dir, "again"))).fingerprint, back.fingerprint);
    });

test("pictures stand beside a single file; without the option they are refused", async ({ dir }) => {
  const graph = await marked();
  await rejects(
    () => writeGraph(graph, join(dir, "g.xlsx")),
    /^writeGraph: the graph has pictures, which a table cannot hold.*images: "files".*graph\.withoutImages\(\)/,
  );
  await writeGraph(graph, join(dir, "g.xlsx"), { images: "files" });
  assert.equal(readdirSync(dir).sort(), ["g.xlsx", "images"]);
  assert.equal(
    await seen((await loadGraph(join(dir, "g.xlsx"))).entity("some").images),
    await seen(graph.entity("some").images),
  );
  await writeGraph(graph.withoutImages(), join(dir, "bare"));
  assert.not((await loadGraph(join(dir, "bare"))).entity("all").images.length);
});

test("a picture that cannot be read, or a column where the marks would stand, is an error that leaves nothing behind", async ({
  dir,
}) => {
  const broken: Image = { id: "i", key: true, bytes: async () => Promise.reject(new Error("no such picture")) };
  const good = await picture("red", true);
  await rejects(
    () =>
      writeGraph(
        graphFrom({
          entities: [
            { id: "a", images: [good] },
            { id: "b", images: [good, broken] },
          ],
        }),
        join(dir, "g"),
        { images: "files" },
      ),
    /^writeGraph: entities, row 1 \(from 0\), column images, picture 1 \(from 0\): no such picture/,
  );
  await rejects(
    () =>
      writeGraph(graphFrom({ entities: [{ id: "a", images: [good], keyFrames: "mine" }] }), join(dir, "g"), {
        images: "files",
      }),
    /entities have pictures and a column keyFrames/,
  );
  await rejects(
    () => writeGraph(graphFrom({ entities: [{ id: "a\tb", images: [good] }] }), join(dir, "g"), { images: "files" }),
    /a tab or line break/,
  );
  assert.not(existsSync(join(dir, "g")));
  const far = openImage("https://example.org/?a|b");
  await rejects(
    () => writeGraph(graphFrom({ entities: [{ id: "a", images: [far] }] }), join(dir, "g"), { images: "files" }),
    /an address with \|/,
  );
  await writeGraph(graphFrom({ entities: [{ id: "a", images: [far] }] }), join(dir, "j"), {
    images: "files",
    format: "jsonl",
  });
  assert.is((await loadGraph(join(dir, "j"))).entity("a").images.length, 1);
});

test("| in a data URL, and a picture missing between two |, are errors that name the cell, and never other pictures", async ({
  dir,
}) => {
  const cell = (text: string, keyFrames = "") =>
    writeFileSync(join(dir, "entities.csv"), `id,images,keyFrames\na,"${text}",${keyFrames}\n`);
  const svg = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";
  cell(`${svg}<!-- a|b -->`);
  await rejects(() => loadGraph(dir), /entities\.csv, line 2, column images: a data URL with \|.*%7C/);
  const base64 = `data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}`;
  cell(`${base64}|${svg}`);
  assert.is((await loadGraph(dir)).entity("a").images.length, 2);
  for (const text of [`${base64}||${base64}`, `|${base64}`, `${base64}|`, "|"]) {
    cell(text, "0");
    await rejects(() => loadGraph(dir), /entities\.csv, line 2, column images: not pictures/);
    const { report } = await loadGraph(dir, { lenient: true });
    assert.is(report.repaired[0]?.count, 1);
  }
});

test("marks of frames that do not fit their frames are errors that name the cell", async ({ dir }) => {
  const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  for (const name of ["1.png", "2.png"]) writeFileSync(join(dir, name), png);
  const keys = async (marks: string) => {
    writeFileSync(join(dir, "entities.csv"), `id,images,keyFrames\na,1.png|2.png,${marks}\n`);
    return (await loadGraph(dir)).entity("a").images.map((image) => image.key);
  };
  assert.equal(await keys(""), [true, true]);
  assert.equal(await keys("1"), [false, true]);
  assert.equal(await keys("0|1"), [true, true]);
  assert.equal(await keys("-"), [false, false]);
  for (const wrong of ["2", "01", "a", "1|", "-1", "1.0"])
    await rejects(
      () => keys(wrong),
      /entities\.csv, line 2, column keyFrames: not positions of its 2 frames .*Numbers from 0 to 1 with \| between, or -/,
    );
  writeFileSync(join(dir, "entities.csv"), "id,images,keyFrames\na,,0\n");
  await rejects(() => loadGraph(dir), /not positions of its 0 frames \("0"\)/);
  rmSync(join(dir, "entities.csv"));
  writeFileSync(join(dir, "entities.jsonl"), '{"id":"a","images":[{"file":"1.png","key":"yes"}]}\n');
  await rejects(() => loadGraph(dir), /entities\.jsonl, line 1, column images: not pictures/);
});

test.run();
