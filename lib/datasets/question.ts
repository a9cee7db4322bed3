import { type Gold, type Image, isImage, MkgError, type Question, quote, refuseUnknown } from "../core/index.js";
import { frozenImage, type Graph, type Triple } from "../graph/index.js";
import { plainCopy } from "./plain.js";

/** A question as a data set's author writes it: only `id` and `text` are required. */
export type QuestionInput = Pick<Question, "id" | "text"> & Partial<Question>;

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
const goldKeys = ["paths", "pathTriples", "triples", "passages"] as const satisfies readonly (keyof Gold)[];

/** What gold is checked against. */
export interface GoldScope {
  readonly graph: Graph;
  /** The error for a passage id that the data set does not have; undefined for one that it has. */
  unknownPassage(where: string, id: string): MkgError | undefined;
  /** Hears of steps of gold paths that several triples fit. */
  onUnclear(step: string): void;
}

/** A frozen question, its gold checked and completed; errors begin with `where`, then name the question. */
export function makeQuestion(where: string, given: QuestionInput, scope: GoldScope): Question {
  if (typeof given !== "object" || given === null) throw new MkgError(where, `not an object (${quote(given)})`);
  const { id, text } = given;
  if (typeof id !== "string" || id === "")
    throw new MkgError(
      where,
      `id is not a non-empty string (${quote(id)})`,
      'A string, such as "1"',
      typeof id === "number" ? "Put it in quotes" : "Give each question an id",
    );
  const place = `${where}, question ${quote(id)}`;
  refuseUnknown(place, given, questionKeys);
  if (typeof text !== "string" || text.trim() === "")
    throw new MkgError(place, `text is not a non-empty string (${quote(text)})`);
  for (const field of ["group", "cluster"] as const)
    if (given[field] !== undefined && typeof given[field] !== "string")
      throw new MkgError(place, `${field} is not a string (${quote(given[field])})`);
  const answers = given.answers ?? [];
  if (!Array.isArray(answers) || answers.some((a) => typeof a !== "string" || a.trim() === ""))
    throw new MkgError(place, `answers is not a list of non-empty strings (${quote(answers)})`);
  const images = given.images ?? [];
  if (!Array.isArray(images)) throw new MkgError(place, `images is not a list (${quote(images)})`);
  let gold: Gold | undefined;
  if (given.gold) {
    gold = plainCopy(place, "gold", given.gold);
    checkGold(place, gold, scope);
    gold = withPathTriples(scope.graph, gold, (step) => scope.onUnclear(`${id}: ${step}`));
  }
  return Object.freeze({
    id,
    text,
    images: Object.freeze(images.map((image, i) => checkedImage(place, image, i))),
    answers: Object.freeze([...answers]),
    group: given.group || "all",
    cluster: given.cluster || id,
    ...(gold ? { gold } : {}),
    meta: plainCopy(place, "meta", given.meta ?? {}),
  });
}

/** The image, frozen; `position` names it in the error that it is none. */
export function checkedImage(where: string, image: Image, position: number): Image {
  if (!isImage(image))
    throw new MkgError(
      where,
      `image ${position} (from 0) is not an image (${quote(image)})`,
      "Images are {id, key, bytes()}",
    );
  return frozenImage(image);
}

function checkGold(where: string, gold: Gold, { graph, unknownPassage }: GoldScope): void {
  refuseUnknown(where, gold, goldKeys, "gold key");
  const triple = (id: string, what: string): Triple => {
    try {
      return graph.triple(id);
    } catch (error) {
      throw new MkgError(where, `${what} is not in the graph (${quote(id)})`, "", (error as Error).message);
    }
  };
  const areIds = (list: unknown): boolean => Array.isArray(list) && list.every((id) => typeof id === "string");
  for (const field of ["paths", "pathTriples"] as const)
    if (gold[field] !== undefined && !(Array.isArray(gold[field]) && gold[field].every(areIds)))
      throw new MkgError(
        where,
        `gold.${field} is not a list of lists of ids (${quote(gold[field])})`,
        'Ids are strings, such as [["a", "b"]]',
        "Mend that field, or leave it out",
      );
  for (const field of ["triples", "passages"] as const)
    if (gold[field] !== undefined && !areIds(gold[field]))
      throw new MkgError(
        where,
        `gold.${field} is not a list of ids (${quote(gold[field])})`,
        'Ids are strings: ["0"], not [0]',
        "Mend that field, or leave it out",
      );
  for (const id of gold.triples ?? []) triple(id, "a gold triple");
  for (const id of gold.passages ?? []) {
    const error = unknownPassage(where, id);
    if (error) throw error;
  }
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

/** The triples that are relevant to a question, each once: those of its gold, or the ones along its gold paths where it names none. */
export const relevantTriples = ({ gold }: Question): readonly string[] =>
  gold?.triples?.length ? gold.triples : [...new Set((gold?.pathTriples ?? []).flat())];
