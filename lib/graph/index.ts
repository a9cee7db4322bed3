export type { TableInput } from "./columns.js";
export type { GraphDescription } from "./describe.js";
export { type Graph, graphFrom } from "./graph.js";
export { checkImageFile, imageFile } from "./images.js";
export type { Labels } from "./labels.js";
export { type LoadGraphOptions, loadGraph } from "./load.js";
export { readTable, tableFormats } from "./table-file.js";
export type { Direction, Entity, LoadReport, Neighbour, RefusedRow, Triple } from "./types.js";
export { writeGraph } from "./write.js";
