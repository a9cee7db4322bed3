export { type DatasetInput, defineDataset, type QuestionInput } from "./define.js";
export { toQuery } from "./query.js";
export type { Candidate, Dataset, DatasetCard, SettingName, SettingView } from "./types.js";
