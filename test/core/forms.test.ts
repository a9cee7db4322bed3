import { suite } from "uvu";
import * as assert from "uvu/assert";
import { matchForm, nearestForm, oneOfForms, resolveOptions } from "../../lib/core/index.js";

const test = suite("forms of option values");
const forms = ["none", "all", "uniform:n"];
const specs = { frames: oneOfForms(forms, { default: "all", doc: "which" }) };
const message = (value: unknown): string => {
  try {
    resolveOptions("place", specs, { frames: value });
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

test("a name fits itself, a form any integer ≥ 1 in its shortest writing, so that one level has one name", () => {
  assert.equal(matchForm(forms, "none"), { form: "none", n: 0 });
  assert.equal(matchForm(forms, "uniform:12"), { form: "uniform:n", n: 12 });
  for (const other of [
    "uniform",
    "uniform:",
    "uniform:0",
    "uniform:01",
    "uniform:1.0",
    "uniform:+1",
    "uniform: 1",
    "uniform:n",
  ])
    assert.is(matchForm(forms, other), undefined, other);
  for (const other of ["all:1", "uniform:1:2", "uniform:9007199254740992", "valueOf", 1, null, ["all"]])
    assert.is(matchForm(forms, other), undefined, String(other));
});

test("a wrong value is an error that lists the forms and says what was probably meant", () => {
  const allowed = 'It takes one of "none", "all", "uniform:n", n an integer ≥ 1.';
  assert.is(
    message("unifrom:8"),
    `place: option frames has a wrong value ("unifrom:8"). ${allowed} Did you mean "uniform:8"?`,
  );
  assert.is(
    message("uniform"),
    `place: option frames has a wrong value ("uniform"). ${allowed} Did you mean "uniform:4"?`,
  );
  assert.is(message("zebra"), `place: option frames has a wrong value ("zebra"). ${allowed}`);
  assert.is(message(4), `place: option frames has a wrong value (4). ${allowed}`);
  assert.is(nearestForm(forms, 4), undefined);
  for (const fine of ["none", "uniform:3", undefined]) assert.is(message(fine), "");
});

test.run();
