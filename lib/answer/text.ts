import { contentWords, words } from "../core/index.js";

/** Whether `part` stands in `text`, word for word, case folded. */
export function standsIn(part: string, text: string): boolean {
  const needle = words(part);
  return needle.length > 0 && ` ${words(text).join(" ")} `.includes(` ${needle.join(" ")} `);
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
