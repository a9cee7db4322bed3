import { type Options, parse } from "csv-parse/sync";
import { hashStart, hashStep, Interner, MkgError, notUtf8, quote } from "../../core/index.js";
import { TextColumn } from "../columns.js";
import type { RefusedRow } from "../types.js";
import { checkNames } from "./cell-values.js";
import { csvState, csvStep, textOf, wholeLines, wrongByte } from "./decode.js";
import type { Reading, SourceRows, TableFormat } from "./format.js";
import { RowLines } from "./lines.js";
import { encodeCsv, encodeTsv } from "./text-write.js";

const [tab, lineFeed, carriageReturn, doubleQuote, comma] = [9, 10, 13, 34, 44];

/** No quoting: a quote is a character like any other. */
export const tsv: TableFormat = {
  extensions: ["tsv", "txt"],
  text: true,
  mayLackHeader: true,
  async read(source, reading) {
    const rows = new DelimitedRows(source.path, reading, tab);
    const text = textOf(source, reading);
    for await (const block of wholeLines(text.chunks, reading.place, source.path)) rows.unquoted(block);
    return [rows.done(text.repaired)];
  },
  encode: encodeTsv,
};

/** RFC 4180, with another character for the comma where `delimiter` says so. A block without any quote is split at it; one with quotes goes through csv-parse. */
export const csv: TableFormat = {
  extensions: ["csv"],
  text: true,
  mayLackHeader: true,
  delimited: true,
  async read(source, reading) {
    const delimiter = reading.delimiter?.charCodeAt(0) ?? comma;
    const rows = new DelimitedRows(source.path, reading, delimiter, true);
    const text = textOf(source, reading);
    const records = { delimiter, lines: () => rows.lines };
    for await (const block of wholeLines(text.chunks, reading.place, source.path, records))
      if (block.includes(doubleQuote)) rows.quoted(block);
      else rows.unquoted(block);
    return [rows.done(text.repaired)];
  },
  encode: encodeCsv,
};

const loneReturn = "a carriage return that no line feed follows";

/** What is wrong in a csv, by the state that it went wrong in. */
const mistakes: Readonly<Record<number, string>> = {
  [csvState.plain]: "a quote in a field that does not begin with one",
  [csvState.closed]: "more text after the quote that closes a field",
  [csvState.lineEnd]: loneReturn,
};

/** Rows of a delimited file as codes of interned fields: one pass over the bytes, 4 bytes a cell, each distinct field decoded once. */
class DelimitedRows {
  readonly #interner: Interner;
  readonly #lines = new RowLines();
  readonly #refused: RefusedRow[] = [];
  #names: readonly string[] | undefined;
  #header = true;
  #codes: Int32Array[] = [];
  #rows = 0;
  #line = 0;
  /** Whether the line holds a carriage return that no line feed follows: RFC 4180 knows none outside of quotes. */
  #lone = false;

  constructor(
    private readonly file: string,
    private readonly reading: Reading,
    private readonly delimiter: number,
    private readonly rfc4180 = false,
  ) {
    this.#interner = new Interner(reading.place);
  }

  /** Lines before the block that comes next. */
  get lines(): number {
    return this.#line;
  }

