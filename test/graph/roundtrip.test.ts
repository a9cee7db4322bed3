import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Graph, graphFrom, loadGraph, writeGraph } from "../../lib/graph/index.js";

const test = suite<{ dir: string }>("round trips");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const names = [
  ..."001 1e5 NaN null true __proto__ constructor 9223372036854775808 9007199254740993 é e\u0301 水 🐉 \ufeff".split(
    " ",
  ),
  ...[
    " a",
    "a ",
    " ",
    "\u00a0",
    '"',
    '""',
    '"a"b',
    "a,b",
    "a|b",
    "a\\tb",
    "#",
    "'",
    "_x000D_",
    "=1+1",
    "<a>",
    "&amp;",
    "\u2028",
    "\0",
    "\x01",
    "\x7f",
  ],
  ...["\t", "a\tb", "\n", "a\nb", "\r", "\r\n", "a\r", "-", "\\N", "x".repeat(300)],
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
);
/** Without what tsv has no quoting for. */
const tame = text.filter((name) => !/[\t\r\n]/.test(name));
const cellOf = (from: fc.Arbitrary<string>) => fc.option(fc.oneof(from, fc.constant("")), { freq: 3 });

const idOf = (from: fc.Arbitrary<string>) => from.filter((name) => name !== "");

/** Few ends, so that there are self loops, parallel edges and duplicate triples; some ends without an entity row. */
const graphs = (
  extras: { readonly entities: fc.Arbitrary<object>; readonly triples: fc.Arbitrary<object> },
  from: fc.Arbitrary<string> = text,
) =>
  fc
    .uniqueArray(idOf(from), { minLength: 1, maxLength: 6 })
    .chain((ids) =>
      fc.record({
        entities: fc.tuple(
          ...ids
            .slice(0, Math.ceil(ids.length / 2))
            .map((own) =>
              fc
                .tuple(fc.record({ label: from, description: from, kind: from }), extras.entities)
                .map(([texts, extra]) => ({ id: own, ...texts, ...extra })),
            ),
        ),
        triples: fc.array(
          fc
            .tuple(
              fc.record({
                head: fc.constantFrom(...ids),
                relation: idOf(from),
                relationLabel: from,
                tail: fc.constantFrom(...ids),
                condition: fc.oneof(fc.constant(""), from),
              }),
              extras.triples,
            )
            .map(([triple, extra]) => ({ ...triple, ...extra })),
          { minLength: 1, maxLength: 8 },
        ),
      }),
    )
    .map((input) => graphFrom(input));

const texts = (from: fc.Arbitrary<string>, cell: fc.Arbitrary<string | null>) => ({
  entities: fc.record({ note: cell, "a, b": cell }),
  triples: fc.record({ source: cell, constructor: from }),
});
/** Strings that every format holds (empty cells and "" not in one column) among those that not every one does. */
const stringGraphs = fc.oneof(
  graphs(texts(text, cellOf(text))),
  graphs(texts(tame, cellOf(tame)), tame),
  graphs(texts(tame, tame), tame),
);

const cellsOf = (graph: Graph): unknown[] =>
  [graph.entities, graph.triples].flatMap((table) =>
    table.columnNames().flatMap((name) => (name === "images" ? [] : [name, ...(table.array(name) as unknown[])])),
  );

/** Both tables, row by row; `empty` stands for null where a format has no null. */
const content = (graph: Graph, empty: unknown = null): unknown =>
  [graph.entities, graph.triples].map((table) =>
    table
      .columnNames()
      .filter((name) => name !== "images")
      .map((name) => [name, ...[...(table.array(name) as unknown[])].map((value) => value ?? empty)]),
  );

/** The format says no: for a reason that holds for this graph, naming the cell, and without leaving anything behind. */
function refused(error: unknown, format: string, dir: string, may: boolean): void {
  assert.is((error as Error).constructor.name, "MkgError", (error as Error).stack);
  assert.ok(may, `${format} refused what it can hold: ${(error as Error).message}`);
  assert.match((error as Error).message, /^writeGraph: (entities|triples), (header|row \d+ \(from 0\)).*column/);
  assert.equal(readdirSync(dir), []);
}

const has = (graph: Graph, what: RegExp) =>
  cellsOf(graph).some((value) => typeof value === "string" && what.test(value));
const mixesEmpty = (graph: Graph) =>
  [graph.entities, graph.triples].some((table) =>
    table.columnNames().some((name) => ["", null].every((empty) => (table.array(name) as unknown[]).includes(empty))),
  );

/** What may keep a format from holding a graph of strings and empty cells. */
const mayRefuse: Readonly<Record<string, (graph: Graph) => boolean>> = {
  csv: mixesEmpty,
  tsv: (graph) => mixesEmpty(graph) || has(graph, /[\t\r\n]/),
  jsonl: () => false,
  json: () => false,
  xlsx: () => false,
  parquet: () => false,
  arrow: () => false,
};

