import { MkgError, quote } from "../../core/index.js";

/**
 * How the pictures of an entity stand in a table.
 *
 * | table | column `images` | column `keyFrames` |
 * |---|---|---|
 * | jsonl, json | a list of references, or of `{file, key}` objects; a bare reference is a marked frame | not needed |
 * | csv, tsv, xlsx, parquet, arrow | references with `|` between | positions from 0 of the marked frames with `|` between; `-`: none is marked; empty or no such column: all are |
 *
 * A reference is a path below the table's folder, a folder of frames, a data URL or an address. `key` says that a human marked the frame as one
 * that tells.
 */
export interface ImageCell {
  readonly file: string;
  readonly key: boolean;
}

/** What stands in `keyFrames` where no frame is marked. */
const noneMarked = "-";

/**
 * The references in a cell of `images`, with the marks of the cell of `keyFrames` beside it, as {@link ImageCell} says; opens nothing. An empty
 * or missing cell gives `[]`. Errors name `where`: a cell that is none of these, a picture between two `|` that is missing, a data URL that `|` may have cut in
 * two, a position without a frame, marks said twice.
 *
 * @example
 * imagesOf("loadGraph", "entities.csv, line 2", "a/1.png|a/2.png", "1");
 * // [{ file: "a/1.png", key: false }, { file: "a/2.png", key: true }]
 */
export function imagesOf(place: string, where: string, cell: unknown, keyFrames?: unknown): ImageCell[] {
  const list: unknown = cell === "" ? [] : typeof cell === "string" ? cell.split("|") : (cell ?? []);
  const wrong = (value: unknown) =>
    new MkgError(
      place,
      `${where}, column images: not pictures (${quote(value)})`,
      "A list of references or {file, key: true or false}, or references with | between",
      "Mend the cell",
    );
  if (!Array.isArray(list) || (typeof cell === "string" && list.includes(""))) throw wrong(cell);
  // base64 has no |; in any other data URL it may be part of the picture
  const open =
    typeof cell === "string" ? list.slice(0, -1).find((file) => /^data:(?![^,]*;base64,)/i.test(file)) : undefined;
  if (open !== undefined)
    throw new MkgError(
      place,
      `${where}, column images: a data URL with |, or another picture after it (${quote(open)})`,
      "In a cell with several pictures, data URLs in base64",
      "Write %7C for a | of the picture, and the picture last or in base64",
    );
  const marked = marksOf(place, where, keyFrames, list.length);
  return list.map((item: unknown, i) => {
    if (typeof item === "string" && item !== "") return { file: item, key: marked?.has(i) ?? true };
    if (!isCell(item)) throw wrong(item);
    if (marked && item.key !== undefined)
      throw new MkgError(
        place,
        `${where}: a frame is marked both by its key and by the column keyFrames (${quote(item)})`,
        "One of them",
        "Remove the column keyFrames",
      );
    return { file: item.file, key: item.key ?? marked?.has(i) ?? true };
  });
}

function isCell(item: unknown): item is { file: string; key?: boolean } {
  if (typeof item !== "object" || item === null) return false;
  const { file, key, ...rest } = item as Record<string, unknown>;
  return (
    typeof file === "string" &&
    file !== "" &&
    (key === undefined || typeof key === "boolean") &&
    Object.keys(rest).length === 0
  );
}

/** Positions of the marked frames; undefined where the cell says nothing. */
function marksOf(place: string, where: string, cell: unknown, frames: number): ReadonlySet<number> | undefined {
  if (cell === undefined || cell === null || cell === "") return undefined;
  if (cell === noneMarked) return new Set();
  const parts = typeof cell === "string" ? cell.split("|") : [];
  if (parts.length === 0 || !parts.every((part) => /^(0|[1-9]\d{0,8})$/.test(part) && Number(part) < frames))
    throw new MkgError(
      place,
      `${where}, column keyFrames: not positions of its ${frames} frames (${quote(cell)})`,
      frames === 0 ? "No column, or an empty cell" : `Numbers from 0 to ${frames - 1} with | between, or ${noneMarked}`,
      "Mend the cell",
    );
  return new Set(parts.map(Number));
}

/** The cells of `images` and `keyFrames` for a table that holds no lists; null: empty. No reference may hold `|`. */
export function cellsOf(images: readonly ImageCell[]): {
  readonly images: string | null;
  readonly keyFrames: string | null;
} {
  if (images.length === 0) return { images: null, keyFrames: null };
  const marked = images.flatMap(({ key }, i) => (key ? [i] : []));
  return {
    images: images.map(({ file }) => file).join("|"),
    keyFrames: marked.length === images.length ? null : marked.length === 0 ? noneMarked : marked.join("|"),
  };
}
