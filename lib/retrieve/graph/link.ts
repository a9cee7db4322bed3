import {
  contentWords,
  integer,
  MkgError,
  type OptionSpecs,
  type Query,
  real,
  resolveOptions,
  words,
} from "../../core/index.js";
import { type Encoder, embed, openIndex, TopK, type VectorIndex } from "../../embed/index.js";
import type { Graph } from "../../graph/index.js";
import { type KeyFrames, selectFrames } from "../../media/index.js";
import { cacheOf, imageEncoder, keyFrames, openImage, openText, textEncoder } from "../dense/options.js";
import { questionText } from "../dense/question.js";
import { type Pictures, pictureScores, questionFrames } from "../dense/rows.js";
import type { PrepareContext } from "../types.js";

/** An entity that a question is about. Weights of one question sum to 1. */
export interface LinkedEntity {
  readonly entity: string;
  readonly weight: number;
  /** `mention`: the question says its label or an alias; `text`: its label resembles the question; `image`: it looks like the question's picture. */
  readonly via: "mention" | "text" | "image";
}

export const linkOptions: OptionSpecs = {
  encoder: textEncoder,
  imageEncoder,
  keyFrames,
  textLinks: integer({
    min: 0,
    max: 1000,
    default: 5,
    doc: "entities linked by resemblance to the text, where it names none and shows none",
  }),
  imageLinks: integer({ min: 0, max: 1000, default: 3, doc: "entities linked by resemblance to the picture" }),
  imageTemperature: real({
    min: 1e-6,
    max: 100,
    default: 0.05,
    doc: "of the softmax over the entities linked by picture; lower trusts the first more",
  }),
};

/** Finds the entities that a question is about. */
export type EntityLinker = (query: Pick<Query, "text" | "images">) => Promise<readonly LinkedEntity[]>;

/**
 * Links questions to entities of a graph: by mention, where the text says the label or an alias (attribute `aliases`, a text or a list) of an
 * entity, in words, the longest first, one mention not inside another; by picture, the `imageLinks` entities that look most like the question's
 * (a softmax of late interaction at `imageTemperature`); and where neither finds any, by text, the `textLinks` entities whose labels are nearest by
 * cosine. Each mention and the picture have the same share of the weight, divided among the entities that share the name.
 *
 * Vectors of labels and pictures are made when a question first needs them. Cost a question: O(words²) for mentions, O(entities · dim) for the others.
 *
 * @example
 * const link = await entityLinker({ graph });
 * await link({ text: "What does Vulmar use?", images: [] }); // [{ entity: "Vulmar", weight: 1, via: "mention" }]
 */
