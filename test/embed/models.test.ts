import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkParity, encoder } from "../../lib/embed/index.js";
import { bytesImage } from "../../lib/media/index.js";
import { encoderLaws } from "../laws/encoder.js";

const fixtures = fileURLToPath(new URL("../fixtures/models", import.meta.url));
const modules = process.env.MKGLAB_TRANSFORMERS ?? "";
const installed = modules !== "" && existsSync(join(modules, "node_modules"));
const why = "MKGLAB_TRANSFORMERS names no folder with @huggingface/transformers and @xenova/transformers";
const models = process.env.MKGLAB_MODELS ?? "";
const hasMiniLM = installed && existsSync(join(models, "Xenova/all-MiniLM-L6-v2/onnx/model.onnx"));

const test = suite("encoders with models");
const skippable = (has: boolean, reason: string) => (name: string, run: () => Promise<void>) => {
  if (!has) console.log(`SKIP ${name}: ${reason}`);
  (has ? test : test.skip)(name, run);
};
const withPackages = skippable(installed, why);
const message = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "nothing was thrown",
    (error: Error) => `${error.name}: ${error.message}`,
  );
const close = (rows: Float32Array, wanted: readonly number[]) =>
  assert.ok(
    rows.length === wanted.length && wanted.every((x, i) => Math.abs((rows[i] as number) - x) < 1e-6),
    `${[...rows]}`,
  );
const picture = async (r: number, g: number, b: number) =>
  bytesImage(
    await sharp({ create: { width: 20, height: 10, channels: 3, background: { r, g, b } } })
      .png()
      .toBuffer(),
    `${r}${g}${b}`,
  );

for (const name of ["@huggingface/transformers", "@xenova/transformers"]) {
  const options = { models: fixtures, modules, package: name };
  withPackages(
    `${name}: a sentence's vector is the mean of its tokens' or the first's, cut where the tokenizer says`,
    async () => {
      const mean = await encoder("transformers:tiny/sentence", options);
      // [CLS] red fox [SEP] sum to (3, 0, 3, 6)
      const length = Math.sqrt(54);
      close(await mean.encode(["Red fox"]), [3 / length, 0, 3 / length, 6 / length]);
      const first = await encoder("transformers:tiny/sentence", { ...options, pooling: "cls" });
      close(await first.encode(["Red fox"]), [1, 0, 0, 0]);
      // six tokens at most: [CLS] whale whale whale whale [SEP]
      assert.equal(await mean.encode(["whale ".repeat(50)]), await mean.encode(["whale ".repeat(4)]));
      const short = await encoder("transformers:tiny/sentence", { ...options, maxTokens: 3 });
      assert.equal(await short.encode(["whale whale"]), await short.encode(["whale"]));
      assert.is(new Set([mean.revision, first.revision, short.revision]).size, 3);
    },
  );

  withPackages(
    `${name}: both halves of CLIP, as long as the model gives them and scaled to 1, in one space`,
    async () => {
      const text = await encoder("clip", { ...options, model: "tiny/clip" });
      close((await text.encodeRaw?.(["red fox"])) as Float32Array, [6, 0, 6, 12]);
      close(
        await text.encode(["red fox"]),
        [6, 0, 6, 12].map((x) => x / Math.hypot(6, 6, 12)),
      );
      const image = await encoder("clip-image", { ...options, model: "tiny/clip" });
      close((await image.encodeRaw?.([await picture(255, 0, 51)])) as Float32Array, [3, 0, 0.6, 0]);
      assert.is(text.space, image.space);
    },
  );
}

