// What do 10,000 pictures cost to hash and open, in time and memory? Run after a build:
//   PEER_PYTHON=/path/to/python node bench/images.mjs [IMAGES=10000] [REPEATS=3]
// Ours and the peer (Pillow and hashlib, where PEER_PYTHON has them) take turns, each in a fresh process, over the same seeded PNG files of
// 96 × 96 pixels: read, SHA-256 of the bytes, every pixel decoded to RGB. Both print a hash of all hashes and the sum of all pixel values, which must
// be equal. Ours also runs over a tenth of the files: bounded memory is a peak that does not grow with their number.
// Writes bench/images.json: the environment beside medians and ranges.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const name = (i) => `${String(i).padStart(5, "0")}.png`;

const peer = `
import hashlib, io, json, os, resource, sys, time
from PIL import Image, __version__
folder, n = sys.argv[1], int(sys.argv[2])
start, cpu = time.perf_counter(), time.process_time()
everything, total = hashlib.sha256(), 0
for i in range(n):
    with open(os.path.join(folder, "%05d.png" % i), "rb") as f:
        data = f.read()
    everything.update(hashlib.sha256(data).hexdigest().encode())
    image = Image.open(io.BytesIO(data)).convert("RGB")
    total += sum(i * c for band in image.split() for i, c in enumerate(band.histogram()))
print(json.dumps(dict(seconds=time.perf_counter() - start, cpuSeconds=time.process_time() - cpu,
    peakMB=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, hash=everything.hexdigest(), sum=total, version="Pillow " + __version__)))
`;

async function ours(folder, n) {
  const { imageFile } = await import("../dist/graph/index.js");
  const { contentHash, pixels } = await import("../dist/media/index.js");
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const hashes = new Array(n);
  let next = 0;
  let sum = 0;
  const work = async () => {
    for (let i = next++; i < n; i = next++) {
      const image = imageFile(folder, name(i));
      hashes[i] = await contentHash(image);
      const { data } = await pixels(image);
      let own = 0;
      for (const value of data) own += value;
      sum += own;
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  const everything = createHash("sha256");
  for (const hash of hashes) everything.update(hash);
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (user + system) / 1e6,
    peakMB: process.resourceUsage().maxRSS / 1024,
    hash: everything.digest("hex"),
    sum,
  };
}

/** Noise and a shade of its own in each: pictures that neither deflate to nothing nor equal each other. */
async function draw(folder, n) {
  const { default: sharp } = await import("sharp");
  const side = 96;
  let state = 12345;
  for (let i = 0; i < n; i++) {
    const data = Buffer.alloc(side * side * 3);
    for (let at = 0; at < data.length; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      data[at] = ((i * 37) & 127) + ((at / 3) % side) + (state >>> 29);
    }
    await sharp(data, { raw: { width: side, height: side, channels: 3 } })
      .png()
      .toFile(join(folder, name(i)));
  }
}

if (process.argv[2] === "--once") {
  process.stdout.write(JSON.stringify(await ours(process.argv[3], Number(process.argv[4]))));
} else {
  const images = Number(process.argv[2] ?? 10_000);
  const repeats = Number(process.argv[3] ?? 3);
  const python = process.env.PEER_PYTHON;
  const folder = mkdtempSync(join(tmpdir(), "bench-images-"));
  const run = (command, args) => JSON.parse(execFileSync(command, args, { encoding: "utf8" }));
  const runs = { ours: [], peer: [], oursTenth: [] };
  try {
    await draw(folder, images);
    for (let i = 0; i < repeats; i++) {
      runs.ours.push(run(process.execPath, [join(here, "images.mjs"), "--once", folder, String(images)]));
      if (python) runs.peer.push(run(python, ["-c", peer, folder, String(images)]));
      runs.oursTenth.push(run(process.execPath, [join(here, "images.mjs"), "--once", folder, String(images / 10)]));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (!python) process.stderr.write("SKIP the peer: PEER_PYTHON is not set\n");
  const [one] = runs.ours;
  for (const { hash, sum } of [...runs.ours, ...runs.peer])
    if (hash !== one.hash || sum !== one.sum) throw new Error("ours and the peer do not see the same pictures");
  const summary = (list, key) => {
    const sorted = list.map((r) => Number(r[key].toFixed(2))).sort((a, b) => a - b);
    return { median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
  };
  const of = (list) => ({
    seconds: summary(list, "seconds"),
    cpuSeconds: summary(list, "cpuSeconds"),
    peakMB: summary(list, "peakMB"),
  });
  const result = {
    environment: {
      date: new Date().toISOString().slice(0, 10),
      mkglab: JSON.parse(readFileSync(join(here, "../package.json"), "utf8")).version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cpu: cpus()[0]?.model.trim(),
      cores: cpus().length,
      memoryGB: Math.round(totalmem() / 2 ** 30),
      peer: runs.peer[0]?.version ?? "not installed",
      images,
      repeats,
    },
    ours: of(runs.ours),
    oursTenthOfTheImages: of(runs.oursTenth),
    ...(runs.peer.length > 0
      ? {
          peer: of(runs.peer),
          ratioOfMedianSeconds: Number(
            (summary(runs.ours, "seconds").median / summary(runs.peer, "seconds").median).toFixed(2),
          ),
        }
      : {}),
  };
  writeFileSync(join(here, "images.json"), `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}
