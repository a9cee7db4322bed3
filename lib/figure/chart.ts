import { MkgError, resolveOptions, unknownName } from "../core/index.js";
import { controls } from "./charts/controls.js";
import { dots } from "./charts/dots.js";
import { forest } from "./charts/forest.js";
import { line } from "./charts/line.js";
import { missingGlyphs, wrap } from "./font.js";
import { common } from "./options.js";
import { asRows, bindColumns, columnNames, numberAt, readPoints } from "./points.js";
import { renderPdf, renderPng, renderSvg } from "./render.js";
import { clean } from "./text.js";
import { config, maxSeries, padding, sizes } from "./theme.js";
import type { Chart, ChartEntry, Drawn, Point, Rows } from "./types.js";

/** The table of charts. One entry more = one file in `charts/` and its test. */
export const charts = { line, dots, controls, forest } as const satisfies Record<string, ChartEntry>;

type OptionName = keyof typeof common | "intervals" | "xScale" | "method" | "ceiling" | "p" | "pText";
/** Options of {@link chart}; `charts[name].options` and the common ones say what each means. */
export type ChartOptions = Readonly<
  Partial<Record<OptionName, string | number | boolean | null | readonly string[] | readonly [number, number]>>
>;

const channels = ["x", "y", "low", "high", "series", "n", "nMissing", "status", "p"] as const;

/**
 * A figure of given rows. It computes no statistic: means, intervals and p-values are columns of the rows.
 *
 * - `line`: a mean with its interval over a numeric factor, one line for each series.
 * - `dots`: a dot with its interval for each level of a categorical factor.
 * - `controls`: a method against its controls, the strongest control marked.
 * - `forest`: paired differences around 0 with adjusted p-values (the rows of `compare`).
 *
 * Columns by default: `level`, `mean`, `low`, `high`, `series`, `n`, `nMissing`, `status` (`forest`: `b`, `difference`,
 * `low`, `high`, `pAdjusted`); options of the same meaning name others, whatever characters are in them. Levels and
 * series keep the rows' order. Values are fractions, shown as percent (`percent: false`: as they are). A row whose value
 * is null or whose status is not ok is not drawn: the picture lists it as not computed. n and missing counts are printed.
 *
 * Errors: an unknown chart, option or column; no rows; NaN; two rows for one mark; more than 7 series; a value outside
 * the `domain` that was asked for. Time and memory grow with the number of rows.
 *
 * @example
 * const c = chart("dots", [{ level: "first", mean: 0.41, low: 0.35, high: 0.47, n: 238 }], { xTitle: "key frames", yTitle: "exact match" });
 * (await c.svg()).slice(0, 4) // "<svg"
 */
export function chart(name: string, rows: Rows, options: ChartOptions = {}): Chart {
  if (typeof name !== "string" || !Object.hasOwn(charts, name))
    throw unknownName("chart", "chart", name, Object.keys(charts));
  const entry: ChartEntry = charts[name as keyof typeof charts];
  const place = `chart ${name}`;
  const specs = { ...common, ...entry.options };
  // null turns a column off, which resolveOptions would read as "use the default"
  const resolved = {
    ...resolveOptions(place, specs, options),
    ...Object.fromEntries(Object.entries(options).filter(([, v]) => v === null)),
  };

  const given = asRows(place, rows);
  if (given.length === 0) throw new MkgError(place, "no rows", "At least one row", "Check the filter that made them");
  const columns = bindColumns(
    place,
    columnNames(given),
    channels
      .filter((channel) => Object.hasOwn(specs, channel))
      .map((channel) => ({
        channel,
        column: resolved[channel],
        required: channel === "x" || channel === "y" || typeof options[channel as OptionName] === "string",
      })),
  );
  if (columns.x === undefined || columns.y === undefined)
    throw new MkgError(place, "x and y are needed", "A column name for each");
  const points = readPoints(place, given, columns, entry.numericX);
  const drawn = points.filter((p): p is Drawn => p.value !== null);
  if (drawn.length === 0)
    throw new MkgError(
      place,
      `nothing to draw: none of ${points.length} rows has a value`,
      "At least one row with a value and status ok",
    );
  const series = [...new Set(points.map((p) => p.series))];
  if (series.length > maxSeries)
    throw new MkgError(
      place,
      `too many series to tell apart (${series.length})`,
      `At most ${maxSeries}`,
      "Draw fewer, or one chart for each group",
    );
  checkDomain(place, resolved.domain as [number, number] | null, drawn);

  const used = [...new Set(Object.values(columns))] as string[];
  const data = given.map((row, i) =>
    Object.freeze(Object.fromEntries(used.map((column) => [column, cell(place, row, i, column)]))),
  );
  const input = { points, drawn, levels: [...new Set(points.map((p) => p.level))], series, options: resolved, columns };
  return make(entry, input, Object.freeze(data), resolved.widthInches as number);
}

type Input = Omit<Parameters<ChartEntry["build"]>[0], "widthPx">;

