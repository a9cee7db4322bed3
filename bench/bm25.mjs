// What does BM25 over the 24,939 text rows of MarKG cost, to index and to search? Run after a build:
//   MKGLAB_DATA=/path/to/data PEER_PYTHON=/path/to/python node bench/bm25.mjs [REPEATS=5]
// Ours and the peer (bm25s with numpy) take turns, each in a fresh process, over the same texts and the 96 text questions of MKG-RAG-Bench (setting S2), k = 100.
// The peer's tokens are made before its clock starts, ours are made inside it. A search is one question at a time; each process goes through the questions seven times and
// takes the median of the last five rounds. The sums of all scores found must agree to 1e-4 of one another (bm25s keeps single precision). Writes bench/bm25.json.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment, median, peerPython, publish, ratio, summary } from "./kg.mjs";

const self = fileURLToPath(import.meta.url);

const bm25s = `
import json, re, sys, time
import bm25s
given = json.load(open(sys.argv[1]))
tok = lambda t: re.findall(r"\\w+", t.lower())
corpus, queries = [tok(t) for t in given["texts"]], [tok(t) for t in given["questions"]]
times = []
for _ in range(3):
    start = time.perf_counter()
    b = bm25s.BM25(k1=1.2, b=0.75, method="lucene"); b.index(corpus, show_progress=False)
    times.append(time.perf_counter() - start)
rounds = []
for _ in range(7):
    start = time.perf_counter()
    found = [b.retrieve([q], k=100, show_progress=False) for q in queries]
    rounds.append((time.perf_counter() - start) / len(queries))
print(json.dumps(dict(version="bm25s " + bm25s.__version__, index=dict(seconds=sorted(times)[1]), search=dict(seconds=sorted(rounds[2:])[2]), sum=float(sum(s.sum() for _, s in found)))))
`;

async function ours() {
  const { loadDataset, retriever } = await import("../dist/index.js");
  const dataset = await loadDataset("mkg-rag-bench", { dir: process.env.MKGLAB_DATA });
  const { graph } = dataset;
  const { candidates, questions } = dataset.setting("S2");
  const { signal } = new AbortController();
  const bm25 = retriever("bm25");
  const times = [];
  let state;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    state = await bm25.prepare({ graph, candidates, seed: 0, signal });
    times.push((performance.now() - start) / 1000);
  }
  const rounds = [];
  let sum = 0;
  for (let i = 0; i < 7; i++) {
    sum = 0;
    const start = performance.now();
    for (const { question } of questions)
      for (const { score } of await bm25(question, { graph, candidates, state, k: 100, signal })) sum += score;
    rounds.push((performance.now() - start) / 1000 / questions.length);
  }
  return { index: { seconds: median(times) }, search: { seconds: median(rounds.slice(2)) }, sum };
}

if (process.argv[2] === "--ours") process.stdout.write(JSON.stringify(await ours()));
else {
  const repeats = Number(process.argv[2] ?? 5);
  const python = peerPython();
  if (!process.env.MKGLAB_DATA) throw new Error("MKGLAB_DATA is not set: the folder of mkg-rag-bench/ and markg/");
  const { loadDataset } = await import("../dist/index.js");
  const view = (await loadDataset("mkg-rag-bench", { dir: process.env.MKGLAB_DATA })).setting("S2");
  const folder = mkdtempSync(join(tmpdir(), "bench-bm25-"));
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8" }));
  const runs = { ours: [], bm25s: [] };
  try {
    const file = join(folder, "given.json");
    writeFileSync(
      file,
      JSON.stringify({
        texts: view.candidates.map(({ text }) => text),
        questions: view.questions.map(({ question }) => question.text),
      }),
    );
    for (let i = 0; i < repeats; i++) {
      runs.ours.push(run(process.execPath, [self, "--ours"]));
      if (python) runs.bm25s.push(run(python, ["-c", bm25s, file]));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const of = (name, part) => runs[name].map((one) => one[part]);
  const result = {
    environment: environment({ bm25s: runs.bm25s[0]?.version ?? "not installed", repeats }),
    rows: view.candidates.length,
    questions: view.questions.length,
  };
  for (const part of ["index", "search"])
    result[part] = {
      ours: summary(of("ours", part), "seconds"),
      ...(python
        ? { bm25s: summary(of("bm25s", part), "seconds"), oursToBm25s: ratio(of("ours", part), of("bm25s", part)) }
        : {}),
    };
  for (const { sum } of runs.bm25s)
    if (Math.abs(sum / runs.ours[0].sum - 1) > 1e-4) throw new Error(`scores differ: ${runs.ours[0].sum}, ${sum}`);
  publish("bm25", result);
}
