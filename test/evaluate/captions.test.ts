import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answer } from "../../lib/answer/index.js";
import { captionDataset, defineDataset, loadDataset } from "../../lib/datasets/index.js";
import { captionRun, captionTokens, measureNames, parseMeasure, score } from "../../lib/evaluate/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";

const test = suite("caption agreement");
const image = (id: string) => bytesImage(new Uint8Array([1]), id);
const dataset = defineDataset({
  name: "mine",
  licence: "CC0",
  clusterName: "creature",
  graph: graphFrom({
    entities: [
      { id: "Vulmar", kind: "creature", description: "Vulmar is a wolf.", images: [image("v")] },
      {
        id: "Tail Swing",
        kind: "attack",
        description: "It swings its long tail to the left.",
        images: [image("t"), image("u")],
      },
      { id: "Roar", kind: "attack", description: "It roars.", images: [] },
      { id: "Leap", kind: "attack", description: "", images: [image("l")] },
    ],
    triples: [{ head: "Vulmar", relation: "uses", tail: "Tail Swing" }],
  }),
  questions: [
    {
      id: "1",
      text: "What is it?",
      images: [image("a")],
      group: "I",
      cluster: "Vulmar",
      meta: { caption: "A wolf roars." },
    },
    { id: "2", text: "And this?", images: [], group: "I", cluster: "Vulmar", meta: { caption: "A tail." } },
    { id: "3", text: "And that?", images: [image("b")] },
  ],
});
const task = captionDataset(dataset, { of: "entities" });
const agreementOf = async (caption: string | undefined, human = "It swings its long tail to the left.") => {
  const one = defineDataset({
    name: "one",
    graph: graphFrom({ entities: [], triples: [] }),
    questions: [{ id: "q", text: "Describe.", answers: [human] }],
  });
  const run = captionRun(one, new Map(caption === undefined ? [] : [["q", caption]]), "m");
  const [row] = (await score(run, one, ["CaptionAgreement"])).objects() as [{ value: number | null; status: string }];
  return [row.value, row.status];
};

test("the tokens: lower case, no function words, plural and third person without s, Chinese by character", () => {
  assert.equal(captionTokens("It SWINGS its tails, then roars!"), ["swing", "tail", "then", "roar"]);
  // Harman's three rules and their exceptions: ies→y but not eies, aies; es→e but not aes, ees, oes; s→ but not us, ss
  assert.equal(captionTokens("flies bushes goes trees glass cactus legs"), [
    "fly",
    "bushe",
    "goe",
    "tree",
    "glass",
    "cactus",
    "leg",
  ]);
  assert.equal(captionTokens("tail-whip"), ["tail", "whip"]);
  assert.equal(captionTokens("龙王 roars"), ["龙", "王", "roar"]);
  assert.equal(captionTokens("cafe\u0301"), captionTokens("caf\u00e9"));
  assert.equal(captionTokens("it is the"), []);
});

test("the value is the F1 of the bags of content words with the best human caption", async () => {
  // human: swing long tail left (4 words)
  assert.equal(await agreementOf("swinging its tail left"), [(2 * 2) / (3 + 4), "ok"]); // swinging is not swing
  assert.equal(await agreementOf("The long tail swings left."), [1, "ok"], "order and function words are not seen");
  assert.equal(await agreementOf("A tail, a tail, a tail"), [(2 * 1) / (3 + 4), "ok"], "a repeated word counts once");
  assert.equal(await agreementOf("Fire!"), [0, "ok"]);
  const two = defineDataset({
    name: "two",
    graph: graphFrom({ entities: [], triples: [] }),
    questions: [{ id: "q", text: "Describe.", answers: ["a wolf", "a tail swings"] }],
  });
  const run = captionRun(two, new Map([["q", "Its tail"]]), "m");
  assert.is((await score(run, two, ["CaptionAgreement"])).get("value", 0), (2 * 1) / (1 + 2));
});

test("missing is not computed, blank is an abstention that earns 0, a human caption without content words is undefined", async () => {
  assert.equal(await agreementOf(undefined), [null, "not-computed"]);
  assert.equal(await agreementOf(" \n"), [0, "ok"]);
  assert.equal(await agreementOf("a tail", "It is."), [null, "undefined"]);
});

test("it is a built-in measure by its canonical name", () => {
  assert.ok(measureNames().includes("CaptionAgreement"));
  assert.is(parseMeasure("CaptionAgreement").name, "CaptionAgreement");
  assert.throws(() => parseMeasure("CaptionAgreemnet"), /Did you mean "CaptionAgreement"\?/);
});

test("captions of entities: those with pictures and a caption, under one neutral text; the others are counted", async () => {
  assert.equal(
    task.questions.map(({ id, group, cluster, answers, images }) => [id, group, cluster, answers, images.length]),
    [
      ["Vulmar", "creature", "Vulmar", ["Vulmar is a wolf."], 1],
      ["Tail Swing", "attack", "Tail Swing", ["It swings its long tail to the left."], 2],
    ],
  );
  assert.is(new Set(task.questions.map((q) => q.text)).size, 1);
  const counted = task.card.notices.map(({ what, count, examples }) => [what, count, examples]);
  assert.equal(counted, [
    ["entities with pictures and without a human caption: not asked about", 1, ["Leap"]],
    ["entities with a caption and without a picture: not asked about", 1, ["Roar"]],
  ]);
  assert.is(task.graph.entities.numRows(), 0, "descriptions in the graph would give the captions away");
  assert.is(task.licence, "CC0");
  const clustered = captionDataset(dataset, { of: "entities", cluster: () => "Vulmar", caption: ({ id }) => `${id}!` });
  assert.equal(
    clustered.questions.map((q) => [q.cluster, q.answers[0]]),
    [
      ["Vulmar", "Vulmar!"],
      ["Vulmar", "Tail Swing!"],
      ["Vulmar", "Leap!"],
    ],
  );
});

