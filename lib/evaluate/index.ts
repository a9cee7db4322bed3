export { answerTokens } from "./answer.js";
export { captionRun, captionTokens } from "./captions.js";
export { type Conventions, conventionOptions, evaluateFiles, type FileResult } from "./files.js";
export type { AnswerInput, Measure, MeasureInputs, MeasureSpec, PathInput, RankingInput } from "./measure.js";
export { defineMeasure, type MeasureRow, measureNames, measureNeeds, measureTable, parseMeasure } from "./measures.js";
export { makeRun, type Run, type RunItem } from "./run.js";
export { score } from "./score.js";
export { type RunFileOptions, readQrels, readRunFile, writeQrels, writeTrec } from "./trec.js";
