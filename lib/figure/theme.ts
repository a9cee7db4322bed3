import { fontFamily, textWidth, wrap } from "./font.js";

/**
 * Colours that stay apart under the common kinds of colour blindness: Okabe & Ito (2008), "Color Universal Design",
 * without the yellow, which is too faint for lines on white. Each goes with its own shape and dash, so that a figure
 * still reads in grey.
 */
const looks = [
  { colour: "#0072B2", shape: "circle", dash: [1, 0] },
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
const ink = "#222222";
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
    symbolSize: 42,
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
export function seriesChannels(series: readonly string[], widthPx: number): Record<"color" | "shape" | "strokeDash", object> {
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
    color: channel(look.map((l) => l.colour), legend),
    shape: channel(look.map((l) => l.shape), legend),
    strokeDash: channel(look.map((l) => l.dash), null),
  };
}

/** The range of a value axis: all values and interval ends with a little air; never a single point. Not a statistic: only where the axis starts. */
export function valueDomain(numbers: readonly number[], { percent = true, include = [] as readonly number[] } = {}): [number, number] {
  let low = Math.min(...numbers, ...include);
  let high = Math.max(...numbers, ...include);
  const bounded = percent && low >= 0 && high <= 1;
  if (low === high) {
    const half = low === 0 ? 0.1 : Math.abs(low) * 0.1;
    [low, high] = [low - half, high + half];
  } else {
    const air = (high - low) * 0.04;
    [low, high] = [low - air, high + air];
  }
  // a score is a fraction: an axis that runs past 0 or 100 % would promise room that is not there
  return bounded ? [Math.max(0, low), Math.min(1, high)] : [low, high];
}

/** A long label in lines, joined by line feeds (axes split them again with {@link splitLabel}). */
export const wrapLabel = (text: string, maxPx: number): string => wrap(text, maxPx, sizes.label).join("\n");
export const splitLabel = "split(datum.label, '\\n')";
export const lineHeight = 10.5;
