import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Dataset, loadDataset, toQuery } from "../../lib/datasets/index.js";
import { Naming } from "../../lib/datasets/mh-mmkg/names.js";
import { score } from "../../lib/evaluate/index.js";
import { imageReference } from "../../lib/graph/index.js";
import { retrieve, retriever } from "../../lib/retrieve/index.js";
import { makeMhMmkg, picture, sheets, workbook } from "../fixtures/make-mh-mmkg.js";

// Expected values of the union are counted by hand in the sheets of make-mh-mmkg.ts; those as released are what the released code makes of the same
// folder: see the commands in make-mh-mmkg-golden.py.

const test = suite("mh-mmkg");
let dir: string;
test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), "mkglab-"));
  await makeMhMmkg(join(dir, "mh-mmkg"));
});
test.after(() => rmSync(dir, { recursive: true, force: true }));

const load = (options: Record<string, unknown> = {}) => loadDataset("mh-mmkg", { dir, ...options });
const notice = (dataset: Dataset, what: RegExp) => dataset.card.notices.find((n) => what.test(n.what));
const question = (dataset: Dataset, id: string) => dataset.questions.find((q) => q.id === id)!;

interface Golden {
  readonly entities: Record<
    string,
    { images: string[]; video: string; description: string; additionalInformation: string }
  >;
  readonly edges: string[][];
}
type Asked = { text: string; images: string[]; perception: string; routes: string[][]; answer: string; type: number };
const golden = JSON.parse(
  readFileSync(new URL("../golden/mh-mmkg-as-released.json", import.meta.url), "utf8"),
) as Record<"human" | "none" | "seer", Golden> & Record<string, Asked[]>;

const entitiesOf = ({ graph }: Dataset) =>
  Object.fromEntries(
    [...(graph.entities.array("id") as string[])].map((id) => {
      const { images, description, attributes } = graph.entity(id);
      const { additionalInformation, video } = attributes as Record<string, string>;
      return [id, { images: images.map((i) => imageReference(i)), video, description, additionalInformation }];
    }),
  );
const edgesOf = ({ graph }: Dataset) =>
  (graph.triples.objects() as Record<string, string>[]).map((t) =>
    ["head", "relation", "tail", "condition", "information"].map((name) => t[name]),
  );

for (const captions of ["human", "none", "seer"] as const)
  test(`as-released, captions ${captions}: entities, edges and their order are those of the released code`, async () => {
    const dataset = await load({ merge: "as-released", captions });
    assert.equal(entitiesOf(dataset), golden[captions].entities);
    assert.equal(edgesOf(dataset), golden[captions].edges);
  });

test("as-released: what was overwritten is listed, and rows read are rows kept and refused", async () => {
  const { card } = await load({ merge: "as-released" });
  assert.equal(
    card.refused
      .map(({ file, line, reason }) => `${file.slice(join(dir, "mh-mmkg/").length)}:${line} ${reason}`)
      .sort(),
    [
      "mmkg/Ash Vulmar/Node.xlsx:5 overwritten by mmkg/Vulmar/Node.xlsx, row 8, as released",
      "mmkg/Ash Vulmar/Relations.xlsx:2 overwritten by mmkg/Vulmar/Relations.xlsx, row 10, as released",
      "mmkg/Ash Vulmar/Relations.xlsx:4 overwritten by mmkg/Vulmar/Relations.xlsx, row 10, as released",
      "mmkg/Ash Vulmar/Relations.xlsx:5 overwritten by mmkg/Pelorn/Relations.xlsx, row 5, as released",
      "mmkg/Vulmar/Node.xlsx:3 overwritten by mmkg/Vulmar/Node.xlsx, row 9, as released",
      "mmkg/Vulmar/Node.xlsx:6 a fixed element, which stays empty, as released",
      "mmkg/Vulmar/Relations.xlsx:3 overwritten by mmkg/Vulmar/Relations.xlsx, row 4, as released",
      'questions_mh/question_list.xlsx:6 column Search Route: route 2, no relation joins "Ash Vulmar" and "Ash Vulmar Charging Phase"; left out of the gold',
    ],
  );
  for (const [table, left] of [
    ["node rows", 3],
    ["relation rows", 4],
    ["gold routes", 1],
    ["questions", 0],
  ] as const)
    assert.is(card.read[table], card.kept[table]! + left, table);
  assert.ok(card.limits.some((limit) => /order of their names, there in that of the file system/.test(limit)));
});

