import { join } from "node:path";
import { groupBy, quote, stableHash, writeAtomic } from "../core/index.js";
import { type Chart, chart, markdownTable, saveFigure } from "../figure/index.js";
import { controlSummary } from "../retrieve/index.js";
import { type Comparison, type Interval, interval } from "../stats/index.js";
import { configOf } from "./execute.js";
import { levelOf } from "./spec.js";
import type { Study } from "./study.js";

type Row = Interval & { factor: string; level: string; baseline: string } & Readonly<Record<string, string>>;
type Compared = Comparison & { factor: string; level: string; baseline: string } & Readonly<Record<string, string>>;

export interface Report {
  /** Path of report.md. */
  readonly report: string;
  /** Path of the score rows. */
  readonly scores: string;
  /** Paths of the figures' PNG files; the other forms stand beside them. */
  readonly figures: readonly string[];
  /** Every file written. */
  readonly files: readonly string[];
  /** Rows of the summary table. */
  readonly summary: readonly Readonly<Record<string, unknown>>[];
  /** What kind of data and intervals these are, in a line. */
  readonly caption: string;
}

export interface ReportOptions {
  /** What was asked for and does not apply, besides what the plan says. */
  readonly notApplicable?: Study["plan"]["notApplicable"];
  /** The command that makes the report, for its last line. */
  readonly command?: string;
  /** Width preset of the figures; "default" unless told. */
  readonly venue?: Parameters<typeof saveFigure>[2] extends infer O | undefined
    ? O extends { venue?: infer V }
      ? V
      : never
    : never;
}

/**
 * Writes what a study found into its folder: `report.md` with every table and figure, `table.md` (one row per
 * configuration: means with 95 % intervals), `scores.jsonl` and `comparisons.jsonl` (long rows), and `figures/`: one per
 * factor, one for the controls, one forest of all comparisons, each as SVG, PDF, PNG, specification and data. The same
 * study gives the same bytes.
 */
