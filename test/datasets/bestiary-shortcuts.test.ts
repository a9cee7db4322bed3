import { suite } from "uvu";
import * as assert from "uvu/assert";
import { measureShortcuts } from "../../lib/cli/bestiary-shortcuts.js";
import { bestiary, type Dataset, loadDataset } from "../../lib/datasets/index.js";

const test = suite("bestiary shortcuts");
const plain = await loadDataset("bestiary");

/** Right answers in sub-task II (109 questions), by answerer. */
async function rightOf(dataset: Dataset, only: readonly string[]): Promise<Record<string, number>> {
  const rows = await measureShortcuts(dataset, { only });
  const count: Record<string, number> = {};
  for (const { run, group, value } of rows) if (group.startsWith("II ")) count[run] = (count[run] ?? 0) + (value ?? 0);
  return count;
}
const words = (text: string) =>
  ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()} `;
const cheap = ["majority", "text, nearest", "text, learned", "caption, named", "caption, nearest"];
const before = await rightOf(plain, cheap);

test("nothing planted: who lacks the picture or the question names under a twentieth of the attacks shown", async () => {
  // about six attacks a creature: one in six could be guessed if one knew which they are in this world
  for (const name of ["majority", "text, nearest", "text, learned"])
    assert.ok((before[name] as number) <= 0.05 * 109, `${name}: ${before[name]}`);
  assert.is(before["caption, named"], 0);
  const { "image, first frame": first } = await rightOf(plain, ["image, first frame"]);
  assert.ok((first as number) <= 0.05 * 109, `${first}`);
});

test("textShortcut is found by those that read questions, and moves nobody else", async () => {
  const found = await rightOf(await loadDataset("bestiary", { textShortcut: 1 }), cheap);
  // 0.6 of the attacks stand in other worlds too: a text answerer may know that many of those that training asks for
  for (const name of ["text, nearest", "text, learned"])
    assert.ok((found[name] as number) - (before[name] as number) > 0.25 * 109, `${name}: ${found[name]}`);
  for (const name of ["majority", "caption, named", "caption, nearest"]) assert.is(found[name], before[name], name);
});

test("textShortcut is the share of clip questions whose text tells the act; text questions and all else stay as they are", () => {
  const usual = bestiary("leak").questions;
  for (const [share, allowed] of [
    [1, 0],
    // 214 clip questions, standard deviation 7.3
    [0.5, 22],
  ] as const) {
    const leaky = bestiary("leak", { textShortcut: share }).questions;
    let told = 0;
    for (const [i, q] of leaky.entries()) {
      const own = usual[i] as typeof q;
      assert.equal({ ...q, text: "", images: [] }, { ...own, text: "", images: [] });
      assert.ok(q.text.endsWith(own.text));
      if (q.meta.attack === undefined) assert.is(q.text, own.text);
      else if (q.text !== own.text) told++;
      for (const a of q.answers) assert.not.ok(words(q.text).includes(words(a)), `${q.text} | ${a}`);
    }
    const clips = leaky.filter((q) => q.meta.attack !== undefined).length;
    assert.ok(Math.abs(told - share * clips) <= allowed, `${told} of ${clips}`);
  }
});

test("imageShortcut is found in frames that do not show the act, and does not touch a word", async () => {
  const marked = await loadDataset("bestiary", { imageShortcut: 1 });
  const { "image, first frame": found } = await rightOf(marked, ["image, first frame"]);
  assert.ok((found as number) > 0.35 * 109, `${found}`);
  const wording = (d: Dataset) => d.questions.map((q) => [q.id, q.text, q.answers, q.gold, q.meta]);
  assert.equal(wording(marked), wording(plain));
});

test("captionShortcut is the share of captions that name the attack, and is found by looking for names", async () => {
  for (const [share, allowed] of [
    [1, 0],
    // 109 questions, standard deviation 5.2
    [0.5, 16],
  ] as const) {
    const d = await loadDataset("bestiary", { captionShortcut: share });
    const found = await rightOf(d, ["caption, named", "text, nearest", "majority"]);
    assert.ok(Math.abs((found["caption, named"] as number) - share * 109) <= allowed, `${found["caption, named"]}`);
    assert.is(found["text, nearest"], before["text, nearest"]);
    assert.is(found.majority, before.majority);
  }
});

test("answerSkew gives one answer of each kind that share, in all worlds the same one, and the majority finds it", async () => {
  const skewed = await loadDataset("bestiary", { answerSkew: 0.6 });
  const { majority } = await rightOf(skewed, ["majority"]);
  // 109 questions of one kind, standard deviation 5.1; a few of the others have the answer anyway
  assert.ok(Math.abs((majority as number) - 0.6 * 109) < 16, `${majority}`);
  const most = (d: Dataset) => {
    const counts = new Map<string, number>();
    for (const q of d.questions.filter((q) => q.meta.kind === "recognise"))
      counts.set(q.answers[0] as string, (counts.get(q.answers[0] as string) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  };
  const favourite = most(skewed);
  assert.is(most(await skewed.splits.validation()), favourite);
  assert.is(most(await skewed.splits.train()), favourite);
  assert.is(most(await loadDataset("bestiary", { answerSkew: 0.6, seed: 9 })), favourite);
  // how often, not what: the graph is the same, and no clip is shown twice
  assert.equal(bestiary("x", { answerSkew: 1 }).triples, bestiary("x").triples);
  const clips = skewed.questions.flatMap((q) => q.images.map((i) => i.id));
  assert.is(new Set(clips).size, clips.length);
});

test("the card says what was planted, and nothing when nothing was", async () => {
  const planted = (d: Dataset) => d.card.notices.filter((n) => n.what.startsWith("leaks planted on purpose"));
  assert.equal(planted(plain), []);
  const both = await loadDataset("bestiary", { creatures: 3, imageShortcut: 0.25, answerSkew: 1 });
  assert.equal(
    planted(both).map((n) => n.examples),
    [["imageShortcut 0.25", "answerSkew 1"]],
  );
});

test("measured anew, shortcuts are the same; a question without a clip has no value for those that look at clips", async () => {
  const small = await loadDataset("bestiary", { creatures: 3, trainWorlds: 1 });
  const first = await measureShortcuts(small);
  assert.equal(await measureShortcuts(await loadDataset("bestiary", { creatures: 3, trainWorlds: 1 })), first);
  assert.is(first.length, 8 * small.questions.length);
  for (const row of first) {
    const isBlind = /^(?:image|caption), /.test(row.run) && row.group.startsWith("I ");
    assert.is(row.status, isBlind ? "not-computed" : "ok");
    assert.is(row.value === null, isBlind);
  }
});

test("measuring stops when told to", async () => {
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  let message = "";
  await measureShortcuts(plain, { signal: controller.signal }).catch((error: Error) => {
    message = error.message;
  });
  assert.is(message, "enough");
});

test.run();
