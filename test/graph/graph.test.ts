import { desc, table } from "arquero";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Graph, graphFrom } from "../../lib/graph/index.js";

const test = suite("graph");

const small = () =>
  graphFrom({
    name: "small",
    entities: [
      { id: "vulmar", label: "Vulmar", kind: "creature" },
      { id: "sweep", label: "Ember Sweep", description: "a wide arc of fire", kind: "attack", rank: 3 },
    ],
    triples: [
      {
        id: "t0",
        head: "vulmar",
        relation: "uses",
        relationLabel: "can use",
        tail: "sweep",
        condition: "enraged",
        source: "book",
      },
      { id: "t1", head: "vulmar", relation: "uses", relationLabel: "can use", tail: "sweep" },
      { id: "t2", head: "vulmar", relation: "is", tail: "vulmar" },
      { id: "t3", head: "sweep", relation: "of", tail: "fire" },
    ],
  });

test("parallel edges, loops and both directions come in triple order", () => {
  const graph = small();
  // by hand: t0 and t1 join the same two, t2 is a loop and appears once outgoing, once incoming
  assert.equal(
    graph.neighbours("vulmar", { direction: "both" }).map((n) => `${n.triple} ${n.direction} ${n.entity}`),
    ["t0 out sweep", "t1 out sweep", "t2 out vulmar", "t2 in vulmar"],
  );
  assert.equal(graph.neighbours("vulmar", { relation: "is" }).length, 1);
  assert.equal(
    graph.neighbours("vulmar", { direction: "in" }).map((n) => n.triple),
    ["t2"],
  );
  assert.is(graph.degree("vulmar"), 4);
  assert.is(graph.degree("vulmar", { direction: "out" }), 3);
  assert.is(graph.degree("sweep", { direction: "in" }), 2);
});

test("a triple's text is its three labels and its condition; a path alternates entities and edges", () => {
  const graph = small();
  assert.is(graph.text("t0"), "Vulmar can use Ember Sweep (only if enraged)");
  assert.is(graph.text(graph.triple("t1")), "Vulmar can use Ember Sweep");
  assert.is(graph.text({ triple: "t3" }), "Ember Sweep of fire");
  assert.is(
    graph.text({ path: ["vulmar", "sweep", "fire"], pathTriples: ["t1", "t3"] }),
    "Vulmar\nVulmar can use Ember Sweep\nEmber Sweep: a wide arc of fire\nEmber Sweep of fire\nfire",
  );
  // without triples the first that joins them stands for the edge, also against its direction
  assert.is(graph.text({ path: ["sweep", "vulmar"] }).split("\n")[1], "Vulmar can use Ember Sweep (only if enraged)");
  assert.is(graph.text({ path: ["fire"] }), "fire");
  assert.throws(() => graph.text({ path: ["vulmar", "fire"] }), /no triple joins "vulmar" and "fire"/);
  assert.throws(() => graph.text({}), /neither a triple nor a path/);
});

test("ends without an entity row become entities and are counted; extra columns are kept with null where there is nothing", () => {
  const graph = small();
  assert.equal(graph.entities.array("id"), ["vulmar", "sweep", "fire"]);
  assert.equal(graph.entities.array("rank"), [null, 3, null]);
  assert.equal(graph.triples.array("source"), ["book", null, null, null]);
  assert.equal(graph.report.read, { entities: 2, triples: 4 });
  assert.equal(graph.report.kept, { entities: 3, triples: 4 });
  assert.equal(graph.report.added, { entities: 1, triples: 0 });
  assert.equal(graph.report.repaired, [
    {
      what: "ends of triples without an entity row: an entity with the id as label was added",
      count: 1,
      examples: ["fire"],
    },
  ]);
});

test("duplicates are kept and noticed; another condition makes another triple", () => {
  const row = { head: "a", relation: "r", tail: "b" };
  const graph = graphFrom({
    triples: [row, { ...row, condition: "night" }, row, { ...row, condition: "night" }, { ...row, tail: "c" }],
  });
  assert.is(graph.triples.numRows(), 5);
  assert.equal(
    graph.report.notices.find((n) => n.what === "duplicate triples"),
    { what: "duplicate triples", count: 2, examples: ["2", "3"] },
  );
  assert.is(graph.describe().distinctTriples, 3);
});

