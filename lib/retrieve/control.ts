import { isTableReader, type Reader } from "../answer/index.js";
import {
  type Evidence,
  type Hit,
  integer,
  MkgError,
  type OptionSpecs,
  oneOf,
  type Query,
  quote,
  resolveOptions,
  unknownName,
} from "../core/index.js";
import { type Graph, graphFrom } from "../graph/index.js";
import { openGoldDoor } from "./door.js";
import { randomEvidence } from "./random-path.js";
import type { Retriever, RetrieverContext } from "./types.js";

/** A control: what it leaves standing of question, graph and evidence, and how it wraps a retriever, a reader or both. */
interface ControlEntry {
  readonly summary: string;
  readonly options: OptionSpecs;
  retriever?(target: Retriever, options: Readonly<Record<string, unknown>>): Retriever;
  reader?(target: Reader): Reader;
}

const withoutImages = (query: Query): Query => Object.freeze({ ...query, images: Object.freeze([]) });
const noEvidence: Evidence = Object.freeze({ hits: Object.freeze([]) });

/** The same part under another label, with the control in its parameters, so that stored results never mix. */
const relabel = <T extends Retriever | Reader>(part: T, from: T, control: string, options = {}): T =>
  Object.freeze(
    Object.assign(part, {
      label: `${control} (${from.label ?? (from.name || "anonymous")})`,
      version: from.version,
      params: Object.freeze({ ...from.params, control, ...options }),
    }),
  );

/** What a reader under a control is shown instead of what it is given. */
interface Shown {
  readonly query?: (query: Query) => Query;
  readonly evidence?: Evidence;
  readonly graph: (graph: Graph) => Graph;
}

/** A reader that is shown less: what it learns from is unchanged, since the control is about the question under test. */
const shownLess = (target: Reader, control: string, shown: Shown): Reader =>
  relabel(
    Object.assign(
      ((query, given, context) =>
        target(
          shown.query?.(query) ?? query,
          shown.evidence ?? given,
          Object.freeze({ ...context, graph: shown.graph(context.graph) }),
        )) as Reader,
      { ...(target.fit ? { fit: target.fit } : {}) },
    ),
    target,
    control,
  );

/** No graph: else a reader could look the answer up in the one that evidence is withheld from. */
const emptyGraph = graphFrom({ entities: [], triples: [] });
const noGraph = (): Graph => emptyGraph;

/** Runs a wrapped retriever and gives its result the full form. */
async function evidenceOf(target: Retriever, query: Query, context: RetrieverContext): Promise<Evidence> {
  const found = await target(query, context);
  return Array.isArray(found) ? { hits: found as readonly Hit[] } : (found as Evidence);
}

const controls: Readonly<Record<string, ControlEntry>> = {
  "question-only": {
    summary: "the question's text alone: no question image, no evidence",
    options: {},
    reader: (target) =>
      shownLess(target, "question-only", { query: withoutImages, evidence: noEvidence, graph: noGraph }),
  },
  "closed-book": {
    summary: "question text and image, no evidence",
    options: {},
    reader: (target) => shownLess(target, "closed-book", { evidence: noEvidence, graph: noGraph }),
  },
  "text-only": {
    summary: "no image anywhere: question text, graph text, retrieved evidence",
    options: {},
    retriever(target) {
      const search: Retriever = (query, context) =>
        target(withoutImages(query), { ...context, graph: context.graph.withoutImages() });
      const { prepare } = target;
      if (prepare)
        Object.assign(search, {
          prepare: (context: Parameters<typeof prepare>[0]) =>
            prepare({ ...context, graph: context.graph.withoutImages() }),
        });
      return relabel(search, target, "text-only");
    },
    reader: (target) =>
      shownLess(target, "text-only", { query: withoutImages, graph: (graph) => graph.withoutImages() }),
  },
  "random-path": {
    summary: "evidence replaced by random paths, matched to the retrieved ones; gold and answer-bearing paths excluded",
    options: {
      subgraph: oneOf(["same-subgraph", "other-subgraph"], {
        default: "same-subgraph",
        doc: "where random paths start: at the entity where the retrieved path starts, or at another entity of its kind",
      }),
      draws: integer({
        min: 1,
        max: 1000,
        default: 16,
        doc: "random paths drawn for each retrieved one, of which the nearest is kept",
      }),
    },
    retriever(target, options) {
      const search: Retriever = () => {
        throw new MkgError("random-path", "was called directly", "", "Run it through retrieve() or a study");
      };
      if (target.prepare) Object.assign(search, { prepare: target.prepare });
      return openGoldDoor(relabel(search, target, "random-path", options), async (query, context, known) =>
        randomEvidence(
          await evidenceOf(target, query, context),
          context,
          known,
          options as { subgraph: string; draws: number },
        ),
      );
    },
  },
  oracle: {
    summary: "the gold evidence",
    options: {},
    retriever(target) {
      const search: Retriever = () => {
        throw new MkgError("oracle", "was called directly", "", "Run it through retrieve() or a study");
      };
      return openGoldDoor(relabel(search, target, "oracle"), async (_query, _context, { gold }) => ({
        hits: goldHits(gold),
      }));
    },
  },
};

