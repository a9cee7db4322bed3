import { type Reader, reader, readerNames, readerOptions } from "../answer/index.js";
import {
  MkgError,
  type OptionSpecs,
  positiveInteger,
  quote,
  refuseUnknown,
  resolveOptions,
  stableStringify,
  unknownName,
} from "../core/index.js";
import type { Dataset, SettingName } from "../datasets/index.js";
import type { Folders } from "../embed/index.js";
import { parseMeasure } from "../evaluate/index.js";
import {
  controlNames,
  controlOptions,
  controlWraps,
  type Retriever,
  retriever,
  retrieverNames,
  retrieverOptions,
} from "../retrieve/index.js";

/** A base configuration and what is varied about it. Values are plain JSON, or functions for `retriever` and `reader`. */
export interface StudySpec {
  readonly dataset: Dataset;
  /** `retriever` (name or function), `reader` (name, function or absent for retrieval only), `k` (default 10), `setting`, and any option that one of the parts declares. */
  readonly base: Readonly<Record<string, unknown>>;
  /** Values by option; a value equal to the base's adds nothing. */
  readonly vary?: Readonly<Record<string, readonly unknown[]>>;
  /** `one-at-a-time` (default): each value alone against the base; `pairs`: and every pair; `grid`: every combination. */
  readonly design?: "one-at-a-time" | "pairs" | "grid";
  /** Factors of `vary` that are combined with every cell, each of their values with a baseline of its own. */
  readonly cross?: readonly string[];
  /** Controls on the base; default: all that apply. `[]` turns them off, and the report says so. */
  readonly controls?: readonly (string | ({ readonly name: string } & Readonly<Record<string, unknown>>))[];
  /** Measures by canonical name; default: those that the data set's gold and the reader allow. */
  readonly measures?: readonly string[];
  /** Run seeds; default [0]. */
  readonly seeds?: readonly number[];
  /** Default: the data set's own. */
  readonly split?: "test" | "validation" | "train";
  /** Where results are kept; default runs/study. */
  readonly dir?: string;
  /** Where vectors are kept (`cache`) and models are found (`models`): neither changes a result. */
  readonly folders?: Folders;
}

/** One configuration of a study. */
export interface Cell {
  /** Shown as `run` in rows: `base`, `pathCount=1`, `reader=learned, control=oracle` … */
  readonly label: string;
  /** The base cell that it is compared with; its own label for a base. */
  readonly baseline: string;
  /** What differs from the base: "" for the base, a factor's name, "control", or several joined by " × ". */
  readonly factor: string;
  readonly level: string;
  /** Level of each crossed factor. */
  readonly crossed: Readonly<Record<string, string>>;
  /** All options, flat. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly control?: { readonly name: string; readonly options: Readonly<Record<string, unknown>> };
}

export interface Plan {
  readonly cells: readonly Cell[];
  /** Factors, values and controls that were asked for and cannot apply, each with its reason. */
  readonly notApplicable: readonly { readonly what: string; readonly reason: string }[];
  readonly measures: readonly string[];
  readonly seeds: readonly number[];
  readonly controlsOff: readonly string[];
}

const specKeys = [
  "dataset",
  "base",
  "vary",
  "design",
  "cross",
  "controls",
  "measures",
  "seeds",
  "split",
  "dir",
  "folders",
];
const designs = ["one-at-a-time", "pairs", "grid"];
const reserved = ["retriever", "reader", "k", "setting"];

/** How the value of an option is shown in labels and tables: a retriever by its label, such as `text (hash)`. */
export function levelOf(factor: string, value: unknown, options: Readonly<Record<string, unknown>>): string {
  if (factor !== "retriever" || typeof value !== "string") return levelName(value);
  const specs = retrieverOptions(value);
  return (
    retriever(value, Object.fromEntries(Object.entries(options).filter(([key]) => Object.hasOwn(specs, key)))).label ??
    value
  );
}

