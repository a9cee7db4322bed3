import { textOption } from "../../core/index.js";
import { columnOption } from "../options.js";
import { clean, pText } from "../text.js";
import { grey } from "../theme.js";
import type { ChartEntry } from "../types.js";
import { intervalPlot } from "./interval-plot.js";

export const forest: ChartEntry = {
  name: "forest",
  doc: "Paired differences with their intervals around a line at 0, each with its adjusted p-value: the rows that `compare` returns.",
  numericX: false,
  options: {
    x: columnOption({ default: "b", doc: "Column of the comparison's name." }),
    y: columnOption({ default: "difference", doc: "Column of the difference (b − a), a fraction." }),
    pText: textOption({
      default: "p adjusted for multiple comparisons",
      doc: 'What the p-values are, for example "p: Holm over 12 comparisons"; printed in the notes.',
    }),
    p: columnOption({
      default: "pAdjusted",
      doc: "Column of the adjusted p-value, printed at the right; null for none.",
    }),
  },
  build(input) {
    const percent = input.options.percent as boolean;
    const parts = intervalPlot(input, {
      include: [0],
      // differences of percentages are points: no percent sign, and the sign of the number always shown
      labelExpr: `datum.value === 0 ? '0' : format(datum.value${percent ? " * 100" : ""}, '+~g')`,
      ...(input.columns.p === undefined && input.points.length === input.drawn.length
        ? {}
        : {
            side: (point) =>
              point.value === null
                ? point.reason
                : point.p === null
                  ? ""
                  : `p ${point.p < 0.001 ? "" : "= "}${pText(point.p)}`,
          }),
      below: (x) => [
        { mark: { type: "rule", color: grey, strokeWidth: 1, aria: false }, encoding: { x: { datum: 0, ...x } } },
      ],
    });
    return input.columns.p === undefined
      ? parts
      : { ...parts, notes: [...parts.notes, `${clean(input.options.pText as string)}.`] };
  },
};
