import type { Agents, AgentView, PathView, Verdict, WalkOptions } from "./types.js";

type Scene = AgentView & { readonly topic: string };

const comparable = async ({ similarity, query }: AgentView, entities: readonly string[]): Promise<boolean> =>
  (await similarity.images(query, entities)).some((s) => s !== null);

/** The query's pictures show one entity: once one that they can be compared with stands on the path below the topic, they have been used. */
async function picturesUsed(scene: AgentView, path: PathView): Promise<boolean> {
  for (let p: PathView | null = path; p?.parent; p = p.parent) if (await comparable(scene, [p.entity])) return true;
  return false;
}

/** Whether the pictures can still tell anything: not where the topic itself may be what they show and no way on leads to another such entity. */
async function picturesOpen(scene: Scene, path: PathView): Promise<boolean> {
  const { graph, similarity, query, topic } = scene;
  if (!(await similarity.shows(query)) || (await picturesUsed(scene, path))) return false;
  const onward = graph.neighbours(path.entity, { direction: "out" }).map((e) => e.entity);
  return !(await comparable(scene, [topic])) || comparable(scene, onward);
}

/** Text fit of each outgoing edge, or what lies one edge beyond it if that fits better: a phase is entered for the attacks behind it. */
async function textFit({ graph, similarity, query, topic, options }: Scene, entity: string): Promise<Float64Array> {
  const fit = Float64Array.from(await similarity.edges(query, topic, entity));
  if (options.lookahead === 0) return fit;
  const tails = graph.neighbours(entity, { direction: "out" }).map((e) => e.entity);
  for (let i = 0; i < tails.length; i++) {
    const beyond = await similarity.edges(query, topic, tails[i] as string);
    for (const f of beyond) fit[i] = Math.max(fit[i] as number, options.lookahead * f);
  }
  return fit;
}

/** What the text and the pictures say about the outgoing edges of an entity, in `neighbours` order. */
interface Choices {
  /** A softmax over siblings of text fit plus standardised image fit. */
  readonly probability: Float64Array;
  /** That of the most probable edge; 0 where none leads on. */
  readonly best: number;
  /** Triple id → its position. */
  readonly position: ReadonlyMap<string, number>;
}

async function choicesAt(scene: Scene, entity: string, pictures: boolean): Promise<Choices> {
  const { graph, similarity, query, options } = scene;
  const edges = graph.neighbours(entity, { direction: "out" });
  const fit = await textFit(scene, entity);
  if (pictures) {
    const images = await similarity.images(
      query,
      edges.map((e) => e.entity),
    );
    const seen = images.filter((s) => s !== null);
    const mean = seen.reduce((a, b) => a + b, 0) / (seen.length || 1);
    const deviation = Math.sqrt(seen.reduce((a, b) => a + (b - mean) ** 2, 0) / (seen.length || 1));
    // equal pictures tell nothing; rounding must not be blown up into a difference
    if (deviation > 1e-6)
      images.forEach((s, i) => {
        if (s !== null) fit[i] = (fit[i] as number) + (options.imageWeight * (s - mean)) / deviation;
      });
  }
  const largest = fit.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = fit.map((f) => Math.exp((f - largest) / options.temperature));
  const total = weights.reduce((a, b) => a + b, 0);
  const probability = weights.map((w) => w / total);
  return {
    probability,
    best: probability.reduce((a, b) => Math.max(a, b), 0),
    position: new Map(edges.map((e, i) => [e.triple, i])),
  };
}

interface Kept {
  readonly of: readonly unknown[];
  readonly choices: Map<string, Promise<Choices>>;
}

// Owner: the options of one walk, an object of its own; dropped with it. Every child of an entity asks for the same.
const kept = new WeakMap<WalkOptions, Kept>();

/** {@link choicesAt} the path's last entity, computed once in a walk for an entity before and for one after the pictures were used. */
async function choices(scene: Scene, path: PathView): Promise<Choices> {
  const { graph, similarity, query, topic, options } = scene;
  const of = [graph, similarity, query, topic];
  let found = kept.get(options);
  if (!found || found.of.some((x, i) => x !== of[i])) {
    found = { of, choices: new Map() };
    kept.set(options, found);
  }
  const pictures = options.imageWeight > 0 && !(await picturesUsed(scene, path));
  const key = `${pictures} ${path.entity}`;
  const known = found.choices.get(key) ?? choicesAt(scene, path.entity, pictures);
  found.choices.set(key, known);
  return known;
}

/** How probable the path is beside the one that takes the most probable edge at each of its entities: 0 to 1, 1 for the topic. O(edges of the path). */
async function shareOfBest(scene: Scene, path: PathView): Promise<number> {
  let share = 1;
  for (let p = path; p.parent; p = p.parent) {
    const { probability, best, position } = await choices(scene, p.parent);
    share *= (probability[position.get(p.triple as string) as number] as number) / best;
  }
  return share;
}

/**
 * Agents that decide by similarity alone: offline, without weights, the same for the same query. They know nothing of any
 * data set's wording.
 *
 * - topic: the longest label in the query's text, of an entity that leads somewhere; else the entity most similar to text and pictures.
 * - expansion: up to `breadth` outgoing edges, most probable first, none below `margin` times the best, and none that would bring the
 *   path's share below `threshold`: its probability (the product along it) over that of the path which takes the best edge at each of
 *   the same entities. However many siblings there are, the best edge of an entity that was followed is. An edge's probability is a
 *   softmax over its siblings of (cosine of question and edge text, or `lookahead` times that of the best edge beyond) plus
 *   `imageWeight` times the image similarity standardised over siblings, as long as no entity on the path has used the pictures.
 * - validation: sufficient when no edge that goes on fits the question's text better than the last one taken and, for a question with
 *   pictures, an entity on the path has used them, or the topic may be what they show and no edge that goes on leads to another
 *   such entity. The path's probability is its score.
 */
export const scoredAgents: Agents = Object.freeze({
  async topic({ query, similarity }) {
    return (await similarity.topic(query))?.entity ?? null;
  },

  async expansion(scene) {
    const { probability: p, best } = await choices(scene, scene.path);
    const { margin, threshold, breadth } = scene.options;
    const floor = best * Math.max(margin, Math.min(1, threshold / (await shareOfBest(scene, scene.path))));
    return scene.edges
      .map((e, i) => ({ triple: e.triple, p: p[i] as number }))
      .filter((e) => e.p >= floor)
      .sort((a, b) => b.p - a.p)
      .slice(0, breadth)
      .map((e) => e.triple);
  },

  async validation(scene): Promise<Verdict> {
    const { path, similarity, query, topic } = scene;
    let taken: number;
    let score = 1;
    if (path.parent) {
      const { probability, position } = await choices(scene, path.parent);
      const at = position.get(path.triple as string) as number;
      taken = (await similarity.edges(query, topic, path.parent.entity))[at] as number;
      score = (path.parent.score ?? 1) * (probability[at] as number);
    } else taken = await similarity.entity(query, topic);
    const onward = (await similarity.edges(query, topic, path.entity)).reduce(
      (a, b) => Math.max(a, b),
      Number.NEGATIVE_INFINITY,
    );
    const open = await picturesOpen(scene, path);
    return { verdict: !open && taken >= onward ? "sufficient" : "insufficient", score };
  },
} satisfies Agents);
