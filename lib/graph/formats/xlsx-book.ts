import type { CellObject, WorkBook, WorkSheet } from "@e965/xlsx";
import { zipSync } from "fflate";
import { errorText, MkgError, quote, unknownName } from "../../core/index.js";
import { Noticing } from "../notices.js";
import { type CellReading, cellText } from "./xlsx-value.js";
import { unzip } from "./xlsx-zip.js";

/** SheetJS, loaded when the first workbook is: it is large. */
export const sheetJs = () => import("@e965/xlsx");

export interface SheetRow {
  /** Row of the sheet, from 1. */
  readonly row: number;
  /** By position from column A; null where blank; without blanks at the end. */
  readonly cells: (string | null)[];
  /** The first cell that has no value that can be given, and why. */
  readonly wrong?: { readonly address: string; readonly reason: string };
}

export interface SheetTable {
  readonly sheet: string;
  readonly rows: readonly SheetRow[];
  readonly repaired: Noticing;
  readonly notices: Noticing;
}

/** Cells that rows are filled up to; a cell far to the right of many rows would otherwise cost memory that the file does not have. */
const mostCells = 50_000_000;

/**
 * The sheets of a workbook as rows of text, blank rows left out. Parts that hold no values (pictures, macros, links) are never opened. Each sheet is
 * counted twice, in its XML and as read, so that nothing that SheetJS does not understand goes missing.
 */
export async function readBook(
  place: string,
  file: string,
  bytes: Uint8Array,
  sheet?: string,
): Promise<{ tables: SheetTable[]; notices: Noticing }> {
  const XLSX = await sheetJs();
  checkMagic(place, file, bytes);
  const book = sift(place, file, await unzip(place, file, bytes));
  const failed = (what: string) =>
    new MkgError(place, `${file}: not read as a workbook (${what})`, "An .xlsx workbook", "Open it and save it again");
  const whole = zipSync(book.parts, { level: 0 });
  const options = { type: "buffer", sheetStubs: true, cellHTML: false, cellNF: true } as const;
  let values: WorkBook;
  try {
    values = XLSX.read(Buffer.from(whole.buffer, whole.byteOffset, whole.length), options);
  } catch (error) {
    throw failed(errorText(error));
  }
  const names = values.SheetNames;
  if (sheet !== undefined && !names.includes(sheet)) throw unknownName(place, `sheet of ${file}`, sheet, names);
  const properties = values.Workbook?.Sheets ?? [];
  const notices = new Noticing();
  const tables: SheetTable[] = [];
  const claimed = new Set<SheetPart>();
  for (const [i, name] of names.entries()) {
    if (sheet !== undefined && name !== sheet) continue;
    const where = `${file}, sheet ${quote(name)}`;
    const worksheet = Object.hasOwn(values.Sheets, name) ? values.Sheets[name] : undefined;
    if (worksheet?.["!type"] !== undefined) {
      notices.add("sheets without cells, such as charts: left out", name);
      continue;
    }
    const cells = worksheet ? Object.keys(worksheet).filter((key) => !key.startsWith("!")) : [];
    const part = book.sheets.find((other) => !claimed.has(other) && other.holds(cells));
    if (!worksheet || !part) throw failed(`the XML of sheet ${quote(name)} does not give the cells that it holds`);
    claimed.add(part);
    if (properties[i]?.Hidden) notices.add("hidden sheets: read", name);
    const table = { sheet: name, repaired: new Noticing(), notices: new Noticing() };
    const reading: CellReading = {
      ...table,
      carriageReturn: book.carriageReturn,
      date1904: values.Workbook?.WBProps?.date1904 ?? false,
      isDate: XLSX.SSF.is_date,
    };
    const rows = rowsOf(place, where, worksheet, cells, reading);
    fillMerged(place, where, rows, worksheet["!merges"] ?? [], table.repaired, table.notices);
    for (let n = 0; n < part.links; n++) table.notices.add("links: their text is read", name);
    for (let n = 0; n < part.hiddenRows; n++) table.notices.add("hidden rows: read", name);
    tables.push({ ...table, rows: rows.filter(({ cells, wrong }) => cells.length > 0 || wrong) });
  }
  return { tables, notices };
}

function checkMagic(place: string, file: string, bytes: Uint8Array): void {
  const starts = (...magic: number[]) => magic.every((byte, i) => bytes[i] === byte);
  if (starts(0x50, 0x4b)) return;
  if (starts(0xd0, 0xcf, 0x11, 0xe0)) {
    const encrypted = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
      Buffer.from("EncryptedPackage", "utf16le"),
    );
    throw encrypted
      ? new MkgError(place, `${file}: encrypted`, "Files without a password", "Save a copy without a password")
      : new MkgError(place, `${file}: an old .xls workbook`, "An .xlsx workbook", "Save it as .xlsx");
  }
  throw new MkgError(
    place,
    bytes.length === 0 ? `the file is empty (${file})` : `${file}: not a workbook`,
    "An .xlsx workbook, which is a zip archive",
    "Check the file, or say { format } if only its name is unusual",
  );
}

