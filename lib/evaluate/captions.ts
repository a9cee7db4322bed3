import { type Answer, contentWords, MkgError, quote, stableHash } from "../core/index.js";
import { type Dataset, toQuery } from "../datasets/index.js";
import { f1, unspaced } from "./answer.js";
import type { AnswerInput, MeasureEntry } from "./measure.js";
import { makeRun, type Run } from "./run.js";

/** Harman's S-stemmer (1991, JASIS 42:1, 7–15): the plural of a noun and the third person of a verb lose their ending; the first rule that fits. */
function withoutS(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  if (/ies$/.test(word) && !/[ea]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/es$/.test(word) && !/[aeo]es$/.test(word)) return word.slice(0, -1);
  if (/s$/.test(word) && !/[us]s$/.test(word)) return word.slice(0, -1);
  return word;
}

/**
 * The words by which captions are compared: lower-cased (NFC), split at everything that is neither letter, mark, digit nor underscore, each
 * Chinese or Japanese character a word of its own, English function words dropped, plural and third-person endings removed (Harman's S-stemmer).
 *
 * @example
 * captionTokens("It swings its tails, then roars!");
 * // [ "swing", "tail", "then", "roar" ]
 */
export function captionTokens(text: string): string[] {
  const spaced = text.normalize("NFC").replace(unspaced, " $& ");
  return contentWords(spaced).split(" ").filter(Boolean).map(withoutS);
}

/** Best F1 over the human captions; null where none of them has a content word. */
function agreement({ text, accepted }: AnswerInput): number | null {
  const human = accepted.map(captionTokens).filter((words) => words.length > 0);
  if (human.length === 0) return null;
  if (text === null) return 0;
  const words = captionTokens(text);
  return human.reduce((top, caption) => Math.max(top, f1(words, caption)), 0);
}

export const captionMeasures: readonly MeasureEntry<"answer">[] = [
  {
    name: "CaptionAgreement",
    doc: "overlap of the bags of content words of the caption and of the best human caption; order, negation and synonyms are not seen",
    citation:
      "ROUGE-1 F-measure (Lin 2004, W04-1013) over content words. MH-MMKG (arXiv 2506.17589) reports another number, the share of captions that a judge model accepts as alike in movement: compare neither value nor rank with it unseen",
    needs: "answer",
    cutoff: "none",
    compute: agreement,
  },
];

/**
 * A run from captions that are stored already, such as a file of a model's captions: an item for each question of a {@link captionDataset},
 * without evidence, whose answer is its caption. Score it with `CaptionAgreement`.
 *
 * A question without a caption has no answer and scores `not-computed`; a blank caption is an abstention and earns 0. Captions of ids that the
 * data set does not ask about are left out; `run.config.captions` counts `given`, `used`, `missing` and `unused`, with up to 5 examples of each
 * of the last two. An empty map gives the run that `answer(run, reader)` captions live.
 *
 * @param captions id of the entity or question → caption.
 * @param name label of the run: the model that wrote them.
 * @throws MkgError for captions that are no Map of strings, naming the id.
 * @example
 * const task = captionDataset(dataset, { of: "entities" });
 * const run = captionRun(task, new Map(Object.entries(JSON.parse(file))), "model-x");
 * await score(run, task, ["CaptionAgreement"]);
 */
export function captionRun(dataset: Dataset, captions: ReadonlyMap<string, string>, name: string): Run {
  const place = "captionRun";
  if (!(captions instanceof Map))
    throw new MkgError(place, `captions is not a Map (${quote(captions)})`, "A Map from id to caption");
  if (typeof name !== "string" || name === "")
    throw new MkgError(place, `name is not a non-empty string (${quote(name)})`);
  for (const [id, caption] of captions)
    if (typeof id !== "string" || typeof caption !== "string")
      throw new MkgError(
        place,
        `the caption of ${quote(id)} is not text (${quote(caption)})`,
        "Ids and captions are strings",
      );
  const setting = dataset.setting();
  const asked = new Set(setting.questions.map(({ id }) => id));
  const missing = [...asked].filter((id) => !captions.has(id));
  const unused = [...captions.keys()].filter((id) => !asked.has(id));
  const some = (ids: readonly string[]) => ({ count: ids.length, examples: ids.slice(0, 5) });
  return makeRun({
    label: name,
    dataset,
    setting,
    k: 1,
    seed: 0,
    config: {
      dataset: { name: dataset.name, split: dataset.split, fingerprint: dataset.fingerprint },
      captions: {
        name,
        given: captions.size,
        used: asked.size - missing.length,
        missing: some(missing),
        unused: some(unused),
        hash: stableHash([...asked].map((id) => [id, captions.get(id) ?? null])),
      },
    },
    items: setting.questions.map(({ id, question }) =>
      Object.freeze({
        id,
        question: question.id,
        query: toQuery(dataset, question),
        evidence: Object.freeze({ hits: Object.freeze([]) }),
        answer: storedAnswer(captions.get(id)),
      }),
    ),
  });
}

function storedAnswer(caption: string | undefined): Answer | null {
  if (caption === undefined) return null;
  const blank = caption.trim() === "";
  return Object.freeze({
    text: blank ? null : caption,
    status: blank ? "abstained" : "ok",
    citedRanks: Object.freeze([]),
    tokens: 0,
    costUsd: 0,
    stop: "stored",
  });
}
