import { existsSync } from "node:fs";
import { basename, dirname, extname, isAbsolute, join, resolve } from "node:path";
import type { Command } from "commander";
import { type Image, MkgError, quote, readText, unknownName, writeAtomic } from "../core/index.js";
import { type Dataset, datasetNames, loadDataset, relevantTriples } from "../datasets/index.js";
import { embed, encoderOptions, openEncoder, openIndex } from "../embed/index.js";
import { conventionOptions, evaluateFiles } from "../evaluate/index.js";
import { runNotebook } from "../notebook/index.js";
import { retrieve as retrieveAll, retriever, retrieverOptions, writeRun } from "../retrieve/index.js";
import { compare } from "../stats/index.js";
import { ablation, type ExecuteOptions, type Report, type Study, study } from "../study/index.js";
import { dataDir, type Flags, foldersOf, json, out, typedOption, withInterrupt } from "./common.js";
import { optionLists, optionText } from "./options.js";
import { readScores } from "./scores.js";
import { duration, plainTable, progressLine } from "./terminal.js";

export { dataFetch, dataGenerate, dataList } from "./data.js";
export { dataCheck } from "./data-check.js";

/** The data set; what a lenient reading leaves out is said on stderr. */
async function open(name: string, command: Command): Promise<Dataset> {
  const lenient = command.opts().lenient === true;
  const dataset = await loadDataset(name, { dir: dataDir(command), lenient });
  const { refused } = dataset.card;
  if (refused.length > 0)
    process.stderr.write(
      `mkglab: ${refused.length} rows of ${name} are left out:\n${refused
        .slice(0, 10)
        .map(({ file, line, reason }) => `  ${file}, line ${line}: ${reason}\n`)
        .join("")}${refused.length > 10 ? `  … mkglab data check ${name} --lenient --json lists all\n` : ""}`,
    );
  return dataset;
}

/** Runs a study with progress on stderr; an interrupt stops it at the next question. */
async function runWithProgress(target: Study, options: ExecuteOptions): Promise<void> {
  const line = progressLine(process.stderr);
  const abort = new AbortController();
  const interrupt = () => {
    if (abort.signal.aborted) process.exit(130);
    abort.abort();
  };
  process.on("SIGINT", interrupt);
  try {
    await target.run({ ...options, signal: abort.signal, onProgress: line.report });
  } finally {
    line.end();
    process.off("SIGINT", interrupt);
  }
}

function announce(report: Report, flags: Flags, startedAt: number): void {
  if (flags.json) {
    json({ report: report.report, files: report.files, table: report.summary });
    return;
  }
  out(`${report.caption}\n\n${plainTable(report.summary)}`);
  out(
    `\nReport   ${report.report}\nFigures  ${report.figures.join("\n         ")}\nRows     ${report.scores}\nIn ${duration(performance.now() - startedAt)}.`,
  );
}

/** `mkglab ablate`: the standard ablation suite. */
export async function ablate(flags: Flags, command: Command): Promise<void> {
  const startedAt = performance.now();
  const name = flags.dataset as string;
  const dataset = await open(name, command);
  const dir =
    (flags.out as string | undefined) ??
    join("runs", dataset.name === "bestiary" ? "ablate" : `ablate-${dataset.name}`);
  const seeds = Array.from({ length: flags.seeds as number }, (_, i) => i);
  const { spec, notApplicable } = await ablation(dataset, { seeds, dir });
  const target = study({ ...spec, folders: foldersOf(command) });
  await runWithProgress(target, { concurrency: flags.concurrency as number });
  announce(
    await target.report({
      notApplicable,
      command: `npx mkglab ablate --dataset ${name}${flags.seeds === 3 ? "" : ` --seeds ${flags.seeds}`}`,
    }),
    flags,
    startedAt,
  );
}

