import { ColumnTable } from "arquero";
import { byCodeUnit, MkgError, quote, type ScoreStatus, unknownName } from "../core/index.js";
import type { Scores } from "./types.js";

/** One question under one run, measure and part: the values of its seeds. */
export interface Cell {
  readonly question: string;
  readonly cluster: string;
  /** Values by seed; null where it has none. */
  readonly seeds: Map<string, number | null>;
  /** `failed` over `not-computed` over `undefined` over `ok`, of the seeds. */
  status: ScoreStatus;
}

/** The rows that share the values of the key columns: their cells by question. */
export interface Part {
  readonly key: readonly string[];
  /** The same as they stand in the rows, not made into text. */
  readonly values: readonly unknown[];
  readonly cells: ReadonlyMap<string, Cell>;
}

const severity: readonly ScoreStatus[] = ["ok", "undefined", "not-computed", "failed"];

/**
 * Groups score rows by the key columns, in order of first appearance, and by question within.
 * A question with a seed that is not ok has no value: averaging the other seeds would hide the failure.
 *
 * @param cluster Column of the unit of independence; null, or an empty value in it, makes each question its own.
 */
export function readParts(place: string, scores: Scores, keys: readonly string[], cluster: string | null): Part[] {
  const rows = columnsOf(place, scores);
  for (const name of ["question", "measure", "run", "value", ...keys]) need(place, rows, name);
  if (cluster !== null && !rows.names.includes(cluster)) {
    const error = unknownName(place, "cluster column", cluster, rows.names);
    throw new MkgError(
      place,
      error.problem,
      error.allowed,
      error.remedy || "Give cluster: null when the questions are independent",
    );
  }
  const optional = (name: string) => (rows.names.includes(name) ? rows.get(name) : undefined);
  const [question, value] = [rows.get("question"), rows.get("value")];
  const [seed, status] = [optional("seed"), optional("status")];
  const clusters = cluster === null ? undefined : rows.get(cluster);
  const keyed = keys.map((key) => rows.get(key));
  const parts = new Map<string, { key: string[]; values: unknown[]; cells: Map<string, Cell> }>();
  for (let i = 0; i < rows.length; i++) {
    const key = keyed.map((get) => String(get(i) ?? ""));
    const id = JSON.stringify(key);
    let part = parts.get(id);
    if (!part) {
      part = { key, values: keyed.map((get) => get(i)), cells: new Map() };
      parts.set(id, part);
    }
    const name = String(question(i));
    const named = clusters ? String(clusters(i) ?? "") : "";
    const unit = named === "" ? JSON.stringify(["question", name]) : JSON.stringify(["cluster", named]);
    let cell = part.cells.get(name);
    if (!cell) {
      cell = { question: name, cluster: unit, seeds: new Map(), status: "ok" };
      part.cells.set(name, cell);
    }
    if (cell.cluster !== unit)
      throw new MkgError(
        place,
        `question ${quote(name)} is in two clusters (${shown(cell.cluster)} and ${shown(unit)})`,
        "One value of the cluster column a question",
      );
    const run = String(seed?.(i) ?? 0);
    if (cell.seeds.has(run))
      throw new MkgError(
        place,
        `two values of question ${quote(name)}, seed ${run} for ${keys.map((k, at) => `${k} ${quote(key[at])}`).join(", ")}`,
        "One row a question and seed",
        "Remove the repeated rows, or add the column that tells them apart to `by`",
      );
    const state = statusOf(place, status?.(i), value(i), i);
    if (severity.indexOf(state) > severity.indexOf(cell.status)) cell.status = state;
    cell.seeds.set(run, state === "ok" ? (value(i) as number) : null);
  }
  return [...parts.values()];
}

function statusOf(place: string, given: unknown, value: unknown, row: number): ScoreStatus {
  const status = given ?? (value === null || value === undefined ? "not-computed" : "ok");
  if (!severity.includes(status as ScoreStatus)) throw unknownName(place, `status in row ${row + 1}`, status, severity);
  if (status === "ok" && !Number.isFinite(value))
    throw new MkgError(
      place,
      `row ${row + 1} has status ok and no finite value (${quote(value)})`,
      "A finite number, or another status",
      "Give the value as a number, or null with status not-computed",
    );
  return status as ScoreStatus;
}

interface Columns {
  readonly names: readonly string[];
  readonly length: number;
  get(name: string): (row: number) => unknown;
}

/** Also a table of another copy of Arquero. */
const isTable = (value: unknown): value is ColumnTable =>
  value instanceof ColumnTable || (typeof value === "object" && value !== null && "columnNames" in value);

function columnsOf(place: string, scores: Scores): Columns {
  if (isTable(scores)) {
    const table = scores;
    return {
      names: table.columnNames(),
      length: table.numRows(),
      get(name) {
        const values = table.array(name) as ArrayLike<unknown>;
        return (row) => values[row];
      },
    };
  }
  if (!Array.isArray(scores))
    throw new MkgError(
      place,
      `scores are neither a table nor rows (${quote(scores)})`,
      "What score returns, or an array of such rows",
    );
  scores.forEach((row: unknown, i) => {
    if (isTable(row))
      throw new MkgError(
        place,
        `element ${i} (from 0) of the rows is a table`,
        "One table, or an array of rows",
        "Join tables with a.concat(b)",
      );
    if (typeof row !== "object" || row === null)
      throw new MkgError(place, `element ${i} (from 0) of the rows is not a row (${quote(row)})`, "Objects");
  });
  const rows = scores as readonly Readonly<Record<string, unknown>>[];
  const names =
    rows.length === 0
      ? ["run", "question", "group", "cluster", "seed", "measure", "value", "status"]
      : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { names, length: rows.length, get: (name) => (row) => rows[row]?.[name] };
}

function need(place: string, rows: Columns, name: string): void {
  if (!rows.names.includes(name)) throw unknownName(place, "column", name, rows.names);
}

/** The measures asked for, each once, or all known ones. */
export function chosenMeasures(
  place: string,
  measures: readonly string[] | undefined,
  known: readonly string[],
): readonly string[] {
  if (measures === undefined) return [...new Set(known)];
  if (!Array.isArray(measures))
    throw new MkgError(place, `measures is not a list (${quote(measures)})`, "Names of measures of the rows");
  for (const measure of measures)
    if (!known.includes(measure)) throw unknownName(place, "measure", measure, new Set(known));
  return [...new Set(measures as readonly string[])];
}

/** Mean over its seeds, in code-unit order of theirs, or undefined when any of them has no value. */
export function valueOfCell(cell: Cell): number | undefined {
  if (cell.status !== "ok") return undefined;
  let sum = 0;
  for (const [, value] of [...cell.seeds].sort(([a], [b]) => byCodeUnit(a, b))) sum += value as number;
  return sum / cell.seeds.size;
}

/** A cluster's name as in the rows, for messages. */
export const shown = (cluster: string): string => {
  const [kind, name] = JSON.parse(cluster) as [string, string];
  return kind === "cluster" ? quote(name) : "none";
};

/** Cells in code-unit order of their questions, so that sums do not depend on the order of rows. */
export const inOrder = (cells: ReadonlyMap<string, Cell>): Cell[] =>
  [...cells.values()].sort((x, y) => byCodeUnit(x.question, y.question));
