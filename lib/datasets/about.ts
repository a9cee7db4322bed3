import { existsSync } from "node:fs";
import { basename } from "node:path";
import { MkgError, quote, readText, refuseUnknown } from "../core/index.js";
import { parseJson } from "../graph/index.js";
import { isFields } from "./intake.js";
import type { DatasetCard } from "./types.js";

const aboutFields = ["name", "clusterName", "licence", "citation", "summary"] as const;
const tables = ["entities", "triples", "questions"] as const;
const origins: readonly unknown[] = ["real", "generated", "not stated"] satisfies DatasetCard["origin"][];

/** What a folder of one's own may say about itself in `dataset.json`. */
export type About = Partial<Record<(typeof aboutFields)[number], string>> & {
  readonly visibleMeta?: readonly string[];
  readonly origin?: DatasetCard["origin"];
  /** `modality`: the settings S1 to S5 over its rows with and without a picture at the head. */
  readonly settings?: "modality";
  /** For each table, names of its columns → what they are called here. */
  readonly columns?: Partial<Record<(typeof tables)[number], Readonly<Record<string, string>>>>;
};

/** What `dataset.json` states; nothing where there is none. */
export async function readAbout(place: string, file: string): Promise<About> {
  if (!existsSync(file)) return {};
  const where = `${place}: ${basename(file)}`;
  const about = parseJson(await readText(file, { place, maxBytes: 2 ** 20 }), place, basename(file));
  refuseUnknown(where, about, [...aboutFields, "origin", "visibleMeta", "columns", "settings"], "field");
  const { visibleMeta, origin, columns, settings, ...texts } = about as Record<string, unknown>;
  if (origin !== undefined) checkOrigin(where, origin);
  if (settings !== undefined && settings !== "modality")
    throw new MkgError(where, `settings is not known (${quote(settings)})`, '"modality"', "Mend it or leave it out");
  refuseUnknown(where, columns, tables, "table in columns");
  for (const [table, names] of Object.entries(columns ?? {}))
    if (!isFields(names) || Object.values(names).some((name) => typeof name !== "string" || name === ""))
      throw new MkgError(
        where,
        `columns.${table} does not say what columns are called here (${quote(names)})`,
        'Their names → those used here, such as {"question": "text"}',
        "Mend it",
      );
  for (const [field, value] of Object.entries(texts))
    if (typeof value !== "string" || value === "")
      throw new MkgError(
        where,
        `${field} is not a non-empty string (${quote(value)})`,
        "A text",
        "Mend it or leave it out",
      );
  if (visibleMeta !== undefined && !(Array.isArray(visibleMeta) && visibleMeta.every((f) => typeof f === "string")))
    throw new MkgError(where, `visibleMeta is not a list of strings (${quote(visibleMeta)})`, "Names of meta fields");
  return about as About;
}

/** That an origin is one of those that a card may state. */
export function checkOrigin(where: string, origin: unknown): asserts origin is DatasetCard["origin"] {
  if (!origins.includes(origin))
    throw new MkgError(
      where,
      `origin is not known (${quote(origin)})`,
      `Known: ${origins.join(", ")}`,
      "Mend it or leave it out",
    );
}
