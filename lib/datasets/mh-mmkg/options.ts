import { flag, type OptionSpecs, oneOf, textOption } from "../../core/index.js";

export const mhMmkgOptions: OptionSpecs = Object.freeze({
  merge: oneOf(["union", "as-released"], {
    default: "union",
    doc: "how the monsters' sheets become one graph. union: every row counts, parallel edges stay; as-released: a later monster's entity, and all edges of its head, replace an earlier one's",
  }),
  duplicates: oneOf(["apart", "as-released"], {
    default: "apart",
    doc: "questions with the same File. apart: each row is a question (238); as-released: one question, with the text of the last row and the answer and gold of the first (237)",
  }),
  captions: textOption({
    default: "human",
    doc: "captions of entities: human, none, or a model's name for mmkg/kg_offline_<model>.json",
  }),
  questionCaptions: textOption({
    default: "none",
    doc: "caption of the battle screen that queries show as meta.perception: none, human, or a model's name for questions_mh/question_offline_<model>.json",
  }),
  useName: flag({
    default: true,
    doc: "whether questions and meta.monster name the monster; text-only questions always do in their text",
  }),
  useHint: flag({
    default: true,
    doc: "whether questions hold the hint of the column Extra Information, and meta.hint",
  }),
});

export type Merge = "union" | "as-released";

export interface MhMmkgOptions {
  /** Data root. */
  readonly dir: string;
  readonly lenient: boolean;
  readonly merge: Merge;
  readonly duplicates: "apart" | "as-released";
  readonly captions: string;
  readonly questionCaptions: string;
  readonly useName: boolean;
  readonly useHint: boolean;
}