export async function entityLinker(
  context: Pick<PrepareContext, "graph"> & Partial<Pick<PrepareContext, "signal" | "folders">>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<EntityLinker> {
  const options = resolveOptions("entityLinker", linkOptions, given);
  if (typeof context?.graph?.entity !== "function")
    throw new MkgError("entityLinker", "no graph", "{ graph }, what loadGraph, graphFrom or dataset.graph is");
  const { graph, signal = new AbortController().signal } = context;
  const ids = graph.entities.array("id") as string[];
  const mentions = mentionsIn(graph, ids);
  const text = (await openText(options.encoder, context)) as Encoder<string>;
  const image = await openImage(options.imageEncoder, context);
  const labels = whenAsked(async (): Promise<{ encoder: Encoder<string>; index: VectorIndex }> => {
    const texts = ids.map((id) => graph.entity(id).label);
    const encoder = text.fit?.(texts) ?? text;
    return { encoder, index: await openIndex(await embed(texts, encoder, { signal, ...cacheOf(context) })) };
  });
  const shown = whenAsked(async (): Promise<Pictures> => {
    const owners = new Map<string, number>();
    const starts = [0];
    const frames = [];
    for (const id of ids) {
      const own = await selectFrames(graph.entity(id).images, options.keyFrames as KeyFrames);
      if (own.length === 0) continue;
      owners.set(id, owners.size);
      frames.push(...own);
      starts.push(frames.length);
    }
    return {
      encoder: image,
      owners,
      starts: Int32Array.from(starts),
      frames: await embed(frames, image, { signal, ...cacheOf(context) }),
    };
  });

  return async ({ text: asked, images }) => {
    const groups: { readonly via: LinkedEntity["via"]; readonly weights: ReadonlyMap<string, number> }[] = [];
    const said = questionText(asked, {});
    for (const named of mentions(said))
      groups.push({ via: "mention", weights: new Map(named.map((id) => [id, 1 / named.length])) });
    const limit = options.imageLinks as number;
    const frames = limit > 0 ? await questionFrames(images, image, options.keyFrames as KeyFrames) : null;
    if (frames) {
      const known = await shown();
      const best = new TopK(limit, known.owners.size);
      pictureScores(known, frames).forEach((score, owner) => {
        best.push(owner, score);
      });
      const owners = [...known.owners.keys()];
      const ranked = best.ranked();
      if (ranked.length > 0)
        groups.push({
          via: "image",
          weights: softmax(
            ranked.map(({ row, score }) => [owners[row] as string, score]),
            options.imageTemperature as number,
          ),
        });
    }
    if (groups.length === 0 && (options.textLinks as number) > 0 && ids.length > 0) {
      const { encoder, index } = await labels();
      const vector = await encoder.encode([said]);
      const near = (await index.search(vector, options.textLinks as number)).filter(({ score }) => score > 0);
      const total = near.reduce((sum, { score }) => sum + score, 0);
      if (near.length > 0)
        groups.push({
          via: "text",
          weights: new Map(near.map(({ row, score }) => [ids[row] as string, score / total])),
        });
    }
    const linked = new Map<string, LinkedEntity>();
    for (const { via, weights } of groups)
      for (const [entity, weight] of weights) {
        const known = linked.get(entity);
        linked.set(entity, {
          entity,
          weight: (known?.weight ?? 0) + weight / groups.length,
          via: known?.via ?? via,
        });
      }
    return [...linked.values()].sort((a, b) => b.weight - a.weight);
  };
}

function softmax(scored: readonly (readonly [string, number])[], temperature: number): Map<string, number> {
  const best = Math.max(...scored.map(([, score]) => score));
  const exps = scored.map(([id, score]) => [id, Math.exp((score - best) / temperature)] as const);
  const total = exps.reduce((sum, [, e]) => sum + e, 0);
  return new Map(exps.map(([id, e]) => [id, e / total]));
}

/** A value made on the first call, and again after a failure. */
function whenAsked<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    made.catch(() => {
      made = undefined;
    });
    return made;
  };
}

/** The entities by the words of their labels and aliases; the result lists, for each mention in a text from left to right, those that it may mean. */
function mentionsIn(graph: Graph, ids: readonly string[]): (text: string) => string[][] {
  const byName = new Map<string, Set<string>>();
  let longest = 0;
  for (const id of ids) {
    const { label, attributes } = graph.entity(id);
    const aliases = attributes?.aliases;
    for (const name of [label, ...(Array.isArray(aliases) ? aliases : [aliases])]) {
      // a name of function words alone, such as the domain .in, would be found in most questions
      const parts = typeof name === "string" && contentWords(name) !== "" ? words(name) : [];
      if (parts.length === 0) continue;
      longest = Math.max(longest, parts.length);
      const key = parts.join(" ");
      const own = byName.get(key) ?? new Set();
      own.add(id);
      byName.set(key, own);
    }
  }
  return (text) => {
    const all = words(text);
    const taken = new Array<boolean>(all.length).fill(false);
    const found: { at: number; ids: string[] }[] = [];
    for (let n = Math.min(longest, all.length); n > 0; n--)
      for (let at = 0; at + n <= all.length; at++) {
        if (taken.slice(at, at + n).includes(true)) continue;
        const named = byName.get(all.slice(at, at + n).join(" "));
        if (!named) continue;
        taken.fill(true, at, at + n);
        found.push({ at, ids: [...named] });
      }
    return found.sort((a, b) => a.at - b.at).map(({ ids }) => ids);
  };
}

/** What hits say of where they come from. */
export const linkTrace = (linked: readonly LinkedEntity[]): NonNullable<unknown>[] => [
  { step: "entities linked", entities: linked.map(({ entity, weight, via }) => ({ entity, weight, via })) },
];
