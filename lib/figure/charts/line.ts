import { MkgError, oneOf, quote } from "../../core/index.js";
import { said, sentence } from "../said.js";
import { axisTitle, extent, seriesChannels, valueAxis } from "../theme.js";
import type { ChartEntry, Drawn } from "../types.js";

export const line: ChartEntry = {
  name: "line",
  doc: "A mean with its interval over a numeric factor (path count, k, dose), one line for each series.",
  numericX: true,
  options: {
    intervals: oneOf(["bars", "band"], {
      default: "bars",
      doc: "How intervals are drawn. Bars of several series stand a little apart so that they do not hide each other.",
    }),
    xScale: oneOf(["linear", "log"], {
      default: "linear",
      doc: "Scale of the factor; log for k = 1, 2, 5, 10, 20, 50, 100.",
    }),
  },
  build(input) {
    const { points, drawn, series, options, columns, widthPx } = input;
    const log = options.xScale === "log";
    const xs = [...new Set(points.map((p) => p.x))].sort((a, b) => a - b);
    if (log && (xs[0] as number) <= 0)
      throw new MkgError(
        "chart line",
        `a level that a log scale cannot show (${quote(xs[0])})`,
        "Levels > 0",
        'Take xScale "linear"',
      );
    // positions on the axis are computed in its own units: equal steps on the page
    const to = log ? Math.log : (v: number) => v;
    const from = log ? Math.exp : (v: number) => v;
    const gaps = xs.slice(1).map((v, i) => to(v) - to(xs[i] as number));
    const gap = gaps.length > 0 ? Math.min(...gaps) : 1;
    const band = options.intervals === "band";
    const span = to(xs.at(-1) as number) - to(xs[0] as number);
    // at most 1.5 % of the axis, so that bars of a crowded factor keep to their level
    const apart = band || series.length < 2 ? 0 : Math.min(gap * 0.09, (span || 1) * 0.018);
    const place = (p: Drawn) => round(from(to(p.x) + (series.indexOf(p.series) - (series.length - 1) / 2) * apart));
    const air = Math.max(span * 0.04, apart * series.length, gaps.length === 0 ? 0.5 : 0);
    const xDomain = [round(from(to(xs[0] as number) - air)), round(from(to(xs.at(-1) as number) + air))];

    const percent = options.percent as boolean;
    const values = drawn.map((p) => ({
      x: place(p),
      series: p.series,
      value: p.value,
      said: sentence(p, percent),
      ...(p.low === null ? {} : { low: p.low, high: p.high }),
    }));
    const heightPx = Math.round(Math.min(widthPx * 0.5, 240));
    const { domain, values: ticks } = valueAxis(
      extent(drawn),
      Math.max(3, Math.floor(heightPx / 22)),
      options.domain as [number, number] | null,
    );
    const x = {
      field: "x",
      type: "quantitative",
      scale: { domain: xDomain, nice: false, ...(log ? { type: "log" } : { zero: false }) },
      axis: {
        title: axisTitle(options.xTitle, columns.x, widthPx - 60),
        grid: false,
        format: "~g",
        labelFlush: false,
        ...(xs.length <= 12 ? { values: xs } : {}),
        labelOverlap: true,
      },
    };
    const y = (field: string) => ({
      field,
      type: "quantitative",
      scale: { domain, nice: false, zero: false, padding: 4 },
      axis: { title: axisTitle(options.yTitle, columns.y, heightPx), values: ticks, format: percent ? "~%" : "~g" },
    });
    const { color, shape, strokeDash } = seriesChannels(series, widthPx);
    const valid = { transform: [{ filter: "isValid(datum.low)" }] };
    const layer: object[] = [];
    if (drawn.some((p) => p.low !== null))
      layer.push(
        band
          ? {
              ...valid,
              mark: { type: "area", opacity: 0.16, aria: false },
              encoding: { x, y: y("low"), y2: { field: "high" }, color },
            }
          : {
              ...valid,
              mark: { type: "rule", strokeWidth: 1.1, aria: false },
              encoding: { x, y: y("low"), y2: { field: "high" }, color },
            },
      );
    layer.push({
      mark: { type: "line", strokeWidth: 1.3, aria: false },
      encoding: { x, y: y("value"), color, strokeDash },
    });
    layer.push({
      mark: { type: "point", filled: true, opacity: 1, size: 32 },
      encoding: { x, y: y("value"), color, shape, ...said },
    });
    return { values, layer, heightPx, notes: [], nShown: false };
  },
};

/** Twelve digits: what differs beyond is noise of the logarithm, and would make two machines' files differ. */
const round = (value: number) => Number(value.toPrecision(12));
