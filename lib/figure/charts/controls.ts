import { MkgError, type OptionSpec, unknownName } from "../../core/index.js";
import { clean, percentText, plain } from "../text.js";
import { seriesChannels } from "../theme.js";
import type { ChartEntry, Drawn } from "../types.js";
import { intervalPlot } from "./interval-plot.js";

const names = (spec: { default: readonly string[] | null; doc: string }): OptionSpec => ({
  ...spec,
  allowed: "a list of levels",
  check: (v) => Array.isArray(v) && v.every((name) => typeof name === "string"),
});

export const controls: ChartEntry = {
  name: "controls",
  doc: "A method against its controls: a dot with its interval for each, and a dashed rule at the strongest control, so that the gain over it is seen at once.",
  numericX: false,
  options: {
    method: names({
      default: null,
      doc: "Levels that are the method, printed in semibold; the first level unless told.",
    }),
    ceiling: names({
      default: ["oracle"],
      doc: "Levels that bound the method from above and are no controls to beat.",
    }),
  },
  build(input) {
    const { levels, series, drawn, options } = input;
    const method = ((options.method as string[] | null) ?? levels.slice(0, 1)).map(clean);
    for (const name of method)
      if (!levels.includes(name)) throw unknownName("chart controls", "level in option method", name, levels);
    const ceiling = (options.ceiling as string[]).map(clean);
    const compared = drawn.filter((p) => !method.includes(p.level) && !ceiling.includes(p.level));
    if (levels.every((level) => method.includes(level) || ceiling.includes(level)))
      throw new MkgError(
        "chart controls",
        "no control among the levels",
        `Levels: ${levels.join(", ")}`,
        'Add the controls\' rows, or take the chart "dots"',
      );
    const strongest = series
      .map((name) =>
        compared
          .filter((p) => p.series === name)
          .reduce<Drawn | undefined>((best, p) => (best && best.value >= p.value ? best : p), undefined),
      )
      .filter((p): p is Drawn => p !== undefined);
    const text = options.percent ? percentText : (value: number) => plain(value);
    const { color } = seriesChannels(series, input.widthPx);
    const rule = (x: object) => ({
      data: { values: strongest.map((p) => ({ value: p.value, series: p.series })) },
      mark: { type: "rule", strokeDash: [4, 3], strokeWidth: 1, aria: false },
      encoding: { x: { field: "value", ...x }, color },
    });
    const parts = intervalPlot(input, { strong: method, below: (x) => (strongest.length > 0 ? [rule(x)] : []) });
    const names = strongest.map((p) => `${p.level} ${text(p.value)}${series.length > 1 ? ` (${p.series})` : ""}`);
    return {
      ...parts,
      notes: [
        ...parts.notes,
        names.length > 0 ? `Dashed: strongest control, ${names.join(", ")}.` : "No control was computed.",
      ],
    };
  },
};
