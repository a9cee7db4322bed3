import { join } from "node:path";
import { MkgError, quote, readJsonl, readText } from "../core/index.js";
import type { Graph } from "../graph/index.js";

// Reads the files of MKG-RAG-Bench-G and checks each line against the graph; a line that does not fit is an error that names it.

const place = "dataset mkg-rag-bench";

export type Modality = "text" | "mm";

export interface BenchQuestion {
  readonly qid: number;
  readonly query: string;
  readonly masked: "tail" | "relation";
  readonly head: string;
  readonly relation: string | null;
  readonly tail: string | null;
  /** Number of relevant rows that the file states; null when it does not. */
  readonly candidates: number | null;
}

export interface BenchFiles {
  readonly questions: readonly BenchQuestion[];
  /** qid → ids of the relevant triples, in qrels order. */
  readonly relevant: ReadonlyMap<number, readonly string[]>;
  readonly judgements: number;
}

export const benchFiles = (modality: Modality) =>
  ({
    queries: `${modality}_queries.jsonl`,
    qrels: `${modality}_qrels.tsv`,
    triples: `${modality}_relevant_triples.jsonl`,
  }) as const;

/** `isMultimodal`: whether a triple stands in the multimodal corpus. */
export async function readBenchFiles(
  folder: string,
  modality: Modality,
  graph: Graph,
  isMultimodal: (tripleId: string) => boolean,
): Promise<BenchFiles> {
  const names = benchFiles(modality);
  const questions = await readQuestions(join(folder, names.queries), modality, graph);
  const rows = await readRelevantTriples(join(folder, names.triples), modality, graph, isMultimodal);
  const { relevant, judgements } = await readJudgements(join(folder, names.qrels), names, questions, rows);
  return { questions, relevant, judgements };
}

const natural = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function fail(where: string, problem: string, allowed = "", remedy = "Mend that line"): never {
  throw new MkgError(place, `${where}: ${problem}`, allowed, remedy);
}

/** Fields of a line's object; anything but an object is an error. */
function fields(where: string, record: unknown): Readonly<Record<string, unknown>> {
  if (typeof record !== "object" || record === null || Array.isArray(record))
    fail(where, `not an object (${quote(record)})`);
  return record as Record<string, unknown>;
}

function text(where: string, record: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === "string" && value !== ""
    ? value
    : fail(where, `${name} is not a non-empty string (${quote(value)})`);
}

async function readQuestions(file: string, modality: Modality, graph: Graph): Promise<BenchQuestion[]> {
  const questions: BenchQuestion[] = [];
  const lineOf = new Map<number, number>();
  for await (const { record, line } of readJsonl<unknown>(file, place)) {
    const where = `${file}, line ${line}`;
    const r = fields(where, record);
    const qid = r.qid;
    if (!natural(qid)) return fail(where, `qid is not an integer ≥ 0 (${quote(qid)})`);
    if (lineOf.has(qid))
      fail(
        where,
        `a second question with the qid ${qid}; the first is in line ${lineOf.get(qid)}`,
        "qids are distinct",
      );
    lineOf.set(qid, line);
    const masked = r.masked_type;
    if (masked !== "tail" && masked !== "relation")
      return fail(where, `masked_type is not known (${quote(masked)})`, 'Known: "tail", "relation"');
    if (r.is_multimodal !== undefined && r.is_multimodal !== (modality === "mm"))
      fail(where, `is_multimodal is ${quote(r.is_multimodal)} in the file of ${modality} questions`);
    const candidates = r.candidates_count ?? null;
    if (candidates !== null && !natural(candidates))
      fail(where, `candidates_count is not an integer ≥ 0 (${quote(candidates)})`);
    const head = text(where, r, "head_id");
    const relation = masked === "relation" ? null : text(where, r, "rel_id");
    const tail = masked === "tail" ? null : text(where, r, "tail_id");
    for (const id of tail === null ? [head] : [head, tail])
      if (!graph.has(id))
        fail(
          where,
          `an entity that MarKG does not have (${quote(id)})`,
          "",
          "Use the questions that belong to this MarKG",
        );
    questions.push(
      Object.freeze({
        qid,
        query: text(where, r, "query"),
        masked,
        head,
        relation,
        tail,
        candidates: candidates as number | null,
      }),
    );
  }
  return questions;
}

