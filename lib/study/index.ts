export { ablation } from "./ablate.js";
export type { ExecuteOptions } from "./execute.js";
export { type Report, type ReportOptions, saveReport } from "./report.js";
export type { Cell, Plan, StudySpec } from "./spec.js";
export { type Study, study } from "./study.js";
