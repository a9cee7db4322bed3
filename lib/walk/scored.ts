import type { Agents, AgentView, PathView, Verdict } from "./types.js";

type Scene = AgentView & { readonly topic: string };

/** The query's pictures show one entity: once one that they can be compared with stands on the path, they have been used. */
async function picturesUsed({ similarity, query }: AgentView, path: PathView): Promise<boolean> {
  for (let p: PathView | null = path; p?.parent; p = p.parent)
    if ((await similarity.images(query, [p.entity]))[0] !== null) return true;
  return false;
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

/** Probability of each outgoing edge of the path's last entity: a softmax over siblings of text fit plus standardised image fit. */
async function probabilities(scene: Scene, path: PathView): Promise<Float64Array> {
  const { graph, similarity, query, options } = scene;
  const fit = await textFit(scene, path.entity);
  if (options.imageWeight > 0 && !(await picturesUsed(scene, path))) {
    const tails = graph.neighbours(path.entity, { direction: "out" }).map((e) => e.entity);
    const images = await similarity.images(query, tails);
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
  return weights.map((w) => w / total);
}

/**
 * Agents that decide by similarity alone: offline, without weights, the same for the same query. They know nothing of any
 * data set's wording.
 *
 * - topic: the longest label in the query's text, of an entity that leads somewhere; else the entity most similar to text and pictures.
 * - expansion: up to `breadth` outgoing edges, most probable first, none below `margin` times the best, and none that would bring the
 *   path's probability (the product along it) below `threshold`. An edge's probability is a
 *   softmax over its siblings of (cosine of question and edge text, or `lookahead` times that of the best edge beyond) plus
 *   `imageWeight` times the image similarity standardised over siblings, as long as no entity on the path has used the pictures.
 * - validation: sufficient when no edge that goes on fits the question's text better than the last one taken and, for a question with
 *   pictures, an entity on the path has used them. The path's probability is its score.
 */
export const scoredAgents: Agents = Object.freeze({
  async topic({ query, similarity }) {
    return (await similarity.topic(query))?.entity ?? null;
  },

  async expansion(scene) {
    const p = await probabilities(scene, scene.path);
    const { margin, threshold, breadth } = scene.options;
    const floor = Math.max(margin * p.reduce((a, b) => Math.max(a, b), 0), threshold / (scene.path.score ?? 1));
    return scene.edges
      .map((e, i) => ({ triple: e.triple, p: p[i] as number }))
      .filter((e) => e.p >= floor)
      .sort((a, b) => b.p - a.p)
      .slice(0, breadth)
      .map((e) => e.triple);
  },

  async validation(scene): Promise<Verdict> {
    const { path, graph, similarity, query, topic } = scene;
    let taken: number;
    let score = 1;
    if (path.parent) {
      const at = graph.neighbours(path.parent.entity, { direction: "out" }).findIndex((e) => e.triple === path.triple);
      taken = (await similarity.edges(query, topic, path.parent.entity))[at] as number;
      score = (path.parent.score ?? 1) * ((await probabilities(scene, path.parent))[at] as number);
    } else taken = await similarity.entity(query, topic);
    const onward = (await similarity.edges(query, topic, path.entity)).reduce(
      (a, b) => Math.max(a, b),
      Number.NEGATIVE_INFINITY,
    );
    const open = !(await picturesUsed(scene, path)) && (await similarity.shows(query));
    return { verdict: !open && taken >= onward ? "sufficient" : "insufficient", score };
  },
} satisfies Agents);
