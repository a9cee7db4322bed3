import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { graphFrom, loadGraph, readTable, writeGraph } from "../../lib/graph/index.js";

const test = suite<{ dir: string }>("load graph");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const put = (dir: string, files: Record<string, string | Uint8Array>): string => {
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), data);
  }
  return dir;
};

async function rejects(act: () => Promise<unknown>, message: RegExp): Promise<void> {
  try {
    await act();
  } catch (error) {
    assert.is((error as Error).constructor.name, "MkgError", String(error));
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable(`no error ${message}`);
}

// cases KG-01, KG-03, KG-05 restate public bug reports: uwdata/arquero 42, javascriptdata/danfojs 620, pola-rs/polars 22312

test("KG-01: leading zeros stay and 007 is not 7", async ({ dir }) => {
  put(dir, { "e.csv": 'id,label\n007,Bond\n7,Seven\n"0042",Answer\n00501,Holtsville\n' });
  const graph = await loadGraph(join(dir, "e.csv"));
  assert.equal(graph.entities.array("id"), ["007", "7", "0042", "00501"]);
  assert.is(graph.entity("007").label, "Bond");
});

test("KG-03: NA, NaN, None, null and true are names; only the empty field is missing, and is named", async ({
  dir,
}) => {
  const rows = [
    "NA\tinstance_of\tcountry",
    "NaN\tinstance_of\tbread",
    "None\tinstance_of\tvillage",
    "null\tinstance_of\tsurname",
    "true\tinstance_of\tfilm",
  ];
  const file = join(
    put(dir, { "t.tsv": `head\trelation\ttail\n${rows.join("\n")}\n\tinstance_of\tnothing\n` }),
    "t.tsv",
  );
  await rejects(
    () => loadGraph(file),
    /t\.tsv, line 7, column head: empty head \(""\)\. Every row needs head, relation, tail.*lenient: true/,
  );
  const graph = await loadGraph(file, { lenient: true });
  assert.equal(graph.triples.array("head"), ["NA", "NaN", "None", "null", "true"]);
  assert.equal(graph.report.refused, [{ file, line: 7, reason: "empty head" }]);
  assert.equal(graph.report.notices[0], { what: "refused rows: empty head", count: 1, examples: ["t.tsv, line 7"] });
  assert.equal(graph.report.read, { entities: 0, triples: 6 });
  put(dir, { "one.tsv": "e\nNaN\nNaN\n" });
  assert.equal((await readTable(join(dir, "one.tsv"))).array("e"), ["NaN", "NaN"]);
});

test("KG-05: in tsv a quote is a character, and writing then reading gives the same values", async ({ dir }) => {
  const tails = ['"Rex" Harlow', 'The "big" one', '"fully quoted"', "5' 10\""];
  put(dir, { "t.tsv": `head\trelation\ttail\n${tails.map((tail, i) => `Q${i}\tlabel\t${tail}`).join("\n")}\n` });
  const graph = await loadGraph(join(dir, "t.tsv"));
  assert.equal(graph.triples.array("tail"), tails);
  await writeGraph(graph, join(dir, "out"));
  assert.equal((await loadGraph(join(dir, "out"))).triples.array("tail"), tails);
});

test("a file without header is read by position, lines of three fields as triples, and a notice says so", async ({
  dir,
}) => {
  put(dir, { "t.txt": "Q1\tP1\tQ2\nQ2\tP1\tQ1\n", "t.csv": "a,r,b\n" });
  const graph = await loadGraph(join(dir, "t.txt"));
  assert.equal(graph.triples.array("head"), ["Q1", "Q2"]);
  assert.equal(graph.report.notices[0], { what: "files read without a header line", count: 1, examples: ["t.txt"] });
  assert.is((await loadGraph(join(dir, "t.csv"))).triples.numRows(), 1);
});

test("a first line that is names, but not ours, is an error and never a triple", async ({ dir }) => {
  put(dir, {
    "s.tsv": "subject\tpredicate\tobject\na\tr\tb\n",
    "p.csv": "head,rel,tail\na,r,b\n",
    "four.tsv": "a\tr\tb\tc\n",
  });
  await rejects(
    () => loadGraph(join(dir, "s.tsv")),
    /s\.tsv, line 1: no column head .*map it: \{ columns:.*header: false/,
  );
  await rejects(
    () => loadGraph(join(dir, "p.csv")),
    /no column relation .*\{ columns: \{ "rel": "relation" \} \}|no column relation/,
  );
  await rejects(() => loadGraph(join(dir, "four.tsv"), { header: true }), /no column/);
  const graph = await loadGraph(join(dir, "s.tsv"), {
    columns: { subject: "head", predicate: "relation", object: "tail" },
  });
  assert.is(graph.text("0"), "a r b");
  assert.is((await loadGraph(join(dir, "s.tsv"), { header: false })).triples.numRows(), 2);
});

test("names in another case or with blanks are no data: the error gives the map that reads them", async ({ dir }) => {
  const cases: [string, string, RegExp, Record<string, string>][] = [
    [
      "t.tsv",
      "Head\tRelation\tTail\na\tr\tb\n",
      /no column head .*map it: \{ columns: \{ "Head": "head", "Relation": "relation", "Tail": "tail" \} \}; \{ header: false \}/,
      { Head: "head", Relation: "relation", Tail: "tail" },
    ],
    [
      "t.csv",
      "head, relation, tail\na,r,b\n",
      /no column relation .*\{ columns: \{ " relation": "relation", " tail": "tail" \} \}/,
      { " relation": "relation", " tail": "tail" },
    ],
    [
      "e.csv",
      "ID,Label\na,A\n",
      /no column id .*A table of entities needs id.*\{ "ID": "id" \}/,
      { ID: "id", Label: "label" },
    ],
    ["w.csv", "Id,Population\na,7\n", /no column id .*\{ "Id": "id" \}/, { Id: "id" }],
    ["e.jsonl", '{"ID":"a"}\n', /no column id .*\{ "ID": "id" \}/, { ID: "id" }],
  ];
  for (const [name, text, message, columns] of cases) {
    const file = join(put(dir, { [name]: text }), name);
    await rejects(() => loadGraph(file), message);
    const { read } = (await loadGraph(file, { columns })).report;
    assert.is(read.entities! + read.triples!, 1, name);
  }
});

test("csv: byte order mark, CRLF, quoted commas, quotes, line breaks and blank lines", async ({ dir }) => {
  put(dir, { "t.csv": '\ufeffhead,relation,tail\r\n"a, b","say ""x""","two\r\nlines"\r\n\r\n c ,r,\r\n' });
  await rejects(() => loadGraph(join(dir, "t.csv")), /t\.csv, line 5, column tail: empty tail/);
  const graph = await loadGraph(join(dir, "t.csv"), { lenient: true });
  assert.equal(Object.values(graph.triple("0")), ["0", "a, b", 'say "x"', 'say "x"', "two\r\nlines", ""]);
  assert.equal(
    graph.report.refused.map((r) => r.line),
    [5],
  );
});

test("the line that a csv error names is the line of the file, whatever stands in quotes before it", async ({
  dir,
}) => {
  const field = fc.stringMatching(/^[a,"\r\n]{1,5}$/);
  const end = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n");
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(field, field, field, end), { maxLength: 5 }), async (rows) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const before = `head,relation,tail\n${rows.map(([h, r, t, e]) => `${[h, r, t].map(quoted).join(",")}${e}`).join("")}`;
      put(dir, { "t.csv": `${before},r,b\n` });
      // a line ends at each LF
      await rejects(
        () => loadGraph(join(dir, "t.csv")),
        new RegExp(`line ${before.split("\n").length}, column head: empty head`),
      );
      put(dir, { "t.csv": before });
      assert.equal(
        (await loadGraph(join(dir, "t.csv"))).triples.array("tail"),
        rows.map(([, , t]) => t),
      );
    }),
    { numRuns: 60 },
  );
});