test("union: every relation row is a triple, parallel edges and edges from shared heads among them", async () => {
  const dataset = await load();
  const { graph, card } = dataset;
  assert.equal([card.read["relation rows"], card.kept["relation rows"], graph.triples.numRows()], [17, 17, 17]);
  assert.equal(
    graph.neighbours("Vulmar").map((n) => [n.entity, graph.triple(n.triple).condition]),
    [
      ["Vulmar Rage Phase", ""],
      ["Vulmar Tail Swing", ""],
      ["Vulmar Tail Swing", "it is enraged"],
      ["Ash Vulmar", ""],
    ],
  );
  assert.equal(
    graph.neighbours("Ash Vulmar").map((n) => n.entity),
    ["Ash Vulmar Charging Phase", "Ash Vulmar Howl", "Vulmar"],
  );
  assert.equal(
    graph.neighbours("Pierce Pod").map((n) => n.entity),
    ["Ash Vulmar", "Pelorn Dive"],
  );
  assert.equal(notice(dataset, /parallel edges/)?.examples, ["mmkg/Vulmar/Relations.xlsx, row 4"]);
  assert.equal({ ...graph.triple("11").attributes }, { information: "seen once", monster: "Vulmar", sheetRow: "5" });
});

test("union: rows of one entity give it all their texts and pictures; a described element keeps its text", async () => {
  const dataset = await load();
  const entities = entitiesOf(dataset);
  assert.equal(entities["Pierce Pod"], {
    images: ["mmkg/Vulmar/Knowledge_Images/pod.png"],
    video: "",
    description: "It bursts with a bang.",
    additionalInformation: "Thrown by the hunter.",
  });
  assert.is(
    entities["Vulmar Tail Swing"]!.description,
    "It turns on the spot and swings its tail.\nSometimes twice in a row.",
  );
  assert.is(entities["Vulmar Tail Swing"]!.video, "mmkg/Vulmar/Knowledge_Videos/Tail Swing.mp4");
  assert.is(entities["Fire Element"]!.additionalInformation, "Sets hunters ablaze.");
  assert.equal(notice(dataset, /has one already/)?.examples, [
    "mmkg/Vulmar/Node.xlsx, row 8: Pierce Pod",
    "mmkg/Vulmar/Node.xlsx, row 9: Vulmar Tail Swing",
  ]);
});

test("union: of the texts that rows of one entity have, blank and repeated ones are left out", async () => {
  const own = mkdtempSync(join(tmpdir(), "mkglab-"));
  const rows = sheets["mmkg/Vulmar/Node.xlsx"].map((row) => [...row]);
  const tail = rows.find(([name]) => name === "Tail Swing") as string[];
  await makeMhMmkg(join(own, "mh-mmkg"), {
    "mmkg/Vulmar/Node.xlsx": [...rows, tail, [tail[0] as string, null, null, null, null]],
  });
  const { graph } = await loadDataset("mh-mmkg", { dir: own });
  assert.is(
    graph.entity("Vulmar Tail Swing").description,
    "It turns on the spot and swings its tail.\nSometimes twice in a row.",
  );
  rmSync(own, { recursive: true });
});

test("union: entities are those of the rows, the 14 fixed elements and the ends of relations, each counted", async () => {
  const { graph, card } = await load();
  // 15 node rows make 13 entities, one of them a fixed element; Howl has no row
  assert.equal([card.read["node rows"], card.read.entities, card.added.entities, card.kept.entities], [15, 13, 14, 27]);
  assert.is(graph.entities.numRows(), 27);
  assert.is(card.counts.elements, 14);
  assert.equal(card.repaired.find((n) => /without a node row/.test(n.what))?.examples, ["Ash Vulmar Howl"]);
  assert.equal(card.refused, []);
});

test("the naming rule: the monster itself, elements and the Pierce Pod are shared; another monster's name is prefixed in nodes only", async () => {
  const dataset = await load();
  const { graph } = dataset;
  for (const id of [
    "Vulmar",
    "Fire Element",
    "Pierce Pod",
    "Thunder Element Weapon",
    "Ash Vulmar",
    "Vulmar Ash Vulmar",
  ])
    assert.ok(graph.has(id), id);
  for (const id of ["Vulmar Vulmar", "Vulmar Fire Element", "Vulmar Pierce Pod", "Tail Swing"])
    assert.not(graph.has(id), id);
  assert.is(graph.degree("Vulmar Ash Vulmar"), 0);
  assert.equal(notice(dataset, /name another monster/)?.examples, ["mmkg/Vulmar/Node.xlsx, row 7: Vulmar Ash Vulmar"]);
});

