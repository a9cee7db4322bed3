import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Image, MkgError, quote } from "../core/index.js";
import { type Graph, readTable } from "../graph/index.js";
import type { Pictures } from "./pictures.js";
import type { Variant } from "./rag-bench.js";
import { isHeaderOfMapping } from "./rag-bench-corpus.js";
import { type BenchFiles, lastTwo, type Modality } from "./rag-bench-files.js";
import type { DatasetCard } from "./types.js";

/** Pictures of the questions of one split. */
export interface QueryImages {
  /** Multimodal questions with a picture. */
  readonly count: number;
  ofQid(modality: Modality, qid: number): readonly Image[];
  readonly notices: DatasetCard["notices"];
}

/**
 * The picture of each multimodal question by the released rule, before its augmentation: in the general part the `image_path` of the relevant row with the
 * smallest document id, in the medical part what `image_mapping.csv` (head id, path) names for the head, else that same row's. It is the head's own picture: a
 * limit of the card says so. Questions whose picture is not there go on with their text and are counted.
 */
export async function queryImages(
  variant: Variant,
  folder: string,
  files: BenchFiles,
  graph: Graph,
  pictures: Pictures | undefined,
): Promise<QueryImages> {
  const mapping = await readMapping(join(folder, "image_mapping.csv"), variant);
  const images = new Map<number, readonly Image[]>();
  const without: string[] = [];
  for (const { qid, head } of files.questions) {
    const path = mapping.get(head) ?? files.first.get(qid)?.image ?? "";
    const image = await pictures?.file(path);
    if (image) images.set(qid, Object.freeze([image]));
    else without.push(`mm:${qid}`);
  }
  const notices: DatasetCard["notices"][number][] = [];
  const notice = (what: string, examples: readonly string[]) => {
    if (examples.length > 0) notices.push({ what, count: examples.length, examples: examples.slice(0, 5) });
  };
  notice("images of the multimodal questions are not in the folder: text only", without);
  notice(
    "rows of image_mapping.csv of ids that are no entity",
    [...mapping.keys()].filter((id) => !graph.has(id)),
  );
  return {
    count: images.size,
    notices,
    ofQid: (modality, qid) => (modality === "mm" ? (images.get(qid) ?? []) : []),
  };
}

async function readMapping(file: string, variant: Variant): Promise<Map<string, string>> {
  const mapping = new Map<string, string>();
  if (variant.name !== "mkg-rag-bench-m" || !existsSync(file)) return mapping;
  const table = await readTable(file, { names: ["head", "path"] });
  for (let row = 0; row < table.numRows(); row++) {
    const [head, path] = [table.get("head", row) as string, table.get("path", row) as string];
    if (row === 0 && isHeaderOfMapping(path)) continue;
    if (mapping.has(head) && mapping.get(head) !== lastTwo(path))
      throw new MkgError(
        `dataset ${variant.name}`,
        `${file}, row ${row} (from 0): a second picture for head ${quote(head)} (${path})`,
        "One picture a head",
        "Remove one of the rows",
      );
    mapping.set(head, lastTwo(path));
  }
  return mapping;
}
