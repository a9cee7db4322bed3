import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { captioner, captionImages, embed, encoder } from "../../lib/embed/index.js";
import { bytesImage } from "../../lib/media/index.js";

const test = suite<{ dir: string }>("kept vectors and captions");
test.before.each((c) => {
  c.dir = mkdtempSync(join(tmpdir(), "cache-"));
});
test.after.each((c) => rmSync(c.dir, { recursive: true }));

const items = Array.from({ length: 40 }, (_, i) => `text ${i % 30}`);
/** An encoder that counts what it is asked. */
const counting = async (revision = "1", name = "counting") => {
  const asked: string[] = [];
  const e = await encoder(
    (texts: readonly string[]) => {
      asked.push(...texts);
      return texts.map((t) => [t.length, t.charCodeAt(t.length - 1), 1]);
    },
    { name, revision, modality: "text", dim: 3 },
  );
  return { e, asked };
};
const fileOf = (dir: string) => join(dir, "vectors", readdirSync(join(dir, "vectors"))[0] as string);

test("vectors are those without a cache, equal items are encoded once, and a second run encodes nothing", async ({
  dir,
}) => {
  const { e, asked } = await counting();
  const plain = await embed(items, e);
  assert.is(asked.length, 30);
  const first = await embed(items, e, { cache: dir, batch: 7 });
  assert.equal(first.data, plain.data);
  assert.is(asked.length, 60);
  const again = await embed([...items].reverse(), e, { cache: dir });
  assert.is(asked.length, 60);
  assert.equal(again.data, (await embed([...items].reverse(), e)).data);
});

test("another revision, name or length shares nothing", async ({ dir }) => {
  const { e } = await counting();
  await embed(items, e, { cache: dir });
  for (const other of [await counting("2"), await counting("1", "count")]) {
    await embed(items, other.e, { cache: dir });
    assert.is(other.asked.length, 30);
  }
  assert.is(readdirSync(join(dir, "vectors")).length, 3);
});

test("a job that is stopped goes on where it was", async ({ dir }) => {
  const { e, asked } = await counting();
  const stop = new AbortController();
  let ticks = 0;
  const error = await embed(items, e, {
    cache: dir,
    batch: 5,
    signal: stop.signal,
    onProgress: () => ++ticks === 3 && stop.abort(new Error("enough")),
  }).catch((x) => x);
  assert.is(error.message, "enough");
  const done = asked.length;
  assert.ok(done > 0 && done < 30);
  await embed(items, e, { cache: dir });
  assert.equal([asked.length, new Set(asked).size], [30, 30]);
});

test("a record that was cut or damaged is made anew, wherever it stands, and what follows it is kept", async ({
  dir,
}) => {
  const { e, asked } = await counting();
  const { data } = await embed(items, e, { cache: dir });
  const path = fileOf(dir);
  const record = statSync(path).size / 30;
  const bytes = readFileSync(path);
  const cases: [string, Buffer, number][] = [
    ["cut tail", bytes.subarray(0, bytes.length - 5), 1],
    [
      "cut in the middle, then appended to",
      Buffer.concat([bytes.subarray(0, record * 3 - 9), bytes.subarray(record * 3)]),
      1,
    ],
    ["a flipped bit", Buffer.from(bytes.map((b, i) => (i === record * 10 + 40 ? b ^ 1 : b))), 1],
    [
      "rubbish between",
      Buffer.concat([bytes.subarray(0, record), Buffer.from("rubbish vgkm rubbish"), bytes.subarray(record)]),
      0,
    ],
  ];
  for (const [what, damaged, lost] of cases) {
    writeFileSync(path, damaged);
    asked.length = 0;
    assert.equal((await embed(items, e, { cache: dir })).data, data, what);
    assert.is(asked.length, lost, what);
  }
});

test("a file without any vector is refused by its path, and so is what cannot be written", async ({ dir }) => {
  const { e } = await counting();
  await embed(items.slice(0, 1), e, { cache: dir });
  const path = fileOf(dir);
  writeFileSync(path, "x".repeat(1000));
  const message = (promise: Promise<unknown>) =>
    promise.then(
      () => "nothing was thrown",
      (error: Error) => error.message,
    );
  assert.match(
    await message(embed(items, e, { cache: dir })),
    /^embed, cache: no vectors in the file, which is not empty \(.*counting-.*\.vec\)\. .* Remove it/,
  );
  truncateSync(path, 0);
  await embed(items, e, { cache: dir });
  assert.ok((await message(embed(items, e, { cache: path }))).includes(path));
});

test("two at once lose nothing", async ({ dir }) => {
  const { e } = await counting();
  const [a, b] = await Promise.all([
    embed(items, e, { cache: dir, batch: 3 }),
    embed([...items].reverse(), e, { cache: dir, batch: 4 }),
  ]);
  assert.equal(a.data, (await embed(items, e)).data);
  assert.equal(b.data, (await embed([...items].reverse(), e)).data);
  const { e: third, asked } = await counting();
  await embed(items, third, { cache: dir });
  assert.is(asked.length, 0);
});

test("hash is quicker than a disk and writes nothing", async ({ dir }) => {
  await embed(items, await encoder("hash"), { cache: dir });
  assert.equal(readdirSync(dir), []);
});

test("pictures are told apart by content", async ({ dir }) => {
  let asked = 0;
  const e = await encoder(
    (images: readonly Image[]) => {
      asked += images.length;
      return images.map(() => [1, 2]);
    },
    { name: "seen", revision: "1", modality: "image", dim: 2 },
  );
  const bytes = (n: number) => new Uint8Array([n]);
  await embed([bytesImage(bytes(1), "a"), bytesImage(bytes(1), "b"), bytesImage(bytes(2), "c")] as never, e as never, {
    cache: dir,
  });
  assert.is(asked, 2);
});

const svg = (body: string) =>
  new TextEncoder().encode(
    `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="#fff"/>${body}</svg>`,
  );
const japan = bytesImage(svg('<circle cx="15" cy="10" r="6" fill="#bc002d"/>'), "japan");

test("colours names the basic colour terms that cover a picture, largest first", async () => {
  const own = await captioner("colours");
  assert.is(await own.caption(japan), "white and red");
  assert.is(await own.caption(bytesImage(svg('<rect width="30" height="20" fill="#006633"/>'), "g")), "green");
  assert.is(
    await own.caption(
      bytesImage(
        svg('<rect width="18" height="20" fill="#111"/><rect x="18" width="8" height="20" fill="#fc3"/>'),
        "b",
      ),
    ),
    "black, yellow and white",
  );
});

test("captions are kept by content, a cut line is made anew", async ({ dir }) => {
  let asked = 0;
  const own = {
    name: "mine",
    revision: "1",
    caption: async () => `caption ${++asked}`,
  };
  const two = [japan, bytesImage(svg(""), "blank"), bytesImage(await japan.bytes(), "again")];
  assert.equal(await captionImages(two, own, { cache: dir }), ["caption 1", "caption 2", "caption 1"]);
  const file = join(dir, "captions", readdirSync(join(dir, "captions"))[0] as string);
  truncateSync(file, statSync(file).size - 4);
  assert.equal(await captionImages(two, own, { cache: dir }), ["caption 1", "caption 3", "caption 1"]);
  appendFileSync(file, '{"key": 7}\n');
  assert.equal(await captionImages(two, own, { cache: dir }), ["caption 1", "caption 3", "caption 1"]);
  assert.is(asked, 3);
});

test.run();
