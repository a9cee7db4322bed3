import { byCodeUnit, type Image, type Query, resolveOptions, words } from "../core/index.js";
import { type Encoder, encoder } from "../embed/index.js";
import type { Graph } from "../graph/index.js";
import { type KeyFrames, selectFrames } from "../media/index.js";
import { walkOptions } from "./options.js";
import type { Similarity, WalkOptions } from "./types.js";

// Articles, prepositions, auxiliaries and pronouns: they say nothing about which edge is meant.
const functionWords = new Set(
  "a an the this that these those it its he she they their of in on at to for from by with as and or is are was were be been does do did has have had will would can could should may might there here what which who whom whose how".split(
    " ",
  ),
);

interface Frames {
  readonly n: number;
  readonly data: Float32Array;
}

const dot = (a: Float32Array, i: number, b: Float32Array, j: number, dim: number): number => {
  let sum = 0;
  for (let d = 0; d < dim; d++) sum += (a[i * dim + d] as number) * (b[j * dim + d] as number);
  return sum;
};

/** Mean over the query's frames of the largest cosine over the entity's (late interaction; Khattab & Zaharia 2020, arXiv 2004.12832). */
function lateInteraction(query: Frames, entity: Frames, dim: number): number {
  let sum = 0;
  for (let i = 0; i < query.n; i++) {
    let best = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < entity.n; j++) best = Math.max(best, dot(query.data, i, entity.data, j, dim));
    sum += best;
  }
  return sum / query.n;
}

/** `text` without the words of `label`, wherever they stand together; function words go too. */
export function contentWords(text: string, label: string): string {
  const all = words(text);
  const name = words(label);
  const out: string[] = [];
  for (let i = 0; i < all.length; i++) {
    if (name.length > 0 && name.every((w, j) => all[i + j] === w)) i += name.length - 1;
    else if (!functionWords.has(all[i] as string)) out.push(all[i] as string);
  }
  return out.join(" ");
}

/** What an edge says beyond its head: relation, tail without the head's name, the tail's kind, the condition. */
function edgeText(graph: Graph, id: string): string {
  const t = graph.triple(id);
  const tail = graph.entity(t.tail);
  return `${t.relationLabel} ${contentWords(tail.label, graph.entity(t.head).label)} ${tail.kind} ${t.condition}`;
}

/** Entity labels by their words, for finding the longest one that a text mentions. Only entities that lead somewhere. */
function mentionIndex(graph: Graph, starts: readonly string[]) {
  const byLabel = new Map<string, string[]>();
  let longest = 0;
  for (const id of starts) {
    const label = words(graph.entity(id).label);
    if (label.length === 0) continue;
    longest = Math.max(longest, label.length);
    const key = label.join(" ");
    const ids = byLabel.get(key);
    if (ids) ids.push(id);
    else byLabel.set(key, [id]);
  }
  return (text: string): readonly string[] => {
    const all = words(text);
    let best = "";
    for (let i = 0; i < all.length; i++)
      for (let n = Math.min(longest, all.length - i); n > 0; n--) {
        const key = all.slice(i, i + n).join(" ");
        if (key.length > best.length && byLabel.has(key)) best = key;
      }
    return byLabel.get(best) ?? [];
  };
}

/**
 * Encodes what a walk compares: the selected frames of every entity now, the texts of edges when a walk first meets them.
 * Give the result to {@link walk} as `ctx.state`; it serves any number of queries over the same graph.
 * Time O(entities + triples) and one image encoding per selected frame; memory 4 · dim bytes per frame and per edge met.
 */
