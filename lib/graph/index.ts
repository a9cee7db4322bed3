export type { TableInput } from "./columns.js";
export type { GraphDescription } from "./describe.js";
export { type Graph, graphFrom } from "./graph.js";
export type { Direction, Entity, LoadReport, Neighbour, Triple } from "./types.js";