withPackages("another file is another revision; another package too", async () => {
  const folder = mkdtempSync(join(tmpdir(), "models-"));
  try {
    cpSync(fixtures, folder, { recursive: true });
    const revision = async (more = {}) =>
      (await encoder("transformers:tiny/sentence", { models: folder, modules, ...more })).revision;
    const before = await revision();
    assert.is(await revision(), before);
    assert.is.not(await revision({ package: "@xenova/transformers" }), before);
    writeFileSync(join(folder, "tiny/sentence/special_tokens_map.json"), "{}");
    assert.is.not(await revision(), before);
    writeFileSync(join(folder, "tiny/sentence/onnx/model.onnx"), "not a model");
    assert.match(
      await message(revision()),
      /^SetupError: encoder\("transformers:tiny\/sentence"\): the model does not load \(tiny\/sentence: /,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

withPackages(
  "a model that is not in its folder is an error that says where it was looked for and what is missing; nothing is fetched",
  async () => {
    assert.match(
      await message(encoder("bge", { models: fixtures, modules })),
      /^SetupError: encoder\("bge"\): the model is not in its folder \(.*fixtures\/models\/Xenova\/bge-small-en-v1\.5: config\.json, onnx\/model\.onnx missing\)/,
    );
  },
);

test("without the package the error has the command", async () => {
  const text = await message(
    encoder("minilm", { models: fixtures, modules: tmpdir(), package: "@xenova/transformers" }),
  );
  // the package may stand beside mkglab all the same: then the model is what is missing
  assert.match(
    text,
    /^SetupError: encoder\("minilm"\): (it needs a package that is not installed \(@xenova\/transformers\)\. npm install|the model is not in its folder)/,
  );
});

test("vectors that are not those of the reference are an error with the text and the cosine", async () => {
  const two = await encoder((texts: readonly string[]) => texts.map((t) => [t.length, 1]), {
    name: "two",
    revision: "1",
    modality: "text",
    dim: 2,
  });
  assert.is(
    (
      await checkParity(two, {
        texts: ["a", "abc"],
        vectors: [
          [1, 1],
          [3, 1],
        ],
      })
    ).toFixed(6),
    "1.000000",
  );
  assert.match(
    await message(checkParity(two, { texts: ["a"], vectors: [[1, 2]] })),
    /encoder two: the vector of "a" is not that of the reference \(cosine 0\.9487, 2 numbers\)\. A cosine of at least 0\.999; the encoder gives 2 numbers/,
  );
  assert.match(await message(checkParity(two, { texts: ["a"], vectors: [[1]] })), /cosine not computed, 1 numbers/);
});

skippable(hasMiniLM, "MKGLAB_MODELS names no folder with Xenova/all-MiniLM-L6-v2 in fp32")(
  "MiniLM's real weights give the vectors of the reference, and no other model may stand in for it",
  async () => {
    const minilm = await encoder("minilm", { models, modules });
    assert.is(minilm.dim, 384);
    const folder = mkdtempSync(join(tmpdir(), "models-"));
    try {
      cpSync(join(fixtures, "tiny/sentence"), join(folder, "Xenova/all-MiniLM-L6-v2"), { recursive: true });
      assert.match(
        await message(encoder("minilm", { models: folder, modules })),
        /is not that of the reference \(cosine not computed, 384 numbers\)/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.run();

if (installed) {
  const options = { models: fixtures, modules };
  const texts = ["red fox", "blue whale", "red", "whale whale fox"];
  encoderLaws("transformers:tiny/sentence", () => encoder("transformers:tiny/sentence", options) as never, texts, " ");
  encoderLaws("clip", () => encoder("clip", { ...options, model: "tiny/clip" }), texts);
  const pictures = [await picture(200, 10, 30), await picture(0, 90, 0), await picture(9, 9, 250)];
  encoderLaws("clip-image", () => encoder("clip-image", { ...options, model: "tiny/clip" }), pictures);
}
encoderLaws("hash", () => encoder("hash"), ["red fox", "blue whale", "a"], "…");
encoderLaws(
  "a function",
  () =>
    encoder((texts: readonly string[]) => texts.map((t, i) => (typeof t === "string" ? [t.length, 2] : raise(i))), {
      name: "f",
      revision: "1",
      modality: "text",
      dim: 2,
    }),
  ["a", "abc"],
);
const raise = (i: number): never => {
  throw new Error(`item ${i} is not text`);
};
