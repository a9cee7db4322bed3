export { answerTokens } from "./answer.js";
export { captionRun, captionTokens } from "./captions.js";
export { evaluateFiles, type FileResult } from "./files.js";
export type { AnswerInput, Measure, MeasureInputs, MeasureSpec, PathInput, RankingInput } from "./measure.js";
export { defineMeasure, measureNames, measureNeeds, parseMeasure } from "./measures.js";
export { makeRun, type Run, type RunItem } from "./run.js";
export { score } from "./score.js";
export { readQrels, readRunFile, writeTrec } from "./trec.js";
