import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { MkgError, quote } from "../core/index.js";
import { type Graph, graphFrom } from "../graph/index.js";
import { fileHash } from "./download.js";
import { field, type Intake, naturalField, optionalText, textField } from "./intake.js";
import { noticed } from "./noticed.js";
import { Pictures, pictureExtensions } from "./pictures.js";
import { corpusFile, type Document, lastTwo, type Modality, named, namedText } from "./rag-bench-files.js";
import type { DatasetCard } from "./types.js";

type Notice = DatasetCard["notices"][number];

/** What may be ranked: the rows of both modalities by document id, ascending, and the graph that they are triples of. */
export interface Corpora {
  readonly kind: "superset" | "released";
  /** As it stands in messages. */
  readonly source: "MarKG" | "the corpus";
  readonly graph: Graph;
  readonly rows: Readonly<Record<Modality, ReadonlyMap<number, Document>>>;
  readonly notices: readonly Notice[];
}

const modalities = ["text", "mm"] as const;

/** Where the released corpora lie: the repository stores each once, under one of the splits. Several copies must be one file. */
export async function findCorpora(
  place: string,
  folder: string,
  splitFolders: readonly string[],
): Promise<Record<Modality, string | undefined>> {
  const found: Record<Modality, string | undefined> = { text: undefined, mm: undefined };
  for (const modality of modalities) {
    const copies = ["", ...splitFolders]
      .map((sub) => join(folder, sub, corpusFile(modality)))
      .filter((file) => existsSync(file));
    found[modality] = copies[0];
    if (copies.length < 2) continue;
    const sums = await Promise.all(copies.map(async (file) => (await fileHash(place, file)).sha256));
    const other = sums.findIndex((sum) => sum !== sums[0]);
    if (other > 0)
      throw new MkgError(
        place,
        `two files of the ${modality} corpus differ (${copies[0]}, ${copies[other]})`,
        "The corpus is the same for all splits",
        "Remove the wrong one",
      );
  }
  return found;
}

/**
 * The released corpora as a graph: one triple a row, its id the modality and document id (`text:17`), duplicates kept; an entity's text is the first that
 * stands for its id, as in the released retrievers. The text of a row is made of these. Pictures of entities by the rule of {@link entityImage}.
 */
export async function releasedCorpora(
  intake: Intake,
  name: string,
  files: Readonly<Record<Modality, string>>,
  images: string | undefined,
): Promise<Corpora> {
  const labels = new Map<string, string>();
  const relations = new Map<string, string>();
  const triples: { id: string; head: string; relation: string; relationLabel: string; tail: string }[] = [];
  const rows: Record<Modality, Map<number, Document>> = { text: new Map(), mm: new Map() };
  const conflicts: string[] = [];
  const odd: string[] = [];
  const withImage = new Map<string, string>();
  const first = (texts: Map<string, string>, id: string, text: string) => {
    const known = texts.get(id);
    if (known === undefined) texts.set(id, text);
    else if (known !== text) conflicts.push(`${id}: ${known} – ${text}`);
    return known ?? text;
  };
  intake.table("corpusRows");
  for (const modality of modalities) {
    const file = files[modality];
    for await (const { record: r, line } of intake.objects("corpusRows", file))
      intake.row("corpusRows", file, line, (where) => {
        const doc = naturalField(where, r, "doc_id");
        if (rows[modality].has(doc))
          throw new MkgError(where, `a second row with the doc_id ${doc}`, "doc_ids are distinct", "Mend that line");
        const [head, tail] = [textField(where, r, "head_id"), textField(where, r, "tail_id")];
        const relation = namedText(where, r, "rel_id");
        const texts = [optionalText(where, r, "head_text"), "", optionalText(where, r, "tail_text")];
        const relationText = named(where, r, "rel_text") ?? "";
        if (typeof relationText !== "string")
          throw new MkgError(where, `rel_text is not a string (${quote(relationText)})`);
        texts[1] = relationText;
        const path = field(r, "image_path") ?? "";
        if (typeof path !== "string")
          throw new MkgError(where, `image_path is not a path (${quote(path)})`, "A path, or null");
        if (path !== "" && modality === "text")
          throw new MkgError(where, `a row of the text corpus with an image_path (${quote(path)})`, "null");
        const whole = field(r, "triplet_text");
        if (whole !== undefined && whole !== texts.join(" ")) odd.push(`${modality}:${doc}`);
        const id = `${modality}:${doc}`;
        const image = lastTwo(path);
        triples.push({
          id,
          head,
          relation,
          relationLabel: first(relations, relation, relationText),
          tail,
        });
        first(labels, head, texts[0] as string);
        first(labels, tail, texts[2] as string);
        if (image !== "" && !withImage.has(head)) withImage.set(head, image);
        rows[modality].set(doc, { triple: id, image });
      });
    rows[modality] = new Map([...rows[modality]].sort(([a], [b]) => a - b));
  }
  const pictures = images === undefined ? undefined : await Pictures.in(images);
  const entities = await Promise.all(
    [...labels].map(async ([id, label]) => ({
      id,
      label,
      images: (await pictures?.ofEntity(id, withImage.get(id))) ?? [],
    })),
  );
  const graph = graphFrom({ name, entities, triples });
  const notices: Notice[] = [];
  notices.push(
    ...noticed("texts of an entity or relation that differ from the first one for its id: the first stands", conflicts),
  );
  notices.push(...noticed("rows whose triplet_text is not head, relation and tail text joined by a space", odd));
  return { kind: "released", source: "the corpus", graph, rows, notices };
}

/**
 * The superset corpora: every line of MarKG is a row, since which of them the released corpora keep was decided by a language model and cannot be
 * derived. A row is multimodal when its head is an end of one of the first 500 lines; order = line order, duplicates kept; document id = rank within
 * the modality, from 0.
 */
export function supersetCorpora(graph: Graph): Corpora {
  const { head, tail, id } = graph.triples.data();
  const ends = new Set<unknown>();
  for (let i = 0; i < Math.min(500, graph.triples.numRows()); i++) ends.add(head!.at(i)).add(tail!.at(i));
  const rows: Record<Modality, Map<number, Document>> = { text: new Map(), mm: new Map() };
  for (let i = 0; i < graph.triples.numRows(); i++) {
    const list = rows[ends.has(head!.at(i)) ? "mm" : "text"];
    list.set(list.size, { triple: id!.at(i) as string, image: "" });
  }
  return { kind: "superset", source: "MarKG", graph, rows, notices: [] };
}

/** `image_mapping.csv` of the medical part: head id → path, by position; a first line whose second cell is no picture is a header. */
export const isHeaderOfMapping = (path: string): boolean =>
  !pictureExtensions.some((extension) => basename(path).toLowerCase().endsWith(extension));
