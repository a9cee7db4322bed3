import type { Dataset } from "../datasets/index.js";
import { markdownTable } from "../figure/index.js";

/** A data card in Markdown: what a data set is, its counts, limits and notices, as its own card states them. */
export function cardMarkdown(dataset: Dataset, options: Readonly<Record<string, unknown>> = {}): string {
  const { name, split, card, licence, citation } = dataset;
  const given = Object.entries(options);
  const lines = (items: readonly string[]) => items.map((item) => `- ${item}`).join("\n");
  const counts = Object.entries(card.counts).map(([what, n]) => ({ what, n }));
  const notices = card.notices.map(
    ({ what, count, examples }) => `${what}: ${count}${examples.length > 0 ? ` (${examples.join(", ")})` : ""}`,
  );
  return [
    `# ${name}: data card`,
    `${card.summary}. Origin: ${card.origin}. Licence: ${licence}.${citation ? ` Citation: ${citation}.` : ""}`,
    `Options: ${given.length === 0 ? "all at their defaults" : given.map(([key, value]) => `\`${key}\` ${value}`).join(", ")}. Counts, limits and notices are those of the ${split} split.`,
    `## Counts\n\n${markdownTable(counts).trimEnd()}`,
    `## Limits\n\n${lines(card.limits)}`,
    ...(notices.length > 0 ? [`## Notices\n\n${lines(notices)}`] : []),
  ]
    .join("\n\n")
    .concat("\n");
}
