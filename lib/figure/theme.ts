import { fontFamily, textWidth, wrap } from "./font.js";
import { clean } from "./text.js";

/**
 * Colours that stay apart under the common kinds of colour blindness: Okabe & Ito (2008), "Color Universal Design",
 * without the yellow, which is too faint for lines on white. Each goes with its own shape and dash, so that a figure
 * still reads in grey.
 */
const looks = [
  { colour: "#0072B2", shape: "circle", dash: [] as readonly number[] },
  { colour: "#D55E00", shape: "square", dash: [5, 2] },
  { colour: "#009E73", shape: "triangle-up", dash: [1.5, 1.5] },
  { colour: "#CC79A7", shape: "diamond", dash: [6, 2, 1.5, 2] },
  { colour: "#E69F00", shape: "triangle-down", dash: [3, 1] },
  { colour: "#56B4E9", shape: "cross", dash: [8, 3] },
  { colour: "#000000", shape: "triangle-right", dash: [2, 3] },
] as const;
export const maxSeries = looks.length;

/** Type sizes in CSS px; 8 px = 6 pt, the least that is readable in print. */
export const sizes = { title: 11.5, subtitle: 8.75, axisTitle: 9.5, label: 9, note: 8.5 } as const;
export const padding = 4;
export const ink = "#222222";
export const grey = "#666666";

export const config = {
  font: `'${fontFamily}', sans-serif`,
  background: "white",
  view: { stroke: null },
  axis: {
    labelFontSize: sizes.label,
    labelColor: ink,
    labelLimit: 0,
    titleFontSize: sizes.axisTitle,
    titleFontWeight: 600,
    titleColor: ink,
    titleLimit: 0,
    titlePadding: 5,
    gridColor: "#E6E6E6",
    gridWidth: 0.6,
    domainColor: grey,
    domainWidth: 0.8,
    tickColor: grey,
    tickWidth: 0.8,
    tickSize: 3,
  },
  legend: {
    orient: "top",
    titleFontSize: sizes.label,
    labelFontSize: sizes.label,
    labelColor: ink,
    labelLimit: 0,
    symbolSize: 36,
    // the dash and the band's opacity belong to the lines, not to the legend's symbols
    symbolStrokeWidth: 0,
    symbolOpacity: 1,
    rowPadding: 1,
    columnPadding: 10,
    offset: 4,
    padding: 0,
  },
  title: {
    anchor: "start",
    frame: "bounds",
    fontSize: sizes.title,
    fontWeight: 600,
    color: ink,
    limit: 0,
    offset: 6,
    subtitleFontSize: sizes.subtitle,
    subtitleColor: grey,
    subtitleLineHeight: 11,
    subtitlePadding: 2,
  },
};

/** The colour and shape channels of a chart's marks, with one legend; none for a single series. */
export function seriesChannels(
  series: readonly string[],
  widthPx: number,
): Record<"color" | "shape" | "strokeDash", object> {
  const look = series.map((_, i) => looks[i % looks.length] as (typeof looks)[number]);
  // Vega lays a legend out in columns of equal width and does not wrap by itself
  const entryPx = Math.max(...series.map((name) => textWidth(name, sizes.label))) + 12 + config.legend.columnPadding;
  const columns = Math.max(1, Math.min(series.length, Math.floor((widthPx - 2 * padding) / entryPx)));
  const legend = series.length > 1 ? { title: null, columns } : null;
  const channel = (range: readonly unknown[], shown: object | null) => ({
    field: "series",
    type: "nominal",
    scale: { domain: series, range },
    legend: shown,
  });
  return {
    color: channel(
      look.map((l) => l.colour),
      legend,
    ),
    shape: channel(
      look.map((l) => l.shape),
      legend,
    ),
    strokeDash: channel(
      look.map((l) => l.dash),
      legend,
    ),
  };
}

/** The numbers that a value axis must reach: values and interval ends. */
export const extent = (points: readonly { value: number; low: number | null; high: number | null }[]): number[] =>
  points.flatMap((p) => [p.value, ...(p.low === null ? [] : [p.low]), ...(p.high === null ? [] : [p.high])]);

/**
 * Range and ticks of a value axis: steps of 1, 2 or 5 times a power of ten, the finest with at most `maxTicks` ticks. The
 * range ends on ticks unless `asked` sets it. Written into the spec, so that every Vega version draws the same axis.
 */
export function valueAxis(
  numbers: readonly number[],
  maxTicks: number,
  asked: readonly number[] | null,
): { domain: number[]; values: number[] } {
  let [low, high] = asked ? [asked[0] as number, asked[1] as number] : [Math.min(...numbers), Math.max(...numbers)];
  if (low === high) {
    const half = low === 0 ? 0.1 : Math.abs(low) * 0.1;
    [low, high] = [low - half, high + half];
    // a score of 0 or 100 % must not stretch the axis to what no score can be
    if (numbers.every((v) => v >= 0 && v <= 1)) [low, high] = [Math.max(0, low), Math.min(1, high)];
  }
  const inner = asked !== null;
  for (let power = Math.floor(Math.log10((high - low) / maxTicks)); ; power++)
    for (const factor of [1, 2, 5]) {
      const step = factor * 10 ** power;
      // the slack keeps 0.3 / 0.1 = 2.9999999999999996 on its own tick
      const first = inner ? Math.ceil(low / step - 1e-9) : Math.floor(low / step + 1e-9);
      const last = inner ? Math.floor(high / step + 1e-9) : Math.ceil(high / step - 1e-9);
      if (last - first + 1 > maxTicks) continue;
      const values = Array.from(
        { length: last - first + 1 },
        (_, i) => Number(((first + i) * step).toPrecision(12)) + 0,
      );
      return { domain: inner ? [low, high] : [values[0] as number, values.at(-1) as number], values };
    }
}

/** A long label in lines, joined by line feeds (axes split them again with {@link splitLabel}). */
export const wrapLabel = (text: string, maxPx: number): string => wrap(text, maxPx, sizes.label).join("\n");
export const splitLabel = "split(datum.label, '\\n')";
export const lineHeight = 10.5;

/** An axis title: the given text, nothing for "", else the column's name as written; in lines when it is longer than its axis. */
export function axisTitle(given: unknown, column: string | undefined, maxPx: number): string | string[] | null {
  const text = given === null ? (column ?? "") : (given as string);
  if (text === "") return null;
  const lines = wrap(clean(text), maxPx, sizes.axisTitle, "semibold");
  return lines.length > 1 ? lines : (lines[0] as string);
}
