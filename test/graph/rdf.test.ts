import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { Parser } from "n3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSource } from "../../lib/graph/formats/compressed.js";
import type { SourceRows, TableFormat } from "../../lib/graph/formats/format.js";
import { nquads, ntriples, turtle } from "../../lib/graph/formats/rdf.js";
import { type Graph, imageReference, loadGraph, writeGraph } from "../../lib/graph/index.js";

const test = suite<{ dir: string }>("rdf");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const reading = (lenient = false) => ({
  place: "test",
  lenient,
  decide: (first: readonly string[]) => ({ names: first, header: true }),
});
async function read(
  dir: string,
  format: TableFormat,
  text: string | Uint8Array,
  lenient = false,
): Promise<[SourceRows, SourceRows]> {
  const path = join(dir, `g.${format.extensions[0]}`);
  writeFileSync(path, text);
  return (await format.read(await openSource("test", path), reading(lenient))) as [SourceRows, SourceRows];
}
const column = (table: SourceRows, name: string) => [...(table.columns.data.get(name) ?? [])];
const rows = (triples: SourceRows) => {
  const columns = ["head", "relation", "tail"].map((name) => column(triples, name));
  return columns[0]!.map((_, i) => columns.map((values) => values[i]));
};
const write = async (format: TableFormat, parts: readonly SourceRows[]) =>
  [...((await format.encode!(parts, "writeGraph"))[0]!.data as Iterable<string>)].join("");

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

const xsd = "http://www.w3.org/2001/XMLSchema#";
const rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const label = "http://www.w3.org/2000/01/rdf-schema#label";
const comment = "http://www.w3.org/2000/01/rdf-schema#comment";

test("Turtle: prefixes, base, escapes, abbreviations and lists give the statements of the recommendation", async ({
  dir,
}) => {
  const [entities, triples] = await read(
    dir,
    turtle,
    `@prefix ex: <http://ex.org/> .
@base <http://base.org/dir/file> .
ex:Gorm a ex:Creature ;
  ex:weight 12.50, 3, true, 1e5 ;
  ex:near [ ex:name "cave \\u00e9\\t" ], _:b0, <rel/x>, <#frag>, <../up> ;
  ex:list ( 1 "zwei"@de-AT ) .
ex:a\\,b ex:p """two
lines "q" """ .
`,
  );
  // RDF 1.1 Turtle, sections 2.2 to 2.8; relative references by RFC 3986, 5.2
  assert.equal(rows(triples), [
    ["http://ex.org/Gorm", `${rdf}type`, "http://ex.org/Creature"],
    ["http://ex.org/Gorm", "http://ex.org/weight", `"12.50"^^<${xsd}decimal>`],
    ["http://ex.org/Gorm", "http://ex.org/weight", `"3"^^<${xsd}integer>`],
    ["http://ex.org/Gorm", "http://ex.org/weight", `"true"^^<${xsd}boolean>`],
    ["http://ex.org/Gorm", "http://ex.org/weight", `"1e5"^^<${xsd}double>`],
    ["_:g1", "http://ex.org/name", '"cave é\t"'],
    ["http://ex.org/Gorm", "http://ex.org/near", "_:g1"],
    ["http://ex.org/Gorm", "http://ex.org/near", "_:b0"],
    ["http://ex.org/Gorm", "http://ex.org/near", "http://base.org/dir/rel/x"],
    ["http://ex.org/Gorm", "http://ex.org/near", "http://base.org/dir/file#frag"],
    ["http://ex.org/Gorm", "http://ex.org/near", "http://base.org/up"],
    ["_:g2", `${rdf}first`, `"1"^^<${xsd}integer>`],
    ["_:g2", `${rdf}rest`, "_:g3"],
    ["_:g3", `${rdf}first`, '"zwei"@de-AT'],
    ["_:g3", `${rdf}rest`, `${rdf}nil`],
    ["http://ex.org/Gorm", "http://ex.org/list", "_:g2"],
    ["http://ex.org/a,b", "http://ex.org/p", '"two\\nlines \\"q\\" "'],
  ]);
  const at = column(entities, "id").indexOf('"zwei"@de-AT');
  assert.equal(
    ["label", "kind", "datatype", "language"].map((name) => column(entities, name)[at]),
    ["zwei", "literal", `${rdf}langString`, "de-AT"],
  );
  const blank = column(entities, "id").indexOf("_:g1");
  assert.equal(
    ["label", "kind", "datatype", "language"].map((name) => column(entities, name)[blank]),
    [null, "blank node", null, null],
  );
  assert.equal([triples.line(0), triples.line(6), triples.line(16)], [3, 5, 8]);
});

