import { words } from "../core/index.js";

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

/** Whether `part` stands in `text`, word for word, case folded. */
export function standsIn(part: string, text: string): boolean {
  const needle = words(part);
  return needle.length > 0 && ` ${words(text).join(" ")} `.includes(` ${needle.join(" ")} `);
}

/** Share of the content words of `part`, those of `label` aside, that `text` says: 0 to 1; 0 when there are none. */
export function shareSaid(part: string, label: string, text: string | ReadonlySet<string>): number {
  const said = typeof text === "string" ? new Set(words(text)) : text;
  const own = contentWords(part, label).split(" ").filter(Boolean);
  return own.length === 0 ? 0 : own.filter((w) => said.has(w)).length / own.length;
}

const openers = new Set(["when", "if", "only", "once"]);

/** What makes two answers to one question the same: their content words, without those that the question says already. */
export function answerKey(answer: string, question: string): string {
  const asked = new Set(words(question));
  const content = contentWords(answer)
    .split(" ")
    .filter((w) => w !== "" && !openers.has(w));
  const added = content.filter((w) => !asked.has(w));
  // a name may be made of function words alone ("The Who"); then every word counts
  return (added.length > 0 ? added : content.length > 0 ? content : words(answer)).join(" ");
}
