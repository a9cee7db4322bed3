import { markdownTable } from "../figure/index.js";
import { controlSummary } from "../retrieve/index.js";
import { type Comparison, type Interval, interval } from "../stats/index.js";
import { configOf } from "./jobs.js";
import { withinRange } from "./statistics.js";
import type { Study } from "./types.js";

/** A mean or a comparison with the cell that it belongs to. */
export type Row = Interval & { factor: string; level: string; baseline: string } & Readonly<Record<string, string>>;
export type Compared = Comparison & { factor: string; level: string; baseline: string } & Readonly<
    Record<string, string>
  >;

interface Parts {
  readonly compared: readonly Compared[];
  readonly table: string;
  readonly main: string;
  readonly mark: string;
  readonly figures: readonly { readonly name: string; readonly title: string }[];
  readonly notApplicable: Study["plan"]["notApplicable"];
  readonly command?: string;
}

const section = (title: string, body: string): string => (body.trim() ? `## ${title}\n\n${body.trim()}\n` : "");
const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

/** Text from data, graphs and thrown errors, as text: no mark-up, one line. */
const inline = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ").replace(/[\\`*_[\]<>#|~]/g, "\\$&");

/** The text of `report.md`. */
export function reportText(study: Study, parts: Parts): string {
  const { plan, dataset } = study;
  const { compared, main, mark, figures } = parts;
  const base = plan.cells[0];
  const asked = dataset.setting(base?.options.setting as never).questions.map(({ question }) => question);
  const config = base
    ? Object.entries(configOf(base)).filter(([, value]) => value !== null && value !== undefined)
    : [];
  const options = config.map(([key, value]) => `${key} = ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const data = mark.startsWith("generated")
    ? `**${mark}**: made by a program of this project, so that its figures say how parts compare, not how they do on real data.`
    : `Data: ${inline(mark)}.`;
  const clusters = new Set(asked.map((q) => q.cluster)).size;
  return [
    `# Ablation on ${inline(dataset.name)}\n`,
    `${data} ${asked.length} questions (${dataset.split} split) in ${clusters} clusters (${inline(dataset.clusterName)}); seeds ${plan.seeds.join(", ")}. ${plan.cells.length} configurations; the base: ${options.join(", ")}.\n`,
    section("Results", resultsText(study, parts)),
    section("Against the controls", gainText(study, compared, main)),
    section("Figures", figures.map(({ name, title }) => `![${title}](figures/${name}.png)`).join("\n\n")),
    section("Comparisons", comparisonsText(study, compared)),
    section(`By kind of question: ${main}`, groupText(study, main)),
    section("Controls", controlText(study)),
    section("Failures", failureText(study)),
    section(
      "What does not apply here",
      list([...plan.notApplicable, ...parts.notApplicable].map(({ what, reason }) => `${what}: ${reason}`)),
    ),
    section(
      "What to know about the data",
      list([
        ...dataset.card.limits,
        ...dataset.card.notices.map(({ what, count }) => `${what}: ${count}`),
        ...dataset.card.repaired.map(({ what, count }) => `Repaired: ${what}: ${count}`),
        ...(dataset.card.refused.length > 0 ? [`Rows left out: ${dataset.card.refused.length}`] : []),
        `Licence: ${dataset.licence}`,
      ]),
    ),
    section("How to make this report again", parts.command ? `\`${parts.command.replace(/[`\p{Cc}]/gu, "?")}\`` : ""),
  ]
    .filter(Boolean)
    .join("\n");
}

function resultsText({ plan, spec }: Study, { table }: Parts): string {
  const notes: string[] = [];
  if (table.includes("†"))
    notes.push(
      "† All questions have the same value, so that clusters show no spread: Wilson's interval over the clusters, wide on purpose. A control that abstains, or whose evidence holds no answer by construction, has 0 for that reason.",
    );
  if (spec.vary?.retriever)
    notes.push(
      `Evidence is not equal: each retriever returns at most k = ${plan.cells[0]?.options.k} hits, and a hit of the walk is a path of one or more triples, one of a flat retriever a single triple.`,
    );
  if (/\d\.\d{3} \|/.test(table))
    notes.push(
      "A mean without an interval: every cluster has the same mean, or there is one cluster, so that the data show no spread.",
    );
  if (table.includes("not computed"))
    notes.push(
      "Not computed: a measure of paths where the evidence is triples, or of evidence where a control has none.",
    );
  return `Means over questions (seeds averaged within a question) with 95 % intervals: cluster-robust t, cut at the measure's range. Fractions.\n\n${table}\n${notes.join("\n\n")}`;
}

/** Controls that show no evidence, and those that show other evidence than the method's. */
const withoutEvidence = ["question-only", "closed-book"];