for (const format of Object.keys(mayRefuse))
  test(`a graph of any strings comes back from ${format} cell by cell, or ${format} says which cell it cannot hold`, async ({
    dir,
  }) => {
    const target = join(dir, "g");
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(stringGraphs, async (graph) => {
        rmSync(target, { recursive: true, force: true });
        try {
          await writeGraph(graph, target, { format });
        } catch (error) {
          refused(error, format, dir, mayRefuse[format]!(graph));
          return;
        }
        const back = await loadGraph(target);
        // delimited text has one empty cell, which is read as ""
        const empty = format === "csv" || format === "tsv" ? "" : null;
        assert.equal(content(back, empty), content(graph, empty));
        if (empty === null) assert.is(back.fingerprint, graph.fingerprint);
        assert.equal(back.report.refused, []);
        kept++;
      }),
      { numRuns: format === "xlsx" ? 60 : 120 },
    );
    assert.ok(kept >= 5, `only ${kept} graphs were written: the law was hardly tried`);
  });

const listOf = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 3 });
const typed = {
  entities: fc.record({
    n: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0))),
    yes: fc.option(fc.boolean()),
    names: fc.option(listOf(text)),
  }),
  triples: fc.record({
    count: fc.option(
      fc.oneof(fc.integer(), fc.constantFrom(2 ** 53, 2 ** 60, 1e20, -1e21, 5e-324, 1.7976931348623157e308)),
    ),
    big: fc.option(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).filter((n) => n > 2n ** 53n || n < -(2n ** 53n)),
    ),
  }),
};
/** JSON has no dates. */
const withDates = {
  entities: typed.entities,
  triples: fc
    .tuple(typed.triples, fc.record({ when: fc.option(fc.date({ noInvalidDate: true })), ranks: listOf(fc.integer()) }))
    .map(([more, dates]) => ({ ...more, ...dates })),
};
for (const format of ["jsonl", "json", "parquet", "arrow"])
  test(`numbers, truth values, 64-bit integers and lists come back from ${format} as what they were`, async ({
    dir,
  }) => {
    const target = join(dir, "g");
    await fc.assert(
      fc.asyncProperty(graphs(format === "parquet" || format === "arrow" ? withDates : typed), async (graph) => {
        rmSync(target, { recursive: true, force: true });
        await writeGraph(graph, target, { format });
        const back = await loadGraph(target);
        assert.equal(content(back), content(graph));
        assert.is(back.fingerprint, graph.fingerprint);
      }),
      { numRuns: 80 },
    );
  });

test("nested values come back from jsonl and json, names like __proto__ within them too", async ({ dir }) => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const extras = {
    entities: fc.record({ more: value }),
    triples: fc.record({ more: fc.dictionary(fc.constantFrom("__proto__", "constructor", "1", "a"), value) }),
  };
  await fc.assert(
    fc.asyncProperty(graphs(extras), async (graph) => {
      // JSON has no −0, and the writer says so
      if (JSON.stringify(content(graph), (_, v) => (Object.is(v, -0) ? "minus zero" : v)).includes("minus zero"))
        return;
      for (const format of ["jsonl", "json"]) {
        await writeGraph(graph, join(dir, format), { format });
        const back = await loadGraph(join(dir, format));
        assert.is(JSON.stringify(content(back)), JSON.stringify(content(graph)));
        assert.is(back.fingerprint, graph.fingerprint);
      }
    }),
    { numRuns: 60 },
  );
});

for (const [target, format] of [
  ["g.json", undefined],
  ["g.json.gz", undefined],
  ["g.xlsx", undefined],
  ["tsv", "tsv.gz"],
  ["csv", "csv.gz"],
  ["jsonl", "jsonl.gz"],
  ["json", "json.gz"],
] as const)
  test(`one file or compressed, the graph is the same: ${target}${format ? ` (${format})` : ""}`, async ({ dir }) => {
    const graph = graphFrom({
      entities: [
        { id: "007", label: "Bond", kind: "agent", note: "x" },
        { id: "Q", label: "Q, the other", description: 'says "no"', kind: "agent", note: "y" },
      ],
      triples: [
        { head: "007", relation: "knows", tail: "Q", condition: "on duty", source: "a" },
        { head: "007", relation: "knows", tail: "Q", condition: "", source: "b" },
        { head: "Q", relation: "is", relationLabel: "is the same as", tail: "Q", condition: "", source: "c" },
      ],
    });
    const [first] = await writeGraph(graph, join(dir, target), { format });
    const back = await loadGraph(format ? join(dir, target) : first!);
    assert.is(back.fingerprint, graph.fingerprint);
    // what has been read is written to the same bytes
    const again = await writeGraph(back, join(dir, "again", target), { format });
    assert.equal(readFileSync(again[0]!), readFileSync(first!));
  });

