import { basename, extname } from "node:path";
import {
  type Answer,
  type Evidence,
  type Hit,
  hitId,
  MkgError,
  quote,
  readJsonl,
  unknownName,
  writeAtomic,
} from "../core/index.js";
import { type Dataset, type SettingName, type SettingView, toQuery } from "../datasets/index.js";
import { makeRun, type Run, type RunItem, readRunFile, writeTrec } from "../evaluate/index.js";
import { idsOf, toEvidence } from "./hits.js";
import { candidateId, contentOf } from "./order.js";

const FORMAT = "mkglab run 1";

interface Header {
  readonly format: string;
  readonly label: string;
  readonly dataset: { readonly name: string; readonly split: string; readonly fingerprint: string };
  readonly setting: string;
  readonly k: number;
  readonly seed: number;
  readonly config: Readonly<Record<string, unknown>>;
}
interface Line {
  readonly id: string;
  readonly evidence: Evidence | null;
  readonly answer: Answer | null;
  readonly error?: string;
}

/** What was written: rows are ranked documents under TREC, questions under JSON lines. */
export interface WrittenRun {
  readonly path: string;
  readonly questions: number;
  /** Questions that the retriever failed on: absent from a TREC file, where evaluation counts them as missing. */
  readonly failed: number;
  readonly rows: number;
}

/**
 * Writes a run, whole or not at all.
 *
 * - `"trec"`: lines `question Q0 document rank score tag`, with question and document ids as in the setting's files.
 *   Scores fall strictly (equal ones by the least step of a 32-bit float), so that trec_eval's own order of ties gives the
 *   ranking back. A path stands as its triples in
 *   order, each document where it first comes; triples and passages outside the setting's candidates have no document id and are left out.
 * - `"jsonl"`: everything, evidence, traces and answers included: one header, then one line a question. Pictures stay in
 *   the graph, where a hit's entities lead to them.
 *
 * Errors: unknown format; in TREC a hit that is a text, or an id with white space.
 *
 * @example
 * await writeRun(run, "runs/bm25.trec", "trec"); // { path: "runs/bm25.trec", questions: 96, failed: 0, rows: 9600 }
 */
export async function writeRun(run: Run, path: string, format: "trec" | "jsonl"): Promise<WrittenRun> {
  const writers = { trec: writeTrecRun, jsonl: writeJsonlRun };
  if (!Object.hasOwn(writers, format)) throw unknownName("writeRun", "format", format, Object.keys(writers));
  const rows = await writers[format](run, path);
  return { path, questions: run.items.length, failed: run.items.filter((item) => item.evidence === null).length, rows };
}

async function writeTrecRun(run: Run, path: string): Promise<number> {
  const documents = new Map(run.setting.candidates.map((c) => [candidateId(c), c.id]));
  const rankings = new Map<string, { ids: string[]; scores: number[] }>();
  let rows = 0;
  for (const { id, evidence } of run.items) {
    if (!evidence) continue;
    const scores = new Map<string, number>();
    for (const hit of evidence.hits)
      for (const content of contentsOf(hit, id)) {
        const document = documents.get(content);
        if (document !== undefined && !scores.has(document)) scores.set(document, hit.score);
      }
    rankings.set(id, { ids: [...scores.keys()], scores: [...scores.values()] });
    rows += scores.size;
  }
  await writeTrec(rankings, path, run.label);
  return rows;
}

function contentsOf(hit: Hit, question: string): readonly string[] {
  if (hit.triple !== undefined || hit.passage !== undefined) return [hitId(hit)];
  if (hit.path) return hit.pathTriples ?? [];
  throw new MkgError(
    "writeRun",
    `question ${quote(question)} has a hit without a document id (a text)`,
    "Triples, paths and passages in TREC files",
    'Write the run as "jsonl" instead',
  );
}

async function writeJsonlRun(run: Run, path: string): Promise<number> {
  const { label, dataset, setting, k, seed, config } = run;
  const header: Header = {
    format: FORMAT,
    label,
    dataset: { name: dataset.name, split: dataset.split, fingerprint: dataset.fingerprint },
    setting: setting.name,
    k,
    seed,
    config,
  };
  const lines: Line[] = run.items.map(({ id, evidence, answer, error }) => ({
    id,
    evidence: evidence && withoutImages(evidence),
    answer,
    ...(error === undefined ? {} : { error }),
  }));
  await writeAtomic(path, [header, ...lines].map((value) => `${JSON.stringify(value)}\n`).join(""));
  return lines.length;
}

const withoutImages = (evidence: Evidence): Evidence => ({
  ...evidence,
  hits: evidence.hits.map(({ images: _, ...hit }) => hit),
});

/**
 * Reads a run that {@link writeRun} or another program wrote. `dataset` must be the one that it was made on.
 *
 * Files ending in `.jsonl` hold the whole run; the setting stands inside. Any other file is read as TREC: documents in
 * trec_eval's order (score descending, ties by id descending), `setting` says what the ids mean (default: all questions
 * over all triples), the label is the file's name, k the longest ranking; questions that the file lacks get
 * `evidence: null`. Memory O(file).
 *
 * Errors name file and question: ids that the setting does not have, another data set, a malformed or incomplete file.
 *
 * @example
 * const run = await readRun("runs/bm25.trec", dataset, { setting: "S2" });
 * run.get("10").evidence.hits[0]; // { score: 100, triple: "21412" }
 */
