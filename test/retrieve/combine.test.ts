import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Hit } from "../../lib/core/index.js";
import { defineRetriever, fuse, mmr, pipe, type Retriever, retrieve, retriever } from "../../lib/retrieve/index.js";
import { lawDataset, retrieverLaws } from "../laws/retriever.js";

const test = suite("retrievers combined");
const dataset = lawDataset();
const fixed = (name: string, scores: Readonly<Record<string, number>>): Retriever =>
  defineRetriever({
    name,
    version: "1",
    params: scores,
    search: () => Object.entries(scores).map(([triple, score]) => ({ triple, score })),
  });
const found = async (r: Retriever, k = 10) =>
  ((await retrieve(dataset, r, { k })).get("q0").evidence?.hits ?? []).map((hit) => [
    hit.triple,
    Number(hit.score.toFixed(6)),
  ]);

const a = fixed("a", { t1: 9, t2: 5, t3: 1 });
const b = fixed("b", { t2: 0.8, t4: 0.6, t1: 0.4 });

test("reciprocal rank fusion sums 1 / (60 + rank) over the rankings that hold a hit, weighted", async () => {
  const r = (...ranks: number[]) => Number(ranks.reduce((sum, rank) => sum + 1 / (60 + rank), 0).toFixed(6));
  assert.equal(await found(fuse([a, b])), [
    ["t2", r(2, 1)],
    ["t1", r(1, 3)],
    ["t4", r(2)],
    ["t3", r(3)],
  ]);
  assert.equal(await found(fuse([a, b], { rrfK: 0, weights: [1, 3] })), [
    ["t2", 3.5],
    ["t1", 2],
    ["t4", 1.5],
    ["t3", Number((1 / 3).toFixed(6))],
  ]);
});

test("CombSUM, CombMNZ and CombMAX add up, multiply by the number of rankings, or take the largest of scores brought to 0 … 1", async () => {
  // a: t1 1, t2 .5, t3 0; b: t2 1, t4 .5, t1 0
  assert.equal(await found(fuse([a, b], { method: "combsum" })), [
    ["t2", 1.5],
    ["t1", 1],
    ["t4", 0.5],
    ["t3", 0],
  ]);
  assert.equal(await found(fuse([a, b], { method: "combmnz" })), [
    ["t2", 3],
    ["t1", 2],
    ["t4", 0.5],
    ["t3", 0],
  ]);
  assert.equal(await found(fuse([a, b], { method: "combmax" })), [
    ["t1", 1],
    ["t2", 1],
    ["t4", 0.5],
    ["t3", 0],
  ]);
  assert.equal(await found(fuse([a, b], { method: "combsum", norm: "none" })), [
    ["t1", 9.4],
    ["t2", 5.8],
    ["t3", 1],
    ["t4", 0.6],
  ]);
  const z = Number(Math.sqrt(1.5).toFixed(6));
  assert.equal(await found(fuse([a], { method: "combsum", norm: "z-score" })), [
    ["t1", z],
    ["t2", 0],
    ["t3", -z],
  ]);
});

test("the order of retrievers does not matter, one alone keeps its order, and each is read deeper than k", async () => {
  assert.equal(await found(fuse([b, a])), await found(fuse([a, b])));
  assert.equal(
    (await found(fuse([a]))).map(([t]) => t),
    ["t1", "t2", "t3"],
  );
  const deep = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`t${i}`, 40 - i]));
  // t20 is far down in both, and first in neither, but in both
  const left = fixed("left", { ...deep, t20: 20.5 });
  assert.equal(
    (await found(fuse([left, fixed("right", { t20: 1 })]), 1)).map(([t]) => t),
    ["t20"],
  );
  assert.equal(
    (await found(fuse([left, fixed("right", { t20: 1 })], { depth: 1 }), 1)).map(([t]) => t),
    ["t0"],
  );
});

test("hits say which retrievers found them, and results are storable only where all parts' are", async () => {
  const hits = (await retrieve(dataset, fuse([a, b]), { k: 2 })).get("q0").evidence?.hits;
  assert.equal(
    hits?.map(({ via }) => via),
    ["a + b", "a + b"],
  );
  assert.ok(fuse([a, b]).version);
  assert.is(fuse([a, (): Hit[] => []]).version, undefined);
  assert.not.equal(fuse([a, b]).params, fuse([a, fixed("b", { t1: 1 })]).params);
});

test("wrong parts, weights and options are errors in the house form", () => {
  assert.throws(() => fuse([]), /fuse: not a list of retrievers \(\[\]\)\. At least one/);
  assert.throws(() => fuse([a, b], { weights: [1] }), /fuse: weights do not fit the retrievers/);
  assert.throws(() => fuse([a], { weights: [-1] }), /finite numbers ≥ 0/);
  assert.throws(() => fuse([a], { method: "rff" as never }), /fuse: option method has a wrong value \("rff"\)/);
  assert.throws(() => fuse([a], { k: 3 } as never), /fuse: unknown option \("k"\)/);
  assert.throws(() => fuse([a], { depth: 0 }), /depth is not a positive integer/);
  assert.throws(() => pipe(a, "mmr" as never), /pipe: stage 1 is not a function \("mmr"\)/);
  assert.throws(() => mmr({ lambda: 2 }), /mmr: option lambda has a wrong value \(2\)/);
});

test("a pipe hands each stage what the one before left, best first, and keeps the k best at the end", async () => {
  const seen: number[] = [];
  const piped = pipe(
    a,
    Object.assign((_q: unknown, hits: readonly Hit[]) => hits.map((hit) => ({ ...hit, score: -hit.score })), {
      depth: 3,
    }),
    (_q, hits) => {
      seen.push(...hits.map(({ score }) => score));
      return hits;
    },
  );
  assert.equal(await found(piped, 2), [
    ["t3", -1],
    ["t2", -5],
  ]);
  assert.equal(seen.slice(0, 3), [-1, -5, -9]);
  assert.match(piped.label as string, /^a → anonymous → anonymous$/);
});

test("mmr takes the hit of largest λ · relevance − (1 − λ) · likeness to one taken before; λ = 1 keeps the order", async () => {
  // t0 and t1 have the same text, t3 another
  const base = fixed("base", { t0: 3, t1: 2.9, t3: 1 });
  assert.equal(
    (await found(pipe(base, mmr({ lambda: 1 })))).map(([t]) => t),
    ["t0", "t1", "t3"],
  );
  assert.equal(await found(pipe(base, mmr({ lambda: 0.3 }))), [
    ["t0", 1],
    ["t3", 0.5],
    ["t1", Number((1 / 3).toFixed(6))],
  ]);
  assert.is(pipe(retriever("bm25"), mmr({ lambda: 0.5 })).label, "bm25 → mmr (0.5)");
});

test.run();

retrieverLaws("fused", () => fuse([retriever("bm25"), retriever("text"), retriever("image")], { method: "combmnz" }));
retrieverLaws("piped", () => pipe(retriever("bm25"), mmr()));
