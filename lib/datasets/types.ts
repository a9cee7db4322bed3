import type { ColumnTable } from "arquero";
import type { Image, Question } from "../core/index.js";
import type { Graph, LoadReport } from "../graph/index.js";

/** A piece of text that can be ranked and cited as it stands: say, a section of a page. */
export interface Passage {
  readonly id: string;
  readonly text: string;
  /** Title of the page. */
  readonly title?: string;
  /** Id of the page that it is part of. */
  readonly page?: string;
  /** Title of the section. */
  readonly section?: string;
  /** Pictures that stand in it. */
  readonly images: readonly Image[];
}

/** One thing that can be ranked: under a setting, a row of the corpus with its document id. Either a triple or a passage. */
export interface Candidate {
  /** Document id under the setting (in TREC files). */
  readonly id: string;
  /** Id of the triple in the graph. */
  readonly triple?: string;
  /** Id of the passage in the data set. */
  readonly passage?: string;
  /** Of a triple: head, relation and tail labels joined by one space. Of a passage: titles of page and section, then its text. */
  readonly text: string;
  readonly multimodal: boolean;
  /** Of a passage: its pictures. Those of a triple are its entities'. */
  readonly images?: readonly Image[];
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

/**
 * What a reader of numbers must know of the data: origin, counts, what loading saw, and what the data cannot show.
 *
 * `read`, `kept`, `added` count rows by table: `entities` and `triples` of the graph, `questions`, and what else the source has (`passages`,
 * `judgements` …). For each, read = kept + left out − added, and every row left out stands in `refused` with
 * file, line and reason, or, where an option asked for fewer, in a notice with its count.
 */
export interface DatasetCard extends LoadReport {
  readonly summary: string;
  /** "real" data, or "generated" by a program: shown wherever its numbers appear. "not stated" of data whose owner does not say. */
  readonly origin: "real" | "generated" | "not stated";
  readonly counts: Readonly<Record<string, number>>;
  readonly limits: readonly string[];
  /** True when the graph was made from the gold itself: whatever is scored over it is an upper bound and belongs in no table of performance. */
  readonly upperBound?: boolean;
}

/** The splits of a data set. */
export type SplitName = "train" | "validation" | "test";

/** A graph and the questions of one split over it, frozen: what `defineDataset` and `loadDataset` return. */
export interface Dataset {
  readonly name: string;
  readonly split: string;
  readonly graph: Graph;
  readonly questions: readonly Question[];
  /** Empty for a data set whose evidence is the graph's triples. */
  readonly passages: readonly Passage[];
  /** The passage with this id; an unknown id is an error with the nearest known one. */
  passage(id: string): Passage;
  readonly licence: string;
  readonly citation: string;
  readonly card: DatasetCard;
  /** Meta fields of a question that a {@link Query} may show. */
  readonly visibleMeta: readonly string[];
  /** What the cluster column holds, for axis titles and reports: "creature", "head entity" … */
  readonly clusterName: string;
  /** Content hash of graph, questions and passages: part of every cache key. */
  readonly fingerprint: string;
  readonly splits: {
    /** Those that there are, its own among them, in the order test, train, validation. */
    readonly names: readonly SplitName[];
    train(): Promise<Dataset>;
    validation(): Promise<Dataset>;
    test(): Promise<Dataset>;
  };
  /** Columns id, text, answers, group, cluster, images (count). */
  questionTable(): ColumnTable;
  /** Settings this data set can be evaluated under; empty when it has a single one. */
  readonly settings: readonly SettingName[];
  /** The questions and candidates of a setting; without a name, all questions over all passages, or over all triples where there are none. */
  setting(name?: SettingName): SettingView;
}