test("ids are exact: language tags keep their case, equal literals are one entity, _:b1 and an IRI stay apart", async ({
  dir,
}) => {
  const lines = [
    '<http://a/A> <http://a/p> "x"@En-us .',
    '<http://a/a> <http://a/p> "x"@en-US .',
    '<http://a/a> <http://a/p> "\\u0041\\u0301" .',
    '<http://a/a> <http://a/p> "A\u0301" .',
    "_:b1 <http://a/p> <urn:b1> .",
    '<http://a/a> <http://a/p> "001" .',
    `<http://a/a> <http://a/p> "x"^^<${xsd}string> .`,
  ];
  const [entities, triples] = await read(dir, ntriples, `${lines.join("\n")}\n`);
  assert.equal(column(triples, "tail"), ['"x"@En-us', '"x"@en-US', '"A\u0301"', '"A\u0301"', "urn:b1", '"001"', '"x"']);
  assert.equal(column(entities, "id"), [
    "http://a/A",
    '"x"@En-us',
    "http://a/a",
    '"x"@en-US',
    '"A\u0301"',
    "_:b1",
    "urn:b1",
    '"001"',
    '"x"',
  ]);
});

test("a label is taken by predicate, then no language before English before others, then order; its statements stay", async ({
  dir,
}) => {
  const text = `<http://a/1> <http://xmlns.com/foaf/0.1/name> "foaf" .
<http://a/1> <${label}> "deutsch"@de .
<http://a/1> <${label}> "english"@en .
<http://a/1> <${label}> "plain" .
<http://a/1> <${label}> "plain too" .
<http://a/2> <${label}> "zwei"@de .
<http://a/2> <${label}> <http://a/noliteral> .
<http://a/2> <${comment}> "about" .
<http://a/p> <${label}> "knows" .
<http://a/1> <http://a/p> <http://a/2> .
`;
  const [entities, triples] = await read(dir, ntriples, text);
  const ids = column(entities, "id");
  const of = (name: string, id: string) => column(entities, name)[ids.indexOf(id)];
  assert.equal(
    [
      of("label", "http://a/1"),
      of("label", "http://a/2"),
      of("description", "http://a/2"),
      of("label", "http://a/noliteral"),
    ],
    ["plain", "zwei", "about", null],
  );
  assert.is(triples.columns.rows, 10);
  assert.is(column(triples, "relationLabel")[9], "knows");
  assert.equal(entities.notices, [
    { what: "nodes with several labels: one is the label, all stay triples", count: 1, examples: ["http://a/1"] },
  ]);
});

test("N-Quads: the name of the graph is a column, null for the default graph", async ({ dir }) => {
  const text =
    "<http://a/1> <http://a/p> <http://a/2> <http://g> .\n<http://a/1> <http://a/p> <http://a/2> .\n<http://a/1> <http://a/p> <http://a/2> _:g .\n";
  const parts = await read(dir, nquads, text);
  assert.equal(column(parts[1], "graph"), ["http://g", null, "_:g"]);
  assert.is(await write(nquads, parts), text);
  await rejects(
    () => write(ntriples, parts),
    /writeGraph: triples, row 0 \(from 0\), column graph: nt cannot hold it: a graph name \("http:\/\/g"\)\. .*Choose nq/,
  );
});

