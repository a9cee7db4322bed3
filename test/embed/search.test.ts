import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { random } from "../../lib/core/index.js";
import { openIndex, type Vectors } from "../../lib/embed/index.js";
import { type Engine, onnxEngine } from "../../lib/embed/search/engine.js";
import { exactSearch } from "../../lib/embed/search/exact.js";
import { memoryRows } from "../../lib/embed/search/rows.js";

const test = suite<{ dir: string }>("vector search");
test.before.each((c) => {
  c.dir = mkdtempSync(join(tmpdir(), "index-"));
});
test.after.each((c) => rmSync(c.dir, { recursive: true }));

/** Unit rows around few centres, every fifth a repeat of an earlier one and every 50th zero, so that scores tie and lie close. */
function vectors(n: number, dim: number, seed: number): Vectors {
  const r = random("search test", seed);
  const normal = () => Array.from({ length: 6 }, () => r.float()).reduce((a, b) => a + b, -3);
  const centres = Array.from({ length: 5 }, () => Array.from({ length: dim }, normal));
  const data = new Float32Array(n * dim);
  for (let row = 0; row < n; row++) {
    if (row % 50 === 49) continue;
    if (row % 5 === 4) {
      const from = Math.floor(r.float() * row) * dim;
      data.copyWithin(row * dim, from, from + dim);
      continue;
    }
    const own = (centres[row % 5] as number[]).map((x) => x + 0.05 * normal());
    const length = Math.hypot(...own);
    own.forEach((x, j) => {
      data[row * dim + j] = x / length;
    });
  }
  return { n, dim, data, encoder: "test", revision: "1" };
}

/** The definition, in doubles: cosine of every row, sorted. */
function brute({ n, dim, data }: Vectors, query: Float32Array): { row: number; score: number }[] {
  const all = Array.from({ length: n }, (_, row) => {
    let [product, a, b] = [0, 0, 0];
    for (let j = 0; j < dim; j++) {
      const [x, y] = [data[row * dim + j] as number, query[j] as number];
      product += x * y;
      a += x * x;
      b += y * y;
    }
    return { row, score: a * b === 0 ? 0 : product / Math.sqrt(a * b) };
  });
  return all.sort((x, y) => y.score - x.score || x.row - y.row);
}

const onnx = (await onnxEngine()).engine;
/** Wrong by as much as single precision can be, and in both directions: what no engine's rounding exceeds. */
const worst: Engine = {
  name: "worst",
  async multiply(queries, n, rows, m, dim) {
    const gamma = (dim * 2 ** -24) / (1 - dim * 2 ** -24);
    return Float32Array.from({ length: n * m }, (_, at) => {
      const [q, i] = [Math.floor(at / m), at % m];
      let sum = 0;
      for (let j = 0; j < dim; j++) sum += (queries[q * dim + j] as number) * (rows[i * dim + j] as number);
      return sum + (at % 2 === 0 ? 0.99 : -0.99) * gamma;
    });
  },
};

test("results are those of the definition, and the same to the bit on every engine, at every block size, alone and together", async () => {
  assert.ok(onnx, "onnxruntime-node is part of a default install");
  for (const [n, dim, k] of [
    [3000, 32, 10],
    [997, 130, 100],
    [4000, 24, 5000],
  ] as const) {
    const all = vectors(n, dim, n);
    const queries = vectors(60, dim, n + 1);
    const rows = memoryRows("test", all);
    const plain = await exactSearch(rows, queries.data, 60, k, undefined);
    for (const engine of [onnx, worst]) {
      const narrow = { ...rows, blocks: () => rows.blocks(251) };
      assert.equal(await exactSearch(rows, queries.data, 60, k, engine), plain, engine?.name);
      assert.equal(await exactSearch(narrow, queries.data, 60, k, engine), plain, `${engine?.name}, blocks of 251`);
    }
    const index = await openIndex(all);
    assert.equal(await index.searchAll(queries, k), plain);
    for (const q of [0, 7, 49]) {
      const query = queries.data.subarray(q * dim, (q + 1) * dim);
      assert.equal(await index.search(query, k), plain[q]);
      const wanted = brute(all, query);
      plain[q]?.forEach(({ row, score }, i) => {
        assert.ok(Math.abs(score - (wanted[i]?.score as number)) < 1e-12, `rank ${i}`);
        assert.ok(Math.abs((wanted.find((w) => w.row === row)?.score as number) - score) < 1e-12);
      });
    }
    assert.is(
      index.zeroRows,
      Array.from({ length: n }, (_, row) => row).filter((row) =>
        all.data.subarray(row * dim, (row + 1) * dim).every((x) => x === 0),
      ).length,
    );
  }
});

