import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Image, MkgError, quote, SetupError } from "../../core/index.js";
import type { Naming } from "./names.js";
import { clipAt, framesAt } from "./pictures.js";
import { foldersIn, isFolder, type Row, type Scope, type Sheet } from "./scope.js";

/** A row of Node.xlsx: by position name, picture, clip, human caption, further text. */
export interface NodeRow {
  readonly id: string;
  readonly monster: string;
  readonly images: readonly Image[];
  /** Path of the clip below the data set's folder; "" where there is none. */
  readonly video: string;
  readonly caption: string;
  readonly information: string;
  readonly source: Row;
}

/** A row of Relations.xlsx: by position head, relation, information, condition, tail. */
export interface RelationRow {
  readonly head: string;
  readonly relation: string;
  readonly information: string;
  readonly condition: string;
  readonly tail: string;
  readonly monster: string;
  readonly source: Row;
}

export interface MonsterSheets {
  readonly monster: string;
  readonly nodes: readonly NodeRow[];
  readonly relations: readonly RelationRow[];
}

const nodeFile = "Node.xlsx";
const relationFiles = ["Relations.xlsx", "Relation.xlsx"] as const;

interface MonsterFolder {
  readonly monster: string;
  readonly nodes: string;
  readonly relations: string;
}

/** The monsters' folders below `mmkg/`, sorted by code unit: those with both sheets. One with a single sheet is an error. */
export async function monsterFolders(scope: Scope): Promise<MonsterFolder[]> {
  const root = join(scope.root, "mmkg");
  const found: MonsterFolder[] = [];
  for (const monster of await foldersIn(scope.place, root)) {
    const nodes = join(root, monster, nodeFile);
    const [relations, other] = relationFiles
      .map((name) => join(root, monster, name))
      .filter((path) => existsSync(path));
    if (!existsSync(nodes) && relations === undefined) {
      scope.notices.add("folders without sheets: passed by", `mmkg/${monster}`);
      continue;
    }
    if (!existsSync(nodes) || relations === undefined)
      throw new SetupError(
        scope.place,
        `a file is missing in ${join(root, monster)} (${relations === undefined ? relationFiles[0] : nodeFile})`,
        `A monster's folder has ${nodeFile} and ${relationFiles.join(" or ")}`,
        "Add the file, or remove the folder to go without this monster",
      );
    if (other !== undefined) scope.notices.add("two sheets of relations: the second is not read", scope.short(other));
    found.push({ monster, nodes, relations });
  }
  return found;
}

/** Both sheets of one monster. A row that cannot be kept is an error or, where reading is lenient, refused; so is a picture, whose row stays. */
export async function readMonster(scope: Scope, naming: Naming, folder: MonsterFolder): Promise<MonsterSheets> {
  const { monster } = folder;
  const nodeSheet = await scope.sheet(folder.nodes);
  const relationSheet = await scope.sheet(folder.relations);
  checkSwapped(scope, nodeSheet, relationSheet);
  const nodes: NodeRow[] = [];
  const pictures = await isFolder(join(scope.root, "mmkg", monster, "Knowledge_Images"));
  for (const row of nodeSheet.rows) {
    noticeWide(scope, row);
    let read: Omit<NodeRow, "images" | "video"> | undefined;
    scope.intake.row("node rows", row.file, row.line, () => {
      read = nodeOf(naming, monster, row);
    });
    if (!read) continue;
    if (read.id.startsWith(`${monster} `) && naming.isMonster(read.id.slice(monster.length + 1)))
      scope.notices.add(
        "node rows that name another monster: an entity of their own, which relations do not point to",
        `${row.short}: ${read.id}`,
      );
    nodes.push({
      ...read,
      images: await picturesOf(scope, monster, row, pictures),
      video: await clipAt(scope, `mmkg/${monster}/Knowledge_Videos`, row.text(2), row),
    });
  }
  const relations: RelationRow[] = [];
  for (const row of relationSheet.rows) {
    noticeWide(scope, row);
    scope.intake.row("relation rows", row.file, row.line, () => relations.push(relationOf(naming, monster, row)));
  }
  return { monster, nodes, relations };
}

function nodeOf(naming: Naming, monster: string, row: Row): Omit<NodeRow, "images" | "video"> {
  const id = naming.node(monster, row.needed(0, "name"));
  return {
    id,
    monster,
    caption: row.text(3),
    information: row.text(4),
    source: row,
  };
}

function relationOf(naming: Naming, monster: string, row: Row): RelationRow {
  return {
    head: naming.end(monster, row.needed(0, "head")),
    relation: row.needed(1, "relation"),
    information: row.text(2),
    condition: row.text(3),
    tail: naming.end(monster, row.needed(4, "tail")),
    monster,
    source: row,
  };
}

async function picturesOf(scope: Scope, monster: string, row: Row, there: boolean): Promise<readonly Image[]> {
  const name = row.text(1);
  if (name === "") return [];
  if (!there) {
    scope.notices.add(
      "pictures of entities that are not there, nor is their folder Knowledge_Images: text only",
      row.short,
    );
    return [];
  }
  let images: readonly Image[] = [];
  await scope.intake.rowAsync("pictures of entities", row.file, row.line, async () => {
    images = await framesAt(
      scope,
      `mmkg/${monster}/Knowledge_Images/${name}`,
      `${row.where}, ${row.column(1, "picture")}`,
    );
  });
  return images;
}

const width = 5;

function noticeWide(scope: Scope, row: Row): void {
  if (row.length > width) scope.notices.add("rows with cells beyond the fifth column: those are not read", row.short);
}

/** The headers are known by position only, but one that names the other sheet's second column tells that the files were exchanged. */
function checkSwapped(scope: Scope, nodes: Sheet, relations: Sheet): void {
  const [a, b] = [nodes.header[1] ?? "", relations.header[1] ?? ""];
  if (/relation/i.test(a) || /image|picture/i.test(b))
    throw new MkgError(
      scope.place,
      `${nodes.path} and ${relations.path} seem to be exchanged (second columns ${quote(a)}, ${quote(b)})`,
      "Node.xlsx: name, picture, clip, caption, further text; Relations.xlsx: head, relation, information, condition, tail",
      "Rename the files",
    );
}