test("ids named like object members are ids like any other", () => {
  const ids = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const graph = graphFrom({
    entities: ids.slice(0, 2).map((id) => ({ id })),
    triples: [{ head: "__proto__", relation: "constructor", tail: "toString" }],
  });
  assert.is(graph.has("hasOwnProperty"), false);
  assert.is(graph.has("valueOf"), false);
  assert.is(graph.text("0"), "__proto__ constructor toString");
  assert.equal(graph.neighbours("toString", { direction: "in", relation: "constructor" }), [
    { triple: "0", entity: "__proto__", direction: "in" },
  ]);
  assert.throws(
    () => graphFrom({ entities: [JSON.parse('{"id":"a","__proto__":1}')] }),
    /column that cannot be kept \("__proto__"\)/,
  );
});

test("the index agrees with a scan over all triples, whatever the graph", () => {
  const id = fc.constantFrom("a", "b", "c", "__proto__", "", "é").map((s) => s || "0");
  const row = fc.record({ head: id, relation: fc.constantFrom("r", "s"), tail: id });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 30 }), (rows) => {
      const graph = graphFrom({ triples: rows });
      for (const entity of new Set(rows.flatMap((r) => [r.head, r.tail])))
        for (const relation of [undefined, ...new Set(rows.map((r) => r.relation))]) {
          const scan = rows.flatMap((r, i) => [
            ...(r.head === entity
              ? [{ triple: String(i), entity: r.tail, direction: "out", relation: r.relation }]
              : []),
            ...(r.tail === entity
              ? [{ triple: String(i), entity: r.head, direction: "in", relation: r.relation }]
              : []),
          ]);
          const wanted = scan
            .filter((n) => relation === undefined || n.relation === relation)
            .map(({ relation: _, ...n }) => n);
          assert.equal(graph.neighbours(entity, { direction: "both", relation }), wanted);
          assert.equal(
            graph.neighbours(entity, { relation }),
            wanted.filter((n) => n.direction === "out"),
          );
          assert.is(graph.degree(entity), scan.length);
        }
    }),
  );
});

test("a subgraph holds all triples between its entities, in order, with ids and columns", () => {
  const graph = small();
  const part = graph.subgraph(["vulmar", "sweep", "vulmar"]);
  assert.equal(part.triples.array("id"), ["t0", "t1", "t2"]);
  assert.equal(part.entities.array("rank"), [null, 3]);
  assert.is(part.triple("t0").condition, "enraged");
  assert.is(graph.subgraph(["vulmar", "sweep", "fire"]).fingerprint, graph.fingerprint);
  assert.throws(
    () => graph.subgraph(["Vulmar"]),
    /graph.subgraph: unknown entity id \("Vulmar"\).*Did you mean "vulmar"\?/,
  );
});

test("without images everything else stays, and picture objects are shared between graphs", async () => {
  const image = { id: "i1", key: true, bytes: async () => new Uint8Array([7]) };
  const graph = graphFrom({
    entities: [{ id: "a", images: [image] }, { id: "b" }],
    triples: [{ head: "a", relation: "r", tail: "b" }],
  });
  assert.equal([...(await graph.entity("a").images[0]!.bytes())], [7]);
  assert.is(graph.subgraph(["a"]).entity("a").images[0], graph.entity("a").images[0]);
  const blind = graph.withoutImages();
  assert.is(blind.entity("a").images.length, 0);
  assert.is(blind.text("0"), graph.text("0"));
  assert.is.not(blind.fingerprint, graph.fingerprint);
  assert.is(graph.describe().images, 1);
  assert.is(blind.describe().images, 0);
});

