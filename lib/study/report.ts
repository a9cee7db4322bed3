import { rm } from "node:fs/promises";
import { join } from "node:path";
import { groupBy, refuseUnknown, stableHash, writeAtomic } from "../core/index.js";
import { type Chart, chart, markdownTable, saveFigure } from "../figure/index.js";
import { configOf } from "./jobs.js";
import { type Compared, type Row, reportText } from "./report-text.js";
import { levelOf } from "./spec.js";
import type { Report, ReportOptions, Study } from "./types.js";

/**
 * Writes what a study found into its folder: `report.md` with every table and figure, `table.md` (one row per
 * configuration: means with 95 % intervals), `scores.jsonl` and `comparisons.jsonl` (long rows), and `figures/`: one per
 * factor, one for the controls, one forest of all comparisons, each as SVG, PDF, PNG, specification and data. The same
 * study gives the same bytes.
 */
export async function saveReport(study: Study, options: ReportOptions = {}): Promise<Report> {
  refuseUnknown("study.report", options, ["notApplicable", "command", "venue"], "option");
  const { dir, plan, spec, dataset } = study;
  const rows = study.table().objects() as Row[];
  const compared = study.compare().objects() as Compared[];
  const mark = dataset.card.origin === "generated" ? `generated data (${dataset.name})` : `${dataset.name}`;
  const main = mainMeasure(plan.measures);
  const crossed = spec.cross ?? [];
  const seriesOf = (row: Row | Compared): string => crossed.map((name) => row[name]).join(", ");
  const figures: { name: string; title: string; chart: Chart }[] = [];
  // rows without a value are in the tables; a picture of nothing would be an error
  const drawable = (list: readonly { mean?: number | null; difference?: number | null }[]) =>
    list.some((row) => (row.mean ?? row.difference ?? null) !== null);
  const intervalText = `95% intervals, clustered by ${dataset.clusterName}`;
  const shared = { mark, intervalText, yTitle: main };

  // the answers' measure, and the evidence's where the two are not one
  for (const measure of new Set([main, ...plan.measures.filter((name) => name === "PathRecall")]))
    for (const [factor, levels] of factorRows(study, rows, measure)) {
      const numeric = levels.every((row) => row.level.trim() !== "" && Number.isFinite(Number(row.level)));
      if (!drawable(levels) || (measure !== main && levels.some((row) => row.mean === null))) continue;
      const points = levels
        .map((row) => ({ ...row, ...(numeric ? { level: Number(row.level) } : {}), series: seriesOf(row) }))
        .sort((a, b) => (numeric ? Number(a.level) - Number(b.level) : 0));
      const title = `${measure} by ${factorTitle(factor)}`;
      const drawn =
        measure === main
          ? points
          : points.filter((row) => row.series === points[0]?.series).map((row) => ({ ...row, series: "" }));
      const made = chart(numeric ? "line" : "dots", drawn, {
        ...shared,
        yTitle: measure,
        xTitle: factorTitle(factor),
        title,
        ...(crossed.length > 0 && measure === main ? {} : { series: null }),
      });
      figures.push({ name: measure === main ? factor : `${factor}-${measure}`, title, chart: made });
    }
  const controlled = rows.filter((row) => row.measure === main && (row.factor === "control" || row.factor === ""));
  if (drawable(controlled) && controlled.some((row) => row.factor === "control" && row.level !== "oracle")) {
    const method = methodOf(study);
    const points = controlled.map((row) => ({
      ...row,
      level: row.factor === "" ? `${method} (method)` : row.level,
      series: seriesOf(row),
    }));
    figures.push({
      name: "controls",
      title: "The method against its controls",
      chart: chart("controls", points, {
        ...shared,
        method: [`${method} (method)`],
        xTitle: "",
        title: "The method against its controls",
        ...(crossed.length > 0 ? {} : { series: null }),
      }),
    });
  }
  const tested = compared.filter((row) => row.p !== null).length;
  // the oracle's distance would take most of the axis, and is in the figure of the controls
  const onMain = compared.filter((row) => row.measure === main && row.level !== "oracle");
  if (drawable(onMain)) {
    const points = onMain.map((row) => ({
      ...row,
      b: `${row.factor === "control" ? "" : `${row.factor} `}${row.level}`.trim() || row.b,
      series: seriesOf(row),
    }));
    figures.push({
      name: "comparisons",
      title: `Difference from the base in ${main}`,
      chart: chart("forest", points, {
        mark,
        intervalText,
        xTitle: "",
        yTitle: `difference in ${main} (points)`,
        title: `Difference from the base in ${main}`,
        pText: `p: sign-flip permutation, Holm over ${tested} comparisons`,
        ...(crossed.length > 0 ? {} : { series: null }),
      }),
    });
  }

  const files: string[] = [];
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(dir, name);
    await writeAtomic(path, text);
    files.push(path);
    return path;
  };
  const provenance = {
    study: stableHash(plan.cells.map(configOf)),
    dataset: dataset.name,
    fingerprint: dataset.fingerprint,
    seeds: plan.seeds,
  };
  const jsonl = (list: readonly object[]) => list.map((row) => `${JSON.stringify(row)}\n`).join("");
  const scores = await write("scores.jsonl", jsonl(study.rows.objects() as object[]));
  await write("comparisons.jsonl", jsonl(compared));
  await write("intervals.jsonl", jsonl(rows));
  const summary = wide(study, rows);
  const table = markdownTable(summary);
  await write("table.md", table);
  const pictures: string[] = [];
  // figures of an earlier, larger study in this folder are not this one's
  await rm(join(dir, "figures"), { recursive: true, force: true });
  for (const figure of figures) {
    const paths = await saveFigure(figure.chart, join(dir, "figures", figure.name), {
      provenance,
      ...(options.venue ? { venue: options.venue } : {}),
    });
    files.push(...Object.values(paths));
    pictures.push(paths.png);
  }
  const text = reportText(study, {
    compared,
    table,
    main,
    mark,
    figures,
    notApplicable: options.notApplicable ?? [],
    ...(options.command ? { command: options.command } : {}),
  });
  const report = await write("report.md", text);
  return { report, scores, figures: pictures, files, summary, caption: `${mark}; ${intervalText}` };
}

