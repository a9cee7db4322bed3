import { table } from "arquero";
import {
  type Gold,
  type Image,
  MkgError,
  type Question,
  quote,
  refuseUnknown,
  stableHash,
  unknownName,
} from "../core/index.js";
import { frozenImage, type Graph, type Triple } from "../graph/index.js";
import { plainCopy } from "./plain.js";
import type { Candidate, Dataset, DatasetCard, SettingName, SettingView } from "./types.js";

/** A question as a data set's author writes it: only `id` and `text` are required. */
export type QuestionInput = Pick<Question, "id" | "text"> & Partial<Question>;

export interface DatasetInput {
  readonly name: string;
  readonly graph: Graph;
  readonly questions: readonly QuestionInput[];
  /** Which split the questions are; default `test`. */
  readonly split?: string;
  /** The other splits, made when asked for. */
  readonly splits?: Partial<Record<"train" | "validation" | "test", () => Dataset | Promise<Dataset>>>;
  /** Meta fields that a query may show; default none. */
  readonly visibleMeta?: readonly string[];
  /** What the cluster column holds; default `cluster`. */
  readonly clusterName?: string;
  /** Default `not stated`. */
  readonly licence?: string;
  readonly citation?: string;
  /** Counts and notices of the graph are added to those given. */
  readonly card?: Partial<DatasetCard>;
  /** Made when asked for. */
  readonly settings?: Partial<Record<SettingName, () => Pick<SettingView, "questions" | "candidates">>>;
  /** Which triples count as multimodal; default: those with a picture at their head or tail. */
  readonly multimodal?: (triple: Triple) => boolean;
}

const inputKeys = [
  "name",
  "graph",
  "questions",
  "split",
  "splits",
  "visibleMeta",
  "clusterName",
  "licence",
  "citation",
  "card",
  "settings",
  "multimodal",
] as const satisfies readonly (keyof DatasetInput)[];
const questionKeys = [
  "id",
  "text",
  "answers",
  "group",
  "cluster",
  "images",
  "gold",
  "meta",
] as const satisfies readonly (keyof Question)[];
const goldKeys = ["paths", "pathTriples", "triples"] as const satisfies readonly (keyof Gold)[];
const settingNames: readonly SettingName[] = ["S1", "S2", "S3", "S4", "S5"];

