import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Graph, graphFrom, loadGraph, readTable, writeGraph } from "../../lib/graph/index.js";

const test = suite<{ dir: string }>("options of loadGraph");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const put = (dir: string, name: string, data: string | Uint8Array): string => {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), data);
  return join(dir, name);
};

async function rejects(act: () => Promise<unknown>, message: RegExp): Promise<void> {
  try {
    await act();
  } catch (error) {
    assert.is((error as Error).constructor.name, "MkgError", String((error as Error).stack));
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable(`no error ${message}`);
}

const texts = (graph: Graph) => (graph.triples.array("id") as string[]).map((id) => graph.text(id));

test("columns are found by position in a file without header, and with one when it is said to be there", async ({
  dir,
}) => {
  // order of the columns: tail, head, a year, relation
  const bare = put(dir, "t.tsv", "fire\tvulmar\t1990\tuses\nice\tvulmar\t1991\tuses\n");
  const columns = { 0: "tail", 1: "head", 3: "relation", 2: "since" };
  const graph = await loadGraph(bare, { columns });
  assert.equal(texts(graph), ["vulmar uses fire", "vulmar uses ice"]);
  assert.equal(graph.triples.array("since"), ["1990", "1991"]);
  // a column that no position names is kept under its number
  const unnamed = await loadGraph(bare, { columns: { 0: "tail", 1: "head", 3: "relation" } });
  assert.equal(unnamed.triples.array("column2"), ["1990", "1991"]);

  const headed = put(dir, "h.csv", "object,subject,year,predicate\nfire,vulmar,1990,uses\n");
  await rejects(() => loadGraph(headed, { columns }), /h\.csv, line 1: columns are given by position.*header: true/);
  const named = await loadGraph(headed, { columns, header: true });
  assert.equal(texts(named), ["vulmar uses fire"]);
  assert.equal(named.triples.array("since"), ["1990"]);
  assert.is((await loadGraph(headed, { columns, header: false })).triples.numRows(), 2);

  // where a column is called "0" the name is meant
  const called = put(dir, "n.csv", "0,relation,tail\na,r,b\n");
  assert.equal(texts(await loadGraph(called, { columns: { 0: "head" } })), ["a r b"]);
});

test("two columns can change names with each other; in every format", async ({ dir }) => {
  const columns = { tail: "head", head: "tail" };
  const rows = [{ head: "a", relation: "r", tail: "b" }];
  for (const format of ["csv", "tsv", "jsonl", "json", "xlsx", "parquet", "arrow"]) {
    await writeGraph(graphFrom({ triples: rows }), join(dir, format), { format });
    assert.equal(texts(await loadGraph(join(dir, format, `triples.${format}`), { columns })), ["b r a"], format);
    assert.equal(texts(await loadGraph(join(dir, format), { columns: { triples: columns } })), ["b r a"], format);
  }
});

test("each table can have a map of its own", async ({ dir }) => {
  put(dir, "g/entities.csv", "name,label\na,Anna\n");
  put(dir, "g/triples.csv", "subject,name,object\na,knows,b\n");
  const columns = {
    entities: { name: "id" },
    triples: { subject: "head", name: "relation", object: "tail" },
  };
  assert.equal(texts(await loadGraph(join(dir, "g"), { columns })), ["Anna knows b"]);
  const single = await loadGraph(join(dir, "g/triples.csv"), { columns: { triples: columns.triples } });
  assert.equal(texts(single), ["a knows b"]);
});

test("several values in a cell become a frozen list, an empty cell an empty one", async ({ dir }) => {
  const file = put(dir, "e.csv", "id,aliases,years\na,x|y,1990;1991\nb,,\nc,x|y,7\n");
  const graph = await loadGraph(file, { split: { aliases: "|", years: ";" }, types: { years: "integer" } });
  assert.equal(graph.entities.array("aliases"), [["x", "y"], [], ["x", "y"]]);
  assert.equal(graph.entities.array("years"), [[1990, 1991], [], [7]]);
  assert.ok((graph.entities.array("aliases") as unknown[]).every(Object.isFrozen));
});

test("typed cells are values, exactly those that the text says; empty ones are null", async ({ dir }) => {
  const file = put(
    dir,
    "e.tsv",
    [
      "id\tn\ti\tbig\tyes\tday",
      "007\t-1.5e3\t-42\t9007199254740993\ttrue\t1492-10-12",
      "7\t.5\t+7\t-9223372036854775808\tFALSE\t2024-02-29T23:30:00+02:00",
      "x\t\t\t\t\t",
      "y\t0\t0\t0\t1\t2024-01-02T03:04",
    ].join("\n"),
  );
  const types = { n: "number", i: "integer", big: "bigint", yes: "boolean", day: "date" } as const;
  const graph = await loadGraph(file, { types });
  assert.equal(graph.entities.array("id"), ["007", "7", "x", "y"]);
  assert.equal(graph.entities.array("n"), [-1500, 0.5, null, 0]);
  assert.equal(graph.entities.array("i"), [-42, 7, null, 0]);
  // 2^53 + 1 and −2^63, which no double holds
  assert.equal(graph.entities.array("big"), [9007199254740993n, -9223372036854775808n, null, 0n]);
  assert.equal(graph.entities.array("yes"), [true, false, null, true]);
  assert.equal(
    (graph.entities.array("day") as (Date | null)[]).map((d) => d?.toISOString() ?? null),
    ["1492-10-12T00:00:00.000Z", "2024-02-29T21:30:00.000Z", null, "2024-01-02T03:04:00.000Z"],
  );
  assert.is(graph.subgraph(["007", "7"]).entities.get("big", 0), 9007199254740993n);
});

test("a time without a zone is in UTC, whatever zone the machine is in", async ({ dir }) => {
  const file = put(dir, "e.csv", "id,at\na,2024-07-02T03:04\nb,2024-07-02T03:04:05.678\n");
  const { TZ } = process.env;
  try {
    for (const zone of ["America/New_York", "Asia/Kolkata", "UTC"]) {
      process.env.TZ = zone;
      assert.equal(
        ((await loadGraph(file, { types: { at: "date" } })).entities.array("at") as Date[]).map((at) =>
          at.toISOString(),
        ),
        ["2024-07-02T03:04:00.000Z", "2024-07-02T03:04:05.678Z"],
        zone,
      );
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
});

test("csv with another character between its fields is read where it is said, and guessed at in the error", async ({
  dir,
}) => {
  const text = (d: string) =>
    `head${d}relation${d}tail${d}note\r\na${d}"r${d}""x"""${d}b${d}1,5\n${d === ";" ? "c;r;d;\n" : ""}`;
  for (const delimiter of [";", "|", "\t", "^"]) {
    const file = put(dir, "t.csv", text(delimiter));
    const graph = await loadGraph(file, { delimiter });
    assert.is(graph.triples.get("relation", 0), `r${delimiter}"x"`);
    assert.is(graph.triples.get("note", 0), "1,5");
    assert.is((await readTable(file, { delimiter })).get("tail", 0), "b");
  }
  const file = put(dir, "s.csv", "head;relation;tail\na;r;b\n");
  await rejects(
    () => loadGraph(file),
    /one column and no header .*separated by ";": read it as csv, \{ delimiter: ";" \}/,
  );
  await rejects(() => loadGraph(file, { header: true }), /separated by ";"/);
  assert.equal(texts(await loadGraph(file, { delimiter: ";" })), ["a r b"]);
  // what may not be read as data is not: a row of another width, a quote within a field
  await rejects(
    () => loadGraph(put(dir, "w.csv", "head;relation;tail\na;r\n"), { delimiter: ";" }),
    /line 2: 2 fields instead of 3/,
  );
  await rejects(
    () => loadGraph(put(dir, "q.csv", 'head;relation;tail\na;5" disk;b\n'), { delimiter: ";" }),
    /line 2: not CSV/,
  );
  await rejects(() => loadGraph(put(dir, "c.tsv", "a,r,b\n")), /separated by ",": read it as csv, \{ format: "csv" \}/);
  await rejects(
    () => loadGraph(put(dir, "t.csv", "a\tr\tb\n")),
    /separated by "\\t": read it as tsv, \{ format: "tsv" \}/,
  );
  for (const delimiter of ["", ";;", '"', "\n", "é", 7])
    await rejects(() => loadGraph(file, { delimiter: delimiter as string }), /delimiter is not a character of ASCII/);
  await rejects(
    () => loadGraph(put(dir, "t.tsv", "a\tr\tb\n"), { delimiter: ";" }),
    /no file here takes the option delimiter \(";"\)\. Formats that do: csv/,
  );
});

test("a map of columns that cannot be right is named as such", async ({ dir }) => {
  const file = put(dir, "t.csv", "s,p,object\na,r,b\n");
  const cases: [Record<string, string>, RegExp][] = [
    [
      { head: "s", relation: "p", tail: "object" },
      /The map goes from the file's names to those used here: \{ columns: \{ "s": "head", "p": "relation", "object": "tail" \} \}/,
    ],
    [{ s: "head", p: "relation", object: "tale" }, /\{ columns \} maps "object" to "tale": did you mean "tail"\?/],
    [
      { s: "head", p: "relation", objekt: "tail" },
      /"objekt" in \{ columns \} is no column of it: did you mean "object"\?/,
    ],
    [{ s: "head", p: "relation" }, /map it: \{ columns: \{ "object": "tail" \} \}/],
  ];
  for (const [columns, message] of cases) await rejects(() => loadGraph(file, { columns }), message);
});

test("a folder in the place of a file, and a folder that may not be listed, are said to be that", async ({ dir }) => {
  const file = put(dir, "t.tsv", "a\tr\tb\n");
  const folder = join(dir, "labels");
  mkdirSync(folder);
  await rejects(() => loadGraph(file, { labels: { entities: folder } }), /a folder, not a file \(.*labels\)/);
  await rejects(() => readTable(folder), /a folder, not a file/);
  await rejects(() => loadGraph({ triples: folder }), /a folder, not a file/);
  chmodSync(folder, 0);
  chmodSync(dir, 0o755);
  // the superuser may list any folder
  const root = process.getuid?.() === 0;
  if (root) process.seteuid!(65534);
  try {
    await rejects(() => loadGraph(folder), /cannot list the folder \(.*labels\)\. Reading is not permitted/);
  } finally {
    if (root) process.seteuid!(0);
    chmodSync(folder, 0o755);
  }
});

test("dates in lists are dates, as those outside; none that is handed out can change the graph", async ({ dir }) => {
  const csv = put(dir, "e.csv", "id,days\na,2024-01-02|2024-01-03\nb,\n");
  const json = put(
    dir,
    "e.jsonl",
    '{"id":"a","days":["2024-01-02",null]}\n{"id":"b","days":"2024-01-04"}\n{"id":"c"}\n',
  );
  const types = { days: "date" } as const;
  const days = (graph: Graph) => graph.entities.array("days");
  const [second, third, fourth] = [2, 3, 4].map((day) => new Date(Date.UTC(2024, 0, day)));
  const lists = await loadGraph(csv, { types, split: { days: "|" } });
  const mixed = await loadGraph(json, { types });
  for (const [graph, expected] of [
    [lists, [[second, third], []]],
    [mixed, [[second, null], fourth, null]],
    [mixed.subgraph(["b", "a"]), [[second, null], fourth]],
    [graphFrom({ entities: [{ id: "a", days: [second, third] }] }), [[second, third]]],
  ] as const) {
    assert.equal(days(graph), expected);
    const { fingerprint } = graph;
    for (const cell of days(graph) as unknown[]) for (const date of [cell].flat()) (date as Date | null)?.setTime(0);
    assert.equal(days(graph), expected);
    assert.is(graph.subgraph(graph.entities.array("id") as string[]).fingerprint, fingerprint);
  }
  await rejects(
    () => loadGraph(put(dir, "x.csv", "id,days\na,2024-01-02|x\n"), { types, split: { days: "|" } }),
    /line 2, column days: not a date/,
  );
});

test("a cell that is no such value is an error that names it; lenient, its row is left out and listed", async ({
  dir,
}) => {
  const cases: [string, "number" | "integer" | "bigint" | "boolean" | "date", RegExp][] = [
    ["1,5", "number", /not a number/],
    ["0x10", "number", /not a number/],
    ["1e999", "number", /beyond the range of a double/],
    ["9007199254740993", "number", /type bigint/],
    ["9007199254740993", "integer", /beyond 2\^53; type bigint/],
    ["1.0", "integer", /not an integer/],
    [" 1", "bigint", /not an integer/],
    ["yes", "boolean", /not true, false, 1 or 0/],
    ["2023-02-29", "date", /not a day of the calendar/],
    ["29.2.2024", "date", /not a date/],
    ["NaN", "number", /not a number/],
  ];
  for (const [text, type, reason] of cases) {
    const file = put(dir, "e.tsv", `id\tv\na\t${text}\nb\t\n`);
    await rejects(() => loadGraph(file, { types: { v: type } }), reason);
    await rejects(() => loadGraph(file, { types: { v: type } }), /e\.tsv, line 2, column v: .*lenient: true/);
    const graph = await loadGraph(file, { types: { v: type }, lenient: true });
    assert.equal(graph.entities.array("id"), ["b"]);
    assert.equal(
      graph.report.refused.map(({ line }) => line),
      [2],
    );
    assert.match(graph.report.refused[0]!.reason, reason);
  }
});

test("ids that JSON writes as numbers can be read as text, all their digits kept", async ({ dir }) => {
  const file = put(dir, "t.jsonl", '{"head":9007199254740993,"relation":"r","tail":7}\n');
  await rejects(() => loadGraph(file), /t\.jsonl, line 1, column head: head is not a string/);
  const graph = await loadGraph(file, { types: { head: "text", tail: "text" } });
  assert.equal(texts(graph), ["9007199254740993 r 7"]);
});

test("files named one by one are one graph; rows are found in the file they stand in", async ({ dir }) => {
  const files = {
    entities: put(dir, "people.csv", "id,label\na,Anna\nb,Bea\n"),
    triples: [
      put(dir, "one.tsv", "a\tknows\tb\n"),
      put(dir, "two.jsonl", '{"head":"b","relation":"knows","tail":"a","since":1990}\n'),
      put(dir, "three.tsv.gz", gzipSync("head\trelation\ttail\na\tlikes\tc\n")),
    ],
  };
  const graph = await loadGraph(files);
  assert.equal(texts(graph), ["Anna knows Bea", "Bea knows Anna", "Anna likes c"]);
  assert.equal(graph.triples.array("since"), [null, 1990, null]);
  assert.equal(graph.report.read, { entities: 2, triples: 3 });
  const twice = { entities: [files.entities, put(dir, "more.csv", "id\nc\nb\n")], triples: files.triples };
  await rejects(
    () => loadGraph(twice),
    /more\.csv, line 3: a second row with the entity id "b"; the first is .*people\.csv, line 3/,
  );
  const lenient = await loadGraph(twice, { lenient: true });
  assert.equal(lenient.entities.array("id"), ["a", "b", "c"]);
  assert.equal(
    lenient.report.refused.map(({ file, line }) => [file, line]),
    [[join(dir, "more.csv"), 3]],
  );
  await rejects(
    () => loadGraph({ triple: files.triples } as never),
    /unknown part of the source \("triple"\).*Did you mean "triples"\?/,
  );
  await rejects(() => loadGraph({ triples: join(dir, "none.csv") }), /there is no such file or folder \(.*none\.csv\)/);
});

test("one file with both tables: sheets, lists and RDF; other tables are noticed, not dropped in silence", async ({
  dir,
}) => {
  const graph = graphFrom({
    entities: [{ id: "a", label: "Anna" }, { id: "b" }],
    triples: [{ head: "a", relation: "r", tail: "b" }],
  });
  for (const name of ["g.xlsx", "g.json"]) {
    await writeGraph(graph, join(dir, name));
    assert.is((await loadGraph(join(dir, name))).fingerprint, graph.fingerprint, name);
  }
  const more = put(
    dir,
    "m.json",
    '{"triples":[{"head":"a","relation":"r","tail":"b"}],"questions":[{"id":"q"}],"version":3}',
  );
  const loaded = await loadGraph(more);
  assert.equal(texts(loaded), ["a r b"]);
  const noticed = (what: string) => loaded.report.notices.find((n) => n.what.startsWith(what))?.examples;
  assert.equal(noticed("tables that are neither entities nor triples"), [`${more}, questions`]);
  assert.equal(noticed("members of a JSON file that are no tables"), ["version"]);
  assert.equal(texts(await loadGraph(more, { sheet: "triples" })), ["a r b"]);
  await rejects(
    () => loadGraph(more, { sheet: "triple" }),
    /unknown table of .*m\.json \("triple"\).*Did you mean "triples"\?/,
  );
  const rdf = await loadGraph(put(dir, "g.nt", "<http://x.org/a> <http://x.org/p> <http://x.org/b> .\n"));
  assert.equal(rdf.triples.array("head"), ["http://x.org/a"]);
  // a folder in which one file holds both
  await writeGraph(graph, join(dir, "whole/graph.xlsx"));
  assert.is((await loadGraph(join(dir, "whole"))).fingerprint, graph.fingerprint);
});

test("other encodings are decoded when they are said, and a byte that does not fit is found", async ({ dir }) => {
  const latin = put(dir, "l.tsv", Buffer.from("caf\xe9\tr\tna\xefve\nok\tr\tok\n", "latin1"));
  await rejects(
    () => loadGraph(latin),
    /l\.tsv, line 1, field 1: not UTF-8 \(byte 0xE9 at position 3, after "caf"\).*encoding: "windows-1252"/,
  );
  const graph = await loadGraph(latin, { encoding: "windows-1252" });
  assert.equal(texts(graph), ["café r naïve", "ok r ok"]);
  assert.equal(graph.report.repaired[0], { what: "files decoded from windows-1252", count: 1, examples: [latin] });
  await rejects(() => loadGraph(latin, { encoding: "latin-9000" }), /unknown encoding \("latin-9000"\)/);

  const mixed = put(
    dir,
    "m.csv",
    Buffer.concat([
      Buffer.from("head,relation,tail\ncafé,r,b\n"),
      Buffer.from("a,r,na\xefve\n", "latin1"),
      Buffer.from("a,r,c\n"),
    ]),
  );
  await rejects(
    () => loadGraph(mixed),
    /m\.csv, line 3, column tail: not UTF-8 \(byte 0xEF at position 2, after "na"\)/,
  );
  const lenient = await loadGraph(mixed, { lenient: true });
  assert.equal(texts(lenient), ["café r b", "a r c"]);
  assert.equal(lenient.report.refused, [
    { file: mixed, line: 3, reason: 'column tail is not UTF-8 (byte 0xEF at position 2, after "na")' },
  ]);

  for (const [name, encode] of [
    ["utf-16le", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["utf-16be", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ] as const) {
    const file = put(dir, "u.tsv", encode("é\tr\t🐉\n"));
    const wide = await loadGraph(file);
    assert.equal(texts(wide), ["é r 🐉"]);
    assert.is(wide.report.repaired[0]!.what, `files decoded from ${name}`);
    const bare = put(dir, "bare.tsv", encode("head\trelation\ttail\na\tr\tb\n").subarray(2));
    await rejects(() => loadGraph(bare), new RegExp(`every other byte is NUL.*encoding: "${name}"`));
    assert.equal(texts(await loadGraph(bare, { encoding: name })), ["a r b"]);
  }
});

test("an option that finds no column, or that could mean nothing, is an error", async ({ dir }) => {
  const file = put(dir, "t.csv", "head,relation,tail,since\na,r,b,1990\n");
  const cases: [object, RegExp][] = [
    [
      { columns: { sinse: "year" } },
      /unknown column in \{ columns \} \("sinse"\)\. Columns that were read: .*Did you mean "since"\?/,
    ],
    [{ columns: { 9: "year" }, header: true }, /unknown column in \{ columns \} \("9"\)/],
    [{ columns: { since: "x", head: "x" } }, /two are mapped to one name \("x"\)/],
    [{ columns: { since: 7 } }, /"since" is mapped to no name \(7\)/],
    [{ columns: { triple: { a: "b" } } }, /unknown table in \{ columns \} \("triple"\).*Did you mean "triples"\?/],
    [{ types: { sinse: "integer" } }, /unknown column in types or split \("sinse"\).*Did you mean "since"\?/],
    [{ types: { since: "int" } }, /unknown type of the column since \("int"\)/],
    [{ types: { head: "integer" } }, /the column head is a text of the graph, not of type integer/],
    [{ split: { since: "" } }, /split: no separator for the column since/],
    [{ split: { head: "|" } }, /split: the column head holds one value/],
    [{ labels: { entity: "x" } }, /unknown key of labels \("entity"\)/],
    [{ lenint: true }, /unknown option \("lenint"\).*Did you mean "lenient"\?/],
  ];
  for (const [options, message] of cases) await rejects(() => loadGraph(file, options), message);
});

test("an option of a wrong type, or that no file takes, is an error; in mixed files it holds for those that take it", async ({
  dir,
}) => {
  const jsonl = put(dir, "t.jsonl", '{"head":"a","relation":"r","tail":"b"}\n');
  const csv = put(dir, "t.csv", "a,r,b\n");
  await writeGraph(graphFrom({ entities: [{ id: "a" }] }), join(dir, "e"), { format: "xlsx" });
  const xlsx = join(dir, "e/entities.xlsx");
  const cases: [string, object, RegExp][] = [
    [csv, { lenient: "no" }, /lenient is not true or false \("no"\)/],
    [csv, { header: "false" }, /header is not true or false \("false"\)/],
    [csv, { name: 5 }, /name is not a string \(5\)/],
    [csv, { images: true }, /images is not a string \(true\)/],
    [csv, { fetch: "yes" }, /not an object of options of fetch \("yes"\)/],
    [csv, { labels: { entities: 5 } }, /labels: not texts by id \(5\)/],
    [jsonl, { header: false }, /no file here takes the option header \(false\)\. Formats that do: csv, tsv, xlsx/],
    [
      xlsx,
      { encoding: "klingon" },
      /no file here takes the option encoding \("klingon"\)\. Formats that do: csv, tsv, jsonl/,
    ],
    [csv, { sheet: "s" }, /no file here takes the option sheet \("s"\)\. Formats that do: json, xlsx/],
  ];
  for (const [file, options, message] of cases) await rejects(() => loadGraph(file, options), message);
  for (const [file, options, message] of [
    [jsonl, { names: ["head", "relation", "tail"] }, /no file here takes the option names/],
    [csv, { names: "a,r,b" }, /names is not a list of strings \("a,r,b"\)/],
    [xlsx, { encoding: "utf-8" }, /no file here takes the option encoding/],
    [csv, { sheet: "s" }, /no file here takes the option sheet/],
  ] as const)
    await rejects(() => readTable(file, options as object), message);
  await rejects(async () => graphFrom({ triples: [], name: 5 as never }), /graphFrom: name is not a string \(5\)/);
  const mixed = { entities: xlsx, triples: [csv, jsonl] };
  const graph = await loadGraph(mixed, {
    header: false,
    columns: {
      triples: { 0: "head", 1: "relation", 2: "tail" },
      entities: { 0: "id", 1: "label", 2: "description", 3: "kind" },
    },
  });
  assert.equal(texts(graph), ["a r b", "a r b"]);
  assert.is((await loadGraph(mixed, { encoding: "windows-1252", sheet: "entities" })).triples.numRows(), 2);
});

test("a picture that cannot be opened is an error; lenient, it alone is left out and listed", async ({ dir }) => {
  put(dir, "pics/entities.csv", "id,images\na,gone.png\nb,../b.png|here.png\n");
  put(dir, "pics/here.png", "");
  const folder = join(dir, "pics");
  await rejects(() => loadGraph(folder), /entities\.csv, line 2, column images: .*gone\.png/);
  const graph = await loadGraph(folder, { lenient: true });
  assert.equal(
    ["a", "b"].map((id) => graph.entity(id).images.length),
    [0, 1],
  );
  const [said] = graph.report.repaired;
  assert.is(said?.what, "pictures that cannot be opened: left out");
  assert.is(said?.count, 2);
  assert.match(said!.examples[0]!, /entities\.csv, line 2: .*gone\.png/);
  assert.match(said!.examples[1]!, /entities\.csv, line 3: .*\.\.\/b\.png/);
});

test("a table of a hundred thousand columns is read", async ({ dir }) => {
  const names = Array.from({ length: 100_000 }, (_, i) => `c${i}`);
  const file = put(dir, "wide.csv", `head,relation,tail,${names.join(",")}\na,r,b,${names.join(",")}\n`);
  const graph = await loadGraph(file);
  assert.is(graph.triples.numCols(), 6 + names.length);
  assert.is(graph.triples.get("c99999", 0), "c99999");
});

test("for each table read = kept + refused − added, whatever is asked for", async ({ dir }) => {
  const cell = fc.constantFrom("a", "b", "", "7", "x|y", "é");
  const rows = fc.array(fc.tuple(cell, cell, cell, cell), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, rows, fc.boolean(), async (entities, triples, labelled) => {
      put(dir, "g/entities.csv", `id,label,n,list\n${entities.map((row) => `${row.join(",")}\n`).join("")}`);
      put(dir, "g/triples.tsv", `head\trelation\ttail\tn\n${triples.map((row) => `${row.join("\t")}\n`).join("")}`);
      const graph = await loadGraph(join(dir, "g"), {
        lenient: true,
        types: { n: "integer" },
        split: { list: "|" },
        labels: labelled ? { entities: { a: "A", q: "Q" }, relations: { b: "B" } } : {},
      });
      const { read, kept, added, refused, repaired, notices } = graph.report;
      for (const table of ["entities", "triples"] as const) {
        const left = refused.filter((row) => row.file.includes(table)).length;
        assert.is(read[table], kept[table]! + left - added[table]!);
      }
      // a csv or tsv line of four empty fields is a row, not a blank line
      assert.is(read.entities, entities.length);
      assert.is(read.triples, triples.length);
      const said = [...repaired, ...notices].filter(({ what }) => /added$/.test(what));
      // where no row of the table is left, the labels `a` and `q` are the table
      const unsaid = labelled && kept.entities === added.entities ? 2 : 0;
      assert.is(
        said.reduce((n, { count }) => n + count, unsaid),
        added.entities,
      );
    }),
    { numRuns: 120 },
  );
});

test.run();
