import { existsSync } from "node:fs";
import { join } from "node:path";
import { MkgError, quote, readText, refuseUnknown } from "../core/index.js";
import { parseJson } from "../graph/index.js";
import { checkOrigin } from "./about.js";
import { isFields } from "./intake.js";
import type { Dataset, DatasetCard } from "./types.js";

const fileName = "card.json";

/** What a data set's folder says about its data beyond `dataset.json`: what no reader of its files could find out. */
export type WrittenCard = Pick<DatasetCard, "origin" | "limits" | "notices">;

/** The part of a card that a folder must carry: notices that reading the graph gives anew are left out. */
export function cardToWrite({ card, graph }: Dataset): { readonly name: string; readonly text: string } {
  const anew = new Set(graph.report.notices.map(({ what }) => what));
  const leftOut = card.refused.slice(0, 5).map(({ file, line, reason }) => `${file}, line ${line}: ${reason}`);
  const written: WrittenCard = {
    origin: card.origin,
    limits: card.limits,
    notices: [
      ...card.notices.filter(({ what }) => !anew.has(what)),
      ...(card.refused.length === 0
        ? []
        : [{ what: "rows left out before this folder was written", count: card.refused.length, examples: leftOut }]),
    ],
  };
  return { name: fileName, text: `${JSON.stringify(written, null, 2)}\n` };
}

/** What `card.json` of a folder states; nothing where there is none. */
export async function readWrittenCard(place: string, folder: string): Promise<WrittenCard> {
  const path = join(folder, fileName);
  if (!existsSync(path)) return { origin: "not stated", limits: [], notices: [] };
  const where = `${place}: ${fileName}`;
  const card = parseJson(await readText(path, { place, maxBytes: 16 * 2 ** 20 }), place, fileName);
  refuseUnknown(where, card, ["origin", "limits", "notices"], "field");
  const { origin = "not stated", limits = [], notices = [] } = card as Partial<Record<keyof WrittenCard, unknown>>;
  checkOrigin(where, origin);
  if (!isTexts(limits))
    throw new MkgError(where, `limits is not a list of strings (${quote(limits)})`, "A list of texts", "Mend it");
  if (
    !Array.isArray(notices) ||
    !notices.every(
      (n) => isFields(n) && typeof n.what === "string" && Number.isSafeInteger(n.count) && isTexts(n.examples),
    )
  )
    throw new MkgError(
      where,
      `notices is not a list of what, count, examples (${quote(notices)})`,
      '[{"what": "…", "count": 1, "examples": ["…"]}]',
      "Mend it",
    );
  return { origin, limits, notices: notices as WrittenCard["notices"] };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
