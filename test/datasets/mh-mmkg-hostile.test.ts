import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MkgError, SetupError } from "../../lib/core/index.js";
import { type Dataset, loadDataset } from "../../lib/datasets/index.js";
import { Row, type Scope } from "../../lib/datasets/mh-mmkg/scope.js";
import { type Files, makeMhMmkg, sheets } from "../fixtures/make-mh-mmkg.js";

const test = suite<{ dir: string }>("mh-mmkg, hostile folders");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const root = (dir: string) => join(dir, "mh-mmkg");
const list = "questions_mh/question_list.xlsx";
type Sheet = keyof typeof sheets;
type Cell = string | number | null;

/** A sheet of the fixture with some cells replaced: row of the sheet → column letter → cell. */
const edited = (name: Sheet, cells: Record<number, Record<string, Cell>>): Files => {
  const rows: Cell[][] = sheets[name].map((row) => [...row]);
  for (const [row, columns] of Object.entries(cells))
    for (const [letter, value] of Object.entries(columns)) rows[Number(row) - 1]![letter.charCodeAt(0) - 65] = value;
  return { [name]: rows };
};

async function load(dir: string, changes: Files, options: Record<string, unknown> = {}): Promise<Dataset> {
  await makeMhMmkg(root(dir), changes);
  return loadDataset("mh-mmkg", { dir, ...options });
}

/** The message of the one error, with the folder taken out. */
async function errorOf(dir: string, changes: Files, options: Record<string, unknown> = {}): Promise<string> {
  try {
    await load(dir, changes, options);
  } catch (error) {
    assert.instance(error, MkgError);
    return (error as Error).message.replaceAll(`${root(dir)}/`, "");
  }
  return "nothing was thrown";
}

const start = "dataset mh-mmkg: ";
const badCells: [string, Files, string, number][] = [
  [
    "a blank node name",
    edited("mmkg/Vulmar/Node.xlsx", { 4: { A: null } }),
    'mmkg/Vulmar/Node.xlsx, sheet "Sheet1", row 4: column A (name): blank. Fill it in or remove the row.',
    4,
  ],
  [
    "a node name of blanks",
    edited("mmkg/Vulmar/Node.xlsx", { 4: { A: "  " } }),
    'mmkg/Vulmar/Node.xlsx, sheet "Sheet1", row 4: column A (name): blank. Fill it in or remove the row.',
    4,
  ],
  [
    "a blank head",
    edited("mmkg/Vulmar/Relations.xlsx", { 9: { A: null } }),
    'mmkg/Vulmar/Relations.xlsx, sheet "Sheet1", row 9: column A (head): blank. Fill it in or remove the row.',
    9,
  ],
  [
    "a blank relation",
    edited("mmkg/Vulmar/Relations.xlsx", { 9: { B: null } }),
    'mmkg/Vulmar/Relations.xlsx, sheet "Sheet1", row 9: column B (relation): blank. Fill it in or remove the row.',
    9,
  ],
  [
    "a blank tail",
    edited("mmkg/Vulmar/Relations.xlsx", { 9: { E: null } }),
    'mmkg/Vulmar/Relations.xlsx, sheet "Sheet1", row 9: column E (tail): blank. Fill it in or remove the row.',
    9,
  ],
  [
    "a question without an answer",
    edited(list, { 8: { I: null } }),
    `${list}, sheet "Sheet1", row 8: column I (Answer): blank. Fill it in or remove the row.`,
    8,
  ],
  [
    "a type that is no sub-task",
    edited(list, { 8: { J: 6 } }),
    `${list}, sheet "Sheet1", row 8: column J (Type) is not a sub-task ("6"). 0 to 5: I individual information, II attack recognition, III combo premonition, IV condition awareness, V proc effect insight, VI cross-monster analysis.`,
    8,
  ],
  [
    "a question about a picture that names none",
    edited(list, { 8: { C: null } }),
    `${list}, sheet "Sheet1", row 8: column C (Image): blank, and "Vulmar_Fire" is not a text-only question. A picture or a folder of frames; none where File says Pure Text. Fill it in or remove the row.`,
    8,
  ],
  [
    "a route with an empty node",
    edited(list, { 8: { H: "Vulmar>>Flame Bite" } }),
    `${list}, sheet "Sheet1", row 8: column H (Search Route): route 1 has an empty node ("Vulmar>>Flame Bite"). Routes with ; between, their nodes with > between. Mend the cell.`,
    8,
  ],
  [
    "a route that ends with a separator",
    edited(list, { 8: { H: "Vulmar;" } }),
    `${list}, sheet "Sheet1", row 8: column H (Search Route): route 2 has an empty node (""). Routes with ; between, their nodes with > between. Mend the cell.`,
    8,
  ],
];
for (const [what, changes, message, line] of badCells)
  test(`${what} is an error that names file, sheet, row and column; a lenient reading lists it and keeps the others`, async ({
    dir,
  }) => {
    assert.is(await errorOf(dir, changes), start + message);
    const { card } = await loadDataset("mh-mmkg", { dir, lenient: true });
    const [file] = Object.keys(changes) as [string];
    const refused = card.refused.filter((row) => row.file === join(root(dir), file));
    assert.equal(
      refused.map((row) => row.line),
      [line],
    );
    assert.ok(message.includes(refused[0]!.reason), refused[0]!.reason);
    const table = file.endsWith("Node.xlsx") ? "node rows" : file.endsWith(list) ? "questions" : "relation rows";
    assert.is(card.read[table], { "node rows": 15, "relation rows": 17, questions: 7 }[table]);
    assert.is(card.kept[table], card.read[table]! - 1);
  });

