import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Command } from "commander";
import {
  type Image,
  isThere,
  MkgError,
  namesIn,
  type OnProgress,
  Progress,
  SetupError,
  unknownName,
} from "../core/index.js";
import {
  type CheckedFile,
  checkFiles,
  type Dataset,
  datasetNames,
  datasetSources,
  datasetSplits,
  loadDataset,
} from "../datasets/index.js";
import { type Graph, imageReference, type LoadReport, loadGraph, splitName, tableFormats } from "../graph/index.js";
import { pixels } from "../media/index.js";
import { dataDir, type Flags, json, out, withInterrupt } from "./common.js";
import { plainTable } from "./terminal.js";

/** What was read of one split, or of a graph alone. */
interface Checked extends LoadReport {
  readonly part: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly limits: readonly string[];
  readonly upperBound: boolean;
}

/** One count of the manifest against what was read. */
interface Compared {
  readonly what: string;
  readonly expected: number;
  /** Null: the card has no such count. */
  readonly found: number | null;
  readonly equal: boolean;
}

const place = "mkglab data check";

interface CheckReport {
  readonly source: string;
  readonly files: readonly CheckedFile[];
  readonly parts: readonly Checked[];
  readonly compared: readonly Compared[];
  /** Why counts are not compared; "" where they are. */
  readonly notCompared: string;
  /** Null: not asked for. */
  readonly pictures: { readonly read: number; readonly remote: number; readonly unreadable: readonly string[] } | null;
  readonly findings: readonly string[];
}

/** `mkglab data check NAME|FOLDER|FILE`: everything that can be wrong is looked for before any of it is an error. */
export async function dataCheck(source: string, flags: Flags, command: Command): Promise<void> {
  const report = await withInterrupt((signal, onProgress) =>
    check(source, flags, dataDir(command), signal, onProgress),
  );
  if (flags.json) json(report);
  else show(report);
  if (report.findings.length > 0)
    throw new MkgError(
      `mkglab data check ${source}`,
      report.findings.join("; "),
      "",
      report.files.some(({ status }) => status === "differs" || status === "missing")
        ? `Move wrong files away, then mkglab data fetch ${source}`
        : "The rows and pictures named above are to be mended",
    );
}

