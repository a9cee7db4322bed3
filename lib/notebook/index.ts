export { type BuildState, buildState } from "./build.js";
export type { CellOutput } from "./format.js";
export {
  type ExecutedCell,
  NotebookError,
  type NotebookOptions,
  type NotebookResult,
  runNotebook,
  TSLAB_VERSION,
} from "./run.js";
