import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encoder, encoderNames } from "../../lib/embed/index.js";

const test = suite("embed: hash encoder");
// made by test/golden/hash/make.py (Python, standard library)
const golden = JSON.parse(readFileSync(new URL("../golden/hash/vectors.json", import.meta.url), "utf8")) as {
  texts: string[];
  corpus: string[];
  dim: number;
  plain: number[][];
  fitted: number[][];
};
const near = (found: Float32Array, wanted: number[]) => {
  assert.is(found.length, wanted.length);
  for (const [i, w] of wanted.entries())
    assert.ok(Math.abs((found[i] as number) - w) < 1e-6, `position ${i}: ${found[i]} is not ${w}`);
};
const refuses = async (run: () => Promise<unknown>, pattern: RegExp) => {
  let message = "nothing was thrown";
  await run().catch((error: Error) => (message = error.message));
  assert.match(message, pattern);
};

test("vectors equal those of an independent program, before and after fitting", async () => {
  const plain = await encoder("hash", { dim: golden.dim });
  near(await plain.encode(golden.texts), golden.plain.flat());
  near(await (plain.fit as NonNullable<typeof plain.fit>)(golden.corpus).encode(golden.texts), golden.fitted.flat());
});

test("a row has length 1, or is zero when the text has no letter or digit", async () => {
  const e = await encoder("hash");
  const texts = ["red fox", "", " \t\n", "…!?", "x"];
  const rows = await e.encode(texts);
  const lengths = texts.map((_, i) => Math.hypot(...rows.subarray(i * e.dim, (i + 1) * e.dim)));
  for (const [i, wanted] of [1, 0, 0, 0, 1].entries())
    assert.ok(Math.abs((lengths[i] as number) - wanted) < 1e-6, `${texts[i]}: ${lengths[i]}`);
});

test("a text's row does not depend on the texts encoded with it, however long they are", async () => {
  const e = await encoder("hash");
  const alone = await e.encode(["red fox"]);
  const among = await e.encode(["x".repeat(5000), "red fox", "many short words ".repeat(400)]);
  assert.equal(among.slice(e.dim, 2 * e.dim), alone);
});

test("related spellings are nearer than unrelated words, and case does not count", async () => {
  const e = await encoder("hash");
  const rows = await e.encode(["administrative territory", "Administrative Territories", "blue whale"]);
  const cosine = (i: number, j: number) => {
    let sum = 0;
    for (let d = 0; d < e.dim; d++) sum += (rows[i * e.dim + d] as number) * (rows[j * e.dim + d] as number);
    return sum;
  };
  assert.ok(cosine(0, 1) > 0.6, String(cosine(0, 1)));
  // two unrelated texts share hash positions by chance: |cosine| ~ 1/sqrt(512) = 0.044
  assert.ok(Math.abs(cosine(0, 2)) < 0.2, String(cosine(0, 2)));
  assert.equal(await e.encode(["RED FOX"]), await e.encode(["red fox"]));
});

test("the revision tells options and fitted corpora apart, and nothing else", async () => {
  const a = await encoder("hash");
  const fit = a.fit as NonNullable<typeof a.fit>;
  const revisions = [
    a.revision,
    (await encoder("hash", { dim: 256 })).revision,
    (await encoder("hash", { ngramMax: 4 })).revision,
    fit(["a", "b"]).revision,
    fit(["ab"]).revision,
  ];
  assert.is(new Set(revisions).size, revisions.length);
  assert.is((await encoder("hash", { ngramMax: 5, dim: 512 })).revision, a.revision);
  assert.is(fit(["a", "b"]).revision, fit(["a", "b"]).revision);
});

test("unknown names, options and values are refused with what is allowed", async () => {
  await refuses(
    () => encoder("hassh"),
    /^encoder: unknown encoder \("hassh"\)\. Known: .*hash.* Did you mean "hash"\?$/,
  );
  await refuses(() => encoder("constructor"), /unknown encoder/);
  await refuses(() => encoder("hash", { dims: 3 }), /unknown option \("dims"\).*Did you mean "dim"\?/);
  await refuses(
    () => encoder("hash", { dim: 0 }),
    /option dim has a wrong value \(0\)\. It takes an integer from 8 to 65536/,
  );
  await refuses(() => encoder("hash", { ngramMin: 4, ngramMax: 3 }), /ngramMin exceeds ngramMax \(4 > 3\)/);
  await refuses(
    async () => (await encoder("hash")).encode(["a", null as unknown as string]),
    /item 1 is not text \(null\)/,
  );
});

test("names are listed by modality", () => {
  assert.ok(encoderNames("text").includes("hash") && encoderNames("image").includes("pixels"));
  assert.equal([...encoderNames("image"), ...encoderNames("text")].sort(), encoderNames());
});

test.run();
