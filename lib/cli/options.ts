import { readerNames, readerOptions } from "../answer/index.js";
import { type OptionSpecs, unknownName } from "../core/index.js";
import { datasetList } from "../datasets/index.js";
import {
  controlNames,
  controlOptions,
  controlSummary,
  retrieverCitation,
  retrieverNames,
  retrieverOptions,
} from "../retrieve/index.js";

/** A part by name, and what may be set on it. */
export interface OptionList {
  readonly part: "retriever" | "reader" | "control" | "data set";
  readonly name: string;
  /** What it is or where it comes from; "" where the table does not say. */
  readonly about: string;
  readonly options: readonly {
    readonly name: string;
    readonly default: unknown;
    readonly allowed: string;
    readonly doc: string;
  }[];
}

const listed = (specs: OptionSpecs): OptionList["options"] =>
  Object.entries(specs).map(([name, { default: value, allowed, doc }]) => ({ name, default: value, allowed, doc }));

/**
 * The options of every retriever, reader, control and data set, from their tables; of one name alone where it is given.
 *
 * @throws MkgError for an unknown name, with the nearest known one.
 * @example
 * optionLists("bm25")[0]?.options[0];
 * // { name: "k1", default: 1.2, allowed: "a finite number from 0 to 1000", doc: "…" }
 */
export function optionLists(name?: string): OptionList[] {
  const all: OptionList[] = [
    ...retrieverNames().map((name) => ({
      part: "retriever" as const,
      name,
      about: retrieverCitation(name),
      options: listed(retrieverOptions(name)),
    })),
    ...readerNames().map((name) => ({
      part: "reader" as const,
      name,
      about: "",
      options: listed(readerOptions(name)),
    })),
    ...controlNames().map((name) => ({
      part: "control" as const,
      name,
      about: controlSummary(name),
      options: listed(controlOptions(name)),
    })),
    ...datasetList().map(({ name, summary, options }) => ({
      part: "data set" as const,
      name,
      about: summary,
      options,
    })),
  ];
  if (name === undefined) return all;
  const found = all.filter((list) => list.name === name);
  if (found.length === 0)
    throw unknownName(
      "mkglab options",
      "retriever, reader, control or data set",
      name,
      all.map((list) => list.name),
    );
  return found;
}

/** The lists as text: a part, its options below it, and where they are written. */
export function optionText(lists: readonly OptionList[]): string {
  const width = Math.max(0, ...lists.flatMap(({ options }) => options.map(({ name }) => name.length)));
  const parts = lists.map(({ part, name, about, options }) =>
    [
      `${part} ${name}${about ? `: ${about}` : ""}`,
      ...options.flatMap((option) => [
        `  ${option.name.padEnd(width)}  ${option.allowed}; default ${JSON.stringify(option.default)}`,
        `  ${" ".repeat(width)}  ${option.doc}`,
      ]),
      ...(options.length === 0 ? ["  no options"] : []),
    ].join("\n"),
  );
  return `${parts.join("\n\n")}\n
In a study, retriever, reader, k, setting and the options of its retrievers and readers stand in base (one value) and vary (a list of values); a control's stand beside its name.`;
}
