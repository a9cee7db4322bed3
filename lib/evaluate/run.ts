import { type ColumnTable, table } from "arquero";
import { type Answer, type Evidence, hitId, MkgError, type Query, unknownName } from "../core/index.js";
import type { Dataset, SettingView } from "../datasets/index.js";

/** One question of a run. `evidence` is null when the retriever failed on it, and `error` says how. */
export interface RunItem {
  /** Question id under the run's setting, as in the data set's files. */
  readonly id: string;
  /** Id of the question in `dataset.questions`. */
  readonly question: string;
  readonly query: Query;
  readonly evidence: Evidence | null;
  readonly answer: Answer | null;
  readonly error?: string;
}

/** Evidence, and answers once there are any, of all questions under one resolved configuration. */
export interface Run {
  readonly label: string;
  readonly dataset: Dataset;
  readonly setting: SettingView;
  readonly k: number;
  readonly seed: number;
  /** The resolved configuration, as plain JSON. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly items: readonly RunItem[];
  /** Columns question, rank (from 1), id, score, via. */
  readonly rows: ColumnTable;
  /** By question id; an unknown id is an error. */
  get(id: string): RunItem;
}

/** A run from its parts; items keep their order. */
export function makeRun(parts: Omit<Run, "rows" | "get">): Run {
  const byId = new Map(parts.items.map((item) => [item.id, item]));
  if (byId.size !== parts.items.length)
    throw new MkgError("makeRun", "two items have the same question id", "Ids are distinct");
  return Object.freeze({
    ...parts,
    get rows() {
      const question: string[] = [];
      const rank: number[] = [];
      const id: string[] = [];
      const score: number[] = [];
      const via: string[] = [];
      for (const item of parts.items)
        item.evidence?.hits.forEach((hit, i) => {
          question.push(item.id);
          rank.push(i + 1);
          id.push(hitId(hit));
          score.push(hit.score);
          via.push(hit.via ?? "");
        });
      return table({ question, rank, id, score, via });
    },
    get(id: string): RunItem {
      const item = byId.get(id);
      if (!item) throw unknownName("run.get", "question id", id, byId.keys());
      return item;
    },
  });
}
