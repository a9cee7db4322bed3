import { MkgError, type OptionSpecs, oneOf, quote, resolveOptions, writeAtomic } from "../core/index.js";
import { Columns, decimal, readColumns, runningCodes } from "./columns.js";

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
  const allowed = "Lines `query 0 document grade` or `query document grade`, grade an integer";
  const columns = new Columns(place);
  const { queries, documents } = columns;
  await readColumns(
    path,
    place,
    4,
    (bytes, f, count, line) => {
      if (count < 3 || count > 4) return false;
      const at = count === 4 ? 4 : 2;
      const [from, to] = [f[at + 2] as number, f[at + 3] as number];
      if (to - from > 10 || !/^[+-]?\d{1,9}$/.test(bytes.toString("latin1", from, to))) return false;
      columns.add(
        queries.codeOf(bytes, f[0], f[1]),
        documents.codeOf(bytes, f[at], f[at + 1]),
        decimal(bytes, from, to),
        line,
      );
      return true;
    },
    (text, line) =>
      new MkgError(
        place,
        `${path}, line ${line}: not a judgement (${quote(text)})`,
        allowed,
        line === 1 ? "Remove a heading line if there is one" : "",
      ),
  );
  if (columns.length === 0) throw new MkgError(place, `no judgements in the file (${path})`, allowed);
  const { starts, rows } = columns.byQuery();
  const qrels = new Map<string, Map<string, number>>();
  queries.values.forEach((query, q) => {
    const grades = new Map<string, number>();
    for (let i = starts[q] as number; i < (starts[q + 1] as number); i++) {
      const at = rows[i] as number;
      const document = documents.values[columns.document[at] as number] as string;
      const value = columns.value[at] as number;
      const before = grades.get(document);
      if (before !== undefined && before !== value)
        throw new MkgError(
          place,
          `${path}, line ${columns.line[at]}: a second grade for query ${quote(query)}, document ${quote(document)} (${value}, before ${before})`,
          "One grade each",
        );
      grades.set(document, value);
    }
    qrels.set(query, grades);
  });
  return qrels;
}

/** Ways to order equal scores, and what to do with a document that a query has twice. */
export interface RunFileOptions {
  /** `id-descending` (default, trec_eval's: byte by byte), `id-ascending` (byte by byte), or `file`: as the lines stand. */
  readonly ties?: "id-descending" | "id-ascending" | "file";
  /** `error` (default, as trec_eval), or the line that stays: `first`, `last`, or `best`, the one of the highest score, of equal ones the first. */
  readonly duplicates?: "error" | "first" | "last" | "best";
}

/**
 * Rankings from a TREC run file, lines `query Q0 document rank score tag`, in trec_eval's order: score descending,
 * compared as 32-bit floats like there, ties by document id descending, byte by byte; the rank column is ignored.
 *
 * @param path UTF-8 text. Read as a stream (2,000,000 lines: about half a second in order); 28 bytes a line while reading, and the lists.
 * @returns Documents and scores by query, in the file's order of queries.
 * Lines that begin with `# `, as some tools write them, and blank ones are skipped.
 * @throws MkgError naming file and line for a malformed line, or a document that a query has twice; for an unknown option.
 * @example
 * (await readRunFile("bm25.trec")).get("10");
 * // { ids: [ "16338", "9" ], scores: [ 7.5, 3.25 ] }
 */
