import { type OptionSpecs, unknownName } from "../core/index.js";
import { bm25 } from "./bm25.js";
import { hybrid } from "./combine/hybrid.js";
import { caption } from "./dense/caption.js";
import { fusion } from "./dense/fusion.js";
import { image } from "./dense/image.js";
import { rerank } from "./dense/rerank.js";
import { text } from "./dense/text.js";
import { fromEntry } from "./entry.js";
import { embedding } from "./graph/embedding.js";
import { paths } from "./graph/paths.js";
import { ppr } from "./graph/ppr.js";
import { randomRetriever } from "./random.js";
import type { Retriever, RetrieverEntry } from "./types.js";
import { walk } from "./walk.js";

const retrievers: ReadonlyMap<string, RetrieverEntry> = new Map(
  [bm25, caption, embedding, fusion, hybrid, image, paths, ppr, randomRetriever, rerank, text, walk].map((entry) => [
    entry.name,
    entry,
  ]),
);

/** The names that {@link retriever} takes, in code-unit order. */
export const retrieverNames = (): string[] => [...retrievers.keys()].sort();

function entry(name: string): RetrieverEntry {
  const found = retrievers.get(name);
  if (!found) throw unknownName("retriever", "retriever", name, retrieverNames());
  return found;
}

/** The options that a retriever of the table declares. Error: unknown name. */
export const retrieverOptions = (name: string): OptionSpecs => entry(name).options;

/** Where a retriever of the table comes from: authors, year, title, DOI or arXiv id. Error: unknown name. */
export const retrieverCitation = (name: string): string => entry(name).citation;

/**
 * A retriever of the table.
 *
 * | name | finds | options (default) |
 * |---|---|---|
 * | `bm25` | triples that share words with the question | k1 (1.2), b (0.75), weights of head, relation and tail (1) |
 * | `caption` | triples whose text is near, the head's label replaced by a caption of its picture | captioner ("colours"), queryCaption, encoder |
 * | `embedding` | triples near the linked entities in a graph embedding | model ("rotate"), dim (32), epochs (30) … |
 * | `fusion` | triples near the question, text and picture in one vector | encoder ("hash"), imageEncoder ("pixels"), queryFusion |
 * | `hybrid` | what `bm25`, `text` and `image` find, fused | method ("rrf"), norm, rrfK (60), depth (100) |
 * | `image` | triples whose head looks like the question's picture | imageEncoder ("pixels"), of ("head") |
 * | `paths` | paths between, and out of, the entities that the question names or shows | maxLength (2), breadth, entities |
 * | `ppr` | triples near those entities, by personalised PageRank | damping (0.85), fit |
 * | `random` | a uniform draw of triples | – |
 * | `rerank` | triples of the heads that look like the picture, ranked by text | anchors (10), encoder, imageEncoder |
 * | `text` | triples whose text is near the question's, by cosine | encoder ("hash") |
 * | `walk` | paths from the entity that the question names or shows | order, pathCount (5), cap, keyFrames … |
 *
 * Errors: unknown name, option or value.
 *
 * @example
 * retriever("text").label;              // "text (hash)"
 * retriever("bm25", { b: 0.4 }).params; // { b: 0.4, head: 1, k1: 1.2, relation: 1, tail: 1 }
 */
export function retriever(name: string, options: Readonly<Record<string, unknown>> = {}): Retriever {
  return fromEntry(entry(name), options);
}