/** `mkglab study FILE`. */
export async function studyFile(file: string, flags: Flags, command: Command): Promise<void> {
  const startedAt = performance.now();
  const place = `mkglab study ${file}`;
  let spec: Record<string, unknown>;
  try {
    spec = JSON.parse(await readText(file, { place }));
  } catch (error) {
    if (error instanceof MkgError) throw error;
    throw new MkgError(place, `not JSON (${(error as Error).message})`, "A JSON object with dataset, base, vary …");
  }
  if (typeof spec !== "object" || spec === null || Array.isArray(spec))
    throw new MkgError(place, `not an object (${quote(spec)})`, "A JSON object with dataset, base, vary …");
  if (typeof spec.dataset !== "string")
    throw new MkgError(place, `dataset is not a name (${quote(spec.dataset)})`, "A data set by name or folder");
  const dir =
    (flags.out as string | undefined) ??
    (spec.dir as string | undefined) ??
    join("runs", basename(file, extname(file)));
  const target = await opened(file, { ...spec, dataset: spec.dataset, dir }, command);
  if (flags.dryRun) {
    const cells = target.plan.cells.map(({ label, baseline, options, control }) => ({
      run: label,
      baseline,
      options,
      control: control ?? null,
    }));
    if (flags.json)
      return json({
        cells,
        notApplicable: target.plan.notApplicable,
        measures: target.plan.measures,
        seeds: target.plan.seeds,
      });
    return out(
      `${cells.map((cell) => cell.run).join("\n")}\n${cells.length} cells × ${target.plan.seeds.length} seeds × ${target.spec.dataset.questions.length} questions`,
    );
  }
  await runWithProgress(target, { concurrency: flags.concurrency as number });
  announce(await target.report({ command: `npx mkglab study ${file}` }), flags, startedAt);
}

/** The study of a file; an error says in which file. */
async function opened(
  file: string,
  spec: Readonly<Record<string, unknown>> & { readonly dataset: string },
  command: Command,
): Promise<Study> {
  try {
    const dataset = await open(besideFile(file, spec.dataset), command);
    return study({ folders: foldersOf(command), ...spec, dataset } as unknown as Parameters<typeof study>[0]);
  } catch (error) {
    if (!(error instanceof MkgError)) throw error;
    const { place, problem, allowed, remedy } = error;
    throw new MkgError(`${file}: ${place}`, problem, allowed, remedy);
  }
}

/** A data set's folder that lies beside the file that names it; a data set's name, and any other path, stays as it is. */
function besideFile(file: string, dataset: string): string {
  const beside = join(dirname(file), dataset);
  return datasetNames().includes(dataset) || isAbsolute(dataset) || !existsSync(beside) ? dataset : beside;
}

/** `mkglab retrieve`. */
export async function retrieveRun(flags: Flags, command: Command): Promise<void> {
  const path = flags.out as string;
  if (flags.qrelsOut !== undefined && resolve(flags.qrelsOut as string) === resolve(path))
    throw new MkgError("mkglab retrieve", `--out and --qrels-out are one file (${path})`, "Two files");
  const name = flags.retriever as string;
  const given = Object.fromEntries(
    Object.entries(flags.option as Record<string, string>).map(([key, text]) => [
      key,
      typedOption(text, retrieverOptions(name)[key]?.default),
    ]),
  );
  const chosen = retriever(name, given);
  const dataset = await open(flags.dataset as string, command);
  const setting = flags.setting as never;
  if (setting !== undefined && !dataset.settings.includes(setting))
    throw unknownName(`mkglab retrieve, ${dataset.name}`, "setting", setting, dataset.settings);
  const line = progressLine(process.stderr, 2000);
  const run = await retrieveAll(dataset, chosen, {
    setting,
    k: flags.k as number,
    seed: flags.seed as number,
    folders: foldersOf(command),
    onProgress: line.report,
  });
  line.end();
  await writeRun(run, path, /\.jsonl$/i.test(path) ? "jsonl" : "trec");
  const qrels = flags.qrelsOut as string | undefined;
  if (qrels) {
    const judgements = qrelsOf(run.setting);
    if (judgements === "")
      throw new MkgError(
        "mkglab retrieve",
        `no judgements to write (${qrels}): no question of ${dataset.name} has gold evidence among the candidates`,
        "Gold triples, paths with their triples, or passages",
        "Leave --qrels-out out; the run file is written",
      );
    await writeAtomic(qrels, judgements);
  }
  const failed = run.items.filter((item) => item.evidence === null);
  const summary = {
    run: path,
    ...(qrels ? { qrels } : {}),
    retriever: run.label,
    dataset: dataset.name,
    setting: run.setting.name,
    questions: run.items.length,
    documents: run.setting.candidates.length,
    k: run.k,
    seed: run.seed,
    failed: failed.length,
  };
  if (flags.json) json(summary);
  else
    out(
      `${summary.retriever} on ${summary.dataset}, setting ${summary.setting}: ${summary.questions} questions, ${summary.documents} documents, k = ${summary.k}, failed ${summary.failed}.\nRun    ${path}${qrels ? `\nQrels  ${qrels}` : ""}`,
    );
  if (failed.length > 0)
    throw new MkgError(
      "mkglab retrieve",
      `${failed.length} of ${run.items.length} questions failed; the first: ${failed[0]?.error}`,
      "The run file holds the others",
    );
}

