import { type Question, random } from "../../core/index.js";
import { graphFrom } from "../../graph/index.js";
import { defineDataset } from "../define.js";
import type { Dataset } from "../types.js";
import { card } from "./card.js";
import { type Bestiary, bestiary } from "./generate.js";
import { bestiaryOptions, resolveBestiary, shortcutNames } from "./options.js";

/** Options of {@link loadBestiary}; meanings, ranges and defaults in {@link bestiaryOptions}. */
export type BestiaryOptions = { readonly split?: "train" | "validation" | "test" } & {
  readonly [K in Exclude<keyof typeof bestiaryOptions, "split">]?: number;
};

/**
 * The embedded data set: worlds of fictional creatures, generated. Its `test` split is the world of `seed` with 238 questions in the six
 * sub-tasks of MH-MMKG (24, 109, 28, 29, 35, 13); `validation` is `validationWorlds` others, `train` is `trainWorlds` others again, so that no test
 * question and no test cluster is spent on learning. Worlds share creature names, vocabulary and, to the degree `regularity`, facts.
 * Training worlds stand side by side in one graph, ids and clusters prefixed `w1/`, `w2/` …, labels not; validation worlds likewise when they are
 * several.
 *
 * Leaks can be planted in all splits alike (`textShortcut`, `imageShortcut`, `captionShortcut`, `answerSkew`), to see whether a method or an audit
 * finds them; `card.notices` says so. How far shortcuts get where none is planted: data/bestiary/card.md.
 *
 * Cluster: the creature. No meta field is visible. Errors: an unknown option or a value out of range. Cost: that of {@link bestiary} for each world,
 * and of its graph and checks, in all about 80 ms for one of 22 creatures; frames as there.
 *
 * @example
 * const dataset = await loadBestiary({ seed: 0 });
 * dataset.questions.length   // 238
 * dataset.card.origin        // "generated"
 */
export async function loadBestiary(options: BestiaryOptions = {}): Promise<Dataset> {
  const { seed, split, trainWorlds, validationWorlds, ...shape } = resolveBestiary(bestiaryOptions, options);
  const worlds = { test: 1, validation: validationWorlds, train: trainWorlds }[split];
  const made = Array.from({ length: worlds }, (_, i) => bestiary([split, seed, i], shape));
  const { entities, triples, questions } = split === "train" || worlds > 1 ? sideBySide(made) : (made[0] as Bestiary);
  const other = (wanted: BestiaryOptions["split"]) => () => loadBestiary({ ...options, split: wanted });
  return defineDataset({
    name: "bestiary",
    split,
    graph: graphFrom({ entities, triples, name: "bestiary" }),
    questions,
    splits: { train: other("train"), validation: other("validation"), test: other("test") },
    visibleMeta: [],
    clusterName: "creature",
    licence: "MIT",
    citation: "Generated; shape after MH-MMKG (arXiv 2506.17589)",
    card: card(
      entities,
      triples,
      questions,
      worlds,
      shortcutNames.map((name) => ({ name, share: shape[name] })),
    ),
  });
}

/** Worlds as one: ids get their world's prefix; labels, texts and pictures stay. */
function sideBySide(worlds: readonly Bestiary[]): Bestiary {
  const parts = worlds.map((world, w) => {
    const p = (id: string) => `w${w + 1}/${id}`;
    return {
      entities: world.entities.map((e) => ({ ...e, id: p(e.id) })),
      triples: world.triples.map((t) => ({ ...t, id: p(t.id), head: p(t.head), tail: p(t.tail) })),
      questions: world.questions.map(
        (q): Question => ({
          ...q,
          id: p(q.id),
          cluster: p(q.cluster),
          meta: {
            ...q.meta,
            creature: p(q.meta.creature as string),
            ...(q.meta.attack === undefined ? {} : { attack: p(q.meta.attack as string) }),
          },
          gold: {
            paths: q.gold?.paths?.map((path) => path.map(p)),
            pathTriples: q.gold?.pathTriples?.map((t) => t.map(p)),
            triples: q.gold?.triples?.map(p),
          },
        }),
      ),
    };
  });
  return {
    entities: parts.flatMap((p) => p.entities),
    triples: parts.flatMap((p) => p.triples),
    // mixed, so that the first n questions are a sample of all worlds
    questions: random("bestiary", "side by side").shuffle(parts.flatMap((p) => p.questions)),
  };
}
