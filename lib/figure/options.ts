import { flag, type OptionSpec, type OptionSpecs, real } from "../core/index.js";

/** A column by its name as written; null for none. */
export const columnOption = (spec: { default: string; doc: string }): OptionSpec => ({
  ...spec,
  allowed: "a column name, or null for none",
  check: (v) => v === null || (typeof v === "string" && v.length > 0),
});

const words = (doc: string): OptionSpec => ({
  doc,
  default: null,
  allowed: "a text",
  check: (v) => v === null || typeof v === "string",
});

/** Options that every chart takes; a chart's own come on top of them. */
export const common = {
  x: columnOption({ default: "level", doc: "Column of the factor's level, whichever way the chart lies." }),
  y: columnOption({ default: "mean", doc: "Column of the value." }),
  low: columnOption({ default: "low", doc: "Column of the interval's lower end." }),
  high: columnOption({ default: "high", doc: "Column of the interval's upper end." }),
  series: columnOption({ default: "series", doc: "Column that tells lines or dots of one level apart." }),
  n: columnOption({ default: "n", doc: "Column of the count behind a value; it is printed." }),
  nMissing: columnOption({ default: "nMissing", doc: "Column of the count of missing values; it is printed." }),
  status: columnOption({ default: "status", doc: "Column of the status: what is not ok is listed, not drawn." }),
  title: words("Title; none unless told."),
  subtitle: words("Text under the title, before the notes."),
  xTitle: words("Title of the factor's axis; the column's name unless told, \"\" for none."),
  yTitle: words('Title of the value axis; the column\'s name unless told, "" for none.'),
  intervalText: words(
    'What the intervals are, for example "95% interval, clustered by creature"; printed in the notes.',
  ),
  mark: words(
    'What kind of data this is, for example "simulated"; printed in the picture and kept in the spec and provenance.',
  ),
  percent: flag({ default: true, doc: "Values are fractions, shown as percent. False: shown as they are." }),
  domain: {
    doc: "Range of the value axis, [from, to]; fitted to the values and intervals unless told.",
    default: null,
    allowed: "two finite numbers, the first below the second",
    check: (v) =>
      v === null || (Array.isArray(v) && v.length === 2 && v.every((n) => Number.isFinite(n)) && v[0] < v[1]),
  },
  widthInches: real({
    min: 1.5,
    max: 20,
    default: 3.3,
    doc: "Width of the whole picture in inches; saveFigure sets the venue's.",
  }),
  heightInches: {
    doc: "Height of the plot without titles and axes, in inches; by the chart's own rule unless told.",
    default: null,
    allowed: "a number of inches from 0.3 to 20",
    check: (v) => v === null || (typeof v === "number" && v >= 0.3 && v <= 20),
  },
} as const satisfies OptionSpecs;
