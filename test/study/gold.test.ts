import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { type Reader, reader } from "../../lib/answer/index.js";
import { type Dataset, defineDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { type Retriever, retriever } from "../../lib/retrieve/index.js";
import { study } from "../../lib/study/index.js";
import { type Agents, scoredAgents } from "../../lib/walk/index.js";
import { reach } from "../support/reach.js";

// Every gold field holds a word that stands nowhere else; the gold path and triples are the only list objects with their content.
const secrets = ["SECRETANSWER", "SECRETGROUP", "SECRETCLUSTER", "SECRETQUESTION", "SECRETMETA", "SECRETIMAGE"];
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
function secretDataset(): Dataset {
  const questions = ["north", "south"].map((place, i) => ({
    id: `SECRETQUESTION-${i}`,
    text: `What lives in the ${place}, Amru?`,
    images: [bytesImage(png, "SECRETIMAGE")],
    answers: ["SECRETANSWER"],
    group: "SECRETGROUP",
    cluster: "SECRETCLUSTER",
    gold: { paths: [["amru", place]], pathTriples: [[`t-${place}`]], triples: [`t-${place}`] },
    meta: { hidden: "SECRETMETA", shown: "visible" },
  }));
  const graph = graphFrom({
    entities: ["amru", "north", "south"].map((id) => ({ id, label: id })),
    triples: ["north", "south"].map((place) => ({ id: `t-${place}`, head: "amru", relation: "lives in", tail: place })),
  });
  return defineDataset({
    name: "secret",
    graph,
    questions,
    visibleMeta: ["shown"],
    splits: {
      train: () =>
        defineDataset({
          name: "secret",
          split: "train",
          graph,
          questions: [{ id: "t", text: "Where?", answers: ["north"] }],
        }),
    },
  });
}

const dataset = secretDataset();
const golds = new Set<unknown>(
  dataset.questions.flatMap((q) => [
    q,
    q.gold,
    q.gold?.paths,
    q.gold?.triples,
    q.gold?.pathTriples,
    q.answers,
    q.meta,
    q.images,
  ]),
);
/** What was found of the secrets, and of the gold objects themselves. */
function leaks(...roots: unknown[]): string[] {
  const found: string[] = [];
  for (const value of reach(roots)) {
    if (golds.has(value)) found.push("a gold object");
    if (typeof value === "string" && secrets.some((secret) => value.includes(secret))) found.push(value);
  }
  return found;
}
const run = (base: Record<string, unknown>, controls: string[] = []) =>
  study({ dataset, base, controls, dir: mkdtempSync(join(tmpdir(), "gold-")) }).run({ concurrency: 1 });

test("the search for secrets finds them where they are: a question, and a data set", () => {
  assert.ok(leaks(dataset.questions[0]).length > 5);
  assert.ok(leaks(dataset).includes("a gold object"));
});

test("from inside a retriever nothing reaches answers, gold, group, cluster or the question's id, in the base and inside every control", async () => {
  const found: string[] = [];
  let calls = 0;
  const spy: Retriever = (...given) => {
    calls++;
    found.push(...leaks(...given));
    return [{ path: ["amru", "north"], pathTriples: ["t-north"], score: 1 }];
  };
  const prepared: Retriever = Object.assign((...given: Parameters<Retriever>) => spy(...given), {
    prepare: (context: unknown) => void found.push(...leaks(context)),
  });
  await run({ retriever: spy, reader: "extractive" }, ["text-only", "random-path", "oracle"]);
  await run({ retriever: prepared });
  // two questions: base, text-only, and the two kinds of random-path, which run what they replace; then the base again
  assert.is(calls, 2 * 4 + 2);
  assert.equal(found, []);
});

test("from inside the walk's agents nothing reaches gold", async () => {
  const found: string[] = [];
  const seen = new Set<string>();
  const agents = Object.fromEntries(
    (["topic", "expansion", "validation"] as const).map((name) => [
      name,
      (view: never) => {
        seen.add(name);
        found.push(...leaks(view));
        return (scoredAgents[name] as (view: never) => unknown)(view);
      },
    ]),
  ) as unknown as Agents;
  await run({ retriever: retriever("walk", { agents }) });
  assert.equal([...seen].sort(), ["expansion", "topic", "validation"]);
  assert.equal(found, []);
});

test("from inside a reader nothing reaches gold, and neither under the controls; what a learner fits on holds no test question", async () => {
  const found: string[] = [];
  let calls = 0;
  const extractive = reader("extractive");
  const spy: Reader = Object.assign(
    (...given: Parameters<Reader>) => {
      calls++;
      found.push(...leaks(...given));
      return extractive(...given);
    },
    { fit: (context: unknown) => void found.push(...leaks(context)) },
  );
  await run({ retriever: "bm25", reader: spy }, ["question-only", "closed-book", "text-only"]);
  assert.is(calls, 2 * 4);
  assert.equal(found, []);
});

test("a query is frozen through and through: what one part writes cannot reach another", async () => {
  const attempts: string[] = [];
  const vandal: Retriever = (query, context) => {
    for (const [name, change] of Object.entries({
      text: () => Object.assign(query, { text: "x" }),
      image: () => (query.images as unknown[]).push(1),
      meta: () => Object.assign(query.meta, { shown: "y" }),
      context: () => Object.assign(context, { k: 99 }),
      candidates: () => (context.candidates as unknown[]).pop(),
    }))
      try {
        change();
        attempts.push(name);
      } catch {
        // refused, as it must be
      }
    return [];
  };
  await run({ retriever: vandal });
  assert.equal(attempts, []);
});

test.run();
