import { MkgError, type Question, quote, refuseUnknown, unknownName } from "../core/index.js";
import { type Entity, graphFrom } from "../graph/index.js";
import { defineDataset } from "./define.js";
import { noticed } from "./noticed.js";
import type { QuestionInput } from "./question.js";
import type { Dataset } from "./types.js";

export interface CaptionOptions {
  /** Whose pictures are to be captioned. */
  readonly of: "entities" | "questions";
  /** The human caption of an entity or question, "" where it has none; default an entity's `description`, a question's `meta.caption`. */
  readonly caption?: (item: Entity | Question) => string;
  /** The unit of independence; default an entity's id, a question's own cluster. Recordings of one creature are not independent: say so here. */
  readonly cluster?: (item: Entity | Question) => string;
}

/** What every question asks: nothing about what is shown. */
const neutral = "Describe what the pictures show.";

/**
 * Captioning as a task like another: a data set whose questions show the pictures of a data set's entities or questions under a neutral text,
 * and whose answers are the human captions. Score it with `CaptionAgreement`, from stored captions by `captionRun` or live by a reader.
 *
 * The ids are those of the entities or questions; group is the entity's kind or the question's group. The graph is empty, since descriptions in
 * it would give the captions away. What has a picture and no caption, or a caption and no picture, is not asked about and is counted in
 * `card.notices`. Pictures are all frames; a captioner chooses among them. Splits are those of the data set.
 *
 * @throws MkgError for an unknown option or `of`, a caption that is no text, or nothing to ask about.
 * @example
 * const task = captionDataset(await loadDataset("bestiary"), { of: "questions" });
 * task.questions[0].text;   // "Describe what the pictures show."
 */
export function captionDataset(dataset: Dataset, options: CaptionOptions): Dataset {
  const place = "captionDataset";
  refuseUnknown(place, options, ["of", "caption", "cluster"], "option");
  const { of } = options ?? {};
  if (of !== "entities" && of !== "questions")
    throw unknownName(place, "kind of pictures", of, ["entities", "questions"]);
  const items = of === "entities" ? entitiesOf(dataset) : dataset.questions;
  const captionOf = options.caption ?? ((item) => ("meta" in item ? item.meta.caption : item.description) ?? "");
  const clusterOf = options.cluster ?? ((item) => ("meta" in item ? item.cluster : item.id));
  const questions: QuestionInput[] = [];
  const without = { caption: [] as string[], picture: [] as string[] };
  for (const item of items) {
    const caption: unknown = captionOf(item);
    if (typeof caption !== "string")
      throw new MkgError(
        place,
        `the caption of ${quote(item.id)} is not text (${quote(caption)})`,
        'Text, or "" for none',
      );
    const has = { caption: caption.trim() !== "", picture: item.images.length > 0 };
    if (has.caption && has.picture)
      questions.push({
        id: item.id,
        text: neutral,
        images: item.images,
        answers: [caption],
        group: "meta" in item ? item.group : item.kind,
        cluster: clusterOf(item),
      });
    else if (has.picture) without.caption.push(item.id);
    else if (has.caption) without.picture.push(item.id);
  }
  if (questions.length === 0)
    throw new MkgError(
      place,
      `no ${of} of ${dataset.name} have both a picture and a human caption`,
      "",
      "Say with the option caption where the captions stand",
    );
  const again = async (split: Promise<Dataset>) => captionDataset(await split, options);
  return defineDataset({
    name: `${dataset.name}, captions of ${of}`,
    graph: graphFrom({ entities: [], triples: [] }),
    questions,
    split: dataset.split,
    splits: {
      train: () => again(dataset.splits.train()),
      validation: () => again(dataset.splits.validation()),
      test: () => again(dataset.splits.test()),
    },
    clusterName: of === "questions" ? dataset.clusterName : "entity",
    licence: dataset.licence,
    citation: dataset.citation,
    card: {
      summary: `pictures of the ${of} of ${dataset.name}, and their human captions`,
      origin: dataset.card.origin,
      notices: [
        ...noticed(`${of} with pictures and without a human caption: not asked about`, without.caption),
        ...noticed(`${of} with a caption and without a picture: not asked about`, without.picture),
      ],
      limits: ["a human caption is one wording of many: agreement in words is lower than agreement in meaning"],
    },
  });
}

const entitiesOf = ({ graph }: Dataset): Entity[] =>
  [...(graph.entities.array("id") as Iterable<string>)].map((id) => graph.entity(id));
