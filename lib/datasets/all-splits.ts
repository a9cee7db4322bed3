import { unknownName } from "../core/index.js";
import type { Dataset, SplitName } from "./types.js";

const splitNames: readonly SplitName[] = ["test", "train", "validation"];

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
  for (const split of only)
    if (!splitNames.includes(split)) throw unknownName("datasetSplits", "split", split, splitNames);
  const parts: Dataset[] = [];
  for (const split of dataset.splits.names) if (only.includes(split)) parts.push(await dataset.splits[split]());
  return parts;
}