async function check(
  source: string,
  flags: Flags,
  dir: string,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<CheckReport> {
  const lenient = flags.lenient === true;
  const isName = datasetNames().includes(source);
  const manifest = isName ? (await datasetSources()).get(source) : undefined;
  const folder = manifest?.embedded ?? join(dir, source);
  const listed = manifest && (await isThere(place, folder)) ? await checkFiles(source, folder) : [];
  // another layout that the loader knows, such as a selection: the published files are then not what is here
  const isPublished = listed.some(({ status }) => status !== "missing");
  const files = isPublished ? listed : [];
  const bad = files.filter(({ status }) => status === "differs" || status === "missing");
  let failure = "";
  const { parts, images } = await read(source, isName, dir, lenient).catch((error: unknown): Read => {
    // wrong files explain why reading fails, so they are shown; without any, the error stands as it is
    if (!(error instanceof MkgError) || bad.length === 0) throw error;
    failure = error.message;
    return { parts: [], images: new Set() };
  });
  const notCompared = failure
    ? "it cannot be read"
    : !manifest || Object.keys(manifest.counts).length === 0
      ? "the manifest expects no counts of it"
      : listed.length > 0 && !isPublished
        ? "its files are not laid out as published, a selection perhaps"
        : parts.some((part) => part.refused.length > 0)
          ? "rows were left out"
          : "";
  const counts = new Map(Object.entries(parts[0]?.counts ?? {}));
  const compared = (notCompared ? [] : Object.entries(manifest?.counts ?? {})).map(([what, expected]): Compared => {
    const found = counts.get(what) ?? null;
    return { what, expected, found, equal: found === expected };
  });
  const pictures = flags.pictures === true ? await decode(images, signal, onProgress) : null;
  const refused = parts.reduce((sum, part) => sum + part.refused.length, 0);
  // a picture that is left out of a row that stays is a loss too
  const lost = parts.flatMap((part) => part.repaired.filter(({ what }) => what.endsWith(": left out")));
  const unequal = compared.filter(({ equal }) => !equal);
  return {
    source,
    files,
    parts,
    compared,
    notCompared,
    pictures,
    findings: [
      ...(failure ? [failure.replace(/\.$/, "")] : []),
      ...(bad.length > 0
        ? [
            `${bad.length} of ${files.length} files differ or are missing (${bad.map(({ file, status }) => `${file}: ${status}`).join(", ")})`,
          ]
        : []),
      ...(unequal.length > 0
        ? [
            `counts are not as expected (${unequal.map(({ what, expected, found }) => `${what}: ${found ?? "none"} instead of ${expected}`).join(", ")})`,
          ]
        : []),
      ...(refused > 0 ? [`${refused} rows cannot be kept`] : []),
      ...lost.map(({ what, count }) => `${what} (${count})`),
      ...((pictures?.unreadable.length ?? 0) > 0 ? [`${pictures?.unreadable.length} pictures cannot be read`] : []),
    ],
  };
}

interface Read {
  readonly parts: readonly Checked[];
  readonly images: ReadonlySet<Image>;
}

async function read(source: string, isName: boolean, dir: string, lenient: boolean): Promise<Read> {
  if (!isName && !(await isThere(place, source))) {
    if (/[/\\.]/.test(source))
      throw new SetupError(place, `there is no such file or folder (${source})`, "", "Check the path");
    throw unknownName(place, "data set, folder or file", source, datasetNames());
  }
  if (!isName && (!(await stat(source)).isDirectory() || !(await hasQuestions(source)))) {
    const graph = await loadGraph(source, { lenient });
    const part = { ...graph.report, part: "graph", counts: countsOf(graph), limits: [], upperBound: false };
    return { parts: [part], images: new Set(entityImages(graph)) };
  }
  const dataset = await loadDataset(isName || /[/\\]/.test(source) ? source : `./${source}`, { dir, lenient });
  const parts = await datasetSplits(dataset);
  return { parts: parts.map(checked), images: new Set(parts.flatMap(imagesOf)) };
}

async function hasQuestions(folder: string): Promise<boolean> {
  return (await namesIn(place, folder)).some((name) => {
    const { stem, extension } = splitName(name);
    return /^questions(\.train|\.validation)?$/.test(stem) && tableFormats().includes(extension);
  });
}

const countsOf = (graph: Graph): Record<string, number> => {
  const { entities, triples, distinctTriples, relations, images } = graph.describe();
  return { entities, triples, distinctTriples, relations, images };
};

const checked = ({ split, card }: Dataset): Checked => ({
  part: split,
  counts: card.counts,
  limits: card.limits,
  upperBound: card.upperBound === true,
  read: card.read,
  kept: card.kept,
  added: card.added,
  repaired: card.repaired,
  notices: card.notices,
  refused: card.refused,
});

const entityImages = (graph: Graph): readonly Image[] =>
  (graph.entities.array("images") as (readonly Image[])[]).flat();
const imagesOf = ({ graph, questions, passages }: Dataset): Image[] => [
  ...entityImages(graph),
  ...questions.flatMap((q) => q.images),
  ...passages.flatMap((p) => p.images),
];

/** Decodes each picture, one at a time; remote ones are counted, not fetched. */
async function decode(
  images: ReadonlySet<Image>,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<NonNullable<CheckReport["pictures"]>> {
  const progress = new Progress("pictures", images.size, onProgress);
  const unreadable: string[] = [];
  let remote = 0;
  for (const image of images) {
    signal.throwIfAborted();
    if (/^https?:/i.test(imageReference(image) ?? "")) remote++;
    else
      await pixels(image, { width: 8, height: 8 }).catch((error: unknown) => {
        if (!(error instanceof MkgError)) throw error;
        unreadable.push(error.message);
      });
    progress.tick();
  }
  return { read: images.size - remote - unreadable.length, remote, unreadable };
}

/** Rows left out, and notices, that are shown one by one; JSON has all. */
const shown = 20;

function show(report: CheckReport): void {
  if (report.files.length > 0)
    out(
      `${plainTable(
        report.files.slice(0, shown).map(({ file, status, bytes }) => ({ file, status, bytes })),
      )}${report.files.length > shown ? `\n… ${report.files.length} files, ${report.files.filter(({ status }) => status === "verified").length} verified` : ""}\n`,
    );
  const said = new Set<string>();
  for (const part of report.parts) showPart(part, said);
  if (report.compared.length > 0) {
    out(
      `Counts of the manifest\n${plainTable(report.compared.map(({ what, expected, found, equal }) => ({ what, expected, found, equal: equal ? "yes" : "NO" })))}\n`,
    );
  } else out(`Counts are not compared: ${report.notCompared}.`);
  if (report.pictures) {
    const { read, remote, unreadable } = report.pictures;
    out(`Pictures: ${read} decoded, ${remote} at remote addresses (not fetched), ${unreadable.length} unreadable.`);
    for (const message of unreadable.slice(0, shown)) out(`  ${message}`);
  }
  if (report.findings.length === 0) out("No mismatch.");
}

/** @param said limits that an earlier part had: splits share most. */
function showPart(
  { part, read, kept, added, repaired, notices, refused, limits, upperBound }: Checked,
  said: Set<string>,
): void {
  const names = [...new Set([...Object.keys(read), ...Object.keys(kept)])];
  const byTable = new Map<string, number>();
  for (const { file } of refused) byTable.set(tableOf(file, names), (byTable.get(tableOf(file, names)) ?? 0) + 1);
  out(
    `${part}\n${plainTable(
      names.map((table) => ({
        table,
        read: read[table] ?? null,
        kept: kept[table] ?? null,
        added: added[table] ?? null,
        refused: byTable.get(table) ?? 0,
      })),
    )}`,
  );
  const others = byTable.get("") ?? 0;
  if (others > 0) out(`refused in other files: ${others}`);
  for (const { what, count, examples } of repaired) out(`repaired: ${what}: ${count}${some(examples)}`);
  for (const { what, count, examples } of notices) out(`notice: ${what}: ${count}${some(examples)}`);
  for (const { file, line, reason } of refused.slice(0, shown)) out(`refused: ${file}, line ${line}: ${reason}`);
  if (refused.length > shown) out(`refused: … ${refused.length} in all; --json lists them`);
  if (upperBound)
    out("upper bound: the graph was made from the gold; no figure over it belongs in a table of performance");
  for (const limit of limits) if (!said.has(limit)) out(`limit: ${limit}`);
  for (const limit of limits) said.add(limit);
  out("");
}

const some = (examples: readonly string[]): string => (examples.length > 0 ? ` (${examples.join(", ")})` : "");

/** The table that a file is of, by its name: `entities.tsv`, `questions.train.jsonl`. */
const tableOf = (file: string, tables: readonly string[]): string => {
  const stem = basename(file).split(".")[0] as string;
  return tables.includes(stem) ? stem : "";
};
