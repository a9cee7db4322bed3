import { integer, type OptionSpecs, oneOf, real } from "../../core/index.js";
import { creatureNames } from "./vocabulary.js";

/** What shapes a world, with ranges and defaults. Part of the public table of options: `loadDataset("bestiary", …)` takes the same. */
export const worldOptions = {
  creatures: integer({
    min: 2,
    max: creatureNames.length,
    default: creatureNames.length,
    doc: "number of creatures; question counts scale with it",
  }),
  phaseRate: real({ min: 0, max: 1, default: 0.6, doc: "share of creatures that have phases" }),
  conditionRate: real({
    min: 0,
    max: 1,
    default: 0.35,
    doc: "share of attacks and combos that hold only under a condition; phases have one twice as often",
  }),
  crossEdges: real({
    min: 0,
    max: 1,
    default: 0.35,
    doc: "share of attacks that resemble one of another creature; creatures compete with or prey on another twice as often each",
  }),
  regularity: real({
    min: 0,
    max: 1,
    default: 0.6,
    doc: "share of facts that are the same in every world: what one can know about a world from having seen others",
  }),
  imageAmbiguity: real({
    min: 0,
    max: 1,
    default: 0.45,
    doc: "how alike the attacks of one creature look: 0 as different as drawn, 1 the same",
  }),
  captionInformativeness: real({
    min: 0,
    max: 1,
    default: 0.7,
    doc: "probability that a human caption tells the distinctive act",
  }),
} as const satisfies OptionSpecs;

/** All options of {@link loadBestiary}. */
export const bestiaryOptions = {
  seed: integer({ min: 0, default: 0, doc: "which worlds: of all three splits" }),
  split: oneOf(["train", "validation", "test"], {
    default: "test",
    doc: "test and validation are one world each, train is `trainWorlds` others",
  }),
  trainWorlds: integer({ min: 1, max: 100, default: 4, doc: "number of worlds in the training split" }),
  ...worldOptions,
} as const satisfies OptionSpecs;
