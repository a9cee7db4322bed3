import { eachLine, MkgError, quote, writeAtomic } from "../core/index.js";

/** Grades by document id, by query id. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Documents of one query, best first. */
export interface RankedList {
  readonly ids: readonly string[];
  readonly scores: readonly number[];
}

/** Order of the UTF-8 bytes of two strings. Differs from code-unit order where a surrogate pair meets U+E000–U+FFFF. */
function byUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rankUnit(x) - rankUnit(y);
  }
  return a.length - b.length;
}
const rankUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Fields between ASCII white space, as trec_eval splits a line. */
function fields(text: string): string[] {
  const out: string[] = [];
  let from = -1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const blank = unit === 32 || (unit >= 9 && unit <= 13);
    if (blank && from >= 0) {
      out.push(text.slice(from, i));
      from = -1;
    } else if (!blank && from < 0) from = i;
  }
  if (from >= 0) out.push(text.slice(from));
  return out;
}

/**
 * Relevance judgements from a file: `query 0 document grade` (TREC) or `query document grade` (MKG-RAG-Bench), between
 * blanks or tabs, one a line. A judgement given twice counts once.
 *
 * @param path UTF-8 text. Read as a stream; memory grows with the number of judgements.
 * @returns Grades (integers, relevant when ≥ 1) by document, by query, in the file's order.
 * @throws MkgError naming file and line for a malformed line, or a document with two grades; for a file without judgements.
 * @example
 * (await readQrels("text_qrels.tsv")).get("10");
 * // Map(1) { "16338" => 1 }
 */
export async function readQrels(path: string): Promise<Qrels> {
  const place = "readQrels";
  const qrels = new Map<string, Map<string, number>>();
  const allowed = "Lines `query 0 document grade` or `query document grade`, grade an integer";
  await eachLine(path, place, (text, line) => {
    const parts = fields(text);
    const [query, document, grade] = parts.length === 4 ? [parts[0], parts[2], parts[3]] : parts;
    if (parts.length < 3 || parts.length > 4 || !/^[+-]?\d{1,9}$/.test(grade as string))
      throw new MkgError(
        place,
        `${path}, line ${line}: not a judgement (${quote(text)})`,
        allowed,
        line === 1 ? "Remove a heading line if there is one" : "",
      );
    const value = decimal(grade as string);
    let grades = qrels.get(query as string);
    if (!grades) {
      grades = new Map();
      qrels.set(query as string, grades);
    }
    const before = grades.get(document as string);
    if (before !== undefined && before !== value)
      throw new MkgError(
        place,
        `${path}, line ${line}: a second grade for query ${quote(query)}, document ${quote(document)} (${value}, before ${before})`,
        "One grade each",
      );
    grades.set(document as string, value);
  });
  if (qrels.size === 0) throw new MkgError(place, `no judgements in the file (${path})`, allowed);
  return qrels;
}

/**
 * Rankings from a TREC run file, lines `query Q0 document rank score tag`, in trec_eval's order: score descending,
 * compared as 32-bit floats like there, ties by document id descending, byte by byte; the rank column is ignored.
 *
 * @param path UTF-8 text. Read as a stream (2,000,000 lines: about 2 s in order, 6 s shuffled); memory grows with the number of lines.
 * @returns Documents and scores by query, in the file's order of queries.
 * @throws MkgError naming file and line for a malformed line, or a document that a query has twice.
 * @example
 * (await readRunFile("bm25.trec")).get("10");
 * // { ids: [ "16338", "9" ], scores: [ 7.5, 3.25 ] }
 */
