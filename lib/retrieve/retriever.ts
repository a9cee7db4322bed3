import { type OptionSpecs, resolveOptions, unknownName } from "../core/index.js";
import { bm25 } from "./bm25.js";
import { makeRetriever } from "./define.js";
import { randomRetriever } from "./random.js";
import { text } from "./text.js";
import type { Retriever, RetrieverEntry } from "./types.js";
import { walk } from "./walk.js";

const retrievers: ReadonlyMap<string, RetrieverEntry> = new Map(
  [bm25, randomRetriever, text, walk].map((entry) => [entry.name, entry]),
);

/** The names that {@link retriever} takes, in code-unit order. */
export const retrieverNames = (): string[] => [...retrievers.keys()].sort();

function entry(name: string): RetrieverEntry {
  const found = retrievers.get(name);
  if (!found) throw unknownName("retriever", "retriever", name, retrieverNames());
  return found;
}

/** The options that a retriever of the table declares. Error: unknown name. */
export const retrieverOptions = (name: string): OptionSpecs => entry(name).options;

/** Where a retriever of the table comes from: authors, year, title, DOI or arXiv id. Error: unknown name. */
export const retrieverCitation = (name: string): string => entry(name).citation;

/**
 * A retriever of the table.
 *
 * | name | finds | options (default) |
 * |---|---|---|
 * | `bm25` | triples that share words with the question | k1 (1.2), b (0.75) |
 * | `random` | a uniform draw of triples | – |
 * | `text` | triples whose text is near the question's, by cosine | encoder ("hash") |
 * | `walk` | paths from the entity that the question names or shows | order, pathCount (5), cap, keyFrames … |
 *
 * Errors: unknown name, option or value.
 *
 * @example
 * retriever("text").label;              // "text (hash)"
 * retriever("bm25", { b: 0.4 }).params; // { b: 0.4, k1: 1.2 }
 */
export function retriever(name: string, options: Readonly<Record<string, unknown>> = {}): Retriever {
  const found = entry(name);
  const { prepare, parts = {} } = found;
  const resolved = resolveOptions(`retriever(${JSON.stringify(name)})`, { ...found.options, ...parts }, options);
  const params = Object.fromEntries(Object.entries(resolved).filter(([key]) => !Object.hasOwn(parts, key)));
  const own = Object.keys(parts).filter((key) => options[key] !== undefined);
  const label = found.label?.(params) ?? name;
  return makeRetriever({
    name,
    label: own.length > 0 ? `${label} (own ${own.join(", ")})` : label,
    ...(own.length > 0 ? {} : { version: found.version }),
    params,
    ...(prepare ? { prepare: (context) => prepare(context, resolved) } : {}),
    search: (query, context) => found.search(query, context, resolved),
  });
}