function make(entry: ChartEntry, input: Input, data: Chart["data"], widthInches: number): Chart {
  const { options, points, columns } = input;
  const widthPx = Number((widthInches * 96).toFixed(3));
  const parts = entry.build({ ...input, widthPx });
  const mark = options.mark === null || options.mark === "" ? null : clean(options.mark as string);
  const title = options.title === null ? "" : clean(options.title as string);
  const notComputed = points
    .filter((p) => p.value === null)
    .map((p) => `${nameOf(p)}${p.reason === "not computed" ? "" : ` (${p.reason})`}`);
  const notes = [
    ...(options.subtitle ? [clean(options.subtitle as string)] : []),
    ...(mark ? [mark] : []),
    [...countNotes(input, parts.nShown), ...parts.notes].join(" "),
    ...(notComputed.length > 0 ? [`Not computed: ${notComputed.join(", ")}.`] : []),
  ].filter((note) => note !== "");
  const inner = widthPx - 2 * padding;
  const subtitle = notes.flatMap((note) => wrap(note, inner, sizes.subtitle));
  const spec = freeze({
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    description: [title, ...notes].filter(Boolean).join(" "),
    usermeta: { mkglab: { chart: entry.name, mark, notComputed } },
    width: Math.floor(widthPx),
    height: options.heightInches === null ? parts.heightPx : Math.round((options.heightInches as number) * 96),
    autosize: { type: "fit-x", contains: "padding" },
    padding,
    // Vega draws no subtitle without a title: the notes then take its place, in their own type
    title:
      title === "" ? { text: subtitle, ...noteType } : { text: wrap(title, inner, sizes.title, "semibold"), subtitle },
    data: { values: parts.values },
    layer: parts.layer,
    config,
  });
  const missing = missingGlyphs(
    [title, ...notes, ...points.flatMap((p) => [p.level, p.series])].join("") + Object.values(columns).join(""),
  );
  const svg = () => renderSvg(spec, widthPx);
  return Object.freeze({
    name: entry.name,
    spec,
    data,
    widthInches,
    mark,
    warnings:
      missing.length > 0
        ? [`characters that the packaged font does not have are drawn as boxes: ${missing.join(" ")}`]
        : [],
    svg,
    pdf: async () => renderPdf(await svg(), title || `${entry.name} chart`),
    png: async (scale = 2) => {
      if (typeof scale !== "number" || !(scale > 0 && scale <= 20))
        throw new MkgError(
          "chart.png",
          `scale is not usable (${scale})`,
          "A number above 0, at most 20",
          "Take 300/96 for print at 300 dots an inch",
        );
      return renderPng(await svg(), scale);
    },
    resize: (width: number) =>
      make(
        entry,
        input,
        data,
        resolveOptions(`chart ${entry.name}`, common, { widthInches: width }).widthInches as number,
      ),
  });
}

const noteType = {
  fontSize: sizes.subtitle,
  fontWeight: 400,
  color: config.title.subtitleColor,
  lineHeight: config.title.subtitleLineHeight,
};

const nameOf = (p: Point) => (p.series === "" ? p.level : `${p.level} / ${p.series}`);

/** What the marks are, n, and what is missing: facts of the rows, in words. */
function countNotes({ points, drawn, options, columns }: Input, nShown: boolean): string[] {
  const intervals = drawn.filter((p) => p.low !== null).length;
  const kind =
    intervals === 0
      ? "No intervals given"
      : `${options.intervals === "band" ? "Bands" : "Bars"}: ${options.intervalText ? clean(options.intervalText as string) : "interval"}`;
  const ns = drawn.flatMap((p) => (p.n === null ? [] : [p.n]));
  const [least, most] = [Math.min(...ns), Math.max(...ns)];
  const n =
    columns.n === undefined || ns.length === 0
      ? "n not given"
      : nShown
        ? ""
        : least === most
          ? `n = ${least}`
          : `n = ${least}–${most}`;
  const missing = points.filter((p) => p.nMissing > 0).map((p) => `${nameOf(p)} ${p.nMissing}`);
  return [
    `${[kind, n].filter(Boolean).join("; ")}.`,
    ...(intervals > 0 && intervals < drawn.length
      ? [
          `No interval: ${drawn
            .filter((p) => p.low === null)
            .map(nameOf)
            .join(", ")}.`,
        ]
      : []),
    ...(missing.length > 0 ? [`Missing values: ${missing.join(", ")}.`] : []),
  ];
}

function checkDomain(place: string, domain: [number, number] | null, drawn: readonly Drawn[]): void {
  if (domain === null) return;
  const out = drawn.find((p) =>
    [p.value, p.low ?? p.value, p.high ?? p.value].some((v) => v < domain[0] || v > domain[1]),
  );
  if (out)
    throw new MkgError(
      place,
      `row ${out.row} lies outside the domain (${nameOf(out)}: ${out.value})`,
      `Domain: ${domain[0]} to ${domain[1]}`,
      "Widen the domain",
    );
}

function cell(
  place: string,
  row: Readonly<Record<string, unknown>>,
  index: number,
  column: string,
): string | number | boolean | null {
  const value = row[column];
  if (value === undefined || value === null) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  return numberAt(place, row, index, column);
}

/** Deep-frozen: a chart is a value, and what was hashed is what is drawn. */
function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === "object" && part !== null && !Object.isFrozen(part)) freeze(part);
  return Object.freeze(value);
}