test("a malformed line is an error that names it; lenient, it is listed and the others are read", async ({ dir }) => {
  const good = "<http://a/1> <http://a/p> <http://a/2> .";
  const bad: [string | Uint8Array, RegExp][] = [
    ["broken", /Unexpected "broken"/],
    ['<http://a> <http://b> "open .', /Unexpected/],
    ["<rel> <http://b> <http://c> .", /an IRI that is not absolute/],
    ["<http://a> <http://b> << <http://a> <http://b> <http://c> >> .", /a triple as a term \(RDF-star\)/],
    ["<http://a> _:b <http://c> .", /./],
    ['"literal" <http://b> <http://c> .', /./],
    ["<http://a> <http://b> <http://c>", /./],
    ['<http://a> <http://b> "\\ud800" .', /./],
    [
      Buffer.concat([Buffer.from('<http://a> <http://b> "'), Buffer.from([0xff]), Buffer.from('" .')]),
      /not UTF-8 \(byte 0xFF at position 23/,
    ],
  ];
  for (const [line, reason] of bad) {
    const text = Buffer.concat([
      Buffer.from(`# comment\n\n${good}\n`),
      Buffer.from(line),
      Buffer.from(`\n${good} # end`),
    ]);
    await rejects(
      () => read(dir, ntriples, text),
      new RegExp(`g\\.nt, line 4: ${reason.source}.*one statement a line.*lenient`),
    );
    const [, triples] = await read(dir, ntriples, text, true);
    assert.equal(rows(triples).length, 2, String(line));
    assert.equal([triples.line(0), triples.line(1)], [3, 5]);
    assert.equal(
      triples.refused.map(({ file, line }) => [file, line]),
      [[join(dir, "g.nt"), 4]],
    );
    assert.match(triples.refused[0]!.reason, reason);
  }
  await rejects(
    () => read(dir, ntriples, `${good.replace(" <http://a/2>", "\n<http://a/2>")}\n`),
    /line 1: a statement that runs over its line/,
  );
});

test("Turtle: a mistake names its line, and is an error even when lenient", async ({ dir }) => {
  for (const [text, message] of [
    ['<http://a> <http://b> <http://c> .\n<http://a> <http://b> "open .\n', /line 2: Unexpected/],
    ["ex:a ex:b ex:c .", /line 1: Undefined prefix "ex:"/],
    ["\n<a> <http://b> <http://c> .", /line 2: a relative IRI, and no base to take it from \("a"\)/],
    ["<http://a> <http://b> <<( <http://a> <http://b> <http://c> )>> .", /a triple as a term \(RDF-star\)/],
    ["<< <http://a> <http://b> <http://c> >> <http://p> 1 .", /a triple as a term \(RDF-star\)/],
    ["<http://a> <http://b> <http://c>", /line 1: /],
    ["<http://a> <http://b> [ <http://c> 1 .", /line 1: /],
  ] as const)
    for (const lenient of [false, true]) await rejects(() => read(dir, turtle, text, lenient), message);
});

test("relative IRIs are taken from the base that is given, until the file states one", async ({ dir }) => {
  const file = join(dir, "g.ttl");
  writeFileSync(file, "<a> <#p> <../b> .\n@base <http://y.org/> .\n<a> <p> <> .\n");
  await rejects(() => loadGraph(file), /line 1: a relative IRI, and no base .*\{ base: "http:\/\/example\.org\/" \}/);
  const graph = await loadGraph(file, { base: "http://x.org/d/f.ttl" });
  // RFC 3986, 5.2
  assert.equal(
    ["head", "relation", "tail"].map((name) => graph.triples.array(name)),
    [
      ["http://x.org/d/a", "http://y.org/a"],
      ["http://x.org/d/f.ttl#p", "http://y.org/p"],
      ["http://x.org/b", "http://y.org/"],
    ],
  );
  for (const base of ["d/f.ttl", "", 7])
    await rejects(() => loadGraph(file, { base: base as string }), /base is not an absolute IRI/);
  writeFileSync(join(dir, "g.nt"), "<a> <p> <b> .\n");
  await rejects(
    () => loadGraph(join(dir, "g.nt"), { base: "http://x.org/" }),
    /no file here takes the option base .*Formats that do: ttl/,
  );
});

test("described, statements about a node are its texts, kind and pictures; all others stay triples", async ({
  dir,
}) => {
  const file = join(dir, "g.ttl");
  writeFileSync(
    file,
    `@prefix : <http://x.org/a#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix foaf: <http://xmlns.com/foaf/0.1/> .
:vulmar a :Creature ; rdfs:label "Vulmar", "Vulmarus"@la ; rdfs:comment "a beast" ;
  foaf:depiction <http://x.org/v.png>, <http://x.org/w.png>, "none" ; :uses :Ember%20Sweep ; :rank 3 ; :note "Vulmar" .
:Creature rdfs:label "creature" .
_:b :uses :vulmar .
`,
  );
  const graph = await loadGraph(file, { rdf: "described" });
  const [x, label, depiction] = [
    "http://x.org/a#",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://xmlns.com/foaf/0.1/depiction",
  ];
  const { images, ...vulmar } = graph.entity(`${x}vulmar`);
  assert.equal(
    [vulmar.label, vulmar.description, vulmar.kind, ...images.map(imageReference)],
    ["Vulmar", "a beast", "creature", "http://x.org/v.png", "http://x.org/w.png"],
  );
  assert.equal(
    (graph.triples.array("id") as string[]).map((id) => [graph.triple(id).relation.replace(x, ":"), graph.text(id)]),
    [
      ["http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "Vulmar type creature"],
      [label, "Vulmar label Vulmarus"],
      [depiction, "Vulmar depiction none"],
      [":uses", "Vulmar uses Ember Sweep"],
      [":rank", "Vulmar rank 3"],
      [":note", "Vulmar note Vulmar"],
      [":uses", "_:b uses Vulmar"],
    ],
  );
  // the text "Vulmar" is an entity by :note alone; pictures and other texts that are told are none
  assert.equal(
    (graph.entities.array("id") as string[]).filter((id) => /png|beast|"creature"/.test(id)),
    [],
  );
  assert.equal(graph.report.notices.find(({ what }) => what.startsWith("statements that became"))?.count, 5);
  assert.equal(graph.report.read, { entities: graph.entities.numRows(), triples: 7 });
  await rejects(() => writeGraph(graph.withoutImages(), join(dir, "w.nt")), /nt cannot hold it: statements give/);
  // a table beside it: its cells are filled, pictures too
  writeFileSync(join(dir, "e.csv"), `id,label\n${x}vulmar,Own\n`);
  const beside = await loadGraph({ entities: join(dir, "e.csv"), triples: file }, { rdf: "described" });
  assert.equal([beside.entity(`${x}vulmar`).label, beside.entity(`${x}vulmar`).images.length], ["Own", 2]);
  await rejects(
    () => loadGraph(file, { rdf: "nice" as never }),
    /unknown rdf \("nice"\)\. Known: statements, described/,
  );
});

test("blank nodes without a label get one that the file does not use, the same at each reading", async ({ dir }) => {
  const text = '_:g2 <http://p> [ <http://q> 1 ] .\n[] <http://p> "x" .\n_:g1 <http://p> "y" .\n';
  const first = await read(dir, turtle, text);
  assert.equal(column(first[1], "head"), ["_:g1", "_:g2", "_:g3", "_:g4"]);
  assert.equal(first[0].repaired, [
    { what: "labels of blank nodes changed: taken by another", count: 1, examples: ["_:g1"] },
  ]);
  assert.equal(rows((await read(dir, turtle, text))[1]), rows(first[1]));
});

test("compressed, in UTF-16, with a byte order mark or CRLF: the same statements", async ({ dir }) => {
  const text = '<http://a/1> <http://a/p> "é😀" .\r\n<http://a/1> <http://a/p> <http://a/2> .\r\n';
  const plain = rows((await read(dir, ntriples, text))[1]);
  assert.equal(plain[0], ["http://a/1", "http://a/p", '"é😀"']);
  for (const other of [gzipSync(text), `\ufeff${text}`])
    assert.equal(rows((await read(dir, ntriples, other))[1]), plain);
  const utf16 = await read(dir, ntriples, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]));
  assert.equal(rows(utf16[1]), plain);
  assert.equal(
    utf16[0].repaired.map(({ what }) => what),
    ["files decoded from utf-16le"],
  );
});

