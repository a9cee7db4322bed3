export { type Column, type Columns, TextColumn } from "./columns.js";
export type { Components } from "./components.js";
export { type Danfo, fromDanfo, toDanfo } from "./danfo.js";
export type { DegreeSummary, GraphDescription } from "./describe.js";
export type { SourceRows } from "./formats/format.js";
export { parseJson } from "./formats/json-text.js";
export {
  type ReadOptions,
  type ReadTableOptions,
  readRows,
  readTable,
  splitName,
  tableFormats,
} from "./formats/table.js";
export { readSheet } from "./formats/xlsx.js";
export { type Graph, graphFrom } from "./graph.js";
export { type ImageCell, imagesOf } from "./images/cells.js";
export {
  checkImageFile,
  type Fetcher,
  type FetchOptions,
  fileImage,
  frameFolder,
  frozenImage,
  type ImageFormat,
  imageFile,
  imageFormat,
  imageReference,
  naturalOrder,
  type OpenImageOptions,
  openImage,
  openImages,
} from "./images/open.js";
export { type LoadGraphOptions, loadGraph } from "./load/load.js";
export type { GraphFiles } from "./load/sources.js";
export type { CellType } from "./load/typed.js";
export { Noticing } from "./notices.js";
export type { Neighbourhood, Reached } from "./reach.js";
export type { GraphPath, GraphPaths } from "./routes.js";
export type { TextOptions } from "./text.js";
export type { Direction, Entity, LoadReport, Neighbour, Notice, RefusedRow, Triple } from "./types.js";
export { type WriteGraphOptions, writeGraph } from "./write/write.js";