test("a route that the graph lacks is an error naming route and step; lenient, the question goes on without it", async ({
  dir,
}) => {
  const unknown = edited(list, { 8: { H: "Vulmar>Roar;Vulmar>Tail Swing" } });
  assert.is(
    await errorOf(dir, unknown),
    `${start}${list}, sheet "Sheet1", row 8: column Search Route: route 1, there is no entity "Vulmar Roar". A route follows relations of the graph. Mend the sheets or the cell, or load leniently: the question then goes on without this route.`,
  );
  const kept = await load(dir, unknown, { lenient: true });
  assert.equal(kept.questions.find((q) => q.id === "row8")?.gold?.paths, [["Vulmar", "Vulmar Tail Swing"]]);
  assert.equal([kept.card.read["gold routes"], kept.card.kept["gold routes"], kept.card.kept.questions], [9, 8, 7]);
  const padded = edited(list, { 8: { H: "Vulmar > Tail Swing" } });
  assert.match(
    await errorOf(dir, padded),
    /route 1, there is no entity "Vulmar Vulmar "; blanks are part of a name, as in "Vulmar "\. .*Mend the sheets or the cell/,
  );
  const apart = edited(list, { 8: { H: "Vulmar>Flame Bite" } });
  assert.match(await errorOf(dir, apart), /route 1, no relation joins "Vulmar" and "Vulmar Flame Bite"/);
  const without = await load(dir, apart, { lenient: true });
  assert.is(without.questions.find((q) => q.id === "row8")?.gold, undefined);
});

test("where no question can be kept, the error says why the first one cannot", async ({ dir }) => {
  const rows = sheets[list].map((row, i) => (i === 0 ? [...row] : row.map((cell, at) => (at === 8 ? null : cell))));
  assert.match(
    await errorOf(dir, { [list]: rows }, { lenient: true }),
    /no questions in .*question_list\.xlsx \(7 rows cannot be kept, the first: .*question_list\.xlsx, line 2: column I \(Answer\): blank\)/,
  );
});

test("a folder of monsters that cannot be listed is an error, not a data set without monsters", async ({ dir }) => {
  await makeMhMmkg(root(dir));
  rmSync(join(root(dir), "mmkg"), { recursive: true });
  writeFileSync(join(root(dir), "mmkg"), "");
  let message = "";
  await loadDataset("mh-mmkg", { dir }).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /^dataset mh-mmkg: cannot list the folder \(.*mmkg\)\. /);
});

