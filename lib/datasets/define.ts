import { table } from "arquero";
import { MkgError, type Question, quote, refuseUnknown, stableHash, unknownName } from "../core/index.js";
import type { Graph, Triple } from "../graph/index.js";
import { type CardInput, makeCard } from "./card.js";
import { noticed } from "./noticed.js";
import { makePassages, type PassageInput, passageText } from "./passages.js";
import { plainCopy } from "./plain.js";
import { makeQuestion, type QuestionInput, relevantTriples } from "./question.js";
import { headHasPicture, markDerived, modalitySettings } from "./settings.js";
import type { Candidate, Dataset, DatasetCard, Passage, SettingName, SettingView, SplitName } from "./types.js";

export interface DatasetInput {
  readonly name: string;
  readonly graph: Graph;
  readonly questions: readonly QuestionInput[];
  /** What is ranked instead of triples, where there is any. */
  readonly passages?: readonly PassageInput[];
  /** Which split the questions are; default `test`. */
  readonly split?: string;
  /** The other splits, made when asked for. */
  readonly splits?: Partial<Record<SplitName, () => Dataset | Promise<Dataset>>>;
  /** Meta fields that a query may show; default none. */
  readonly visibleMeta?: readonly string[];
  /** What the cluster column holds; default `cluster`. */
  readonly clusterName?: string;
  /** Default `not stated`. */
  readonly licence?: string;
  readonly citation?: string;
  /** Counts, notices and what loading did are added to those of the graph. */
  readonly card?: CardInput;
  /**
   * Made when asked for. `modality`: S1 to S5 of MKG-RAG-Bench over this data set: multimodal rows are those whose head has a picture,
   * multimodal questions those with one; questions that no row of their own modality is relevant to are in no setting, and counted in the card.
   */
  readonly settings?: "modality" | Partial<Record<SettingName, () => Pick<SettingView, "questions" | "candidates">>>;
  /** Which triples count as multimodal; default: those with a picture at their head or tail, with `settings: "modality"` at their head. */
  readonly multimodal?: (triple: Triple) => boolean;
  /** Leave out questions that cannot be kept and list them in `card.refused`; default false: the first is an error. */
  readonly lenient?: boolean;
  /** Where a question stands, by its position in `questions` from 0: for errors and `card.refused`. Default: `questions` and the position from 1. */
  readonly sourceOf?: (position: number) => { readonly file: string; readonly line: number };
}

const inputKeys = [
  "name",
  "graph",
  "questions",
  "passages",
  "split",
  "splits",
  "visibleMeta",
  "clusterName",
  "licence",
  "citation",
  "card",
  "settings",
  "multimodal",
  "lenient",
  "sourceOf",
] as const satisfies readonly (keyof DatasetInput)[];
const settingNames: readonly SettingName[] = ["S1", "S2", "S3", "S4", "S5"];
const splitNames: readonly SplitName[] = ["train", "validation", "test"];

/**
 * A data set from a graph and questions. Checks that question ids are distinct and that gold triples, paths and passages exist, copies and
 * freezes the questions deeply, and fills in what is left out: no images, no answers, group and cluster `""` become `all` and the question's
 * own id. Errors name the question; an unknown key of the input, a question, its gold, the card, the splits or the settings is one.
 *
 * A gold path needs a triple of the graph between every two of its entities, either way round; `pathTriples`, where given, must name them.
 * Where `pathTriples` is left out it is filled in: for each step the edge that `gold.triples` names, else the only edge, else the first in
 * triple order; `card.notices` counts the steps where this leaves several.
 * `meta` holds plain data only. Cost: O(questions + passages + gold · degree).
 *
 * @example
 * const dataset = defineDataset({
 *   name: "mine",
 *   graph,
 *   questions: [{ id: "1", text: "What does Vulmar use?", answers: ["Ember Sweep"], gold: { triples: ["0"] } }],
 * });
 * dataset.questions.length   // 1
 */
