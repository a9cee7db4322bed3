import { type Hit, MkgError, type Query, quote, rankHits } from "../../core/index.js";
import { makeRetriever, resolveRetriever } from "../define.js";
import type { PrepareContext, Retriever, RetrieverContext } from "../types.js";
import { prepareAll, searchAll } from "./fuse.js";

/**
 * What is done with the hits of a retriever: a plain function is a whole stage. It gets them best first and returns the hits that go on, with
 * the scores that rank them.
 */
export interface Stage {
  (query: Query, hits: readonly Hit[], context: RetrieverContext): readonly Hit[] | Promise<readonly Hit[]>;
  readonly label?: string;
  /** Results are storable where the retriever and all stages have a version. */
  readonly version?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Hits that the stage wants to choose from, where more than k. */
  readonly depth?: number;
  readonly prepare?: (context: PrepareContext) => unknown;
}

/**
 * A retriever followed by stages, such as {@link mmr} or a re-ranking function. The retriever is asked for as many hits as the greediest stage wants
 * to choose from; at the end the k best stay. Errors: a stage that is no function.
 *
 * @example
 * const short = pipe(retriever("bm25"), (query, hits) => hits.filter((hit) => hit.score > 5));
 * pipe(retriever("bm25"), mmr({ lambda: 0.7 })).label; // "bm25 → mmr (0.7)"
 */
export function pipe(retriever: Retriever, ...stages: readonly Stage[]): Retriever {
  const base = resolveRetriever(retriever);
  stages.forEach((stage, i) => {
    if (typeof stage !== "function")
      throw new MkgError(
        "pipe",
        `stage ${i + 1} is not a function (${quote(stage)})`,
        "(query, hits, context) => hits",
      );
  });
  const names = stages.map((stage) => stage.label ?? (stage.name || "anonymous"));
  const versions = [base.version, ...stages.map((stage) => stage.version)];
  const depth = Math.max(0, ...stages.map((stage) => stage.depth ?? 0));
  return makeRetriever({
    name: "pipe",
    label: [base.label, ...names].join(" → "),
    ...(versions.every((v) => typeof v === "string") ? { version: JSON.stringify(["1", ...versions]) } : {}),
    params: { retriever: { label: base.label, params: base.params }, stages: stages.map((s) => s.params ?? {}) },
    async prepare(context) {
      const [state] = await prepareAll([retriever], context);
      return [state, await Promise.all(stages.map((stage) => stage.prepare?.(context)))];
    },
    async search(query, context) {
      const [, own] = context.state as readonly [unknown, readonly unknown[]];
      const [found] = await searchAll([retriever], context, (part, inner) =>
        part(query, { ...inner, k: Math.max(context.k, depth) }),
      );
      let hits = rankHits(found?.hits ?? []);
      for (const [i, stage] of stages.entries())
        hits = rankHits(await stage(query, Object.freeze(hits), { ...context, state: own[i] }));
      return { ...found, hits: hits.slice(0, context.k) };
    },
  });
}