test("a column past the 26th is named as a workbook names it", () => {
  const row = new Row({} as Scope, "a.xlsx", "Sheet1", 2, []);
  assert.equal(
    [0, 25, 26, 51, 52, 701, 702].map((at) => row.column(at, "x").split(" ")[1]),
    ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"],
  );
});

test("a step against the direction of its relation is kept and noticed", async ({ dir }) => {
  const { card } = await load(dir, edited(list, { 8: { H: "Vulmar>Tail Swing>Flame Bite" } }));
  assert.equal(card.notices.find((n) => /against the direction/.test(n.what))?.examples, [
    `${list}, row 8: Vulmar Tail Swing > Vulmar Flame Bite`,
  ]);
});

test("a missing picture of an entity is an error with its cell; lenient, the picture is refused and the entity stays", async ({
  dir,
}) => {
  const changes = edited("mmkg/Vulmar/Node.xlsx", { 5: { B: "gone.png" } });
  const message = await errorOf(dir, changes);
  assert.match(message, /^dataset mh-mmkg: mmkg\/Vulmar\/Node\.xlsx, sheet "Sheet1", row 5, column B \(picture\): /);
  assert.match(message, /mmkg\/Vulmar\/Knowledge_Images\/gone\.png/);
  const { card, graph } = await loadDataset("mh-mmkg", { dir, lenient: true });
  assert.is(graph.entity("Vulmar Flame Bite").images.length, 0);
  assert.is(card.read["pictures of entities"], card.kept["pictures of entities"]! + 1);
  assert.equal(
    card.refused.map(({ line }) => line),
    [5],
  );
});

test("a missing picture of a question is an error with its cell; lenient, the question is refused", async ({ dir }) => {
  const changes = edited(list, { 7: { C: "gone.png" } });
  assert.match(
    await errorOf(dir, changes),
    /^dataset mh-mmkg: questions_mh\/question_list\.xlsx, sheet "Sheet1", row 7, column C \(Image\): .*Pelorn_Dive\/gone\.png/,
  );
  const { card, questions } = await loadDataset("mh-mmkg", { dir, lenient: true });
  assert.equal([questions.length, card.refused.map(({ line }) => line)], [6, [7]]);
});

for (const [what, name] of [
  ["..", "../../../secret.png"],
  ["an absolute path", "/etc/passwd"],
  ["a backslash", "frames\\a.png"],
] as const)
  test(`a picture named by ${what} is refused`, async ({ dir }) => {
    writeFileSync(join(dir, "secret.png"), "secret");
    // an absolute path becomes one below the folder, where there is no such file
    assert.match(
      await errorOf(dir, edited("mmkg/Vulmar/Node.xlsx", { 2: { B: name } })),
      /Node\.xlsx, sheet "Sheet1", row 2, column B \(picture\): (not a path inside the folder|a path with a backslash|cannot read the picture)/,
    );
    assert.match(await errorOf(dir, edited(list, { 7: { A: name } })), /row 7, column C \(Image\): /);
  });

test("a link that leads out of the folder is refused", async ({ dir }) => {
  writeFileSync(join(dir, "secret.png"), "secret");
  mkdirSync(join(root(dir), "mmkg/Vulmar/Knowledge_Images"), { recursive: true });
  symlinkSync(join(dir, "secret.png"), join(root(dir), "mmkg/Vulmar/Knowledge_Images/link.png"));
  assert.match(
    await errorOf(dir, edited("mmkg/Vulmar/Node.xlsx", { 2: { B: "link.png" } })),
    /row 2, column B \(picture\): the picture lies outside its folder/,
  );
});

