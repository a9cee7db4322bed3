import { join } from "node:path";
import { type ColumnTable, table } from "arquero";
import { MkgError, positiveInteger, refuseUnknown, stableStringify, unknownName } from "../core/index.js";
import { type Dataset, splitOf } from "../datasets/index.js";
import { measureNeeds, score } from "../evaluate/index.js";
import { interval } from "../stats/index.js";
import { execute, replay } from "./execute.js";
import { partsOf } from "./jobs.js";
import { saveReport } from "./report.js";
import { type Cell, type Plan, plan, type StudySpec } from "./spec.js";
import { compareCells, withinRange } from "./statistics.js";
import { Store } from "./store.js";
import type { Study } from "./types.js";

const rowColumns = ["run", "question", "group", "cluster", "seed", "measure", "value", "status"] as const;
const answerColumns = ["run", "question", "seed", "text", "status", "stop", "correct"] as const;
type Columns = Record<string, unknown[]>;
const emptyColumns = (names: readonly string[]): Columns => Object.fromEntries(names.map((name) => [name, []]));

/** What a run of a study left: rows, answers, and what the evidence cost. */
interface Results {
  /** The split that was run. */
  readonly dataset: Dataset;
  readonly rows: ColumnTable;
  readonly answers: ColumnTable;
  /** Sums of `evidence.spend` by run. */
  readonly spend: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

/**
 * A base configuration, differences, controls and seeds over one data set.
 *
 * Cells come from `vary` by `design`; results are stored under `dir` by configuration, so that a second call reuses
 * them and an interrupted one goes on. Every specification error is thrown here, before anything runs.
 *
 * @example
 * const s = study({ dataset, base: { retriever: "walk", reader: "extractive" }, vary: { pathCount: [1, 3] } });
 * await s.run();
 * s.table().print();
 */
export function study(spec: StudySpec): Study {
  const planned = plan(spec);
  const dir = spec.dir ?? join("runs", "study");
  let results: Results | undefined;
  const done = (): Results => {
    if (!results) throw new MkgError("study", "it has not been run", "", "Await study.run() first");
    return results;
  };
  const cells = new Map(planned.cells.map((cell) => [cell.label, cell]));
  if (cells.size !== planned.cells.length)
    throw new MkgError(
      "study",
      "two cells have the same label",
      "Distinct labels",
      "Give functions different names, or use defineRetriever",
    );
  const self: Study = {
    spec,
    plan: planned,
    dir,
    async run(options = {}) {
      refuseUnknown("study.run", options, ["signal", "onProgress", "concurrency"], "option");
      if (options.concurrency !== undefined) positiveInteger("study.run", "concurrency", options.concurrency);
      const dataset = await splitOf("study", spec.dataset, spec.split);
      const store = await Store.open(dir);
      try {
        results = await collect(dataset, planned, store, { ...options, folders: spec.folders });
      } finally {
        await store.close();
      }
      return self;
    },
    get dataset() {
      return done().dataset;
    },
    get rows() {
      return done().rows;
    },
    get answers() {
      return done().answers;
    },
    get spend() {
      return done().spend;
    },
    table: () => withCells(withinRange(interval(done().rows, { by: ["run", "measure"] })), "run", cells),
    compare: (options = {}) => {
      refuseUnknown("study.compare", options, ["correction", "seed"], "option");
      const { correction = "holm", seed = 0 } = options;
      if (correction !== "holm" && correction !== "none")
        throw unknownName("study.compare", "correction", correction, ["holm", "none"]);
      return withCells(compareCells(done().rows, planned, { correction, seed }), "b", cells);
    },
    report: (options = {}) => saveReport(self, options),
    failures: (run = "base") => {
      return failures(done(), cellOf(cells, run));
    },
    async replay(run, questionId, seed = planned.seeds[0] as number) {
      const cell = cellOf(cells, run);
      const dataset = await splitOf("study", spec.dataset, spec.split);
      return replay(dataset, cell, questionId, seed, spec.folders);
    },
  };
  return Object.freeze(self);
}

const cellOf = (cells: ReadonlyMap<string, Cell>, run: string): Cell => {
  const cell = cells.get(run);
  if (!cell) throw unknownName("study", "run", run, cells.keys());
  return cell;
};

async function collect(
  dataset: Dataset,
  planned: Plan,
  store: Store,
  options: Parameters<typeof execute>[4],
): Promise<Results> {
  const scored = new Map<string, { rows: Columns; answers: Columns }>();
  const spend = new Map<string, Record<string, number>>();
  const answerable = planned.measures.includes("EM");
  await execute(
    dataset,
    planned,
    store,
    async (cell, run) => {
      const usesEvidence = partsOf(cell).usesEvidence;
      const rows = emptyColumns(rowColumns);
      const computable = planned.measures.filter((name) => usesEvidence || measureNeeds(name) === "answer");
      if (computable.length > 0) appendTable(rows, await score(run, dataset, computable), rowColumns);
      const questions = new Map(dataset.questions.map((q) => [q.id, q]));
      // a control without retrieval has no ranking to measure: said so, row by row, never 0
      for (const measure of planned.measures.filter((name) => !computable.includes(name)))
        for (const item of run.items) {
          const { group, cluster } = questions.get(item.question) as Dataset["questions"][number];
          appendRow(rows, {
            run: cell.label,
            question: item.id,
            group,
            cluster,
            seed: run.seed,
            measure,
            value: null,
            status: "not-computed",
          });
        }
      const correct = new Map<string, unknown>();
      if (answerable)
        rows.measure?.forEach((measure, i) => {
          if (measure === "EM") correct.set(rows.question?.[i] as string, rows.value?.[i]);
        });
      const answers = emptyColumns(answerColumns);
      for (const item of run.items) {
        const said = item.answer;
        appendRow(answers, {
          run: cell.label,
          question: item.id,
          seed: run.seed,
          text: said?.text ?? null,
          status: said?.status ?? (item.error ? "failed" : "none"),
          stop: said?.stop ?? item.error ?? "",
          correct: correct.get(item.id) ?? null,
        });
        const sums = spend.get(cell.label) ?? {};
        for (const [kind, amount] of Object.entries(item.evidence?.spend ?? {}))
          sums[kind] = (sums[kind] ?? 0) + amount;
        spend.set(cell.label, sums);
      }
      scored.set(stableStringify([cell.label, run.seed]), { rows, answers });
    },
    options,
  );
  // in the plan's order, whatever order the cells were run in
  const rows = emptyColumns([...rowColumns]);
  const answers = emptyColumns(answerColumns);
  for (const cell of planned.cells)
    for (const seed of planned.seeds) {
      const part = scored.get(stableStringify([cell.label, seed]));
      if (!part) throw new MkgError("study", `a cell left no result (${cell.label}, seed ${seed})`);
      for (const name of rowColumns) appendAll(rows[name] as unknown[], part.rows[name] as unknown[]);
      for (const name of answerColumns) appendAll(answers[name] as unknown[], part.answers[name] as unknown[]);
    }
  return {
    dataset,
    rows: withCells(table(rows), "run", new Map(planned.cells.map((c) => [c.label, c]))),
    answers: table(answers),
    spend,
  };
}

const appendAll = (to: unknown[], from: readonly unknown[]): void => {
  for (const value of from) to.push(value);
};
const appendRow = (columns: Columns, row: Readonly<Record<string, unknown>>): void => {
  for (const [name, list] of Object.entries(columns)) list.push(row[name]);
};
const appendTable = (columns: Columns, from: ColumnTable, names: readonly string[]): void => {
  for (const name of names) appendAll(columns[name] as unknown[], Array.from(from.array(name)));
};

/** The table with the cell's factor, level, baseline and crossed factors beside each row. */
function withCells(from: ColumnTable, runColumn: string, cells: ReadonlyMap<string, Cell>): ColumnTable {
  const runs = from.array(runColumn) as readonly string[];
  const of = <T>(pick: (cell: Cell) => T): T[] => Array.from(runs, (run) => pick(cells.get(run) as Cell));
  const names = [...new Set([...cells.values()].flatMap((cell) => Object.keys(cell.crossed)))];
  return from.assign(
    table({
      factor: of((cell) => cell.factor),
      level: of((cell) => cell.level),
      baseline: of((cell) => cell.baseline),
      ...Object.fromEntries(names.map((name) => [name, of((cell) => cell.crossed[name] ?? "")])),
    }),
  );
}

function failures({ dataset, answers }: Results, { label, options }: Cell): ColumnTable {
  const byId = new Map(dataset.setting(options.setting as never).questions.map(({ id, question }) => [id, question]));
  const out = emptyColumns(["question", "seed", "group", "text", "answer", "status", "accepted"]);
  for (const row of answers.objects() as {
    run: string;
    question: string;
    seed: number;
    text: string | null;
    status: string;
    correct: number | null;
  }[]) {
    if (row.run !== label || row.correct === 1) continue;
    const question = byId.get(row.question);
    appendRow(out, {
      question: row.question,
      seed: row.seed,
      group: question?.group ?? "",
      text: question?.text ?? "",
      answer: row.text,
      status: row.status,
      accepted: question?.answers.join(" | ") ?? "",
    });
  }
  return table(out);
}
