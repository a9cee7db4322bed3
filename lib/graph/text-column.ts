import { MkgError, quote } from "../core/index.js";
import { type Column, type Columns, DateColumn, TextColumn, type Where } from "./columns.js";

/** Distinct strings in order of first appearance, and their codes. */
export class TextCodes {
  readonly values: string[];
  #codes: Map<string, number> | undefined;
  constructor(values: Iterable<string> = []) {
    this.values = [...values];
  }
  code(text: string): number {
    let code = this.known(text);
    if (code === undefined) {
      code = this.values.push(text) - 1;
      this.#codes!.set(text, code);
    }
    return code;
  }
  known(text: string): number | undefined {
    this.#codes ??= new Map(this.values.map((value, code) => [value, code]));
    return this.#codes.get(text);
  }
}

/**
 * A column of strings, every cell filled: an empty one takes `fallback(row)`. Anything but a string is refused, so that no id passes through a
 * number. A text column without empty cells comes back as it is. O(rows).
 */
export function textColumn(
  place: string,
  columns: Columns,
  name: string,
  where: Where,
  fallback: (row: number) => string,
): TextColumn {
  const column: Column = columns.data.get(name) ?? [];
  if (column instanceof TextColumn) return filled(column, fallback);
  const codes = new Int32Array(columns.rows);
  const texts = new TextCodes();
  for (let row = 0; row < columns.rows; row++) {
    const value = column.at(row);
    if (value === undefined || value === null || value === "") codes[row] = texts.code(fallback(row));
    else if (typeof value === "string") codes[row] = texts.code(value);
    else
      throw new MkgError(
        place,
        `${where(row)}, column ${name}: not a string (${quote(value)})`,
        "Ids and texts are strings, so that 007 and 7 stay apart",
        "Write it as a string",
      );
  }
  return new TextColumn(codes, texts.values);
}

/** The same column, every empty cell (none, or the empty string) taking `fallback(row)`. */
function filled(column: TextColumn, fallback: (row: number) => string): TextColumn {
  const empty = column.values.indexOf("");
  let codes: Int32Array | undefined;
  let texts: TextCodes | undefined;
  for (let row = 0; row < column.codes.length; row++) {
    const code = column.codes[row]!;
    if (code >= 0 && code !== empty) continue;
    const text = fallback(row);
    if (text === "" && code === empty) continue;
    codes ??= column.codes.slice();
    texts ??= new TextCodes(column.values);
    codes[row] = texts.code(text);
  }
  return codes && texts ? new TextColumn(codes, texts.values) : column;
}

/** Columns one below the other. Text columns stay text columns; a part without the column has nulls there. O(cells). */
export function stack(parts: readonly Columns[]): Columns {
  if (parts.length === 1) return parts[0]!;
  const rows = parts.reduce((n, part) => n + part.rows, 0);
  const names = new Set(parts.flatMap((part) => [...part.data.keys()]));
  const data = new Map<string, Column>();
  for (const name of names) {
    const columns = parts.map((part) => part.data.get(name));
    if (columns.every((column) => column === undefined || column instanceof TextColumn)) {
      const texts = new TextCodes();
      const codes = new Int32Array(rows).fill(-1);
      let at = 0;
      for (const [p, column] of columns.entries()) {
        if (column) {
          const remap = (column as TextColumn).values.map((value) => texts.code(value));
          for (const code of (column as TextColumn).codes) codes[at++] = code < 0 ? -1 : remap[code]!;
        } else at += parts[p]!.rows;
      }
      data.set(name, new TextColumn(codes, texts.values));
    } else data.set(name, joined(columns, parts));
  }
  return { data, rows };
}

function joined(columns: readonly (Column | undefined)[], parts: readonly Columns[]): Column {
  if (columns.every((column) => column instanceof DateColumn))
    return new DateColumn(Float64Array.from(columns.flatMap((column) => [...column.ms])));
  if (columns.every((column) => column instanceof Float64Array))
    return Float64Array.from(columns.flatMap((column) => [...column]));
  return parts.flatMap((part, p) => (columns[p] ? [...columns[p]] : new Array<null>(part.rows).fill(null)));
}