test("nothing that a graph hands out can be changed", () => {
  const graph = small();
  const frozen = [
    graph,
    graph.entity("sweep"),
    graph.entity("sweep").images,
    graph.triple("t0"),
    graph.neighbours("vulmar")[0],
  ];
  for (const value of frozen) assert.ok(Object.isFrozen(value));
  assert.throws(() => ((graph.entities.data().label as unknown as string[])[0] = "x"), TypeError);
  assert.throws(() => ((graph.triples.data().head as unknown as string[])[0] = "x"), TypeError);
  // no way to the typed arrays behind a column
  assert.equal(Reflect.ownKeys(graph.triples.data().head as object), ["length"]);
  assert.throws(() => ((graph.triples.data() as Record<string, unknown>).tail = []), TypeError);
  assert.ok(Object.isFrozen(graph.report.repaired[0]));
  const dated = graphFrom({ entities: [{ id: "a", born: new Date(0) }] });
  (dated.entities.get("born", 0) as Date).setFullYear(1900);
  assert.is((dated.entities.get("born", 0) as Date).getTime(), 0);
  assert.throws(() => Object.assign(graph.triple("t0").attributes!, { source: "x" }), TypeError);
});

test("the fingerprint depends on content alone", () => {
  const rows = { entities: [{ id: "a", n: Number.NaN }], triples: [{ head: "a", relation: "r", tail: "b" }] };
  const same = graphFrom({ ...rows, name: "other name" });
  assert.is(graphFrom(rows).fingerprint, same.fingerprint);
  for (const change of [{ tail: "c" }, { condition: "x" }, { relationLabel: "R" }, { id: "t" }, { note: "n" }])
    assert.is.not(graphFrom({ ...rows, triples: [{ ...rows.triples[0], ...change }] }).fingerprint, same.fingerprint);
  assert.is.not(graphFrom({ ...rows, entities: [{ id: "a", n: 0 }] }).fingerprint, same.fingerprint);
});

test("the fingerprint tells values apart at any depth: dates, integers of 64 bits, NaN; not the order of keys", () => {
  const of = (value: unknown) => graphFrom({ entities: [{ id: "a", value }] }).fingerprint;
  const values = [
    [new Date(0)],
    [new Date(1)],
    { on: new Date(0) },
    { on: new Date(1) },
    { n: 1 },
    { n: 1n },
    { n: 2n },
    { n: "1" },
    [Number.NaN, { a: 1 }],
    [Number.NaN, { a: 2 }],
    [null, { a: 2 }],
    [Number.POSITIVE_INFINITY],
    new Map([["a", 1]]),
    new Map([["a", 2]]),
    new Set(["a"]),
  ];
  assert.is(new Set(values.map(of)).size, values.length);
  assert.is(of({ a: 1, b: [2n] }), of({ b: [2n], a: 1 }));
  const around: unknown[] = [];
  around.push(around);
  assert.throws(
    () => of(around),
    /^MkgError|graph\.fingerprint: column value: a cell of more than 1000 levels, or one that holds itself/,
  );
});

test("further columns that may be meant as known ones are noticed, unless the known one is there", () => {
  const what = "further columns that may be meant as known ones, and are not read as such";
  const noticed = (graph: Graph) => graph.report.notices.find((notice) => notice.what === what)?.examples ?? [];
  const triple = { head: "a", relation: "r", tail: "b" };
  const graph = graphFrom({
    entities: [{ id: "a", name: "A", Description: "d", type: "k", image: "p.png", rank: 1, is: "x" }],
    triples: [{ ...triple, conditon: "c", since: "1990" }],
  });
  assert.equal(noticed(graph), [
    "entities, name: label?",
    "entities, Description: description?",
    "entities, type: kind?",
    "entities, image: images?",
    "triples, conditon: condition?",
  ]);
  assert.equal(noticed(graph.subgraph(["a"])), []);
  assert.equal(noticed(graphFrom({ entities: [{ id: "a", label: "A", name: "B" }], triples: [triple] })), []);
});

test("an Arquero table counts as it is seen: filtered and ordered; it and arrays passed in stay usable", () => {
  const triples = table({ head: ["a", "b", "c"], relation: ["r", "r", "r"], tail: ["x", "y", "z"] });
  const graph = graphFrom({ triples: triples.filter("d => d.head !== 'b'").orderby(desc("tail")) });
  assert.equal(graph.triples.array("head"), ["c", "a"]);
  assert.not(Object.isFrozen(triples.data().head));
});

