import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Image, MkgError, quote } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import { augmentImage, contentHash } from "../media/index.js";
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

/** How questions get their pictures. */
export interface QueryImageRule {
  readonly queryImage: "held-out" | "gold-augmented";
  /** What the seed of the augmentation holds beside the qid. */
  readonly imageSeed: "qid" | "S1" | "S4" | "S5";
}

/**
 * The picture of each multimodal question. `held-out`: the first of its head's pictures, by name, that no entity of the graph has (compared by content), so that
 * no row can be found by its very picture. `gold-augmented`, the released rule: in the general part the `image_path` of the relevant row with the smallest
 * document id, in the medical part what `image_mapping.csv` (head id, path) names for the head, else that same row's; augmented, with a seed from the qid.
 * It is a view of the picture that the gold head is indexed by, and a limit of the card says so. Questions without such a picture go on with
 * their text and are counted.
 */
export async function queryImages(
  intake: Intake,
  variant: Variant,
  folder: string,
  files: BenchFiles,
  graph: Graph,
  pictures: Pictures | undefined,
  rule: QueryImageRule,
): Promise<QueryImages> {
  const mapping = await readMapping(intake, join(folder, "image_mapping.csv"), variant);
  const images = new Map<number, readonly Image[]>();
  const without: string[] = [];
  const heldOut = rule.queryImage === "held-out";
  const indexed = heldOut && pictures ? await indexedPictures(graph) : new Set<string>();
  const byHead = new Map<string, Promise<Image | undefined>>();
  for (const { qid, head, query } of files.questions) {
    const path = mapping.get(head) ?? files.first.get(qid)?.image ?? "";
    let image: Image | undefined;
    if (pictures && heldOut) {
      const known = byHead.get(head) ?? unseen(pictures, head, path, indexed);
      byHead.set(head, known);
      image = await known;
    } else {
      const gold = await pictures?.file(path);
      image = gold && (await view(gold, pictures as Pictures, variant, rule, { qid, head, path, text: query }));
    }
    if (image) images.set(qid, Object.freeze([image]));
    else without.push(`mm:${qid}`);
  }
  const notices: DatasetCard["notices"][number][] = [];
  notices.push(
    ...noticed(
      heldOut && pictures
        ? "multimodal questions whose head has no picture besides those that are indexed: text only"
        : "images of the multimodal questions are not in the folder: text only",
      without,
    ),
  );
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

/** The contents of all pictures of entities. Reads each once. */
async function indexedPictures(graph: Graph): Promise<Set<string>> {
  const indexed = new Set<string>();
  for (const images of graph.entities.array("images") as (readonly Image[])[])
    for (const image of images) indexed.add(await contentHash(image));
  return indexed;
}

async function unseen(
  pictures: Pictures,
  head: string,
  path: string,
  indexed: ReadonlySet<string>,
): Promise<Image | undefined> {
  const stated = await pictures.file(path);
  for (const image of [...(stated ? [stated] : []), ...(await pictures.allOf(head, path))])
    if (!indexed.has(await contentHash(image))) return image;
  return undefined;
}

/** The gold picture as the released program shows it. */
async function view(
  gold: Image,
  pictures: Pictures,
  variant: Variant,
  { imageSeed }: QueryImageRule,
  {
    qid,
    head,
    path,
    text,
  }: { readonly qid: number; readonly head: string; readonly path: string; readonly text: string },
): Promise<Image> {
  if (variant.name === "mkg-rag-bench-m")
    return augmentImage(gold, { key: `aug::${qid}::${head}::${path}::${text}`, variant: "medical" });
  const own = await contentHash(gold);
  const others: Image[] = [];
  for (const image of await pictures.allOf(head, path)) if ((await contentHash(image)) !== own) others.push(image);
  return augmentImage(gold, { key: imageSeed === "qid" ? `${qid}` : `${imageSeed}||${qid}`, others });
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
