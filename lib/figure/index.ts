export { type ChartOptions, chart, charts } from "./chart.js";
export { type FigurePaths, type SaveOptions, saveFigure } from "./save.js";
export { type CellFormat, latexTable, markdownTable, type TableOptions } from "./tables.js";
export type { Chart, ChartEntry, Rows } from "./types.js";
export { venues } from "./venues.js";
