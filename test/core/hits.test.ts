import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Hit, hitId, rankHits } from "../../lib/core/index.js";

const test = suite("identity and order of hits");

test("a triple, a passage and a text of the same name are different hits; equal ones have one id", () => {
  const hits: Hit[] = [
    { score: 1, triple: "t1" },
    { score: 1, passage: "t1" },
    { score: 1, text: "t1" },
    { score: 1, path: ["t1"] },
  ];
  assert.is(new Set(hits.map(hitId)).size, 4);
  assert.is(hitId({ score: 1, triple: "t1" }), "t1");
  for (const hit of hits) assert.is(hitId({ ...hit, score: 2, via: "other" }), hitId(hit));
});

test("equal scores go by id of whatever kind, whole numbers by value, and the order given does not matter", () => {
  const hits: Hit[] = [
    { score: 1, passage: "10" },
    { score: 1, passage: "9" },
    { score: 1, triple: "9" },
    { score: 2, triple: "z" },
    { score: 1, passage: "a" },
  ];
  const shown = (list: readonly Hit[]) => rankHits(list).map((h) => h.triple ?? `passage ${h.passage}`);
  const expected = ["z", "9", "passage 9", "passage 10", "passage a"];
  assert.equal(shown(hits), expected);
  assert.equal(shown([...hits].reverse()), expected);
});

test.run();
