// What does a step of TransE cost over 20,000 entities of 128 numbers, batch 1,024, one negative each? Run after a build:
//   PEER_PYTHON=/path/to/python node bench/kge.mjs [REPEATS=5]
// Ours (one thread) and the peer (PyTorch with sparse embeddings and SparseAdam, all cores) take turns, each in a fresh process: margin loss, L1, Adam on the rows touched,
// random triples drawn inside the step. 60 steps, the median of the last 40. Writes bench/kge.json; memory is the peak of the process.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { environment, median, peerPython, publish, ratio, summary } from "./kg.mjs";

const self = fileURLToPath(import.meta.url);
const [E, R, D, B] = [20_000, 200, 128, 1024];

const torch = `
import json, resource, time, torch
torch.manual_seed(0); E, R, D, B = 20_000, 200, 128, 1024
e = torch.nn.Embedding(E, D, sparse=True); r = torch.nn.Embedding(R, D, sparse=True); o = torch.optim.SparseAdam(list(e.parameters()) + list(r.parameters()), 1e-3)
times = []
for _ in range(60):
    start = time.perf_counter()
    h, t, n, k = (torch.randint(0, m, (B,)) for m in (E, E, E, R)); o.zero_grad(); hr = e(h) + r(k); l = torch.relu(1 + (hr - e(t)).abs().sum(1) - (hr - e(n)).abs().sum(1)).mean(); l.backward(); o.step()
    times.append(time.perf_counter() - start)
print(json.dumps(dict(version="torch " + torch.__version__, threads=torch.get_num_threads(), step=dict(seconds=sorted(times[20:])[20]), memory=dict(MB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))))
`;

async function ours() {
  const { random } = await import("../dist/core/index.js");
  const { kgeModels } = await import("../dist/embed/kge/models.js");
  const { lossOf, Parameters } = await import("../dist/embed/kge/step.js");
  const draws = random("bench");
  const filled = (n) => Float32Array.from({ length: n }, () => draws.float() - 0.5);
  const entities = new Parameters(filled(E * D), D, "adam");
  const relations = new Parameters(filled(R * D), D, "adam");
  const options = {
    dim: D,
    negatives: 1,
    loss: "margin",
    margin: 1,
    adversarial: 0,
    learningRate: 1e-3,
    optimiser: "adam",
  };
  const batch = Int32Array.from({ length: B }, (_, i) => i);
  const times = [];
  for (let step = 1; step <= 60; step++) {
    const start = performance.now();
    const column = (n) => Int32Array.from({ length: B }, () => draws.int(n));
    const triples = { head: column(E), relation: column(R), tail: column(E) };
    const corrupt = (_, random) => ({ entity: random.int(E), atHead: false });
    lossOf(kgeModels.transe, entities, relations, triples, batch, corrupt, draws, options);
    entities.update(options, step);
    relations.update(options, step);
    times.push((performance.now() - start) / 1000);
  }
  return { step: { seconds: median(times.slice(20)) }, memory: { MB: process.resourceUsage().maxRSS / 1024 } };
}

if (process.argv[2] === "--ours") process.stdout.write(JSON.stringify(await ours()));
else {
  const repeats = Number(process.argv[2] ?? 5);
  const python = peerPython();
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8" }));
  const runs = { ours: [], torch: [] };
  for (let i = 0; i < repeats; i++) {
    runs.ours.push(run(process.execPath, [self, "--ours"]));
    if (python) runs.torch.push(run(python, ["-c", torch]));
  }
  const of = (name, part) => runs[name].map((one) => one[part]);
  publish("kge", {
    environment: environment({
      torch: runs.torch[0]?.version ?? "not installed",
      torchThreads: runs.torch[0]?.threads,
      repeats,
    }),
    transeStep: {
      ours: summary(of("ours", "step"), "seconds"),
      ...(python
        ? {
            torch: summary(of("torch", "step"), "seconds"),
            oursToTorch: ratio(of("ours", "step"), of("torch", "step")),
          }
        : {}),
    },
    memoryMB: {
      ours: summary(of("ours", "memory"), "MB"),
      ...(python ? { torch: summary(of("torch", "memory"), "MB") } : {}),
    },
  });
}