test("whatever has Pierce Pod or Element in its name is shared, not these names alone", () => {
  const naming = new Naming(new Set(["Vulmar"]));
  for (const name of ["Pierce Pod", "Large Pierce Pod", "Fire Element Weapon"])
    assert.equal([naming.node("Vulmar", name), naming.end("Vulmar", name)], [name, name]);
  assert.is(naming.node("Vulmar", "Pierce"), "Vulmar Pierce");
});

test("kinds follow from names: monster, phase, element, item", async () => {
  const { graph } = await load();
  assert.equal(
    ["Vulmar", "Vulmar Rage Phase", "Fire Element", "Poison Element Weapon", "Pierce Pod", "Vulmar Flame Bite"].map(
      (id) => graph.entity(id).kind,
    ),
    ["monster", "phase", "element", "element", "item", ""],
  );
});

test("frames come in natural order and are all marked; pictures of one name in two folders are two pictures", async () => {
  const { graph, questions } = await load();
  const swing = graph.entity("Vulmar Tail Swing").images;
  assert.equal(
    swing.map((i) => [imageReference(i)?.split("/").at(-1), i.key]),
    [
      ["frame1.png", true],
      ["frame2.png", true],
      ["frame10.png", true],
    ],
  );
  const other = graph.entity("Ash Vulmar Tail Swing").images;
  assert.is(new Set([...swing, ...other].map((i) => i.id)).size, 6);
  // the first picture of the fixture has shade 0
  assert.equal([...(await graph.entity("Vulmar").images[0]!.bytes())], [...(await picture(0))]);
  assert.is(questions[0]!.images.length, 3);
});

test("cells that say nan or None are text in a union, and counted; as released they are blank", async () => {
  const [union, released] = [await load(), await load({ merge: "as-released" })];
  const conditions = ({ graph }: Dataset) =>
    graph
      .neighbours("Vulmar Tail Swing")
      .filter((n) => n.entity === "Pierce Pod")
      .map((n) => graph.triple(n.triple).condition);
  assert.equal([conditions(union), conditions(released)], [["None"], [""]]);
  assert.is(notice(union, /None or nan/)?.count, 3);
  assert.is(notice(released, /None or nan/), undefined);
  assert.equal([question(union, "row7").meta.hint, question(released, "row7").meta.hint], ["nan", undefined]);
});

test("captions of a model replace the human ones without their marker; what it leaves out has none in a union", async () => {
  const dataset = await load({ captions: "seer" });
  const text = (id: string) => dataset.graph.entity(id).description;
  assert.is(text("Vulmar Tail Swing"), " A tail moves.");
  assert.is(text("Fire Element"), "Fire.");
  assert.is(text("Vulmar Flame Bite"), "");
  // with a human caption and not in the file: Rage Phase, Flame Bite, Ash Vulmar of Vulmar; Charging Phase, Tail Swing of Ash Vulmar; Dive, Spit of Pelorn
  assert.equal(notice(dataset, /entities without a caption of this model: none is shown/)?.count, 7);
  const released = await load({ captions: "seer", merge: "as-released" });
  assert.is(released.graph.entity("Vulmar Flame Bite").description, "It lunges with glowing jaws.");
  assert.ok(notice(released, /the human one stays, as released/));
  const none = await load({ captions: "none" });
  assert.ok((none.graph.entities.array("description") as string[]).every((d) => d === ""));
});

for (const [name, options] of [
  ["questions", { questionCaptions: "human" }],
  ["questions, seer", { questionCaptions: "seer", merge: "as-released" }],
  ["questions, no hint", { useHint: false, questionCaptions: "human" }],
] as const)
  test(`${name}: text after the first sentence, pictures, caption, routes and answer are those of the released code`, async () => {
    const dataset = await load({ ...options, merge: "as-released" });
    const start = (monster: string) => `The game is Monster Hunter: World, the opponent ${monster}.`;
    assert.is(dataset.questions.length, golden[name]!.length);
    dataset.questions.forEach((q, i) => {
      const wanted = golden[name]![i]!;
      assert.is(q.text, start(q.cluster) + wanted.text);
      assert.equal(
        q.images.map((image) => imageReference(image)),
        wanted.images,
      );
      assert.is(q.meta.perception ?? "", wanted.perception);
      assert.equal(q.answers, [wanted.answer]);
      assert.is(q.meta.type, wanted.type);
      // the graph as released lost an edge of row 6's second route
      assert.equal(q.gold?.paths, q.id === "row6" ? wanted.routes.slice(0, 1) : wanted.routes);
    });
  });

