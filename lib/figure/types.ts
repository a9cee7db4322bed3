import type { ColumnTable } from "arquero";
import type { OptionSpecs } from "../core/index.js";

/** Summary rows as an Arquero table or as an array of plain objects: one row for each mark. */
export type Rows = ColumnTable | readonly Readonly<Record<string, unknown>>[];

/** One picture of given rows. Immutable; the drawing itself is made when asked for. */
export interface Chart {
  readonly name: string;
  /** Vega-Lite v6 specification with the drawn rows inline; plain frozen JSON. `usermeta.mkglab` holds the mark and what was not drawn. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** The given rows, in their order, with the columns that the chart uses. */
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** Width of the whole picture in inches. */
  readonly widthInches: number;
  /** The text that says what kind of data this is ("simulated"), or null. */
  readonly mark: string | null;
  /** What could not be drawn as given, and what was done instead. */
  readonly warnings: readonly string[];
  /** SVG text; its labels stay text. */
  svg(): Promise<string>;
  /** One PDF page of the picture's size, the packaged font embedded as a subset. */
  pdf(): Promise<Uint8Array>;
  /** PNG of `Math.round(widthInches × 96 × scale)` pixels' width; `scale` 2 unless told, 300/96 for print. */
  png(scale?: number): Promise<Uint8Array>;
  /** The same chart laid out anew at another width (not scaled: type keeps its size). */
  resize(widthInches: number): Chart;
}

/** One row after checking: the texts are fit for display, the numbers are finite. */
export interface Point {
  /** Its place in the given rows, from 1. */
  readonly row: number;
  readonly level: string;
  /** The level as a number, for numeric factors; NaN-free: 0 where the chart takes categories. */
  readonly x: number;
  readonly series: string;
  /** Null: not drawn, and `reason` says why. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number | null;
  readonly nMissing: number;
  readonly p: number | null;
  readonly reason: string;
}

/** A point that is drawn. */
export type Drawn = Point & { readonly value: number };

/** What a chart's `build` gets. */
export interface ChartInput {
  readonly points: readonly Point[];
  readonly drawn: readonly Drawn[];
  /** Distinct levels and series in order of first appearance. */
  readonly levels: readonly string[];
  readonly series: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** Column names behind the channels; undefined where the rows have none. */
  readonly columns: Readonly<Record<string, string | undefined>>;
  readonly widthPx: number;
}

/** What a chart's `build` gives: the part of the specification that is its own. */
export interface ChartParts {
  /** The drawn rows under the names that the layers use: whatever the columns are called, no name needs escaping. */
  readonly values: readonly object[];
  readonly layer: readonly object[];
  /** Height of the plot without titles and axes, CSS px. */
  readonly heightPx: number;
  /** Sentences about what is drawn, shown under the title. */
  readonly notes: readonly string[];
  /** True: n stands beside each level, and the notes need not say it. */
  readonly nShown: boolean;
}

/** One entry of the table of charts. */
export interface ChartEntry {
  readonly name: string;
  /** What it shows and for what. */
  readonly doc: string;
  /** True: `x` holds numbers. False: `x` holds categories. */
  readonly numericX: boolean;
  readonly options: OptionSpecs;
  build(input: ChartInput): ChartParts;
}
