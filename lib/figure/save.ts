import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { MkgError, oneOf, readText, resolveOptions, sha256, stableHash, writeAtomic } from "../core/index.js";
import { fontFamily, fontFiles } from "./font.js";
import { sizeOf, versions } from "./render.js";
import type { Chart } from "./types.js";
import { venues } from "./venues.js";

export interface SaveOptions {
  /** A venue's exact widths; see {@link venues}. "default" unless told. */
  readonly venue?: keyof typeof venues;
  /** One column, or the whole text block. "single" unless told. */
  readonly column?: "single" | "double";
  /** Fields that the caller adds to the provenance: configuration hash, run, backend … Plain JSON. */
  readonly provenance?: Readonly<Record<string, unknown>>;
}

export interface FigurePaths {
  readonly svg: string;
  readonly pdf: string;
  readonly png: string;
  readonly spec: string;
  readonly data: string;
  readonly provenance: string;
}

/** Dots an inch of the PNG. */
const dotsPerInch = 300;

/**
 * Lays a chart out at a venue's exact width and writes `path.svg`, `.pdf`, `.png` (300 dots an inch), `.spec.json`,
 * `.data.json` and `.provenance.json`, each whole or not at all, nothing before all are drawn. The same chart gives the
 * same bytes at any time and place: no date and no path is in them. Missing folders are made, old files replaced.
 *
 * Provenance: the chart's name and mark, hashes of data, spec and pictures, size in inches, versions of vega, vega-lite
 * and mkglab, the font's hash, and the caller's own fields.
 *
 * @example
 * await saveFigure(chart("line", rows), "figures/alpha", { venue: "acl", column: "single" })
 * // { svg: "figures/alpha.svg", pdf: "figures/alpha.pdf", … provenance: "figures/alpha.provenance.json" }
 */
export async function saveFigure(chart: Chart, path: string, options: SaveOptions = {}): Promise<FigurePaths> {
  const place = "saveFigure";
  if (typeof path !== "string" || path === "" || /[/\\]$/.test(path))
    throw new MkgError(place, `not a file's path (${String(path)})`, "A path without extension");
  const extension = /\.(svg|pdf|png|json)$/i.exec(path)?.[0];
  if (extension)
    throw new MkgError(
      place,
      `the path has an extension (${path})`,
      "A path without extension: six files are written",
      `Take ${path.slice(0, -extension.length)}`,
    );
  const resolved = resolveOptions(
    place,
    {
      venue: oneOf(Object.keys(venues), { default: "default", doc: "" }),
      column: oneOf(["single", "double"], { default: "single", doc: "" }),
      provenance: {
        doc: "",
        default: null,
        allowed: "an object of plain JSON",
        check: (v) => typeof v === "object" && v !== null && !Array.isArray(v),
      },
    },
    options as Record<string, unknown>,
  );
  const venue = resolved.venue as keyof typeof venues;
  const column = resolved.column as "single" | "double";

  const laidOut = chart.resize(venues[venue][column]);
  const [svg, pdf, png] = [await laidOut.svg(), await laidOut.pdf(), await laidOut.png(dotsPerInch / 96)];
  const size = sizeOf(svg);
  const own = {
    figure: chart.name,
    mark: chart.mark,
    venue,
    column,
    widthInches: size.width / 96,
    heightInches: size.height / 96,
    dataHash: stableHash(laidOut.data),
    specHash: stableHash(laidOut.spec),
    sha256: { svg: sha256(svg), pdf: sha256(pdf), png: sha256(png) },
    versions: { mkglab: await ownVersion(), ...(await versions()) },
    font: { family: fontFamily, sha256: sha256(await readFile(fontFiles.regular)) },
    warnings: laidOut.warnings,
  };
  const clash = Object.keys(options.provenance ?? {}).find((key) => Object.hasOwn(own, key));
  if (clash)
    throw new MkgError(
      place,
      `a provenance field that is written already (${clash})`,
      `Not: ${Object.keys(own).join(", ")}`,
      "Give it another name",
    );
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const provenance = { ...own, ...options.provenance };
  stableHash(provenance); // refuses what JSON would change silently

  const files = {
    svg: [`${path}.svg`, svg],
    pdf: [`${path}.pdf`, pdf],
    png: [`${path}.png`, png],
    spec: [`${path}.spec.json`, json(laidOut.spec)],
    data: [`${path}.data.json`, json(laidOut.data)],
    provenance: [`${path}.provenance.json`, json(provenance)],
  } as const;
  for (const [file, content] of Object.values(files)) await writeAtomic(file, content);
  return Object.fromEntries(Object.entries(files).map(([kind, [file]]) => [kind, file])) as unknown as FigurePaths;
}

const ownVersion = async (): Promise<string> =>
  (
    JSON.parse(
      await readText(fileURLToPath(new URL("../../package.json", import.meta.url)), { place: "saveFigure" }),
    ) as { version: string }
  ).version;
