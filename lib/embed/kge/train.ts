import {
  flag,
  integer,
  MkgError,
  type OnProgress,
  type OptionSpecs,
  oneOf,
  Progress,
  type Random,
  random,
  real,
  refuseUnknown,
  resolveOptions,
} from "../../core/index.js";
import type { Graph } from "../../graph/index.js";
import { GraphEmbedding } from "./embedding.js";
import { evaluateLinks, type LinkTriple } from "./evaluate.js";
import { type KgeModelName, kgeModels } from "./models.js";
import { lossOf, Parameters, type StepOptions, type TripleColumns } from "./step.js";

export const kgeOptions: OptionSpecs = {
  model: oneOf(Object.keys(kgeModels), { default: "transe", doc: "what scores a triple" }),
  dim: integer({
    min: 1,
    max: 4096,
    default: 64,
    doc: "dimension; complex and rotate have twice as many numbers an entity",
  }),
  epochs: integer({ min: 1, max: 1_000_000, default: 100, doc: "passes over the triples" }),
  batch: integer({ min: 1, default: 512, doc: "triples a step" }),
  negatives: integer({ min: 1, max: 100_000, default: 8, doc: "corrupted triples for each" }),
  loss: oneOf(["own", "margin", "logistic"], {
    default: "own",
    doc: "own: that of the model's authors, margin for transe, logistic else",
  }),
  margin: real({
    min: 0,
    max: 1000,
    default: 4,
    doc: "of the margin loss; and what is added to the scores of distances in the logistic one",
  }),
  adversarial: real({
    min: 0,
    max: 100,
    default: 0,
    doc: "temperature that makes harder negatives count more (Sun et al. 2019); 0: all the same",
  }),
  learningRate: real({ min: 1e-9, max: 100, default: 0.1, doc: "step of the optimiser" }),
  optimiser: oneOf(["adagrad", "adam"], {
    default: "adagrad",
    doc: "both move the rows that a batch touches and no others",
  }),
  filterNegatives: flag({
    default: true,
    doc: "draw a negative again where it is a triple of the graph, ten times at most",
  }),
  seed: integer({ min: 0, default: 0, doc: "of the first vectors, the order of triples and the negatives" }),
  every: integer({ min: 1, default: 10, doc: "epochs between looks at the validation triples" }),
  patience: integer({ min: 1, default: 3, doc: "looks without a better MRR after which training ends" }),
};

interface Settings extends Omit<StepOptions, "loss"> {
  readonly model: KgeModelName;
  readonly epochs: number;
  readonly batch: number;
  readonly loss: "own" | StepOptions["loss"];
  readonly filterNegatives: boolean;
  readonly seed: number;
  readonly every: number;
  readonly patience: number;
}

/**
 * Vectors of a graph's entities and relations, such that true triples score higher than corrupted ones.
 *
 * | model | score of (h, r, t) | source |
 * |---|---|---|
 * | `transe` | −‖h + r − t‖₁ | Bordes et al. 2013 |
 * | `distmult` | Σ h r t | Yang et al. 2015, arXiv 1412.6575 |
 * | `complex` | Re Σ h r t̄, complex | Trouillon et al. 2016, arXiv 1606.06357 |
 * | `rotate` | −Σ \|h e^{ir} − t\|, complex | Sun et al. 2019, arXiv 1902.10197 |
 *
 * Each step moves the rows that its batch touches: its cost is batch · (1 + negatives) · dim, whatever the number of entities. The same seed gives the same
 * bytes. With `validation` triples, training ends when their filtered MRR has not grown for `patience` looks, `every` epochs apart, and the best
 * vectors are returned. Memory: 8 (adagrad) or 12 bytes a number.
 *
 * Errors: an unknown option or value; a graph without triples; a loss that is no longer finite (names the learning rate).
 *
 * @example
 * const embedding = await trainGraphEmbedding(graph, { model: "rotate", dim: 32, epochs: 50, seed: 0 });
 * embedding.predict("Vulmar", "uses", 3); // the three most plausible tails
 */
