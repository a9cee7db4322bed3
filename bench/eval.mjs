// What do ranking measures of 2,000 questions × 1,000 ranks cost, to read and to compute? Run after a build:
//   PEER_PYTHON=/path/to/python node bench/eval.mjs [REPEATS=3]
// Ours and the peer (pytrec_eval: trec_eval's C code behind a reader in Python) take turns, each in a fresh process, over the same seeded files: 20 judgements a question
// in grades 0 to 3, 1,000 ranked documents of 5,000, scores of six decimals. Reading is qrels and run; computing is nDCG, P, R at five cut-offs, RR and AP.
// The mean nDCG@10 of both must agree to 1e-6. Writes bench/eval.json; memory is the peak of the whole process.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment, peerPython, publish, ratio, summary, uniform } from "./kg.mjs";

const self = fileURLToPath(import.meta.url);
const cuts = [5, 10, 20, 50, 100];

const peer = `
import json, resource, sys, time
import pytrec_eval, importlib.metadata
qrels, run = sys.argv[1:]
start = time.perf_counter()
with open(qrels) as f: Q = pytrec_eval.parse_qrel(f)
with open(run) as f: R = pytrec_eval.parse_run(f)
read = time.perf_counter() - start
measures = {"ndcg_cut.5,10,20,50,100", "P.5,10,20,50,100", "recall.5,10,20,50,100", "recip_rank", "map"}
times = []
for _ in range(3):
    start = time.perf_counter()
    values = pytrec_eval.RelevanceEvaluator(Q, measures).evaluate(R)
    times.append(time.perf_counter() - start)
print(json.dumps(dict(version="pytrec_eval-terrier " + importlib.metadata.version("pytrec_eval-terrier"), read=dict(seconds=read), compute=dict(seconds=sorted(times)[1]),
  memory=dict(MB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024), check=sum(v["ndcg_cut_10"] for v in values.values()) / len(values))))
`;

async function ours(qrelsPath, runPath) {
  const { evaluateFiles, readQrels, readRunFile } = await import("../dist/evaluate/index.js");
  const measures = [...cuts.flatMap((k) => [`nDCG@${k}`, `P@${k}`, `R@${k}`]), "RR", "AP"];
  let start = performance.now();
  const qrels = await readQrels(qrelsPath);
  const run = await readRunFile(runPath);
  const read = (performance.now() - start) / 1000;
  const times = [];
  let results;
  for (let i = 0; i < 3; i++) {
    start = performance.now();
    results = await evaluateFiles({ qrels, run, measures });
    times.push((performance.now() - start) / 1000);
  }
  return {
    read: { seconds: read },
    compute: { seconds: times.sort((a, b) => a - b)[1] },
    memory: { MB: process.resourceUsage().maxRSS / 1024 },
    check: results["nDCG@10"].mean,
  };
}

async function write(qrelsPath, runPath) {
  const random = uniform(1);
  const pick = (n, of) => {
    const chosen = new Set();
    while (chosen.size < n) chosen.add(Math.floor(random() * of));
    return [...chosen];
  };
  const qrels = createWriteStream(qrelsPath);
  const run = createWriteStream(runPath);
  for (let q = 0; q < 2000; q++) {
    qrels.write(
      pick(20, 5000)
        .map((d) => `q${q} 0 d${d} ${Math.floor(random() * 4)}\n`)
        .join(""),
    );
    const scores = Array.from({ length: 1000 }, random).sort((a, b) => b - a);
    const lines = pick(1000, 5000).map((d, i) => `q${q} Q0 d${d} ${i + 1} ${scores[i].toFixed(6)} x\n`);
    if (!run.write(lines.join(""))) await once(run, "drain");
  }
  for (const stream of [qrels, run]) {
    stream.end();
    await once(stream, "finish");
  }
}

const [, , mode, qrelsPath, runPath] = process.argv;
if (mode === "--ours") process.stdout.write(JSON.stringify(await ours(qrelsPath, runPath)));
else {
  const repeats = Number(mode ?? 3);
  const python = peerPython();
  const folder = mkdtempSync(join(tmpdir(), "bench-eval-"));
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8" }));
  const runs = { ours: [], peer: [] };
  try {
    const files = [join(folder, "qrels.txt"), join(folder, "run.trec")];
    await write(...files);
    for (let i = 0; i < repeats; i++) {
      runs.ours.push(run(process.execPath, [self, "--ours", ...files]));
      if (python) runs.peer.push(run(python, ["-c", peer, ...files]));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const of = (name, part) => runs[name].map((one) => one[part]);
  const result = { environment: environment({ peer: runs.peer[0]?.version ?? "not installed", repeats }) };
  for (const part of ["read", "compute"])
    result[part] = {
      ours: summary(of("ours", part), "seconds"),
      ...(python
        ? { peer: summary(of("peer", part), "seconds"), oursToPeer: ratio(of("ours", part), of("peer", part)) }
        : {}),
    };
  result.memoryMB = {
    ours: summary(of("ours", "memory"), "MB"),
    ...(python ? { peer: summary(of("peer", "memory"), "MB") } : {}),
  };
  for (const { check } of runs.peer)
    if (Math.abs(check - runs.ours[0].check) > 1e-6)
      throw new Error(`nDCG@10 differs: ${runs.ours[0].check}, ${check}`);
  publish("eval", result);
}
