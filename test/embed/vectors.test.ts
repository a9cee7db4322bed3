import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Encoder, embed, encoder, openIndex, TopK, type Vectors } from "../../lib/embed/index.js";

const test = suite("embed: vectors and exact search");
const refuses = async (run: () => Promise<unknown>, pattern: RegExp) => {
  let message = "nothing was thrown";
  await run().catch((error: Error) => (message = error.message ?? String(error)));
  assert.match(message, pattern);
};
const vectorsOf = (rows: number[][], dim = rows[0]?.length ?? 2): Vectors => ({
  n: rows.length,
  dim,
  data: Float32Array.from(rows.flat()),
  encoder: "test",
  revision: "1",
});
const naive = (scores: number[], k: number) =>
  scores
    .map((score, row) => ({ row, score }))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, k);

test("TopK keeps what a full sort keeps, in its order, ties by row", () => {
  // few distinct scores, so that most of them tie
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 70 }),
      fc.integer(),
      (scores, k, seed) => {
        const best = new TopK(k);
        const rows = scores.map((_, i) => i).sort((a, b) => Math.sin(a * 7 + seed) - Math.sin(b * 7 + seed)); // any order of arrival
        for (const row of rows) best.push(row, scores[row] as number);
        assert.equal(best.ranked(), naive(scores, k));
      },
    ),
    { seed: 1 },
  );
});

test("exact search equals cosine and a full sort, over several blocks, zero rows scoring 0", async () => {
  // 2,500 rows on a coarse grid: three blocks, many ties, every row with (x, y) = (0, 0) zero
  const rows = Array.from({ length: 2500 }, (_, i) => [(i % 5) - 2, (Math.floor(i / 5) % 5) - 2]);
  const index = await openIndex(vectorsOf(rows));
  const query = Float32Array.from([0.6, 0.8]);
  const found = await index.search(query, 400);
  // independent arithmetic: cosine = (q·r)/(|q||r|), equal directions give equal doubles only when computed alike, so group by 1e-12
  const scores = rows.map(([x, y]) =>
    x === 0 && y === 0
      ? 0
      : (Math.fround(0.6) * (x as number) + Math.fround(0.8) * (y as number)) /
        (Math.hypot(x as number, y as number) * Math.hypot(Math.fround(0.6), Math.fround(0.8))),
  );
  const wanted = naive(scores, 400);
  assert.is(found.length, 400);
  found.forEach(({ row, score }, i) => {
    assert.ok(Math.abs(score - (scores[row] as number)) < 1e-12);
    assert.ok(Math.abs(score - (wanted[i]?.score as number)) < 1e-12);
    const previous = found[i - 1];
    if (previous) assert.ok(previous.score > score || (previous.score === score && previous.row < row));
  });
  const all = await index.search(query, 1e9);
  assert.is(all.length, rows.length);
  for (const { row, score } of all) if (rows[row]?.every((x) => x === 0)) assert.is(score, 0);
});

test("the first j of the best k are the best j, and searchAll gives what search gives", async () => {
  const e = await encoder("hash", { dim: 64 });
  const texts = Array.from({ length: 1500 }, (_, i) => `entity ${i % 97} relation ${i % 11}`);
  const index = await openIndex(await embed(texts, e));
  const queries = await embed(["entity 5", "", "relation 3 entity 96"], e);
  const all = await index.searchAll(queries, 50);
  for (let q = 0; q < queries.n; q++) {
    const one = await index.search(queries.data.slice(q * 64, (q + 1) * 64), 50);
    assert.equal(all[q], one);
    assert.equal(await index.search(queries.data.slice(q * 64, (q + 1) * 64), 7), one.slice(0, 7));
  }
  assert.ok(
    all[1]?.every((hit, i) => hit.score === 0 && hit.row === i),
    "a zero query scores 0 everywhere, rows in order",
  );
});