test("a folder of frames without pictures is an error; files beside the frames are passed by and noticed", async ({
  dir,
}) => {
  mkdirSync(join(root(dir), "mmkg/Vulmar/Knowledge_Images/Empty"), { recursive: true });
  assert.match(
    await errorOf(dir, edited("mmkg/Vulmar/Node.xlsx", { 2: { B: "Empty" } })),
    /row 2, column B \(picture\): a folder without pictures/,
  );
  const { card, graph } = await load(dir, {
    ...edited("mmkg/Vulmar/Node.xlsx", {}),
    "mmkg/Vulmar/Knowledge_Images/Tail Swing/Thumbs.db": "x",
  });
  assert.is(graph.entity("Vulmar Tail Swing").images.length, 3);
  assert.equal(card.notices.find((n) => /no pictures by their extension/.test(n.what))?.examples, [
    "mmkg/Vulmar/Knowledge_Images/Tail Swing/Thumbs.db",
  ]);
});

test("folders without pictures at all: the graph goes on with its text, and the card counts what is named", async ({
  dir,
}) => {
  await makeMhMmkg(root(dir));
  for (const monster of ["Vulmar", "Ash Vulmar"])
    rmSync(join(root(dir), "mmkg", monster, "Knowledge_Images"), { recursive: true });
  const { card, graph } = await loadDataset("mh-mmkg", { dir });
  assert.is(graph.entity("Vulmar").images.length, 0);
  // named in Node.xlsx: 4 of Vulmar (rows 2, 3, 5, 8), 2 of Ash Vulmar
  assert.is(card.notices.find((n) => /folder Knowledge_Images/.test(n.what))?.count, 6);
});

test("a file that is no workbook and an empty sheet are errors that name the file, lenient or not", async ({ dir }) => {
  for (const lenient of [false, true]) {
    assert.match(
      await errorOf(dir, { "mmkg/Vulmar/Relations.xlsx": "not a zip" }, { lenient }),
      /mmkg\/Vulmar\/Relations\.xlsx: not a workbook/,
    );
    assert.match(await errorOf(dir, { "mmkg/Vulmar/Node.xlsx": [] }, { lenient }), /mmkg\/Vulmar\/Node\.xlsx/);
  }
});

test("exchanged sheets are told by their headers where those name the other's columns, else by the blanks they leave", async ({
  dir,
}) => {
  const exchanged = (nodes: Cell[][], relations: Cell[][]): Files => ({
    "mmkg/Pelorn/Node.xlsx": relations,
    "mmkg/Pelorn/Relations.xlsx": nodes,
  });
  const [nodes, relations] = [sheets["mmkg/Pelorn/Node.xlsx"], sheets["mmkg/Pelorn/Relations.xlsx"]];
  assert.match(
    await errorOf(
      dir,
      exchanged([["Name", "Image"], ...nodes.slice(1)], [["Head", "Relation"], ...relations.slice(1)]),
    ),
    /Node\.xlsx and .*Relations\.xlsx seem to be exchanged \(second columns "Relation", "Image"\)\. .*Rename the files\.$/,
  );
  // without telling headers, the relation phrases are looked for as pictures, or the nodes lack tails
  const plain = (rows: Cell[][]) => [["1", "2", "3", "4", "5"], ...rows.slice(1)];
  assert.match(
    await errorOf(dir, exchanged(plain(nodes), plain(relations))),
    /mmkg\/Pelorn\/Relations\.xlsx, sheet "Sheet1", row 2: column B \(relation\): blank/,
  );
});

test("cells beyond the fifth column are noticed", async ({ dir }) => {
  const { card } = await load(dir, edited("mmkg/Pelorn/Relations.xlsx", { 3: { F: "checked by hand" } }));
  assert.equal(card.notices.find((n) => /beyond the fifth column/.test(n.what))?.examples, [
    "mmkg/Pelorn/Relations.xlsx, row 3",
  ]);
});

test("a head merged over several rows counts for each, and is counted as repaired", async ({ dir }) => {
  const rows: Cell[][] = sheets["mmkg/Pelorn/Relations.xlsx"].map((row) => [...row]);
  rows[2]![0] = null;
  rows[3]![0] = null;
  const { graph, card } = await load(dir, { "mmkg/Pelorn/Relations.xlsx": { rows, merged: "A2:A4" } });
  assert.equal(
    graph.neighbours("Pelorn").map((n) => n.entity),
    ["Pelorn Dive", "Pelorn Spit", "Thunder Element Weapon"],
  );
  assert.equal(card.repaired.find((n) => /merged cells/.test(n.what))?.examples, [
    "mmkg/Pelorn/Relations.xlsx: A3",
    "mmkg/Pelorn/Relations.xlsx: A4",
  ]);
});

