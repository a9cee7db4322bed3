import { resolveOptions } from "../core/index.js";
import { isEncoder } from "../embed/index.js";
import { makeRetriever } from "./define.js";
import type { Retriever, RetrieverEntry } from "./types.js";

/** The retriever that an entry of the table and the given options make. Errors: an unknown option, a wrong value. */
export function fromEntry(entry: RetrieverEntry, options: Readonly<Record<string, unknown>> = {}): Retriever {
  const { name, version, prepare, parts = {} } = entry;
  const resolved = resolveOptions(`retriever(${JSON.stringify(name)})`, { ...entry.options, ...parts }, options);
  const params = Object.fromEntries(
    Object.entries(resolved)
      .filter(([key]) => !Object.hasOwn(parts, key))
      // an encoder is told by its name and revision
      .map(([key, value]) => [key, isEncoder(value) ? `${value.name} ${value.revision}` : value]),
  );
  const own = Object.keys(parts).filter((key) => options[key] !== undefined);
  const label = entry.label?.(params) ?? name;
  return makeRetriever({
    name,
    label: own.length > 0 ? `${label} (own ${own.join(", ")})` : label,
    ...(own.length > 0 ? {} : { version }),
    params,
    ...(prepare ? { prepare: (context) => prepare(context, resolved) } : {}),
    search: (query, context) => entry.search(query, context, resolved),
  });
}
