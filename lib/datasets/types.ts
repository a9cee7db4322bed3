import type { ColumnTable } from "arquero";
import type { Question } from "../core/index.js";
import type { Graph, LoadReport } from "../graph/index.js";

/** One thing that can be ranked: under a setting, a row of the corpus with its document id. */
export interface Candidate {
  /** Document id under the setting (in TREC files). */
  readonly id: string;
  /** Id of the triple in the graph. */
  readonly triple: string;
  /** Text of the triple: head, relation and tail labels joined by one space. */
  readonly text: string;
  readonly multimodal: boolean;
}

/** Which questions meet which triples (MKG-RAG-Bench, section 4 of its paper). */
export type SettingName = "S1" | "S2" | "S3" | "S4" | "S5";

/** What one setting asks and what may be ranked for it; deeply frozen. */
export interface SettingView {
  readonly name: SettingName | "all";
  /** Question id in the files of this setting → question. Order: as evaluated. */
  readonly questions: readonly { readonly id: string; readonly question: Question }[];
  readonly candidates: readonly Candidate[];
}

/** What a reader of numbers must know of the data: origin, counts, what loading noticed, and what the data cannot show. */
export interface DatasetCard {
  readonly summary: string;
  /** "real" data, or "generated" by a program of this project: shown wherever its numbers appear. */
  readonly origin: "real" | "generated";
  readonly counts: Readonly<Record<string, number>>;
  readonly notices: LoadReport["notices"];
  readonly limits: readonly string[];
}

/** A graph and the questions of one split over it, frozen: what `defineDataset` and `loadDataset` return. */
export interface Dataset {
  readonly name: string;
  readonly split: string;
  readonly graph: Graph;
  readonly questions: readonly Question[];
  readonly licence: string;
  readonly citation: string;
  readonly card: DatasetCard;
  /** Meta fields of a question that a {@link Query} may show. */
  readonly visibleMeta: readonly string[];
  /** What the cluster column holds, for axis titles and reports: "creature", "head entity" … */
  readonly clusterName: string;
  /** Content hash of graph and questions: part of every cache key. */
  readonly fingerprint: string;
  readonly splits: {
    train(): Promise<Dataset>;
    validation(): Promise<Dataset>;
    test(): Promise<Dataset>;
  };
  /** Columns id, text, answers, group, cluster, images (count). */
  questionTable(): ColumnTable;
  /** Settings this data set can be evaluated under; empty when it has a single one. */
  readonly settings: readonly SettingName[];
  /** The questions and candidates of a setting; without a name, all questions over all triples. */
  setting(name?: SettingName): SettingView;
}
