import { MkgError } from "../../core/index.js";
import { textWidth } from "../font.js";
import { plain } from "../text.js";
import { lineHeight, padding, seriesChannels, sizes, splitLabel, valueDomain, wrapLabel } from "../theme.js";
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
  /** Layers drawn below the intervals. */
  below?: readonly object[];
}

/** Rows of dots with horizontal intervals, one row for each level, series side by side inside it: what `dots`, `controls` and `forest` share. */
export function intervalPlot(input: ChartInput, { include = [], labelExpr, strong = [], side, below = [] }: IntervalPlot): ChartParts {
  const { points, drawn, levels, series, options, widthPx } = input;
  const percent = options.percent as boolean;
  const notes: string[] = [];

  // n beside a level where levels differ in n and the series of one level do not
  const ns = levels.map((level) => new Set(points.filter((p) => p.level === level && p.n !== null).map((p) => p.n as number)));
  const differs = new Set(points.map((p) => p.n)).size > 1 && ns.every((set) => set.size <= 1);
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
  const values = drawn.map((p) => ({
    y: labelOf(p.level),
    series: p.series,
    value: p.value,
    ...(p.low === null ? {} : { low: p.low, high: p.high }),
  }));
  const domain = (options.domain as [number, number] | null) ??
    valueDomain(drawn.flatMap((p) => [p.value, ...(p.low === null ? [] : [p.low, p.high as number])]), { percent, include });

  const y = {
    field: "y",
    type: "nominal",
    scale: { domain: levels.map(labelOf), paddingOuter: 0.05, paddingInner: 0.1 },
    axis: {
      title: titleOf(options.xTitle, input.columns.x),
      labelExpr: splitLabel,
      labelLineHeight: lineHeight,
      grid: true,
      ticks: false,
      domain: false,
      labelPadding: 5,
      ...(strong.length > 0
        ? { labelFontWeight: { condition: { test: `indexof(${JSON.stringify(strong.map(labelOf))}, datum.value) >= 0`, value: 600 }, value: 400 } }
        : {}),
    },
  };
  const offset = series.length > 1 ? { yOffset: { field: "series", type: "nominal", scale: { domain: series, paddingOuter: 0.25 } } } : {};
  const axis = {
    title: titleOf(options.yTitle, input.columns.y),
    tickCount: 5,
    ...(labelExpr ? { labelExpr } : { format: percent ? "~%" : "~g" }),
  };
  const x = (field: string) => ({ field, type: "quantitative", scale: { domain, nice: options.domain === null }, axis });
  const { color, shape } = seriesChannels(series, widthPx);
  const format = percent ? ".1%" : ".4~g";
  const tooltip = [
    { field: "y", type: "nominal", title: input.columns.x },
    ...(input.columns.series === undefined ? [] : [{ field: "series", type: "nominal", title: input.columns.series }]),
    ...["value", "low", "high"].map((field) => ({
      field,
      type: "quantitative",
      format,
      title: field === "value" ? input.columns.y : field,
    })),
  ];
  const layer: object[] = [...below];
  if (drawn.some((p) => p.low !== null))
    layer.push({
      transform: [{ filter: "isValid(datum.low)" }],
      mark: { type: "rule", strokeWidth: 1.3 },
      encoding: { y, ...offset, x: x("low"), x2: { field: "high" }, color },
    });
  layer.push({ mark: { type: "point", filled: true, opacity: 1, size: 34 }, encoding: { y, ...offset, x: x("value"), color, shape, tooltip } });
  if (sideTexts.length > 0)
    layer.push({
      data: { values: sideTexts },
      mark: { type: "text", align: "left", baseline: "middle", dx: 6, fontSize: sizes.note },
      encoding: { y, ...offset, x: { value: "width" }, text: { field: "side", type: "nominal" } },
    });
  return { values, layer, heightPx: plainHeight(levels.length * stepPx), notes, rightPx: sidePx > 0 ? sidePx : padding } as ChartParts;
}

/** An axis title: the given text, nothing for "", else the column's name as written. */
export const titleOf = (given: unknown, column: string | undefined): string | null => (given === null ? (column ?? null) : given === "" ? null : (given as string));

const plainHeight = (px: number) => Number(plain(Math.ceil(px), 0));
