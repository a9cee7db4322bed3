import type { Hit, Image } from "../../core/index.js";
import type { Candidate } from "../../datasets/index.js";
import { dot, type Encoder, embed, openIndex, type VectorIndex, type Vectors } from "../../embed/index.js";
import type { Graph } from "../../graph/index.js";
import { type KeyFrames, selectFrames } from "../../media/index.js";
import { contentOf, inTieOrder } from "../order.js";
import type { PrepareContext } from "../types.js";
import { cacheOf } from "./options.js";

/** The candidates as rows of an index, in the order of ties. */
export interface TextRows {
  readonly encoder: Encoder<string>;
  readonly candidates: readonly Candidate[];
  readonly vectors: Vectors;
  readonly index: VectorIndex;
}

/** Encodes a text of each candidate; an encoder that has corpus statistics is fitted to those texts. Memory 4 · N · dim bytes. */
export async function textRows(
  context: PrepareContext,
  plain: Encoder<string>,
  textOf: (candidate: Candidate) => string,
): Promise<TextRows> {
  const sorted = inTieOrder(context.candidates);
  const texts = sorted.map(textOf);
  const encoder = plain.fit?.(texts) ?? plain;
  const vectors = await embed(texts, encoder, { signal: context.signal, ...cacheOf(context) });
  return { encoder, candidates: sorted, vectors, index: await openIndex(vectors) };
}

/** Hits of rows of an index. */
export const hitsOf = (
  candidates: readonly Candidate[],
  found: readonly { readonly row: number; readonly score: number }[],
): Hit[] => found.map(({ row, score }) => ({ score, ...contentOf(candidates[row] as Candidate) }));

/** Whose pictures stand for a candidate: those of a triple's ends, or a passage's own. */
export type PictureOf = "head" | "tail" | "either";

/** The pictures by whom they show: `starts[i]` … `starts[i + 1]` are the frames of owner i. */
export interface Pictures {
  readonly encoder: Encoder<Image>;
  readonly owners: ReadonlyMap<string, number>;
  readonly starts: Int32Array;
  /** [frames, dim], unit rows. */
  readonly frames: Vectors;
}

/** Keys of those whose pictures stand for a candidate. An entity and a passage may have the same id. */
export function ownersOf({ triple, passage }: Candidate, graph: Graph, of: PictureOf): string[] {
  if (triple === undefined) return [`passage ${passage}`];
  const { head, tail } = graph.triple(triple);
  return [...(of === "tail" ? [] : [`entity ${head}`]), ...(of === "head" ? [] : [`entity ${tail}`])];
}

/** Encodes the chosen frames of every entity and passage that stands for a candidate, each once, in the order of candidates. */
export async function pictures(
  context: PrepareContext,
  encoder: Encoder<Image>,
  { of, keyFrames }: { readonly of: PictureOf; readonly keyFrames: KeyFrames },
): Promise<Pictures> {
  const { graph, candidates, signal } = context;
  const owners = new Map<string, number>();
  const starts = [0];
  const chosen: Image[] = [];
  const seen = new Set<string>();
  for (const candidate of inTieOrder(candidates))
    for (const owner of ownersOf(candidate, graph, of)) {
      if (seen.has(owner)) continue;
      seen.add(owner);
      const own = candidate.triple === undefined ? (candidate.images ?? []) : graph.entity(owner.slice(7)).images;
      const frames = own.length > 0 ? await selectFrames(own, keyFrames) : [];
      if (frames.length === 0) continue;
      owners.set(owner, owners.size);
      chosen.push(...frames);
      starts.push(chosen.length);
    }
  const frames = await embed(chosen, encoder, { signal, ...cacheOf(context) });
  return { encoder, owners, starts: Int32Array.from(starts), frames };
}

/** The chosen frames of a question, encoded; null where there are none. */
export async function questionFrames(
  images: readonly Image[],
  encoder: Encoder<Image>,
  keyFrames: KeyFrames,
): Promise<Float32Array | null> {
  const frames = images.length > 0 ? await selectFrames(images, keyFrames) : [];
  return frames.length > 0 ? encoder.encode(frames) : null;
}

/**
 * How well each owner's frames fit the question's: the mean over the question's frames of the largest cosine over the owner's (late interaction;
 * Khattab & Zaharia 2020, arXiv 2004.12832). One frame on each side: their cosine. O(question frames · frames · dim).
 */
export function pictureScores({ starts, frames, owners }: Pictures, question: Float32Array): Float64Array {
  const { dim, data } = frames;
  const n = question.length / dim;
  const scores = new Float64Array(owners.size);
  for (let owner = 0; owner < scores.length; owner++) {
    let sum = 0;
    for (let q = 0; q < n; q++) {
      let best = Number.NEGATIVE_INFINITY;
      for (let f = starts[owner] as number; f < (starts[owner + 1] as number); f++)
        best = Math.max(best, dot(question, q, data, f, dim));
      sum += best;
    }
    scores[owner] = sum / n;
  }
  return scores;
}

/** The mean of rows, scaled to length 1; zero rows when they cancel. */
export function meanRow(rows: Float32Array, from: number, to: number, dim: number): Float32Array {
  const mean = new Float32Array(dim);
  for (let row = from; row < to; row++)
    for (let j = 0; j < dim; j++) mean[j] = (mean[j] as number) + (rows[row * dim + j] as number);
  return unit(mean);
}

/** Scaled to length 1 in place; all but zero is zero. */
export function unit(row: Float32Array): Float32Array {
  const length = Math.sqrt(dot(row, 0, row, 0, row.length));
  if (length > 0) for (let j = 0; j < row.length; j++) row[j] = (row[j] as number) / length;
  return row;
}
