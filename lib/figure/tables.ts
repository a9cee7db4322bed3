import { MkgError, oneOf, resolveOptions, unknownName } from "../core/index.js";
import { asRows, columnNames, numberAt, reasonOf } from "./points.js";
import { clean, percentText, plain, pText } from "./text.js";
import type { Rows } from "./types.js";

/** `percent`: a fraction as 41.2%; `points`: a difference of fractions as +4.1; `number`: three decimals at most; `p`: a p-value, never 0. */
export type CellFormat = "percent" | "points" | "number" | "p";

export interface TableOptions {
  /** Columns in the order wanted; all unless told. `low` and `high` join the value before them as [low, high]. */
  readonly columns?: readonly string[];
  /** Format by column; `p` for `p` and `pAdjusted`, `number` for every other number unless told. */
  readonly format?: Readonly<Record<string, CellFormat>>;
}

const formats: Readonly<Record<CellFormat, (value: number) => string>> = {
  percent: (v) => percentText(v),
  points: (v) => {
    const text = plain(v * 100, 1);
    return v > 0 && text !== "0" ? `+${text}` : text;
  },
  number: (v) => plain(v),
  p: pText,
};

interface Column {
  readonly name: string;
  readonly interval: boolean;
  readonly format: CellFormat;
  readonly numeric: boolean;
}

/** The values that an interval belongs to, where a row has columns `low` and `high`. */
const centres = ["mean", "difference", "value"];

function read(place: string, rows: Rows, options: TableOptions): { columns: Column[]; cells: string[][] } {
  resolveOptions(
    place,
    {
      columns: {
        doc: "",
        default: null,
        allowed: "a list of column names",
        check: (v) => Array.isArray(v) && v.length > 0 && v.every((c) => typeof c === "string"),
      },
      format: {
        doc: "",
        default: null,
        allowed: "an object of formats by column",
        check: (v) => typeof v === "object" && v !== null && !Array.isArray(v),
      },
    },
    options as Record<string, unknown>,
  );
  const given = asRows(place, rows);
  if (given.length === 0) throw new MkgError(place, "no rows", "At least one row", "Check the filter that made them");
  const known = columnNames(given);
  const format = options.format ?? {};
  for (const name of [...(options.columns ?? []), ...Object.keys(format)])
    if (!known.includes(name)) throw unknownName(place, "column", name, known);
  for (const [name, value] of Object.entries(format))
    resolveOptions(place, { [name]: oneOf(Object.keys(formats), { default: "number", doc: "" }) }, { [name]: value });
  const wanted = options.columns ?? known;
  const centre =
    known.includes("low") && known.includes("high") ? centres.find((name) => wanted.includes(name)) : undefined;
  const columns = wanted
    .filter((name) => centre === undefined || (name !== "low" && name !== "high"))
    .map((name) => ({
      name,
      interval: name === centre,
      format: format[name] ?? (name === "p" || name === "pAdjusted" ? "p" : "number"),
      numeric:
        given.every((row) => row[name] == null || typeof row[name] === "number" || typeof row[name] === "bigint") &&
        given.some((row) => row[name] != null),
    }));
  const cells = given.map((row, i) =>
    columns.map((column) => {
      const value = row[column.name];
      if (value === null || value === undefined) return reasonOf(row.status);
      if (typeof value === "string" || typeof value === "boolean") return clean(String(value));
      if (typeof value === "object") return clean(JSON.stringify(value));
      const show = formats[column.format];
      const number = show(numberAt(place, row, i, column.name) as number);
      if (!column.interval) return number;
      const [low, high] = [numberAt(place, row, i, "low"), numberAt(place, row, i, "high")];
      return low === null || high === null ? number : `${number} [${show(low)}, ${show(high)}]`;
    }),
  );
  return { columns, cells };
}