/**
 * A data set from a graph and questions. Checks that question ids are distinct and that gold triples and paths exist in the graph, copies and
 * freezes the questions deeply, and fills in what is left out: no images, no answers, group and cluster `""` become `all` and the question's
 * own id. Errors name the question; an unknown key of the input, a question or its gold is one.
 *
 * A gold path needs a triple of the graph between every two of its entities, either way round; `pathTriples`, where given, must name them.
 * Where `pathTriples` is left out it is filled in: for each step the edge that `gold.triples` names, else the only edge, else the first in
 * triple order; `card.notices` counts the steps where this leaves several.
 * `meta` holds plain data only. Cost: O(questions + gold · degree).
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
  const seen = new Set<string>();
  const unclear: string[] = [];
  const questions = Object.freeze(
    input.questions.map((question: QuestionInput, i) => {
      const made = makeQuestion(place, question, i);
      if (seen.has(made.id))
        throw new MkgError(
          place,
          `a second question with the id ${quote(made.id)} (position ${i} from 0)`,
          "Question ids are distinct",
        );
      seen.add(made.id);
      if (!made.gold) return made;
      checkGold(`${place}, question ${quote(made.id)}`, graph, made.gold);
      const gold = withPathTriples(graph, made.gold, (step) => unclear.push(`${made.id}: ${step}`));
      return gold === made.gold ? made : Object.freeze({ ...made, gold });
    }),
  );
  const settings = settingNames.filter((s) => input.settings?.[s]);
  const multimodal =
    input.multimodal ??
    ((triple: Triple) => graph.entity(triple.head).images.length > 0 || graph.entity(triple.tail).images.length > 0);
  const views = new Map<string, SettingView>();
  const visibleMeta = plainCopy(place, "visibleMeta", input.visibleMeta ?? []);
  let fingerprint: string | undefined;

  const dataset: Dataset = Object.freeze({
    name,
    split,
    graph,
    questions,
    licence: input.licence ?? "not stated",
    citation: input.citation ?? "",
    card: makeCard(place, input, questions.length, unclear),
    visibleMeta,
    clusterName: input.clusterName ?? "cluster",
    get fingerprint(): string {
      fingerprint ??= stableHash([
        graph.fingerprint,
        visibleMeta,
        questions.map((q) => ({ ...q, images: q.images.map(({ id, key }) => [id, key]) })),
      ]);
      return fingerprint;
    },
    splits: Object.freeze({
      train: () => splitOf("train"),
      validation: () => splitOf("validation"),
      test: () => splitOf("test"),
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
    settings: Object.freeze(settings),
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
  return dataset;

  async function splitOf(wanted: "train" | "validation" | "test"): Promise<Dataset> {
    if (wanted === split) return dataset;
    const make = input.splits?.[wanted];
    if (make) return make();
    const known = [split, ...Object.keys(input.splits ?? {}).filter((s) => s !== split)];
    throw new MkgError(`dataset ${quote(name)}`, `there is no ${wanted} split`, `Splits: ${known.join(", ")}`);
  }

  function namedView(wanted: SettingName): SettingView {
    const make = Object.hasOwn(input.settings ?? {}, wanted) ? input.settings?.[wanted] : undefined;
    if (!make) {
      if (settings.length === 0)
        throw new MkgError(
          `dataset ${quote(name)}`,
          `it has no settings (${quote(wanted)})`,
          "Leave the setting out: all questions over all triples",
        );
      throw unknownName(`dataset ${quote(name)}`, "setting", wanted, settings);
    }
    const { questions: asked, candidates } = make();
    return Object.freeze({
      name: wanted,
      questions: Object.freeze([...asked]),
      candidates: Object.freeze([...candidates]),
    });
  }

  function wholeView(): SettingView {
    const ids = graph.triples.data().id!;
    const candidates: Candidate[] = [];
    for (let i = 0; i < graph.triples.numRows(); i++) {
      const id = ids.at(i) as string;
      candidates.push(
        Object.freeze({ id, triple: id, text: graph.text(id), multimodal: multimodal(graph.triple(id)) }),
      );
    }
    return Object.freeze({
      name: "all",
      questions: Object.freeze(questions.map((question) => Object.freeze({ id: question.id, question }))),
      candidates: Object.freeze(candidates),
    });
  }
}

function makeQuestion(place: string, given: QuestionInput, position: number): Question {
  if (typeof given !== "object" || given === null)
    throw new MkgError(place, `question ${position} (from 0) is not an object (${quote(given)})`);
  const { id, text } = given;
  if (typeof id !== "string" || id === "")
    throw new MkgError(place, `question ${position} (from 0): id is not a non-empty string (${quote(id)})`);
  const where = `${place}, question ${quote(id)}`;
  refuseUnknown(where, given, questionKeys);
  if (typeof text !== "string" || text.trim() === "")
    throw new MkgError(where, `text is not a non-empty string (${quote(text)})`);
  for (const field of ["group", "cluster"] as const)
    if (given[field] !== undefined && typeof given[field] !== "string")
      throw new MkgError(where, `${field} is not a string (${quote(given[field])})`);
  const answers = given.answers ?? [];
  if (!Array.isArray(answers) || answers.some((a) => typeof a !== "string" || a.trim() === ""))
    throw new MkgError(where, `answers is not a list of non-empty strings (${quote(answers)})`);
  return Object.freeze({
    id,
    text,
    images: Object.freeze((given.images ?? []).map((image, i) => checkedImage(where, image, i))),
    answers: Object.freeze([...answers]),
    group: given.group || "all",
    cluster: given.cluster || id,
    ...(given.gold ? { gold: plainCopy(where, "gold", given.gold) } : {}),
    meta: plainCopy(where, "meta", given.meta ?? {}),
  });
}

function checkedImage(where: string, image: Image, position: number): Image {
  if (typeof image?.id !== "string" || typeof image.key !== "boolean" || typeof image.bytes !== "function")
    throw new MkgError(
      where,
      `image ${position} (from 0) is not an image (${quote(image)})`,
      "Images are {id, key, bytes()}",
    );
  return frozenImage(image);
}

function checkGold(where: string, graph: Graph, gold: Gold): void {
  refuseUnknown(where, gold, goldKeys, "gold key");
  const triple = (id: string, what: string): Triple => {
    try {
      return graph.triple(id);
    } catch (error) {
      throw new MkgError(where, `${what} is not in the graph (${quote(id)})`, "", (error as Error).message);
    }
  };
  for (const field of ["paths", "pathTriples"] as const)
    if (gold[field] !== undefined && !(Array.isArray(gold[field]) && gold[field].every((p) => Array.isArray(p))))
      throw new MkgError(where, `gold.${field} is not a list of lists (${quote(gold[field])})`);
  if (gold.triples !== undefined && !Array.isArray(gold.triples))
    throw new MkgError(where, `gold.triples is not a list (${quote(gold.triples)})`);
  for (const id of gold.triples ?? []) triple(id, "a gold triple");
  if (gold.pathTriples && gold.pathTriples.length !== gold.paths?.length)
    throw new MkgError(
      where,
      `gold.pathTriples has ${gold.pathTriples.length} paths, gold.paths ${gold.paths?.length ?? 0}`,
      "One list of triples for each path",
    );
  gold.paths?.forEach((path, i) => {
    if (path.length === 0)
      throw new MkgError(where, `gold path ${i} (from 0) is empty`, "A path has at least one entity");
    for (const id of path)
      if (!graph.has(id))
        throw new MkgError(where, `an entity of gold path ${i} (from 0) is not in the graph (${quote(id)})`);
    const along = gold.pathTriples?.[i];
    if (along && along.length !== path.length - 1)
      throw new MkgError(
        where,
        `gold path ${i} (from 0) has ${path.length} entities and ${along.length} triples`,
        "One triple between two entities",
      );
    for (let step = 1; step < path.length; step++) {
      const [a, b] = [path[step - 1]!, path[step]!];
      if (along) {
        const { head, tail } = triple(along[step - 1]!, `a triple of gold path ${i} (from 0)`);
        if (!((head === a && tail === b) || (head === b && tail === a)))
          throw new MkgError(
            where,
            `triple ${quote(along[step - 1])} of gold path ${i} (from 0) does not join ${quote(a)} and ${quote(b)}`,
          );
      } else if (!graph.neighbours(a, { direction: "both" }).some((n) => n.entity === b))
        throw new MkgError(where, `gold path ${i} (from 0): no triple joins ${quote(a)} and ${quote(b)}`);
    }
  });
}

/** The gold with the triples along its paths, which readers and scores of triples need; `onUnclear` hears of steps with several that fit. */
function withPathTriples(graph: Graph, gold: Gold, onUnclear: (step: string) => void): Gold {
  if (!gold.paths?.length || gold.pathTriples) return gold;
  const named = new Set(gold.triples);
  const along = gold.paths.map((path) =>
    Object.freeze(
      path.slice(1).map((to, i) => {
        const from = path[i]!;
        const edges = new Set<string>();
        for (const n of graph.neighbours(from, { direction: "both" })) if (n.entity === to) edges.add(n.triple);
        const meant = [...edges].filter((id) => named.has(id));
        const fitting = meant.length > 0 ? meant : [...edges];
        if (fitting.length > 1) onUnclear(`${from} – ${to}`);
        return fitting[0]!;
      }),
    ),
  );
  return Object.freeze({ ...gold, pathTriples: Object.freeze(along) });
}

function makeCard(place: string, input: DatasetInput, questions: number, unclear: readonly string[]): DatasetCard {
  const { graph, card } = input;
  const notices = [...graph.report.notices, ...(card?.notices ?? [])];
  if (unclear.length > 0)
    notices.push({
      what: "steps of gold paths without triple ids that several triples fit: the first in triple order is taken",
      count: unclear.length,
      examples: unclear.slice(0, 5),
    });
  return plainCopy(place, "card", {
    summary: card?.summary ?? "",
    origin: card?.origin ?? "real",
    counts: { entities: graph.entities.numRows(), triples: graph.triples.numRows(), questions, ...card?.counts },
    notices,
    limits: [...(card?.limits ?? [])],
  });
}
