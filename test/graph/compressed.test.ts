import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSource } from "../../lib/graph/formats/compressed.js";

const test = suite<{ dir: string }>("compressed sources");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const put = (dir: string, name: string, data: string | Uint8Array): string => {
  writeFileSync(join(dir, name), data);
  return join(dir, name);
};
const textOf = async (path: string) => Buffer.from(await (await openSource("test", path)).bytes()).toString();

async function rejects(act: () => Promise<unknown>, message: RegExp): Promise<void> {
  try {
    await act();
  } catch (error) {
    assert.is((error as Error).constructor.name, "MkgError", String(error));
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable(`no error ${message}`);
}

test("gzip is told by its bytes, and the name without .gz says the format", async ({ dir }) => {
  const packed = gzipSync("a\tr\tb\n");
  for (const [name, data, format] of [
    ["t.tsv.gz", packed, "t.tsv"],
    ["t.tsv", packed, "t.tsv"],
    ["u.TSV.GZ", packed, "u.TSV"],
    ["plain.tsv.gz", "a\tr\tb\n", "plain.tsv"],
    [".gz", packed, ".gz"],
  ] as const) {
    const path = put(dir, name, data);
    const source = await openSource("test", path);
    assert.is(source.name, format);
    assert.is(source.path, path);
    assert.is(await textOf(path), "a\tr\tb\n");
  }
});

test("several members in a row are one file, zeros after them padding, other bytes an error", async ({ dir }) => {
  const two = Buffer.concat([gzipSync("one\n"), gzipSync("two\n")]);
  assert.is(await textOf(put(dir, "two.gz", two)), "one\ntwo\n");
  assert.is(await textOf(put(dir, "padded.gz", Buffer.concat([two, Buffer.alloc(512)]))), "one\ntwo\n");
  await rejects(
    () => textOf(put(dir, "garbage.gz", Buffer.concat([two, Buffer.from("garbage")]))),
    /garbage\.gz: damaged gzip \(other bytes follow its end, after \d+ decompressed bytes\)\. A whole gzip file\..*gzip -t/,
  );
});

test("a gzip cut off at any byte, and one with any byte of its data or checksum changed, is an error", async ({
  dir,
}) => {
  const packed = gzipSync(Array.from({ length: 300 }, (_, i) => `e${i}\tr\te${(i * 7919) % 300}\n`).join(""));
  for (let length = 2; length < packed.length; length += 37)
    await rejects(
      () => textOf(put(dir, "cut.gz", packed.subarray(0, length))),
      /cut\.gz: damaged gzip \(it ends too early/,
    );
  for (let at = 10; at < packed.length; at += 41) {
    const changed = Buffer.from(packed);
    changed[at]! ^= 0x20;
    await rejects(() => textOf(put(dir, "changed.gz", changed)), /changed\.gz: damaged gzip/);
  }
});

test("a bomb is refused as soon as it is above a bound, which the error states", async ({ dir }) => {
  // 1,000 to 1: 80 MiB of zeros from 80 kB
  const bomb = put(dir, "bomb.tsv.gz", gzipSync(Buffer.alloc(80 * 2 ** 20)));
  let seen = 0;
  await rejects(async () => {
    for await (const chunk of (await openSource("test", bomb)).stream()) seen += chunk.length;
  }, /bomb\.tsv\.gz: too large once decompressed.*and 300 times the file's own size above 67108864\. .*gunzip/);
  assert.ok(seen <= 64 * 2 ** 20 + 2 ** 18, `${seen} bytes were handed on`);
  // what is not held costs nothing: the sizes are those of holes
  const plain = put(dir, "plain.tsv", "");
  truncateSync(plain, 512 * 2 ** 20 + 1);
  await rejects(() => textOf(plain), /plain\.tsv: too large to be held in memory \(536870913 bytes\).*jsonl/);
});

test("other wrappings are named with the program that unpacks them", async ({ dir }) => {
  await rejects(
    () => textOf(put(dir, "t.csv", zipSync({ "t.csv": Buffer.from("id\n") }))),
    /t\.csv: a zip archive\. .*Unpack it: unzip/,
  );
  await rejects(() => textOf(put(dir, "t.csv.bz2", Buffer.from("BZh91AY"))), /compressed with bzip2.*bunzip2/);
  await rejects(
    () => textOf(put(dir, "t.xz", Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]))),
    /compressed with xz.*unxz/,
  );
  await rejects(
    () => textOf(put(dir, "t.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]))),
    /compressed with zstd.*unzstd/,
  );
  await rejects(() => textOf(put(dir, "t.gz", gzipSync(gzipSync("a")))), /t\.gz: compressed twice/);
  // deflate without a wrapping has no mark: it is what it is, bytes
  assert.ok((await textOf(put(dir, "raw", deflateRawSync("abc")))).length > 0);
});

test("what is no file is an error that says what to do", async ({ dir }) => {
  await rejects(
    () => openSource("test", join(dir, "none.tsv")),
    /cannot read the file \(.*none\.tsv\)\. There is no such file/,
  );
  await rejects(() => openSource("test", dir), /not a file/);
  const file = put(dir, "a.tsv", "");
  assert.is(await textOf(file), "");
});

test("a reader that stops early closes the file", async ({ dir }) => {
  const path = put(dir, "big.gz", gzipSync(Buffer.alloc(2 ** 22, "line\n")));
  for (let i = 0; i < 3; i++)
    for await (const chunk of (await openSource("test", path)).stream()) {
      assert.ok(chunk.length > 0);
      break;
    }
  rmSync(path);
});

test.run();
