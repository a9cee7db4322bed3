import { byCodeUnit } from "../core/index.js";
import type { GraphParts } from "./build.js";
import { weakComponents } from "./components.js";
import type { Notice } from "./types.js";

/** How many edges entities have: over all entities, those without edges included. A mean of no entities is 0. */
export interface DegreeSummary {
  readonly min: number;
  /** The middle value; the mean of the two middle ones when their number is even. */
  readonly median: number;
  readonly mean: number;
  readonly max: number;
}

/** Counts of a graph; `toString()` is a summary of some lines to read. */
export interface GraphDescription {
  readonly name: string;
  readonly entities: number;
  readonly triples: number;
  readonly relations: number;
  /** Entities that stand in at least one triple. */
  readonly entitiesInTriples: number;
  /** Entities that stand in none. */
  readonly isolated: number;
  readonly distinctLabels: number;
  /** Triples that differ in head, relation, tail or condition. */
  readonly distinctTriples: number;
  readonly conditionalTriples: number;
  /** Triples whose head is their tail. */
  readonly selfLoops: number;
  /** Triples that join, in the same direction, two entities that an earlier one joins. */
  readonly parallelEdges: number;
  readonly entitiesWithImages: number;
  readonly images: number;
  /** Edges at an entity: those it is the head of, the tail of, and both added up. */
  readonly outDegree: DegreeSummary;
  readonly inDegree: DegreeSummary;
  readonly degree: DegreeSummary;
  /** Largest number of edges at one entity, both ways. */
  readonly maxDegree: number;
  /** Weakly connected components, and the number of entities in the largest. */
  readonly components: number;
  readonly largestComponent: number;
  /** Entities by kind, "" for those without one; most frequent first, then by name. */
  readonly kinds: readonly { readonly kind: string; readonly count: number }[];
  /** Triples by relation id; most frequent first, then by id. */
  readonly relationCounts: readonly { readonly relation: string; readonly count: number }[];
  toString(): string;
}

/** O(entities + triples), and O(n log n) for the medians. */
export function describe(name: string, p: GraphParts): GraphDescription {
  const kinds = new Map<string, number>();
  for (const kind of p.kinds) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const perRelation = new Float64Array(p.relations.length);
  for (const relation of p.relation) perRelation[relation]!++;
  const [out, inward] = [degrees(p.out.start), degrees(p.in.start)];
  const both = out.map((n, e) => n + inward[e]!);
  const entitiesInTriples = both.reduce((n, degree) => n + (degree > 0 ? 1 : 0), 0);
  const { sizes } = weakComponents(p);
  const always = p.conditions.values.indexOf("");
  const counts = {
    name,
    entities: p.ids.length,
    triples: p.head.length,
    relations: p.relations.length,
    entitiesInTriples,
    isolated: p.ids.length - entitiesInTriples,
    distinctLabels: new Set(p.labels).size,
    distinctTriples: p.head.length - (p.report.notices.find((n) => n.what === "duplicate triples")?.count ?? 0),
    conditionalTriples: p.conditions.codes.reduce((n, code) => n + (code === always ? 0 : 1), 0),
    selfLoops: p.head.reduce((n, head, t) => n + (head === p.tail[t] ? 1 : 0), 0),
    parallelEdges: parallelEdges(p),
    entitiesWithImages: p.images.reduce((n, images) => n + (images.length > 0 ? 1 : 0), 0),
    images: p.images.reduce((n, images) => n + images.length, 0),
    outDegree: summaryOf(out),
    inDegree: summaryOf(inward),
    degree: summaryOf(both),
    maxDegree: both.reduce((a, b) => Math.max(a, b), 0),
    components: sizes.length,
    largestComponent: sizes[0] ?? 0,
    kinds: [...kinds]
      .map(([kind, count]) => ({ kind, count }))
      .sort((a, b) => b.count - a.count || byCodeUnit(a.kind, b.kind)),
    relationCounts: p.relations
      .map((relation, row) => ({ relation, count: perRelation[row]! }))
      .sort((a, b) => b.count - a.count || byCodeUnit(a.relation, b.relation)),
  };
  return { ...counts, toString: () => summary(counts, p) };
}

const degrees = (start: Int32Array): Int32Array => {
  const out = new Int32Array(start.length - 1);
  for (let e = 0; e < out.length; e++) out[e] = start[e + 1]! - start[e]!;
  return out;
};

function summaryOf(degree: Int32Array): DegreeSummary {
  const n = degree.length;
  if (n === 0) return { min: 0, median: 0, mean: 0, max: 0 };
  const sorted = degree.slice().sort();
  return {
    min: sorted[0]!,
    median: (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2,
    mean: sorted.reduce((a, b) => a + b, 0) / n,
    max: sorted[n - 1]!,
  };
}

/** Marks the tails of one head after the other: O(entities + triples). */
function parallelEdges({ out, ids }: GraphParts): number {
  const seenBy = new Int32Array(ids.length).fill(-1);
  let count = 0;
  for (let e = 0; e < ids.length; e++)
    for (let i = out.start[e]!; i < out.start[e + 1]!; i++) {
      if (seenBy[out.ends[i]!] === e) count++;
      seenBy[out.ends[i]!] = e;
    }
  return count;
}

const many = (n: number, one: string, several = `${one}s`): string => `${n} ${n === 1 ? one : several}`;
const round = (x: number): string => String(Math.round(x * 100) / 100);
const degreeText = (d: DegreeSummary) => `${d.min} / ${round(d.median)} / ${round(d.mean)} / ${d.max}`;

function summary(d: Omit<GraphDescription, "toString">, p: GraphParts): string {
  const lines = [
    `Graph${d.name ? ` ${d.name}` : ""}: ${many(d.entities, "entity", "entities")} (${d.entitiesInTriples} in triples), ${many(d.triples, "triple")} (${d.distinctTriples} distinct), ${many(d.relations, "relation")}`,
  ];
  if (d.kinds.some((k) => k.kind !== ""))
    lines.push(`kinds: ${d.kinds.map((k) => `${k.kind || "none"} ${k.count}`).join(", ")}`);
  if (d.relations > 0) {
    const shown = d.relationCounts.slice(0, 10).map(({ relation, count }) => `${relation} ${count}`);
    lines.push(`relations: ${shown.join(", ")}${d.relations > 10 ? `, … (${d.relations})` : ""}`);
  }
  if (d.triples > 0) {
    lines.push(
      `degree (min / median / mean / max): out ${degreeText(d.outDegree)}, in ${degreeText(d.inDegree)}, both ${degreeText(d.degree)}`,
    );
    lines.push(
      `components: ${d.components} (largest ${d.largestComponent}); isolated ${d.isolated}, self loops ${d.selfLoops}, parallel edges ${d.parallelEdges}`,
    );
  }
  if (d.conditionalTriples > 0) lines.push(`triples with a condition: ${d.conditionalTriples}`);
  if (d.images > 0) lines.push(`images: ${d.images} of ${many(d.entitiesWithImages, "entity", "entities")}`);
  const noted = (word: string, { what, count, examples }: Notice) =>
    `${word}: ${what}: ${count} (${examples.join(", ")}${count > examples.length ? ", …" : ""})`;
  for (const notice of p.report.repaired) lines.push(noted("repaired", notice));
  for (const notice of p.report.notices) lines.push(noted("notice", notice));
  return lines.join("\n");
}
