import { MkgError, quote, type Score } from "../core/index.js";
import { readTable } from "../graph/index.js";
import type { Scores } from "../stats/index.js";

const statuses = ["ok", "not-computed", "undefined", "failed"];

/** Long score rows from a JSONL, JSON, CSV or TSV file, values as numbers; a wrong row is an error that names it. */
export async function readScores(path: string): Promise<Exclude<Scores, { objects: unknown }>> {
  const place = "mkglab compare";
  const table = await readTable(path);
  const names = table.columnNames();
  for (const name of ["run", "question", "measure", "value"])
    if (!names.includes(name))
      throw new MkgError(
        place,
        `${path}: no column ${name}`,
        `Columns found: ${names.join(", ")}`,
        "Score rows have run, question, measure, value, and may have group, cluster, seed, status",
      );
  return (table.objects() as Record<string, unknown>[]).map((row, i) => {
    const blank = row.value === null || row.value === undefined || row.value === "";
    const value = blank ? null : Number(row.value);
    const wrong = (what: string, allowed: string) =>
      new MkgError(place, `${path}, row ${i + 1}: ${what}`, allowed, "Mend that row");
    if (value !== null && !Number.isFinite(value))
      throw wrong(`value is not a number (${quote(row.value)})`, "A number, or empty with a status");
    const status = row.status === undefined || row.status === "" ? (blank ? "not-computed" : "ok") : String(row.status);
    if (!statuses.includes(status))
      throw wrong(`unknown status (${quote(row.status)})`, `One of ${statuses.join(", ")}`);
    return {
      ...row,
      run: String(row.run),
      question: String(row.question),
      measure: String(row.measure),
      value,
      status,
    } as unknown as Score & Record<string, unknown>;
  });
}
