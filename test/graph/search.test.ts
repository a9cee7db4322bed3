import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Direction, type Graph, graphFrom } from "../../lib/graph/index.js";

const test = suite("graph search");

// graphs so small that everything can be counted out, with loops, parallel edges, two relations and entities without edges
const names = ["a", "b", "c", "d", "e", "__proto__"];
const rows = fc.array(
  fc.record({ head: fc.constantFrom(...names), relation: fc.constantFrom("r", "s"), tail: fc.constantFrom(...names) }),
  { maxLength: 12 },
);
const graphs = rows.map((triples) => graphFrom({ entities: names.map((id) => ({ id })), triples }));
const directions = fc.constantFrom<Direction>("out", "in", "both");
const relations = fc.constantFrom(undefined, "r");

interface Step {
  readonly triple: string;
  readonly from: string;
  readonly to: string;
}

/** Every way along an edge, by reading the whole table. */
function steps(graph: Graph, direction: Direction, relation?: string): Step[] {
  return (graph.triples.objects() as { id: string; head: string; relation: string; tail: string }[]).flatMap((t) => {
    if (relation !== undefined && t.relation !== relation) return [];
    const out = { triple: t.id, from: t.head, to: t.tail };
    const back = { triple: t.id, from: t.tail, to: t.head };
    return direction === "out" ? [out] : direction === "in" ? [back] : [out, back];
  });
}

/** Least numbers of edges between all pairs (Floyd–Warshall). */
function distances(graph: Graph, direction: Direction, relation?: string): (a: string, b: string) => number {
  const d = new Map<string, number>();
  const key = (a: string, b: string) => `${a} ${b}`;
  for (const a of names) for (const b of names) d.set(key(a, b), a === b ? 0 : Number.POSITIVE_INFINITY);
  for (const { from, to } of steps(graph, direction, relation)) if (from !== to) d.set(key(from, to), 1);
  for (const k of names)
    for (const a of names)
      for (const b of names) d.set(key(a, b), Math.min(d.get(key(a, b))!, d.get(key(a, k))! + d.get(key(k, b))!));
  return (a, b) => d.get(key(a, b))!;
}

const known = (graph: Graph, relation?: string) =>
  relation === undefined || (graph.triples.array("relation") as string[]).includes(relation) ? relation : undefined;

