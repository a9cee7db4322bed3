// What does exact search cost over 100,000 vectors of 384 numbers, and over a million from the disk? Run after a build:
//   PEER_PYTHON=/path/to/python node bench/search.mjs [REPEATS=5]
// Ours and the peer (faiss IndexFlatIP, all cores) take turns, each in a fresh process over the same seeded unit vectors around 500 centres: 100 queries at once, and one
// by one, k = 100; the median of the last five of seven rounds. The rows found first must be equal. Then, ours alone, a million vectors (1.5 GB) searched from the disk
// with the peak memory of the process. Writes bench/search.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment, median, peerPython, publish, ratio, summary, uniform } from "./kg.mjs";

const self = fileURLToPath(import.meta.url);
const [dim, k] = [384, 100];

const faiss = `
import json, resource, sys, time
import numpy as np, faiss
x = np.fromfile(sys.argv[1] + "/vectors.f32", "f4").reshape(-1, 384); q = np.fromfile(sys.argv[1] + "/q.f32", "f4").reshape(-1, 384)
index = faiss.IndexFlatIP(384); index.add(x)
def timed(f):
    times = []
    for _ in range(7):
        start = time.perf_counter(); r = f(); times.append(time.perf_counter() - start)
    return sorted(times[2:])[2], r
batch, (_, rows) = timed(lambda: index.search(q, 100))
single, _ = timed(lambda: [index.search(q[i:i + 1], 100) for i in range(len(q))])
print(json.dumps(dict(version="faiss " + faiss.__version__, batch=dict(seconds=batch), single=dict(seconds=single / len(q)), memory=dict(MB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), first=rows[:, 0].tolist())))
`;

/** Unit rows around 500 centres, written block by block, with the header of a saved index. */
async function write(folder, n) {
  const random = uniform(1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Float32Array.from({ length: 500 * dim }, normal);
  // one table of noise, entered at any place: a million rows of fresh normals would take longer than the searches
  const noise = Float32Array.from({ length: 2 ** 20 }, normal);
  const row = (out, at) => {
    const centre = Math.floor(random() * 500) * dim;
    const from = Math.floor(random() * (noise.length - dim));
    let square = 0;
    for (let j = 0; j < dim; j++) {
      out[at + j] = centres[centre + j] + 0.6 * noise[from + j];
      square += out[at + j] ** 2;
    }
    for (let j = 0; j < dim; j++) out[at + j] /= Math.sqrt(square);
  };
  const hash = createHash("sha256");
  const file = await open(join(folder, "vectors.f32"), "w");
  for (let at = 0; at < n; at += 10_000) {
    const block = new Float32Array(Math.min(10_000, n - at) * dim);
    for (let i = 0; i < block.length; i += dim) row(block, i);
    const bytes = Buffer.from(block.buffer);
    hash.update(bytes);
    await file.write(bytes);
  }
  await file.close();
  const header = { format: "mkglab vectors 1", n, dim, encoder: "bench", revision: "1", sha256: hash.digest("hex") };
  writeFileSync(join(folder, "vectors.json"), JSON.stringify(header));
  const queries = new Float32Array(100 * dim);
  for (let i = 0; i < queries.length; i += dim) row(queries, i);
  writeFileSync(join(folder, "q.f32"), Buffer.from(queries.buffer));
}

async function ours(folder, stream) {
  const { openIndex } = await import("../dist/index.js");
  const bytes = readFileSync(join(folder, "q.f32"));
  const data = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const started = performance.now();
  const index = await openIndex(folder, { stream });
  const opened = (performance.now() - started) / 1000;
  const queries = { n: 100, dim, data, encoder: "bench", revision: "1" };
  const rounds = stream ? 3 : 7;
  const timed = async (work) => {
    const times = [];
    let found;
    for (let i = 0; i < rounds; i++) {
      const start = performance.now();
      found = await work();
      times.push((performance.now() - start) / 1000);
    }
    return [median(times.slice(Math.max(0, rounds - 5))), found];
  };
  const [batch, found] = await timed(() => index.searchAll(queries, k));
  const asked = stream ? 5 : 100;
  const [single] = await timed(async () => {
    for (let q = 0; q < asked; q++) await index.search(data.subarray(q * dim, (q + 1) * dim), k);
  });
  return {
    engine: index.engine,
    opened: { seconds: opened },
    batch: { seconds: batch },
    single: { seconds: single / asked },
    memory: { MB: process.resourceUsage().maxRSS / 1024 },
    first: found.map(([best]) => best.row),
  };
}

const [, , mode, folderGiven] = process.argv;
if (mode === "--ours" || mode === "--stream")
  process.stdout.write(JSON.stringify(await ours(folderGiven, mode === "--stream")));
else {
  const repeats = Number(mode ?? 5);
  const python = peerPython();
  const folder = mkdtempSync(join(tmpdir(), "bench-search-"));
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 24 }));
  const runs = { ours: [], faiss: [] };
  let stream;
  try {
    await write(folder, 100_000);
    for (let i = 0; i < repeats; i++) {
      runs.ours.push(run(process.execPath, [self, "--ours", folder]));
      if (python) runs.faiss.push(run(python, ["-c", faiss, folder]));
    }
    await write(folder, 1_000_000);
    stream = run(process.execPath, [self, "--stream", folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  for (const { first } of runs.faiss)
    first.forEach((row, q) => {
      if (row !== runs.ours[0].first[q])
        throw new Error(`query ${q}: first rows differ (${runs.ours[0].first[q]}, ${row})`);
    });
  const of = (name, part) => runs[name].map((one) => one[part]);
  const result = {
    environment: environment({
      engine: runs.ours[0].engine,
      faiss: runs.faiss[0]?.version ?? "not installed",
      repeats,
    }),
  };
  for (const [part, what] of [
    ["batch", "batch100"],
    ["single", "oneQuery"],
  ])
    result[what] = {
      ours: summary(of("ours", part), "seconds"),
      ...(python
        ? { faiss: summary(of("faiss", part), "seconds"), oursToFaiss: ratio(of("ours", part), of("faiss", part)) }
        : {}),
    };
  result.memoryMB = {
    ours: summary(of("ours", "memory"), "MB"),
    ...(python ? { faiss: summary(of("faiss", "memory"), "MB") } : {}),
  };
  result.millionFromDisk = {
    vectorsMB: (4 * 1_000_000 * dim) / 2 ** 20,
    openSeconds: Number(stream.opened.seconds.toPrecision(3)),
    batch100Seconds: Number(stream.batch.seconds.toPrecision(3)),
    oneQuerySeconds: Number(stream.single.seconds.toPrecision(3)),
    peakMemoryMB: Math.round(stream.memory.MB),
  };
  publish("search", result);
}