function qrelsOf({
  questions,
  candidates,
}: Dataset["setting"] extends (...args: never[]) => infer V ? V : never): string {
  const triples = new Map(candidates.map((candidate) => [candidate.triple, candidate.id]));
  const passages = new Map(candidates.map((candidate) => [candidate.passage, candidate.id]));
  const lines: string[] = [];
  for (const { id, question } of questions)
    for (const [documents, relevant] of [
      [triples, relevantTriples(question)],
      [passages, question.gold?.passages ?? []],
    ] as const)
      for (const one of relevant) if (documents.has(one)) lines.push(`${id} 0 ${documents.get(one)} 1\n`);
  return lines.join("");
}

/** `mkglab embed`. */
export async function embedDataset(flags: Flags, command: Command): Promise<void> {
  const place = "mkglab embed";
  const name = flags.encoder as string;
  const specs = encoderOptions(name);
  const given = Object.fromEntries(
    Object.entries(flags.option as Record<string, string>).map(([key, text]) => [
      key,
      typedOption(text, specs[key]?.default),
    ]),
  );
  const folders = foldersOf(command);
  const dataset = await open(flags.dataset as string, command);
  const setting = flags.setting as never;
  if (setting !== undefined && !dataset.settings.includes(setting))
    throw unknownName(`${place}, ${dataset.name}`, "setting", setting, dataset.settings);
  const plain = await openEncoder(name, folders, { [name]: given });
  const { questions, candidates } = dataset.setting(setting);
  const shown = (images: readonly Image[], id: string) => images.map((image, i) => ({ id: `${id} ${i}`, item: image }));
  const parts: Record<string, readonly { readonly id: string; readonly item: string | Image }[]> =
    plain.modality === "text"
      ? {
          questions: questions.map(({ id, question }) => ({ id, item: question.text })),
          rows: candidates.map(({ id, text }) => ({ id, item: text })),
        }
      : {
          questions: questions.flatMap(({ id, question }) => shown(question.images, id)),
          rows: (dataset.graph.entities.array("id") as string[]).flatMap((id) =>
            shown(dataset.graph.entity(id).images, id),
          ),
        };
  const made = plain.fit?.((parts.rows ?? []).map(({ item }) => item)) ?? plain;
  const written = await withInterrupt(async (signal, onProgress) => {
    const all = [];
    for (const [part, items] of Object.entries(parts)) {
      const vectors = await embed(
        items.map(({ item }) => item),
        made,
        { signal, onProgress, ...(folders.cache ? { cache: folders.cache } : {}) },
      );
      const folder = join(flags.out as string, part);
      await (await openIndex(vectors)).save(folder);
      await writeAtomic(join(folder, "ids.json"), `${JSON.stringify(items.map(({ id }) => id))}\n`);
      const { n, dim, encoder, revision, zeroRows = 0 } = vectors;
      all.push({ folder, n, dim, encoder, revision, zeroRows });
    }
    return all;
  });
  if (flags.json) return json(written);
  out(plainTable(written));
}

