import { type Image, MkgError, quote, refuseUnknown } from "../core/index.js";
import { checkedImage } from "./question.js";
import type { Passage } from "./types.js";

/** A passage as a data set's author writes it: only `id` and `text` are required. */
export type PassageInput = Pick<Passage, "id" | "text"> & Partial<Passage>;

const noPictures: readonly Image[] = Object.freeze([]);
const passageKeys = ["id", "text", "title", "page", "section", "images"] as const satisfies readonly (keyof Passage)[];

/** Passages, checked and frozen, and by id. An error names the passage. O(passages). */
export function makePassages(
  place: string,
  given: readonly PassageInput[],
): { readonly passages: readonly Passage[]; readonly passageOf: ReadonlyMap<string, Passage> } {
  if (!Array.isArray(given)) throw new MkgError(place, `passages is not a list (${quote(given)})`);
  const passageOf = new Map<string, Passage>();
  given.forEach((passage: PassageInput, i) => {
    if (typeof passage !== "object" || passage === null)
      throw new MkgError(place, `passage ${i} (from 0) is not an object (${quote(passage)})`);
    const { id, text, images } = passage;
    if (typeof id !== "string" || id === "")
      throw new MkgError(place, `passage ${i} (from 0): id is not a non-empty string (${quote(id)})`);
    const where = `${place}, passage ${quote(id)}`;
    refuseUnknown(where, passage, passageKeys);
    if (passageOf.has(id)) throw new MkgError(where, "a second passage with this id", "Passage ids are distinct");
    if (typeof text !== "string") throw new MkgError(where, `text is not a string (${quote(text)})`);
    for (const field of ["title", "page", "section"] as const)
      if (passage[field] !== undefined && typeof passage[field] !== "string")
        throw new MkgError(where, `${field} is not a string (${quote(passage[field])})`);
    if (images !== undefined && !Array.isArray(images))
      throw new MkgError(where, `images is not a list (${quote(images)})`);
    const { title, page, section } = passage;
    passageOf.set(
      id,
      Object.freeze({
        id,
        text,
        ...(title === undefined ? {} : { title }),
        ...(page === undefined ? {} : { page }),
        ...(section === undefined ? {} : { section }),
        images:
          images && images.length > 0
            ? Object.freeze(images.map((image: Image, k) => checkedImage(where, image, k)))
            : noPictures,
      }),
    );
  });
  return { passages: Object.freeze([...passageOf.values()]), passageOf };
}

/**
 * A passage as one text, for ranking and for readers: title of the page, title of the section where it is another one, then the text, a line each.
 *
 * @example
 * passageText({ id: "1", title: "Heron", section: "Diet", text: "It eats fish.", images: [] });   // "Heron\nDiet\nIt eats fish."
 */
export const passageText = ({ title = "", section = "", text }: Omit<Passage, "images">): string =>
  [title, section === title ? "" : section, text].filter((part) => part !== "").join("\n");
