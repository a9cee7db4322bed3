import type { ChartEntry } from "../types.js";
import { intervalPlot } from "./interval-plot.js";

export const dots: ChartEntry = {
  name: "dots",
  doc: "A dot with its interval for each level of a categorical factor, series side by side: a factor such as key frames or search order.",
  numericX: false,
  options: {},
  build: (input) => intervalPlot(input, {}),
};
