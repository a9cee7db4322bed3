// What the benchmarks of graphs share: one million seeded triples, and the form of their results. Not run by itself.

import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Uniform in [0, 1): the mulberry32 generator, whose state is 32 bits. */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Zipf numbers from 1 with exponent `a`, by rejection (Devroye 1986, Non-Uniform Random Variate Generation, X.6.1). */
function zipf(random, a) {
  const b = 2 ** (a - 1);
  for (;;) {
    const x = Math.floor((1 - random()) ** (-1 / (a - 1)));
    const t = (1 + 1 / x) ** (a - 1);
    if (x < 2 ** 52 && random() * x * (t - 1) * b <= t * (b - 1)) return x;
  }
}

/** Writes `head TAB relation TAB tail` without header: heads Zipf(1.3) modulo 200,000, tails uniform over 200,000, 200 relations. */
export async function writeTriples(path, triples) {
  const random = uniform(1);
  const file = createWriteStream(path);
  let text = "";
  for (let i = 0; i < triples; i++) {
    const head = zipf(random, 1.3) % 200_000;
    text += `e${head}\tr${Math.floor(random() * 200)}\te${Math.floor(random() * 200_000)}\n`;
    if (text.length > 2 ** 18) {
      if (!file.write(text)) await once(file, "drain");
      text = "";
    }
  }
  file.end(text);
  await once(file, "finish");
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export const summary = (runs, key) => {
  const sorted = runs.map((run) => Number(run[key].toPrecision(3))).sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
};

export const ratio = (ours, peer, key = "seconds") =>
  Number((median(ours.map((run) => run[key])) / median(peer.map((run) => run[key]))).toPrecision(2));

export const environment = (more) => ({
  date: new Date().toISOString().slice(0, 10),
  mkglab: JSON.parse(readFileSync(join(here, "../package.json"), "utf8")).version,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  cpu: cpus()[0]?.model.trim(),
  cores: cpus().length,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  ...more,
});

export function publish(name, result) {
  const text = `${JSON.stringify(result, null, 2)}\n`;
  writeFileSync(join(here, `${name}.json`), text);
  process.stdout.write(text);
}

/** Python of the peers, from PEER_PYTHON; undefined, and said so, where it is not set or there. */
export function peerPython() {
  const python = process.env.PEER_PYTHON;
  if (python && existsSync(python)) return python;
  process.stderr.write("SKIP the Python peers: PEER_PYTHON does not name a Python with pandas, networkx and igraph\n");
  return undefined;
}

/** What was measured in this process since `start`. */
export const began = () => ({ at: performance.now(), cpu: process.cpuUsage() });
export const spent = ({ at, cpu }) => {
  const seconds = (performance.now() - at) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMB: process.resourceUsage().maxRSS / 1024 };
};
