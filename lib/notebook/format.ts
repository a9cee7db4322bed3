import { MkgError, quote, readText } from "../core/index.js";

/** One output of a code cell, as nbformat 4.5 holds it. */
export type CellOutput =
  | { readonly output_type: "stream"; readonly name: "stdout" | "stderr"; readonly text: readonly string[] }
  | {
      readonly output_type: "display_data" | "execute_result";
      readonly data: Readonly<Record<string, unknown>>;
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly execution_count?: number;
    }
  | {
      readonly output_type: "error";
      readonly ename: string;
      readonly evalue: string;
      readonly traceback: readonly string[];
    };

/** One cell of a notebook file; what is not named here is kept as it stands. */
export interface NotebookCell {
  readonly id?: string;
  readonly cell_type: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly source: string | readonly string[];
  readonly outputs?: readonly CellOutput[];
  readonly execution_count?: number | null;
}

export interface NotebookFile {
  readonly nbformat: number;
  readonly nbformat_minor: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly cells: readonly NotebookCell[];
}

export const sourceText = (cell: NotebookCell): string =>
  typeof cell.source === "string" ? cell.source : cell.source.join("");

export const hasTag = (cell: NotebookCell, tag: string): boolean =>
  Array.isArray(cell.metadata.tags) && cell.metadata.tags.includes(tag);

/** Lines with their line ends, as nbformat stores text: a change of one line is a change of one line in the file. */
export const textLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads a notebook file of nbformat 4 and checks the shape of its cells. Cells without an id get `cell-N`, which
 * nbformat 4.5 wants.
 */
export async function readNotebook(path: string): Promise<NotebookFile> {
  const place = "runNotebook";
  const text = await readText(path, { place });
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw new MkgError(place, `not a notebook (${path}: ${(error as Error).message})`, "A JSON file of nbformat 4");
  }
  if (!isRecord(file) || file.nbformat !== 4 || !Array.isArray(file.cells))
    throw new MkgError(
      place,
      `not a notebook of nbformat 4 (${path})`,
      "A JSON object with nbformat 4 and a list of cells",
      "Open it in JupyterLab and save it, which updates the format",
    );
  const used = new Set(file.cells.map((cell) => (isRecord(cell) ? cell.id : undefined)));
  const cells = file.cells.map((cell: unknown, i): NotebookCell => {
    const ok =
      isRecord(cell) &&
      typeof cell.cell_type === "string" &&
      (typeof cell.source === "string" ||
        (Array.isArray(cell.source) && cell.source.every((line) => typeof line === "string")));
    if (!ok) throw new MkgError(place, `${path}, cell ${i + 1}: no cell_type or no source`, "A cell of nbformat 4");
    const metadata = isRecord(cell.metadata) ? cell.metadata : {};
    if (typeof cell.id === "string") return { ...cell, metadata } as unknown as NotebookCell;
    let id = `cell-${i + 1}`;
    while (used.has(id)) id += "-x";
    used.add(id);
    return { id, ...cell, metadata } as unknown as NotebookCell;
  });
  return {
    ...file,
    cells,
    nbformat: 4,
    nbformat_minor: Math.max(5, Number(file.nbformat_minor) || 0),
    metadata: isRecord(file.metadata) ? file.metadata : {},
  };
}

/** The language of a notebook's kernel, when it is one that tslab runs. */
export function notebookLanguage(path: string, file: NotebookFile): "typescript" | "javascript" {
  const { kernelspec, language_info: info } = file.metadata;
  const language = (isRecord(kernelspec) && kernelspec.language) || (isRecord(info) && info.name) || "typescript";
  if (language !== "typescript" && language !== "javascript")
    throw new MkgError(
      "runNotebook",
      `${path}: the notebook's language is ${quote(language)}`,
      "typescript or javascript",
    );
  return language;
}

/**
 * The notebook with one more code cell after the one tagged `parameters`: `name = value;` for each parameter. They are
 * assignments, so that the kernel's type check refuses a name that is not declared there and a value of another type.
 * A cell of an earlier injection is replaced.
 */
export function injectParameters(
  path: string,
  file: NotebookFile,
  parameters: Readonly<Record<string, unknown>>,
): NotebookFile {
  const names = Object.keys(parameters);
  if (names.length === 0) return file;
  const place = "runNotebook";
  const cells = file.cells.filter((cell) => !hasTag(cell, "injected-parameters"));
  const at = cells.findIndex((cell) => cell.cell_type === "code" && hasTag(cell, "parameters"));
  if (at < 0)
    throw new MkgError(
      place,
      `${path} takes no parameters (${names.join(", ")})`,
      "A code cell tagged `parameters` declares them with `let`",
      "Tag such a cell, or run without parameters",
    );
  const lines = names.map((name) => {
    if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name))
      throw new MkgError(place, `not a variable name (${quote(name)})`, "Letters, digits, _ and $");
    return `${name} = ${literal(name, parameters[name])};`;
  });
  const injected: NotebookCell = {
    id: "injected-parameters",
    cell_type: "code",
    execution_count: null,
    metadata: { tags: ["injected-parameters"] },
    outputs: [],
    source: textLines(lines.join("\n")),
  };
  return { ...file, cells: [...cells.slice(0, at + 1), injected, ...cells.slice(at + 1)] };
}

function literal(name: string, value: unknown): string {
  const text = typeof value === "number" && !Number.isFinite(value) ? undefined : JSON.stringify(value);
  if (text === undefined)
    throw new MkgError("runNotebook", `parameter ${name} is not a JSON value (${quote(value)})`, "JSON values");
  return text;
}
