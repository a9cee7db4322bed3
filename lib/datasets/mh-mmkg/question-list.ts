import { join } from "node:path";
import { type Image, MkgError, quote } from "../../core/index.js";
import { clipAt, framesAt } from "./pictures.js";
import { isFolder, type Row, type Scope } from "./scope.js";

/** Columns of question_list.xlsx, which are found by name. */
const columns = [
  "File",
  "Video",
  "Image",
  "Question",
  "Monster Name",
  "Extra Information",
  "Perception",
  "Search Route",
  "Answer",
  "Type",
] as const;
type ColumnName = (typeof columns)[number];

/** The sheet's Type, which is the paper's sub-task less one. */
export const subTasks = [
  "I individual information",
  "II attack recognition",
  "III combo premonition",
  "IV condition awareness",
  "V proc effect insight",
  "VI cross-monster analysis",
] as const;

/** A row of question_list.xlsx as it stands. */
export interface QuestionRow {
  readonly source: Row;
  readonly file: string;
  /** Without battle screen: the File says so. */
  readonly textOnly: boolean;
  readonly images: readonly Image[];
  /** Path of the clip below the data set's folder; "" where there is none. */
  readonly video: string;
  readonly question: string;
  readonly monster: string;
  readonly hint: string;
  /** Human caption of the battle screen; "" for text-only questions. */
  readonly caption: string;
  /** Names of the nodes of each gold route, as they stand. */
  readonly routes: readonly (readonly string[])[];
  readonly answer: string;
  /** 0 to 5. */
  readonly type: number;
}

/** The rows of the question list, each with its pictures where their folder is there. */
export async function readQuestionList(scope: Scope, path: string): Promise<QuestionRow[]> {
  const sheet = await scope.sheet(path);
  const at = positions(scope, path, sheet.header);
  const pictures = await isFolder(join(scope.root, "questions_mh"));
  const found: QuestionRow[] = [];
  const read = async (row: Row) => {
    const cells = questionOf(row, at);
    const images = await imagesOf(scope, row, at, cells, pictures);
    const video = await clipAt(scope, `questions_mh/${cells.file}`, row.text(at.Video), row);
    found.push({ ...cells, images, video });
  };
  for (const row of sheet.rows) await scope.intake.rowAsync("questions", row.file, row.line, () => read(row));
  return found;
}

function positions(
  scope: Scope,
  path: string,
  header: readonly (string | null)[],
): Readonly<Record<ColumnName, number>> {
  const names = header.map((name) => name ?? "");
  const found = columns.map((name) => {
    const at = names.indexOf(name);
    if (at < 0)
      throw new MkgError(
        scope.place,
        `${path}: there is no column ${quote(name)} (${names.join(", ")})`,
        `Columns: ${columns.join(", ")}`,
        "Use the question list as published",
      );
    if (names.includes(name, at + 1)) throw new MkgError(scope.place, `${path}: two columns are called ${quote(name)}`);
    return [name, at] as const;
  });
  for (const name of names)
    if (name !== "" && !columns.includes(name as ColumnName))
      scope.notices.add("columns of the question list that are not known: not read", name);
  return Object.fromEntries(found) as Record<ColumnName, number>;
}

function questionOf(row: Row, at: Readonly<Record<ColumnName, number>>): Omit<QuestionRow, "images" | "video"> {
  const needed = (name: ColumnName) => row.needed(at[name], name);
  const file = needed("File");
  const textOnly = file.includes("Pure Text");
  const type = needed("Type");
  if (!/^[0-5]$/.test(type))
    throw new MkgError(
      row.where,
      `${row.column(at.Type, "Type")} is not a sub-task (${quote(type)})`,
      `0 to 5: ${subTasks.join(", ")}`,
    );
  return {
    source: row,
    file,
    textOnly,
    question: needed("Question"),
    monster: needed("Monster Name"),
    hint: row.text(at["Extra Information"]),
    caption: textOnly ? "" : row.text(at.Perception),
    routes: routesOf(row, at["Search Route"], needed("Search Route")),
    answer: needed("Answer"),
    type: Number(type),
  };
}

function routesOf(row: Row, column: number, text: string): string[][] {
  return text.split(";").map((route, i) => {
    const nodes = route.split(">");
    if (nodes.some((node) => node.trim() === ""))
      throw new MkgError(
        row.where,
        `${row.column(column, "Search Route")}: route ${i + 1} has an empty node (${quote(route)})`,
        "Routes with ; between, their nodes with > between",
        "Mend the cell",
      );
    return nodes;
  });
}

async function imagesOf(
  scope: Scope,
  row: Row,
  at: Readonly<Record<ColumnName, number>>,
  { file, textOnly }: Omit<QuestionRow, "images" | "video">,
  there: boolean,
): Promise<readonly Image[]> {
  const name = row.text(at.Image);
  if (textOnly) {
    if (name !== "") scope.notices.add("text-only questions that name a picture: it is not shown", row.short);
    return [];
  }
  if (name === "")
    throw new MkgError(
      row.where,
      `${row.column(at.Image, "Image")}: blank, and ${quote(file)} is not a text-only question`,
      "A picture or a folder of frames; none where File says Pure Text",
      "Fill it in or remove the row",
    );
  if (!there) {
    scope.notices.add(
      "pictures of questions that are not there, nor is their folder questions_mh: text only",
      row.short,
    );
    return [];
  }
  return framesAt(scope, `questions_mh/${file}/${name}`, `${row.where}, ${row.column(at.Image, "Image")}`);
}