export function defineDataset(input: DatasetInput): Dataset {
  refuseUnknown("defineDataset", input, inputKeys);
  const { name, graph } = input;
  if (typeof name !== "string" || name === "")
    throw new MkgError("defineDataset", `name is not a non-empty string (${quote(name)})`);
  const place = `defineDataset(${quote(name)})`;
  if (typeof graph !== "object" || graph === null || typeof graph.has !== "function")
    throw new MkgError(place, `graph is not a graph (${quote(graph)})`, "It takes what graphFrom or loadGraph return");
  if (!Array.isArray(input.questions)) throw new MkgError(place, `questions is not a list (${quote(input.questions)})`);
  const split = input.split ?? "test";
  const splits = madeWhenAsked(place, "splits", input.splits, splitNames);
  const visibleMeta = plainCopy(place, "visibleMeta", input.visibleMeta ?? []);
  if (!Array.isArray(visibleMeta) || visibleMeta.some((field) => typeof field !== "string"))
    throw new MkgError(place, `visibleMeta is not a list of strings (${quote(visibleMeta)})`, "Names of meta fields");

  const { passages, passageOf } = makePassages(place, input.passages ?? []);
  const { questions, unclear, refused } = makeQuestions(place, input, passageOf);
  const byModality = input.settings === "modality";
  if (byModality && (input.multimodal !== undefined || passages.length > 0))
    throw new MkgError(
      place,
      `settings by modality with ${passages.length > 0 ? "passages" : "a rule of their own"}`,
      'settings: "modality" is for triples, multimodal where their head has a picture',
      "Give the settings as functions",
    );
  const multimodal = byModality
    ? headHasPicture(graph)
    : (input.multimodal ??
      ((triple: Triple) => graph.entity(triple.head).images.length > 0 || graph.entity(triple.tail).images.length > 0));
  const derived = byModality
    ? modalitySettings(
        questions,
        relevantTriples,
        () => dataset.setting().candidates,
        (id) => multimodal(graph.triple(id)),
      )
    : undefined;
  const settings = madeWhenAsked(
    place,
    "settings",
    derived ? derived.views : (input.settings as Exclude<DatasetInput["settings"], "modality">),
    settingNames,
  );
  const views = new Map<string, SettingView>();
  let fingerprint: string | undefined;

  const dataset: Dataset = Object.freeze({
    name,
    split,
    graph,
    questions,
    passages,
    passage(id: string): Passage {
      const passage = passageOf.get(id);
      if (!passage) throw unknownName(`dataset ${quote(name)}`, "passage id", id, passageOf.keys());
      return passage;
    },
    licence: input.licence ?? "not stated",
    citation: input.citation ?? "",
    card: makeCard(
      place,
      withNotices(
        input.card,
        noticed("questions in no setting: no row of their own modality is relevant to them", derived?.left ?? []),
      ),
      { graph, given: input.questions.length, questions, passages, unclear, refused },
    ),
    visibleMeta,
    clusterName: input.clusterName ?? "cluster",
    get fingerprint(): string {
      fingerprint ??= fingerprintOf(graph, visibleMeta, questions, passages);
      return fingerprint;
    },
    splits: Object.freeze({
      names: Object.freeze((["test", "train", "validation"] as const).filter((s) => s === split || splits.has(s))),
      train: () => otherSplit("train"),
      validation: () => otherSplit("validation"),
      test: () => otherSplit("test"),
    }),
    questionTable: () =>
      table({
        id: questions.map((q) => q.id),
        text: questions.map((q) => q.text),
        answers: questions.map((q) => q.answers),
        group: questions.map((q) => q.group),
        cluster: questions.map((q) => q.cluster),
        images: questions.map((q) => q.images.length),
      }),
    settings: Object.freeze([...settings.keys()]),
    setting(wanted?: SettingName): SettingView {
      const key = wanted ?? "all";
      let view = views.get(key);
      if (!view) {
        view = wanted === undefined ? wholeView() : namedView(wanted);
        views.set(key, view);
      }
      return view;
    },
  });
  if (derived) markDerived(dataset);
  return dataset;

  async function otherSplit(wanted: SplitName): Promise<Dataset> {
    if (wanted === split) return dataset;
    const make = splits.get(wanted);
    if (make) return make();
    const known = [split, ...[...splits.keys()].filter((s) => s !== split)];
    throw new MkgError(`dataset ${quote(name)}`, `there is no ${wanted} split`, `Splits: ${known.join(", ")}`);
  }

  function namedView(wanted: SettingName): SettingView {
    const make = settings.get(wanted);
    if (!make) {
      if (settings.size === 0)
        throw new MkgError(
          `dataset ${quote(name)}`,
          `it has no settings (${quote(wanted)})`,
          `Leave the setting out: all questions over all ${passages.length > 0 ? "passages" : "triples"}`,
        );
      throw unknownName(`dataset ${quote(name)}`, "setting", wanted, settings.keys());
    }
    const { questions: asked, candidates } = make();
    return Object.freeze({
      name: wanted,
      questions: Object.freeze([...asked]),
      candidates: Object.freeze([...candidates]),
    });
  }

  function wholeView(): SettingView {
    const candidates: Candidate[] = passages.map((passage) =>
      Object.freeze({
        id: passage.id,
        passage: passage.id,
        text: passageText(passage),
        multimodal: passage.images.length > 0,
        ...(passage.images.length > 0 ? { images: passage.images } : {}),
      }),
    );
    if (passages.length === 0) {
      const ids = graph.triples.data().id!;
      for (let i = 0; i < graph.triples.numRows(); i++) {
        const id = ids.at(i) as string;
        candidates.push(
          Object.freeze({ id, triple: id, text: graph.text(id), multimodal: multimodal(graph.triple(id)) }),
        );
      }
    }
    return Object.freeze({
      name: "all",
      questions: Object.freeze(questions.map((question) => Object.freeze({ id: question.id, question }))),
      candidates: Object.freeze(candidates),
    });
  }
}

