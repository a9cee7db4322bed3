import { resolveOptions, stableHash, unknownName } from "../core/index.js";
import { extractive } from "./extractive.js";
import { learned } from "./learned.js";
import type { Reader, ReaderEntry } from "./types.js";

const table: ReadonlyMap<string, ReaderEntry> = new Map([extractive, learned].map((entry) => [entry.name, entry]));
const ofTable = new WeakSet<Reader>();

/** Whether this reader came from {@link reader}: a function itself does not show whether it reads or retrieves. */
export const isTableReader = (r: Reader): boolean => ofTable.has(r);

/** The names that {@link reader} takes, in code-unit order. */
export const readerNames = (): string[] => [...table.keys()].sort();

/** The declared options of a reader of the table. */
export const readerOptions = (name: string): ReaderEntry["options"] => entryOf("readerOptions", name).options;

function entryOf(place: string, name: string): ReaderEntry {
  const entry = table.get(name);
  if (!entry) throw unknownName(place, "reader", name, readerNames());
  return entry;
}

// Owner: this table. One fit for each reader and its options, so that equal readers are fitted once per data set (answer.ts).
// The least recently asked for is dropped: an equal reader made after that is fitted anew, with the same result.
const fits = new Map<string, NonNullable<Reader["fit"]>>();
const maxFits = 64;

function fitOf(entry: ReaderEntry, params: Readonly<Record<string, unknown>>): Reader["fit"] {
  if (!entry.fit) return undefined;
  const key = stableHash([entry.name, entry.version, params]);
  const fit = fits.get(key) ?? ((context) => entry.fit?.(context, params));
  fits.delete(key);
  fits.set(key, fit);
  if (fits.size > maxFits) fits.delete(fits.keys().next().value as string);
  return fit;
}

/**
 * The reader of that name: `"extractive"` (answers from the evidence alone, abstains without) or `"learned"` (pools the evidence
 * with a memory of the training split; options evidenceRate = 0.5, memoryPictures = true). Neither needs a model or a network. Errors: unknown name, option or value.
 *
 * @example
 * reader("learned").label; // "learned"
 */
export function reader(name: string, options: Readonly<Record<string, unknown>> = {}): Reader {
  const entry = entryOf("reader", name);
  const params = Object.freeze(resolveOptions(`reader(${JSON.stringify(name)})`, entry.options, options));
  const fit = fitOf(entry, params);
  const made: Reader = Object.freeze(
    Object.assign((...[query, evidence, context]: Parameters<Reader>) => entry.read(query, evidence, context, params), {
      label: entry.name,
      version: entry.version,
      params,
      ...(fit ? { fit } : {}),
    }),
  );
  ofTable.add(made);
  return made;
}

/** What identifies a reader in tables and keys. */
export interface ResolvedReader {
  readonly label: string;
  readonly version: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Whether its answers may be stored beyond this process: true where it has a version, as all of the table do; false for a bare function. */
  readonly persistent: boolean;
}

/**
 * How a reader is shown and keyed.
 *
 * @example
 * resolveReader(reader("extractive")); // { label: "extractive", version: "2", params: {}, persistent: true }
 */
export const resolveReader = (r: Reader): ResolvedReader =>
  Object.freeze({
    label: r.label ?? (r.name || "reader"),
    version: r.version ?? "",
    params: r.params ?? {},
    persistent: typeof r.version === "string",
  });