export async function readRunFile(
  path: string,
  options: RunFileOptions = {},
): Promise<ReadonlyMap<string, RankedList>> {
  const place = "readRunFile";
  const { ties, duplicates } = resolveOptions(place, runFileOptions, options as Record<string, unknown>) as {
    ties: keyof typeof tieOrders;
    duplicates: string;
  };
  const columns = new Columns(place);
  const { queries, documents } = columns;
  const queryCode = runningCodes(queries);
  await readColumns(
    path,
    place,
    6,
    (bytes, f, count, line) => {
      if (count !== 6) return false;
      const score = decimal(bytes, f[8] as number, f[9] as number);
      if (!Number.isFinite(score)) return false;
      const query = queryCode(bytes, f[0] as number, f[1] as number);
      columns.add(query, documents.codeOf(bytes, f[4], f[5]), score, line);
      return true;
    },
    (text, line) =>
      new MkgError(
        place,
        `${path}, line ${line}: not a line of a run (${quote(text)})`,
        "Lines `query Q0 document rank score tag`, score a finite number",
      ),
  );
  const { starts, rows } = columns.byQuery();
  const { document, value, line } = columns;
  // trec_eval keeps scores as C floats: two that round to the same float are tied
  const floats = Float32Array.from(value.subarray(0, columns.length));
  const name = (row: number): string => documents.values[document[row] as number] as string;
  const tie = tieOrders[ties];
  const before = (a: number, b: number): number =>
    (floats[b] as number) - (floats[a] as number) || tie(name(a), name(b)) || a - b;
  const seen = new Int32Array(documents.values.length).fill(-1);
  const ranked = new Map<string, RankedList>();
  queries.values.forEach((query, q) => {
    let own = rows.subarray(starts[q], starts[q + 1]);
    let repeats = 0;
    for (const row of own) {
      const known = seen[document[row] as number] as number;
      if (known >= 0 && columns.query[known] === q) {
        if (duplicates === "error")
          throw new MkgError(
            place,
            `${path}, line ${line[row]}: query ${quote(query)} has document ${quote(name(row))} twice (first on line ${line[known]})`,
            "Each document once a query",
            'Keep its best line, or say which stays: duplicates "first", "last" or "best"',
          );
        repeats++;
      } else seen[document[row] as number] = row;
    }
    if (repeats > 0) own = kept(own, document, floats, duplicates);
    let sorted = true;
    for (let i = 1; i < own.length && sorted; i++) sorted = before(own[i - 1] as number, own[i] as number) < 0;
    if (!sorted) own = own.slice().sort(before);
    const ids = new Array<string>(own.length);
    const scores = new Array<number>(own.length);
    for (let i = 0; i < own.length; i++) {
      ids[i] = name(own[i] as number);
      scores[i] = value[own[i] as number] as number;
    }
    ranked.set(query, { ids, scores });
  });
  return ranked;
}

export const runFileOptions: OptionSpecs = {
  ties: oneOf(["id-descending", "id-ascending", "file"], {
    default: "id-descending",
    doc: "order of equal scores: by document id descending as in trec_eval, ascending, or as the lines stand",
  }),
  duplicates: oneOf(["error", "first", "last", "best"], {
    default: "error",
    doc: "a document that a query has twice: an error as in trec_eval, or the line that stays",
  }),
};

const tieOrders: Readonly<Record<"id-descending" | "id-ascending" | "file", (a: string, b: string) => number>> = {
  "id-descending": (a, b) => byUtf8(b, a),
  "id-ascending": byUtf8,
  file: () => 0,
};

/** The rows of one query, one for each document. */
function kept(rows: Int32Array, document: Int32Array, floats: Float32Array, rule: string): Int32Array {
  const stay = new Map<number, number>();
  for (const row of rows) {
    const id = document[row] as number;
    const known = stay.get(id);
    if (
      known === undefined ||
      rule === "last" ||
      (rule === "best" && (floats[row] as number) > (floats[known] as number))
    )
      stay.set(id, row);
  }
  return Int32Array.from(stay.values()).sort();
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

/**
 * Writes judgements as TREC qrels, lines `query 0 document grade`, in the order given; whole or not at all.
 *
 * @throws MkgError for an id that is empty or holds white space, a grade that is not an integer.
 * @example
 * await writeQrels(new Map([["q1", new Map([["d7", 1]])]]), "out/qrels.txt"); // q1 0 d7 1
 */
export async function writeQrels(qrels: Qrels, path: string): Promise<void> {
  const place = "writeQrels";
  if (!(qrels instanceof Map))
    throw new MkgError(place, `not judgements (${quote(qrels)})`, "A map of maps: grade by document by query");
  const out: string[] = [];
  for (const [query, grades] of qrels) {
    refuseBlank(place, "query", query);
    for (const [document, grade] of grades) {
      refuseBlank(place, "document", document);
      if (!Number.isSafeInteger(grade))
        throw new MkgError(
          place,
          `query ${quote(query)}, document ${quote(document)}: the grade is not an integer (${quote(grade)})`,
        );
      out.push(`${query} 0 ${document} ${grade}\n`);
    }
  }
  await writeAtomic(path, out.join(""));
}

const word = new DataView(new ArrayBuffer(4));
/** The largest 32-bit float below a finite one. Floats of one sign are in the order of their bits. */
function floatBelow(value: number): number {
  if (value === 0) return -(2 ** -149);
  word.setFloat32(0, value);
  word.setInt32(0, word.getInt32(0) + (value > 0 ? -1 : 1));
  return word.getFloat32(0);
}

function refuseBlank(place: string, kind: string, id: string): void {
  if (id === "" || id === "#" || /[\s\uFEFF]/u.test(id))
    throw new MkgError(
      place,
      `a ${kind} id that a TREC file cannot hold (${quote(id)})`,
      "Ids without white space, other than `#`",
      "Write the run as JSON lines instead",
    );
}
