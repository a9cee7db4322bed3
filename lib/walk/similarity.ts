import { byCodeUnit, contentWords, type Image, type Query, resolveOptions, shareSaid, words } from "../core/index.js";
import { dot, type Encoder, type Folders, openEncoder } from "../embed/index.js";
import type { Graph } from "../graph/index.js";
import { type KeyFrames, selectFrames } from "../media/index.js";
import { walkOptions } from "./options.js";
import type { Similarity, WalkOptions } from "./types.js";

interface Frames {
  readonly n: number;
  readonly data: Float32Array;
}

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

/** What sort of edge it is: its relation, the tail's kind, and whether a condition binds it. Few edges differ in this, so few texts are encoded. */
function sortOfEdge(graph: Graph, id: string): string {
  const { relationLabel, tail, condition } = graph.triple(id);
  return contentWords(`${relationLabel} ${graph.entity(tail).kind} ${condition === "" ? "" : "condition"}`);
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
 * Encodes what a walk compares: the selected frames of every entity now, the text of each sort of edge (relation, kind of tail, whether conditional).
 * Give the result to {@link walk} as `ctx.state`; it serves any number of queries over the same graph.
 * Time O(entities + triples) and one image encoding per selected frame; memory 4 · dim bytes per frame and per sort of edge.
 */
export async function prepareWalk(
  {
    graph,
    signal,
    folders,
  }: { readonly graph: Graph; readonly signal: AbortSignal; readonly folders?: Folders | undefined },
  given: Readonly<Record<string, unknown>> = {},
): Promise<Similarity> {
  const options = resolveOptions("walk", walkOptions, given) as unknown as WalkOptions;
  const ids = graph.entities.array("id") as string[];
  const starts = ids.filter((id) => graph.neighbours(id, { direction: "out" }).length > 0);
  const mentioned = mentionIndex(graph, starts);
  const sortOf = new Map((graph.triples.array("id") as string[]).map((id) => [id, sortOfEdge(graph, id)]));
  const sorts = [...new Set(sortOf.values())].sort();
  const plain = (await openEncoder(options.textEncoder, folders, { hash: { dim: 2048 } })) as Encoder<string>;
  const text = plain.fit?.(sorts) ?? plain;
  const sortVectors = await text.encode(sorts);
  const choose = (images: readonly Image[]) => selectFrames(images, options.keyFrames as KeyFrames);
  let pixels: Encoder<Image> | undefined;
  const encodeFrames = async (images: readonly Image[]): Promise<Frames | null> => {
    const chosen = await choose(images);
    if (chosen.length === 0) return null;
    pixels ??= (await openEncoder(options.imageEncoder, folders)) as Encoder<Image>;
    return { n: chosen.length, data: await pixels.encode(chosen) };
  };
  const frames = new Map<string, Frames>();
  for (const id of ids) {
    signal.throwIfAborted();
    const { images } = graph.entity(id);
    const encoded = images.length > 0 ? await encodeFrames(images) : null;
    if (encoded) frames.set(id, encoded);
  }

  let startVectors: Promise<Float32Array> | undefined;

  // what is known about a query lives as long as the query does
  interface Known {
    readonly vectors: Map<string, Promise<Float32Array>>;
    readonly sorts: Map<string, Promise<Map<string, number>>>;
    readonly edges: Map<string, Promise<Float64Array>>;
    readonly images: Map<string, number | null>;
    frames?: Promise<Frames | null>;
  }
  const cache = new WeakMap<Query, Known>();
  const known = (query: Query): Known => {
    let found = cache.get(query);
    if (!found) {
      found = { vectors: new Map(), sorts: new Map(), edges: new Map(), images: new Map() };
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

  const framesOf = (query: Query): Promise<Frames | null> => {
    const mine = known(query);
    mine.frames ??= query.images.length > 0 && frames.size > 0 ? encodeFrames(query.images) : Promise.resolve(null);
    return mine.frames;
  };

  async function images(query: Query, entities: readonly string[]): Promise<(number | null)[]> {
    const mine = known(query);
    const shown = await framesOf(query);
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
        startVectors ??= text.encode(
          starts.map((id) =>
            contentWords(`${graph.entity(id).label} ${graph.entity(id).kind} ${graph.entity(id).description}`, ""),
          ),
        );
        const [q, all] = [await vectorOf(query, ""), await startVectors];
        fit = (i) => dot(q, 0, all, i, text.dim);
      }
      const scored = await Promise.all(
        candidates.map(
          async (entity, i) =>
            ({ entity, by, score: fit(i) + (await imageNearby(query, entity)), degree: graph.degree(entity) }) as const,
        ),
      );
      scored.sort((a, b) => b.score - a.score || b.degree - a.degree || byCodeUnit(a.entity, b.entity));
      const best = scored[0];
      return best ? { entity: best.entity, by: best.by, score: best.score } : null;
    },
    edges(query: Query, topic: string, entity: string) {
      const name = graph.entity(topic).label;
      return once(known(query).edges, JSON.stringify([topic, entity]), async () => {
        const cosines = await once(known(query).sorts, name, async () => {
          const q = await vectorOf(query, name);
          return new Map(sorts.map((sort, i) => [sort, dot(q, 0, sortVectors, i, text.dim)]));
        });
        const said = new Set(contentWords(query.text, name).split(" "));
        const { label } = graph.entity(entity);
        return Float64Array.from(graph.neighbours(entity, { direction: "out" }), (e) => {
          const mention = Math.max(
            shareSaid(graph.entity(e.entity).label, label, said),
            shareSaid(graph.triple(e.triple).condition, label, said),
          );
          return (cosines.get(sortOf.get(e.triple) as string) as number) + options.mentionWeight * mention;
        });
      });
    },
    async entity(query: Query, entity: string) {
      const { label, kind, description } = graph.entity(entity);
      const q = await vectorOf(query, label);
      const own = await text.encode([contentWords(kind, label), contentWords(description, label)]);
      return Math.max(dot(q, 0, own, 0, text.dim), dot(q, 0, own, 1, text.dim));
    },
    images,
    shows: async (query: Query) => (await framesOf(query)) !== null,
  } satisfies Similarity);
}