export async function readRunFile(path: string): Promise<ReadonlyMap<string, RankedList>> {
  const place = "readRunFile";
  const lists = new Map<string, { ids: string[]; scores: number[]; lines: Map<string, number> }>();
  await eachLine(path, place, (text, line) => {
    const parts = fields(text);
    const score = decimal(parts[4] as string);
    if (parts.length !== 6 || !Number.isFinite(score))
      throw new MkgError(
        place,
        `${path}, line ${line}: not a line of a run (${quote(text)})`,
        "Lines `query Q0 document rank score tag`, score a finite number",
      );
    const query = parts[0] as string;
    const document = parts[2] as string;
    let list = lists.get(query);
    if (!list) {
      list = { ids: [], scores: [], lines: new Map() };
      lists.set(query, list);
    }
    const before = list.lines.get(document);
    if (before !== undefined)
      throw new MkgError(
        place,
        `${path}, line ${line}: query ${quote(query)} has document ${quote(document)} twice (first on line ${before})`,
        "Each document once a query",
        "Keep its best line",
      );
    list.lines.set(document, line);
    list.ids.push(document);
    list.scores.push(score);
  });
  const ranked = new Map<string, RankedList>();
  for (const [query, { ids, scores }] of lists) {
    ranked.set(query, trecOrder(ids, scores));
    lists.delete(query);
  }
  return ranked;
}

function trecOrder(ids: string[], scores: number[]): RankedList {
  // trec_eval keeps scores as C floats: two that round to the same float are tied
  const floats = Float32Array.from(scores);
  const worse = (a: number, b: number): number =>
    (floats[b] as number) - (floats[a] as number) || byUtf8(ids[b] as string, ids[a] as string);
  const order = ids.map((_, i) => i);
  if (order.every((i) => i === 0 || worse(i - 1, i) < 0)) return { ids, scores };
  order.sort(worse);
  return { ids: order.map((i) => ids[i] as string), scores: order.map((i) => scores[i] as number) };
}

/**
 * Writes rankings as a TREC run. trec_eval ignores ranks, keeps scores as C floats and breaks ties by id descending; so that
 * it gives the ranking back, a score is written as the nearest float, or the next float below the rank before where it
 * would tie with it or pass it. The file is written whole or not at all.
 *
 * @param rankings Document ids, best first, and their finite scores, by query id.
 * @param path Missing folders are made.
 * @param tag Name of the system; white space in it becomes `_`.
 * @throws MkgError for an id that is empty or holds white space, a document that a query has twice, a score that is no float.
 * @example
 * await writeTrec(new Map([["q1", { ids: ["d7", "d2"], scores: [0.5, 0.5] }]]), "out/bm25.trec", "bm25");
 * // q1 Q0 d7 1 0.5 bm25
 * // q1 Q0 d2 2 0.4999999701976776 bm25
 */
export async function writeTrec(rankings: ReadonlyMap<string, RankedList>, path: string, tag: string): Promise<void> {
  const place = "writeTrec";
  const name = tag.trim().replace(/\s+/gu, "_") || "run";
  const out: string[] = [];
  for (const [query, { ids, scores }] of rankings) {
    refuseBlank(place, "query", query);
    const seen = new Set<string>();
    let last = Number.POSITIVE_INFINITY;
    ids.forEach((id, i) => {
      refuseBlank(place, "document", id);
      if (seen.has(id))
        throw new MkgError(
          place,
          `query ${quote(query)} has a document twice (${quote(id)})`,
          "Each document once a query",
        );
      seen.add(id);
      const near = Math.fround(scores[i] as number);
      if (Number.isFinite(near)) last = near < last ? near : floatBelow(last);
      if (!Number.isFinite(near) || !Number.isFinite(last))
        throw new MkgError(
          place,
          `query ${quote(query)}, document ${quote(id)}: no float for the score (${scores[i]})`,
          "Finite scores, best first",
        );
      out.push(`${query} Q0 ${id} ${i + 1} ${last} ${name}\n`);
    });
  }
  await writeAtomic(path, out.join(""));
}

/** A decimal number as C reads it; NaN for anything else, such as 0x1F or 0b11, which JavaScript would take. */
const decimal = (text: string): number =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;

const word = new DataView(new ArrayBuffer(4));
/** The largest 32-bit float below a finite one. Floats of one sign are in the order of their bits. */
function floatBelow(value: number): number {
  if (value === 0) return -(2 ** -149);
  word.setFloat32(0, value);
  word.setInt32(0, word.getInt32(0) + (value > 0 ? -1 : 1));
  return word.getFloat32(0);
}

function refuseBlank(place: string, kind: string, id: string): void {
  if (id === "" || /[\s\uFEFF]/u.test(id))
    throw new MkgError(
      place,
      `a ${kind} id that a TREC file cannot hold (${quote(id)})`,
      "Ids without white space",
      "Write the run as JSON lines instead",
    );
}
