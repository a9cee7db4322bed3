export { answerTokens } from "./answer.js";
export { evaluateFiles } from "./files.js";
export type { Measure } from "./measure.js";
export { defineMeasure, measureNames, measureNeeds, parseMeasure } from "./measures.js";
export { makeRun, type Run, type RunItem } from "./run.js";
export { score } from "./score.js";
export { readQrels, readRunFile, writeTrec } from "./trec.js";