for (const format of ["csv", "tsv", "jsonl", "json", "parquet", "arrow"])
  test(`a cell of 10 MB comes back from ${format}`, async ({ dir }) => {
    const long = "long 🐉 ".repeat(1_250_000);
    const graph = graphFrom({
      entities: [{ id: "a", description: long }],
      triples: [{ head: "a", relation: "r", tail: "a" }],
    });
    await writeGraph(graph, join(dir, "g"), { format });
    assert.ok((await loadGraph(join(dir, "g"))).entity("a").description === long);
  });

test("statements of IRIs, blank nodes and literals come back from N-Triples, plain and compressed; other graphs are refused", async ({
  dir,
}) => {
  const hex = (code: number) => code.toString(16).toUpperCase().padStart(8, "0");
  // every character in its longest escape (N-Triples, section 7: UCHAR), so that this says nothing of how the writer escapes
  const escaped = (chars: string) => [...chars].map((char) => `\\U${hex(char.codePointAt(0)!)}`).join("");
  const iri = fc
    .oneof(
      fc.constantFrom("007", "7", "e\u0301", "é", "constructor", "1e5"),
      fc.stringMatching(/^[a-z0-9\u00a1-\ud7ff]{1,4}$/),
    )
    .map((name) => `<http://example.org/${name}>`);
  const blank = fc.constantFrom("_:a", "_:b1");
  const literal = fc
    .tuple(text, fc.constantFrom("", "@fr", "@en-GB", "^^<http://www.w3.org/2001/XMLSchema#integer>"))
    .map(([chars, kind]) => `"${escaped(chars)}"${kind}`);
  const statement = fc
    .tuple(fc.oneof(iri, blank), iri, fc.oneof(iri, blank, literal))
    .map((terms) => `${terms.join(" ")} .\n`);
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
      writeFileSync(join(dir, "given.nt"), statements.join(""));
      const graph = await loadGraph(join(dir, "given.nt"));
      assert.is(graph.triples.numRows(), statements.length);
      for (const name of ["back.nt", "back.nt.gz"]) {
        await writeGraph(graph, join(dir, name));
        assert.is((await loadGraph(join(dir, name))).fingerprint, graph.fingerprint);
      }
    }),
    { numRuns: 80 },
  );
  try {
    await writeGraph(graphFrom({ triples: [{ head: "a", relation: "r", tail: "b" }] }), join(dir, "no.nt"));
    assert.unreachable();
  } catch (error) {
    assert.match(
      (error as Error).message,
      /^writeGraph: triples, row 0 \(from 0\), column head: nt cannot hold it: no IRI/,
    );
  }
  assert.not(readdirSync(dir).includes("no.nt"));
});

test("xlsx holds a cell of 32,767 characters; of one more it names the cell and leaves nothing behind", async ({
  dir,
}) => {
  const of = (n: number) =>
    graphFrom({
      entities: [{ id: "a" }, { id: "b", description: "x".repeat(n) }],
      triples: [{ head: "a", relation: "r", tail: "b" }],
    });
  await writeGraph(of(32_767), join(dir, "g.xlsx"));
  assert.is((await loadGraph(join(dir, "g.xlsx"))).entity("b").description.length, 32_767);
  rmSync(join(dir, "g.xlsx"));
  try {
    await writeGraph(of(32_768), join(dir, "g.xlsx"));
    assert.unreachable();
  } catch (error) {
    assert.match(
      (error as Error).message,
      /^writeGraph: entities, row 1 \(from 0\), column description: xlsx cannot hold it: 32768 characters/,
    );
  }
  assert.equal(readdirSync(dir), []);
});

for (const format of ["csv", "tsv", "jsonl", "json", "xlsx", "parquet", "arrow"])
  test(`entities without triples, and triples without rows of entities, come back from ${format}`, async ({ dir }) => {
    const alone = graphFrom({ entities: [{ id: "a", label: "A", note: "x" }] });
    await writeGraph(alone, join(dir, "alone"), { format });
    assert.equal(content(await loadGraph(join(dir, "alone"))), content(alone));
    const bare = graphFrom({ triples: [{ head: "a", relation: "r", tail: "b" }] });
    await writeGraph(bare, join(dir, "bare"), { format });
    const back = await loadGraph(join(dir, "bare"));
    assert.equal(content(back), content(bare));
    // the entities that were added for its ends stand in the file now
    assert.is(back.report.added.entities ?? 0, 0);
  });

test.run();