function levelName(value: unknown): string {
  if (typeof value === "function") return (value as Retriever).label ?? (value.name || "anonymous");
  return typeof value === "string" ? value : value === undefined || value === null ? "none" : stableStringify(value);
}

/** Options that a retriever or reader declares; a function declares none. */
const declared = (
  value: unknown,
  names: () => string[],
  specs: (name: string) => OptionSpecs,
  kind: string,
): OptionSpecs => {
  if (typeof value === "function" || value === undefined || value === null) return {};
  if (typeof value !== "string" || !names().includes(value)) throw unknownName("study", kind, value, names());
  return specs(value);
};
const retrieverSpecs = (value: unknown) => declared(value, retrieverNames, retrieverOptions, "retriever");
const readerSpecs = (value: unknown) => declared(value, readerNames, readerOptions, "reader");

/** Only what the parts that the options name declare: other parts' options decide nothing here. */
function ownOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = { ...retrieverSpecs(options.retriever), ...readerSpecs(options.reader) };
  return Object.fromEntries(
    Object.entries(options).filter(([key]) => reserved.includes(key) || Object.hasOwn(known, key)),
  );
}

/** Checks a specification against the tables and the data set, and lists its cells. Throws before anything is run. */
export function plan(spec: StudySpec): Plan {
  if (typeof spec !== "object" || spec === null || Array.isArray(spec))
    throw new MkgError("study", `the specification is not an object (${quote(spec)})`, "{ dataset, base, vary … }");
  refuseUnknown("study", spec, specKeys);
  const { dataset, base, vary = {}, design = "one-at-a-time" } = spec;
  if (typeof dataset !== "object" || dataset === null || !Array.isArray(dataset.questions))
    throw new MkgError(
      "study",
      `dataset is not a data set (${quote(dataset)})`,
      "What loadDataset or defineDataset returns",
      typeof dataset === "string" ? `Did you mean await loadDataset(${quote(dataset)})?` : "",
    );
  if (!base || typeof base !== "object" || Array.isArray(base))
    throw new MkgError(
      "study",
      `base is not an object (${quote(base)})`,
      "An object of options, at least { retriever }",
    );
  if (base.retriever === undefined)
    throw new MkgError("study", "base names no retriever", `Known: ${retrieverNames().join(", ")}; or a function`);
  if (!designs.includes(design)) throw unknownName("study", "design", design, designs);
  if (dataset.questions.length === 0)
    throw new MkgError(
      "study",
      `the data set has no questions (${dataset.name}, ${dataset.split})`,
      "A data set with questions",
      "Choose another one: see `mkglab data list`, or define questions with defineDataset",
    );
  if (dataset.card.upperBound)
    throw new MkgError(
      "study",
      `the graph of ${dataset.name} was made from the gold (${dataset.graph.name})`,
      "A study makes tables of performance; over this graph every figure is an upper bound",
      "Put the released graph there (data/README.md), or score a run of your own with retrieve and score",
    );
  if (typeof vary !== "object" || vary === null || Array.isArray(vary))
    throw new MkgError("study", `vary is not an object (${quote(vary)})`, "Lists of values by option");
  for (const [factor, values] of Object.entries(vary))
    if (!Array.isArray(values) || values.length === 0)
      throw new MkgError("study", `vary.${factor} is not a list of values (${quote(values)})`, "A non-empty array");
  const isListOf = (list: unknown, check: (item: unknown) => boolean) => Array.isArray(list) && list.every(check);
  const isText = (item: unknown) => typeof item === "string" && item !== "";
  if (spec.cross !== undefined && !isListOf(spec.cross, isText))
    throw new MkgError("study", `cross is not a list of factors (${quote(spec.cross)})`, 'For example ["reader"]');
  if (spec.measures !== undefined && (!isListOf(spec.measures, isText) || spec.measures.length === 0))
    throw new MkgError(
      "study",
      `measures are not a list of names (${quote(spec.measures)})`,
      'For example ["EM", "nDCG@10"]',
    );
  if (
    spec.controls !== undefined &&
    !isListOf(
      spec.controls,
      (c) => isText(c) || (typeof c === "object" && c !== null && isText((c as { name?: unknown }).name)),
    )
  )
    throw new MkgError(
      "study",
      `controls are not a list of controls (${quote(spec.controls)})`,
      'Names, or objects such as { "name": "random-path", "draws": 32 }',
    );
  if (spec.dir !== undefined && !isText(spec.dir))
    throw new MkgError("study", `dir is not a path (${quote(spec.dir)})`, "A folder");
  for (const [name, list] of [
    ["retriever", [base.retriever, ...(vary.retriever ?? [])]],
    ["reader", vary.reader ?? []],
  ] as const)
    for (const value of list)
      if (typeof value !== "string" && typeof value !== "function")
        throw new MkgError(
          "study",
          `${name} is neither a name nor a function (${quote(value)})`,
          `Names: ${(name === "retriever" ? retrieverNames() : readerNames()).join(", ")}`,
        );
  const cross = distinct(spec.cross ?? []);
  for (const name of cross)
    if (!Object.hasOwn(vary, name)) throw unknownName("study", "factor in cross", name, Object.keys(vary));
  checkSplitAndSeeds(spec);

  const retrievers = [base.retriever, ...(vary.retriever ?? [])];
  const readers = [base.reader, ...(vary.reader ?? [])].filter((r) => r !== undefined && r !== null);
  const specs: Record<string, OptionSpecs[string]> = {};
  for (const value of retrievers) Object.assign(specs, retrieverSpecs(value));
  for (const value of readers) Object.assign(specs, readerSpecs(value));
  for (const value of readers)
    if ((typeof value === "string" ? reader(value) : (value as Reader)).fit && !dataset.splits.names.includes("train"))
      throw new MkgError(
        "study",
        `reader ${levelName(value)} learns from a training split, and ${dataset.name} has none`,
        `Its splits: ${dataset.splits.names.join(", ")}`,
        "Leave the reader out, or give the data set training questions (questions.train.jsonl in a folder)",
      );
  const known = [...reserved, ...Object.keys(specs)];
  for (const [where, given] of [
    ["base", base],
    ["vary", vary],
  ] as const)
    refuseUnknown(`study ${where}`, given, known);
  for (const key of Object.keys(specs))
    for (const value of [base[key], ...(vary[key] ?? [])])
      if (value !== undefined && !specs[key]?.check(value))
        throw new MkgError(
          "study",
          `option ${key} has a wrong value (${quote(value)})`,
          `It takes ${specs[key]?.allowed}`,
          specs[key]?.meant?.(value),
        );
  for (const value of [base.k, ...(vary.k ?? [])]) if (value !== undefined) positiveInteger("study", "k", value);
  for (const value of [base.setting, ...(vary.setting ?? [])])
    if (value !== undefined && !dataset.settings.includes(value as SettingName))
      throw unknownName(`study on ${dataset.name}`, "setting", value, dataset.settings);

  const notApplicable: { what: string; reason: string }[] = [];
  const completeBase: Record<string, unknown> = { k: 10, ...base };
  for (const [key, option] of Object.entries(specs)) completeBase[key] ??= option.default;
  const applies = (factor: string): boolean => {
    if (reserved.includes(factor)) return true;
    return (
      Object.hasOwn(retrieverSpecs(completeBase.retriever), factor) ||
      Object.hasOwn(readerSpecs(completeBase.reader), factor) ||
      cross.some((name) =>
        (vary[name] ?? []).some((v) =>
          Object.hasOwn(name === "reader" ? readerSpecs(v) : name === "retriever" ? retrieverSpecs(v) : {}, factor),
        ),
      )
    );
  };
  const factors = Object.keys(vary).filter((factor) => {
    if (applies(factor)) return true;
    notApplicable.push({
      what: factor,
      reason: `not an option of ${levelName(completeBase.retriever)}${completeBase.reader ? ` or ${levelName(completeBase.reader)}` : ""}`,
    });
    return false;
  });

  const crossedSets = product(
    cross.map((name) =>
      distinct([completeBase[name], ...(vary[name] as unknown[])]).map((value) => [name, value] as const),
    ),
  );
  const free = factors.filter((factor) => !cross.includes(factor));
  const cells: Cell[] = [];
  for (const crossed of crossedSets) {
    const start = { ...completeBase, ...Object.fromEntries(crossed) };
    const shown = (name: string, value: unknown) => levelOf(name, value, start);
    const levels = Object.fromEntries(crossed.map(([name, value]) => [name, shown(name, value)]));
    const prefix = crossed
      .filter(([name, value]) => !same(value, completeBase[name]))
      .map(([name, value]) => `${name}=${shown(name, value)}`);
    const baseline = prefix.join(", ") || "base";
    const add = (differences: readonly (readonly [string, unknown])[], control?: Cell["control"]) => {
      const parts = differences.map(([name, value]) => `${name}=${shown(name, value)}`);
      const controlLabel = control ? controlLevel(control) : "";
      if (control) parts.push(`control=${controlLabel}`);
      cells.push({
        label: [...prefix, ...parts].join(", ") || "base",
        baseline,
        factor: control ? "control" : differences.map(([name]) => name).join(" × "),
        level: control ? controlLabel : differences.map(([name, value]) => shown(name, value)).join(" × "),
        crossed: levels,
        options: ownOptions({ ...start, ...Object.fromEntries(differences) }),
        ...(control ? { control } : {}),
      });
    };
    add([]);
    const values = free.map((factor) =>
      distinct(vary[factor] as unknown[])
        .filter((value) => !same(value, start[factor]))
        .map((value) => [factor, value] as const),
    );
    if (design === "grid") {
      const withBase = values.map((list) => [undefined, ...list]);
      for (const combination of product(withBase)) {
        const differences = combination.filter((d) => d !== undefined);
        if (differences.length > 0) add(differences);
      }
    } else {
      for (const list of values) for (const difference of list) add([difference]);
      if (design === "pairs")
        for (let i = 0; i < values.length; i++)
          for (let j = i + 1; j < values.length; j++)
            for (const a of values[i] ?? []) for (const b of values[j] ?? []) add([a, b]);
    }
    for (const control of chosenControls(spec, readers.length > 0, notApplicable)) add([], control);
  }
  const chosen = new Set((spec.controls ?? controlNames()).map((c) => (typeof c === "string" ? c : c.name)));
  return {
    cells,
    notApplicable: distinct(notApplicable),
    measures: spec.measures
      ? chosenMeasures(spec.measures, readers.length > 0)
      : defaultMeasures(dataset, readers.length > 0, completeBase.k as number, retrievers),
    seeds: spec.seeds ?? [0],
    controlsOff: controlNames().filter((name) => !chosen.has(name)),
  };
}

