export { type BuildState, buildState } from "./build.js";
export { mimeBundle } from "./bundle.js";
export type { CellOutput } from "./format.js";
export { TSLAB_VERSION } from "./process.js";
export {
  type ExecutedCell,
  NotebookError,
  type NotebookOptions,
  type NotebookResult,
  runNotebook,
} from "./run.js";
export { type Display, show } from "./show.js";
export type { MimeBundle, ShowOptions } from "./types.js";