test("further columns are attributes of entities and triples, by name, and absent where the source has none", () => {
  const graph = graphFrom({
    entities: [{ id: "a", rank: 3, constructor: "x" }],
    triples: [
      { head: "a", relation: "r", tail: "b", since: 1990 },
      { head: "b", relation: "r", tail: "a" },
    ],
  });
  const { attributes } = graph.entity("a");
  assert.is(Object.getPrototypeOf(attributes), null);
  assert.equal({ ...attributes }, { rank: 3, constructor: "x" });
  assert.equal({ ...graph.entity("b").attributes }, { rank: null, constructor: null });
  assert.equal(
    ["0", "1"].map((id) => graph.triple(id).attributes?.since),
    [1990, null],
  );
  assert.not(Object.hasOwn(small().triple("t1"), "nothing"));
  const plain = graphFrom({ triples: [{ head: "a", relation: "r", tail: "b" }] });
  assert.not(Object.hasOwn(plain.triple("0"), "attributes"));
  assert.not(Object.hasOwn(plain.entity("a"), "attributes"));
});

test("in the style of MH-MMKG names stand in quotes, an edge ends in a full stop, and a path ends where it comes back", () => {
  const graph = graphFrom({
    entities: [
      { id: "v", label: "Vulmar", additionalInformation: "lives in caves" },
      { id: "s", label: "Sweep", description: "an arc of fire", additionalInformation: "" },
    ],
    triples: [
      { head: "v", relation: "uses", tail: "s", condition: "enraged" },
      { head: "s", relation: "continues with", tail: "v" },
    ],
  });
  const style = "mh-mmkg";
  assert.is(graph.text("0", { style }), '"Vulmar" uses "Sweep" (only if enraged is satisfied).');
  assert.is(
    graph.text({ path: ["v", "s", "v"], pathTriples: ["0", "1"] }, { style }),
    [
      '"Vulmar": Additional Information: lives in caves',
      '"Vulmar" uses "Sweep" (only if enraged is satisfied).',
      '"Sweep": Action Description: an arc of fire',
      '"Sweep" continues with "Vulmar".',
    ].join("\n"),
  );
  assert.is(graph.text({ path: ["v", "s", "v"] }).split("\n").length, 5);
});

