import { MkgError, type Question, quote, refuseUnknown } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import { checkOrigin } from "./about.js";
import { noticed } from "./noticed.js";
import { plainCopy } from "./plain.js";
import type { DatasetCard, Passage } from "./types.js";

/** What a data set's author says about it; whatever is left out is filled in. */
export type CardInput = Partial<DatasetCard>;

const cardKeys = [
  "summary",
  "origin",
  "counts",
  "limits",
  "upperBound",
  "read",
  "kept",
  "added",
  "repaired",
  "notices",
  "refused",
] as const satisfies readonly (keyof DatasetCard)[];

/** What was made of the input. */
export interface CardFacts {
  readonly graph: Graph;
  /** Questions that came in. */
  readonly given: number;
  readonly questions: readonly Question[];
  readonly passages: readonly Passage[];
  /** Steps of gold paths that several triples fit. */
  readonly unclear: readonly string[];
  /** Questions left out by lenient reading. */
  readonly refused: DatasetCard["refused"];
}

/** The card: what the graph's loading saw, what the author states, and what making the data set left out or found unclear. */
export function makeCard(place: string, given: CardInput = {}, facts: CardFacts): DatasetCard {
  const where = `${place}, card`;
  refuseUnknown(where, given, cardKeys);
  const { origin = "not stated", upperBound = false } = given;
  checkOrigin(where, origin);
  if (typeof upperBound !== "boolean")
    throw new MkgError(where, `upperBound is not true or false (${quote(upperBound)})`);
  const { graph, questions, passages, unclear } = facts;
  const { report } = graph;
  const notices = [...report.notices, ...(given.notices ?? [])];
  notices.push(
    ...noticed(
      "steps of gold paths without triple ids that several triples fit: the first in triple order is taken",
      unclear,
    ),
  );
  notices.push(
    ...noticed(
      "passages without text",
      passages.filter(({ text }) => text.trim() === "").map(({ id }) => id),
    ),
  );
  const ownPassages: Record<string, number> = passages.length > 0 ? { passages: passages.length } : {};
  const noneAdded: Record<string, number> = passages.length > 0 ? { passages: 0 } : {};
  return plainCopy(place, "card", {
    summary: given.summary ?? "",
    origin,
    counts: {
      entities: graph.entities.numRows(),
      triples: graph.triples.numRows(),
      questions: questions.length,
      ...ownPassages,
      ...given.counts,
    },
    limits: [...(given.limits ?? [])],
    ...(upperBound ? { upperBound } : {}),
    read: { ...report.read, ...ownPassages, questions: facts.given, ...given.read },
    kept: { ...report.kept, ...ownPassages, ...given.kept, questions: questions.length },
    added: { ...report.added, ...noneAdded, questions: 0, ...given.added },
    repaired: [...(report.repaired ?? []), ...(given.repaired ?? [])],
    notices,
    refused: [...report.refused, ...(given.refused ?? []), ...facts.refused],
  });
}
