import type { ColumnTable } from "arquero";
import { sha256, stableStringify } from "../core/index.js";
import { type Column, storage, TextColumn } from "./columns.js";

/** SHA-256 of the cells of tables, in row order. The text of a distinct string is made once: O(cells). */
export function fingerprintOf(...tables: ColumnTable[]): string {
  const parts: string[] = [];
  for (const t of tables) {
    const names = t.columnNames();
    const columns = names.map((name) => cellsOf(name, storage(t.data()[name] as Column)));
    let rows: string[] = [JSON.stringify(names)];
    for (let i = 0; i < t.numRows(); i++) {
      rows.push(columns.map((cell) => cell(i)).join(","));
      if (rows.length === 4096) {
        parts.push(sha256(rows.join("\n")));
        rows = [];
      }
    }
    parts.push(sha256(rows.join("\n")));
  }
  return sha256(parts.join("\n"));
}

function cellsOf(name: string, column: Column): (row: number) => string {
  if (!(column instanceof TextColumn)) return (row) => cellText(name, column.at(row));
  const texts = new Array<string | undefined>(column.values.length);
  return (row) => {
    const code = column.codes[row]!;
    if (code < 0) return "null";
    const text = texts[code] ?? JSON.stringify(column.values[code]);
    texts[code] = text;
    return text;
  };
}

function cellText(name: string, value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (name === "images")
    return JSON.stringify((value as readonly { id: string; key: boolean }[]).map((image) => [image.id, image.key]));
  // stable JSON knows no dates: all would be {}
  if (value instanceof Date) return `date ${value.getTime()}`;
  try {
    return stableStringify(value);
  } catch {
    return `${typeof value} ${String(value)}`;
  }
}