export async function saveReport(study: Study, options: ReportOptions = {}): Promise<Report> {
  const { dir, plan, spec } = study;
  const rows = study.table().objects() as Row[];
  const compared = study.compare().objects() as Compared[];
  const { dataset } = spec;
  const mark = dataset.card.origin === "generated" ? `generated data (${dataset.name})` : `${dataset.name}`;
  const main = mainMeasure(plan.measures);
  const crossed = spec.cross ?? [];
  const seriesOf = (row: Row | Compared): string => crossed.map((name) => row[name]).join(", ");
  const figures: { name: string; title: string; chart: Chart }[] = [];
  const intervalText = `95% intervals, clustered by ${dataset.clusterName}`;
  const shared = { mark, intervalText, yTitle: main };

  // the answers' measure, and the evidence's where the two are not one
  for (const measure of new Set([main, ...plan.measures.filter((name) => name === "PathRecall")]))
    for (const [factor, levels] of factorRows(study, rows, measure)) {
      const numeric = levels.every((row) => row.level.trim() !== "" && Number.isFinite(Number(row.level)));
      if (measure !== main && levels.some((row) => row.mean === null)) continue;
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
  if (controlled.some((row) => row.factor === "control")) {
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
  const onMain = compared.filter((row) => row.measure === main);
  if (onMain.length > 0) {
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
        pText: `p: sign-flip permutation, Holm over ${compared.length} comparisons`,
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
  const pictures: string[] = [];
  for (const figure of figures) {
    const paths = await saveFigure(figure.chart, join(dir, "figures", figure.name), {
      provenance,
      ...(options.venue ? { venue: options.venue } : {}),
    });
    files.push(...Object.values(paths));
    pictures.push(paths.png);
  }
  const jsonl = (list: readonly object[]) => list.map((row) => `${JSON.stringify(row)}\n`).join("");
  const scores = await write("scores.jsonl", jsonl(study.rows.objects() as object[]));
  await write("comparisons.jsonl", jsonl(compared));
  await write("intervals.jsonl", jsonl(rows));
  const summary = wide(study, rows);
  const table = markdownTable(summary);
  await write("table.md", table);
  const text = reportText(study, { rows, compared, table, main, mark, figures, options });
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

const fraction = (row: Pick<Interval, "mean" | "low" | "high" | "status"> | undefined): string => {
  if (!row) return "not computed";
  if (row.mean === null) return "not computed";
  const show = (value: number) => value.toFixed(3);
  return row.low === null || row.high === null
    ? show(row.mean)
    : `${show(row.mean)} (${show(row.low)}, ${show(row.high)})`;
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

interface Parts {
  readonly rows: readonly Row[];
  readonly compared: readonly Compared[];
  readonly table: string;
  readonly main: string;
  readonly mark: string;
  readonly figures: readonly { name: string; title: string }[];
  readonly options: ReportOptions;
}

function reportText(study: Study, { compared, table, main, mark, figures, options }: Parts): string {
  const { plan, spec } = study;
  const { dataset } = spec;
  const base = plan.cells[0];
  const asked = dataset.setting(base?.options.setting as never).questions.map(({ question }) => question);
  const clusters = new Set(asked.map((q) => q.cluster)).size;
  const skipped = [...plan.notApplicable, ...(options.notApplicable ?? [])];
  const config = base
    ? Object.entries(configOf(base)).filter(([, value]) => value !== null && value !== undefined)
    : [];
  const section = (title: string, body: string) => `## ${title}\n\n${body.trim()}\n`;
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");
  return `${[
    `# Ablation on ${dataset.name}\n`,
    `${mark.startsWith("generated") ? `**${mark}**: made by a program of this project, so that its figures say how parts compare, not how they do on real data.` : `Data: ${mark}.`} ${asked.length} questions (${spec.split ?? "test"} split) in ${clusters} clusters (${dataset.clusterName}); seeds ${plan.seeds.join(", ")}. ${plan.cells.length} configurations; the base: ${config.map(([key, value]) => `${key} = ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ")}.\n`,
    section(
      "Results",
      `Means over questions (seeds averaged within a question) with 95 % intervals that allow for clusters. Fractions.\n\n${table}`,
    ),
    section("Against the strongest control", gainText(study, compared, main)),
    section("Figures", figures.map(({ name, title }) => `![${title}](figures/${name}.png)`).join("\n\n")),
    section(
      "Comparisons",
      compared.length === 0
        ? "None: there is one configuration."
        : `Each configuration minus its baseline on the same questions: sign-flip permutation of ${dataset.clusterName} sums, intervals by cluster-robust t; Holm over all ${compared.length} rows. \`effect\` is the difference over the standard deviation of question differences, \`mde\` the least difference found with probability 0.8.\n\n${markdownTable(compared, { columns: ["b", "a", "measure", "difference", "p", "pAdjusted", "effect", "mde", "n", "nMissing", "clusters"] })}${list([...new Set(compared.map((row) => row.warning).filter((w) => w !== null))])}`,
    ),
    section("By kind of question", groupText(study, main)),
    section("Controls", controlText(study)),
    section("Failures", failureText(study)),
    skipped.length > 0
      ? section("What does not apply here", list(skipped.map(({ what, reason }) => `${what}: ${reason}`)))
      : "",
    section(
      "What to know about the data",
      list(
        [...dataset.card.limits, ...dataset.card.notices.map(({ what, count }) => `${what}: ${count}`)].concat([
          `Licence: ${dataset.licence}`,
        ]),
      ) || "Nothing.",
    ),
    options.command ? section("How to make this report again", `\`${options.command}\``) : "",
  ]
    .filter(Boolean)
    .join("\n")}`;
}

/** The method minus the strongest control (the oracle aside), by series. */
function gainText({ plan }: Study, compared: readonly Compared[], main: string): string {
  const lines: string[] = [];
  for (const baseline of new Set(plan.cells.map((cell) => cell.baseline))) {
    const rows = compared.filter(
      (row) =>
        row.a === baseline &&
        row.measure === main &&
        row.factor === "control" &&
        row.level !== "oracle" &&
        row.difference !== null,
    );
    if (rows.length === 0) continue;
    const strongest = rows.reduce((best, row) =>
      (row.difference as number) > (best.difference as number) ? row : best,
    );
    const show = (value: number | null) => (value === null ? "not computed" : (-value * 100).toFixed(1));
    lines.push(
      `- ${baseline}: ${show(strongest.difference)} points of ${main} over **${strongest.level}**, the strongest control [${show(strongest.high)}, ${show(strongest.low)}], adjusted p ${(strongest.pAdjusted ?? 1) < 0.001 ? "< 0.001" : `= ${(strongest.pAdjusted ?? 1).toFixed(3)}`}.`,
    );
  }
  return lines.length > 0
    ? `${lines.join("\n")}\n\nThe control was chosen for being the strongest on these questions, which makes the gain look smaller than it is, not larger.`
    : `No control was scored by ${main}.`;
}

/** The base of each series by group of questions. */
function groupText({ rows, plan }: Study, main: string): string {
  const bases = new Set(plan.cells.map((cell) => cell.baseline));
  const wanted = (
    rows.objects() as {
      run: string;
      measure: string;
      group: string;
      question: string;
      cluster: string;
      seed: number;
      value: number | null;
      status: string;
    }[]
  ).filter((row) => row.measure === main && bases.has(row.run));
  return markdownTable(interval(wanted as never, { by: ["run", "measure", "group"] }), {
    columns: ["run", "group", "mean", "n", "nMissing", "clusters"],
  });
}

function controlText({ plan, spend }: Study): string {
  const used = [...new Set(plan.cells.flatMap((cell) => (cell.control ? [cell.control.name] : [])))];
  const lines = used.map((name) => `- ${name}: ${controlSummary(name)}`);
  if (plan.controlsOff.length > 0) lines.push(`- turned off for this study: ${plan.controlsOff.join(", ")}`);
  for (const cell of plan.cells) {
    const s = spend.get(cell.label);
    if (
      cell.control?.name !== "random-path" ||
      !s ||
      cell.label !== (plan.cells.find((c) => c.level === cell.level && c.factor === "control") as typeof cell).label
    )
      continue;
    lines.push(
      `- matching of ${quote(cell.level)}: ${s.pathsMatched ?? 0} paths replaced, ${s.pathsUnmatched ?? 0} without an admissible one; left out while drawing: ${s.excludedGold ?? 0} gold, ${s.excludedAnswer ?? 0} answer-bearing; tokens ${s.tokensDrawn ?? 0} drawn against ${s.tokensFound ?? 0} retrieved, entities with pictures ${s.imagesDrawn ?? 0} against ${s.imagesFound ?? 0}`,
    );
  }
  return lines.join("\n") || "None.";
}

function failureText({ answers }: Study): string {
  const failed = (answers.objects() as { run: string; question: string; status: string; stop: string }[]).filter(
    (row) => row.status === "failed",
  );
  if (failed.length === 0) return "No retriever and no reader failed on a question.";
  return `${failed.length} answers failed and are counted as missing:\n\n${failed
    .slice(0, 20)
    .map((row) => `- ${row.run}, ${row.question}: ${row.stop.slice(0, 200)}`)
    .join("\n")}`;
}