test("what is wrong is named with table, row, column and a way out", () => {
  const triple = { head: "a", relation: "r", tail: "b" };
  const cases: [() => unknown, RegExp][] = [
    [
      () => graphFrom({ triples: [triple, { ...triple, head: "" }] }),
      /^graphFrom: triples, row 1 \(from 0\), column head: empty\. .*Fill it in/,
    ],
    [() => graphFrom({ triples: [{ head: "a", tail: "b" }] }), /triples, row 0 .*column relation: empty/],
    [
      () => graphFrom({ triples: [{ ...triple, tail: 7 }] }),
      /triples, row 0 .*column tail: not a string \(7\)\. Ids and texts are strings/,
    ],
    [
      () => graphFrom({ entities: [{ id: "a" }, { id: "b" }, { id: "a" }] }),
      /entities, row 2 .*second row with the entity id "a"; the first is entities, row 0/,
    ],
    [
      () =>
        graphFrom({
          triples: [
            { ...triple, id: "t" },
            { ...triple, id: "t" },
          ],
        }),
      /second row with the triple id "t"/,
    ],
    [
      () => graphFrom({ entities: [{ id: "a", images: ["a.png"] }] }),
      /column images: not a list of images \(\["a\.png"\]\)\. .*fileImage.*bytesImage.*openImage.*frameFolder/,
    ],
    [() => graphFrom({ entities: "a.csv" as never }), /entities is not a table \("a\.csv"\)/],
    [() => graphFrom({ entities: [1] as never }), /entities, row 0 is not an object \(1\)/],
    [() => graphFrom({} as never), /no tables given/],
    [() => graphFrom({ triples: [], tripels: [] } as never), /unknown option \("tripels"\).*Did you mean "triples"\?/],
    [() => small().entity("vulmer"), /graph\.entity: unknown entity id \("vulmer"\).*Did you mean "vulmar"\?/],
    [() => small().triple("t9"), /unknown triple id \("t9"\)/],
    // ids are strings, those that count rows too: row 1 is the last of two
    [() => graphFrom({ triples: [triple, triple] }).triple("2"), /unknown triple id \("2"\)/],
    [() => graphFrom({ triples: [triple] }).triple(0 as never), /unknown triple id \(0\)\. Ids are strings/],
    [() => graphFrom({ triples: [triple] }).triple(["0"] as never), /unknown triple id \(\["0"\]\)\. Ids are strings/],
    [() => graphFrom({ triples: [triple] }).text({ triple: 0 } as never), /unknown triple id \(0\)\. Ids are strings/],
    [() => small().text(0 as never), /graph\.text: neither a triple nor a path \(0\)/],
    [() => small().text({ path: "ab" } as never), /graph\.text: neither a triple nor a path/],
    [() => small().entity(7 as never), /unknown entity id \(7\)\. Ids are strings/],
    [
      () => small().degree("Ember Sweep"),
      /unknown entity id \("Ember Sweep"\)\. Known: .*That is a label\. Did you mean "sweep"\?/,
    ],
    [() => small().entity("ember sweep"), /That is a label\. Did you mean "sweep"\?/],
    [() => graphFrom([triple] as never), /one table given, without saying of what.*graphFrom\(\{ triples: table \}\)/],
    [() => graphFrom(table({ head: ["a"] }) as never), /graphFrom\(\{ triples: table \}\)/],
    [
      () => small().neighbours("vulmar", { direction: "up" as never }),
      /unknown direction \("up"\)\. Known: out, in, both/,
    ],
    [
      () => small().neighbours("vulmar", { relation: "use" }),
      /unknown relation \("use"\)\. Known: uses, is, of\. Did you mean "uses"\?/,
    ],
  ];
  const graph = small();
  const misspelt = [
    () => graph.neighbours("vulmar", { directon: "in" } as never),
    () => graph.degree("vulmar", { directon: "in" } as never),
    () => graph.khop("vulmar", { hop: 2 } as never),
    () => graph.paths("vulmar", "fire", { maxLenght: 2 } as never),
    () => graph.shortestPath("vulmar", "fire", { directon: "in" } as never),
    () => graph.depthFirst("vulmar", { relaton: "is" } as never),
    () => graph.text("t0", { stile: "plain" } as never),
  ];
  for (const act of misspelt) cases.push([act, /unknown option \("\w+"\)\. Known: .*Did you mean "\w+"\?/]);
  cases.push(
    [() => graph.khop("vulmar", { hops: 0 }), /graph\.khop: hops is not a whole number from 1 on \(0\)/],
    [() => graph.paths("vulmar", "fire", { limit: 1.5 }), /graph\.paths: limit is not a whole number/],
    [() => graph.text("t0", { style: "mh" as never }), /graph\.text: unknown style \("mh"\)\. Known: plain, mh-mmkg/],
    [() => graph.components().of("x"), /components\.of: unknown entity id \("x"\)/],
  );
  for (const [act, message] of cases)
    assert.throws(act, (error: Error) => message.test(error.message) || `${error.message} does not match ${message}`);
});

test("a summary says what is there and what was noticed", () => {
  assert.is(
    String(small().describe()),
    [
      "Graph small: 3 entities (3 in triples), 4 triples (4 distinct), 3 relations",
      "kinds: none 1, attack 1, creature 1",
      "relations: uses 2, is 1, of 1",
      // out: vulmar 3, sweep 1, fire 0; in: vulmar 1, sweep 2, fire 1; both: 4, 3, 1; means 4/3, 4/3, 8/3
      "degree (min / median / mean / max): out 0 / 1 / 1.33 / 3, in 1 / 1 / 1.33 / 2, both 1 / 3 / 2.67 / 4",
      "components: 1 (largest 3); isolated 0, self loops 1, parallel edges 1",
      "triples with a condition: 1",
      "repaired: ends of triples without an entity row: an entity with the id as label was added: 1 (fire)",
    ].join("\n"),
  );
});

test.run();
