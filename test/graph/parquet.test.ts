import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSource } from "../../lib/graph/formats/compressed.js";
import type { SourceRows } from "../../lib/graph/formats/format.js";
import { parquet } from "../../lib/graph/formats/parquet.js";

// written by pyarrow through test/fixtures/make-formats.py, with the values below
const fixtures = join(import.meta.dirname, "../fixtures/formats");
const test = suite<{ dir: string }>("parquet");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const read = async (path: string, lenient = false): Promise<SourceRows> =>
  (
    await parquet.read(await openSource("test", path), {
      place: "test",
      lenient,
      decide: (first) => ({ names: first, header: true }),
    })
  )[0]!;
const cells = (table: SourceRows) =>
  Object.fromEntries([...table.columns.data].map(([name, column]) => [name, [...column]]));

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

const ms = new Date("2024-02-29T13:45:00.250Z");
const epoch = new Date(0);

test("values are those that pyarrow wrote, none through a number that loses digits, under every codec", async () => {
  for (const codec of ["snappy", "gzip", "zstd", "brotli", "lz4", "none"]) {
    const table = await read(join(fixtures, `kinds-${codec}.parquet`));
    assert.is(table.columns.rows, 6);
    assert.is(table.line(5), 6);
    const found = cells(table);
    assert.equal(found.id, ["001", "1e5", "NaN", "", null, "__proto__"], codec);
    assert.equal(found.code, ["a", "b", "a", null, "b", "a"]);
    assert.equal(found.big, [9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n, 0n, null, 1n]);
    assert.equal(found.unsigned, [2n ** 64n - 1n, 0n, 1n, null, 2n ** 63n, 3n]);
    assert.equal(found.small, [1, -2, 3, 4, 5, 6]);
    assert.equal(found.real, [0.1, Number.NaN, Number.POSITIVE_INFINITY, -0, null, 1e300]);
    assert.ok(Object.is(found.real![3], -0));
    assert.equal(found.half, [0.5, null, -2, 65504, 0, 1]);
    assert.equal(found.flag, [true, false, null, true, false, true]);
    assert.equal(found.price, ["12.30", "-0.05", null, ...Array(3).fill("12345678901234567.89")]);
    assert.equal(found.day, [new Date("2024-02-29"), new Date("0001-01-01"), null, epoch, epoch, epoch]);
    assert.equal(found.ms, [ms, null, ms, ms, ms, ms]);
    assert.equal(found.ns, [
      "2024-02-29T13:45:00.123456789Z",
      null,
      "1969-12-31T23:59:59.999999999Z",
      ...["0", "1", "2"].map((n) => `1970-01-01T00:00:00.00000000${n}Z`),
    ]);
    assert.equal(found.local, Array(6).fill(ms));
    assert.equal(found.clock, ["13:45:00.5", null, "00:00:00", "00:00:00", "00:00:00", "00:00:00"]);
    assert.equal(found.tags, [["x", "y"], [], null, [null], ["z"], [""]]);
    assert.equal(found.counts, [[1n, 2n], null, [], [3n], [4n], [5n]]);
    assert.equal(
      table.repaired.map(({ what, examples }) => [what, ...examples]),
      [
        ["decimals read as text, with all their digits", "price"],
        ["times of day read as text", "clock"],
        ["timestamps finer than a millisecond read as text, with all their digits", "ns"],
        ["timestamps without a timezone: read as UTC", "local"],
      ],
    );
  }
});

test("older and newer kinds, pages of version 2 with delta encodings, and a table without rows, are read", async () => {
  const found = cells(await read(join(fixtures, "v2.parquet")));
  assert.equal(found.id, ["001", "1e5", "NaN", "", null, "__proto__"]);
  assert.equal(found.big, [9007199254740993n, -(2n ** 63n), 2n ** 63n - 1n, 0n, null, 1n]);
  // INT96 timestamps, a column of the null type, decimals of 256 bits, large strings
  const old = cells(await read(join(fixtures, "old.parquet")));
  assert.equal(old.when, ["2024-02-29T13:45:00.123456789Z", null]);
  assert.equal(old.none, [null, null]);
  assert.equal(old.wide, ["-0.001", `${"9".repeat(40)}.000`]);
  assert.equal(old.large, ["x", null]);
  const empty = await read(join(fixtures, "empty.parquet"));
  assert.equal([empty.columns.rows, [...empty.columns.data.keys()]], [0, ["id"]]);
});

test("what a cell cannot hold is an error that names the column; bytes that are no text name the row, or are refused", async () => {
  await rejects(
    () => read(join(fixtures, "struct.parquet")),
    /struct\.parquet, column where: a struct, which a cell cannot hold\..*Leave the column out/,
  );
  await rejects(() => read(join(fixtures, "map.parquet")), /column map: a map/);
  const path = join(fixtures, "bytes.parquet");
  await rejects(() => read(path), /bytes\.parquet, row 1, column raw: bytes that are no UTF-8 text/);
  const table = await read(path, true);
  assert.is(table.columns.rows, 0);
  assert.equal(table.refused, [{ file: path, line: 1, reason: "bytes that are no UTF-8 text (column raw)" }]);
});