/** The method minus the strongest control of each sort, by series. The oracle bounds it from above and is no control to beat. */
export function gainText({ plan }: Pick<Study, "plan">, compared: readonly Compared[], main: string): string {
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
    for (const [sort, chosen] of [
      ["without evidence", rows.filter((row) => withoutEvidence.includes(row.level))],
      ["with evidence", rows.filter((row) => !withoutEvidence.includes(row.level))],
    ] as const) {
      if (chosen.length === 0) continue;
      const strongest = chosen.reduce((best, row) =>
        (row.difference as number) > (best.difference as number) ? row : best,
      );
      const gain = -(strongest.difference as number);
      const p = strongest.pAdjusted ?? 1;
      const show = (value: number | null) =>
        value === null ? "not computed" : (value * 100).toFixed(1).replace("-", "−");
      const interval =
        strongest.low === null || strongest.high === null
          ? "no interval"
          : `${show(-strongest.high)}, ${show(-strongest.low)}`;
      lines.push(
        `${baseline}: ${show(gain)} points of ${main} [${interval}] over **${strongest.level}**, the strongest control ${sort}; adjusted p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}.`,
      );
    }
  }
  if (lines.length === 0)
    return plan.cells.some((cell) => cell.control)
      ? `No control to beat was scored by ${main}; the oracle bounds the method from above.`
      : "No control was run.";
  return `${list(lines)}\n\nWhat a control leaves out is what a gain over it comes from: pictures (text-only), the choice of paths (random-path), evidence (those without any). The strongest control is chosen on these questions, which in expectation makes the gain smaller, not larger.`;
}

function comparisonsText({ dataset, plan }: Study, compared: readonly Compared[]): string {
  if (compared.length === 0) return "None: there is one configuration.";
  const tested = compared.filter((row) => row.p !== null);
  const clusters = Math.min(...tested.map((row) => row.clusters));
  const least = 2 ** (1 - clusters);
  const hopeless =
    tested.length > 0 && least * tested.length > 0.05
      ? `With ${clusters} clusters no p can be below ${least.toPrecision(2)}, and after Holm over ${tested.length} rows none can fall below 0.05: vary fewer factors or measures, or use more clusters.\n\n`
      : "";
  const warnings = list([...new Set(compared.map((row) => row.warning).filter((warning) => warning !== null))]);
  const crossed = new Set(plan.cells.map((cell) => cell.baseline)).size > 1;
  return `Each configuration minus its baseline on the same questions: sign-flip permutation of ${dataset.clusterName} sums (exact where at most 32 of them differ from 0, else 9,999 draws), intervals by cluster-robust t, each for itself and not adjusted; Holm over the ${tested.length} rows with a p. \`effect\` is the difference over the standard deviation of question differences; \`mde\` is the least difference that one unadjusted two-sided 5 % test finds with probability 0.8. Measures of evidence are compared once${crossed ? ", since they do not depend on the reader, and" : ", and"} not on evidence that is gold, or free of gold, by construction.\n\n${hopeless}${markdownTable(compared, { columns: ["b", "a", "measure", "difference", "p", "pAdjusted", "effect", "mde", "n", "nMissing", "clusters"] })}\n${warnings}`;
}

/** The base of each series by group of questions. */
function groupText({ rows, plan }: Study, main: string): string {
  const bases = new Set(plan.cells.map((cell) => cell.baseline));
  const wanted = (rows.objects() as (Record<string, unknown> & { run: string; measure: string })[]).filter(
    (row) => row.measure === main && bases.has(row.run),
  );
  return markdownTable(withinRange(interval(wanted as never, { by: ["run", "measure", "group"] })), {
    columns: ["run", "group", "mean", "n", "nMissing", "clusters"],
  });
}

function controlText({ plan, spend }: Study): string {
  const used = [...new Set(plan.cells.flatMap((cell) => (cell.control ? [cell.control.name] : [])))];
  const lines = used.map((name) => `${name}: ${controlSummary(name)}`);
  if (plan.controlsOff.length > 0) lines.push(`turned off for this study: ${plan.controlsOff.join(", ")}`);
  for (const level of new Set(
    plan.cells.filter((cell) => cell.control?.name === "random-path").map((cell) => cell.level),
  )) {
    // the same evidence under every reader
    const s = spend.get(plan.cells.find((cell) => cell.level === level)?.label ?? "");
    if (!s) continue;
    const of = (name: string) =>
      `${Math.round(s[`${name}Drawn`] ?? 0)} drawn against ${Math.round(s[`${name}Found`] ?? 0)} retrieved`;
    lines.push(
      `${level}, sums over questions and seeds: ${s.pathsMatched ?? 0} paths replaced, ${s.pathsUnmatched ?? 0} without an admissible one and left out; turned away while drawing: ${s.excludedRetrieved ?? 0} that were retrieved, ${s.excludedGold ?? 0} with gold, ${s.excludedAnswer ?? 0} that bear an answer; tokens ${of("tokens")}, log degrees ${of("degree")}, entities with pictures ${of("images")}`,
    );
  }
  return list(lines) || "None.";
}

function failureText({ answers }: Study): string {
  const failed = (answers.objects() as { run: string; question: string; status: string; stop: string }[]).filter(
    (row) => row.status === "failed",
  );
  if (failed.length === 0) return "No retriever and no reader failed on a question.";
  const shown = failed.slice(0, 20).map((row) => inline(`${row.run}, ${row.question}: ${row.stop.slice(0, 200)}`));
  return `${failed.length} failures, counted as missing${failed.length > 20 ? "; the first 20" : ""}:\n\n${list(shown)}`;
}