test("an engine that is further off than single precision may be is found out, and nothing that it said is used", async () => {
  const all = vectors(6000, 32, 21);
  const queries = vectors(40, 32, 22);
  const rows = memoryRows("test", all);
  // TF32: factors rounded to ten bits
  const coarse = (x: number) => Math.round(x * 2 ** 10) / 2 ** 10;
  const tf32: Engine = {
    name: "tf32",
    multiply: async (a, n, b, m, dim) =>
      Float32Array.from({ length: n * m }, (_, at) => {
        const [q, i] = [Math.floor(at / m), at % m];
        let sum = 0;
        for (let j = 0; j < dim; j++) sum += coarse(a[q * dim + j] as number) * coarse(b[i * dim + j] as number);
        return sum;
      }),
  };
  assert.equal(
    await exactSearch(rows, queries.data, 40, 10, tf32),
    await exactSearch(rows, queries.data, 40, 10, undefined),
  );
  const short = { ...queries, data: queries.data.subarray(0, 100) };
  const error = await (await openIndex(all)).searchAll(short, 3).catch((e) => e);
  assert.match(error.message, /index\.searchAll: the queries have another shape \(100 numbers\)/);
});

test("lengths far from 1, of rows and of queries, do not change what is found", async () => {
  const all = vectors(9000, 16, 3);
  const data = all.data.map((x, at) => x * ([1, 1e-25, 1e18, 1e-8][Math.floor(at / 16) % 4] as number));
  const queries = vectors(40, 16, 4);
  const tiny = queries.data.map((x) => x * 1e-20);
  const wild = await openIndex({ ...all, data });
  for (const q of [1, 2]) {
    const query = tiny.subarray(q * 16, (q + 1) * 16);
    const wanted = brute({ ...all, data }, query);
    (await wild.search(query, 20)).forEach(({ score }, i) => {
      assert.ok(Math.abs(score - (wanted[i]?.score as number)) < 1e-9);
    });
  }
  const usual = await openIndex(all);
  const rows = (found: { row: number }[][]) => found.map((one) => one.map(({ row }) => row));
  assert.equal(rows(await usual.searchAll({ ...queries, data: tiny }, 20)).slice(0, 3).length, 3);
});

test("a filter, as a function or as bytes, leaves the best of the rows that it lets through; an abort ends the search", async () => {
  const all = vectors(3000, 32, 5);
  const index = await openIndex(all);
  const query = vectors(1, 32, 6).data;
  const even = (row: number) => row % 2 === 0;
  const wanted = (await index.search(query, 3000)).filter(({ row }) => even(row)).slice(0, 25);
  assert.equal(await index.search(query, 25, { filter: even }), wanted);
  assert.equal(
    await index.search(query, 25, { filter: Uint8Array.from({ length: 3000 }, (_, row) => Number(even(row))) }),
    wanted,
  );
  assert.equal(await index.search(query, 25, { filter: () => false }), []);
  const message = (promise: Promise<unknown>) =>
    promise.then(
      () => "nothing was thrown",
      (error: Error) => error.message,
    );
  assert.match(
    await message(index.search(query, 5, { filter: new Uint8Array(3) })),
    /the filter has another length \(3\)\. A byte for each of 3000 rows/,
  );
  assert.is(await message(index.search(query, 5, { signal: AbortSignal.abort(new Error("enough")) })), "enough");
  assert.match(await message(index.search(query, 0)), /k is not a positive integer \(0\)/);
  assert.match(await message(index.search(query, 5, { fliter: even } as never)), /Did you mean "filter"\?/);
});