/** Gold as evidence: paths where there are any, else triples, else passages; in the data set's order, all with score 1 … 1/n. */
function goldHits(gold: Parameters<Parameters<typeof openGoldDoor>[1]>[2]["gold"]): Hit[] {
  const score = (i: number) => 1 / (i + 1);
  if (gold.paths?.length)
    return gold.paths.map((path, i) => ({
      score: score(i),
      path,
      ...(gold.pathTriples?.[i] ? { pathTriples: gold.pathTriples[i] } : {}),
      via: "oracle",
    }));
  if (gold.triples?.length) return gold.triples.map((triple, i) => ({ score: score(i), triple, via: "oracle" }));
  return (gold.passages ?? []).map((passage, i) => ({ score: score(i), passage, via: "oracle" }));
}

/** Names of the controls, from the table. */
export const controlNames = (): string[] => Object.keys(controls);

/** What a control leaves standing, in words. */
export const controlSummary = (name: string): string => entry(name).summary;

/** The options that a control declares. Error: unknown name. */
export const controlOptions = (name: string): OptionSpecs => entry(name).options;

/** Which parts a control wraps. */
export const controlWraps = (name: string): { retriever: boolean; reader: boolean } => {
  const { retriever, reader } = entry(name);
  return { retriever: retriever !== undefined, reader: reader !== undefined };
};

function entry(name: string): ControlEntry {
  if (!Object.hasOwn(controls, name)) throw unknownName("control", "control", name, controlNames());
  return controls[name] as ControlEntry;
}

/**
 * Wraps a retriever or a reader into the same type, with part of its input taken away or replaced, so that a score can
 * be read against what is reached without it.
 *
 * | name | question text | question image | graph text | entity images | evidence | wraps |
 * |---|---|---|---|---|---|---|
 * | question-only | yes | no | – | – | none | reader |
 * | closed-book | yes | yes | – | – | none | reader |
 * | text-only | yes | no | yes | no | retrieved | retriever and reader |
 * | random-path | yes | yes | yes | yes | random paths | retriever |
 * | oracle | yes | yes | yes | yes | gold | retriever |
 *
 * `random-path` takes `subgraph: "same-subgraph" | "other-subgraph"` and `draws`. It runs the wrapped retriever and
 * replaces each of its paths by a random one of the same length. `oracle` and the exclusion step of `random-path` see
 * gold; the part they wrap does not. A bare function under `text-only` is taken for a retriever; say
 * `as: "reader"` where it is a reader.
 *
 * @throws unknown control or option; a control that does not wrap this kind of part.
 * @example
 * control("random-path", retriever("walk"), { subgraph: "other-subgraph" }).label  // "random-path (walk)"
 */
export function control<T extends Retriever | Reader>(
  name: string,
  target: T,
  options: Readonly<Record<string, unknown>> & { as?: "retriever" | "reader" } = {},
): T {
  const found = entry(name);
  const { as, ...own } = options;
  if (typeof target !== "function")
    throw new MkgError(
      "control",
      `the target is not a retriever or reader (${quote(target)})`,
      "A function, or what retriever() or reader() returns",
    );
  if (as !== undefined && as !== "retriever" && as !== "reader")
    throw unknownName("control", "kind of part", as, ["retriever", "reader"]);
  const isReader = as ? as === "reader" : isTableReader(target as Reader) || !found.retriever;
  const resolved = resolveOptions(`control ${name}`, found.options, own);
  const wrapped = isReader ? found.reader?.(target as Reader) : found.retriever?.(target as Retriever, resolved);
  if (!wrapped)
    throw new MkgError(
      "control",
      `${name} does not wrap a ${isReader ? "reader" : "retriever"}`,
      `It wraps a ${found.retriever ? "retriever" : "reader"}`,
    );
  return wrapped as T;
}