test("writing gives the same statements, by n3's own reading too, and what is read again is the same", async ({
  dir,
}) => {
  const iri = fc.constantFrom("http://a/1", "http://a/2", "urn:x:ä", label, "mailto:a@b.c", "http://a/%20?q#f");
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom("", '"', "\\", "\r\n", "\t", "a\\nb", "\u0000", "\u007f", "é😀"),
  );
  const literal = fc.oneof(
    value.map((text) => ({ text, suffix: "" })),
    fc
      .tuple(value, fc.constantFrom("@en", "@de-AT", "@EN", `^^<${xsd}integer>`, "^^<urn:t>"))
      .map(([text, suffix]) => ({ text, suffix })),
  );
  const escaped = (text: string) =>
    [...text]
      .map((char) => (/[\w ]/.test(char) ? char : `\\U${char.codePointAt(0)!.toString(16).padStart(8, "0")}`))
      .join("");
  const term = fc.oneof(
    iri.map((id) => `<${id}>`),
    fc.constantFrom("_:b0", "_:x.y"),
    literal.map(({ text, suffix }) => `"${escaped(text)}"${suffix}`),
  );
  const node = fc.oneof(
    iri.map((id) => `<${id}>`),
    fc.constantFrom("_:b0", "_:g1"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(node, iri, term), { minLength: 1, maxLength: 12 }), async (statements) => {
      const text = statements.map(([s, p, o]) => `${s} <${p}> ${o} .\n`).join("");
      const parts = await read(dir, ntriples, text);
      assert.is(parts[1].columns.rows, statements.length);
      const written = await write(ntriples, parts);
      const quads = (from: string) =>
        new Parser({ format: "N-Triples", blankNodePrefix: "_:" }).parse(from).map((quad) => quad.toJSON());
      assert.equal(quads(written), quads(text));
      const again = await read(dir, ntriples, written);
      for (const [i, part] of again.entries())
        assert.equal(
          [...part.columns.data].map(([name, values]) => [name, [...values]]),
          [...parts[i]!.columns.data].map(([name, values]) => [name, [...values]]),
        );
      assert.is(await write(ntriples, again), written);
    }),
    { numRuns: 150, seed: 2 },
  );
});