test("Relation.xlsx does where there is no Relations.xlsx; where both are, the second is noticed", async ({ dir }) => {
  const rows = sheets["mmkg/Pelorn/Relations.xlsx"];
  await makeMhMmkg(root(dir), { "mmkg/Pelorn/Relations.xlsx": null, "mmkg/Pelorn/Relation.xlsx": rows });
  const one = await loadDataset("mh-mmkg", { dir });
  assert.is(one.graph.neighbours("Pelorn").length, 3);
  const both = await load(dir, {});
  assert.equal(both.card.notices.find((n) => /two sheets of relations/.test(n.what))?.examples, [
    "mmkg/Pelorn/Relation.xlsx",
  ]);
});

test("a monster's folder with a single sheet is an error with the file to add; one without sheets is passed by and noticed", async ({
  dir,
}) => {
  await makeMhMmkg(root(dir), { "mmkg/Pelorn/Node.xlsx": null });
  await loadDataset("mh-mmkg", { dir }).then(
    () => assert.unreachable(),
    (error: Error) => {
      assert.instance(error, SetupError);
      assert.match(error.message, /a file is missing in .*mmkg\/Pelorn \(Node\.xlsx\)/);
    },
  );
  mkdirSync(join(root(dir), "mmkg/__MACOSX"));
  const { card } = await load(dir, {});
  assert.equal(card.notices.find((n) => /folders without sheets/.test(n.what))?.examples, ["mmkg/__MACOSX"]);
});

test("no folder and no question list are set-up errors that say what to do", async ({ dir }) => {
  const message = await loadDataset("mh-mmkg", { dir }).then(
    () => "nothing was thrown",
    (error: Error) => {
      assert.instance(error, SetupError);
      return error.message;
    },
  );
  assert.match(message, /there is no folder .*mh-mmkg\. It needs question_list\.xlsx; .*mkglab data fetch mh-mmkg/);
  await makeMhMmkg(root(dir), { [list]: null });
  assert.match(
    (await loadDataset("mh-mmkg", { dir }).catch((error: Error) => error.message)) as string,
    /there is no question_list\.xlsx in /,
  );
});

test("a question list without one of its columns, or with one twice, is an error; further columns are noticed", async ({
  dir,
}) => {
  assert.match(
    await errorOf(dir, edited(list, { 1: { H: "Search route" } })),
    /question_list\.xlsx: there is no column "Search Route" \(File, .*\)\. Columns: File, Video, Image, /,
  );
  assert.match(await errorOf(dir, edited(list, { 1: { K: "Answer" } })), /two columns are called "Answer"/);
  const { card } = await load(dir, edited(list, { 1: { K: "Difficulty" }, 2: { K: "hard" } }));
  assert.equal(card.notices.find((n) => /columns of the question list/.test(n.what))?.examples, ["Difficulty"]);
});

test("a captions file that is not one object of texts is an error; an unknown model names those that are there", async ({
  dir,
}) => {
  const file = "mmkg/kg_offline_seer.json";
  for (const [content, problem] of [
    ["{", /mmkg\/kg_offline_seer\.json, line 1: not JSON/],
    ["[]", /kg_offline_seer\.json: not an object \(\[\]\)/],
    ['{"Vulmar": 3}', /kg_offline_seer\.json: the caption of "Vulmar" is not a string \(3\)/],
  ] as const)
    assert.match(await errorOf(dir, { [file]: content }, { captions: "seer" }), problem);
  assert.match(await errorOf(dir, {}, { captions: "sear" }), /Known: human, none, seer\. Did you mean "seer"\?$/);
  assert.match(
    await errorOf(dir, {}, { captions: "../../secret" }),
    /option captions: unknown model in mmkg\/kg_offline_<model>\.json/,
  );
  assert.match(await errorOf(dir, {}, { questionCaptions: "oracle" }), /Known: human, none, seer/);
});