test("k-hop gives each entity within reach once, with its distance, nearest first", () => {
  fc.assert(
    fc.property(
      graphs,
      directions,
      relations,
      fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
      (graph, direction, r, hops) => {
        const relation = known(graph, r);
        const distance = distances(graph, direction, relation);
        for (const from of names) {
          const near = graph.khop(from, { hops, direction, relation });
          const found = [...near];
          assert.equal(found[0], { entity: from, distance: 0 });
          assert.equal(
            found.map(({ entity, distance }) => `${entity} ${distance}`).sort(),
            names
              .filter((to) => distance(from, to) <= hops && distance(from, to) < Infinity)
              .map((to) => `${to} ${distance(from, to)}`)
              .sort(),
          );
          assert.equal(
            found.map((f) => f.distance),
            found.map((f) => f.distance).sort((a, b) => a - b),
          );
          assert.equal(
            found.map((_, i) => near.at(i)),
            found,
          );
          assert.is(near.at(near.length), undefined);
          assert.equal(
            near.ids(),
            found.map((f) => f.entity),
          );
          assert.equal(
            near.counts(),
            Array.from({ length: near.hops + 1 }, (_, d) => found.filter((f) => f.distance === d).length),
          );
          assert.ok(near.complete);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("a limit keeps the nearest entities, in the order without it, and says that there are more", () => {
  fc.assert(
    fc.property(graphs, fc.integer({ min: 1, max: 6 }), (graph, limit) => {
      for (const from of names) {
        const all = graph.khop(from, { hops: 3, direction: "both" });
        const some = graph.khop(from, { hops: 3, direction: "both", limit });
        assert.equal(some.ids(), all.ids().slice(0, limit));
        assert.is(some.complete, all.length <= limit);
      }
    }),
    { numRuns: 100 },
  );
});

/** Simple paths by recursion over the whole table. */
function allPaths(all: readonly Step[], from: string, to: string, most: number): string[] {
  const found: string[] = [];
  const walk = (at: string, seen: readonly string[], triples: readonly string[]) => {
    if (at === to) {
      found.push(`${seen.join(">")} ${triples.join(",")}`);
      return;
    }
    if (triples.length === most) return;
    for (const step of all)
      if (step.from === at && !seen.includes(step.to)) walk(step.to, [...seen, step.to], [...triples, step.triple]);
  };
  walk(from, [from], []);
  return found;
}

test("paths are all simple paths of at most so many edges, each once, shortest first", () => {
  fc.assert(
    fc.property(graphs, directions, relations, fc.integer({ min: 1, max: 5 }), (graph, direction, r, maxLength) => {
      const relation = known(graph, r);
      const all = steps(graph, direction, relation);
      for (const from of names)
        for (const to of names) {
          const { paths, complete, cutBy } = graph.paths(from, to, { maxLength, direction, relation, limit: 10_000 });
          const text = paths.map(({ path, pathTriples }) => `${path.join(">")} ${pathTriples.join(",")}`);
          assert.equal([...text].sort(), allPaths(all, from, to, maxLength).sort());
          const lengths = paths.map((p) => p.pathTriples.length);
          assert.equal(
            lengths,
            [...lengths].sort((a, b) => a - b),
          );
          assert.ok(complete && cutBy === "");
          const limited = graph.paths(from, to, { maxLength, direction, relation, limit: 2 });
          assert.equal(limited.paths, paths.slice(0, 2));
          assert.is(limited.complete, paths.length <= 2);
          assert.is(limited.cutBy, paths.length <= 2 ? "" : "limit");
        }
    }),
    { numRuns: 60 },
  );
});

test("a shortest path is as long as the distance, and its text can be told", () => {
  fc.assert(
    fc.property(graphs, directions, relations, (graph, direction, r) => {
      const relation = known(graph, r);
      const distance = distances(graph, direction, relation);
      const all = steps(graph, direction, relation).map(({ triple, from, to }) => `${from} ${triple} ${to}`);
      for (const from of names)
        for (const to of names) {
          const found = graph.shortestPath(from, to, { direction, relation });
          if (!found) assert.is(distance(from, to), Number.POSITIVE_INFINITY);
          else {
            assert.is(found.pathTriples.length, distance(from, to));
            assert.is(found.path[0], from);
            assert.is(found.path.at(-1), to);
            for (const [i, triple] of found.pathTriples.entries())
              assert.ok(all.includes(`${found.path[i]} ${triple} ${found.path[i + 1]}`));
            assert.is(graph.text(found).split("\n").length, 2 * distance(from, to) + 1);
          }
        }
    }),
    { numRuns: 100 },
  );
});

test("depth-first search visits what can be reached, each once, and goes on from the last entity that has more", () => {
  fc.assert(
    fc.property(graphs, directions, (graph, direction) => {
      for (const from of names) {
        // preorder by recursion; of one entity's edges `neighbours` gives the order, outgoing all before incoming
        const order: string[] = [];
        const visit = (at: string) => {
          order.push(at);
          const next = graph.neighbours(at, { direction });
          for (const way of ["out", "in"])
            for (const { entity, direction: own } of next) if (own === way && !order.includes(entity)) visit(entity);
        };
        visit(from);
        assert.equal(graph.depthFirst(from, { direction }), order);
        assert.is(order.length, graph.khop(from, { hops: Number.POSITIVE_INFINITY, direction }).length);
      }
    }),
    { numRuns: 100 },
  );
});

test("components are the classes of being joined, largest first", () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const distance = distances(graph, "both");
      const components = graph.components();
      for (const a of names)
        for (const b of names)
          assert.is(components.of(a) === components.of(b), distance(a, b) < Number.POSITIVE_INFINITY);
      assert.equal(
        components.sizes,
        components.sizes.map((_, c) => components.ids(c).length),
      );
      assert.equal(
        components.sizes,
        [...components.sizes].sort((a, b) => b - a),
      );
      assert.is(
        components.sizes.reduce((a, b) => a + b, 0),
        names.length,
      );
      assert.is(components.count, components.sizes.length);
      // of equal size the one with the earliest entity comes first
      for (let c = 1; c < components.count; c++)
        if (components.sizes[c] === components.sizes[c - 1])
          assert.ok(names.indexOf(components.ids(c - 1)[0]!) < names.indexOf(components.ids(c)[0]!));
    }),
    { numRuns: 150 },
  );
});

test("there is a cycle exactly when some entity can be come back to", () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const distance = distances(graph, "out");
      const back = steps(graph, "out").some(({ from, to }) => distance(to, from) < Number.POSITIVE_INFINITY);
      assert.is(graph.hasCycle(), back);
    }),
    { numRuns: 200 },
  );
});

