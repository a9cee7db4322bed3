import type { Question } from "../../core/index.js";
import type { Entity, Triple } from "../../graph/index.js";
import { clips } from "./clips.js";
import { entitiesOf } from "./entities.js";
import { describeLook } from "./looks.js";
import { resolveBestiary, worldOptions } from "./options.js";
import { askQuestions, favouriteAnswers } from "./questions.js";
import { makeWorld } from "./world.js";

/** One generated world: what `graphFrom` and `defineDataset` take. */
export interface Bestiary {
  readonly entities: readonly Entity[];
  readonly triples: readonly Triple[];
  readonly questions: readonly Question[];
}

/**
 * Generates one world of fictional creatures: a multimodal graph and questions with answers and gold paths, in the shape of MH-MMKG
 * (arXiv 2506.17589: sub-tasks, counts, phases, conditions, combos, cross-creature edges). All names are invented.
 *
 * Equal `world` and options give equal ids, texts and picture bytes. Pictures are drawn each time that their bytes are asked for, and not kept.
 * Cost: O(creatures), about 40 ms for 22; a frame about 1 ms.
 *
 * @param world any JSON value; tells worlds apart. With `regularity` 1 all worlds have the same facts.
 * @param options see {@link bestiaryOptions}, without seed, split and the numbers of worlds; an unknown one is an error.
 * @example
 * bestiary("mine", { creatures: 3 }).questions.length   // 33
 */
export function bestiary(world: unknown, options: Readonly<Record<string, unknown>> = {}): Bestiary {
  const o = resolveBestiary(worldOptions, options);
  const made = makeWorld(world, o);
  const { clip, portrait } = clips(made, world, o);
  return {
    entities: entitiesOf(made, clip, describeLook, portrait),
    triples: made.triples,
    questions: askQuestions(made, world, clip, {
      textShortcut: o.textShortcut,
      answerSkew: o.answerSkew,
      // what the favourites are is the canon's to say, so that they are the same in every world
      favourites: o.answerSkew > 0 ? favouriteAnswers(makeWorld("canon", { ...o, regularity: 1 })) : new Map(),
    }),
  };
}