/** Measures when none are named: those of MKG-RAG-Bench. */
const defaultMeasures = [5, 10, 20, 50, 100].flatMap((k) => [`nDCG@${k}`, `P@${k}`, `R@${k}`]);

/** `mkglab eval`. */
export async function evaluate(flags: Flags): Promise<void> {
  const named = flags.measure as string[];
  const results = await evaluateFiles({
    qrels: flags.qrels as string,
    run: flags.run as string,
    measures: named.length > 0 ? named : defaultMeasures,
    ...Object.fromEntries(
      Object.keys(conventionOptions).flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
    ),
  });
  const shown = Object.fromEntries(
    Object.entries(results).map(([measure, { mean, n, missing, ignored, perQuery }]) => [
      measure,
      { mean, n, missing, ignored, ...(flags.perQuery ? { perQuery: Object.fromEntries(perQuery) } : {}) },
    ]),
  );
  const any = Object.values(results)[0];
  if (any && any.missing === any.n)
    process.stderr.write(
      `mkglab eval: the run has none of the ${any.n} judged queries, so that all count 0. Check that both files use the same query ids.\n`,
    );
  if (flags.json) return json(shown);
  const rows = Object.entries(results).map(([measure, { mean, n, missing, ignored }]) => ({
    measure,
    mean: mean.toFixed(4),
    n,
    missing,
    ignored,
  }));
  if (flags.perQuery)
    for (const [measure, { perQuery }] of Object.entries(results))
      for (const [query, value] of perQuery) out(`${measure}\t${query}\t${value.toFixed(4)}`);
  out(plainTable(rows));
}

/** What a comparison says, in the order in which it is read; all its columns are in the JSON. */
const comparedColumns = "b a measure difference low high pAdjusted n nMissing clusters".split(" ");

/** `mkglab compare`. */
export async function compareFiles(files: string[], flags: Flags): Promise<void> {
  const rows = (await Promise.all(files.map((file) => readScores(file)))).flat();
  const measures = flags.measure as string[];
  const table = compare(rows, {
    baseline: flags.baseline as string,
    ...(measures.length > 0 ? { measures } : {}),
    cluster: flags.cluster === "none" ? null : (flags.cluster as string),
    correction: flags.correction as "holm" | "none",
    seed: flags.seed as number,
  });
  const compared = table.objects() as Record<string, unknown>[];
  if (flags.json) return json(compared);
  const columns = compared.every((row) => row.status === "ok") ? comparedColumns : [...comparedColumns, "status"];
  out(plainTable(compared.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])))));
  for (const warning of new Set(compared.map((row) => row.warning).filter(Boolean)))
    out(
      `warning for ${compared.filter((row) => row.warning === warning).length} of ${compared.length} rows: ${warning}`,
    );
}

/** `mkglab notebook`. */
export async function notebook(files: string[], flags: Flags): Promise<void> {
  const results: unknown[] = [];
  const parameters = Object.fromEntries(
    Object.entries(flags.parameter as Record<string, string>).map(([name, text]) => [name, jsonOrText(text)]),
  );
  for (const file of files) {
    if (!existsSync(file)) throw new MkgError("mkglab notebook", `no such file (${file})`, "", "Check the path");
    const target = flags.out ? join(flags.out as string, basename(file)) : undefined;
    const { cells, notices } = await runNotebook(file, {
      ...(target ? { out: target } : {}),
      parameters,
      timeoutMs: (flags.timeout as number) * 1000,
    });
    for (const notice of notices) process.stderr.write(`mkglab notebook: ${notice}\n`);
    results.push({ notebook: file, cells: cells.length, ...(target ? { out: target } : {}) });
    if (!flags.json) out(`${file}: ${cells.length} code cells${target ? ` → ${target}` : ""}`);
  }
  if (flags.json) json(results);
}

/** `k=5` is a number, `name=walk` a text, `list=[1,2]` a list. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `mkglab options`. */
export async function options(name: string | undefined, flags: Flags): Promise<void> {
  const lists = optionLists(name);
  if (flags.json) return json(lists);
  out(optionText(lists));
}
