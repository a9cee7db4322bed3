import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { random } from "../../lib/core/index.js";
import { type Graph, graphFrom, loadGraph } from "../../lib/graph/index.js";

const test = suite("graph at scale");

// case GT-01 of public bug reports (dagrejs/graphlib 147): a stack that grows with the path overflows at some ten thousand
const n = 50_000;
const chain = (close: boolean): Graph =>
  graphFrom({
    triples: Array.from({ length: close ? n + 1 : n }, (_, i) => ({
      head: `n${i}`,
      relation: "next",
      tail: `n${(i + 1) % (n + 1)}`,
    })),
  });

test("GT-01: every search comes to the end of a closed chain of 50,001", () => {
  const graph = chain(true);
  const order = Array.from({ length: n + 1 }, (_, i) => `n${i}`);
  assert.equal(graph.depthFirst("n0"), order);
  const all = graph.khop("n0", { hops: Number.POSITIVE_INFINITY });
  assert.equal(all.ids(), order);
  assert.is(all.hops, n);
  assert.equal(all.at(n), { entity: `n${n}`, distance: n });
  assert.equal(graph.shortestPath("n0", `n${n}`)?.path, order);
  assert.is(graph.shortestPath("n0", `n${n}`, { direction: "in" })?.path.length, 2);
  assert.equal(graph.components().sizes, [n + 1]);
  assert.ok(graph.hasCycle());
  assert.not(chain(false).hasCycle());
  const [path] = graph.paths("n0", `n${n}`, { maxLength: n }).paths;
  assert.is(path?.pathTriples.length, n);
  // no shorter path exists, and of n − 1 edges none arrives
  assert.equal(graph.paths("n0", `n${n}`, { maxLength: n - 1 }), { paths: [], complete: true, cutBy: "" });
});

test("a hub of 50,000 parallel and distinct edges is counted, walked and told", () => {
  const graph = graphFrom({
    triples: Array.from({ length: n }, (_, i) => ({ head: "hub", relation: `r${i % 3}`, tail: `leaf${i >> 1}` })),
  });
  assert.is(graph.degree("hub"), n);
  // 25,000 leaves, each joined by two edges
  assert.is(graph.khop("hub").length, n / 2 + 1);
  assert.is(graph.khop("leaf7", { hops: 2, direction: "both" }).length, n / 2 + 1);
  // r0 is every third edge, and two edges of it never share a leaf
  assert.is(graph.khop("hub", { relation: "r0" }).length, Math.ceil(n / 3) + 1);
  const { paths, complete } = graph.paths("leaf0", "leaf1", { direction: "both", maxLength: 2 });
  assert.is(paths.length, 4); // 2 edges there, 2 edges on
  assert.ok(complete);
  const d = graph.describe();
  assert.equal([d.outDegree.max, d.inDegree.max, d.parallelEdges, d.components], [n, 2, n / 2, 1]);
});

test("50,000 random triples: file, table and objects give one graph, and its index agrees with the columns", async () => {
  const draw = random("scale");
  const rows = Array.from({ length: n }, () => ({
    head: `e${draw.int(9000)}`,
    relation: `r${draw.int(40)}`,
    tail: `e${draw.int(9000)}`,
  }));
  const made = graphFrom({ triples: rows });
  const dir = mkdtempSync(join(tmpdir(), "mkglab-"));
  try {
    const file = join(dir, "t.tsv");
    writeFileSync(file, rows.map((row) => `${row.head}\t${row.relation}\t${row.tail}\n`).join(""));
    const loaded = await loadGraph(file);
    assert.is(loaded.fingerprint, made.fingerprint);
    assert.is(graphFrom({ entities: loaded.entities, triples: loaded.triples }).fingerprint, made.fingerprint);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const outDegrees = new Map<string, number>();
  for (const { head } of rows) outDegrees.set(head, (outDegrees.get(head) ?? 0) + 1);
  for (const [id, degree] of outDegrees) assert.is(made.degree(id, { direction: "out" }), degree);
  const distinct = new Set(rows.map((row) => Object.values(row).join(" "))).size;
  assert.is(made.describe().distinctTriples, distinct);
  // the number of a row is the id of a triple without one
  for (const row of [0, 1, n - 1]) assert.is(made.triple(String(row)).tail, rows[row]!.tail);
  for (const id of [String(n), "-1", "01", "1.0", "", "1e3"]) assert.throws(() => made.triple(id), /unknown triple id/);
});

test.run();