/**
 * Rows as a Markdown table (GitHub's dialect). A value with columns `low` and `high` reads `mean [low, high]`; null reads
 * "not computed" (or "not defined", "failed" by the row's status), and NaN is an error. Whatever is in the cells comes out
 * as text: pipes, line breaks, HTML, emphasis, links, math. Numbers stand right.
 *
 * @example
 * markdownTable([{ run: "walk", mean: 0.412, low: 0.35, high: 0.474, n: 238 }], { format: { mean: "percent" } })
 * // | run | mean [low, high] | n |
 * // | :-- | --: | --: |
 * // | walk | 41.2% [35.0%, 47.4%] | 238 |
 */
export function markdownTable(rows: Rows, options: TableOptions = {}): string {
  const { columns, cells } = read("markdownTable", rows, options);
  const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  return `${[
    line(columns.map((c) => `${escapeMarkdown(clean(c.name))}${c.interval ? " [low, high]" : ""}`)),
    line(columns.map((c) => (c.numeric ? "--:" : ":--"))),
    // "[0.1, 0.2]" that this module wrote is no link; a bracket in a text might be
    ...cells.map((row) => line(row.map((text, i) => (columns[i]?.numeric ? text : escapeMarkdown(text))))),
  ].join("\n")}\n`;
}

/**
 * Rows as a LaTeX `tabular` (needs the package booktabs), with the rules of {@link markdownTable}. Specials of LaTeX come
 * out as text; Greek letters and common signs of a label become math.
 *
 * @example
 * latexTable([{ run: "bm25 & walk", mean: 0.4 }])
 * // \begin{tabular}{lr}
 * // \toprule
 * // run & mean \\
 * // \midrule
 * // bm25 \& walk & 0.4 \\
 * // \bottomrule
 * // \end{tabular}
 */
export function latexTable(rows: Rows, options: TableOptions = {}): string {
  const { columns, cells } = read("latexTable", rows, options);
  const line = (texts: readonly string[]) => `${texts.map(protect).join(" & ")} \\\\`;
  return `${[
    `\\begin{tabular}{${columns.map((c) => (c.numeric ? "r" : "l")).join("")}}`,
    "\\toprule",
    line(columns.map((c) => `${escapeLatex(clean(c.name))}${c.interval ? " [low, high]" : ""}`)),
    "\\midrule",
    ...cells.map((row) => line(row.map(escapeLatex))),
    "\\bottomrule",
    "\\end{tabular}",
  ].join("\n")}\n`;
}

// after a row's end LaTeX reads a bracket as the row's extra space
const protect = (text: string, column: number) => (column === 0 && /^[[*]/.test(text) ? `{}${text}` : text);

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeMarkdown = (text: string) =>
  text.replace(/[\\`*_[\]|~$#!]/g, "\\$&").replace(/[&<>]/g, (c) => entities[c] as string);

const latex: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\char34{}",
  "`": "\\textasciigrave{}",
  "\u2212": "$-$",
  "\u2264": "$\\leq$",
  "\u2265": "$\\geq$",
  "\u00d7": "$\\times$",
  "\u00b1": "$\\pm$",
  "\u2192": "$\\rightarrow$",
  ...Object.fromEntries(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi"
      .split(" ")
      .map((name, i) => [String.fromCodePoint(0x3b1 + i), `$\\${name}$`]),
  ),
  ...Object.fromEntries("pi rho".split(" ").map((name, i) => [String.fromCodePoint(0x3c0 + i), `$\\${name}$`])),
  ...Object.fromEntries(
    "sigma tau upsilon phi chi psi omega".split(" ").map((name, i) => [String.fromCodePoint(0x3c3 + i), `$\\${name}$`]),
  ),
};
const escapeLatex = (text: string) =>
  text
    .replace(/[\s\S]/gu, (c) => latex[c] ?? (/[{}$&#%_]/.test(c) ? `\\${c}` : c))
    .replace(/--+/g, (dashes) => dashes.split("").join("{}"));
