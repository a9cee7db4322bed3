import { MkgError, quote, refuseUnknown } from "../../core/index.js";
import { checkName } from "../columns.js";
import type { Notice } from "../notices.js";
import type { RefusedRow } from "../types.js";
import { openSource } from "./compressed.js";
import type { Reading, Source, SourceRows, TableFormat } from "./format.js";
import { columnLetters, readBook, type SheetRow, type SheetTable } from "./xlsx-book.js";
import { encodeWorkbook } from "./xlsx-write.js";

export interface SheetRows {
  readonly sheet: string;
  /** Rows that hold anything: their number in the sheet from 1, and their cells by position from column A, null where blank. */
  readonly rows: { readonly row: number; readonly cells: (string | null)[] }[];
  readonly repaired: Notice[];
  readonly notices: Notice[];
}

/**
 * One sheet of an .xlsx workbook as rows of text, for sheets whose columns are known by position; the first sheet unless `sheet` names another.
 * Blank rows are left out, and the numbers of the others are those of the sheet. How a cell becomes text says {@link xlsx}.
 *
 * Errors: a file that is no workbook, damaged, encrypted or too large (512 MiB; 256 MiB unpacked), an unknown sheet, and a cell without a value that can be
 * given (an error such as #N/A, a formula without a stored value), with its sheet and address.
 *
 * @example
 * const { rows } = await readSheet("Node.xlsx", { place: "loadDataset" });
 * rows[0]   // { row: 1, cells: ["Name", null, "Image"] }
 */
export async function readSheet(
  path: string,
  options: { readonly place: string; readonly sheet?: string },
): Promise<SheetRows> {
  refuseUnknown("readSheet", options, ["place", "sheet"], "option");
  const { place } = options;
  const source = await openSource(place, path, true);
  const { tables, notices } = await readBook(place, path, await source.bytes(), options.sheet);
  const table = tables[0];
  if (!table) throw new MkgError(place, `${path}: no sheet with cells`, "A workbook with at least one sheet of cells");
  for (const other of tables.slice(1)) notices.add("further sheets: not read", other.sheet);
  for (const { row, wrong } of table.rows) if (wrong) throw wrongCell(place, path, table.sheet, row, wrong);
  return {
    sheet: table.sheet,
    rows: table.rows.map(({ row, cells }) => ({ row, cells })),
    repaired: table.repaired.list(),
    notices: [...notices.list(), ...table.notices.list()],
  };
}

function wrongCell(place: string, file: string, sheet: string, row: number, wrong: NonNullable<SheetRow["wrong"]>) {
  const column = wrong.address.replace(/\d+/, "");
  return new MkgError(
    place,
    `${file}, sheet ${quote(sheet)}, row ${row}, column ${column}: ${wrong.reason} (cell ${wrong.address})`,
    "Texts, numbers of at most 15 digits, dates, true and false, and formulas stored with their value",
    "Mend the cell: long numbers as text; formulas by opening and saving the workbook in a spreadsheet program",
  );
}

/**
 * `.xlsx` (and `.xlsm`, whose macros are never opened): each sheet a table, its first row that holds anything the header.
 *
 * A cell is text: strings as stored; a number as the shortest decimal of its double, with leading zeros if its format shows them (`00000`), an error
 * above 2^53, where a number cell has lost digits; dates ISO 8601 without a timezone; TRUE and FALSE; a formula as the value stored with it, an error
 * without; #N/A and the like are errors. A cell merged over rows counts for each of them; one merged over columns for the first. Blank cells are null,
 * blank rows and columns left out. Hidden sheets and rows are read. What was not read as it stands is in `repaired` and `notices`.
 *
 * Cost: that of the cells which exist, whatever range the sheet declares; the workbook is held in memory, about 1 kB a cell while it is read. At most 256 MiB unpacked.
 *
 * Writing holds strings and empty cells only, since a reader gets text; every string stands as text, never as a formula. A cell above 32,767 characters,
 * a value that is no string, a row without any value and tables beyond 1,048,576 rows or 16,384 columns are errors.
 */