/** The measures asked for, once each; one that needs a reader is an error in a study without. */
function chosenMeasures(names: readonly string[], hasReader: boolean): string[] {
  const measures = names.map((name) => parseMeasure(name));
  for (const { name, needs } of measures)
    if (needs === "answer" && !hasReader)
      throw new MkgError(
        "study",
        `${name} needs answers, and the base names no reader`,
        `Readers: ${readerNames().join(", ")}`,
        'Add base.reader, for example "extractive"',
      );
  return [...new Set(measures.map(({ name }) => name))];
}

function checkSplitAndSeeds({ seeds, split }: StudySpec): void {
  const splits = ["test", "validation", "train"];
  if (split !== undefined && !splits.includes(split)) throw unknownName("study", "split", split, splits);
  if (seeds === undefined) return;
  if (!Array.isArray(seeds) || seeds.length === 0 || !seeds.every((s) => Number.isSafeInteger(s) && s >= 0))
    throw new MkgError("study", `seeds are not a list of integers ≥ 0 (${quote(seeds)})`, "For example [0, 1, 2]");
  if (new Set(seeds).size !== seeds.length)
    throw new MkgError("study", `a seed stands twice (${quote(seeds)})`, "Distinct seeds");
}

const same = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a !== "function" && typeof b !== "function" && stableStringify(a ?? null) === stableStringify(b ?? null));
const distinct = <T>(values: readonly T[]): T[] =>
  values.filter((value, i) => values.findIndex((other) => same(other, value)) === i);
