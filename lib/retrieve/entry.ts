import { resolveOptions } from "../core/index.js";
import { isEncoder, isEncoderName, isStable } from "../embed/index.js";
import { makeRetriever } from "./define.js";
import type { Retriever, RetrieverEntry } from "./types.js";

/**
 * The retriever that an entry of the table and the given options make. One that names an encoder with model files, or a service, has no version: its results
 * are not stored, its vectors are (see `embed`); an encoder itself, given as the option, has a revision, and results are stored under it. Errors: an unknown option, a wrong value.
 */
export function fromEntry(entry: RetrieverEntry, options: Readonly<Record<string, unknown>> = {}): Retriever {
  const { name, version, prepare, parts = {} } = entry;
  const resolved = resolveOptions(`retriever(${JSON.stringify(name)})`, { ...entry.options, ...parts }, options);
  const params = Object.fromEntries(
    Object.entries(resolved)
      .filter(([key]) => !Object.hasOwn(parts, key))
      // an encoder is told by its name and revision
      .map(([key, value]) => [key, isEncoder(value) ? `${value.name} ${value.revision}` : value]),
  );
  // files and services may change under a name, so that what is stored under it could be another model's
  const stable = Object.entries(params).every(
    ([key, value]) => !/encoder|captioner/i.test(key) || !isEncoderName(value) || isStable(value as string),
  );
  const own = Object.keys(parts).filter((key) => options[key] !== undefined);
  const label = entry.label?.(params) ?? name;
  return makeRetriever({
    name,
    label: own.length > 0 ? `${label} (own ${own.join(", ")})` : label,
    ...(own.length > 0 || !stable ? {} : { version }),
    params,
    ...(prepare ? { prepare: (context) => prepare(context, resolved) } : {}),
    search: (query, context) => entry.search(query, context, resolved),
  });
}