/** Released document id → triple id. */
async function readRelevantTriples(
  file: string,
  modality: Modality,
  graph: Graph,
  isMultimodal: (tripleId: string) => boolean,
): Promise<Map<number, string>> {
  const rows = new Map<number, string>();
  const docOf = new Map<string, number>();
  for await (const { record, line } of readJsonl<unknown>(file, place)) {
    const where = `${file}, line ${line}`;
    const r = fields(where, record);
    const { doc_id: doc, markg_row: row } = r;
    if (!natural(doc)) return fail(where, `doc_id is not an integer ≥ 0 (${quote(doc)})`);
    if (rows.has(doc)) fail(where, `a second row with the doc_id ${doc}`, "doc_ids are distinct");
    const lines = graph.triples.numRows();
    if (!natural(row) || row >= lines)
      return fail(
        where,
        `markg_row is not a line of wiki_tuple_ids.txt (${quote(row)})`,
        `An integer from 0 to ${lines - 1}`,
      );
    const id = String(row);
    const { head, relation, tail } = graph.triple(id);
    const stated = [text(where, r, "head_id"), text(where, r, "rel_id"), text(where, r, "tail_id")];
    if (stated[0] !== head || stated[1] !== relation || stated[2] !== tail)
      fail(
        where,
        `markg_row ${row} is ${head} ${relation} ${tail}, the row says ${stated.join(" ")}`,
        "Both name the same triple",
        "Use the rows that belong to this MarKG",
      );
    if (docOf.has(id))
      fail(
        where,
        `a second doc_id (${doc}) for the markg_row ${row}; the first is ${docOf.get(id)}`,
        "One document a row",
      );
    if (isMultimodal(id) !== (modality === "mm"))
      fail(
        where,
        `markg_row ${row} is ${modality === "mm" ? "a text" : "a multimodal"} row, in the file of ${modality} rows`,
        "A row is multimodal when its head stands in the first 500 lines of wiki_tuple_ids.txt",
      );
    rows.set(doc, id);
    docOf.set(id, doc);
  }
  return rows;
}

async function readJudgements(
  file: string,
  names: ReturnType<typeof benchFiles>,
  questions: readonly BenchQuestion[],
  rows: ReadonlyMap<number, string>,
): Promise<{ relevant: Map<number, string[]>; judgements: number }> {
  const relevant = new Map<number, string[]>(questions.map(({ qid }) => [qid, []]));
  const seen = new Set<string>();
  let judgements = 0;
  const lines = (await readText(file, { place })).split("\n");
  for (const [i, raw] of lines.entries()) {
    const row = raw.replace(/\r$/, "");
    if (row === "") continue;
    const where = `${file}, line ${i + 1}`;
    const parts = row.split("\t");
    const [qid, doc, grade] = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN));
    if (parts.length !== 3 || !natural(qid) || !natural(doc) || !natural(grade))
      fail(where, `not qid TAB doc_id TAB relevance (${quote(row)})`, "Three integers ≥ 0");
    const list = relevant.get(qid);
    if (!list)
      fail(where, `a qid that ${names.queries} does not have (${qid})`, "", `Add the question or remove the line`);
    const triple = rows.get(doc);
    if (triple === undefined)
      fail(
        where,
        `a doc_id that ${names.triples} does not have (${doc}), so that its markg_row is unknown`,
        "",
        "Add the row or remove the line",
      );
    if (seen.has(`${qid} ${doc}`))
      fail(where, `a second judgement of doc_id ${doc} for qid ${qid}`, "One judgement a pair");
    seen.add(`${qid} ${doc}`);
    judgements++;
    if (grade > 0) list.push(triple);
  }
  return { relevant, judgements };
}
