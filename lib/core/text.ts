/** Lower-cased words of letters, digits and underscores (Unicode), as Python's `re.findall(r"\w+", text.lower())`. */
export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

// Articles, prepositions, auxiliaries and pronouns, as sets of questions in English use them: they say nothing about what is asked for.
const functionWords = new Set(
  "a an the this that these those it its he she they their of in on at to for from by with as and or is are was were be been does do did has have had will would can could should may might there here what which who whom whose how where when why s".split(
    " ",
  ),
);

/**
 * The words of a text that carry content, lower-cased, one space between: without English function words, and without the
 * words of `label` where they stand together, so that a name shared by question and graph does not drown the rest.
 * O(words × words of the label).
 *
 * @example
 * contentWords("What is a habitat of Red Fox?", "Red Fox"); // "habitat"
 */
export function contentWords(text: string, label = ""): string {
  const all = words(text);
  const name = words(label);
  const out: string[] = [];
  for (let i = 0; i < all.length; i++) {
    if (name.length > 0 && name.every((w, j) => all[i + j] === w)) i += name.length - 1;
    else if (!functionWords.has(all[i] as string)) out.push(all[i] as string);
  }
  return out.join(" ");
}

/** Share of the content words of `part`, those of `label` aside, that `text` says: 0 to 1; 0 when there are none. */
export function shareSaid(part: string, label: string, text: string | ReadonlySet<string>): number {
  const said = typeof text === "string" ? new Set(words(text)) : text;
  const own = contentWords(part, label).split(" ").filter(Boolean);
  return own.length === 0 ? 0 : own.filter((w) => said.has(w)).length / own.length;
}

/** Items by key, keys in order of first appearance. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}
