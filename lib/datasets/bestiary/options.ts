import { integer, MkgError, type OptionSpecs, oneOf, real, resolveOptions } from "../../core/index.js";
import { creatureNames } from "./vocabulary.js";

const share = (value: number, doc: string) => real({ min: 0, max: 1, default: value, doc });

/** What shapes a world, with ranges and defaults. Part of the public table of options: `loadDataset("bestiary", …)` takes the same. */
export const worldOptions = {
  creatures: integer({
    min: 2,
    max: creatureNames.length,
    default: creatureNames.length,
    doc: "number of creatures; question counts scale with it",
  }),
  minAttacks: integer({ min: 3, max: 12, default: 5, doc: "fewest attacks of a creature" }),
  maxAttacks: integer({
    min: 3,
    max: 12,
    default: 7,
    doc: "most attacks of a creature; how many it has is uniform from minAttacks to this",
  }),
  phaseRate: share(0.6, "share of creatures that have phases"),
  conditionRate: share(
    0.35,
    "share of attacks and combos that hold only under a condition; phases have one twice as often",
  ),
  crossEdges: share(
    0.35,
    "share of attacks that resemble one of another creature; creatures compete with or prey on another twice as often each",
  ),
  regularity: share(
    0.6,
    "share of facts that are the same in every world: what one can know about a world from having seen others",
  ),
  imageAmbiguity: share(0.45, "how alike the attacks of one creature look: 0 as different as drawn, 1 the same"),
  captionInformativeness: share(0.7, "probability that a human caption tells the distinctive act"),
  clipFrames: integer({ min: 16, max: 64, default: 16, doc: "frames of a clip" }),
  clipKeyFrames: integer({
    min: 1,
    max: 5,
    default: 3,
    doc: "consecutive frames of a clip that show the act, marked as the human key frames",
  }),
  textShortcut: share(
    0,
    "planted leak: share of clip questions whose wording describes the act, so that the clip is not needed",
  ),
  imageShortcut: share(
    0,
    "planted leak: share of clips with a mark in the corners of every frame that is the attack's own, in every world",
  ),
  captionShortcut: share(0, "planted leak: share of human captions that name the attack"),
  answerSkew: share(
    0,
    "planted leak: share of questions drawn from those with the favourite answer of their kind, in every world",
  ),
} as const satisfies OptionSpecs;

/** All options of {@link loadBestiary}. */
export const bestiaryOptions = {
  seed: integer({ min: 0, default: 0, doc: "which worlds: of all three splits" }),
  split: oneOf(["train", "validation", "test"], {
    default: "test",
    doc: "test is one world, validation `validationWorlds` others, train `trainWorlds` others again",
  }),
  trainWorlds: integer({ min: 1, max: 1000, default: 4, doc: "number of worlds in the training split" }),
  validationWorlds: integer({ min: 1, max: 1000, default: 1, doc: "number of worlds in the validation split" }),
  ...worldOptions,
} as const satisfies OptionSpecs;

/** Options, all filled in. */
type Resolved<T> = { readonly [K in keyof T]: K extends "split" ? "train" | "validation" | "test" : number };

/** What shapes a world, all filled in: a number each. */
export type WorldOptions = Resolved<typeof worldOptions>;

/** The planted leaks: 0 where nothing is planted. */
export const shortcutNames = ["textShortcut", "imageShortcut", "captionShortcut", "answerSkew"] as const;

/** Options over their defaults, checked one by one and together. */
export function resolveBestiary<T extends typeof worldOptions>(
  specs: T,
  given: Readonly<Record<string, unknown>>,
): Resolved<T> {
  const o = resolveOptions("bestiary", specs, given) as Resolved<T>;
  if (o.minAttacks > o.maxAttacks)
    throw new MkgError(
      "bestiary",
      `minAttacks is larger than maxAttacks (${o.minAttacks} > ${o.maxAttacks})`,
      "minAttacks ≤ maxAttacks",
      "Give both",
    );
  return o;
}
