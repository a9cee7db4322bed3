import { stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { MkgError, namesIn, quote } from "../../core/index.js";
import { Noticing, readSheet } from "../../graph/index.js";

import { Intake } from "../intake.js";
import type { Merge } from "./options.js";

/** Texts that pandas takes for an empty cell, and so the released code. */
// biome-ignore format: a list of words
const pandasBlank: ReadonlySet<string> = new Set([
  "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
]);

/** What loading one data set goes through with: where, how, and the account of what was seen. */
export class Scope {
  readonly place = "dataset mh-mmkg";
  readonly intake: Intake;
  readonly repaired = new Noticing();
  readonly notices = new Noticing();
  constructor(
    readonly root: string,
    readonly merge: Merge,
    readonly lenient: boolean,
  ) {
    this.intake = new Intake(this.place, lenient);
  }

  /** Leaves a row out that was kept before. */
  leaveOut(table: string, file: string, line: number, reason: string): void {
    this.intake.kept[table] = (this.intake.kept[table] ?? 0) - 1;
    this.intake.refused.push({ file, line, reason });
  }

  /** The first sheet of a workbook: its header row and the rows below. */
  async sheet(path: string): Promise<Sheet> {
    const { sheet, rows, repaired, notices } = await readSheet(path, { place: this.place });
    this.repaired.merge(repaired.map((n) => located(n, this.short(path))));
    this.notices.merge(notices.map((n) => located(n, this.short(path))));
    const [top, ...below] = rows;
    if (!top)
      throw new MkgError(this.place, `${path}, sheet ${quote(sheet)}: the sheet is empty`, "A header row, then data");
    const header = top.cells;
    return {
      path,
      sheet,
      header,
      rows: below.map(({ row, cells }) => new Row(this, path, sheet, row, cells)),
    };
  }

  /** A path as notices show it: below the data set's folder, so that a card reads the same on every machine. */
  short(path: string): string {
    return relative(this.root, path).replaceAll("\\", "/");
  }

  /** Whether a cell that holds this text counts as blank. */
  isBlank(text: string): boolean {
    return text === "" || (this.merge === "as-released" && pandasBlank.has(text));
  }

  saysNone(text: string): boolean {
    return pandasBlank.has(text);
  }
}

const located = <N extends { readonly examples: readonly string[] }>(notice: N, path: string): N => ({
  ...notice,
  examples: notice.examples.map((example) => `${path}: ${example}`),
});

export interface Sheet {
  readonly path: string;
  readonly sheet: string;
  readonly header: readonly (string | null)[];
  readonly rows: readonly Row[];
}

/** One row of a sheet; cells by position from 0. */
export class Row {
  constructor(
    private readonly scope: Scope,
    readonly file: string,
    readonly sheet: string,
    readonly line: number,
    private readonly cells: readonly (string | null)[],
  ) {}

  get length(): number {
    return this.cells.length;
  }

  /** Where the row stands, as the place of its errors. */
  get where(): string {
    return `${this.scope.place}: ${this.file}, sheet ${quote(this.sheet)}, row ${this.line}`;
  }

  /** The row as notices show it. */
  get short(): string {
    return `${this.scope.short(this.file)}, row ${this.line}`;
  }

  /** Column as errors name it: its letter and meaning. */
  column(at: number, meaning: string): string {
    return `column ${letters(at)} (${meaning})`;
  }

  /** The text of a cell as it stands; "" when blank. */
  text(at: number): string {
    const text = this.cells[at] ?? "";
    if (this.scope.isBlank(text)) return "";
    if (this.scope.saysNone(text))
      this.scope.notices.add(
        "cells with a text such as None or nan: kept as it stands, where the released code sees a blank cell",
        `${this.short}: ${text}`,
      );
    return text;
  }

  /** The text of a cell that must hold one. */
  needed(at: number, meaning: string, remedy = "Fill it in or remove the row"): string {
    const text = this.text(at);
    if (text.trim() === "") throw new MkgError(this.where, `${this.column(at, meaning)}: blank`, "", remedy);
    return text;
  }
}

/** A column's name in a workbook: A to Z, then AA. */
const letters = (at: number): string =>
  (at < 26 ? "" : letters(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26));

/** Names of the folders in a folder, sorted by code unit; links to folders are such. */
export async function foldersIn(place: string, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await namesIn(place, path)) if (await isFolder(join(path, name))) found.push(name);
  return found;
}

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
