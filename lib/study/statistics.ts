import { type ColumnTable, table } from "arquero";
import { stableHash } from "../core/index.js";
import { measureNeeds, parseMeasure } from "../evaluate/index.js";
import { controlWraps, retrieverOptions } from "../retrieve/index.js";
import { comparePairs, holm } from "../stats/index.js";
import { type Cell, levelOf, type Plan } from "./spec.js";

/** Controls whose evidence is gold, or free of gold: a measure of evidence against gold is 1 or 0 on them whatever is studied. */
const settled = ["oracle", "random-path"];

/** What decides a cell's evidence: cells that differ in their reader alone have one. */
function evidenceOf({ options, control }: Cell): string {
  const { retriever } = options;
  const known = [
    "retriever",
    "k",
    "setting",
    ...(typeof retriever === "string" ? Object.keys(retrieverOptions(retriever)) : []),
  ];
  return stableHash({
    options: known.map((key) =>
      typeof options[key] === "function" ? levelOf(key, options[key], options) : (options[key] ?? null),
    ),
    control: control && controlWraps(control.name).retriever ? control : null,
  });
}

/**
 * Every cell against its baseline, in every measure that compares with gold; one Holm family over all rows that have a p.
 *
 * Left out, since they are no questions to the data and would only make the family larger: measures of evidence on cells whose
 * evidence is gold or free of gold by construction, on controls without evidence, and on cells that differ from ones already
 * compared in their reader alone. The table of means has them all.
 */
export function compareCells(
  rows: ColumnTable,
  { cells, measures }: Plan,
  { correction, seed }: { correction: "holm" | "none"; seed: number },
): ColumnTable {
  const byLabel = new Map(cells.map((cell) => [cell.label, cell]));
  const parts = measures
    .filter((name) => parseMeasure(name).gold)
    .map((measure) => {
      const seen = new Set<string>();
      const pairs = cells.flatMap((cell) => {
        if (cell.label === cell.baseline) return [];
        const pair = { a: cell.baseline, b: cell.label };
        if (measureNeeds(measure) === "answer") return [pair];
        const baseline = byLabel.get(cell.baseline);
        if (
          !baseline ||
          (cell.control && (settled.includes(cell.control.name) || !controlWraps(cell.control.name).retriever))
        )
          return [];
        const [from, to] = [evidenceOf(baseline), evidenceOf(cell)];
        const key = `${from} ${to}`;
        if (from === to || seen.has(key)) return [];
        seen.add(key);
        return [pair];
      });
      return pairs.length > 0
        ? comparePairs(rows, pairs, { correction: "none", seed, measures: [measure] })
        : undefined;
    })
    .filter((part) => part !== undefined);
  const [first, ...rest] = parts;
  if (!first)
    return table({
      a: [],
      b: [],
      measure: [],
      difference: [],
      low: [],
      high: [],
      p: [],
      pAdjusted: [],
      effect: [],
      mde: [],
      n: [],
      nMissing: [],
      clusters: [],
      test: [],
      status: [],
      warning: [],
    });
  const all = first.concat(...rest);
  return correction === "none"
    ? all
    : all.assign(table({ pAdjusted: holm(Array.from(all.array("p") as readonly (number | null)[])) }));
}

/** A t interval knows nothing of a measure's range; what lies outside it cannot be a mean. */
export function withinRange(intervals: ColumnTable): ColumnTable {
  const measures = intervals.array("measure") as readonly string[];
  const cut = (name: "low" | "high") =>
    Array.from(intervals.array(name) as readonly (number | null)[], (value, i) => {
      const [least, greatest] = parseMeasure(measures[i] as string).range;
      return value === null ? null : Math.min(greatest, Math.max(least, value));
    });
  return intervals.assign(table({ low: cut("low"), high: cut("high") }));
}