test("labels, descriptions and relation texts join by id; what finds no partner is noticed", async ({ dir }) => {
  put(dir, {
    "t.tsv": "Q1\tP1\tQ2\nQ1\tP2\tQ3\n",
    "entity.txt": 'Q3\tthird\nQ1\t"first"\nQ9\tunused\n',
    "long.txt": "Q2\tsecond of all\nQ8\tnobody\n",
    "relation.txt": "P1\tjoins\nP7\tnever\n",
    "images/Q2/a%2bb.png": new Uint8Array([1, 2]),
    "images/Q2/notes.txt": "",
    "images/Q7/x.jpg": new Uint8Array([3]),
  });
  const f = (name: string) => join(dir, name);
  const graph = await loadGraph(f("t.tsv"), {
    labels: { entities: f("entity.txt"), descriptions: f("long.txt"), relations: f("relation.txt") },
    images: f("images"),
  });
  assert.equal(graph.entities.array("id"), ["Q3", "Q1", "Q9", "Q2"]);
  assert.is(graph.text("0"), '"first" joins Q2');
  assert.is(graph.text("1"), '"first" P2 third');
  assert.is(graph.entity("Q2").description, "second of all");
  assert.equal([...(await graph.entity("Q2").images[0]!.bytes())], [1, 2]);
  assert.not.match(graph.entity("Q2").images[0]!.id, /Q2|png/);
  const count = (what: string) => graph.report.notices.find((n) => n.what.startsWith(what))?.examples;
  assert.equal(count("relation labels without triples"), ["P7"]);
  assert.equal(count("relations without a label"), ["P2"]);
  assert.equal(count("descriptions of ids that are no entities"), ["Q8"]);
  assert.equal(count("entities without triples"), ["Q9"]);
  assert.equal(count("pictures of ids that are no entities"), ["Q7"]);
  assert.equal(count("files in the folder of pictures that are no pictures"), ["Q2/notes.txt"]);
});

