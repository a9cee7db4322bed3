import type { CellObject, WorkSheet } from "@e965/xlsx";
import { MkgError, quote } from "../../core/index.js";
import { isHalfPair } from "./cell-values.js";
import type { OutFile, OutTable } from "./format.js";
import { columnLetters, sheetJs } from "./xlsx-book.js";

const mostCharacters = 32_767;
const mostRows = 1_048_576;
const mostColumns = 16_384;

/** Tables as the sheets of one workbook: see {@link xlsx}. The same tables give the same bytes. */
export async function encodeWorkbook(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> {
  for (const table of tables) check(table, place, tables);
  const XLSX = await sheetJs();
  const book = XLSX.utils.book_new();
  for (const { part, columns } of tables) {
    const sheet: WorkSheet = Object.create(null);
    let letters = "A";
    for (const [c, [name, values]] of [...columns.data].entries()) {
      letters = columnLetters(c);
      sheet[`${letters}1`] = cell(name);
      let row = 2;
      for (const value of values) {
        if (typeof value === "string") sheet[`${letters}${row}`] = cell(value);
        row++;
      }
    }
    sheet["!ref"] = `A1:${letters}${columns.rows + 1}`;
    XLSX.utils.book_append_sheet(book, sheet, part);
  }
  const data = XLSX.write(book, { type: "array", bookType: "xlsx", bookSST: true, compression: true }) as ArrayBuffer;
  const [first] = tables;
  return [{ name: `${tables.length === 1 ? first!.part : "tables"}.xlsx`, data: new Uint8Array(data) }];
}

/** Type `s` is text whatever it begins with. What reads like an escape (`_x000D_`) is escaped itself: ECMA-376 part 1, 22.9.2.19. */
const cell = (text: string): CellObject => ({ t: "s", v: text.replace(/_(?=x[0-9a-f]{4}_)/gi, "_x005F_") });

function check({ part, columns }: OutTable, place: string, tables: readonly OutTable[]): void {
  const refuse = (where: string, why: string, value: unknown) =>
    new MkgError(
      place,
      `${part}${where}: xlsx cannot hold it: ${why} (${quote(value)})`,
      "",
      "Choose another format (jsonl, parquet), or change the value",
    );
  if (!/^[^[\]:*?/\\']{1,31}$/.test(part))
    throw refuse("", "a sheet's name has 1 to 31 characters, none of []:*?/\\'", part);
  if (tables.filter((other) => other.part.toLowerCase() === part.toLowerCase()).length > 1)
    throw refuse("", "two sheets of one name", part);
  if (columns.data.size === 0) throw refuse("", "a table without columns", part);
  if (columns.data.size > mostColumns) throw refuse("", `more than ${mostColumns} columns`, columns.data.size);
  if (columns.rows + 1 > mostRows) throw refuse("", `more than ${mostRows} rows with the header`, columns.rows);
  const blank = new Uint8Array(columns.rows).fill(1);
  for (const [name, values] of columns.data) {
    const why = name === "" ? "no name" : unfit(name);
    if (why) throw refuse(", header", why, name);
    let row = 0;
    for (const value of values) {
      const why = value === null ? undefined : typeof value === "string" ? unfit(value) : "not a string";
      if (why) throw refuse(`, row ${row} (from 0), column ${name}`, why, value);
      if (value !== null) blank[row] = 0;
      row++;
    }
  }
  const at = blank.indexOf(1);
  if (at >= 0) throw refuse(`, row ${at} (from 0)`, "a row without any value", null);
}

const unfit = (text: string): string | undefined =>
  text.length > mostCharacters
    ? `${text.length} characters, a cell holds ${mostCharacters}`
    : isHalfPair(text)
      ? "half of a surrogate pair"
      : undefined;
