import { nearest } from "../core/index.js";

/** What columns are often called elsewhere, by the name that they have here; in lower case. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  head: ["subject", "source", "from", "s", "h", "sub", "subj", "head_id"],
  relation: ["predicate", "p", "r", "pred", "rel", "rel_id", "relation_id", "edge", "property"],
  tail: ["object", "target", "to", "o", "t", "obj", "tail_id"],
  id: ["entity", "entity_id", "node", "node_id"],
  label: ["name", "title"],
  description: ["desc", "text", "caption"],
  kind: ["type", "class", "category"],
  images: ["image", "picture", "pictures", "img", "image_path"],
  relationLabel: ["relation_label", "relation_name", "rel_text"],
};

/** A name as it is compared with those known here: without regard to case and to blanks around it. */
export const folded = (name: string): string => name.trim().toLowerCase();

const meanings = new Map(
  Object.entries(synonyms).flatMap(([known, others]) =>
    [known, ...others].map((name) => [folded(name), known] as const),
  ),
);

/** Whether a first line with this word in it may be one of names, ours in another case or those of others. */
export const isColumnName = (word: string): boolean => meanings.has(folded(word));

/** The one of the known columns that a name may be meant as: another's word for it, another case, a slip. */
export function meantBy(name: string, known: readonly string[]): string | undefined {
  const meaning = meanings.get(folded(name));
  if (meaning !== undefined && known.includes(meaning)) return meaning;
  // too short for a slip to be told from another word
  return nearest(
    name,
    known.filter((one) => one !== "id"),
  );
}
