import { MkgError, quote } from "../../core/index.js";
import { readRows } from "../formats/table.js";

/** Texts by id: a file (`id TAB text` without header; or columns id, label), a map, or an object. */
export type Labels = string | ReadonlyMap<string, string> | Readonly<Record<string, string>>;

/** In the order of the source. A second text for an id is an error. */
export async function labelsFrom(place: string, labels: Labels | undefined): Promise<ReadonlyMap<string, string>> {
  if (labels === undefined) return new Map();
  if (typeof labels !== "string" && (typeof labels !== "object" || labels === null || Array.isArray(labels)))
    throw new MkgError(place, `labels: not texts by id (${quote(labels)})`, "A file, a Map, or an object");
  const texts = new Map<string, string>();
  const add = (where: () => string, id: unknown, text: unknown) => {
    if (typeof id !== "string" || id === "" || typeof text !== "string")
      throw new MkgError(
        place,
        `${where()}: not an id and a text (${quote([id, text])})`,
        "Two strings",
        "Mend that line",
      );
    if (texts.has(id))
      throw new MkgError(
        place,
        `${where()}: a second text for the id ${quote(id)}`,
        "One text an id",
        "Remove one of them",
      );
    texts.set(id, text);
  };
  if (typeof labels === "string") {
    const rows = await readRows(labels, {
      place,
      decide: (first) =>
        first.includes("id") && first.includes("label")
          ? { names: first, header: true }
          : { names: ["id", "label"], header: false },
    });
    const [ids, values] = [rows.columns.data.get("id"), rows.columns.data.get("label")];
    for (let row = 0; row < rows.columns.rows; row++)
      add(() => `${labels}, line ${rows.line(row)}`, ids?.at(row), values?.at(row));
  } else if (labels instanceof Map) for (const [id, text] of labels) add(() => "labels", id, text);
  else for (const [id, text] of Object.entries(labels)) add(() => "labels", id, text);
  return texts;
}