test("a description's counts are those of the tables", () => {
  fc.assert(
    fc.property(rows, (triples) => {
      const graph = graphFrom({ entities: names.map((id) => ({ id })), triples });
      const d = graph.describe();
      const middle = (values: number[]) => {
        const sorted = [...values].sort((a, b) => a - b);
        return (sorted[2]! + sorted[3]!) / 2; // six entities
      };
      for (const [key, ends] of [
        ["outDegree", (t: (typeof triples)[0]) => [t.head]],
        ["inDegree", (t: (typeof triples)[0]) => [t.tail]],
        ["degree", (t: (typeof triples)[0]) => [t.head, t.tail]],
      ] as const) {
        const degrees = names.map((id) => triples.flatMap(ends).filter((end) => end === id).length);
        assert.equal(d[key], {
          min: Math.min(...degrees),
          median: middle(degrees),
          mean: degrees.reduce((a, b) => a + b, 0) / names.length,
          max: Math.max(...degrees),
        });
      }
      assert.is(d.isolated, names.filter((id) => graph.degree(id) === 0).length);
      assert.is(d.selfLoops, triples.filter((t) => t.head === t.tail).length);
      assert.is(d.parallelEdges, triples.length - new Set(triples.map((t) => `${t.head} ${t.tail}`)).size);
      assert.is(d.distinctTriples, new Set(triples.map((t) => `${t.head} ${t.relation} ${t.tail}`)).size);
      assert.is(d.components, graph.components().count);
      assert.is(
        d.relationCounts.reduce((n, r) => n + r.count, 0),
        triples.length,
      );
    }),
    { numRuns: 150 },
  );
});

test("from an entity to itself there is the path of length 0 alone, and no step is spent on others", () => {
  const ids = Array.from({ length: 30 }, (_, i) => `e${i}`);
  const triples = ids.flatMap((head) => ids.map((tail) => ({ head, relation: "r", tail })));
  const graph = graphFrom({ triples });
  for (const direction of ["out", "in", "both"] as const)
    assert.equal(graph.paths("e3", "e3", { direction, maxLength: 20, limit: 1, maxSteps: 1 }), {
      paths: [{ path: ["e3"], pathTriples: [] }],
      complete: true,
      cutBy: "",
    });
});

test("a search that could go on for ever stops at its bound and says so", () => {
  // 14 entities, each joined to each: 12!·e simple paths between two of them
  const ids = Array.from({ length: 14 }, (_, i) => `e${i}`);
  const triples = ids.flatMap((head) =>
    ids.filter((tail) => tail !== head).map((tail) => ({ head, relation: "r", tail })),
  );
  const graph = graphFrom({ triples });
  const bounded = graph.paths("e0", "e1", { maxLength: 13, limit: Number.POSITIVE_INFINITY, maxSteps: 20_000 });
  assert.is(bounded.cutBy, "maxSteps");
  assert.not(bounded.complete);
  // of length 1 one, of length 2 twelve, then 12·11
  assert.equal(
    bounded.paths.slice(0, 145).map((p) => p.pathTriples.length),
    [1, ...new Array(12).fill(2), ...new Array(132).fill(3)],
  );
});

test.run();
