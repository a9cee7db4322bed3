import { byCodeUnit, type Question } from "../core/index.js";

/** The one answer that is right for most of the questions, and for how many; of equals, the first in code-unit order. */
export function majority(
  questions: readonly Question[],
): { readonly answer: string; readonly hits: number } | undefined {
  const count = new Map<string, number>();
  for (const q of questions) for (const a of new Set(q.answers)) count.set(a, (count.get(a) ?? 0) + 1);
  return [...count]
    .map(([answer, hits]) => ({ answer, hits }))
    .sort((a, b) => b.hits - a.hits || byCodeUnit(a.answer, b.answer))[0];
}