test("texts of the tables themselves stay, whatever the label files say; they fill what is empty", async ({ dir }) => {
  put(dir, {
    "g/entities.csv": "id,label,description\na,Anna,\nb,,own\n",
    "g/triples.csv": "head,relation,relationLabel,tail\na,r,knows,b\nb,r,,a\n",
  });
  const graph = await loadGraph(join(dir, "g"), {
    labels: {
      entities: { a: "other", b: "Bea" },
      descriptions: { a: "filled", b: "other" },
      relations: { r: "meets" },
    },
  });
  assert.equal(graph.entities.array("label"), ["Anna", "Bea"]);
  assert.equal(graph.entities.array("description"), ["filled", "own"]);
  assert.equal(graph.triples.array("relationLabel"), ["knows", "meets"]);
});

test("a folder of entities.* and triples.*, pictures relative to it; json in both of its shapes", async ({ dir }) => {
  put(dir, {
    "g/entities.csv": "id,label,kind,images\na,Anna,person,p/1.png|p/2.png\nb,,,\n",
    "g/triples.jsonl":
      '{"head":"a","relation":"knows","tail":"b","since":1990}\n\n{"head":"b","relation":"knows","tail":"c","condition":"by day"}\n',
    "g/p/1.png": new Uint8Array([1]),
    "g/p/2.png": new Uint8Array([2]),
    "both.json": '{"entities":[{"id":"a","label":"Anna"}],"triples":[{"head":"a","relation":"r","tail":"b"}]}',
    "list.json": '[{"head":"a","relation":"r","tail":"b"}]',
  });
  const graph = await loadGraph(join(dir, "g"));
  assert.is(graph.text("0"), "Anna knows b");
  assert.is(graph.text("1"), "b knows c (only if by day)");
  assert.equal(graph.triples.array("since"), [1990, null]);
  assert.equal([...(await graph.entity("a").images[1]!.bytes())], [2]);
  assert.is((await loadGraph(join(dir, "both.json"))).text("0"), "Anna r b");
  assert.is((await loadGraph(join(dir, "list.json"))).text("0"), "a r b");
});

test("pictures stay inside the folder", async ({ dir }) => {
  put(dir, { "secret.png": "x", "g/triples.csv": "head,relation,tail\na,r,b\n" });
  symlinkSync(join(dir, "secret.png"), join(dir, "g", "link.png"));
  for (const [path, message] of [
    ["../secret.png", /not a path inside the folder \("\.\.\/secret\.png"\)/],
    [join(dir, "secret.png"), /not a path inside the folder/],
    ["link.png", /the picture lies outside its folder/],
    ["none.png", /cannot read the picture/],
  ] as const) {
    put(dir, { "g/entities.jsonl": `${JSON.stringify({ id: "a", images: [path] })}\n` });
    await rejects(() => loadGraph(join(dir, "g")), message);
  }
});