test("what statements cannot hold is refused, with table, row and column", async () => {
  const table = (part: string, data: [string, unknown[]][]) => ({
    part,
    columns: { rows: data[0]![1].length, data: new Map(data) as never },
  });
  const good: [string, unknown[]][] = [
    ["id", ["0"]],
    ["head", ["http://a/1"]],
    ["relation", ["http://a/p"]],
    ["relationLabel", ["http://a/p"]],
    ["tail", ["http://a/2"]],
    ["condition", [""]],
  ];
  const changed = (name: string, value: unknown) =>
    good.map(([own, values]): [string, unknown[]] => [own, own === name ? [value] : values]);
  const entities = (id: string, name: string) =>
    table("entities", [
      ["id", [id]],
      ["label", [name]],
      ["description", [""]],
      ["kind", [""]],
    ]);
  const encode = (triples: [string, unknown[]][], ...others: ReturnType<typeof table>[]) =>
    ntriples.encode!([...others, table("triples", triples)], "writeGraph");
  assert.is(
    [...((await encode(good, entities("http://a/1", "http://a/1")))[0]!.data as Iterable<string>)].join(""),
    "<http://a/1> <http://a/p> <http://a/2> .\n",
  );
  for (const [name, value, why] of [
    ["head", "plain", 'no IRI or blank node \\("plain"\\)'],
    ["head", '"literal"', "no IRI or blank node"],
    ["relation", "_:b", "no absolute IRI"],
    ["tail", "http://a/with space", "no IRI, blank node or literal"],
    ["tail", '"open', "no IRI, blank node or literal"],
    ["condition", "when angry", 'statements give none \\("when angry"\\)'],
    ["relationLabel", "likes", 'statements give none \\("likes"\\)'],
    ["id", "t7", 'statements give another value \\("t7"\\)'],
  ] as const)
    await rejects(
      () => encode(changed(name, value)),
      new RegExp(`writeGraph: triples, row 0 \\(from 0\\), column ${name}: nt cannot hold it: ${why}`),
    );
  await rejects(
    () => encode(good, entities("http://a/1", "One")),
    /entities, row 0 \(from 0\), column label: nt cannot hold it: statements give another value \("One"\)/,
  );
  await rejects(
    () => encode(good, entities("http://a/alone", "http://a/alone")),
    /entities, row 0 \(from 0\), column id: nt cannot hold it: an entity without statements/,
  );
  await rejects(
    () => encode([...good, ["weight", [3]]]),
    /column weight: nt cannot hold it: statements give none \(3\)/,
  );
});

