import { isImage } from "../core/index.js";
/** Text as HTML that shows it: whatever stands in a graph or a file is data, never markup. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);

/** At most `max` characters (code points, so that none is torn). */
export function shorten(text: string, max: number): string {
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : text;
}

const many = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** What lies beyond the shown part, or "" when everything is shown. */
export const more = (total: number, shown: number, noun: string): string =>
  total > shown ? `… ${many(total - shown, `more ${noun}`)}` : "";

/** A table cell: plain text, or HTML that the caller has made safe, with a text for where there is no HTML. */
export type TableCell = string | { readonly html: string; readonly text: string };

// JupyterLab lays tables out in columns of equal width and breaks words to fit
const STYLE = "text-align:left;vertical-align:top;white-space:pre-line;word-break:normal;overflow-wrap:normal";

/** An HTML table of cells; numbers are for the caller to write. */
export function htmlTable(columns: readonly string[], rows: readonly (readonly TableCell[])[]): string {
  const cell = (tag: string) => (value: TableCell) =>
    `<${tag} style="${STYLE}">${typeof value === "string" ? escapeHtml(value) : value.html}</${tag}>`;
  const row = (tag: string, cells: readonly TableCell[]) => `<tr>${cells.map(cell(tag)).join("")}</tr>`;
  const body = rows.map((cells) => row("td", cells)).join("\n");
  return `<table style="table-layout:auto">\n<thead>${row("th", columns)}</thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}

/** The same table as text in columns, each at most 60 characters wide. */
export function textTable(columns: readonly string[], rows: readonly (readonly TableCell[])[]): string {
  const flat = (value: TableCell) => shorten((typeof value === "string" ? value : value.text).replace(/\s+/g, " "), 60);
  const lines = [columns, ...rows].map((cells) => cells.map(flat));
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => [...(cells[i] ?? "")].length)));
  const pad = (text: string, width: number) => text + " ".repeat(Math.max(0, width - [...text].length));
  return lines
    .map((cells) =>
      cells
        .map((text, i) => pad(text, widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A value as it stands in a cell. Fractions to 4 significant digits, whole parts in full; null and undefined as a dash. */
export function cellText(value: unknown, maxCharacters: number): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "not a number";
    return String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
  }
  if (typeof value === "string") return shorten(value, maxCharacters);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "not a date" : value.toISOString();
  if (Array.isArray(value) && value.length > 0 && value.every(isImage)) return many(value.length, "image");
  if (isImage(value)) return "1 image";
  if (Array.isArray(value))
    return shorten(value.map((part) => cellText(part, maxCharacters)).join(", "), maxCharacters);
  if (typeof value === "object") return shorten(jsonText(value), maxCharacters);
  return shorten(String(value), maxCharacters);
}

/** JSON of any value; what JSON cannot hold is named instead. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part) =>
      typeof part === "bigint" || (typeof part === "number" && !Number.isFinite(part)) ? String(part) : part,
    );
  } catch (error) {
    return `[not shown: ${(error as Error).message.split("\n")[0]}]`;
  }
}
