import {
  type Evidence,
  type Hit,
  hitId,
  MkgError,
  type OptionSpecs,
  oneOf,
  positiveInteger,
  quote,
  rankHits,
  real,
  resolveOptions,
  unknownName,
} from "../../core/index.js";
import { makeRetriever, resolveRetriever } from "../define.js";
import type { PrepareContext, Retriever, RetrieverContext } from "../types.js";

/** The scores of one ranking, before they are added up. */
type Normalise = (scores: readonly number[]) => readonly number[];

const between = (scores: readonly number[]): readonly number[] => {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  // equal scores say nothing of their order: all count as the best
  return scores.map((s) => (high === low ? 1 : (s - low) / (high - low)));
};
const standard = (scores: readonly number[]): readonly number[] => {
  const mean = scores.reduce((a, b) => a + b, 0) / scores.length;
  const deviation = Math.sqrt(scores.reduce((a, b) => a + (b - mean) ** 2, 0) / scores.length);
  return scores.map((s) => (deviation > 0 ? (s - mean) / deviation : 0));
};

/** Ways to bring scores of different retrievers to one scale. */
const norms: Readonly<Record<string, Normalise>> = {
  "min-max": between,
  "z-score": standard,
  none: (scores) => scores,
};

/** Ways to make one score of what several rankings say of a hit: `shares` has a number for each ranking that holds it. */
const methods: Readonly<Record<string, { readonly ranks: boolean; combine(shares: readonly number[]): number }>> = {
  rrf: { ranks: true, combine: (shares) => shares.reduce((a, b) => a + b, 0) },
  combsum: { ranks: false, combine: (shares) => shares.reduce((a, b) => a + b, 0) },
  combmnz: { ranks: false, combine: (shares) => shares.length * shares.reduce((a, b) => a + b, 0) },
  combmax: { ranks: false, combine: (shares) => Math.max(...shares) },
};

export const fuseOptions: OptionSpecs = {
  method: oneOf(Object.keys(methods), {
    default: "rrf",
    doc: "rrf: reciprocal rank fusion; combsum, combmnz, combmax: of normalised scores",
  }),
  norm: oneOf(Object.keys(norms), {
    default: "min-max",
    doc: "what brings scores to one scale before combsum, combmnz and combmax; rrf looks at ranks alone",
  }),
  rrfK: real({ min: 0, max: 1e6, default: 60, doc: "the constant of 1 / (k + rank); 60 in Cormack et al." }),
};

/** How deep each ranking is read, where fewer are wanted: RRF at a depth of k alone would lose what stands low in all. */
const defaultDepth = 100;

interface FuseOptions {
  readonly method?: "rrf" | "combsum" | "combmnz" | "combmax";
  readonly norm?: "min-max" | "z-score" | "none";
  readonly rrfK?: number;
  /** One for each retriever; default 1 each. */
  readonly weights?: readonly number[];
  /** Hits asked of each retriever at least; default 100. */
  readonly depth?: number;
  readonly label?: string;
}

/**
 * Several retrievers as one. Each ranks on its own, `depth` (100) deep; a hit's score is the sum over the rankings that hold it of
 * `weight / (rrfK + rank)` (reciprocal rank fusion, default), or of its normalised score (`combsum`), that times the number of rankings that hold
 * it (`combmnz`), or the largest (`combmax`). Hits of different kinds, such as triples and paths, stand side by side. `via` names the
 * retrievers that found a hit. Results are storable where those of all parts are.
 *
 * Sources: RRF: Cormack et al. 2009, doi 10.1145/1571941.1572114; CombSUM, CombMNZ: Fox & Shaw 1994, TREC-2. Errors: no retriever, weights that
 * are not one finite number ≥ 0 for each, unknown options. Cost: that of the parts, and O(parts · depth).
 *
 * @example
 * const both = fuse([retriever("bm25"), retriever("text")], { method: "combsum" });
 * both.label; // "combsum (bm25, text (hash))"
 */
export function fuse(retrievers: readonly Retriever[], options: FuseOptions = {}): Retriever {
  const place = "fuse";
  if (!Array.isArray(retrievers) || retrievers.length === 0)
    throw new MkgError(place, `not a list of retrievers (${quote(retrievers)})`, "At least one");
  const { weights = retrievers.map(() => 1), depth = defaultDepth, label, ...scoring } = options;
  const settings = resolveOptions(place, fuseOptions, scoring);
  positiveInteger(place, "depth", depth);
  if (
    !Array.isArray(weights) ||
    weights.length !== retrievers.length ||
    !weights.every((w) => typeof w === "number" && Number.isFinite(w) && w >= 0)
  )
    throw new MkgError(
      place,
      `weights do not fit the retrievers (${quote(weights)})`,
      `${retrievers.length} finite numbers ≥ 0, one for each`,
    );
  const parts = retrievers.map((r) => resolveRetriever(r));
  const { ranks, combine } = methods[settings.method as string] ?? missing(settings.method);
  const normalise = norms[settings.norm as string] as Normalise;

  return makeRetriever({
    name: "fuse",
    label: label ?? `${settings.method} (${parts.map((p) => p.label).join(", ")})`,
    ...(parts.every((p) => p.persistent) ? { version: JSON.stringify(["1", ...parts.map((p) => p.version)]) } : {}),
    params: { ...settings, weights, depth, parts: parts.map(({ label, params }) => ({ label, params })) },
    prepare: (context) => prepareAll(retrievers, context),
    async search(query, context) {
      const deep = Math.max(context.k, depth);
      const found = await searchAll(retrievers, context, (part, own) => part(query, { ...own, k: deep }));
      const merged = new Map<string, { hit: Hit; shares: number[]; via: string[] }>();
      found.forEach((evidence, i) => {
        const hits = rankHits(evidence.hits).slice(0, deep);
        const shares = ranks
          ? hits.map((_, rank) => 1 / ((settings.rrfK as number) + rank + 1))
          : normalise(hits.map((hit) => hit.score));
        hits.forEach((hit, rank) => {
          const id = hitId(hit);
          const known = merged.get(id) ?? { hit, shares: [], via: [] };
          known.shares.push((weights[i] as number) * (shares[rank] as number));
          known.via.push((parts[i] as (typeof parts)[number]).label);
          merged.set(id, known);
        });
      });
      const fused = [...merged.values()].map(({ hit, shares, via }) => ({
        ...hit,
        score: combine(shares),
        via: via.join(" + "),
      }));
      return rankHits(fused).slice(0, context.k);
    },
  });
}

const missing = (method: unknown): never => {
  throw unknownName("fuse", "method", String(method), Object.keys(methods));
};

/** What each part prepares, in their order. */
export const prepareAll = (parts: readonly Retriever[], context: PrepareContext): Promise<unknown[]> =>
  Promise.all(parts.map((part) => part.prepare?.(context)));

/** Calls each part with its own state; what comes back in full form. */
export async function searchAll(
  parts: readonly Retriever[],
  context: RetrieverContext,
  call: (part: Retriever, own: RetrieverContext) => ReturnType<Retriever>,
): Promise<Evidence[]> {
  const states = context.state as readonly unknown[];
  const found: Evidence[] = [];
  // one after the other: parts may share a generator of random numbers
  for (const [i, part] of parts.entries()) {
    const own = await call(part, { ...context, state: states[i] });
    found.push(Array.isArray(own) ? { hits: own as readonly Hit[] } : (own as Evidence));
  }
  return found;
}