const product = <T>(lists: readonly (readonly T[])[]): T[][] =>
  lists.reduce<T[][]>((all, list) => all.flatMap((head) => list.map((value) => [...head, value])), [[]]);

const controlLevel = ({ name, options }: NonNullable<Cell["control"]>): string =>
  [name, ...Object.values(options).map(String)].join(" ");

/** `random-path` stands for both of its variants where none is named. */
function chosenControls(
  spec: StudySpec,
  hasReader: boolean,
  notApplicable: { what: string; reason: string }[],
): NonNullable<Cell["control"]>[] {
  const out: NonNullable<Cell["control"]>[] = [];
  for (const given of distinct(spec.controls ?? controlNames())) {
    const { name, ...options } = typeof given === "string" ? { name: given } : given;
    const wraps = controlWraps(name); // throws for an unknown name
    resolveOptions(`study, control ${name}`, controlOptions(name), options);
    const reason =
      !wraps.retriever && !hasReader
        ? "it wraps a reader, and the study has none"
        : name === "oracle" && !spec.dataset.questions.some((q) => q.gold?.paths?.length || q.gold?.triples?.length)
          ? "the data set has no gold evidence"
          : name === "text-only" && !hasImages(spec.dataset)
            ? "the data set has no images"
            : name === "closed-book" && !spec.dataset.questions.some((q) => q.images.length > 0)
              ? "no question has an image: the same as question-only"
              : undefined;
    if (reason) notApplicable.push({ what: `control ${name}`, reason });
    else if (name === "random-path" && options.subgraph === undefined)
      for (const subgraph of ["same-subgraph", "other-subgraph"]) out.push({ name, options: { ...options, subgraph } });
    else out.push({ name, options });
  }
  return distinct(out);
}

