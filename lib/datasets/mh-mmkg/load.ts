import { existsSync } from "node:fs";
import { join } from "node:path";
import { MkgError, SetupError } from "../../core/index.js";
import { defineDataset } from "../define.js";
import type { Dataset } from "../types.js";
import { offlineCaptions } from "./captions.js";
import { cardOf } from "./card.js";
import { goldRoutesGraph, sheetGraph } from "./graph.js";
import { Naming, releasedMonsters } from "./names.js";
import type { MhMmkgOptions } from "./options.js";
import { readQuestionList } from "./question-list.js";
import { questionId, questionsOf, visibleMeta } from "./questions.js";
import { Scope } from "./scope.js";
import { monsterFolders } from "./sheets.js";

const listName = "question_list.xlsx";

/**
 * MH-MMKG (arXiv 2506.17589): questions about battle scenes, each with gold routes through a multimodal graph of monsters, from the folder `mh-mmkg` below the
 * data root, in the released layout:
 *
 * | path | |
 * |---|---|
 * | `questions_mh/question_list.xlsx`, or `question_list.xlsx` | required: the questions, columns by name |
 * | `questions_mh/<File>/<Image>` | a question's picture, or a folder of its key frames |
 * | `questions_mh/question_offline_<model>.json` | File → caption by a model |
 * | `mmkg/<Monster>/Node.xlsx`, `Relations.xlsx` | a monster's part of the graph, columns by position |
 * | `mmkg/<Monster>/Knowledge_Images/<name>` | an entity's picture, or a folder of its key frames |
 * | `mmkg/kg_offline_<model>.json` | entity → caption by a model |
 *
 * Without sheets of monsters the graph is the one that the gold routes imply, and `card.upperBound` says so. Without the folders of pictures the
 * questions go on with their text; `card.notices` counts them. Where the folders are there, a picture that is missing is an error.
 *
 * Question ids are `row` and the row in the sheet; group is the sub-task, cluster the monster. Queries show as `meta`: `monster` and `hint` where `useName`
 * and `useHint` have them in the text, and `perception`, the caption of the battle screen that `questionCaptions` asks for. Human captions
 * stand in `question.meta.caption`, which no query shows. An entity has its human or model caption as description, and the attributes
 * `additionalInformation` and `video`; a triple `information`, `monster` and `sheetRow`.
 *
 * Monsters, for the naming rule, are the 22 released ones, the folders of `mmkg/`, and those that questions are about.
 *
 * Departures from the released code (commit fd8ebce). Avoided by `merge: "as-released"`: entities and questions that a model's file of captions leaves out
 * have none, instead of the human one; cells that say None, nan and the like are text. In any case: frames come in natural order of their
 * names and folders in code-unit order, there in that of the file system; without `useName` hints do not name the monster; the first sentence is worded anew.
 * As released, gold routes that lost an edge to another monster are left out of the gold and listed in `card.refused`, so that recall does not count them.
 *
 * Cost: O(rows), and a look-up of each picture's file; no picture is read.
 *
 * @throws SetupError without the folder, the question list or a monster's second sheet; MkgError for a row that cannot be kept (not where
 * `lenient`), with file, sheet, row and column, and for a file that is not what it should be.
 * @example
 * const dataset = await loadDataset("mh-mmkg", { questionCaptions: "human" });
 * dataset.questions[0]?.gold?.paths;   // [["Zinogre", "Zinogre Charging Phase", "Zinogre Thunder Charge B"]]
 */
export async function loadMhMmkg(options: MhMmkgOptions): Promise<Dataset> {
  const root = join(options.dir, "mh-mmkg");
  const scope = new Scope(root, options.merge, options.lenient);
  const list = [join(root, "questions_mh", listName), join(root, listName)].find((path) => existsSync(path));
  if (list === undefined)
    throw new SetupError(
      scope.place,
      existsSync(root)
        ? `there is no ${listName} in ${root}, nor in questions_mh below it`
        : `there is no folder ${root}`,
      `It needs ${listName}; the graph (mmkg/) and pictures (questions_mh/) where you have them`,
      "Run `mkglab data fetch mh-mmkg`, or take them from https://github.com/wbw520/MH-MMKG (no licence stated: for your own use). Another data root is given by the option dir or, on the command line, by MKGLAB_DATA",
    );
  const rows = await readQuestionList(scope, list);
  if (rows.length === 0) throw scope.intake.nothing(`no questions in ${list}`, "At least one row below the header");
  const folders = await monsterFolders(scope);
  const naming = new Naming(
    new Set([...releasedMonsters, ...folders.map(({ monster }) => monster), ...rows.map(({ monster }) => monster)]),
  );
  const upperBound = folders.length === 0;
  if (upperBound && (options.merge !== "union" || options.captions !== "human"))
    throw new MkgError(
      scope.place,
      `the options merge and captions shape the graph of the monsters, and there is none in ${join(root, "mmkg")}`,
      "The gold-routes graph has neither sheets to merge nor captions",
      "Leave both options out, or put the released folder mmkg/ there",
    );
  const made = upperBound ? goldRoutesGraph(naming, rows) : await sheetGraph(scope, naming, folders, options);
  const captions = await offlineCaptions(
    scope,
    "questionCaptions",
    join(root, "questions_mh"),
    "question_offline_",
    options.questionCaptions,
  );
  const questions = questionsOf(scope, naming, made.graph, rows, options, captions);
  const asked = new Set(questions.map(({ id }) => id));
  const judged = rows.filter((row) => asked.has(questionId(row)));
  return defineDataset({
    name: "mh-mmkg",
    graph: made.graph,
    questions,
    sourceOf: (i) => ({ file: list, line: questions[i]?.meta?.row as number }),
    lenient: options.lenient,
    visibleMeta: visibleMeta(options),
    clusterName: "monster",
    licence: "not stated, for your own use only",
    citation: "MH-MMKG, ICCV 2025, arXiv 2506.17589",
    card: cardOf(scope, naming, options, made, judged, questions),
  });
}