test("a file that is cut off anywhere is an error, and so is one that is no Parquet", async ({ dir }) => {
  const whole = readFileSync(join(fixtures, "kinds-snappy.parquet"));
  const put = (bytes: Uint8Array | string) => {
    writeFileSync(join(dir, "x.parquet"), bytes);
    return join(dir, "x.parquet");
  };
  for (let length = 12; length < whole.length; length += 331)
    await rejects(
      () => read(put(whole.subarray(0, length))),
      /x\.parquet: damaged, or not understood \(it has no end: cut off\?\)/,
    );
  await rejects(() => read(put("")), /the file is empty/);
  await rejects(() => read(put("id,label\n")), /x\.parquet: not Parquet/);
  await rejects(() => read(put(Buffer.concat([Buffer.from("PARE"), whole]))), /encrypted/);
});

test("any changed byte of a page is found where the writer stored checksums", async ({ dir }) => {
  const whole = readFileSync(join(fixtures, "kinds-none.parquet"));
  const at = whole.indexOf("__proto__");
  const changed = Buffer.from(whole);
  changed[at]! ^= 1;
  writeFileSync(join(dir, "c.parquet"), changed);
  await rejects(() => read(join(dir, "c.parquet")), /a page of column id does not agree with its checksum/);
});

test("a small file of very many rows is refused before they are made", async ({ dir }) => {
  // 21 million rows without a value: some kilobytes
  const data = { length: 21_000_000, slice: (from: number, to: number) => new Array(to - from).fill(null) };
  const bytes = new Uint8Array(
    parquetWriteBuffer({
      columnData: [{ name: "id", data: data as never }],
      schema: [
        { name: "root", num_children: 1 },
        { name: "id", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
      ],
      rowGroupSize: 7_000_000,
    }),
  );
  assert.ok(bytes.length < 10_000, `${bytes.length} bytes`);
  writeFileSync(join(dir, "many.parquet"), bytes);
  await rejects(
    () => read(join(dir, "many.parquet")),
    /more values than a file of \d+ bytes may hold \(21000000\).*Split the file/,
  );
});

test("whatever is written comes back: kinds, digits, null and empty text, empty lists", async ({ dir }) => {
  const text = fc.string({ unit: "binary", maxLength: 8 });
  const kinds = [
    text,
    fc.double(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.boolean(),
    fc.date({ noInvalidDate: true }),
    fc.array(fc.option(text), { maxLength: 3 }),
    fc.array(fc.option(fc.double()), { maxLength: 3 }),
    fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 3 }),
    fc.array(fc.option(fc.boolean()), { maxLength: 3 }),
  ] as fc.Arbitrary<unknown>[];
  const column = fc.oneof(
    ...kinds.map((kind) => fc.array(fc.option(kind, { freq: 4 }), { minLength: 7, maxLength: 7 })),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(fc.constantFrom("id", "__proto", "constructor", "ä b", "x"), column), {
        selector: ([name]) => name,
        minLength: 1,
      }),
      async (given) => {
        const columns = { rows: 7, data: new Map(given) as never };
        const [file] = await parquet.encode!([{ part: "triples", columns }], "test");
        assert.is(file!.name, "triples.parquet");
        writeFileSync(join(dir, "w.parquet"), file!.data as Uint8Array);
        const table = await read(join(dir, "w.parquet"));
        const found = [...table.columns.data].map(([name, values]) => [name, [...values]] as const);
        assert.equal(found, given);
        for (const [i, [, values]] of found.entries())
          for (const [row, value] of values.entries())
            if (typeof value === "number") assert.ok(Object.is(value, given[i]![1][row]), `${value}`);
        assert.equal(table.repaired, []);
      },
    ),
    { numRuns: 80, seed: 3 },
  );
});

test("what Parquet cannot hold is refused, with table, row and column", async () => {
  const write = (values: unknown[]) =>
    parquet.encode!(
      [{ part: "triples", columns: { rows: values.length, data: new Map([["v", values]]) as never } }],
      "writeGraph",
    );
  await rejects(
    () => write(["a", 1]),
    /writeGraph: triples, row 1 \(from 0\), column v: parquet cannot hold it: a number in a column of string \(1\)/,
  );
  await rejects(() => write([2n ** 63n]), /beyond 64 bits/);
  await rejects(() => write([null, { a: 1 }]), /row 1 \(from 0\), column v: .*a value of kind object/);
  await rejects(() => write([["a", 1]]), /a list of mixed values/);
  await rejects(() => write([[], "a"]), /a string in a column of lists/);
  await rejects(() => write([[ms]]), /a value of kind date/);
  await rejects(() => write(["\udc00"]), /half of a surrogate pair/);
  await rejects(() => write([new Date(Number.NaN)]), /an invalid date/);
});

test.run();
