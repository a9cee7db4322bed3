import { inspect } from "node:util";
import type { ColumnTable } from "arquero";
import { type Evidence, type Image, integer, isImage, MkgError, resolveOptions } from "../core/index.js";
import type { Dataset } from "../datasets/index.js";
import type { Run, RunItem } from "../evaluate/index.js";
import type { Chart } from "../figure/index.js";
import type { Graph } from "../graph/index.js";
import type { Study } from "../study/index.js";
import { evidenceBundle, itemBundle, runBundle } from "./evidence.js";
import { cellText, escapeHtml, htmlTable, more, textTable } from "./html.js";
import { imageBundle, imagesBundle } from "./pictures.js";
import type { MimeBundle, ShowOptions } from "./types.js";

type Options = Required<ShowOptions>;

const count = (value: number, doc: string) => integer({ min: 1, max: 100_000, default: value, doc });
const specs = {
  maxRows: count(25, "rows of a table"),
  maxColumns: count(20, "columns of a table"),
  maxCharacters: count(200, "characters of a cell"),
  maxQuestions: count(3, "questions of a run"),
  maxHits: count(5, "hits of a ranking"),
  maxImages: count(24, "pictures of a list"),
  thumbnailPx: count(160, "longest side of a small picture"),
};

/** One kind of value: how it is known and what it becomes. */
interface Viewer<T> {
  is(value: Record<string, unknown>): boolean;
  bundle(value: T, options: Options): MimeBundle | Promise<MimeBundle>;
}

const functions = (value: Record<string, unknown>, ...names: string[]) =>
  names.every((name) => typeof value[name] === "function");
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const isTable = (value: Record<string, unknown>) => functions(value, "numRows", "columnNames", "object");
/** What a comparison says, in the order in which it is read. */
const compared = ["b", "a", "measure", "difference", "low", "high", "pAdjusted", "n", "nMissing", "clusters"];

// Known by shape, not by class: a notebook may hold values of another copy of the library. First match wins.
const viewers: Readonly<Record<string, Viewer<never>>> = {
  chart: viewer<Chart>((v) => isObject(v.spec) && functions(v, "svg", "png"), chartBundle),
  comparison: viewer<ColumnTable>(
    (v) => isTable(v) && compared.every((name) => (v as unknown as ColumnTable).columnNames().includes(name)),
    comparisonBundle,
  ),
  table: viewer<ColumnTable>(isTable, tableBundle),
  image: viewer<Image>(isImage, imageBundle),
  images: viewer<readonly Image[]>((v) => Array.isArray(v) && v.length > 0 && v.every(isImage), imagesBundle),
  rows: viewer<readonly Record<string, unknown>[]>(
    (v) => Array.isArray(v) && v.length > 0 && v.every(isRow),
    rowsBundle,
  ),
  graph: viewer<Graph>(
    (v) => functions(v, "describe", "neighbours"),
    (graph) => textBundle(String(graph.describe())),
  ),
  run: viewer<Run>((v) => Array.isArray(v.items) && isObject(v.dataset) && functions(v, "get"), runBundle),
  item: viewer<RunItem>((v) => isObject(v.query) && "evidence" in v, itemBundle),
  evidence: viewer<Evidence>((v) => Array.isArray(v.hits), evidenceBundle),
  study: viewer<Study>(
    (v) => functions(v, "run", "table", "compare"),
    (study, o) => tableBundle(study.table(), o),
  ),
  dataset: viewer<Dataset>((v) => isObject(v.card) && Array.isArray(v.questions), datasetBundle),
};

function viewer<T>(is: Viewer<T>["is"], bundle: Viewer<T>["bundle"]): Viewer<never> {
  return { is, bundle } as Viewer<never>;
}

function isRow(value: unknown): boolean {
  const prototype = isObject(value) && !Array.isArray(value) ? Object.getPrototypeOf(value) : undefined;
  return prototype === Object.prototype || prototype === null;
}

/**
 * A value as a notebook output in several forms: what {@link show} sends. Charts (Vega-Lite for JupyterLab, PNG for
 * GitHub and nbviewer), Arquero tables and arrays of plain objects, images, graphs, data sets, runs, evidence, studies;
 * anything else as text. All text is escaped. Time and memory grow with what is shown, not with the value, except that
 * a graph and a study are summarised whole.
 *
 * @example
 * (await mimeBundle([{ run: "bm25", value: 0.62 }]))["text/plain"];
 * // run   value
 * // bm25  0.62
 */
