import { integer, type OptionSpecs, oneOf } from "../../core/index.js";
import type { Split } from "./questions.js";

/** Options of `loadDataset("atlas", …)`. */
export const atlasOptions = {
  seed: integer({ min: 0, default: 0, doc: "which questions are asked, in which words, and how flags are shown" }),
  split: oneOf(["train", "validation", "test"], {
    default: "test",
    doc: "which countries are asked about: fixed shares of 25, 15 and 60 %",
  }),
  perKind: integer({ min: 1, max: 200, default: 80, doc: "questions of each of the five kinds" }),
} as const satisfies OptionSpecs;

export interface AtlasOptions {
  readonly seed?: number;
  readonly split?: Split;
  readonly perKind?: number;
}
