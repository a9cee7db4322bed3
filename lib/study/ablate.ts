import type { Dataset } from "../datasets/index.js";
import { hasImages, type StudySpec } from "./spec.js";

/** Factors and controls of the standard ablation that a data set leaves no room for, each with its reason. */
export interface Ablation {
  readonly spec: StudySpec;
  readonly notApplicable: readonly { readonly what: string; readonly reason: string }[];
}

/**
 * The standard ablation suite for a data set: `mkglab ablate`.
 *
 * Base: the walk (batch-dfs, α = 5, all frames) where questions have gold paths, else bm25 at k = 100 (setting S2 where there are
 * settings). Varied one at a time: path count α = 1 … 5, key frames none/first/human/all, search order, and the flat
 * retrievers. Both readers where there are answers; the learned one where there is a training split. All controls that
 * apply. What does not apply is listed with its reason, never left out silently.
 */
export async function ablation(
  dataset: Dataset,
  options: { seeds?: readonly number[]; dir?: string } = {},
): Promise<Ablation> {
  const notApplicable: { what: string; reason: string }[] = [];
  const some = (test: (q: Dataset["questions"][number]) => unknown) => dataset.questions.some(test);
  const walks = some((q) => q.gold?.paths?.length);
  const answers = some((q) => q.answers.length > 0);
  const readers: string[] = [];
  if (answers) {
    readers.push("extractive");
    const trained = await dataset.splits.train().then(
      (train) => train.questions.length > 0,
      () => false,
    );
    if (trained) readers.push("learned");
    else notApplicable.push({ what: "reader learned", reason: `${dataset.name} has no training split` });
  } else notApplicable.push({ what: "readers", reason: `${dataset.name} has no answers` });

  const vary: Record<string, readonly unknown[]> = {};
  if (walks) {
    Object.assign(vary, {
      pathCount: [1, 2, 3, 4, 5],
      keyFrames: ["none", "first", "human", "all"],
      order: ["batch-dfs", "bfs", "dfs"],
      retriever: ["random", "bm25", "text"],
    });
    if (!hasImages(dataset)) {
      delete vary.keyFrames;
      notApplicable.push({ what: "keyFrames", reason: "the data set has no images" });
    }
  } else {
    vary.retriever = ["random", "text"];
    for (const what of ["pathCount", "keyFrames", "order"])
      notApplicable.push({
        what,
        reason: `an option of the walk, and the questions of ${dataset.name} have no gold paths to walk for`,
      });
  }
  if (readers.length > 1) vary.reader = readers;
  return {
    notApplicable,
    spec: {
      dataset,
      base: {
        retriever: walks ? "walk" : "bm25",
        ...(readers[0] ? { reader: readers[0] } : {}),
        k: walks ? 5 : 100,
        ...(dataset.settings.length > 0 ? { setting: "S2" } : {}),
      },
      vary,
      ...(readers.length > 1 ? { cross: ["reader"] } : {}),
      seeds: options.seeds ?? [0, 1, 2],
      ...(options.dir ? { dir: options.dir } : {}),
    },
  };
}
