import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Image, MkgError, quote } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import { type Intake, textField } from "./intake.js";
import { noticed } from "./noticed.js";
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
  intake: Intake,
  variant: Variant,
  folder: string,
  files: BenchFiles,
  graph: Graph,
  pictures: Pictures | undefined,
): Promise<QueryImages> {
  const mapping = await readMapping(intake, join(folder, "image_mapping.csv"), variant);
  const images = new Map<number, readonly Image[]>();
  const without: string[] = [];
  for (const { qid, head } of files.questions) {
    const path = mapping.get(head) ?? files.first.get(qid)?.image ?? "";
    const image = await pictures?.file(path);
    if (image) images.set(qid, Object.freeze([image]));
    else without.push(`mm:${qid}`);
  }
  const notices: DatasetCard["notices"][number][] = [];
  notices.push(...noticed("images of the multimodal questions are not in the folder: text only", without));
  notices.push(
    ...noticed(
      "rows of image_mapping.csv of ids that are no entity",
      [...mapping.keys()].filter((id) => !graph.has(id)),
    ),
  );
  return {
    count: images.size,
    notices,
    ofQid: (modality, qid) => (modality === "mm" ? (images.get(qid) ?? []) : []),
  };
}

async function readMapping(intake: Intake, file: string, variant: Variant): Promise<Map<string, string>> {
  const mapping = new Map<string, string>();
  if (variant.name !== "mkg-rag-bench-m" || !existsSync(file)) return mapping;
  intake.table("mappedPictures");
  const byPosition = ([, path = ""]: readonly string[]) => ({
    names: ["head", "path"],
    header: isHeaderOfMapping(path),
  });
  for await (const { record, line } of intake.rows("mappedPictures", file, byPosition))
    intake.row("mappedPictures", file, line, (where) => {
      const head = textField(where, record, "head");
      const path = lastTwo(textField(where, record, "path"));
      const earlier = mapping.get(head);
      if (earlier !== undefined && earlier !== path)
        throw new MkgError(
          where,
          `a second picture of the head ${quote(head)} (${path}); the first is ${earlier}`,
          "One picture a head",
          "Remove one of the rows",
        );
      mapping.set(head, path);
    });
  return mapping;
}