test("captions of questions keep group and cluster", () => {
  const asked = captionDataset(dataset, { of: "questions" });
  assert.equal(
    asked.questions.map(({ id, text, group, cluster, answers }) => [id, text, group, cluster, answers]),
    [["1", "Describe what the pictures show.", "I", "Vulmar", ["A wolf roars."]]],
  );
  assert.is(asked.clusterName, "creature");
});

test("neither a query nor a run's evidence holds the human caption", () => {
  const run = captionRun(task, new Map(), "none");
  for (const { query, evidence } of run.items) {
    assert.not.match(JSON.stringify(query), /tail|wolf|Vulmar|swing/i);
    assert.equal(evidence, { hits: [] });
  }
});

test("a run of stored captions says what it used, what was missing and what nobody asked for", async () => {
  const captions = new Map([
    ["Tail Swing", "a long tail"],
    ["Roar", "loud"],
    ["__proto__", "x"],
  ]);
  const run = captionRun(task, captions, "model-x");
  assert.is(run.label, "model-x");
  const { hash, ...said } = run.config.captions as Record<string, unknown>;
  assert.equal(said, {
    name: "model-x",
    given: 3,
    used: 1,
    missing: { count: 1, examples: ["Vulmar"] },
    unused: { count: 2, examples: ["Roar", "__proto__"] },
  });
  assert.is.not(hash, (captionRun(task, new Map(), "model-x").config.captions as typeof said).hash);
  const rows = (await score(run, task, ["CaptionAgreement"])).objects() as Record<string, unknown>[];
  assert.equal(
    rows.map(({ run, question, group, value, status }) => [run, question, group, value, status]),
    [
      ["model-x", "Vulmar", "creature", null, "not-computed"],
      ["model-x", "Tail Swing", "attack", (2 * 2) / (2 + 4), "ok"],
    ],
  );
});

test("a captioner is a reader like any other; one that breaks scores failed", async () => {
  const live = await answer(captionRun(task, new Map(), "live"), async (query) => {
    if (query.images.length > 1) throw new Error("too many pictures");
    return { text: "a wolf", status: "ok", citedRanks: [], tokens: 0, costUsd: 0, stop: "" };
  });
  const rows = (await score(live, task, ["CaptionAgreement"])).objects() as { value: number | null; status: string }[];
  // human: vulmar wolf
  assert.equal(
    rows.map(({ value, status }) => [value, status]),
    [
      [(2 * 1) / (1 + 2), "ok"],
      [null, "failed"],
    ],
  );
});

test("wrong input is an error that names it", () => {
  assert.throws(
    () => captionDataset(dataset, { of: "entitys" as never }),
    /unknown kind of pictures.*Did you mean "entities"/,
  );
  assert.throws(
    () => captionDataset(dataset, { of: "entities", captions: 1 } as never),
    /unknown option \("captions"\)/,
  );
  assert.throws(
    () => captionDataset(dataset, { of: "entities", caption: () => 3 as never }),
    /the caption of "Vulmar" is not text \(3\)/,
  );
  assert.throws(
    () => captionDataset(dataset, { of: "entities", caption: () => "" }),
    /no entities of mine have both a picture and a human caption/,
  );
  const blank = captionDataset(dataset, { of: "entities", caption: ({ id }) => (id === "Leap" ? " \n" : "It leaps.") });
  assert.not(
    blank.questions.some(({ id }) => id === "Leap"),
    "a caption of blanks is none",
  );
  assert.throws(() => captionRun(task, { a: "b" } as never, "m"), /captions is not a Map/);
  assert.throws(() => captionRun(task, new Map([["a", 3]]) as never, "m"), /the caption of "a" is not text \(3\)/);
  assert.throws(() => captionRun(task, new Map(), ""), /name is not a non-empty string/);
});

test("on bestiary, the human captions agree with themselves wholly, and with another's partly", async () => {
  const world = await loadDataset("bestiary");
  const clips = captionDataset(world, { of: "entities" });
  const human = clips.questions.map((q) => [q.id, q.answers[0]] as const);
  const mean = async (captions: Map<string, string>) => {
    const values = (await score(captionRun(clips, captions, "m"), clips, ["CaptionAgreement"])).array("value");
    return [...(values as number[])].reduce((a, b) => a + b, 0) / values.length;
  };
  assert.is(await mean(new Map(human as [string, string][])), 1);
  const shifted = human.map(([id], i) => [id, human[(i + 7) % human.length]![1]] as [string, string]);
  const other = await mean(new Map(shifted));
  assert.ok(other > 0.02 && other < 0.6, `${other}`);
  assert.is((await clips.splits.train()).questions[0]!.text, "Describe what the pictures show.");
});

test.run();
