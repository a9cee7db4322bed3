import { type Image, MkgError, quote, sha256 } from "../../core/index.js";
import type { Column } from "../columns.js";
import { cellsOf, type ImageCell } from "../images/cells.js";
import { imageFormat, imageReference } from "../images/open.js";
import type { Staging } from "./files.js";

export type ImageMode = "refuse" | "files" | "data-urls";

/**
 * The columns that stand for pictures in a table: `images`, and `keyFrames` where the table holds no lists and some frame is not marked. None where
 * there is no picture. Each picture is read once, one at a time; in mode `files` equal pictures share a file.
 */
export async function imageColumns(
  place: string,
  images: Column<readonly Image[]>,
  mode: ImageMode,
  lists: boolean,
  staging: Staging,
): Promise<Map<string, Column>> {
  const cells: ImageCell[][] = [];
  let row = 0;
  for (const list of images) {
    const cell: ImageCell[] = [];
    for (const [i, image] of list.entries()) {
      if (mode === "refuse")
        throw new MkgError(
          place,
          `the graph has pictures, which a table cannot hold (${quote(image.id)} of entities, row ${row} (from 0))`,
          '{ images: "files" } writes them beside the tables, { images: "data-urls" } into the cells',
          "Choose one, or write graph.withoutImages()",
        );
      const where = `entities, row ${row} (from 0), column images, picture ${i} (from 0)`;
      cell.push({ file: await referenceTo(place, where, image, mode, lists, staging), key: image.key });
    }
    cells.push(cell);
    row++;
  }
  if (cells.every((cell) => cell.length === 0)) return new Map();
  if (lists) return new Map([["images", cells]]);
  const texts = cells.map(cellsOf);
  const columns = new Map<string, Column>([["images", texts.map((cell) => cell.images)]]);
  if (texts.some((cell) => cell.keyFrames !== null))
    columns.set(
      "keyFrames",
      texts.map((cell) => cell.keyFrames),
    );
  return columns;
}

async function referenceTo(
  place: string,
  where: string,
  image: Image,
  mode: ImageMode,
  lists: boolean,
  staging: Staging,
): Promise<string> {
  const address = imageReference(image);
  if (address !== undefined && /^https?:/i.test(address)) {
    if (!lists && address.includes("|"))
      throw new MkgError(
        place,
        `${where}: an address with |, which parts the pictures of a cell (${quote(address)})`,
        "",
        "Write %7C for it, or choose jsonl",
      );
    return address;
  }
  let bytes: Uint8Array;
  try {
    bytes = await image.bytes();
  } catch (error) {
    throw new MkgError(
      place,
      `${where}: ${(error as Error).message}`,
      "",
      "Mend the picture, or write graph.withoutImages()",
    );
  }
  const format = imageFormat(bytes);
  if (mode === "data-urls")
    return `data:${format?.mediaType ?? "application/octet-stream"};base64,${Buffer.from(bytes).toString("base64")}`;
  const file = `images/${sha256(bytes)}.${format?.extensions[0] ?? "bin"}`;
  if (!staging.has(file)) await staging.add(file, bytes);
  return file;
}
