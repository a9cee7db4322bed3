// What does each part of the main job cost? Run after a build:
//   node bench/npm-start.mjs [REPEATS=3]
// Each part is timed in a fresh process state where it matters (the first walk draws every frame, later ones do not).
// Writes bench/npm-start.json: the environment beside medians and ranges in milliseconds.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const repeats = Number(process.argv[2] ?? 3);

if (process.argv[2] === "--once") {
  const m = await import("../dist/index.js");
  const parts = {};
  const timed = async (name, work) => {
    const start = performance.now();
    const result = await work();
    parts[name] = performance.now() - start;
    return result;
  };
  const dir = mkdtempSync(join(tmpdir(), "bench-"));
  const dataset = await timed("load the data set", () => m.loadDataset("bestiary"));
  await timed("load the training worlds", () => dataset.splits.train());
  const base = { k: 5, seed: 0 };
  const walk = m.retriever("walk");
  const run = await timed("walk 238 questions, drawing and encoding every frame", () =>
    m.retrieve(dataset, walk, base),
  );
  await timed("walk 238 questions again, frames encoded", () => m.retrieve(dataset, walk, base));
  await timed("bm25, 238 questions", () => m.retrieve(dataset, m.retriever("bm25"), base));
  await timed("text (hash), 238 questions", () => m.retrieve(dataset, m.retriever("text"), base));
  await timed("extractive reader, 238 questions", () => m.answer(run, m.reader("extractive")));
  await timed("learned reader, fit and 238 questions", () => m.answer(run, m.reader("learned")));
  const answered = await timed("learned reader again, 238 questions", () => m.answer(run, m.reader("learned")));
  await timed("score 5 measures", () =>
    m.score(answered, dataset, ["EM", "F1", "AnswerRate", "PathRecall", "PathPrecision"]),
  );
  const { spec, notApplicable } = await m.ablation(dataset, { dir });
  const study = m.study(spec);
  await timed("the whole study, frames encoded", () => study.run());
  await timed("tables, comparisons, figures, report", () => study.report({ notApplicable }));
  await timed("the whole study, everything stored", () => m.study(spec).run());
  rmSync(dir, { recursive: true });
  process.stdout.write(JSON.stringify({ parts, peakMemoryMB: process.resourceUsage().maxRSS / 1024 }));
} else {
  const runs = Array.from({ length: repeats }, () =>
    JSON.parse(
      execFileSync(process.execPath, [join(here, "npm-start.mjs"), "--once"], { encoding: "utf8", maxBuffer: 2 ** 24 }),
    ),
  );
  const sorted = (values) => [...values].sort((a, b) => a - b).map(Math.round);
  const summary = (values) => ({
    median: sorted(values)[Math.floor(values.length / 2)],
    min: sorted(values)[0],
    max: sorted(values).at(-1),
  });
  const parts = Object.fromEntries(
    Object.keys(runs[0].parts).map((name) => [name, summary(runs.map((r) => r.parts[name]))]),
  );
  const environment = {
    date: new Date().toISOString().slice(0, 10),
    mkglab: JSON.parse(readFileSync(join(here, "../package.json"), "utf8")).version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model.trim(),
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    repeats,
  };
  const result = { environment, unit: "ms", parts, peakMemoryMB: summary(runs.map((r) => r.peakMemoryMB)) };
  writeFileSync(join(here, "npm-start.json"), `${JSON.stringify(result, null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
}
