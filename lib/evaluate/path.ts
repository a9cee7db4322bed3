import type { MeasureEntry, PathInput } from "./measure.js";

/**
 * Gold paths that were found, node for node. A gold path listed twice counts once, unlike the released MH-MMKG script;
 * a found path listed twice counts twice in the divisor of precision and Jaccard, like there.
 */
function agreement({ paths, gold }: PathInput): { common: number; gold: number; found: number } {
  const key = (path: readonly string[]) => JSON.stringify(path);
  const wanted = new Set(gold.map(key));
  const got = new Set(paths.map(key));
  let common = 0;
  for (const path of wanted) if (got.has(path)) common++;
  return { common, gold: wanted.size, found: paths.length };
}

const citation = "MH-MMKG (arXiv 2506.17589), path agreement";

/** Agreement of whole paths. Nothing found gives 0; a run that retrieves no paths at all is not measured by them. */
export const pathMeasures: readonly MeasureEntry<"paths">[] = [
  {
    name: "PathRecall",
    doc: "share of the gold paths that were found, node for node",
    citation,
    needs: "paths",
    cutoff: "none",
    compute(input) {
      const { common, gold } = agreement(input);
      return gold === 0 ? null : common / gold;
    },
  },
  {
    name: "PathPrecision",
    doc: "gold paths that were found over all paths retrieved",
    citation,
    needs: "paths",
    cutoff: "none",
    compute(input) {
      const { common, found } = agreement(input);
      return found === 0 ? 0 : common / found;
    },
  },
  {
    name: "PathJaccard",
    doc: "gold paths that were found over gold and retrieved paths together",
    citation,
    needs: "paths",
    cutoff: "none",
    compute(input) {
      const { common, gold, found } = agreement(input);
      return found === 0 ? 0 : common / (gold + found - common);
    },
  },
];