export async function readRun(path: string, dataset: Dataset, options: { setting?: SettingName } = {}): Promise<Run> {
  return extname(path) === ".jsonl"
    ? readJsonlRun(path, dataset, options.setting)
    : readTrecRun(path, dataset, options.setting);
}

async function readTrecRun(path: string, dataset: Dataset, setting: SettingName | undefined): Promise<Run> {
  const lists = await readRunFile(path);
  const view = dataset.setting(setting);
  const documents = new Map(view.candidates.map((c) => [c.id, contentOf(c)]));
  const known = new Set(view.questions.map((q) => q.id));
  for (const id of lists.keys()) if (!known.has(id)) throw foreign(path, "question", id, view, known);
  let k = 1;
  const items = view.questions.map(({ id, question }): RunItem => {
    const list = lists.get(id);
    const item = { id, question: question.id, query: toQuery(dataset, question), answer: null };
    if (!list) return { ...item, evidence: null, error: `not in ${basename(path)}` };
    k = Math.max(k, list.ids.length);
    const hits = list.ids.map((document, i) => {
      const content = documents.get(document);
      if (content === undefined) throw foreign(path, "document", document, view, documents.keys());
      return Object.freeze({ score: list.scores[i] as number, ...content });
    });
    return { ...item, evidence: Object.freeze({ hits: Object.freeze(hits) }) };
  });
  return makeRun({
    label: basename(path, extname(path)),
    dataset,
    setting: view,
    k,
    seed: 0,
    config: { file: basename(path), setting: view.name },
    items,
  });
}

const foreign = (path: string, kind: string, id: string, view: SettingView, known: Iterable<string>) => {
  const error = unknownName("readRun", `${kind} id`, id, known);
  return new MkgError(
    "readRun",
    `${path}: ${error.problem} under setting ${view.name}`,
    error.allowed,
    error.remedy || "Is it a run of this data set and setting?",
  );
};

async function readJsonlRun(path: string, dataset: Dataset, wanted: SettingName | undefined): Promise<Run> {
  let header: Header | undefined;
  const lines = new Map<string, Line>();
  for await (const { record, line } of readJsonl<unknown>(path, "readRun")) {
    const place = `${path}, line ${line}`;
    if (!header) header = checkHeader(place, record, dataset, wanted);
    else {
      const { id, evidence, answer } = (record ?? {}) as Line;
      if (
        typeof id !== "string" ||
        typeof evidence !== "object" ||
        typeof answer !== "object" ||
        (answer && !["ok", "abstained", "failed"].includes(answer.status))
      )
        throw new MkgError(
          "readRun",
          `${place}: not a question of a run (${quote(record)})`,
          "{ id, evidence, answer }",
        );
      if (lines.has(id))
        throw new MkgError("readRun", `${place}: a second line for question ${quote(id)}`, "One line a question");
      lines.set(id, record as Line);
    }
  }
  if (!header) throw new MkgError("readRun", `the file is empty (${path})`, `A header line, then one line a question`);
  const { label, setting, k, seed, config } = header;
  const view = dataset.setting(setting === "all" ? undefined : (setting as SettingName));
  const known = new Set(view.questions.map((q) => q.id));
  for (const id of lines.keys()) if (!known.has(id)) throw foreign(path, "question", id, view, known);
  const scope = { graph: dataset.graph, ...idsOf(view.candidates), setting, k };
  const items = view.questions.map(({ id, question }): RunItem => {
    const line = lines.get(id);
    if (!line)
      throw new MkgError(
        "readRun",
        `${path}: question ${quote(id)} is missing`,
        "One line for each question of the setting",
        "Write the run again",
      );
    const evidence = line.evidence && toEvidence(`${path}, question ${quote(id)}`, line.evidence, scope);
    return {
      id,
      question: question.id,
      query: toQuery(dataset, question),
      evidence,
      answer: line.answer,
      ...(line.error === undefined ? {} : { error: line.error }),
    };
  });
  return makeRun({ label, dataset, setting: view, k, seed, config, items });
}

function checkHeader(place: string, record: unknown, dataset: Dataset, wanted: SettingName | undefined): Header {
  const header = (record ?? {}) as Header;
  if (header.format !== FORMAT)
    throw new MkgError(
      "readRun",
      `${place}: not the header of a run (${quote(record)})`,
      `{ "format": ${quote(FORMAT)}, … }`,
      "Read a file that writeRun wrote as jsonl",
    );
  const { label, k, seed, setting } = header;
  if (
    typeof label !== "string" ||
    !Number.isSafeInteger(k) ||
    k < 1 ||
    !Number.isSafeInteger(seed) ||
    typeof setting !== "string"
  )
    throw new MkgError("readRun", `${place}: the header lacks label, setting, k or seed (${quote(record)})`);
  if (header.dataset?.fingerprint !== dataset.fingerprint)
    throw new MkgError(
      "readRun",
      `${place}: the run was made on other data (${header.dataset?.name}, ${header.dataset?.split})`,
      `This data set is ${dataset.name}, ${dataset.split}`,
      "Load the data set, split and seed that it was made on",
    );
  if (wanted !== undefined && wanted !== setting)
    throw new MkgError(
      "readRun",
      `${place}: the run was made under another setting (${setting})`,
      `Asked for: ${wanted}`,
    );
  return header;
}
