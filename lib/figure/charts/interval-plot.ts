import { MkgError } from "../../core/index.js";
import { textWidth } from "../font.js";
import { said, sentence } from "../said.js";
import {
  axisTitle,
  extent,
  ink,
  lineHeight,
  seriesChannels,
  sizes,
  splitLabel,
  valueAxis,
  wrapLabel,
} from "../theme.js";
import type { ChartInput, ChartParts } from "../types.js";

interface IntervalPlot {
  /** Values that the axis must reach. */
  include?: readonly number[];
  /** Vega expression for the labels of the value axis; the format of the options unless given. */
  labelExpr?: string;
  /** Levels to print in semibold. */
  strong?: readonly string[];
  /** A text right of the plot for each point, undrawn ones included. */
  side?: (point: ChartInput["points"][number]) => string;
  /** Layers drawn below the intervals; they get the value channel's scale and axis, so that all layers agree on them. */
  below?: (x: object) => readonly object[];
}

/** Rows of dots with horizontal intervals, one row for each level, series side by side inside it: what `dots`, `controls` and `forest` share. */
export function intervalPlot(
  input: ChartInput,
  { include = [], labelExpr, strong = [], side, below }: IntervalPlot,
): ChartParts {
  const { points, drawn, levels, series, options, widthPx } = input;
  const percent = options.percent as boolean;

  // n beside a level where levels differ in n and the series of one level do not
  const ns = levels.map(
    (level) => new Set(points.filter((p) => p.level === level && p.n !== null).map((p) => p.n as number)),
  );
  const differs = new Set(ns.flatMap((set) => [...set])).size > 1 && ns.every((set) => set.size <= 1);
  const shown = new Map<string, string>();
  levels.forEach((level, i) => {
    const n = differs ? [...(ns[i] as Set<number>)][0] : undefined;
    shown.set(level, wrapLabel(n === undefined ? level : `${level} (n = ${n})`, widthPx * 0.4));
  });
  const labelOf = (level: string) => shown.get(level) as string;
  if (new Set(shown.values()).size < levels.length)
    throw new MkgError("chart", "two levels look the same when drawn", "Distinct levels", "Rename one of them");

  const sideTexts = side ? points.map((p) => ({ y: labelOf(p.level), series: p.series, side: side(p) })) : [];
  const sidePx = sideTexts.length > 0 ? Math.max(...sideTexts.map((t) => textWidth(t.side, sizes.note))) + 10 : 0;

  const lines = Math.max(...[...shown.values()].map((text) => text.split("\n").length));
  const stepPx = Math.max(16, lines * lineHeight + 5, series.length * (side ? 11 : 8) + 6);
  const heightPx = Math.ceil(levels.length * stepPx);
  const values = drawn.map((p) => ({
    y: labelOf(p.level),
    series: p.series,
    value: p.value,
    said: sentence(p, percent),
    ...(p.low === null ? {} : { low: p.low, high: p.high }),
  }));
  const labelPx = Math.max(
    ...[...shown.values()].flatMap((text) =>
      text.split("\n").map((l) => textWidth(l, sizes.label, strong.length > 0 ? "semibold" : "regular")),
    ),
  );
  const plotPx = widthPx - labelPx - sidePx - 24;
  const maxTicks = Math.max(3, Math.min(8, Math.floor(plotPx / 28)));
  const { domain, values: ticks } = valueAxis(
    [...extent(drawn), ...include],
    maxTicks,
    options.domain as [number, number] | null,
  );

  const y = {
    field: "y",
    type: "nominal",
    scale: { type: "band", domain: levels.map(labelOf), paddingOuter: 0.05, paddingInner: 0.1 },
    axis: {
      title: axisTitle(options.xTitle, input.columns.x, Math.max(heightPx, 60)),
      labelExpr: splitLabel,
      labelLineHeight: lineHeight,
      grid: true,
      ticks: false,
      domain: false,
      labelPadding: 5,
      ...(strong.length > 0
        ? {
            labelFontWeight: {
              condition: { test: `indexof(${JSON.stringify(strong.map(labelOf))}, datum.value) >= 0`, value: 600 },
              value: 400,
            },
          }
        : {}),
    },
  };
  const offset =
    series.length > 1
      ? { yOffset: { field: "series", type: "nominal", scale: { type: "band", domain: series, paddingOuter: 0.5 } } }
      : {};
  const axis = {
    title: axisTitle(options.yTitle, input.columns.y, plotPx),
    values: ticks,
    grid: true,
    labelFlush: false,
    labelOverlap: true,
    ...(labelExpr ? { labelExpr } : { format: percent ? "~%" : "~g" }),
  };
  const valueChannel = { type: "quantitative", scale: { domain, nice: false, zero: false, padding: 4 }, axis };
  const x = (field: string) => ({ field, ...valueChannel });
  const { color, shape } = seriesChannels(series, widthPx);
  const layer: object[] = [...(below?.(valueChannel) ?? [])];
  if (drawn.some((p) => p.low !== null))
    layer.push({
      transform: [{ filter: "isValid(datum.low)" }],
      mark: { type: "rule", strokeWidth: 1.3, aria: false },
      encoding: { y, ...offset, x: x("low"), x2: { field: "high" }, color },
    });
  layer.push({
    mark: { type: "point", filled: true, opacity: 1, size: 34 },
    encoding: { y, ...offset, x: x("value"), color, shape, ...said },
  });
  if (sideTexts.length > 0)
    layer.push({
      data: { values: sideTexts },
      mark: { type: "text", align: "left", baseline: "middle", dx: 6, fontSize: sizes.note, color: ink },
      encoding: { y, ...offset, x: { value: "width" }, text: { field: "side", type: "nominal" } },
    });
  return { values, layer, heightPx, notes: [], nShown: differs };
}