/** What the XML of a sheet says of it. */
interface SheetPart {
  readonly links: number;
  readonly hiddenRows: number;
  /** Whether it has these cells, each once, and no others. */
  holds(cells: readonly string[]): boolean;
}

interface Book {
  readonly parts: Record<string, Uint8Array>;
  /** Stands for a carriage return, which SheetJS would drop before a line feed. */
  readonly carriageReturn: string;
  readonly sheets: readonly SheetPart[];
}

const count = (text: string, what: RegExp) => {
  let n = 0;
  for (const _ of text.matchAll(what)) n++;
  return n;
};

/**
 * The parts that hold values, without what SheetJS would spend time on beyond the size of the file: links and ranges that cover millions of cells,
 * column styles. An item of shared text written as an empty tag is written out, since SheetJS would skip it and shift all that follow.
 */
function sift(place: string, file: string, all: ReadonlyMap<string, Uint8Array>): Book {
  const parts: Record<string, Uint8Array> = Object.create(null);
  const sheets: SheetPart[] = [];
  const texts = new Map<string, string>();
  if (!all.has("[Content_Types].xml"))
    throw new MkgError(
      place,
      `${file}: a zip archive, but no workbook (${quote([...all.keys()].slice(0, 3))})`,
      "An .xlsx workbook",
      "Unpack it and give the file that it holds",
    );
  for (const [name, bytes] of all) {
    if (/(?:workbook|sheet\d*|sharedStrings)\.bin$/i.test(name))
      throw new MkgError(place, `${file}: a binary workbook (.xlsb)`, "An .xlsx workbook", "Save it as .xlsx");
    // what SheetJS needs no value from; without the sheets' own relations it looks for no comments and drawings
    if (!/\.(?:xml|rels)$/i.test(name) || /^\/?(?:docProps|customXml)\/|\/worksheets\/_rels\//i.test(name)) continue;
    let text: string;
    try {
      const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe ? "utf-16be" : "utf-8";
      text = new TextDecoder(utf16, { fatal: true }).decode(bytes);
    } catch {
      throw new MkgError(
        place,
        `${file}: the part ${quote(name)} is not UTF-8 text`,
        "",
        "Open the workbook and save it again",
      );
    }
    if (/<!DOCTYPE/i.test(text.slice(0, 10_000)))
      throw new MkgError(place, `${file}: the part ${quote(name)} declares a document type`, "Workbooks have none");
    texts.set(name, text.replace(/\r\n?/g, "\n"));
  }
  // a character that the book does not hold
  let code = 0xe000;
  while ([...texts.values()].some((text) => text.includes(String.fromCharCode(code)))) code++;
  const carriageReturn = String.fromCharCode(code);
  for (let [name, text] of texts) {
    text = text.replace(/_x005f_|_x000d_|&#0*13;|&#x0*d;/gi, (found) =>
      found.toLowerCase() === "_x005f_" ? found : carriageReturn,
    );
    if (/<(?:\w+:)?sst\b/.test(text.slice(0, 2000)))
      text = text.replace(
        /<(\w+:)?si\s*\/>/g,
        (_, prefix = "") => `<${prefix}si><${prefix}t></${prefix}t></${prefix}si>`,
      );
    else if (/<(?:\w+:)?worksheet\b/.test(text.slice(0, 5000))) {
      const end = /<\/(?:\w+:)?sheetData>|<(?:\w+:)?sheetData\s*\/>/.exec(text);
      const to = end ? end.index + end[0].length : text.length;
      const [head, tail] = [text.slice(0, to), text.slice(to)];
      const addresses = new Set<string>();
      for (const found of head.matchAll(/<(?:\w+:)?c\s[^<>]*?\br\s*=\s*["']([^"']*)["']/g)) addresses.add(found[1]!);
      const total = count(head, /<(?:\w+:)?c[\s/>]/g);
      const merged = [...tail.matchAll(/<(?:\w+:)?mergeCell\b[^<>]*?\bref\s*=\s*["']([A-Z]+\d+(?::[A-Z]+\d+)?)["']/g)];
      if (merged.length !== count(tail, /<(?:\w+:)?mergeCell[\s/>]/g))
        throw new MkgError(place, `${file}: merged cells of a part have no range (${quote(name)})`, "", "Unmerge them");
      sheets.push({
        links: count(tail, /<(?:\w+:)?hyperlink\b/g),
        hiddenRows: count(head, /<(?:\w+:)?row\b[^<>]*\bhidden\s*=\s*["'](?:1|true)["']/g),
        holds: (cells) =>
          cells.length === total && (addresses.size === 0 || cells.every((cell) => addresses.has(cell))),
      });
      // a date stored as ISO 8601 is text as it is; SheetJS would make a day number of it
      const dated = head.replace(/(<(?:\w+:)?c\b[^<>]*?\st=)["']d["']/g, '$1"str"');
      // which cells an array formula covers does not matter here, and SheetJS looks it up in quadratic time
      text = `${dated.replace(/\st=["']array["']/g, "")}${merged.map(([, ref]) => `<mergeCell ref="${ref}"/>`).join("")}</worksheet>`;
    }
    parts[name] = new TextEncoder().encode(text);
  }
  return { parts, sheets, carriageReturn };
}

interface OpenRow {
  row: number;
  cells: (string | null)[];
  wrong?: { address: string; reason: string };
}

function rowsOf(
  place: string,
  where: string,
  worksheet: WorkSheet,
  addresses: readonly string[],
  reading: CellReading,
): OpenRow[] {
  const rows = new Map<number, OpenRow>();
  let width = 0;
  const fail = (problem: string) =>
    new MkgError(
      place,
      `${where}: ${problem}`,
      "At most 1,048,576 rows and 16,384 columns",
      "Save it as csv or parquet",
    );
  for (const address of addresses) {
    const [letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(address)?.slice(1) ?? [];
    const column = letters ? columnIndex(letters) : Number.NaN;
    const number = Number(digits);
    if (!(column < 16_384 && number <= 1_048_576)) throw fail(`a cell stands nowhere in the sheet (${quote(address)})`);
    let row = rows.get(number);
    if (!row) {
      row = { row: number, cells: [] };
      rows.set(number, row);
    }
    const cell = worksheet[address] as CellObject;
    let text = cellText(cell, address, reading);
    if (cell.f !== undefined) {
      reading.notices.add("formulas: the value stored with them is read", address);
      if (text === null) text = { wrong: "a formula without a stored value" };
    }
    if (text === null) continue;
    if (typeof text === "object") {
      // cells come in the order of the file, which need not be that of the sheet
      if (!row.wrong || columnIndex(row.wrong.address.replace(/\d+/, "")) > column)
        row.wrong = { address, reason: text.wrong };
      continue;
    }
    if (row.cells.length <= column) width += column + 1 - row.cells.length;
    if (width > mostCells) throw fail(`its cells are spread over too many columns (${quote(address)})`);
    while (row.cells.length <= column) row.cells.push(null);
    row.cells[column] = text;
  }
  return [...rows.values()].sort((a, b) => a.row - b.row);
}

/** Column letters as a position from 0: A is 0, AA is 26. */
const columnIndex = (letters: string) => [...letters].reduce((n, letter) => 26 * n + letter.charCodeAt(0) - 64, 0) - 1;

/** Column letters of a position from 0. */
export function columnLetters(column: number): string {
  return column < 0 ? "" : columnLetters(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));
}

/** Gives the value of a merged range to its rows that hold anything, in its first column. O(rows filled), log(rows) a range. */
function fillMerged(
  place: string,
  where: string,
  rows: OpenRow[],
  ranges: readonly { s: { r: number; c: number }; e: { r: number; c: number } }[],
  repaired: Noticing,
  notices: Noticing,
): void {
  const sorted = [...ranges].sort((a, b) => a.s.c - b.s.c || a.s.r - b.s.r);
  for (const [i, { s, e }] of sorted.entries()) {
    const before = sorted[i - 1];
    const range = `${columnLetters(s.c)}${s.r + 1}:${columnLetters(e.c)}${e.r + 1}`;
    if (before && before.s.c === s.c && before.e.r >= s.r)
      throw new MkgError(place, `${where}: merged ranges overlap (${range})`, "", "Unmerge the cells");
    if (e.c > s.c) notices.add("cells merged across columns: the value stands in the first", range);
    let at = firstFrom(rows, s.r + 1);
    const top = rows[at]?.row === s.r + 1 ? rows[at] : undefined;
    const wrong = top?.wrong?.address === `${columnLetters(s.c)}${s.r + 1}` ? top.wrong : undefined;
    const value = top?.cells[s.c] ?? null;
    if (e.r === s.r || (value === null && !wrong)) continue;
    for (at++; at < rows.length && rows[at]!.row <= e.r + 1; at++) {
      const { cells, row } = rows[at]!;
      if (cells.every((cell) => cell === null) && !rows[at]!.wrong) continue;
      rows[at]!.wrong ??= wrong;
      const address = `${columnLetters(s.c)}${row}`;
      if ((cells[s.c] ?? value) !== value) notices.add("values hidden under merged cells: left out", address);
      while (cells.length <= s.c) cells.push(null);
      cells[s.c] = value;
      repaired.add("merged cells: the value is given to each of their rows", address);
    }
  }
}

function firstFrom(rows: readonly OpenRow[], row: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.row < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
