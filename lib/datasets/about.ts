import { existsSync } from "node:fs";
import { basename } from "node:path";
import { MkgError, quote, readText, refuseUnknown } from "../core/index.js";
import { parseJson } from "../graph/index.js";

const aboutFields = ["name", "clusterName", "licence", "citation", "summary"] as const;

/** What a folder of one's own may say about itself in `dataset.json`. */
export type About = Partial<Record<(typeof aboutFields)[number], string>> & {
  readonly visibleMeta?: readonly string[];
};

/** What `dataset.json` states; nothing where there is none. */
export async function readAbout(place: string, file: string): Promise<About> {
  if (!existsSync(file)) return {};
  const where = `${place}: ${basename(file)}`;
  const about = parseJson(await readText(file, { place, maxBytes: 2 ** 20 }), place, basename(file));
  refuseUnknown(where, about, [...aboutFields, "visibleMeta"], "field");
  const { visibleMeta, ...texts } = about as Record<string, unknown>;
  for (const [field, value] of Object.entries(texts))
    if (typeof value !== "string" || value === "")
      throw new MkgError(where, `${field} is not a non-empty string (${quote(value)})`);
  if (visibleMeta !== undefined && !(Array.isArray(visibleMeta) && visibleMeta.every((f) => typeof f === "string")))
    throw new MkgError(where, `visibleMeta is not a list of strings (${quote(visibleMeta)})`, "Names of meta fields");
  return about as About;
}
