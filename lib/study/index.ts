export { type Ablation, ablation } from "./ablate.js";
export type { ExecuteOptions } from "./execute.js";
export type { Cell, Plan, StudySpec } from "./spec.js";
export { study } from "./study.js";
export type { Report, ReportOptions, Study } from "./types.js";