/**
 * The split of a data set that was asked for; without a name, the data set itself. `place` stands in the error for a name that is no split.
 *
 * @example
 * (await splitOf("retrieve", dataset, "train")).split   // "train"
 */
export async function splitOf(place: string, dataset: Dataset, split?: string): Promise<Dataset> {
  if (split === undefined || split === dataset.split) return dataset;
  const known = splitNames.find((name) => name === split);
  if (!known) throw unknownName(place, "split", split, splitNames);
  return dataset.splits[known]();
}

const withNotices = (card: CardInput | undefined, notices: DatasetCard["notices"]): CardInput | undefined =>
  notices.length === 0 ? card : { ...card, notices: [...(card?.notices ?? []), ...notices] };

/** The functions of a record by name, in the order of the known names. */
function madeWhenAsked<K extends string, F extends () => unknown>(
  place: string,
  what: string,
  record: Partial<Record<K, F>> | undefined,
  names: readonly K[],
): ReadonlyMap<K, F> {
  refuseUnknown(`${place}, ${what}`, record, names);
  const made = new Map<K, F>();
  for (const name of names) {
    const make: F | undefined = record && Object.hasOwn(record, name) ? record[name] : undefined;
    if (make === undefined) continue;
    if (typeof make !== "function")
      throw new MkgError(
        `${place}, ${what}`,
        `${name} is not a function (${quote(make)})`,
        "A function that makes it when asked",
      );
    made.set(name, make);
  }
  return made;
}

interface Made {
  readonly questions: readonly Question[];
  readonly unclear: readonly string[];
  readonly refused: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
}

function makeQuestions(place: string, input: DatasetInput, passageOf: ReadonlyMap<string, Passage>): Made {
  const { graph, lenient = false, sourceOf } = input;
  const seen = new Map<string, string>();
  const unclear: string[] = [];
  const refused: { file: string; line: number; reason: string }[] = [];
  const questions: Question[] = [];
  const unknownPassage = (where: string, id: string) => {
    if (passageOf.has(id)) return undefined;
    const { remedy } = unknownName(where, "passage id", id, passageOf.keys());
    return new MkgError(where, `a gold passage is not in the data set (${quote(id)})`, "Ids of passages", remedy);
  };
  input.questions.forEach((given: QuestionInput, i) => {
    const at = sourceOf?.(i);
    const where = at ? `${place}: ${at.file}, line ${at.line}` : `${place}, question ${i} (from 0)`;
    const steps: string[] = [];
    try {
      const made = makeQuestion(where, given, { graph, unknownPassage, onUnclear: (step) => steps.push(step) });
      if (seen.has(made.id))
        throw new MkgError(
          where,
          `a second question with the id ${quote(made.id)}; the first is ${seen.get(made.id)}`,
          "Question ids are distinct",
          "Rename or remove one of them",
        );
      seen.set(made.id, at ? `in ${at.file}, line ${at.line}` : `question ${i} (from 0)`);
      unclear.push(...steps);
      questions.push(made);
    } catch (error) {
      if (!lenient || !(error instanceof MkgError)) throw error;
      refused.push({ file: at?.file ?? "questions", line: at?.line ?? i + 1, reason: error.problem });
    }
  });
  return { questions: Object.freeze(questions), unclear, refused };
}

/** Passages are hashed one by one: all of them as one text may not fit into a string. */
function fingerprintOf(
  graph: Graph,
  visibleMeta: readonly string[],
  questions: readonly Question[],
  passages: readonly Passage[],
): string {
  const own = (images: Question["images"]) => images.map(({ id, key }) => [id, key]);
  const parts: unknown[] = [graph.fingerprint, visibleMeta, questions.map((q) => ({ ...q, images: own(q.images) }))];
  if (passages.length > 0)
    parts.push(passages.reduce((hash, p) => stableHash([hash, { ...p, images: own(p.images) }]), ""));
  return stableHash(parts);
}
