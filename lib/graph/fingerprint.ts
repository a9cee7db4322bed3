import type { ColumnTable } from "arquero";
import { MkgError, sha256 } from "../core/index.js";
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

/** Levels of lists and objects that a stack surely has room for. */
const mostLevels = 1000;

function cellText(name: string, value: unknown): string {
  if (name === "images")
    return JSON.stringify((value as readonly { id: string; key: boolean }[]).map((image) => [image.id, image.key]));
  return valueText(name, value, 0);
}

/** JSON with sorted keys; what JSON would make alike (dates, integers of 64 bits, NaN and the infinities) is told apart at any depth. */
function valueText(name: string, value: unknown, depth: number): string {
  if (depth > mostLevels)
    throw new MkgError(
      "graph.fingerprint",
      `column ${name}: a cell of more than ${mostLevels} levels, or one that holds itself`,
      "Lists and objects",
      "Leave the column out, or write it flat",
    );
  if (typeof value === "string" || typeof value === "boolean" || value === null) return JSON.stringify(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => valueText(name, item ?? null, depth + 1)).join(",")}]`;
  if (value instanceof Map || value instanceof Set)
    return `${value.constructor.name} ${valueText(name, [...value], depth + 1)}`;
  if (typeof value !== "object") return `${typeof value} ${String(value)}`;
  const record = value as Record<string, unknown>;
  const keys = Object.keys(record)
    .filter((key) => record[key] !== undefined)
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${valueText(name, record[key], depth + 1)}`).join(",")}}`;
}