export async function mimeBundle(value: unknown, options: ShowOptions = {}): Promise<MimeBundle> {
  const resolved = resolveOptions("show", specs, options as Record<string, unknown>) as unknown as Options;
  if (value instanceof Promise)
    throw new MkgError(
      "show",
      "the value is a promise",
      "A finished value",
      "Write `await` before the call that makes it",
    );
  if (isObject(value))
    for (const { is, bundle } of Object.values(viewers)) if (is(value)) return bundle(value as never, resolved);
  return { "text/plain": typeof value === "string" ? value : inspect(value, { depth: 4, maxArrayLength: 100 }) };
}

function textBundle(text: string): MimeBundle {
  return { "text/html": `<pre>${escapeHtml(text)}</pre>`, "text/plain": text };
}

async function chartBundle(chart: Chart): Promise<MimeBundle> {
  const png = await chart.png();
  return {
    // JupyterLab draws Vega-Lite 5; a newer type falls back to text there
    "application/vnd.vegalite.v5+json": { ...chart.spec, $schema: "https://vega.github.io/schema/vega-lite/v5.json" },
    "image/png": Buffer.from(png).toString("base64"),
    "text/plain": [`chart ${chart.name}`, chart.spec.description, ...(chart.warnings ?? [])].filter(Boolean).join("\n"),
  };
}

function tableBundle(table: ColumnTable, options: Options): MimeBundle {
  const rows = table.objects({ limit: options.maxRows }) as Record<string, unknown>[];
  return tabular(table.columnNames(), rows, table.numRows(), options);
}

/** The columns that answer "what changed, and how sure is it"; the others are counted, and warnings stand below. */
function comparisonBundle(table: ColumnTable, options: Options): MimeBundle {
  const rows = table.objects() as Record<string, unknown>[];
  const names = [...compared, ...(rows.every((row) => row.status === "ok") ? [] : ["status"])];
  const rest = table.columnNames().filter((name) => !names.includes(name));
  const warnings = [...new Set(rows.map((row) => row.warning).filter((text) => typeof text === "string"))];
  const notes = [
    ...warnings.map((text) => `${rows.filter((row) => row.warning === text).length} of ${rows.length} rows: ${text}`),
    ...(rest.length > 0 ? [`not shown: ${rest.join(", ")}`] : []),
  ];
  return tabular(names, rows.slice(0, options.maxRows), rows.length, options, notes);
}

function rowsBundle(rows: readonly Record<string, unknown>[], options: Options): MimeBundle {
  const shown = rows.slice(0, options.maxRows);
  return tabular([...new Set(shown.flatMap((row) => Object.keys(row)))], shown, rows.length, options);
}

function tabular(
  names: string[],
  rows: readonly Record<string, unknown>[],
  total: number,
  options: Options,
  below: readonly string[] = [],
): MimeBundle {
  const columns = names.slice(0, options.maxColumns);
  const cells = rows.map((row) => columns.map((name) => cellText(row[name], options.maxCharacters)));
  const notes = [more(total, rows.length, "row"), more(names.length, columns.length, "column")].filter(Boolean);
  if (total === 0) notes.push("no rows");
  notes.push(...below);
  return {
    "text/html": [htmlTable(columns, cells), ...notes.map((note) => `<p>${escapeHtml(note)}</p>`)].join("\n"),
    "text/plain": [textTable(columns, cells), ...notes].join("\n"),
  };
}

function datasetBundle(dataset: Dataset): MimeBundle {
  const { name, split, card, licence, citation } = dataset;
  const counts = Object.entries(card.counts).map(([what, n]) => `${what} ${n}`);
  const lines = [
    `${name} (${card.origin === "not stated" ? "origin not stated" : `${card.origin} data`}${card.upperBound ? ", upper bound" : ""}), split ${split}: ${card.summary}`,
    counts.join(", "),
    ...card.notices.map((notice) => `notice: ${notice.what}: ${notice.count}`),
    ...card.repaired.map(({ what, count }) => `repaired: ${what}: ${count}`),
    ...(card.refused.length > 0 ? [`left out: ${card.refused.length} rows`] : []),
    ...card.limits.map((limit) => `limit: ${limit}`),
    `licence: ${licence}`,
    citation && `source: ${citation}`,
  ];
  return textBundle(lines.filter(Boolean).join("\n"));
}
