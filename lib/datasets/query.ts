import { type Image, MkgError, type Query, type Question, quote, stableHash } from "../core/index.js";
import type { Dataset } from "./types.js";

const queries = new WeakMap<Dataset, WeakMap<Question, Query>>();

/**
 * The frozen view of a question that retrievers, gates, agents and readers get: text, pictures under opaque ids, and the meta fields that
 * the data set declares visible. No answer, gold, group or cluster can be reached from it: it holds copies, never the question.
 * The id is `q` and 16 hexadecimal digits of a hash of data set and question id; a picture's id is `<query id>/<position from 0>`.
 * The same question gives the same object, so that caches keyed by its pictures stay warm.
 *
 * An error while reading a picture names only its opaque id: a file's path may hold the answer.
 *
 * @example
 * const dataset = await loadDataset("bestiary");
 * toQuery(dataset, dataset.questions[0]).id   // "q5e4b894580e75726"
 */
export function toQuery(dataset: Dataset, question: Question): Query {
  let known = queries.get(dataset);
  if (!known) {
    known = new WeakMap();
    queries.set(dataset, known);
  }
  let query = known.get(question);
  if (!query) {
    query = view(dataset, question);
    known.set(question, query);
  }
  return query;
}

function view(dataset: Dataset, question: Question): Query {
  // the fingerprint, which no part is given, keeps the id from being found by trying question ids
  const id = `q${stableHash([dataset.name, dataset.fingerprint, question.id])}`;
  const visible = dataset.visibleMeta.filter((field) => Object.hasOwn(question.meta, field));
  return Object.freeze({
    id,
    text: question.text,
    images: Object.freeze(question.images.map((image, i) => opaqueImage(`${id}/${i}`, image))),
    // the values are frozen plain copies: see plainCopy in define.ts
    meta: Object.freeze(Object.fromEntries(visible.map((field) => [field, question.meta[field]]))),
  });
}

function opaqueImage(id: string, image: Image): Image {
  const bytes = async (): Promise<Uint8Array> => {
    let read: Uint8Array;
    try {
      read = await image.bytes();
    } catch {
      throw new MkgError(
        "image.bytes",
        `a picture of a query cannot be read (${quote(id)})`,
        "",
        "Call bytes() of the question's own picture to see why",
      );
    }
    // a copy: the view of a pooled buffer would reach other files' bytes
    return new Uint8Array(read);
  };
  return Object.freeze({ id, key: image.key, bytes: Object.freeze(bytes) });
}
