// Every public name, by stage. No code.

// tables are Arquero's: named here so that a cell's inferred types can be written wherever the notebook lies
export type { ColumnTable } from "arquero";
export { answer, type Reader, type ReaderContext, reader, readerNames } from "./answer/index.js";
export {
  type Answer,
  type Evidence,
  type Gold,
  type Hit,
  type Image,
  MkgError,
  type OnProgress,
  type ProgressEvent,
  type Query,
  type Question,
  type Random,
  random,
  type Score,
  type ScoreStatus,
  SetupError,
  words,
} from "./core/index.js";
export {
  type Candidate,
  type Dataset,
  type DatasetCard,
  datasetList,
  datasetNames,
  defineDataset,
  loadDataset,
  type SettingName,
  type SettingView,
  toQuery,
} from "./datasets/index.js";
export {
  type Encoder,
  embed,
  encoder,
  encoderNames,
  openIndex,
  type VectorIndex,
  type Vectors,
} from "./embed/index.js";
export {
  defineMeasure,
  evaluateFiles,
  type Measure,
  measureNames,
  parseMeasure,
  type Run,
  type RunItem,
  score,
} from "./evaluate/index.js";
export {
  type Chart,
  type ChartOptions,
  chart,
  charts,
  latexTable,
  markdownTable,
  type Rows,
  saveFigure,
  venues,
} from "./figure/index.js";
export {
  type Direction,
  type Entity,
  type Graph,
  graphFrom,
  type LoadReport,
  loadGraph,
  type Neighbour,
  readTable,
  type Triple,
  writeGraph,
} from "./graph/index.js";
export {
  bytesImage,
  fileImage,
  type KeyFrames,
  keyFrameChoices,
  type Pixels,
  pixels,
  selectFrames,
} from "./media/index.js";
export { type MimeBundle, runNotebook, show } from "./notebook/index.js";
export {
  control,
  controlNames,
  defineRetriever,
  type Retriever,
  type RetrieverContext,
  readRun,
  retrieve,
  retriever,
  retrieverCitation,
  retrieverNames,
  writeRun,
} from "./retrieve/index.js";
export { type Comparison, compare, comparePairs, type Interval, interval } from "./stats/index.js";
export { ablation, type Study, type StudySpec, saveReport, study } from "./study/index.js";
export { type Agents, scoredAgents } from "./walk/index.js";
