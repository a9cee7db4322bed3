import { eachLine, MkgError, quote } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import { type Fields, field, type Intake, isNatural, naturalField, textField } from "./intake.js";

// Reads the files of MKG-RAG-Bench and checks each line against graph and corpus; a line that does not fit is an error that names it.

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
  /** Where it stands. */
  readonly file: string;
  readonly line: number;
}

/** A row of a corpus as its document id names it. */
export interface Document {
  readonly triple: string;
  /** Path of the head's picture below the folder of pictures; "" when there is none. */
  readonly image: string;
}

export interface BenchFiles {
  readonly questions: readonly BenchQuestion[];
  /** qid → ids of the relevant triples, in qrels order. */
  readonly relevant: ReadonlyMap<number, readonly string[]>;
  /** qid → the relevant row with the smallest document id, whose picture is the question's. */
  readonly first: ReadonlyMap<number, Document>;
  readonly judgements: number;
}

export const queriesFile = (modality: Modality): string => `${modality}_queries.jsonl`;
export const qrelsFile = (modality: Modality): string => `${modality}_qrels.tsv`;
export const corpusFile = (modality: Modality): string => `${modality}_corpus.jsonl`;
export const relevantFile = (modality: Modality): string => `${modality}_relevant_triples.jsonl`;

const mend = "Mend that line";

// the README of the general-domain part names fields otherwise than its files do
const readmeNames: Readonly<Record<string, string>> = {
  query: "question",
  rel_id: "relation_id",
  rel_text: "relation_text",
};

/** A field by its name in the files, or in the README; both with different values are an error. */
export function named(where: string, record: Fields, name: string): unknown {
  const other = readmeNames[name];
  const value = field(record, name);
  if (other === undefined || !Object.hasOwn(record, other)) return value;
  const second = field(record, other);
  if (Object.hasOwn(record, name) && value !== second)
    throw new MkgError(where, `${name} and ${other} differ (${quote(value)}, ${quote(second)})`, "One of them", mend);
  return second;
}

export const namedText = (where: string, record: Fields, name: string): string =>
  textField(where, { [name]: named(where, record, name) }, name);

/** Questions of one modality; `graph` has the entities that they may name. */
export async function readQuestions(
  intake: Intake,
  file: string,
  modality: Modality,
  graph: Graph,
  source: string,
): Promise<BenchQuestion[]> {
  const questions: BenchQuestion[] = [];
  const lineOf = new Map<number, number>();
  intake.table("questions");
  for await (const { record: r, line } of intake.objects("questions", file))
    intake.row("questions", file, line, (where) => {
      const qid = naturalField(where, r, "qid");
      const earlier = lineOf.get(qid);
      if (earlier !== undefined)
        throw new MkgError(
          where,
          `a second question with the qid ${qid}; the first is in line ${earlier}`,
          "qids are distinct",
          mend,
        );
      const masked = field(r, "masked_type");
      if (masked !== "tail" && masked !== "relation")
        throw new MkgError(where, `masked_type is not known (${quote(masked)})`, 'Known: "tail", "relation"', mend);
      const multimodal = field(r, "is_multimodal");
      if (multimodal !== undefined && multimodal !== (modality === "mm"))
        throw new MkgError(
          where,
          `is_multimodal is ${quote(multimodal)} in the file of ${modality} questions`,
          "",
          mend,
        );
      const head = textField(where, r, "head_id");
      const relation = masked === "relation" ? null : namedText(where, r, "rel_id");
      const tail = masked === "tail" ? null : textField(where, r, "tail_id");
      for (const id of tail === null ? [head] : [head, tail])
        if (!graph.has(id))
          throw new MkgError(
            where,
            `an entity that ${source} does not have (${quote(id)})`,
            "",
            `Use the questions that belong to this ${source === "MarKG" ? source : "corpus"}`,
          );
      const query = namedText(where, r, "query");
      lineOf.set(qid, line);
      questions.push(
        Object.freeze({ qid, query, masked, head, relation, tail, candidates: stated(where, r), file, line }),
      );
    });
  return questions;
}

/** Number of relevant rows as the file states it: `candidates_count`, or `positives` in the medical part. */
function stated(where: string, record: Fields): number | null {
  for (const name of ["candidates_count", "positives"]) {
    const value = field(record, name);
    if (value === undefined) continue;
    if (!isNatural(value)) throw new MkgError(where, `${name} is not an integer ≥ 0 (${quote(value)})`, "", mend);
    return value;
  }
  return null;
}

