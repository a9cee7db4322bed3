import {
  type Answer,
  byCodeUnit,
  flag,
  type Hit,
  type Query,
  type Question,
  type Random,
  random,
  real,
} from "../core/index.js";
import type { Graph } from "../graph/index.js";
import { type Candidate, readEvidence } from "./evidence.js";
import { nothing } from "./extractive.js";
import { type Guess, Prior, type Resemblance, type Votes } from "./prior.js";
import { standsIn } from "./text.js";
import type { FitContext, ReaderEntry } from "./types.js";

interface Fitted {
  readonly prior: Prior;
  readonly votes: Votes;
  /** Share of the evidence in the final probability, 0 to 1. */
  readonly evidenceWeight: number;
  /** What each query calls to mind: the same whatever the evidence, so a study asks once a query. Dropped with the query. */
  readonly recalled: WeakMap<Query, Promise<ReadonlyMap<string, Guess>>>;
}

interface LearnedOptions {
  readonly evidenceRate: number;
  readonly memoryPictures: boolean;
}

const temperatures = [0.03, 0.05, 0.08, 0.12, 0.2, 0.3];
const pictureWeights = [0, 0.5, 1, 2, 4, 8];
const evidenceWeights = Array.from({ length: 21 }, (_, i) => i / 20);
// calibration looks at this many training questions at most: it is O(questions · training questions)
const maxCalibration = 300;

/** Linear opinion pool of evidence and prior (Stone 1961, doi 10.1214/aoms/1177704873), most probable first. */
function pool(candidates: readonly Candidate[], guesses: ReadonlyMap<string, Guess>, weight: number) {
  const w = candidates.length === 0 ? 0 : guesses.size === 0 ? 1 : weight;
  const all = new Map<string, { key: string; text: string; probability: number; ranks: readonly number[] }>();
  for (const c of candidates) all.set(c.key, { ...c, probability: w * c.probability });
  for (const [key, g] of guesses) {
    const found = all.get(key);
    const probability = (1 - w) * g.probability;
    all.set(
      key,
      found
        ? { ...found, probability: found.probability + probability }
        : { key, text: g.text, probability, ranks: [] },
    );
  }
  return [...all.values()].sort((a, b) => b.probability - a.probability || byCodeUnit(a.key, b.key));
}

/** Up to five paths from the same entity as the gold path and as long, drawn at random; with probability `rate` one of them gives way to the gold path. */
function rehearsal(question: Question, graph: Graph, rate: number, r: Random): Hit[] {
  const gold = question.gold?.paths?.[0];
  const triples = question.gold?.pathTriples?.[0];
  if (!gold || !triples) return [];
  const hits: Hit[] = [];
  const count = 1 + r.int(5);
  for (let i = 0; i < count; i++) {
    const path = [gold[0] as string];
    const pathTriples: string[] = [];
    while (path.length < gold.length) {
      const edges = graph
        .neighbours(path.at(-1) as string, { direction: "out" })
        .filter((e) => !path.includes(e.entity));
      if (edges.length === 0) break;
      const edge = r.pick(edges);
      path.push(edge.entity);
      pathTriples.push(edge.triple);
    }
    hits.push({ score: 1, path, pathTriples });
  }
  const at = r.int(count);
  if (r.float() < rate) hits[at] = { score: 1, path: gold, pathTriples: triples };
  return hits;
}

/** The value whose total is largest; the middle one of equals, which is the farthest from being worse. */
function argmax<T>(values: readonly T[], totals: readonly number[]): T {
  const largest = totals.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const best = values.filter((_, i) => totals[i] === largest);
  return best[best.length >> 1] as T;
}