test("an empty index finds nothing; wrong k, dimension, shape, encoder and numbers are refused", async () => {
  const empty = await openIndex(vectorsOf([], 3));
  assert.equal(await empty.search(new Float32Array(3), 5), []);
  const index = await openIndex(
    vectorsOf([
      [1, 0],
      [0, 1],
    ]),
  );
  const q = Float32Array.from([1, 0]);
  for (const k of [0, -1, 1.5, Number.NaN]) await refuses(() => index.search(q, k), /k is not a positive integer/);
  await refuses(() => index.search(new Float32Array(3), 1), /another dimension \(3\)\. The index has 2/);
  await refuses(() => index.search(Float32Array.from([Number.NaN, 0]), 1), /not finite \(NaN at 0\)/);
  await refuses(
    () =>
      openIndex(
        vectorsOf([
          [1, 0],
          [0, Number.POSITIVE_INFINITY],
        ]),
      ),
    /row 1 holds a number that is not finite \(Infinity\)/,
  );
  await refuses(() => openIndex({ ...vectorsOf([[1, 0]]), n: 2 }), /another shape \(2 numbers\)/);
  await refuses(
    () => index.searchAll({ ...vectorsOf([[1, 0]]), revision: "2" }, 1),
    /queries come from another encoder \(test 2, 2 numbers\)\. The index holds test 1, 2 numbers/,
  );
  await refuses(
    () => openIndex(vectorsOf([]), { kind: "exat" as "exact" }),
    /unknown kind of index \("exat"\).*Did you mean "exact"/,
  );
});

const fake = (encode: Encoder<string>["encode"]): Encoder<string> => ({
  name: "fake",
  revision: "1",
  modality: "text",
  dim: 2,
  encode,
});

test("embedding does not depend on the batch size, and says how far it is", async () => {
  const e = await encoder("hash");
  const texts = Array.from({ length: 23 }, (_, i) => `text ${i}`);
  const seen: number[] = [];
  const one = await embed(texts, e, { batch: 5, onProgress: ({ done, total }) => seen.push(done, total) });
  assert.equal(one, await embed(texts, e));
  assert.equal(seen, [5, 23, 10, 23, 15, 23, 20, 23, 23, 23]);
  assert.equal([one.n, one.dim, one.encoder, one.revision], [23, 512, "hash", e.revision]);
});

test("rows that an encoder left unscaled get length 1, and zero rows stay zero", async () => {
  const { data } = await embed(
    ["a", "b"],
    fake(async () => Float32Array.from([3, 4, 0, 0])),
  );
  // (3, 4) / 5
  assert.equal([...data], [0.6, 0.8, 0, 0].map(Math.fround));
});

test("an unknown option is an error with the nearest one, never ignored", async () => {
  const e = await encoder("hash");
  await refuses(
    () => embed(["a"], e, { batchSize: 2 } as never),
    /^embed: unknown option \("batchSize"\)\. Known: batch, cache, signal, onProgress/,
  );
  await refuses(
    () => openIndex(vectorsOf([[1, 0]]), { kinds: "exact" } as never),
    /^openIndex: unknown option \("kinds"\)\. .*Did you mean "kind"/,
  );
});

test("an encoder's wrong shape or NaN is an error that names the item", async () => {
  await refuses(
    () =>
      embed(
        ["a", "b"],
        fake(async () => new Float32Array(3)),
      ),
    /encoder fake returned another shape \(3 numbers\)\. 2 items × 2/,
  );
  await refuses(
    () =>
      embed(
        ["a", "b", "c"],
        fake(async (items) => Float32Array.from(items.flatMap((i) => (i === "c" ? [Number.NaN, 1] : [1, 0])))),
        { batch: 2 },
      ),
    /gave item 2 a number that is not finite/,
  );
  await refuses(
    () =>
      embed(
        ["a"],
        fake(async () => new Float32Array(2)),
        { batch: 0 },
      ),
    /batch is not a positive integer/,
  );
});

test("an abort is honoured between batches, even when the encoder never waits", async () => {
  const controller = new AbortController();
  let calls = 0;
  const counting = fake(async (items) => {
    if (++calls === 3) setImmediate(() => controller.abort());
    return new Float32Array(items.length * 2);
  });
  await refuses(
    () =>
      embed(
        Array.from({ length: 1000 }, (_, i) => `x${i}`),
        counting,
        { batch: 1, signal: controller.signal },
      ),
    /abort/i,
  );
  assert.ok(calls <= 5, `${calls} calls`);
});

test.run();
