import { integer, MkgError, type OptionSpecs, quote, sha256, stableHash, words } from "../../core/index.js";
import type { Encoder } from "../types.js";

export const hashOptions: OptionSpecs = {
  dim: integer({ min: 8, max: 65536, default: 512, doc: "Numbers per vector; fewer means more collisions" }),
  ngramMin: integer({ min: 1, max: 12, default: 3, doc: "Shortest character n-gram, in UTF-16 code units" }),
  ngramMax: integer({ min: 1, max: 12, default: 5, doc: "Longest character n-gram" }),
};

interface HashOptions {
  dim: number;
  ngramMin: number;
  ngramMax: number;
}

// FNV-1a over the two bytes of each code unit (Fowler, Noll, Vo 1991): integer arithmetic only, so equal on every machine
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const add = (hash: number, unit: number): number =>
  Math.imul(Math.imul(hash ^ (unit & 0xff), FNV_PRIME) ^ (unit >>> 8), FNV_PRIME);

// Final mix of MurmurHash3 (Appleby 2011): FNV's low bits alone are too regular to take a remainder of
const mix = (hash: number): number => {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

const EDGE = "\u0002".charCodeAt(0); // marks both ends of a word; `words` never yields it
const WORD = 0x9747b28c; // starts whole words elsewhere than n-grams, so that a word is not its own n-gram

/** Hashed features of a text, sorted, with repeats. Reuses its buffer: the result is valid until the next call. */
function featureReader({ ngramMin, ngramMax }: HashOptions): (text: string) => Uint32Array {
  let buffer = new Uint32Array(1024);
  return (text) => {
    let n = 0;
    for (const word of words(text)) {
      const length = word.length + 2;
      if (n + 1 + length * (ngramMax - ngramMin + 1) > buffer.length) {
        const larger = new Uint32Array(2 * (n + 1 + length * (ngramMax - ngramMin + 1)));
        larger.set(buffer.subarray(0, n));
        buffer = larger;
      }
      const unit = (i: number) => (i === 0 || i === length - 1 ? EDGE : word.charCodeAt(i - 1));
      let whole = WORD;
      for (let i = 0; i < word.length; i++) whole = add(whole, word.charCodeAt(i));
      buffer[n++] = mix(whole);
      for (let start = 0; start < length; start++) {
        let hash = FNV_OFFSET;
        for (let end = start; end < length && end - start < ngramMax; end++) {
          hash = add(hash, unit(end));
          if (end - start + 1 >= ngramMin) buffer[n++] = mix(hash);
        }
      }
    }
    return buffer.subarray(0, n).sort();
  };
}

/** Calls `each(feature, count)` for every distinct feature, in the order of their hashes. */
function runs(features: Uint32Array, each: (feature: number, count: number) => void): void {
  for (let i = 0; i < features.length; ) {
    const feature = features[i] as number;
    let end = i + 1;
    while (features[end] === feature) end++;
    each(feature, end - i);
    i = end;
  }
}

/**
 * An encoder of text without weights: words and character n-grams of words, each hashed to one of `dim` positions with
 * a sign that makes collisions cancel on average (Weinberger et al. 2009, arXiv 0902.2206), weighted by 1 + ln(count),
 * and by ln((1 + N) / (1 + documents with it)) + 1 once fitted to a corpus of N texts. Rows have length 1; a text without
 * a letter or digit gets a zero row. Case is folded; Unicode is not normalised. The same text gives the same bytes on
 * every machine. It sees spelling, not meaning. Time O(characters × n-gram lengths); memory of a fit O(distinct features).
 */
export function hashEncoder(options: Readonly<Record<string, unknown>>): Encoder<string> {
  const settings = options as unknown as HashOptions;
  const { dim, ngramMin, ngramMax } = settings;
  if (ngramMin > ngramMax)
    throw new MkgError(
      'encoder("hash")',
      `ngramMin exceeds ngramMax (${ngramMin} > ${ngramMax})`,
      "ngramMin ≤ ngramMax",
    );
  const features = featureReader(settings);
  const base = `1-${stableHash({ dim, ngramMin, ngramMax })}`;

  const make = (
    revision: string,
    idf: (feature: number) => number,
    fit?: (corpus: readonly string[]) => Encoder<string>,
  ): Encoder<string> =>
    Object.freeze({
      name: "hash",
      quick: true,
      revision,
      modality: "text",
      dim,
      async encode(items: readonly string[]): Promise<Float32Array> {
        const out = new Float32Array(items.length * dim);
        const row = new Float64Array(dim);
        items.forEach((item, i) => {
          row.fill(0);
          runs(features(text(item, i)), (feature, count) => {
            const at = (feature >>> 1) % dim;
            const weight = (count === 1 ? 1 : 1 + Math.log(count)) * idf(feature);
            row[at] = (row[at] as number) + (feature & 1 ? weight : -weight);
          });
          let square = 0;
          for (const value of row) square += value * value;
          // a zero row stays zero: 0 / 0 would be NaN
          const length = Math.sqrt(square) || 1;
          for (let j = 0; j < dim; j++) out[i * dim + j] = (row[j] as number) / length;
        });
        return out;
      },
      ...(fit ? { fit } : {}),
    });

  const fit = (corpus: readonly string[]): Encoder<string> => {
    // feature → number of texts with it, then → its weight; as signed integers, which V8 does not box
    const documents = new Map<number, number>();
    corpus.forEach((item, i) => {
      runs(features(text(item, i)), (feature) => documents.set(feature | 0, (documents.get(feature | 0) ?? 0) + 1));
    });
    const idf = (df: number) => Math.log((1 + corpus.length) / (1 + df)) + 1;
    for (const [feature, df] of documents) documents.set(feature, idf(df));
    const unseen = idf(0);
    return make(
      `${base}-${sha256(JSON.stringify(corpus)).slice(0, 16)}`,
      (feature) => documents.get(feature | 0) ?? unseen,
    );
  };
  return make(base, () => 1, fit);
}

function text(item: unknown, index: number): string {
  if (typeof item !== "string")
    throw new MkgError('encoder("hash")', `item ${index} is not text (${quote(item)})`, "It encodes strings");
  return item;
}