export const xlsx: TableFormat = {
  extensions: ["xlsx", "xlsm"],
  holds: "many",
  mayLackHeader: true,
  zipped: true,
  async read(source, reading) {
    const { tables, notices } = await readBook(reading.place, source.path, await source.bytes(), reading.sheet);
    const parts: SourceRows[] = [];
    for (const table of tables) {
      if (table.rows.length === 0) notices.add("empty sheets", table.sheet);
      else parts.push(tableOf(source, table, reading));
    }
    const [first, ...others] = parts;
    if (!first)
      throw new MkgError(
        reading.place,
        `the file is empty (${source.path})`,
        "At least a header row or one row",
        "Check which file and sheet was meant",
      );
    return [{ ...first, notices: [...notices.list(), ...first.notices] }, ...others];
  },
  encode: encodeWorkbook,
};

function tableOf(source: Source, { sheet, rows, repaired, notices }: SheetTable, reading: Reading): SourceRows {
  const { place, lenient } = reading;
  const file = `${source.path}, sheet ${quote(sheet)}`;
  const top = rows[0]!;
  if (top.wrong) throw wrongCell(place, source.path, sheet, top.row, top.wrong);
  const positions = new Set<number>();
  for (const { cells, wrong } of rows)
    if (!wrong) for (let c = 0; c < cells.length; c++) if (cells[c] !== null) positions.add(c);
  const used = [...positions].sort((a, b) => a - b);
  const { names, header } = reading.decide(
    used.map((c) => top.cells[c] ?? ""),
    `${file}, row ${top.row}`,
    sheet,
  );
  checkNames(place, file, top.row, names, used);
  const refused: RefusedRow[] = [];
  const kept: SheetRow[] = [];
  for (const row of header ? rows.slice(1) : rows) {
    if (row.wrong && !lenient) throw wrongCell(place, source.path, sheet, row.row, row.wrong);
    if (row.wrong) refused.push({ file, line: row.row, reason: row.wrong.reason });
    else kept.push(row);
  }
  const last = rows.at(-1)!.row;
  const skipped: Notice[] = [];
  const skip = (what: string, count: number) => count > 0 && skipped.push({ what, count, examples: [sheet] });
  skip("blank rows: left out", last - top.row + 1 - rows.length);
  skip("blank columns: left out", used.length === 0 ? 0 : used.at(-1)! + 1 - used.length);
  const column = (c: number | undefined) => kept.map(({ cells }) => (c === undefined ? null : (cells[c] ?? null)));
  return {
    file,
    part: sheet,
    columns: { data: new Map(names.map((name, i) => [name, column(used[i])])), rows: kept.length },
    unit: "row",
    line: (row) => kept[row]!.row,
    header,
    refused,
    repaired: repaired.list(),
    notices: [...notices.list(), ...skipped],
  };
}

function checkNames(place: string, file: string, row: number, names: readonly string[], used: readonly number[]): void {
  const seen = new Map<string, string>();
  const cell = (i: number) => (used[i] === undefined ? `field ${i + 1}` : `cell ${columnLetters(used[i])}${row}`);
  if (names.length < used.length)
    throw new MkgError(
      place,
      `${file}, row ${row}: ${used.length} columns hold values, but ${names.length} have a name`,
      `Columns: ${names.join(", ")}`,
      `Clear column ${columnLetters(used[names.length]!)}, or name it`,
    );
  for (const [i, name] of names.entries()) {
    if (name === "")
      throw new MkgError(
        place,
        `${file}, row ${row}: column ${columnLetters(used[i] ?? i)} holds values but has no name (${cell(i)})`,
        "",
        "Write a name there, or clear the column",
      );
    if (seen.has(name))
      throw new MkgError(
        place,
        `${file}, row ${row}: two columns have the same name (${quote(name)}, ${seen.get(name)} and ${cell(i)})`,
        "Column names are distinct",
        "Rename one",
      );
    seen.set(checkName(place, `${file}, row ${row}`, name), cell(i));
  }
}
