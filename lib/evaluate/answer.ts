import type { AnswerInput, MeasureEntry } from "./measure.js";

// ASCII symbols that SQuAD's script strips beside what Unicode calls punctuation
const punctuation = /[\p{P}$+<=>^`|~]/gu;
/** Characters of scripts that put no space between words: each is a token. */
export const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/gu;
const articles = new Set(["a", "an", "the"]);

/**
 * Tokens by which answers are compared: lower-cased, punctuation removed, split on white space, each Chinese or
 * Japanese character a token of its own, English articles dropped.
 *
 * As the SQuAD script (Rajpurkar et al. 2016, arXiv 1606.05250), with punctuation by Unicode property instead of an
 * ASCII list, and characters as tokens for scripts without spaces (as XQuAD and DRCD do). Departure: a step that
 * would leave nothing is skipped, so that the answer "A" is not the same as "the" or as nothing.
 *
 * @param text Any text; composed and decomposed letters (é) are the same.
 * @returns Tokens in order.
 * @example
 * answerTokens("The 《北京》, 2008年!");
 * // [ "北", "京", "2008", "年" ]
 */
export function answerTokens(text: string): string[] {
  const lower = text.normalize("NFC").toLowerCase();
  const bare = lower.replace(punctuation, "");
  const spaced = (bare.trim() ? bare : lower).replace(unspaced, " $& ");
  const tokens = spaced.split(/\s+/u).filter(Boolean);
  const kept = tokens.filter((token) => !articles.has(token));
  return kept.length > 0 ? kept : tokens;
}

const equal = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((token, i) => token === b[i]);

/** Overlap of the two bags of tokens: harmonic mean of precision and recall. */
export function f1(predicted: readonly string[], gold: readonly string[]): number {
  const left = new Map<string, number>();
  for (const token of gold) left.set(token, (left.get(token) ?? 0) + 1);
  let common = 0;
  for (const token of predicted) {
    const count = left.get(token) ?? 0;
    if (count > 0) {
      common++;
      left.set(token, count - 1);
    }
  }
  return common === 0 ? 0 : (2 * common) / (predicted.length + gold.length);
}

const contains = (text: readonly string[], part: readonly string[]): boolean =>
  part.length > 0 && text.some((_, at) => part.every((token, i) => text[at + i] === token));

/** The best value over the accepted answers; 0 when the reader abstained. */
const best =
  (compare: (predicted: readonly string[], gold: readonly string[]) => number) =>
  ({ text, accepted }: AnswerInput): number => {
    if (text === null) return 0;
    const predicted = answerTokens(text);
    return accepted.reduce((top, answer) => Math.max(top, compare(predicted, answerTokens(answer))), 0);
  };

const squad = "Rajpurkar et al. 2016, arXiv 1606.05250";

/** Measures of answers. An abstention is an answer that earns 0, not a missing value; AnswerRate tells how many there were. */
export const answerMeasures: readonly MeasureEntry<"answer">[] = [
  {
    name: "EM",
    doc: "1 when the answer's tokens equal those of an accepted answer, else 0",
    citation: squad,
    needs: "answer",
    cutoff: "none",
    compute: best((predicted, gold) => (gold.length > 0 && equal(predicted, gold) ? 1 : 0)),
  },
  {
    name: "F1",
    doc: "overlap of the bags of tokens of the answer and of the best accepted answer",
    citation: squad,
    needs: "answer",
    cutoff: "none",
    compute: best(f1),
  },
  {
    name: "Contains",
    doc: "1 when the tokens of an accepted answer stand in the answer, together and in order, else 0",
    citation:
      "Contains@1 of MKG-RAG-Bench (arXiv 2606.26458), on tokens instead of characters, so that ant is not in elephant",
    needs: "answer",
    cutoff: "none",
    compute: best((predicted, gold) => (contains(predicted, gold) ? 1 : 0)),
  },
  {
    name: "AnswerRate",
    doc: "1 when the reader gave an answer, 0 when it abstained",
    citation: "",
    needs: "answer",
    gold: false,
    cutoff: "none",
    compute: ({ text }) => (text === null ? 0 : 1),
  },
];