/** Released document id → row of MarKG, as the file of relevant triples states it. */
export async function readRelevantTriples(
  intake: Intake,
  file: string,
  modality: Modality,
  graph: Graph,
  isMultimodal: (tripleId: string) => boolean,
): Promise<Map<number, Document>> {
  const rows = new Map<number, Document>();
  const docOf = new Map<string, number>();
  intake.table("relevantRows");
  for await (const { record: r, line } of intake.objects("relevantRows", file))
    intake.row("relevantRows", file, line, (where) => {
      const doc = naturalField(where, r, "doc_id");
      if (rows.has(doc)) throw new MkgError(where, `a second row with the doc_id ${doc}`, "doc_ids are distinct", mend);
      const row = field(r, "markg_row");
      const lines = graph.triples.numRows();
      if (!isNatural(row) || row >= lines)
        throw new MkgError(
          where,
          `markg_row is not a line of wiki_tuple_ids.txt (${quote(row)})`,
          `An integer from 0 to ${lines - 1}`,
          mend,
        );
      const triple = String(row);
      const { head, relation, tail } = graph.triple(triple);
      const given = [textField(where, r, "head_id"), namedText(where, r, "rel_id"), textField(where, r, "tail_id")];
      if (given[0] !== head || given[1] !== relation || given[2] !== tail)
        throw new MkgError(
          where,
          `markg_row ${row} is ${head} ${relation} ${tail}, the row says ${given.join(" ")}`,
          "Both name the same triple",
          "Use the rows that belong to this MarKG",
        );
      if (docOf.has(triple))
        throw new MkgError(
          where,
          `a second doc_id (${doc}) for the markg_row ${row}; the first is ${docOf.get(triple)}`,
          "One document a row",
          mend,
        );
      if (isMultimodal(triple) !== (modality === "mm"))
        throw new MkgError(
          where,
          `markg_row ${row} is ${modality === "mm" ? "a text" : "a multimodal"} row, in the file of ${modality} rows`,
          "A row is multimodal when its head stands in the first 500 lines of wiki_tuple_ids.txt",
          mend,
        );
      const image = field(r, "image_path");
      rows.set(doc, { triple, image: typeof image === "string" ? lastTwo(image) : "" });
      docOf.set(triple, doc);
    });
  return rows;
}

/** The last two components of a path, as the released splitting cuts it. */
export const lastTwo = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "")
    .slice(-2)
    .join("/");

/** Relevance judgements over the given questions and documents; `names`: the files that these stand in. */
export async function readJudgements(
  intake: Intake,
  file: string,
  names: { readonly queries: string; readonly documents: string },
  questions: readonly BenchQuestion[],
  documents: ReadonlyMap<number, Document>,
): Promise<Omit<BenchFiles, "questions">> {
  const relevant = new Map<number, string[]>(questions.map(({ qid }) => [qid, []]));
  const smallest = new Map<number, number>();
  const seen = new Set<string>();
  let judgements = 0;
  intake.table("judgements");
  await eachLine(file, intake.place, (row, line) =>
    intake.row("judgements", file, line, (where) => {
      const parts = row.split("\t");
      const [qid, doc, grade] = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN));
      if (parts.length !== 3 || !isNatural(qid) || !isNatural(doc) || !isNatural(grade))
        throw new MkgError(where, `not qid TAB doc_id TAB relevance (${quote(row)})`, "Three integers ≥ 0", mend);
      const list = relevant.get(qid);
      if (!list)
        throw new MkgError(
          where,
          `a qid that ${names.queries} does not have (${qid})`,
          "",
          "Add the question or remove the line",
        );
      const document = documents.get(doc);
      if (!document)
        throw new MkgError(
          where,
          `a doc_id that ${names.documents} does not have (${doc})`,
          "",
          "Add the row or remove the line",
        );
      if (seen.has(`${qid} ${doc}`))
        throw new MkgError(where, `a second judgement of doc_id ${doc} for qid ${qid}`, "One judgement a pair", mend);
      seen.add(`${qid} ${doc}`);
      judgements++;
      if (grade === 0) return;
      list.push(document.triple);
      const known = smallest.get(qid);
      if (known === undefined || doc < known) smallest.set(qid, doc);
    }),
  );
  const first = new Map([...smallest].map(([qid, doc]) => [qid, documents.get(doc) as Document]));
  return { relevant, first, judgements };
}