test("a union has all gold routes of the released code, crossing ones with their switch of monster", async () => {
  const dataset = await load();
  assert.equal(
    dataset.questions.map((q) => q.gold?.paths),
    golden.questions!.map((q) => q.routes),
  );
  assert.equal(question(dataset, "row6").gold?.paths?.[1], [
    "Vulmar",
    "Ash Vulmar",
    "Ash Vulmar Charging Phase",
    "Ash Vulmar Tail Swing",
  ]);
  assert.equal(question(dataset, "row8").gold?.pathTriples, [["8", "11", "12"]]);
  assert.equal(notice(dataset, /several relations fit/)?.count, 3);
});

test("without useName only text-only questions name the monster; hints do not give it away, unlike as released", async () => {
  const { questions, visibleMeta } = await load({ useName: false });
  const released = golden["questions, no name"]!.map((q) => `The game is Monster Hunter: World.${q.text}`);
  assert.is(questions[0]!.text, released[0]);
  assert.is(released[2], "The game is Monster Hunter: World.  Vulmar is under Rage Phase. What will  the monster do?");
  assert.is(
    questions[2]!.text,
    "The game is Monster Hunter: World.  the monster is under Rage Phase. What will  the monster do?",
  );
  assert.is(questions[2]!.meta.hint, "the monster is under Rage Phase.");
  assert.is(questions[3]!.text, "The game is Monster Hunter: World, the opponent Vulmar. What is Vulmar called?");
  assert.equal(visibleMeta, ["hint"]);
});

test("queries show monster, hint and the caption that was asked for, and nothing that the gold is made of", async () => {
  const meta = async (options: Record<string, unknown>) => {
    const dataset = await load(options);
    return toQuery(dataset, question(dataset, "row3")).meta;
  };
  assert.equal(await meta({}), { monster: "Vulmar", hint: "Vulmar is near a wall." });
  assert.equal(await meta({ useHint: false, useName: false }), {});
  assert.equal(await meta({ useHint: false, questionCaptions: "human" }), {
    monster: "Vulmar",
    perception: "The drake turns.",
  });
  assert.equal(await meta({ useHint: false, questionCaptions: "seer" }), {
    monster: "Vulmar",
    perception: "Something turns.",
  });
  const dataset = await load({ questionCaptions: "human" });
  for (const q of dataset.questions) {
    const query = toQuery(dataset, q);
    assert.match(query.id, /^q[0-9a-f]{16}$/);
    for (const image of query.images) assert.not.match(image.id, /Vulmar|Swing|bite|frame/);
    for (const field of ["file", "row", "type", "caption", "video", "textOnly"])
      assert.not(Object.hasOwn(query.meta, field), field);
  }
});

test("a question without a caption of the model has none in a union, and is counted", async () => {
  const dataset = await load({ questionCaptions: "seer" });
  assert.is(question(dataset, "row4").meta.perception, undefined);
  assert.is(question(dataset, "row4").meta.caption, "Its jaws glow.");
  assert.is(notice(dataset, /questions without a caption of this model: none is shown/)?.count, 4);
});

test("questions with one File are kept apart by their rows; as released they are one, asked as the last and judged by the first", async () => {
  const apart = await load();
  assert.equal(
    apart.questions.slice(0, 2).map((q) => [q.id, q.answers[0], q.group]),
    [
      ["row2", "Tail Swing", "II attack recognition"],
      ["row3", "A Pierce Pod.", "V proc effect insight"],
    ],
  );
  assert.is(notice(apart, /File an earlier row has: kept apart/)?.count, 1);
  const one = await load({ duplicates: "as-released" });
  assert.is(one.questions.length, 6);
  assert.match(one.questions[0]!.text, /What stops Vulmar\?$/);
  assert.equal(
    [one.questions[0]!.id, one.questions[0]!.answers, one.questions[0]!.group, one.questions[0]!.gold?.paths],
    ["row2", ["Tail Swing"], "II attack recognition", [["Vulmar", "Vulmar Tail Swing"]]],
  );
  assert.equal([one.card.read.questions, one.card.kept.questions], [7, 6]);
  assert.equal(
    one.card.refused.map(({ line, reason }) => [line, reason]),
    [[3, "its File has the answer and gold of row 2, as released"]],
  );
});

