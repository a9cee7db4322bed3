export type { GraphDescription } from "./describe.js";
export { type Graph, graphFrom } from "./graph.js";
export { checkImageFile, frozenImage, imageFile } from "./images.js";
export { type LoadGraphOptions, loadGraph } from "./load.js";
export { readTable } from "./table-file.js";
export type { Direction, Entity, LoadReport, Neighbour, Triple } from "./types.js";
export { writeGraph } from "./write.js";