export async function trainGraphEmbedding(
  graph: Graph,
  given: Readonly<Record<string, unknown>> & {
    readonly model?: KgeModelName;
    readonly validation?: readonly LinkTriple[];
    readonly triples?: readonly LinkTriple[];
    readonly signal?: AbortSignal;
    readonly onProgress?: OnProgress;
  } = {},
): Promise<GraphEmbedding> {
  const place = "trainGraphEmbedding";
  refuseUnknown(place, given, [...Object.keys(kgeOptions), "validation", "triples", "signal", "onProgress"], "option");
  if (typeof graph?.triples?.numRows !== "function")
    throw new MkgError(place, "not a graph", "What loadGraph, graphFrom or dataset.graph is");
  const { validation, triples: own, signal, onProgress, ...rest } = given;
  const settings = resolveOptions(place, kgeOptions, rest) as unknown as Settings;
  const model = kgeModels[settings.model];
  const step: StepOptions = { ...settings, loss: settings.loss === "own" ? model.loss : settings.loss };
  const { seed, dim, batch } = settings;

  const entities = graph.entities.array("id") as string[];
  const numbers = new Map(entities.map((id, i) => [id, i]));
  const source = own ?? linkTriples(graph);
  if (source.length === 0) throw new MkgError(place, "the graph has no triples", "At least one");
  const relations = [
    ...new Set((graph.triples.array("relation") as string[]).concat(source.map(({ relation }) => relation))),
  ];
  const relationNumbers = new Map(relations.map((id, i) => [id, i]));
  const column = (of: (triple: LinkTriple) => number | undefined) =>
    Int32Array.from(source, (triple) => of(triple) ?? missing(triple));
  const triples: TripleColumns = {
    head: column(({ head }) => numbers.get(head)),
    relation: column(({ relation }) => relationNumbers.get(relation)),
    tail: column(({ tail }) => numbers.get(tail)),
  };
  const [n, r] = [entities.length, relations.length];
  const isTrue = new Set<number>();
  if (settings.filterNegatives)
    for (let i = 0; i < source.length; i++)
      isTrue.add(((triples.head[i] as number) * r + (triples.relation[i] as number)) * n + (triples.tail[i] as number));
  const corrupt = (positive: number, draws: Random) => {
    let [entity, atHead] = [0, false];
    for (let tries = 0; tries < 10; tries++) {
      atHead = draws.int(2) === 0;
      entity = draws.int(n);
      const head = atHead ? entity : (triples.head[positive] as number);
      const tail = atHead ? (triples.tail[positive] as number) : entity;
      if (!isTrue.has((head * r + (triples.relation[positive] as number)) * n + tail)) break;
    }
    return { entity, atHead };
  };

  const entityRows = new Parameters(
    initial(n * model.entitySize(dim), dim, random(place, seed, "entities")),
    model.entitySize(dim),
    step.optimiser,
  );
  const angles = settings.model === "rotate" ? Math.PI : undefined;
  const relationRows = new Parameters(
    initial(r * model.relationSize(dim), dim, random(place, seed, "relations"), angles),
    model.relationSize(dim),
    step.optimiser,
  );
  const current = () =>
    new GraphEmbedding(
      settings.model,
      dim,
      entities,
      relations,
      entityRows.values.slice(),
      relationRows.values.slice(),
    );
  const progress = new Progress("graph embedding", settings.epochs, onProgress);
  const filter = validation ? [...source, ...validation] : [];
  let best: { readonly embedding: GraphEmbedding; readonly MRR: number } | undefined;
  let looksWithout = 0;
  let steps = 0;
  for (let epoch = 0; epoch < settings.epochs; epoch++) {
    const draws = random(place, seed, "epoch", epoch);
    const order = Int32Array.from(draws.shuffle(Array.from({ length: source.length }, (_, i) => i)));
    for (let start = 0; start < order.length; start += batch) {
      if (steps % 64 === 0) await new Promise(setImmediate);
      signal?.throwIfAborted();
      const loss = lossOf(
        model,
        entityRows,
        relationRows,
        triples,
        order.subarray(start, start + batch),
        corrupt,
        draws,
        step,
      );
      if (!Number.isFinite(loss))
        throw new MkgError(
          place,
          `the loss is no longer finite (epoch ${epoch + 1})`,
          "",
          `Make learningRate smaller (${step.learningRate})`,
        );
      steps++;
      entityRows.update(step, steps);
      relationRows.update(step, steps);
    }
    progress.tick();
    if (!validation || (epoch + 1) % settings.every !== 0) continue;
    const embedding = current();
    const { MRR } = evaluateLinks(embedding, validation, { filter });
    if (!best || MRR > best.MRR) {
      best = { embedding, MRR };
      looksWithout = 0;
    } else if (++looksWithout >= settings.patience) break;
  }
  return best?.embedding ?? current();
}