const put = (dir: string, name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

test("several files without blank nodes are the graph of their lines in one file, wherever labels stand", async ({
  dir,
}) => {
  const iri = fc.constantFrom("<http://a/1>", "<http://a/2>", "<http://a/p>");
  const predicate = fc.constantFrom(`<${label}>`, "<http://xmlns.com/foaf/0.1/name>", `<${comment}>`, "<http://a/p>");
  const object = fc.oneof(iri, fc.constantFrom('"x"', '"x"@en', '"y"@de'));
  const statement = fc.tuple(iri, predicate, object).map((terms) => `${terms.join(" ")} .\n`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(statement, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
      async (files) => {
        const paths = files.map((lines, i) => put(dir, `${i}.${i === 1 ? "ttl" : "nt"}`, lines.join("")));
        const together = await loadGraph({ triples: paths });
        const whole = await loadGraph(put(dir, "whole.nt", files.flat().join("")));
        assert.is(together.fingerprint, whole.fingerprint);
        for (const key of ["read", "kept", "added"] as const)
          assert.equal(together.report[key], whole.report[key], key);
        // what comes first is said by the first file
        const sorted = ({ report }: Graph) => [...report.notices].sort((a, b) => (a.what < b.what ? -1 : 1));
        assert.equal(sorted(together), sorted(whole));
      },
    ),
    { numRuns: 60 },
  );
});

test("blank nodes of two files are different nodes, whatever their labels", async ({ dir }) => {
  const a = put(dir, "a.nt", '_:n <http://a/p> "in a" .\n_:n <http://a/p> _:m .\n');
  const b = put(dir, "b.ttl", '_:n <http://a/p> "in b" , [ <http://a/p> _:n ] .\n');
  const graph = await loadGraph({ triples: [a, b] });
  const tails = (id: string) => graph.neighbours(id).map(({ entity }) => entity);
  assert.equal(tails("_:n"), ['"in a"', "_:m"]);
  const [other] = graph.neighbours('"in b"', { direction: "in" });
  assert.not.equal(other!.entity, "_:n");
  assert.equal(
    graph.report.repaired.map(({ what, examples }) => [what, ...examples]),
    [["labels of blank nodes changed: taken by another", "_:n"]],
  );
});

test("a table of entities beside RDF is theirs: one row an id, filled where it is empty", async ({ dir }) => {
  put(dir, "entities.csv", "id,label,weight\nhttp://a/1,own,3\nhttp://a/2,,4\nhttp://a/9,nine,5\n");
  put(
    dir,
    "triples.nt",
    `<http://a/1> <${label}> "one" .\n<http://a/2> <${label}> "two" .\n<http://a/1> <http://a/p> <http://a/3> .\n`,
  );
  const graph = await loadGraph(dir);
  assert.equal(graph.entities.array("id"), ["http://a/1", "http://a/2", "http://a/9", '"one"', '"two"', "http://a/3"]);
  assert.equal(graph.entities.array("label"), ["own", "two", "nine", "one", "two", "http://a/3"]);
  assert.equal(graph.entities.array("weight"), ["3", "4", "5", null, null, null]);
  assert.equal(graph.report.read, { entities: 6, triples: 3 });
  assert.is(graph.report.notices.find(({ what }) => what.startsWith("nodes of RDF"))?.count, 2);
});

test.run();
