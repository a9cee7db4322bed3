import { type Evidence, type Hit, MkgError, nearest, type Query, quote, stableStringify } from "../core/index.js";
import type { Candidate } from "../datasets/index.js";
import type { Graph } from "../graph/index.js";
import type { PrepareContext, Retriever, RetrieverContext } from "./types.js";

type Search = (
  query: Query,
  context: RetrieverContext,
) => readonly Hit[] | Evidence | Promise<readonly Hit[] | Evidence>;

/** What {@link defineRetriever} takes. */
export interface RetrieverDefinition {
  /** Shown in tables and part of the key of stored results. */
  readonly name: string;
  /** Change it whenever the retriever could give other results: stored results of another version are not reused. */
  readonly version: string;
  /** Plain JSON that tells two retrievers of the same name apart; part of the key of stored results. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Built once per data set and setting; arrives in every search as `context.state`. */
  readonly prepare?: (context: PrepareContext) => unknown;
  readonly search: Search;
}

/**
 * A retriever whose results may be stored across sessions, unlike a bare function's. It may be called from inside
 * another retriever: it then prepares itself on the first call (seed 0) and keeps its state as long as that graph lives.
 * Errors: a missing or wrong field, an unknown field, params that JSON cannot hold.
 *
 * @example
 * const mine = defineRetriever({ name: "longest", version: "1", search: (query, { candidates, k }) =>
 *   candidates.slice(0, k).map((c) => ({ triple: c.triple, score: c.text.length })) });
 * (await retrieve(dataset, mine, { k: 5 })).label; // "longest"
 */
export function defineRetriever(definition: RetrieverDefinition): Retriever {
  const place = "defineRetriever";
  const fields = ["name", "version", "params", "prepare", "search"];
  if (typeof definition !== "object" || definition === null)
    throw new MkgError(place, `not an object (${quote(definition)})`, `Fields: ${fields.join(", ")}`);
  for (const key of Object.keys(definition))
    if (!fields.includes(key)) {
      const meant = nearest(key, fields);
      throw new MkgError(
        place,
        `unknown field (${quote(key)})`,
        `Fields: ${fields.join(", ")}`,
        meant ? `Did you mean ${quote(meant)}?` : "",
      );
    }
  const { name, version, params = {}, prepare, search } = definition;
  for (const [field, value] of [
    ["name", name],
    ["version", version],
  ])
    if (typeof value !== "string" || value.trim() === "")
      throw new MkgError(
        place,
        `${field} is not a non-empty string (${quote(value)})`,
        "",
        `Give the retriever a ${field}`,
      );
  if (typeof search !== "function")
    throw new MkgError(place, `search is not a function (${quote(search)})`, "(query, context) => hits");
  if (prepare !== undefined && typeof prepare !== "function")
    throw new MkgError(place, `prepare is not a function (${quote(prepare)})`, "(context) => state");
  return makeRetriever({ name, label: name, version, params, search, ...(prepare ? { prepare } : {}) });
}

/** State with its owner, so that a retriever called with another one's state notices. */
class Prepared {
  constructor(
    readonly owner: Retriever,
    readonly state: unknown,
  ) {}
}

/** The one maker of retrievers with a name: those of the table and those that a user defines. */
export function makeRetriever(
  parts: Omit<RetrieverDefinition, "version"> & { label: string; version?: string },
): Retriever {
  const { name, label, version, prepare, search } = parts;
  const params = Object.freeze(JSON.parse(stableStringify(parts.params ?? {})) as Record<string, unknown>);
  const kept = new WeakMap<Graph, WeakMap<readonly Candidate[], Promise<Prepared>>>();

  const own = async (context: PrepareContext): Promise<Prepared> => new Prepared(made, await prepare?.(context));
  const stateIn = (context: RetrieverContext): Promise<Prepared> => {
    const { graph, candidates } = context;
    const byCandidates = kept.get(graph) ?? new WeakMap<readonly Candidate[], Promise<Prepared>>();
    kept.set(graph, byCandidates);
    let state = byCandidates.get(candidates);
    if (!state) {
      state = own({ graph, candidates, seed: 0, signal: context.signal });
      byCandidates.set(candidates, state);
      // an aborted or failed preparation must not be served to the next run
      state.catch(() => byCandidates.delete(candidates));
    }
    return state;
  };

  const made: Retriever = (query, context) => {
    if (!prepare) return search(query, context);
    const given = context.state;
    if (given instanceof Prepared && given.owner === made)
      return search(query, Object.freeze({ ...context, state: given.state }));
    return stateIn(context).then(({ state }) => search(query, Object.freeze({ ...context, state })));
  };
  Object.defineProperty(made, "name", { value: name });
  return Object.freeze(
    Object.assign(made, {
      label,
      ...(version === undefined ? {} : { version }),
      params,
      ...(prepare ? { prepare: own } : {}),
    }),
  );
}

/** How a retriever is shown and keyed. `persistent`: its results may be reused in another session. */
export interface ResolvedRetriever {
  readonly label: string;
  readonly version: string | null;
  readonly params: Readonly<Record<string, unknown>>;
  readonly persistent: boolean;
}

/**
 * Label, version and parameters of any retriever. A bare function is shown by its own name, has no version, and is not
 * persistent: neither its source nor its name says what it will return. Errors: not a function.
 *
 * @example
 * resolveRetriever(function longest() { return []; }); // { label: "longest", version: null, params: {}, persistent: false }
 */
export function resolveRetriever(retriever: Retriever): ResolvedRetriever {
  if (typeof retriever !== "function")
    throw new MkgError(
      "retrieve",
      `the retriever is not a function (${quote(retriever)})`,
      "A function (query, context) => hits, or what retriever(name) or defineRetriever returns",
      typeof retriever === "string" ? `Did you mean retriever(${quote(retriever)})?` : "",
    );
  const { version } = retriever;
  return Object.freeze({
    label: retriever.label ?? (retriever.name || "anonymous"),
    version: version ?? null,
    params: retriever.params ?? {},
    persistent: typeof version === "string",
  });
}
