export { answer, prepareReader } from "./answer.js";
export { isTableReader, type ResolvedReader, reader, readerNames, readerOptions, resolveReader } from "./table.js";
export type { FitContext, Reader, ReaderContext, ReaderEntry } from "./types.js";
