import type { Answer, Evidence, Hit } from "../core/index.js";
import type { Run, RunItem } from "../evaluate/index.js";
import type { Graph } from "../graph/index.js";
import { cellText, escapeHtml, htmlTable, jsonText, more, shorten, type TableCell, textTable } from "./html.js";
import { thumbnails } from "./pictures.js";
import type { MimeBundle, ShowOptions } from "./types.js";

type Shown = { readonly html: string; readonly text: string };
type Options = Required<ShowOptions>;

const join = (parts: readonly Shown[]): MimeBundle => ({
  "text/html": parts.map((part) => part.html).join("\n"),
  "text/plain": parts.map((part) => part.text).join("\n"),
});
const paragraph = (text: string): Shown => ({ html: `<p>${escapeHtml(text)}</p>`, text });

/** Words for a hit: its own text, else its text in the graph, else its ids. */
function hitText(hit: Hit, graph: Graph | undefined): string {
  if (hit.text !== undefined) return hit.text;
  if (hit.passage !== undefined && graph?.has(hit.passage)) {
    const { label, description } = graph.entity(hit.passage);
    return `${label}: ${description}`;
  }
  if (graph && (hit.triple !== undefined || hit.path)) return graph.text(hit);
  return hit.path ? hit.path.join(" → ") : (hit.triple ?? hit.passage ?? "");
}

async function ranking(
  evidence: Evidence,
  graph: Graph | undefined,
  cited: readonly number[],
  options: Options,
): Promise<Shown> {
  const hits = evidence.hits.slice(0, options.maxHits);
  const withImages = hits.some((hit) => hit.images?.length);
  const columns = ["rank", "score", "evidence", ...(withImages ? ["images"] : [])];
  const rows: TableCell[][] = [];
  for (const [i, hit] of hits.entries()) {
    const rank = `${i + 1}${cited.includes(i + 1) ? " (cited)" : ""}`;
    const row: TableCell[] = [rank, cellText(hit.score, 20), shorten(hitText(hit, graph), options.maxCharacters)];
    if (withImages) {
      const images = hit.images ?? [];
      const rest = more(images.length, 4, "image");
      row.push({
        html: `${await thumbnails(images.slice(0, 4), options.thumbnailPx / 2)} ${rest}`,
        text: `${images.length}`,
      });
    }
    rows.push(row);
  }
  if (rows.length === 0) return paragraph("no hit");
  const rest = more(evidence.hits.length, rows.length, "hit");
  return {
    html: `${htmlTable(columns, rows)}${rest && `\n<p>${rest}</p>`}`,
    text: [textTable(columns, rows), rest].filter(Boolean).join("\n"),
  };
}

const MAX_STEPS = 50;

/** What was spent, and the steps one a line, folded away in HTML. */
function work({ trace = [], spend = {} }: Evidence, options: Options): Shown[] {
  const parts: Shown[] = [];
  const spent = Object.entries(spend).map(([kind, amount]) => `${kind} ${cellText(amount, 20)}`);
  if (spent.length > 0) parts.push(paragraph(`spent: ${spent.join(", ")}`));
  if (trace.length > 0) {
    const steps = trace.slice(0, MAX_STEPS).map((step, i) => `${i + 1}. ${stepText(step, options.maxCharacters)}`);
    const text = [...steps, more(trace.length, MAX_STEPS, "step")].filter(Boolean).join("\n");
    const summary = `trace: ${trace.length} steps`;
    parts.push({
      html: `<details><summary>${summary}</summary><pre>${escapeHtml(text)}</pre></details>`,
      text: `${summary}\n${text}`,
    });
  }
  return parts;
}

/** A step as `key value, key value`; a step is plain JSON of any shape. */
function stepText(step: unknown, maxCharacters: number): string {
  if (typeof step !== "object" || step === null || Array.isArray(step))
    return shorten(typeof step === "string" ? step : jsonText(step), maxCharacters);
  const parts = Object.entries(step).map(
    ([key, value]) => `${key} ${typeof value === "string" ? value : jsonText(value)}`,
  );
  return shorten(parts.join(", "), maxCharacters);
}

export async function evidenceBundle(evidence: Evidence, options: Options): Promise<MimeBundle> {
  return join([await ranking(evidence, undefined, [], options), ...work(evidence, options)]);
}

const answerText = ({ status, text, stop }: Answer): string =>
  status === "ok" ? `answer: ${text}` : `answer: ${status}${stop ? ` (${stop})` : ""}`;

async function item(one: RunItem, graph: Graph | undefined, options: Options): Promise<Shown[]> {
  const parts = [paragraph(`${one.id}: ${shorten(one.query.text, options.maxCharacters)}`)];
  const { images } = one.query;
  if (images.length > 0) {
    const rest = more(images.length, 4, "image");
    const html = `<p>${await thumbnails(images.slice(0, 4), options.thumbnailPx)} ${rest}</p>`;
    parts.push({ html, text: `${images.length} images` });
  }
  if (one.evidence === null) parts.push(paragraph(`failed: ${one.error ?? "no reason given"}`));
  else parts.push(await ranking(one.evidence, graph, one.answer?.citedRanks ?? [], options));
  if (one.answer) parts.push(paragraph(answerText(one.answer)));
  if (one.evidence) parts.push(...work(one.evidence, options));
  return parts;
}

export const itemBundle = async (one: RunItem, options: Options): Promise<MimeBundle> =>
  join(await item(one, undefined, options));

/** The first questions of a run with their rankings; the graph of its data set gives the words. */
export async function runBundle(run: Run, options: Options): Promise<MimeBundle> {
  const setting = run.setting.name === "all" ? "" : `, setting ${run.setting.name}`;
  const failed = run.items.filter((one) => one.evidence === null).length;
  const { origin, upperBound } = run.dataset.card;
  const marks = [origin === "generated" ? "generated data" : "", upperBound ? "upper bound" : ""].filter(Boolean);
  const marked = marks.length > 0 ? ` (${marks.join(", ")})` : "";
  const head =
    `run ${run.label} on ${run.dataset.name}${marked}, split ${run.dataset.split}${setting}: ` +
    `${run.items.length} questions, k = ${run.k}, seed ${run.seed}${failed ? `, ${failed} failed` : ""}`;
  const shown = run.items.slice(0, options.maxQuestions);
  const parts = [paragraph(head)];
  for (const one of shown) parts.push(...(await item(one, run.dataset.graph, options)));
  const rest = more(run.items.length, shown.length, "question");
  return join(rest ? [...parts, paragraph(rest)] : parts);
}