test("without the monsters' sheets the graph is that of the gold routes, and says that it is an upper bound", async () => {
  const bare = mkdtempSync(join(tmpdir(), "mkglab-"));
  try {
    // a question about it is what tells that Ash Vulmar is a monster, where no folder does
    const list = sheets["questions_mh/question_list.xlsx"];
    const about = [
      "Ash Vulmar_Pure Text1",
      null,
      null,
      "What is{} called?",
      "Ash Vulmar",
      null,
      null,
      "Ash Vulmar",
      "-",
      0,
    ];
    mkdirSync(join(bare, "mh-mmkg"));
    writeFileSync(join(bare, "mh-mmkg/question_list.xlsx"), workbook([...list, about]));
    const dataset = await loadDataset("mh-mmkg", { dir: bare });
    assert.is(dataset.card.upperBound, true);
    assert.is(dataset.graph.name, "gold-routes graph, no distractors: upper bound");
    assert.match(dataset.card.limits[0]!, /^gold-routes graph, no distractors: upper bound/);
    assert.match(dataset.card.summary, /upper bound$/);
    assert.equal(
      (dataset.graph.triples.objects() as Record<string, string>[]).map((t) => `${t.head} > ${t.tail}`),
      // the edges of the routes in order of first appearance
      [
        "Vulmar > Vulmar Tail Swing",
        "Vulmar Tail Swing > Pierce Pod",
        "Vulmar > Vulmar Rage Phase",
        "Vulmar Rage Phase > Vulmar Flame Bite",
        "Vulmar > Ash Vulmar",
        "Ash Vulmar > Ash Vulmar Charging Phase",
        "Ash Vulmar Charging Phase > Ash Vulmar Tail Swing",
        "Pelorn > Pelorn Dive",
        "Vulmar Flame Bite > Fire Element",
      ],
    );
    assert.equal([dataset.card.read.triples, dataset.card.added.triples, dataset.card.kept.triples], [0, 9, 9]);
    assert.is(notice(dataset, /pictures of questions that are not there/)?.count, 6);
    for (const options of [{ merge: "as-released" }, { captions: "none" }])
      await loadDataset("mh-mmkg", { dir: bare, ...options }).then(
        () => assert.unreachable(),
        (error: Error) => assert.match(error.message, /shape the graph of the monsters, and there is none in/),
      );
  } finally {
    rmSync(bare, { recursive: true, force: true });
  }
  assert.is((await load()).card.upperBound, undefined);
});

test("the same folder gives the same data set, and each option that changes what is shown another fingerprint", async () => {
  const fingerprint = async (options: Record<string, unknown> = {}) => (await load(options)).fingerprint;
  const first = await fingerprint();
  assert.is(await fingerprint(), first);
  const others = [
    { merge: "as-released" },
    { captions: "none" },
    { captions: "seer" },
    { questionCaptions: "human" },
    { questionCaptions: "seer" },
    { useName: false },
    { useHint: false },
    { duplicates: "as-released" },
  ];
  const prints = await Promise.all(others.map(fingerprint));
  assert.is(new Set([first, ...prints]).size, others.length + 1);
});

test("a walk over the graph finds paths from the question's monster, and they are scored against the gold", async () => {
  const dataset = await load();
  const run = await retrieve(dataset, retriever("walk"), { k: 5, seed: 0 });
  for (const q of dataset.questions)
    for (const { path } of run.get(q.id).evidence!.hits) assert.is(path?.[0], q.cluster, q.id);
  assert.ok(run.get("row6").evidence!.hits.some((h) => h.path?.join(" > ") === "Vulmar > Vulmar Tail Swing"));
  const rows = (await score(run, dataset, ["PathRecall"])).objects() as { question: string; value: number }[];
  // the text-only question's gold is the monster alone, which the walk records when nothing is left to follow; row 6 has two gold routes
  const value = new Map(rows.map((row) => [row.question, row.value]));
  assert.equal([value.get("row5"), value.get("row2"), value.get("row6")], [1, 1, 0.5]);
});

test.run();
