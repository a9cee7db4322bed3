import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { MkgError, namesIn, type OnProgress, unknownName } from "../core/index.js";
import {
  type Dataset,
  datasetList,
  datasetSources,
  type FetchedFile,
  fetchDataset,
  loadDataset,
  type SplitName,
  writeDataset,
} from "../datasets/index.js";
import { missingFiles } from "./checks.js";
import { dataDir, type Flags, json, out, sizeText, typedOption, withInterrupt } from "./common.js";
import { cardMarkdown } from "./data-card.js";
import { proxyFor } from "./proxy.js";
import { plainTable } from "./terminal.js";

/** `mkglab data list`. */
export async function dataList(flags: Flags, command: Command): Promise<void> {
  const dir = dataDir(command);
  const sources = await datasetSources();
  const rows = datasetList().map(({ name, summary, needs }) => {
    const source = sources.get(name);
    const missing = missingFiles(needs, dir);
    const files = source?.files ?? [];
    const known = files.length > 0 && files.every(({ bytes }) => bytes !== null);
    const published = source?.embedded === undefined ? files : [];
    const absent = published.filter(
      ({ file, also }) => ![file, ...also].some((one) => existsSync(join(dir, name, one))),
    );
    const state = !needs
      ? "here"
      : !existsSync(join(dir, name))
        ? "not"
        : missing.length + absent.length > 0
          ? "partly"
          : "here";
    return {
      name,
      state,
      here: missing.length === 0,
      missing: [...new Set([...missing, ...(state === "partly" ? absent.map(({ file }) => join(name, file)) : [])])],
      fetchable: (source?.url ?? "") !== "",
      bytes: known ? files.reduce((sum, { bytes }) => sum + (bytes as number), 0) : null,
      licence: source?.licence ?? "not stated",
      redistribution: source?.redistribution ?? false,
      summary,
      needs,
    };
  });
  if (flags.json) return json(rows);
  out(
    plainTable(
      rows.map(({ name, state, bytes, licence, summary }) => ({
        name,
        state,
        size: bytes === null ? "–" : sizeText(bytes),
        licence,
        summary,
      })),
    ),
  );
  for (const { name, state, missing } of rows)
    if (state === "partly") out(`${name}: not in ${dir}: ${shortened(missing)}`);
  const fetchable = rows.filter((row) => row.fetchable && row.state !== "here").map(({ name }) => name);
  if (fetchable.length > 0)
    out(`mkglab data fetch NAME gets ${fetchable.join(", ")}; data/README.md says how the rest is laid out.`);
}

const shortened = (names: readonly string[]): string =>
  names.length <= 4 ? names.join(", ") : `${names.slice(0, 3).join(", ")}, … (${names.length})`;

/** `mkglab data fetch NAME`. */
export async function dataFetch(name: string, flags: Flags, command: Command): Promise<void> {
  const manifest = flags.manifest as string | undefined;
  const source = (await datasetSources(manifest)).get(name);
  // before anything is fetched, and on stderr, so that it stands before the reader in a script too
  if (source && source.url !== "")
    process.stderr.write(
      `mkglab data fetch ${name}: licence: ${source.licence}.${
        source.redistribution ? "" : " Nothing gives you the right to pass these files on."
      }${source.citation ? ` Cite ${source.citation}.` : ""}\n`,
    );
  const report = await withInterrupt((signal, onProgress) =>
    fetchDataset(name, {
      dir: dataDir(command),
      acceptUnverified: flags.acceptUnverified === true,
      timeoutMs: (flags.timeout as number) * 1000,
      proxy: proxyFor(process.env),
      ...(flags.from === undefined ? {} : { from: flags.from as string }),
      ...(manifest === undefined ? {} : { manifest }),
      signal,
      onProgress,
    }),
  );
  if (flags.json) return json(report);
  out(
    plainTable(
      report.files.map(({ file, status, bytes, verified, resumedFrom, sha256 }) => ({
        file,
        status: status === "there" ? "was there" : resumedFrom > 0 ? `fetched from byte ${resumedFrom} on` : "fetched",
        bytes,
        "SHA-256": verified ? "as published" : `not known upstream: ${sha256.slice(0, 12)}…`,
      })),
    ),
  );
  for (const { what, to } of report.byHand) out(`By hand: ${what} → ${join(report.folder, to)}`);
  if (report.files.some((file: FetchedFile) => !file.verified))
    out(`Unverified files are recorded in ${join(report.folder, "fetched.json")}.`);
  out(`${report.folder} is here; mkglab data check ${name} reads it whole.`);
}

/** What can be generated, and what lies beside it: a card, pictures of the card, licences. */
const generators: Readonly<
  Record<
    string,
    (
      dataset: Dataset,
      options: Record<string, unknown>,
      work: { signal: AbortSignal; onProgress: OnProgress },
    ) => Promise<{ name: string; data: string | Uint8Array }[]>
  >
> = {
  bestiary: async (_, options, work) => {
    const { bestiaryCard } = await import("./bestiary-card.js");
    const { markdown, pictures } = await bestiaryCard(options, work);
    return [{ name: "card.md", data: markdown }, ...pictures.map(({ name, png }) => ({ name, data: png }))];
  },
  atlas: async (dataset, options) => [
    { name: "card.md", data: cardMarkdown(dataset, options) },
    ...(await atlasTexts()),
  ],
};

/** Licences and sources go with the tables wherever they go. */
async function atlasTexts(): Promise<{ name: string; data: string }[]> {
  const folder = (await datasetSources()).get("atlas")?.embedded as string;
  const names = (await readdir(folder)).filter((name) => /^LICENSE|^sources\.json$/.test(name));
  return Promise.all(names.map(async (name) => ({ name, data: await readFile(join(folder, name), "utf8") })));
}

/** `mkglab data generate NAME`. */
export async function dataGenerate(name: string, flags: Flags, command: Command): Promise<void> {
  const place = "mkglab data generate";
  if (!Object.hasOwn(generators, name)) throw unknownName(place, "generated data set", name, Object.keys(generators));
  const folder = flags.out as string;
  const wanted = flags.splits as readonly string[];
  const splits = (wanted.length > 0 ? wanted : ["test", "train", "validation"]) as SplitName[];
  const specs = datasetList().find((entry) => entry.name === name)?.options ?? [];
  const given = Object.fromEntries(
    Object.entries(flags.option as Record<string, string>).map(([key, text]) => [
      key,
      typedOption(text, specs.find((spec) => spec.name === key)?.default),
    ]),
  );
  if (Object.hasOwn(given, "split"))
    throw new MkgError(place, "split is not an option here", "All splits go into one folder", "--splits says which");
  // before the card, which takes long; writeDataset looks again
  if ((await namesIn(place, folder)).length > 0)
    throw new MkgError(
      place,
      `the folder is not empty (${folder})`,
      "A folder that is new or empty",
      "Choose another, or remove what is in it",
    );
  const dataset = await loadDataset(name, { ...given, dir: dataDir(command) });
  const written = await withInterrupt(async (signal, onProgress) => {
    const beside =
      flags.card === false
        ? name === "atlas"
          ? await atlasTexts()
          : []
        : await generators[name]!(dataset, given, { signal, onProgress });
    return writeDataset(dataset, folder, { splits, format: flags.format as string, beside, signal, onProgress });
  });
  const summary = { dataset: name, options: given, ...written };
  if (flags.json) return json(summary);
  const questions = Object.entries(written.questions).map(([split, n]) => `${n} ${split}`);
  out(
    `${name} → ${folder}: questions ${questions.join(", ")}; ${written.images} pictures. Licence: ${dataset.licence}.`,
  );
}