/** The base's retriever, as it is shown. */
const methodOf = ({ plan }: Study): string =>
  levelOf("retriever", plan.cells[0]?.options.retriever, plan.cells[0]?.options ?? {});

/** The measure that figures show: accuracy where there are answers, else the first. */
const mainMeasure = (measures: readonly string[]): string =>
  ["EM", "nDCG@10"].find((name) => measures.includes(name)) ?? (measures[0] as string);

const titles: Readonly<Record<string, string>> = {
  pathCount: "path count α",
  keyFrames: "key frames",
  order: "search order",
};
const factorTitle = (factor: string): string => titles[factor] ?? factor;

/** For each single factor, its rows of one measure, the base's among them under the base's own level. */
function factorRows({ plan, spec }: Study, rows: readonly Row[], measure: string): Map<string, Row[]> {
  const of = new Map(plan.cells.map((cell) => [cell.label, cell]));
  const wanted = rows.filter((row) => row.measure === measure);
  const found = new Map<string, Row[]>();
  for (const factor of Object.keys(spec.vary ?? {})) {
    const varied = wanted.filter((row) => row.factor === factor);
    if (varied.length === 0) continue;
    const levelIn = (run: string, value: unknown) => levelOf(factor, value, of.get(run)?.options ?? {});
    const bases = wanted
      .filter((row) => row.factor === "")
      .map((row) => ({ ...row, level: levelIn(row.run, of.get(row.run)?.options[factor]) }) as Row);
    // in the order in which the values were given, the base's first where it was not among them
    const order = (spec.vary?.[factor] ?? []).map((value) => levelOf(factor, value, plan.cells[0]?.options ?? {}));
    found.set(
      factor,
      [...bases, ...varied].sort((a, b) => order.indexOf(a.level) - order.indexOf(b.level)),
    );
  }
  return found;
}

const fraction = (row: Row | undefined): string => {
  if (!row || row.mean === null) return "not computed";
  const show = (value: number) => value.toFixed(3);
  return row.low === null || row.high === null
    ? show(row.mean)
    : `${show(row.mean)} (${show(row.low)}, ${show(row.high)})${row.method === "wilson-clusters" ? "†" : ""}`;
};

/** One row per configuration, one column per measure. */
function wide(study: Study, rows: readonly Row[]): Record<string, unknown>[] {
  const { plan } = study;
  const byRun = groupBy(rows, (row) => row.run);
  return plan.cells.map((cell) => {
    const own = byRun.get(cell.label) ?? [];
    const by = new Map(own.map((row) => [row.measure, row]));
    const missing = Math.max(0, ...own.filter((row) => row.n > 0).map((row) => row.nMissing));
    return {
      run: cell.label === "base" ? `base: ${methodOf(study)}` : cell.label,
      ...Object.fromEntries(plan.measures.map((name) => [name, fraction(by.get(name))])),
      n: Math.max(0, ...own.map((row) => row.n)),
      missing,
    };
  });
}