/** Whether any question or entity has a picture. */
export const hasImages = (dataset: Dataset): boolean =>
  dataset.questions.some((q) => q.images.length > 0) ||
  (dataset.graph.entities.array("images") as readonly (readonly unknown[])[]).some((images) => images?.length > 0);

function defaultMeasures(dataset: Dataset, hasReader: boolean, k: number, retrievers: readonly unknown[]): string[] {
  const names: string[] = [];
  const some = (test: (q: Dataset["questions"][number]) => unknown) => dataset.questions.some(test);
  if (hasReader && some((q) => q.answers.length > 0)) names.push("EM", "F1", "AnswerRate");
  // the walk finds paths, the other named retrievers triples, a function either
  const hasPaths = some((q) => q.gold?.paths?.length);
  const findsPaths = retrievers.some((retriever) => retriever === "walk" || typeof retriever === "function");
  if (hasPaths && findsPaths) names.push("PathRecall", "PathPrecision");
  else if (hasPaths || some((q) => q.gold?.triples?.length))
    names.push(
      ...[5, 10, 20, 50, 100]
        .filter((cut) => cut <= Math.max(k, 5))
        .flatMap((cut) => [`nDCG@${cut}`, `P@${cut}`, `R@${cut}`]),
    );
  if (names.length === 0)
    throw new MkgError(
      "study",
      `nothing can be measured: ${dataset.name} has no gold evidence, and no answers to read`,
      "Gold paths, gold triples, or answers with a reader",
    );
  return names;
}