test("malformed files are errors that name file and line, and formats that are not read name those that are", async ({
  dir,
}) => {
  const cases: [string, string | Uint8Array, RegExp][] = [
    [
      "t.tsv",
      "head\trelation\ttail\na\tr\tb\na\tr\n",
      /t\.tsv, line 3: 2 fields instead of 3 .*Columns: head, relation, tail/,
    ],
    ["t.csv", 'head,relation,tail\na,"r,b\n', /t\.csv, line \d: not CSV/],
    ["t.csv", "head,relation,tail,head\na,r,b,c\n", /two columns have the same name \("head"\)/],
    ["t.jsonl", '{"head":"a","relation":"r","tail":"b"}\n{"head":\n', /t\.jsonl, line 2: not JSON/],
    ["t.jsonl", '{"head":"a","relation":"r","tail":"b"}\n[1]\n', /t\.jsonl, line 2: not an object/],
    ["t.jsonl", '{"head":1,"relation":"r","tail":"b"}\n', /t\.jsonl, line 1, column head: head is not a string \(1\)/],
    ["t.jsonl", '{"relation":"r","tail":"b"}\n', /no column head/],
    ["t.json", '{"edges":[]}', /neither entities nor triples/],
    ["t.json", "{", /t\.json, line 1: not JSON/],
    ["t.json", "[]", /the file is empty \(.*t\.json\)/],
    ["t.tsv", "", /the file is empty/],
    ["t.tsv", new Uint8Array([97, 255, 98]), /not UTF-8/],
    ["t.sav", "x", /not one that is read here \(t\.sav\)\. Formats: csv, tsv, txt, jsonl, ndjson, json, xlsx/],
    [
      "e.csv",
      "id,label\na,x\na,y\n",
      /e\.csv, line 3: a second row with the entity id "a"; the first is .*e\.csv, line 2/,
    ],
    ["g/entities.sav", "x", /Formats: csv/],
    ["h/triples.csv", "a,r,b\n", /^$/],
  ];
  for (const [name, data, message] of cases.slice(0, -1)) {
    put(dir, { [name]: data });
    await rejects(() => loadGraph(join(dir, name.includes("/") ? dirname(name) : name)), message);
  }
  put(dir, { "h/triples.csv": "a,r,b\n", "h/triples.tsv": "a\tr\tb\n" });
  await rejects(() => loadGraph(join(dir, "h")), /two files of triples .*triples\.csv, triples\.tsv/);
  await rejects(() => loadGraph(join(dir, "nowhere")), /there is no such file or folder/);
  await rejects(
    () => loadGraph(dir, { lenien: true } as never),
    /unknown option \("lenien"\).*Did you mean "lenient"\?/,
  );
  await rejects(() => loadGraph(join(dir, "e.csv"), { format: "cvs" }), /unknown format \("cvs"\)\. Known: csv/);
});

test("a lenient reading loses no row without a line in the report", async ({ dir }) => {
  put(dir, { "e.csv": "id,label\na,x\na,y\n,z\nb,1,2\nc,\n" });
  const graph = await loadGraph(join(dir, "e.csv"), { lenient: true });
  assert.equal(graph.entities.array("label"), ["x", "c"]);
  assert.equal(
    graph.report.refused.map(({ line, reason }) => `${line} ${reason}`),
    ["5 3 fields instead of 2", '3 a second row with the id "a"', "4 empty id"],
  );
  assert.is(graph.report.read.entities, graph.entities.numRows() + graph.report.refused.length);
});

test("any graph of well-formed strings survives csv and jsonl, and tsv unless a tab or line break stands in it", async ({
  dir,
}) => {
  const id = fc.string({ unit: "binary", minLength: 1, maxLength: 6 });
  const triple = fc.record({
    head: id,
    relation: id,
    tail: id,
    condition: fc.string({ unit: "binary", maxLength: 4 }),
    note: fc.string({ maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(triple, { minLength: 1, maxLength: 8 }), async (triples) => {
      const graph = graphFrom({ triples });
      for (const format of ["csv", "jsonl", "tsv"]) {
        const fits = format !== "tsv" || !triples.some((t) => Object.values(t).some((v) => /[\t\r\n]/.test(v)));
        const folder = join(dir, format);
        if (!fits)
          await rejects(() => writeGraph(graph, folder, { format }), /tsv cannot hold it: a tab or line break/);
        else {
          await writeGraph(graph, folder, { format });
          assert.is((await loadGraph(folder)).fingerprint, graph.fingerprint);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("writing refuses what would not come back, before anything is written", async ({ dir }) => {
  const row = { head: "a", relation: "r", tail: "b" };
  const image = { id: "i", key: true, bytes: async () => new Uint8Array() };
  await rejects(
    () => writeGraph(graphFrom({ entities: [{ id: "a", images: [image] }] }), dir),
    /has pictures.*graph\.withoutImages\(\)/,
  );
  await rejects(
    () => writeGraph(graphFrom({ triples: [{ ...row, n: 3 }] }), dir),
    /triples, row 0 .*column n: tsv cannot hold it: not a string \(3\)/,
  );
  await rejects(
    () => writeGraph(graphFrom({ triples: [{ ...row, tail: "\ud800" }] }), dir, { format: "jsonl" }),
    /half of a surrogate pair/,
  );
  await rejects(
    () => writeGraph(graphFrom({ triples: [row] }), dir, { format: "sav" }),
    /unknown format \("sav"\)\. Known: csv/,
  );
  await rejects(() => loadGraph(dir), /no entities\.\* or triples\.\*/);
});

test.run();
