import { suite } from "uvu";
import * as assert from "uvu/assert";
import { refuseUnknown } from "../../lib/core/index.js";

const test = suite("unknown keys");
const message = (object: unknown, kind?: string): string => {
  try {
    refuseUnknown("place", object, ["alpha", "beta"], kind);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

test("known keys and undefined pass; an unknown one is named with what is known and the nearest", () => {
  for (const fine of [undefined, {}, { alpha: undefined }, { alpha: 1, beta: 2 }]) assert.is(message(fine), "");
  assert.is(message({ beta: 1, alhpa: 1 }), 'place: unknown key ("alhpa"). Known: alpha, beta. Did you mean "alpha"?');
  assert.is(message({ toString: 1 }, "option"), 'place: unknown option ("toString"). Known: alpha, beta.');
});

test("what is no object is refused with its value", () => {
  assert.is(message(null), "place: not an object of keys (null). Known: alpha, beta.");
  assert.is(message(["alpha"], "option"), 'place: not an object of options (["alpha"]). Known: alpha, beta.');
  assert.is(message(7, "key of labels"), "place: not an object of keys of labels (7). Known: alpha, beta.");
  assert.is(message(7, "gold key"), "place: not an object of gold keys (7). Known: alpha, beta.");
  assert.is(message("alpha"), 'place: not an object of keys ("alpha"). Known: alpha, beta.');
});

test.run();