test("a saved index finds the same from memory and from the disk; rows can be added", async ({ dir }) => {
  const all = vectors(2000, 20, 7);
  const queries = vectors(30, 20, 8);
  const index = await openIndex(all);
  await index.save(join(dir, "a"));
  const found = await index.searchAll(queries, 12);
  for (const stream of [true, false]) {
    const again = await openIndex(join(dir, "a"), { stream });
    assert.equal(
      [again.n, again.dim, again.encoder, again.revision, again.zeroRows],
      [2000, 20, "test", "1", index.zeroRows],
    );
    assert.equal(await again.searchAll(queries, 12), found);
  }
  const part = (from: number, to: number): Vectors => ({
    ...all,
    n: to - from,
    data: all.data.slice(from * 20, to * 20),
  });
  const grown = await (await openIndex(part(0, 700))).add(part(700, 2000));
  assert.equal(await grown.searchAll(queries, 12), found);
  const empty = await openIndex(part(0, 0));
  await empty.save(join(dir, "empty"));
  assert.equal(await (await openIndex(join(dir, "empty"))).search(queries.data.subarray(0, 20), 3), []);
});

test("a folder that is missing, cut, changed or of another kind is one error that says so", async ({ dir }) => {
  const message = (promise: Promise<unknown>) =>
    promise.then(
      () => "nothing was thrown",
      (error: Error) => error.message,
    );
  const index = await openIndex(vectors(100, 8, 9));
  await index.save(dir);
  const file = join(dir, "vectors.f32");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 3));
  assert.match(
    await message(openIndex(dir)),
    /^openIndex: the vectors are damaged \(.*vectors\.f32: 3197 bytes\)\. 3200 bytes, as vectors\.json says\. Make them anew/,
  );
  writeFileSync(
    file,
    bytes.map((b, i) => (i === 1000 ? b ^ 1 : b)),
  );
  assert.match(await message(openIndex(dir)), /damaged \(.*another SHA-256\)/);
  writeFileSync(file, bytes);
  appendFileSync(join(dir, "vectors.json"), "}");
  assert.match(await message(openIndex(dir)), /not a folder of vectors/);
  rmSync(join(dir, "vectors.json"));
  assert.match(await message(openIndex(dir)), /vectors\.json.*There is no such file/);
  assert.match(await message(openIndex(7 as never)), /neither vectors nor a folder \(7\)/);
  assert.match(await message(openIndex(vectors(3, 2, 1), { kind: "exakt" as never })), /Did you mean "exact"\?/);
  assert.not.ok(existsSync(join(dir, "vectors.json.writing")));
});

test("an engine that does not load is passed over, and why is said", async () => {
  const { engine, why } = await onnxEngine(() => Promise.reject(new Error("Cannot find package\nat …")));
  assert.equal([engine, why], [undefined, "onnxruntime-node does not load: Cannot find package"]);
});

let usearch = true;
try {
  createRequire(import.meta.url)("usearch");
} catch {
  usearch = false;
  console.log("SKIP usearch finds nearly what exact search does: usearch does not load");
}
(usearch ? test : test.skip)(
  "usearch finds nearly what exact search does, with exact scores, ties by row, the same each time",
  async () => {
    const all = vectors(5000, 32, 11);
    const queries = vectors(40, 32, 12);
    const exact = await (await openIndex(all)).searchAll(queries, 10);
    const approximate = await openIndex(all, { kind: "usearch" });
    const found = await approximate.searchAll(queries, 10);
    assert.equal(await (await openIndex(all, { kind: "usearch" })).searchAll(queries, 10), found);
    let hits = 0;
    found.forEach((own, q) => {
      const wanted = new Map(exact[q]?.map(({ row, score }) => [row, score]));
      own.forEach(({ row, score }, i) => {
        if (wanted.has(row)) {
          hits++;
          assert.is(score, wanted.get(row));
        }
        const next = own[i + 1];
        assert.ok(!next || next.score < score || (next.score === score && next.row > row));
      });
    });
    // a recall below this would make the kind useless; exact ties of repeats keep it from 1
    assert.ok(hits / 400 > 0.8, `recall ${hits / 400}`);
  },
);

test.run();
