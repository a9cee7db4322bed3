import { createHash } from "node:crypto";
import { byCodeUnit, MkgError, quote, refuseUnknown } from "../core/index.js";
import { isNatural } from "./intake.js";
import type { SplitName } from "./types.js";

/** Question ids of one split, ascending, by modality. */
export interface SplitIds {
  readonly mm: readonly number[];
  readonly text: readonly number[];
}

/**
 * The split 8 : 1 : 1 of MKG-RAG-Bench, as its `splitting.py` makes it: the two number spaces are merged (a text qid moves by the largest multimodal qid
 * + 1), sorted by the hexadecimal SHA-1 of `markg_v1::<merged qid>` (the medical variant uses the same words), and cut at ⌊0.8 n⌋ and ⌊0.8 n⌋ + ⌊0.1 n⌋.
 * It depends on nothing but the set of qids. Give the qids of all questions that have relevant rows: of a part of them the cuts fall elsewhere.
 * O(n log n).
 *
 * Source: Wang et al. 2026, MKG-RAG-Bench, arXiv 2606.26458; the released `splitting.py`.
 *
 * @example
 * const all = (n: number) => Array.from({ length: n }, (_, i) => i);
 * const { test } = ragBenchSplit({ mm: all(18470), text: all(42666) });
 * [test.mm.length, test.text.length]   // [1854, 4261]
 */
export function ragBenchSplit(ids: SplitIds): Readonly<Record<SplitName, SplitIds>> {
  const place = "ragBenchSplit";
  refuseUnknown(place, ids, ["mm", "text"]);
  for (const modality of ["mm", "text"] as const) {
    const list = ids?.[modality];
    const wrong = Array.isArray(list) ? list.find((id) => !isNatural(id)) : list;
    if (!Array.isArray(list) || wrong !== undefined)
      throw new MkgError(place, `${modality} is not a list of qids (${quote(wrong ?? list)})`, "Integers ≥ 0");
    if (new Set(list).size !== list.length) throw new MkgError(place, `${modality} has a qid twice`, "Distinct qids");
  }
  const offset = ids.mm.reduce((max, id) => Math.max(max, id), -1) + 1;
  const merged = [...ids.mm, ...ids.text.map((id) => id + offset)].map((id) => ({
    id,
    hash: createHash("sha1").update(`markg_v1::${id}`).digest("hex"),
  }));
  merged.sort((a, b) => byCodeUnit(a.hash, b.hash));
  const n = merged.length;
  // int() of Python cuts the double towards 0, as Math.floor does
  const [train, validation] = [Math.floor(0.8 * n), Math.floor(0.1 * n)];
  const part = (from: number, to: number): SplitIds => {
    const taken = merged
      .slice(from, to)
      .map(({ id }) => id)
      .sort((a, b) => a - b);
    return { mm: taken.filter((id) => id < offset), text: taken.filter((id) => id >= offset).map((id) => id - offset) };
  };
  return {
    train: part(0, train),
    validation: part(train, train + validation),
    test: part(train + validation, n),
  };
}
