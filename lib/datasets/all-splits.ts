import { MkgError } from "../core/index.js";
import type { Dataset, SplitName } from "./types.js";

/**
 * The splits that a data set has, made or read, in the order test, train, validation.
 *
 * @param only which of them are wanted; default all. One that is not there is left out.
 * @example
 * (await datasetSplits(await loadDataset("atlas"))).map((part) => part.split);   // ["test", "train", "validation"]
 */
export async function datasetSplits(
  dataset: Dataset,
  only: readonly SplitName[] = ["test", "train", "validation"],
): Promise<Dataset[]> {
  const parts: Dataset[] = [];
  for (const split of ["test", "train", "validation"] as const) {
    if (!only.includes(split)) continue;
    try {
      parts.push(await dataset.splits[split]());
    } catch (error) {
      // the words of defineDataset; whatever else is wrong with a split is the caller's to hear
      if (!(error instanceof MkgError) || error.problem !== `there is no ${split} split`) throw error;
    }
  }
  return parts;
}
