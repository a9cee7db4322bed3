import { byCodeUnit } from "../core/index.js";
import type { GraphParts } from "./build.js";

/** Counts of a graph; `toString()` is a summary of some lines to read. */
export interface GraphDescription {
  readonly name: string;
  readonly entities: number;
  readonly triples: number;
  readonly relations: number;
  /** Entities that stand in at least one triple. */
  readonly entitiesInTriples: number;
  readonly distinctLabels: number;
  /** Triples that differ in head, relation, tail or condition. */
  readonly distinctTriples: number;
  readonly conditionalTriples: number;
  readonly entitiesWithImages: number;
  readonly images: number;
  /** Largest number of edges at one entity, both ways. */
  readonly maxDegree: number;
  /** Entities by kind, "" for those without one; most frequent first, then by name. */
  readonly kinds: readonly { readonly kind: string; readonly count: number }[];
  toString(): string;
}

export function describe(name: string, p: GraphParts): GraphDescription {
  const kinds = new Map<string, number>();
  let entitiesInTriples = 0;
  let maxDegree = 0;
  for (let e = 0; e < p.ids.length; e++) {
    kinds.set(p.kinds[e]!, (kinds.get(p.kinds[e]!) ?? 0) + 1);
    const degree = p.out.start[e + 1]! - p.out.start[e]! + p.in.start[e + 1]! - p.in.start[e]!;
    if (degree > 0) entitiesInTriples++;
    if (degree > maxDegree) maxDegree = degree;
  }
  const counts = {
    name,
    entities: p.ids.length,
    triples: p.tripleIds.length,
    relations: p.relations.length,
    entitiesInTriples,
    distinctLabels: new Set(p.labels).size,
    distinctTriples: p.tripleIds.length - (p.report.notices.find((n) => n.what === "duplicate triples")?.count ?? 0),
    conditionalTriples: p.conditions.reduce((n, condition) => n + (condition === "" ? 0 : 1), 0),
    entitiesWithImages: p.images.reduce((n, images) => n + (images.length > 0 ? 1 : 0), 0),
    images: p.images.reduce((n, images) => n + images.length, 0),
    maxDegree,
    kinds: [...kinds]
      .map(([kind, count]) => ({ kind, count }))
      .sort((a, b) => b.count - a.count || byCodeUnit(a.kind, b.kind)),
  };
  return { ...counts, toString: () => summary(counts, p) };
}

function summary(d: Omit<GraphDescription, "toString">, p: GraphParts): string {
  const lines = [
    `Graph${d.name ? ` ${d.name}` : ""}: ${d.entities} entities (${d.entitiesInTriples} in triples), ${d.triples} triples (${d.distinctTriples} distinct), ${d.relations} relations`,
  ];
  if (d.kinds.some((k) => k.kind !== ""))
    lines.push(`kinds: ${d.kinds.map((k) => `${k.kind || "none"} ${k.count}`).join(", ")}`);
  if (d.conditionalTriples > 0) lines.push(`triples with a condition: ${d.conditionalTriples}`);
  if (d.images > 0) lines.push(`images: ${d.images} of ${d.entitiesWithImages} entities`);
  for (const n of p.report.notices)
    lines.push(`notice: ${n.what}: ${n.count} (${n.examples.join(", ")}${n.count > n.examples.length ? ", …" : ""})`);
  return lines.join("\n");
}
