import { integer, type OptionSpecs, oneOf, oneOfForms, real } from "../core/index.js";
import { encoderOption } from "../embed/index.js";
import { keyFrameChoices } from "../media/index.js";
import { searchOrders } from "./orders.js";

/** Options of the walk. α, its cap, the order and the key frames are the factors of MH-MMKG's ablations; the last seven set the scored agents. */
export const walkOptions: OptionSpecs = Object.freeze({
  order: oneOf(
    searchOrders.map((o) => o.name),
    { default: "batch-dfs", doc: "order in which open paths are taken up" },
  ),
  pathCount: integer({ min: 1, default: 5, doc: "α: recorded paths at which the walk ends (5 in the paper)" }),
  cap: oneOf(["strict", "entry"], {
    default: "strict",
    doc: "strict: never more than pathCount paths, as the paper says; entry: looked at only before an entity is expanded, as the released code does, so that more can be recorded (spend.excess)",
  }),
  cycles: oneOf(["skip", "record"], {
    default: "skip",
    doc: "a neighbour that is already on the path: skip it, or record the path with the repeated entity at its end unvalidated, as the released code does",
  }),
  phaseRule: oneOf(["one", "released", "off"], {
    default: "one",
    doc: "one: of several chosen phases one, drawn at random, stays, and all else stays; released: if a phase is among several chosen items, one item of all, drawn at random, stays; off: all stay",
  }),
  maxDepth: integer({
    min: 1,
    default: 8,
    doc: "edges on a path at most (the released code has no limit; gold paths of MH-MMKG have at most 4)",
  }),
  maxCalls: integer({
    min: 1,
    default: 1000,
    doc: "agent calls per question at most; bounds a walk on a graph with many cycles",
  }),
  keyFrames: oneOfForms(Object.keys(keyFrameChoices), {
    default: "all",
    doc: "frames of the query's and of the entities' clips that are compared",
  }),
  textEncoder: encoderOption("text", { default: "hash", doc: "encoder of question and edge text" }),
  imageEncoder: encoderOption("image", { default: "pixels", doc: "encoder of frames" }),
  breadth: integer({ min: 1, default: 4, doc: "edges followed from one entity at most" }),
  margin: real({
    min: 0,
    max: 1,
    default: 0.1,
    doc: "an edge is followed when its probability is at least this share of its best sibling's",
  }),
  temperature: real({
    min: 1e-6,
    max: 100,
    default: 0.1,
    doc: "of the softmax over sibling edges; lower trusts the similarities more",
  }),
  mentionWeight: real({
    min: 0,
    max: 100,
    default: 0.5,
    doc: "weight of an edge whose tail or condition the question names, beside a cosine of 1",
  }),
  imageWeight: real({
    min: 0,
    max: 100,
    default: 0.1,
    doc: "weight of the image similarity (standardised over siblings) beside the cosine of the texts",
  }),
  lookahead: real({
    min: 0,
    max: 1,
    default: 0.9,
    doc: "an edge counts as fitting the question at least this share of the best edge beyond it",
  }),
  threshold: real({
    min: 0,
    max: 1,
    default: 0.11,
    doc: "a path is followed when its probability is at least this share of that of the path which takes the best edge at each of its entities",
  }),
});