async function fit(
  { train, graph, seed, signal }: FitContext,
  { evidenceRate, memoryPictures }: LearnedOptions,
): Promise<Fitted> {
  const prior = await Prior.fit(train, memoryPictures);
  const rows = random(seed, "learned reader", "calibration").sample([...prior.examples.keys()], maxCalibration);
  const settings = temperatures.flatMap((temperature) =>
    (memoryPictures ? pictureWeights : [0]).map((pictureWeight): Votes => ({ temperature, pictureWeight })),
  );
  const likelihood = settings.map(() => 0);
  const resemblance = new Map(rows.map((row) => [row, prior.known(row)]));
  for (const row of rows) {
    signal.throwIfAborted();
    const { question, answers } = prior.examples[row] as Prior["examples"][number];
    settings.forEach((votes, i) => {
      const p = prior.probabilities(resemblance.get(row) as Resemblance, votes, question.cluster);
      const right = [...answers.keys()].reduce((sum, key) => sum + (p[prior.position.get(key) as number] as number), 0);
      likelihood[i] = (likelihood[i] as number) + Math.log(0.99 * right + 0.01 / prior.keys.length);
    });
  }
  const votes = argmax(settings, likelihood);

  const pooled = evidenceWeights.map(() => 0);
  let rehearsed = 0;
  for (const row of rows) {
    signal.throwIfAborted();
    const { question, answers } = prior.examples[row] as Prior["examples"][number];
    const hits = rehearsal(question, graph, evidenceRate, random(seed, "learned reader", question.id));
    if (hits.length === 0) continue;
    rehearsed++;
    const candidates = await readEvidence(question.text, hits, graph);
    const guesses = prior.guesses(resemblance.get(row) as Resemblance, votes, question.cluster);
    // whatever the weight, the first is something the evidence offers or the best guess
    const best = pool([], guesses, 0)[0]?.key;
    for (const key of guesses.keys()) if (key !== best && !candidates.some((c) => c.key === key)) guesses.delete(key);
    evidenceWeights.forEach((w, i) => {
      const first = pool(candidates, guesses, w)[0];
      if (first && answers.has(first.key)) pooled[i] = (pooled[i] as number) + 1;
    });
  }
  return {
    prior,
    votes,
    evidenceWeight: rehearsed > 0 ? argmax(evidenceWeights, pooled) : 0.5,
    recalled: new WeakMap(),
  };
}

/**
 * A reader with a memory: what similar training questions were answered with, pooled with what the evidence offers. It can
 * answer without evidence, leak what it was trained on, and be misled by bad evidence.
 *
 * Fitted on the training split alone. The memory's temperature and the weight of pictures maximise the likelihood of the
 * answers of (at most 300) training questions when their own cluster is left out; the weight of the evidence maximises
 * accuracy on the same questions with rehearsed evidence, which holds a gold path with probability `evidenceRate` among up to four random ones (0.5 when no training question has a gold path).
 * Abstains only when there is neither memory nor evidence. Fitting O(n · min(n, 300) · dim), an answer O(n · dim).
 */
export const learned: ReaderEntry = {
  name: "learned",
  version: "2",
  citation: "this project; kernel regression of Nadaraya 1964, doi 10.1137/1109020",
  options: {
    evidenceRate: real({
      min: 0,
      max: 1,
      default: 0.5,
      doc: "share of training questions whose rehearsed evidence holds a gold path; how far evidence is trusted follows from it",
    }),
    memoryPictures: flag({
      default: true,
      doc: "whether questions are remembered by their picture (one frame each) as well as by their text",
    }),
  },
  fit: (context, options) => fit(context, options as unknown as LearnedOptions),
  async read(query, evidence, { graph, state }): Promise<Answer> {
    const { prior, votes, evidenceWeight, recalled } = state as Fitted;
    const candidates = await readEvidence(query.text, evidence.hits, graph);
    const known =
      recalled.get(query) ?? prior.resemblance(query).then((resemblance) => prior.guesses(resemblance, votes));
    recalled.set(query, known);
    const guesses = await known;
    const ranked = pool(candidates, guesses, evidenceWeight);
    // the evidence offers nothing that the question says already; memory might
    const best = ranked.find((r) => r.ranks.length > 0 || !standsIn(r.text, query.text));
    if (!best) return nothing;
    return {
      text: best.text,
      status: "ok",
      citedRanks: best.ranks,
      tokens: 0,
      costUsd: 0,
      stop: best.ranks.length > 0 ? "from evidence" : "from memory",
      trace: [
        { evidenceWeight, ...votes },
        ...ranked.slice(0, 5).map(({ text, probability, ranks }) => ({ candidate: text, probability, ranks })),
      ],
    };
  },
};