  /** Whole lines without quotes that mean anything. */
  unquoted(block: Buffer): void {
    const from = this.#names ? 0 : this.#firstLine(block);
    if (!this.#names) return;
    const { delimiter } = this;
    const interner = this.#interner;
    const end = block.length;
    const width = this.#names.length;
    let line = this.#line;
    let lineStart = from;
    let start = from;
    let field = 0;
    let bad = -1;
    let hash = hashStart;
    let high = 0;
    let row = this.#room();
    const codes = this.#codes;
    let capacity = codes[0]!.length;
    for (let i = from; i <= end; i++) {
      const byte = i < end ? block[i]! : lineFeed;
      if (byte === delimiter || byte === lineFeed || (byte === carriageReturn && this.#endsLine(block, i))) {
        const last = byte !== delimiter;
        if (last && i === start && field === 0) {
          // a blank line, or the end of the block
          if (i < end) line++;
        } else {
          if (field < width) {
            const code = interner.code(block, start, i, hash, high > 127);
            if (code === notUtf8) bad = field;
            codes[field]![row] = code;
          }
          field++;
          if (last) {
            line++;
            if (field === width && bad < 0 && !this.#lone) {
              this.#lines.set(row++, line);
              if (row === capacity) {
                this.#rows = row;
                this.#room();
                capacity = codes[0]!.length;
              }
            } else this.#refuse(line, block.subarray(lineStart, i), field, bad);
          }
        }
        if (last) {
          if (byte === carriageReturn) i++;
          lineStart = i + 1;
          field = 0;
          bad = -1;
          this.#lone = false;
        }
        start = i + 1;
        hash = hashStart;
        high = 0;
      } else {
        hash = Math.imul(hash ^ byte, hashStep);
        high |= byte;
      }
    }
    this.#rows = row;
    this.#line = line;
  }

  /** Whole records with quotes in them: those that are CSV in one go each run of them, the others set apart. */
  quoted(block: Buffer): void {
    let state: number = csvState.fieldStart;
    let line = this.#line + 1;
    let opened = line;
    let wrong = "";
    let fine = 0;
    let start = 0;
    for (let i = 0; i < block.length; i++) {
      const before = state;
      state = csvStep(before, block[i]!, this.delimiter);
      if (state === csvState.quoted && before === csvState.fieldStart) opened = line;
      if (state === csvState.malformed && before !== csvState.malformed) {
        wrong = mistakes[before]!;
        if (before !== csvState.closed) opened = line;
      }
      if (block[i] !== lineFeed) continue;
      line++;
      if (state !== csvState.fieldStart) continue;
      if (wrong !== "") {
        this.#records(block.subarray(fine, start));
        this.#malformed(block.subarray(start, i + 1), opened, wrong);
        fine = i + 1;
      }
      start = i + 1;
      wrong = "";
    }
    if (state === csvState.quoted) wrong = "a quote that is not closed";
    this.#records(block.subarray(fine, wrong === "" ? block.length : start));
    if (wrong !== "") this.#malformed(block.subarray(start), opened, wrong);
  }

  /** A record that is not CSV: an error that names the line of its mistake; lenient, each of its lines is refused, so that none vanishes. */
  #malformed(record: Buffer, line: number, wrong: string): void {
    const reason = `not CSV (${wrong})`;
    // without the first record nothing says what the columns are
    if (!this.reading.lenient || !this.#names)
      throw new MkgError(
        this.reading.place,
        `${this.file}, line ${line}: ${reason}`,
        "RFC 4180: a field with quotes, commas or line breaks stands in quotes, and a quote in it is doubled; lines end in LF or CRLF",
        "Mend that line",
      );
    for (let start = 0; start < record.length; ) {
      let next = record.indexOf(lineFeed, start) + 1;
      if (next === 0) next = record.length;
      this.#line++;
      if (/[^\r\n]/.test(record.toString("latin1", start, next)))
        this.#refused.push({ file: this.file, line: this.#line, reason });
      start = next;
    }
  }

  /** Records of RFC 4180. */
  #records(block: Buffer): void {
    const base = this.#line;
    // the parser counts every CR and LF inside a field as a line and gives the line that a record ends at
    let returns = 0;
    parse(block.at(-1) === carriageReturn ? block.subarray(0, -1) : block, {
      encoding: null,
      delimiter: String.fromCharCode(this.delimiter),
      skip_empty_lines: true,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      on_record: (fields: readonly Buffer[], { lines }) => {
        let breaks = 0;
        let returned = 0;
        for (const field of fields)
          for (const byte of field)
            if (byte === carriageReturn) returned++;
            else if (byte === lineFeed) breaks++;
        this.#record(fields, base + lines - returns - breaks - returned);
        returns += returned;
        return null;
      },
    } satisfies Options<Buffer[], Buffer[]> as unknown as Options<string[], string[]>);
    let breaks = 0;
    for (const byte of block) if (byte === lineFeed) breaks++;
    this.#line = base + breaks;
  }

  done(repaired: SourceRows["repaired"]): SourceRows {
    const names = this.#names;
    if (!names)
      throw new MkgError(
        this.reading.place,
        `the file is empty (${this.file})`,
        "At least a header line or one row",
        "Check the path",
      );
    const { values } = this.#interner;
    const lines = this.#lines;
    return {
      file: this.file,
      part: "",
      columns: {
        data: new Map(names.map((name, c) => [name, new TextColumn(this.#codes[c]!.slice(0, this.#rows), values)])),
        rows: this.#rows,
      },
      line: (row) => lines.of(row),
      header: this.#header,
      refused: this.#refused,
      repaired,
      notices: [],
    };
  }

  /** A carriage return belongs to the line break after it, and to the end of the file. Else it is a character in tsv, and a mistake in csv. */
  #endsLine(block: Buffer, i: number): boolean {
    if (block[i + 1] === lineFeed || i + 1 === block.length) return true;
    this.#lone = this.rfc4180;
    return false;
  }

  /** Finds the names in the first line that is not blank; gives where the data begin. */
  #firstLine(block: Buffer): number {
    let start = 0;
    while (start < block.length) {
      let next = block.indexOf(lineFeed, start) + 1;
      if (next === 0) next = block.length;
      let end = block[next - 1] === lineFeed ? next - 1 : next;
      if (end > start && block[end - 1] === carriageReturn && this.#endsLine(block, end - 1)) end--;
      if (end > start) {
        // else the whole of a file with such line ends would be its header
        if (block.subarray(start, end).includes(carriageReturn))
          throw new MkgError(
            this.reading.place,
            `${this.file}, line ${this.#line + 1}: ${loneReturn} (${quote(block.toString("utf8", start, end))})`,
            "Lines end in LF or CRLF",
            "Convert the file, for example with tr '\\r' '\\n'",
          );
        const fields: Buffer[] = [];
        for (let at = start; at <= end; ) {
          let to = block.subarray(0, end).indexOf(this.delimiter, at);
          if (to < 0) to = end;
          fields.push(block.subarray(at, to));
          at = to + 1;
        }
        this.#name(fields, this.#line + 1);
        if (!this.#header) return start;
        this.#line++;
        return next;
      }
      this.#line++;
      start = next;
    }
    return start;
  }

  #name(fields: readonly Buffer[], line: number): void {
    const { place } = this.reading;
    const where = `${this.file}, line ${line}`;
    const texts = fields.map((field, c) => {
      const code = this.#interner.codeOf(field);
      if (code === notUtf8) throw this.#wrong(line, `field ${c + 1}`, field);
      return this.#interner.values[code]!;
    });
    const { names, header } = this.reading.decide(texts, where);
    checkNames(place, where, names);
    this.#names = names;
    this.#header = header;
    this.#codes = names.map(() => new Int32Array(1024));
  }

  #record(fields: readonly Buffer[], line: number): void {
    if (!this.#names) {
      this.#name(fields, line);
      if (this.#header) return;
    }
    const row = this.#room();
    let bad = -1;
    const width = this.#names!.length;
    for (let c = 0; c < Math.min(width, fields.length); c++) {
      const code = this.#interner.codeOf(fields[c]!);
      if (code === notUtf8) bad = c;
      this.#codes[c]![row] = code;
    }
    if (fields.length === width && bad < 0) {
      this.#lines.set(row, line);
      this.#rows++;
    } else this.#refuse(line, fields, fields.length, bad);
  }

  /** Makes room for a row; gives its number. */
  #room(): number {
    if (this.#rows === this.#codes[0]!.length)
      for (let c = 0; c < this.#codes.length; c++) {
        const wider = new Int32Array(this.#rows * 2);
        wider.set(this.#codes[c]!);
        this.#codes[c] = wider;
      }
    return this.#rows;
  }

  #refuse(line: number, fields: Buffer | readonly Buffer[], count: number, bad: number): void {
    const names = this.#names!;
    const texts = () =>
      Buffer.isBuffer(fields)
        ? fields.toString().split(String.fromCharCode(this.delimiter))
        : fields.map((field) => field.toString());
    let error: MkgError;
    let reason: string;
    if (this.#lone || count !== names.length) {
      reason = this.#lone ? loneReturn : `${count} fields instead of ${names.length}`;
      error = new MkgError(
        this.reading.place,
        `${this.file}, line ${line}: ${reason} (${quote(texts())})`,
        `Columns: ${names.join(", ")}`,
        "Mend that line",
      );
    } else {
      const bytes = Buffer.isBuffer(fields) ? fieldOf(fields, this.delimiter, bad) : fields[bad]!;
      reason = `column ${names[bad]} is not UTF-8 (${wrongByte(bytes)})`;
      error = this.#wrong(line, `column ${names[bad]}`, bytes);
    }
    if (!this.reading.lenient) throw error;
    this.#refused.push({ file: this.file, line, reason });
  }

  #wrong(line: number, column: string, bytes: Buffer): MkgError {
    return new MkgError(
      this.reading.place,
      `${this.file}, line ${line}, ${column}: not UTF-8 (${wrongByte(bytes)})`,
      "UTF-8, or UTF-16 with a byte order mark",
      'Convert that line; where the whole file has another encoding say so, as in { encoding: "windows-1252" }; { lenient: true } leaves such rows out and lists them',
    );
  }
}

function fieldOf(line: Buffer, delimiter: number, index: number): Buffer {
  let start = 0;
  for (let c = 0; c < index; c++) start = line.indexOf(delimiter, start) + 1;
  const end = line.indexOf(delimiter, start);
  return line.subarray(start, end < 0 ? line.length : end);
}
