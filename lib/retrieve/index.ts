export { control, controlNames, controlOptions, controlSummary, controlWraps } from "./control.js";
export { defineRetriever, type ResolvedRetriever, type RetrieverDefinition, resolveRetriever } from "./define.js";
export { readRun, type WrittenRun, writeRun } from "./files.js";
export { retriever, retrieverCitation, retrieverNames, retrieverOptions } from "./retriever.js";
export { prepareRetriever, retrieve } from "./run.js";
export type { PrepareContext, Retriever, RetrieverContext } from "./types.js";
