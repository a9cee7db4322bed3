import { isUtf8 } from "node:buffer";
import { MkgError, quote } from "../../core/index.js";
import { type Columns, ColumnsBuilder } from "../columns.js";
import type { RefusedRow } from "../types.js";
import { textOf, wholeLines, wrongByte } from "./decode.js";
import type { Reading, SourceRows, TableFormat } from "./format.js";
import { parseJson } from "./json-text.js";
import { RowLines } from "./lines.js";
import { encodeJson, encodeJsonl } from "./text-write.js";

/** One object a line. */
export const jsonl: TableFormat = {
  extensions: ["jsonl", "ndjson"],
  text: true,
  nested: true,
  async read(source, reading) {
    const text = textOf(source, reading);
    const rows = new Records(source.path, "", reading);
    let line = 0;
    for await (const block of wholeLines(text.chunks, reading.place, source.path))
      for (let start = 0; start < block.length; ) {
        let next = block.indexOf(10, start) + 1;
        if (next === 0) next = block.length;
        const bytes = block.subarray(start, next);
        start = next;
        line++;
        if (!isUtf8(bytes)) rows.wrong(line, `not UTF-8 (${wrongByte(bytes)})`, remedyUtf8);
        else {
          const one = bytes.toString();
          if (one.trim() !== "") rows.parse(one, line);
        }
      }
    return [rows.done(text.repaired)];
  },
  encode: encodeJsonl,
};

/**
 * An array of objects, or an object of such arrays: one table each. A list that holds no object is no table but a member like any other (kept out, with a
 * notice), unless its name says that it is one.
 */
export const json: TableFormat = {
  extensions: ["json"],
  holds: "many",
  text: true,
  nested: true,
  async read(source, reading) {
    const text = textOf(source, reading);
    const blocks: Buffer[] = [];
    // within the bound of `bytes()`: a string holds no more
    let size = 0;
    for await (const block of text.chunks) {
      size += block.length;
      if (size > maxJsonBytes)
        throw new MkgError(
          reading.place,
          `${source.path}: the JSON text is longer than ${maxJsonBytes} bytes`,
          "JSON is read whole",
          "Write one object a line (.jsonl): that is streamed",
        );
      blocks.push(Buffer.from(block));
    }
    const bytes = Buffer.concat(blocks);
    if (!isUtf8(bytes))
      throw new MkgError(reading.place, `${source.path}: not UTF-8 (${wrongByte(bytes)})`, "UTF-8", remedyUtf8);
    const value = parseJson(bytes.toString(), reading.place, source.path);
    if (Array.isArray(value)) return [{ ...table("", value), repaired: text.repaired }];
    if (typeof value === "object" && value !== null) {
      const members = Object.entries(value);
      for (const [name, member] of members)
        if (isNamed(name) && member !== null && !Array.isArray(member))
          throw new MkgError(
            reading.place,
            `${source.path}, ${name}: not a list of objects (${quote(member)})`,
            "A JSON array of objects",
            "Mend it, or rename it if it is no table",
          );
      const isTable = ([name, list]: [string, unknown]) =>
        Array.isArray(list) && (isNamed(name) || list.length === 0 || list.some(isRecord));
      const others = members.filter((member) => !isTable(member)).map(([name]) => name);
      const parts = members.filter(isTable).map(([part, list]) => table(part, list as unknown[]));
      if (parts.length > 0) {
        const what = "members of a JSON file that are no tables: left out";
        const notices = others.length > 0 ? [{ what, count: others.length, examples: others.slice(0, 5) }] : [];
        // said of the file, by the table that is sure to be read
        const main = parts.find(({ part }) => isNamed(part)) ?? parts[0];
        return parts.map((part) => (part === main ? { ...part, repaired: text.repaired, notices } : part));
      }
      throw new MkgError(
        reading.place,
        `${source.path}: neither entities nor triples (${quote(Object.keys(value))})`,
        "An array of objects, or {entities: [{id, …}], triples: [{head, relation, tail, …}]}",
        "Name the lists so",
      );
    }
    throw new MkgError(
      reading.place,
      `${source.path}: not a list of objects (${quote(value)})`,
      "A JSON array of objects, or {entities, triples}",
    );

    function table(part: string, list: readonly unknown[]): SourceRows {
      const rows = new Records(part === "" ? source.path : `${source.path}, ${part}`, part, reading);
      for (const [i, record] of list.entries()) rows.add(record, i + 1);
      return rows.done([]);
    }
  },
  encode: encodeJson,
};

const maxJsonBytes = 500 * 2 ** 20;
const remedyUtf8 =
  'Convert it, for example with iconv; where the whole file has another encoding say so, as in { encoding: "windows-1252" }';

/** Members that are tables whatever they hold: a row that is no object must not make the table vanish. */
const isNamed = (name: string): boolean => /^\s*(entities|triples)\s*$/i.test(name);

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

class Records {
  readonly #builder: ColumnsBuilder;
  readonly #lines = new RowLines();
  readonly #refused: RefusedRow[] = [];
  #rows = 0;

  constructor(
    private readonly file: string,
    private readonly part: string,
    private readonly reading: Reading,
  ) {
    this.#builder = new ColumnsBuilder(reading.place, file);
  }

  parse(text: string, line: number): void {
    const { place, lenient } = this.reading;
    if (!lenient) {
      this.add(parseJson(text, place, `${this.file}, line ${line}`), line);
      return;
    }
    let value: unknown;
    try {
      value = parseJson(text, place, "line");
    } catch (error) {
      this.#refused.push({ file: this.file, line, reason: (error as MkgError).problem.replace(/^line: /, "") });
      return;
    }
    this.add(value, line);
  }

  add(value: unknown, line: number): void {
    if (!isRecord(value)) {
      this.wrong(line, `not an object (${quote(value)})`, "One JSON object a row");
      return;
    }
    for (const name of Object.keys(value))
      if (name === "" || name === "__proto__") {
        this.wrong(line, `a key that cannot be a column (${quote(name)})`, "Rename it");
        return;
      }
    this.#builder.add(value);
    this.#lines.set(this.#rows++, line);
  }

  wrong(line: number, reason: string, remedy: string): void {
    if (!this.reading.lenient)
      throw new MkgError(this.reading.place, `${this.file}, line ${line}: ${reason}`, "", remedy);
    this.#refused.push({ file: this.file, line, reason });
  }

  done(repaired: SourceRows["repaired"]): SourceRows {
    const lines = this.#lines;
    return {
      file: this.file,
      part: this.part,
      columns: alike(this.#builder.done()),
      line: (row) => lines.of(row),
      header: true,
      refused: this.#refused,
      repaired,
      notices: [],
    };
  }
}

/** A column with bigints whose numbers are all integers has bigints alone: whether a digit would be lost is no difference in kind. */
function alike(columns: Columns): Columns {
  const data = new Map(columns.data);
  for (const [name, column] of columns.data) {
    const values = column as readonly unknown[];
    if (!values.some((value) => typeof value === "bigint")) continue;
    if (values.every((value) => typeof value !== "number" || Number.isInteger(value)))
      data.set(
        name,
        values.map((value) => (typeof value === "number" ? BigInt(value) : value)),
      );
  }
  return { data, rows: columns.rows };
}
