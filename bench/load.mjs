// How long until a file of one million triples is a graph to work with (labels, adjacency, one neighbours call)? Run after a build:
//   PEER_PYTHON=/path/to/python node bench/load.mjs [REPEATS=5] [FILE.tsv]
// Ours and the peers (pandas + networkx, pandas + igraph) take turns over the same bytes, each in a fresh process whose start and imports are not counted.
// All print numbers of nodes, of edges and of the successors of e1, which must be equal. Ours also reads the triples from Arrow.
// Without FILE the triples are made here, from a seed. Writes bench/load.json: the environment beside medians and ranges.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { began, environment, peerPython, publish, ratio, spent, summary, writeTriples } from "./kg.mjs";

const self = fileURLToPath(import.meta.url);

const python = `
import json, resource, sys, time
import pandas as pd, networkx as nx, igraph
which, path = sys.argv[1:]
start, cpu = time.perf_counter(), time.process_time()
df = pd.read_csv(path, sep="\\t", header=None, names=["h", "r", "t"], dtype=str, keep_default_na=False)
if which == "networkx":
    G = nx.from_pandas_edgelist(df, "h", "t", ["r"], create_using=nx.MultiDiGraph)
    check = [len(G), G.number_of_edges(), len(list(G.successors("e1")))]
else:
    G = igraph.Graph.DataFrame(df[["h", "t", "r"]], directed=True, use_vids=False)
    check = [G.vcount(), G.ecount(), len(set(G.successors(G.vs.find("e1"))))]
print(json.dumps(dict(seconds=time.perf_counter() - start, cpuSeconds=time.process_time() - cpu, check=check,
    peakMB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    version="pandas %s, networkx %s, igraph %s" % (pd.__version__, nx.__version__, igraph.__version__))))
`;

async function ours(path) {
  const { loadGraph } = await import("../dist/graph/index.js");
  const start = began();
  const graph = await loadGraph(path);
  const successors = graph.neighbours("e1");
  const cost = spent(start);
  const distinct = new Set(successors.map((n) => n.entity)).size;
  return { ...cost, check: [graph.entities.numRows(), graph.triples.numRows(), distinct] };
}

/** The same triples as Arrow: text columns as they are, and as dictionaries. */
async function writeArrow(tsv, folder) {
  const { dictionary, tableFromArrays, tableToIPC, utf8 } = await import("@uwdata/flechette");
  const rows = readFileSync(tsv, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  const columns = Object.fromEntries(["head", "relation", "tail"].map((name, c) => [name, rows.map((row) => row[c])]));
  const files = {};
  for (const [kind, type] of Object.entries({ arrowText: utf8, arrowDictionary: () => dictionary(utf8()) })) {
    files[kind] = join(folder, `${kind}.arrow`);
    const types = Object.fromEntries(Object.keys(columns).map((name) => [name, type()]));
    writeFileSync(files[kind], tableToIPC(tableFromArrays(columns, { types }), { format: "file" }));
  }
  return files;
}

if (process.argv[2] === "--once") {
  process.stdout.write(JSON.stringify(await ours(process.argv[3])));
} else {
  const repeats = Number(process.argv[2] ?? 5);
  const folder = mkdtempSync(join(tmpdir(), "bench-load-"));
  const peer = peerPython();
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 24 }));
  const runs = { ours: [], networkx: [], igraph: [], arrowText: [], arrowDictionary: [] };
  try {
    const tsv = process.argv[3] ?? join(folder, "kg.tsv");
    if (process.argv[3] === undefined) await writeTriples(tsv, 1_000_000);
    const arrow = await writeArrow(tsv, folder);
    for (let i = 0; i < repeats; i++) {
      runs.ours.push(run(process.execPath, [self, "--once", tsv]));
      for (const which of ["networkx", "igraph"]) if (peer) runs[which].push(run(peer, ["-c", python, which, tsv]));
      for (const kind of Object.keys(arrow)) runs[kind].push(run(process.execPath, [self, "--once", arrow[kind]]));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const check = JSON.stringify(runs.ours[0].check);
  for (const one of Object.values(runs).flat())
    if (JSON.stringify(one.check) !== check) throw new Error(`graphs differ: ${check}, ${JSON.stringify(one.check)}`);
  const of = (list) =>
    list.length === 0
      ? "not installed"
      : Object.fromEntries(["seconds", "cpuSeconds", "peakMB"].map((key) => [key, summary(list, key)]));
  publish("load", {
    environment: environment({ peer: runs.networkx[0]?.version ?? "not installed", repeats }),
    nodesEdgesSuccessorsOfE1: runs.ours[0].check,
    ours: of(runs.ours),
    oursFromArrowText: of(runs.arrowText),
    oursFromArrowDictionary: of(runs.arrowDictionary),
    pandasNetworkx: of(runs.networkx),
    pandasIgraph: of(runs.igraph),
    ...(peer ? { oursToNetworkx: ratio(runs.ours, runs.networkx), oursToIgraph: ratio(runs.ours, runs.igraph) } : {}),
  });
}
