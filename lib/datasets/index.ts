export { datasetSplits } from "./all-splits.js";
export { type Bestiary, type BestiaryOptions, bestiary, bestiaryOptions } from "./bestiary/index.js";
export { type CaptionOptions, captionDataset } from "./captions.js";
export type { CardInput } from "./card.js";
export { type DatasetInput, defineDataset, splitOf } from "./define.js";
export {
  type CheckedFile,
  checkFiles,
  type FetchDatasetOptions,
  type FetchedFile,
  type FetchReport,
  fetchDataset,
} from "./fetch.js";
export { type DatasetSource, datasetSources, type SourceFile } from "./manifest.js";
export { type PassageInput, passageText } from "./passages.js";
export { toQuery } from "./query.js";
export { type QuestionInput, relevantTriples } from "./question.js";
export { ragBenchSplit, type SplitIds } from "./rag-bench-split.js";
export { type DatasetSummary, datasetList, datasetNames, type LoadDatasetOptions, loadDataset } from "./registry.js";
export type { Candidate, Dataset, DatasetCard, Passage, SettingName, SettingView, SplitName } from "./types.js";
export { type WriteDatasetOptions, type WrittenDataset, writeDataset } from "./write.js";
