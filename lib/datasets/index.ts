export { type Bestiary, type BestiaryOptions, bestiary, bestiaryOptions } from "./bestiary/index.js";
export { type DatasetInput, defineDataset, type QuestionInput } from "./define.js";
export { toQuery } from "./query.js";
export { datasetList, datasetNames, type LoadDatasetOptions, loadDataset } from "./registry.js";
export type { Candidate, Dataset, DatasetCard, SettingName, SettingView } from "./types.js";
