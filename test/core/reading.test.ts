import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  eachLine,
  isThere,
  JsonlLog,
  type MkgError,
  readingTrouble,
  readJsonl,
  readText,
} from "../../lib/core/index.js";
import { asNobody } from "../support/nobody.js";

const test = suite("reading files");
const work = mkdtempSync(join(tmpdir(), "mkglab-reading-"));
chmodSync(work, 0o755);
const file = (name: string, bytes: Uint8Array | string) => {
  writeFileSync(join(work, name), bytes);
  return join(work, name);
};
const failure = (work: Promise<unknown>): Promise<MkgError> =>
  work.then(
    () => assert.unreachable("no error"),
    (error) => error,
  );

/** Every way in which core reads a file. */
const readers: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  eachLine: (path) => eachLine(path, "place", () => {}),
  readJsonl: (path) => records(path),
  readText: (path) => readText(path),
  JsonlLog: (path) => JsonlLog.open(path),
};
async function records(path: string, lenient = false) {
  const read: [number, unknown][] = [];
  const refused: [number, string][] = [];
  const bad = (line: number, error: MkgError) => refused.push([line, error.problem]);
  for await (const { record, line } of readJsonl(path, "place", lenient ? bad : undefined)) read.push([line, record]);
  return { read, refused };
}

test("pipes and folders are errors at once, whoever reads, and are told apart", async () => {
  const pipe = join(work, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const [name, read] of Object.entries(readers)) {
    assert.match((await failure(read(pipe))).message, /not a file \(.*pipe\)\. It is a pipe or a device/, name);
    assert.match((await failure(read(work))).message, /not a file \(.*\)\. It is a folder; give a file/, name);
  }
});

test("why a file cannot be read is told as it is: hidden, a circle of links, too long a name, missing", async () => {
  const hidden = join(work, "hidden");
  mkdirSync(hidden);
  writeFileSync(join(hidden, "a"), "");
  chmodSync(hidden, 0);
  symlinkSync("circle", join(work, "circle"));
  for (const [path, kind, message] of [
    [join(hidden, "a"), "SetupError", /Reading is not permitted/],
    [join(work, "circle"), "SetupError", /lead in a circle/],
    [join(work, "x".repeat(300)), "SetupError", /longer than the file system allows/],
    [join(work, "none"), "MkgError", /There is no such file/],
  ] as const)
    for (const name of ["eachLine", "readJsonl", "readText"]) {
      const error = await asNobody(() => failure(readers[name]!(path)));
      assert.match(error.message, message, name);
      assert.is(error.name, kind);
    }
  assert.is(await isThere("place", join(work, "none")), false);
  assert.match((await asNobody(() => failure(isThere("place", join(hidden, "a"))))).message, /not permitted/);
  chmodSync(hidden, 0o755);
});

test("what to do about a code of the system is said in words, whatever the code", () => {
  for (const code of ["ENOENT", "EIO", "EACCES", "EISDIR", "ESTALE", "EOTHER"])
    assert.match(readingTrouble(code), /^[A-Z][a-z]+ \w+ \w+ .*; /);
});

test("a line that is not UTF-8 is refused alone, with its number and its byte; strict reading comes up to it", async () => {
  // é of Latin-1 in the third line, after `{"a":"caf`, which are 9 bytes
  const path = file("latin1.jsonl", Buffer.from('{"a":1}\n\n{"a":"caf\xe9"}\nno\n{"a":2}', "latin1"));
  const { read, refused } = await records(path, true);
  assert.equal(read, [
    [1, { a: 1 }],
    [5, { a: 2 }],
  ]);
  assert.equal(
    refused.map(([line]) => line),
    [3, 4],
  );
  const where = /not UTF-8 text \(.*latin1\.jsonl, line 3: byte 0xE9 at position 9, after "{\\"a\\":\\"caf"\)/;
  assert.match(refused[0]![1], where);
  for (const name of ["eachLine", "readJsonl", "readText"])
    assert.match((await failure(readers[name]!(path))).message, where, name);
});

test("UTF-16 with a byte order mark is read as the same text; its damage is an error", async () => {
  const text = '{"a":"é😀"}\r\n{"a":2}\n';
  const little = Buffer.from(`\uFEFF${text}`, "utf16le");
  for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(`\uFEFF${text}`)]) {
    const path = file("utf16.jsonl", bytes);
    assert.equal((await records(path)).read, [
      [1, { a: "é😀" }],
      [2, { a: 2 }],
    ]);
    assert.is(await readText(path), text);
  }
  // a low surrogate alone
  const broken = file("broken.jsonl", Buffer.concat([little, Buffer.from([0x00, 0xdc])]));
  for (const name of ["eachLine", "readJsonl", "readText"])
    assert.match((await failure(readers[name]!(broken))).message, /not utf-16le text, as its byte order mark says/);
});

test("lines and characters cut by the end of a block stay whole, and keep their numbers; a line too long is an error", async () => {
  // blocks end each 262,144 bytes; three bytes a character, so that they cut some
  const long = "€".repeat(200_000);
  const path = file("long.jsonl", `${JSON.stringify(long)}\n1\r\n${JSON.stringify(long)}\n2`);
  assert.equal((await records(path)).read, [
    [1, long],
    [2, 1],
    [3, long],
    [4, 2],
  ]);
  const wide = file("wide.txt", `a\n${"x".repeat(2 ** 21)}`);
  assert.match((await failure(readers.eachLine!(wide))).message, /line 2: longer than 1048576 bytes/);
});

test.run();