export async function prepareWalk(
  { graph, signal }: { readonly graph: Graph; readonly signal: AbortSignal },
  given: Readonly<Record<string, unknown>> = {},
): Promise<Similarity> {
  const options = resolveOptions("walk", walkOptions, given) as unknown as WalkOptions;
  const ids = graph.entities.array("id") as string[];
  const starts = ids.filter((id) => graph.neighbours(id, { direction: "out" }).length > 0);
  const mentioned = mentionIndex(graph, starts);
  const plain = (await encoder(options.textEncoder as "hash", { dim: 2048 })) as Encoder<string>;
  const text = plain.fit?.((graph.triples.array("id") as string[]).map((id) => edgeText(graph, id))) ?? plain;

  const choose = (images: readonly Image[]) => selectFrames(images, options.keyFrames as KeyFrames);
  let pixels: Encoder<Image> | undefined;
  const encodeFrames = async (images: readonly Image[]): Promise<Frames | null> => {
    const chosen = choose(images);
    if (chosen.length === 0) return null;
    pixels ??= (await encoder(options.imageEncoder)) as Encoder<Image>;
    return { n: chosen.length, data: await pixels.encode(chosen) };
  };
  const frames = new Map<string, Frames>();
  for (const id of ids) {
    signal.throwIfAborted();
    const { images } = graph.entity(id);
    const encoded = images.length > 0 ? await encodeFrames(images) : null;
    if (encoded) frames.set(id, encoded);
  }

  const edgeVectors = new Map<string, Promise<Float32Array>>();
  const vectorsOf = (entity: string): Promise<Float32Array> => {
    let found = edgeVectors.get(entity);
    if (!found) {
      found = text.encode(graph.neighbours(entity, { direction: "out" }).map((e) => edgeText(graph, e.triple)));
      edgeVectors.set(entity, found);
    }
    return found;
  };
  let startVectors: Promise<Float32Array> | undefined;

  // what is known about a query lives as long as the query does
  interface Known {
    readonly vectors: Map<string, Promise<Float32Array>>;
    readonly edges: Map<string, Promise<Float64Array>>;
    readonly images: Map<string, number | null>;
    frames?: Promise<Frames | null>;
  }
  const cache = new WeakMap<Query, Known>();
  const known = (query: Query): Known => {
    let found = cache.get(query);
    if (!found) {
      found = { vectors: new Map(), edges: new Map(), images: new Map() };
      cache.set(query, found);
    }
    return found;
  };
  const once = <V>(map: Map<string, V>, key: string, make: () => V): V => {
    let value = map.get(key);
    if (value === undefined) {
      value = make();
      map.set(key, value);
    }
    return value;
  };
  const vectorOf = (query: Query, label: string) =>
    once(known(query).vectors, label, () => text.encode([contentWords(query.text, label)]));

  async function images(query: Query, entities: readonly string[]): Promise<(number | null)[]> {
    const mine = known(query);
    mine.frames ??= query.images.length > 0 && frames.size > 0 ? encodeFrames(query.images) : Promise.resolve(null);
    const shown = await mine.frames;
    return entities.map((id) => {
      const theirs = frames.get(id);
      if (!shown || !theirs || !pixels) return null;
      const dim = pixels.dim;
      return once(mine.images, id, () => lateInteraction(shown, theirs, dim));
    });
  }

  /** Best match of the query's frames with an entity's own or with those one edge away. */
  async function imageNearby(query: Query, id: string): Promise<number> {
    const around = [id, ...graph.neighbours(id, { direction: "out" }).map((e) => e.entity)];
    return (await images(query, around)).reduce<number>((best, s) => (s !== null && s > best ? s : best), 0);
  }

  return Object.freeze({
    async topic(query: Query) {
      const named = mentioned(query.text);
      const by = named.length > 0 ? "mention" : "similarity";
      const candidates = by === "mention" ? named : starts;
      if (candidates.length === 1) return { entity: candidates[0] as string, by, score: 1 };
      let fit: (i: number) => number = () => 0;
      if (by === "similarity") {
        startVectors ??= text.encode(starts.map((id) => contentWords(`${graph.entity(id).label} ${graph.entity(id).kind} ${graph.entity(id).description}`, "")));
        const [q, all] = [await vectorOf(query, ""), await startVectors];
        fit = (i) => dot(q, 0, all, i, text.dim);
      }
      const scored = await Promise.all(
        candidates.map(async (entity, i) => ({ entity, by, score: fit(i) + (await imageNearby(query, entity)), degree: graph.degree(entity) }) as const),
      );
      scored.sort((a, b) => b.score - a.score || b.degree - a.degree || byCodeUnit(a.entity, b.entity));
      const best = scored[0];
      return best ? { entity: best.entity, by: best.by, score: best.score } : null;
    },
    edges(query: Query, topic: string, entity: string) {
      return once(known(query).edges, JSON.stringify([topic, entity]), async () => {
        const [q, all] = await Promise.all([vectorOf(query, graph.entity(topic).label), vectorsOf(entity)]);
        return Float64Array.from({ length: all.length / text.dim }, (_, i) => dot(q, 0, all, i, text.dim));
      });
    },
    async entity(query: Query, entity: string) {
      const { label, kind, description } = graph.entity(entity);
      if (description === "") return 0;
      const q = await vectorOf(query, label);
      return dot(q, 0, await text.encode([contentWords(`${kind} ${description}`, label)]), 0, text.dim);
    },
    images,
  } satisfies Similarity);
}
