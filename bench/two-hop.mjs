// How long do 2,000 two-hop neighbourhoods take on a graph of one million triples? Run after a build:
//   PEER_PYTHON=/path/to/python PEER_MODULES=/folder/with/node_modules node bench/two-hop.mjs [REPEATS=5] [FILE.tsv]
// Ours and the peers (igraph's C core through Python; graphology, where PEER_MODULES has it) take turns, each in a fresh process over the same triples and
// entities: along the edges (`out`, 2,000 entities), and both ways (`both`, 100 entities: most reach a hub and with it a third of the graph). Loading is
// not counted. Each process takes as many untimed rounds as timed ones (11 for `out`, 1 for `both`) and the median of the latter; `oursFirstRound` is a round without
// any before it. All print the number of entities found, which must be equal.
// `oursIds` also makes the array of ids. Writes bench/two-hop.json: the environment beside medians and ranges.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment, median, peerPython, publish, ratio, summary, uniform, writeTriples } from "./kg.mjs";

const self = fileURLToPath(import.meta.url);

const igraph = `
import json, sys, time
import pandas as pd, igraph
path, asked = sys.argv[1:]
df = pd.read_csv(path, sep="\\t", header=None, names=["h", "r", "t"], dtype=str, keep_default_na=False)
G = igraph.Graph.DataFrame(df[["h", "t"]], directed=True, use_vids=False)
row = {name: i for i, name in enumerate(G.vs["name"])}
rounds = dict(out=11, both=1)
result = dict(version="igraph " + igraph.__version__)
for mode, ids in json.load(open(asked)).items():
    def work():
        return sum(len(v) for v in G.neighborhood([row[i] for i in ids], order=2, mode="out" if mode == "out" else "all"))
    times = []
    for _ in range(2 * rounds[mode]):
        start = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - start)
    result[mode] = dict(seconds=sorted(times[rounds[mode]:])[rounds[mode] // 2], found=found)
print(json.dumps(result))
`;

const rounds = { out: 11, both: 1 };

/** Median of the second half of the rounds: the first half is what the just-in-time compiler needs. */
const timed = (direction, work) => {
  const times = [];
  let found;
  for (let i = 0; i < 2 * rounds[direction]; i++) {
    const start = performance.now();
    found = work();
    times.push((performance.now() - start) / 1000);
  }
  return { first: times[0], seconds: median(times.slice(rounds[direction])), found };
};

async function ours(path, asked) {
  const { loadGraph } = await import("../dist/graph/index.js");
  const graph = await loadGraph(path);
  const result = {};
  for (const [direction, ids] of Object.entries(asked)) {
    const near = (id) => graph.khop(id, { hops: 2, direction });
    result[direction] = timed(direction, () => ids.reduce((n, id) => n + near(id).length, 0));
    result[`${direction}Ids`] = timed(direction, () => ids.reduce((n, id) => n + near(id).ids().length, 0));
  }
  return result;
}

function graphology(path, asked) {
  const { MultiDirectedGraph } = createRequire(join(process.env.PEER_MODULES, "x.js"))("graphology");
  const graph = new MultiDirectedGraph();
  for (const line of readFileSync(path, "utf8").trimEnd().split("\n")) {
    const [head, relation, tail] = line.split("\t");
    graph.mergeNode(head);
    graph.mergeNode(tail);
    graph.addEdge(head, tail, { relation });
  }
  const result = {};
  for (const [direction, ids] of Object.entries(asked)) {
    const each = direction === "out" ? "forEachOutNeighbor" : "forEachNeighbor";
    result[direction] = timed(direction, () =>
      ids.reduce((n, id) => {
        const seen = new Set([id]);
        let level = [id];
        for (let hop = 0; hop < 2; hop++) {
          const next = [];
          for (const node of level)
            graph[each](node, (other) => {
              if (seen.has(other)) return;
              seen.add(other);
              next.push(other);
            });
          level = next;
        }
        return n + seen.size;
      }, 0),
    );
  }
  return result;
}

const [, , mode, path, askedPath] = process.argv;
if (mode === "--ours" || mode === "--graphology") {
  const asked = JSON.parse(readFileSync(askedPath, "utf8"));
  const work = mode === "--ours" ? ours : graphology;
  process.stdout.write(JSON.stringify(await work(path, asked)));
} else {
  const repeats = Number(mode ?? 5);
  const folder = mkdtempSync(join(tmpdir(), "bench-two-hop-"));
  const python = peerPython();
  if (!process.env.PEER_MODULES) process.stderr.write("SKIP graphology: PEER_MODULES is not set\n");
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 24 }));
  const runs = { ours: [], igraph: [], graphology: [] };
  try {
    const tsv = path ?? join(folder, "kg.tsv");
    if (path === undefined) await writeTriples(tsv, 1_000_000);
    const names = [
      ...new Set(
        readFileSync(tsv, "utf8")
          .split("\n")
          .flatMap((l) => l.split("\t").filter((_, i) => i !== 1)),
      ),
    ];
    const random = uniform(2);
    const pick = (n) =>
      Array.from({ length: n }, () => names[Math.floor(random() * (names.length - 1))]).filter(Boolean);
    const file = join(folder, "asked.json");
    writeFileSync(file, JSON.stringify({ out: pick(2000), both: pick(100) }));
    for (let i = 0; i < repeats; i++) {
      runs.ours.push(run(process.execPath, [self, "--ours", tsv, file]));
      if (python) runs.igraph.push(run(python, ["-c", igraph, tsv, file]));
      if (process.env.PEER_MODULES) runs.graphology.push(run(process.execPath, [self, "--graphology", tsv, file]));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const result = {
    environment: environment({
      igraph: runs.igraph[0]?.version ?? "not installed",
      graphology:
        runs.graphology.length > 0
          ? JSON.parse(readFileSync(join(process.env.PEER_MODULES, "node_modules/graphology/package.json"), "utf8"))
              .version
          : "not installed",
      repeats,
    }),
  };
  for (const direction of ["out", "both"]) {
    const of = (name, key = direction) => runs[name].map((one) => one[key]);
    const found = new Set(Object.keys(runs).flatMap((name) => of(name).map((one) => one.found)));
    if (found.size !== 1) throw new Error(`neighbourhoods differ: ${[...found].join(", ")}`);
    const seconds = (list) => (list.length === 0 ? "not installed" : summary(list, "seconds"));
    result[direction] = {
      entitiesFound: [...found][0],
      ours: seconds(of("ours")),
      oursFirstRound: summary(of("ours"), "first"),
      oursIds: seconds(of("ours", `${direction}Ids`)),
      igraph: seconds(of("igraph")),
      graphology: seconds(of("graphology")),
      ...(python
        ? {
            oursToIgraph: ratio(of("ours"), of("igraph")),
            oursIdsToIgraph: ratio(of("ours", `${direction}Ids`), of("igraph")),
          }
        : {}),
      ...(runs.graphology.length > 0 ? { oursToGraphology: ratio(of("ours"), of("graphology")) } : {}),
    };
  }
  publish("two-hop", result);
}