test("names such as __proto__ and constructor are names like others, in sheets and in captions", async ({ dir }) => {
  const { graph } = await load(
    dir,
    {
      "mmkg/Pelorn/Node.xlsx": [
        ["", "", "", "", ""],
        ["__proto__", null, null, "a", null],
        ["constructor", null, null, "b", null],
      ],
      "mmkg/kg_offline_seer.json": '{"__proto__": "x", "Pelorn constructor": "y", "Pelorn __proto__": "z"}',
    },
    { captions: "seer" },
  );
  assert.equal(
    ["Pelorn __proto__", "Pelorn constructor"].map((id) => graph.entity(id).description),
    ["z", "y"],
  );
});

test("a split other than test, a misspelt option and a wrong value are errors", async ({ dir }) => {
  assert.match(await errorOf(dir, {}, { split: "train" }), /there is no train split\. Splits: test/);
  assert.match(await errorOf(dir, {}, { mergee: "union" }), /unknown option \("mergee"\).*Did you mean "merge"\?/);
  assert.match(await errorOf(dir, {}, { merge: "both" }), /option merge has a wrong value \("both"\)/);
});

test("no row vanishes: whatever is blank where, lenient rows read are rows kept and rows listed, both ways", async ({
  dir,
}) => {
  await makeMhMmkg(root(dir));
  const cell = fc.oneof(
    fc.constantFrom(
      null,
      "",
      " ",
      "nan",
      "None",
      "Vulmar",
      "Tail Swing",
      "Fire Element",
      "Pierce Pod",
      "Ash Vulmar",
      "Pelorn",
      "a;b>c",
    ),
    fc.string({ maxLength: 6 }).filter((s) => !/\p{Cc}|\p{Cs}|\p{Cn}/u.test(s)),
  );
  const row = fc.tuple(cell, fc.constantFrom(null, "uses"), cell, cell, cell).map((cells) => [...cells] as Cell[]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 8 }),
      fc.array(row, { maxLength: 8 }),
      fc.constantFrom("union", "as-released"),
      async (nodes, relations, merge) => {
        // pictures are not there
        const head = ["h", "h", "h", "h", "h"];
        await makeMhMmkg(root(dir), {
          "mmkg/Pelorn/Node.xlsx": [head, ...nodes.map((cells) => [cells[0]!, null, ...cells.slice(2)])],
          "mmkg/Pelorn/Relations.xlsx": [head, ...relations],
        });
        const { card, graph } = await loadDataset("mh-mmkg", { dir, merge, lenient: true });
        const listed = (file: RegExp) => card.refused.filter((r) => file.test(r.file)).length;
        const written = (rows: Cell[][]) => rows.filter((cells) => cells.some((c) => c !== null && c !== "")).length;
        assert.is(card.read["node rows"], 12 + written(nodes.map((cells) => [cells[0]!, null, ...cells.slice(2)])));
        assert.is(card.read["relation rows"], 13 + written(relations));
        assert.is(card.read["node rows"], card.kept["node rows"]! + listed(/Node\.xlsx$/));
        assert.is(card.read["relation rows"], card.kept["relation rows"]! + listed(/Relations\.xlsx$/));
        assert.is(graph.triples.numRows(), card.kept["relation rows"]);
        assert.is(
          card.read.questions,
          card.kept.questions! + card.refused.filter((r) => r.file.endsWith(list) && !/route/.test(r.reason)).length,
        );
        assert.is(
          card.read["gold routes"],
          card.kept["gold routes"]! + card.refused.filter((r) => /Search Route: route/.test(r.reason)).length,
        );
        assert.is(card.kept.entities, card.read.entities! + card.added.entities!);
      },
    ),
    { numRuns: 25, seed: 7 },
  );
});

test.run();