/** Uniform in ± 6 / √dim (Bordes et al. 2013), or in ± `range`. */
function initial(length: number, dim: number, draws: Random, range = 6 / Math.sqrt(dim)): Float32Array {
  return Float32Array.from({ length }, () => (2 * draws.float() - 1) * range);
}

function missing({ head, relation, tail }: LinkTriple): never {
  throw new MkgError(
    "trainGraphEmbedding",
    `a triple of no entities of the graph (${head}, ${relation}, ${tail})`,
    "Ids of graph.entities",
  );
}

/** The graph's triples by the ids of their parts. */
function linkTriples(graph: Graph): LinkTriple[] {
  const [head, relation, tail] = ["head", "relation", "tail"].map((name) => graph.triples.array(name) as string[]) as [
    string[],
    string[],
    string[],
  ];
  return head.map((id, i) => ({ head: id, relation: relation[i] as string, tail: tail[i] as string }));
}

/**
 * The graph's triples in three parts for link prediction, drawn by `seed`: `validation` and `test` are shares (default 0.1 each). A triple whose entity or
 * relation would then stand in no training triple stays in training, so that everything that is asked about was seen; parts can be smaller for it. Equal
 * triples go to one part. O(triples).
 *
 * @example
 * const { train, validation, test } = splitTriples(graph, { seed: 0 });
 */
export function splitTriples(
  graph: Graph,
  given: { readonly validation?: number; readonly test?: number; readonly seed?: number } = {},
): { readonly train: LinkTriple[]; readonly validation: LinkTriple[]; readonly test: LinkTriple[] } {
  const share = (what: string) => real({ min: 0, max: 0.9, default: 0.1, doc: `share of ${what} triples` });
  const specs = {
    validation: share("validation"),
    test: share("test"),
    seed: integer({ min: 0, default: 0, doc: "of the draw" }),
  };
  const options = resolveOptions("splitTriples", specs, given) as { validation: number; test: number; seed: number };
  const groups = new Map<string, LinkTriple[]>();
  for (const triple of linkTriples(graph)) {
    const key = JSON.stringify([triple.head, triple.relation, triple.tail]);
    const group = groups.get(key);
    if (group) group.push(triple);
    else groups.set(key, [triple]);
  }
  const left = new Map<string, number>();
  const parts = ({ head, relation, tail }: LinkTriple) => [`e ${head}`, `e ${tail}`, `r ${relation}`];
  for (const [triple] of groups.values())
    for (const part of new Set(parts(triple as LinkTriple))) left.set(part, (left.get(part) ?? 0) + 1);
  const order = random("splitTriples", options.seed).shuffle([...groups.values()]);
  const out = { train: [] as LinkTriple[], validation: [] as LinkTriple[], test: [] as LinkTriple[] };
  const wanted = {
    test: Math.round(options.test * groups.size),
    validation: Math.round(options.validation * groups.size),
  };
  for (const group of order) {
    const own = [...new Set(parts(group[0] as LinkTriple))];
    const part = wanted.test > 0 ? "test" : wanted.validation > 0 ? "validation" : "train";
    if (part !== "train" && own.every((p) => (left.get(p) as number) > 1)) {
      wanted[part]--;
      for (const p of own) left.set(p, (left.get(p) as number) - 1);
      out[part].push(...group);
    } else out.train.push(...group);
  }
  return out;
}
