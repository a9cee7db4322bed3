import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { duration, tableFromArrays, tableToIPC, timeMicrosecond, timeNanosecond, timeSecond } from "@uwdata/flechette";
import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { hashStart, hashStep, Interner } from "../../lib/core/index.js";
import { arrow } from "../../lib/graph/formats/arrow.js";
import { csv, tsv } from "../../lib/graph/formats/delimited.js";
import type { Reading, SourceRows, TableFormat } from "../../lib/graph/formats/format.js";
import { json, jsonl } from "../../lib/graph/formats/json.js";
import { parquet } from "../../lib/graph/formats/parquet.js";
import { graphFrom, loadGraph, readTable, writeGraph } from "../../lib/graph/index.js";

const test = suite<{ dir: string }>("formats");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const reading: Reading = { place: "test", lenient: false, decide: (first) => ({ names: first, header: true }) };

/** Reads bytes that come in blocks of `size`, as a slow disk or a decompressor may give them. */
const inBlocks = async (
  format: TableFormat,
  data: Uint8Array,
  size: number,
  options = reading,
): Promise<SourceRows> => {
  const source = {
    path: "t",
    name: "t",
    async *stream() {
      // each block in memory of its own: nothing may be kept of one that is gone
      for (let at = 0; at < data.length; at += size) yield Uint8Array.from(data.subarray(at, at + size));
    },
    bytes: async () => data,
  };
  const [rows] = await format.read(source, options);
  return rows!;
};

const cellsOf = (rows: SourceRows) => [...rows.columns.data].map(([name, column]) => [name, ...column]);
const linesOf = (rows: SourceRows) => Array.from({ length: rows.columns.rows }, (_, row) => rows.line(row));

async function fails(act: () => Promise<unknown>, message: RegExp): Promise<void> {
  try {
    await act();
  } catch (error) {
    assert.is((error as Error).constructor.name, "MkgError", String((error as Error).stack));
    assert.match((error as Error).message, message);
    return;
  }
  assert.unreachable(`no error ${message}`);
}

test("csv and tsv: fields and lines are those of the grammar, wherever blocks of the file end", async () => {
  // an oracle for tsv without quotes, and for csv whose every field stands in quotes or holds none of ," CR LF
  const plain = fc.stringMatching(/^[aé🐉 '|\0]{0,4}$/u);
  const any = fc.stringMatching(/^[aé🐉," \r\n]{0,5}$/u);
  const row = (cell: fc.Arbitrary<string>) =>
    fc.tuple(
      cell,
      cell.map((c) => `${c}x`),
    );
  const end = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\r\n");
  const table = (cell: fc.Arbitrary<string>) => fc.array(fc.tuple(row(cell), end), { maxLength: 6 });
  const bom = fc.constantFrom("", "\ufeff");
  const check = async (
    format: TableFormat,
    begin: string,
    list: [string[], string][],
    render: (c: string) => string,
    glue: string,
    size: number,
  ) => {
    let text = `${begin}a${glue}b\n`;
    const lines: number[] = [];
    for (const [cells, end] of list) {
      lines.push(text.split("\n").length);
      text += cells.map(render).join(glue) + end;
    }
    const rows = await inBlocks(format, Buffer.from(text), size);
    assert.equal(cellsOf(rows), [
      ["a", ...list.map(([cells]) => cells[0])],
      ["b", ...list.map(([cells]) => cells[1])],
    ]);
    assert.equal(linesOf(rows), lines);
  };
  const quoted = (c: string) => (/[",\r\n]/.test(c) ? `"${c.replaceAll('"', '""')}"` : c);
  await fc.assert(
    fc.asyncProperty(bom, table(plain), fc.integer({ min: 1, max: 9 }), (begin, list, size) =>
      check(tsv, begin, list as never, (c) => c, "\t", size),
    ),
    { numRuns: 150 },
  );
  await fc.assert(
    fc.asyncProperty(bom, table(fc.oneof(plain, any)), fc.integer({ min: 1, max: 9 }), (begin, list, size) =>
      check(csv, begin, list as never, quoted, ",", size),
    ),
    { numRuns: 150 },
  );
});

test("a table grows beyond every first allocation, and equal fields are one string", async () => {
  const count = 5000;
  const text = `a\tb\n${Array.from({ length: count }, (_, i) => `field ${i}\t${i % 7}\n`).join("")}`;
  const rows = await inBlocks(tsv, Buffer.from(text), 1000);
  const [a, b] = [...rows.columns.data.values()].map((column) => [...column] as string[]);
  assert.equal(
    a,
    Array.from({ length: count }, (_, i) => `field ${i}`),
  );
  assert.equal(
    b,
    Array.from({ length: count }, (_, i) => String(i % 7)),
  );
});

test("a cell of 10 MB is a cell like any other", async () => {
  const long = "é".repeat(5_000_000);
  for (const [format, text] of [
    [tsv, `a\tb\n${long}\tx\n`],
    [csv, `a,b\n"${long},\n",x\n`],
  ] as const) {
    const rows = await inBlocks(format, Buffer.from(text), 2 ** 16);
    assert.is((rows.columns.data.get("a")!.at(0) as string).length, 5_000_000 + (format === csv ? 2 : 0));
    assert.is(rows.columns.data.get("b")!.at(0), "x");
  }
});

test("strings made to collide are told apart, and cost no more than others by far", () => {
  // found by birthday search: after those before, both blocks of a pair leave the hash in one state. Any sequence of choices collides: 2^12 strings
  const pairs =
    "EVJHB RBupb | FDhNY zmahM | gTFF0 zu5lc | pViH1 QplDs | UeT_F RnLha | yguI0 YMIXa | U038t QgeKZ | ITVDO hD6go | U34gu htnOC | ITVDO hD6go | U34gu htnOC | ITVDO hD6go"
      .split(" | ")
      .map((pair) => pair.split(" "));
  const step = (hash: number, text: string) => {
    let h = hash;
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), hashStep);
    return h;
  };
  const texts = Array.from({ length: 2 ** pairs.length }, (_, i) =>
    pairs.map((pair, bit) => pair[(i >> bit) & 1]!).join(""),
  );
  assert.is(new Set(texts.map((text) => step(hashStart, text))).size, 1);
  const interner = new Interner("test");
  const codes = texts.map((text) => interner.codeOf(Buffer.from(text)));
  assert.equal(
    codes,
    texts.map((_, i) => i),
  );
  assert.equal(interner.values, texts);
  // met again after the table has grown
  for (let i = 0; i < 20_000; i++) interner.codeOf(Buffer.from(`other ${i}`));
  assert.equal(
    texts.map((text) => interner.codeOf(Buffer.from(text))),
    codes,
  );
});

test("csv: lenient, lines that are not csv are left out and listed", async () => {
  const text = 'a,b\n1,2\n3,4" disk\n"5","6"\n7,"8\n';
  await fails(() => inBlocks(csv, Buffer.from(text), 100), /t, line 3: not CSV/);
  const rows = await inBlocks(csv, Buffer.from(text), 100, { ...reading, lenient: true });
  assert.equal(cellsOf(rows), [
    ["a", "1", "5"],
    ["b", "2", "6"],
  ]);
  assert.equal(
    rows.refused.map(({ line }) => line),
    [3, 5],
  );
});

test("csv: a quote that is not closed is named where it opens; lenient, each line that it swallows is refused", async () => {
  const rest = Array.from({ length: 1000 }, (_, i) => `${i},x\n`).join("");
  const text = Buffer.from(`a,b\n"fine\nso far",1\n2,"open\n${rest}`);
  for (const size of [7, 1000]) {
    await fails(() => inBlocks(csv, text, size), /t, line 4: not CSV \(a quote that is not closed\)/);
    const rows = await inBlocks(csv, text, size, { ...reading, lenient: true });
    assert.equal(cellsOf(rows), [
      ["a", "fine\nso far"],
      ["b", "1"],
    ]);
    assert.equal(
      rows.refused.map(({ line }) => line),
      Array.from({ length: 1001 }, (_, i) => i + 4),
    );
  }
  // closed by the next quote: what stands between is lost, and what follows is read
  const closed = Buffer.from('a,b\n1,"open\n2,x\n\n3,"y" z\n4,w\n');
  await fails(() => inBlocks(csv, closed, 3), /t, line 2: not CSV \(more text after the quote that closes a field\)/);
  const rows = await inBlocks(csv, closed, 3, { ...reading, lenient: true });
  assert.equal(cellsOf(rows), [
    ["a", "4"],
    ["b", "w"],
  ]);
  assert.equal(
    rows.refused.map(({ line }) => line),
    [2, 3, 5],
  );
});

test("csv: a quote within a field opens nothing, wherever blocks end", async () => {
  const text = Buffer.from('a,b\n5" disk,"x\ny"\nc,"z\n"\n');
  for (let size = 1; size < text.length; size++) {
    await fails(
      () => inBlocks(csv, text, size),
      /t, line 2: not CSV \(a quote in a field that does not begin with one\)/,
    );
    const rows = await inBlocks(csv, text, size, { ...reading, lenient: true });
    assert.equal(cellsOf(rows), [
      ["a", "c"],
      ["b", "z\n"],
    ]);
    assert.equal(
      rows.refused.map(({ line }) => line),
      [2, 3],
    );
  }
});

test("line ends of a carriage return alone are an error that says so, in csv and tsv", async () => {
  for (const [format, glue] of [
    [csv, ","],
    [tsv, "\t"],
  ] as const)
    for (const lines of [
      ["id,label", "a,x"],
      ["tail,relation,head,x", "a,r,b,x", "c,r,d,y"],
    ])
      for (const lenient of [true, false]) {
        const text = `${lines.join("\r")}\r`.replaceAll(",", glue);
        await fails(
          () => inBlocks(format, Buffer.from(text), 5, { ...reading, lenient }),
          /t, line 1: a carriage return that no line feed follows .*Lines end in LF or CRLF/,
        );
      }
  await fails(
    () => inBlocks(csv, Buffer.from('"id","label"\r"a","x"\r'), 5),
    /line 1: not CSV \(a carriage return that/,
  );
  await fails(() => inBlocks(csv, Buffer.from("id\na\rb\r"), 5), /line 2: a carriage return that no line feed follows/);
  // at the end of the file it belongs to the line
  assert.equal(cellsOf(await inBlocks(csv, Buffer.from('id\n"a"\r'), 5)), [["id", "a"]]);
  assert.equal(cellsOf(await inBlocks(csv, Buffer.from("id\na\r"), 5)), [["id", "a"]]);
});

test("json: a row that is no object is named or refused, and costs no other; a table that is no list is an error", async () => {
  const text = Buffer.from('{"entities":[{"id":"a"},null,{"id":"b"}],"tags":["x"],"triples":[7]}');
  await fails(() => inBlocks(json, text, 9), /t, entities, line 2: not an object \(null\)/);
  const source = {
    path: "t",
    name: "t",
    async *stream() {
      yield text;
    },
    bytes: async () => text,
  };
  const [entities, triples, ...more] = await json.read(source, { ...reading, lenient: true });
  assert.equal(more, []);
  assert.equal(cellsOf(entities!), [["id", "a", "b"]]);
  assert.equal(
    [...entities!.refused, ...triples!.refused].map(({ file, line }) => [file, line]),
    [
      ["t, entities", 2],
      ["t, triples", 1],
    ],
  );
  assert.equal(entities!.notices[0]!.examples, ["tags"]);
  await fails(
    () => inBlocks(json, Buffer.from('{"entities":[],"triples":{"head":"a"}}'), 9),
    /t, triples: not a list of objects/,
  );
});

test("JSON numbers beyond the range of a double are refused; fractions are the nearest double", async () => {
  for (const number of ["1e400", "-1e400", "1e309"]) {
    await fails(
      () => inBlocks(jsonl, Buffer.from(`{"a":1}\n{"a":[${number}]}`), 9),
      new RegExp(`t, line 2: a number beyond the range of a double \\("${number}"\\)`),
    );
    await fails(() => inBlocks(json, Buffer.from(`[{"a":${number}}]`), 9), /t: a number beyond the range/);
  }
  const rows = await inBlocks(jsonl, Buffer.from('{"a":1e-400,"b":0.1,"c":"1e400"}'), 9);
  assert.equal(cellsOf(rows), [
    ["a", 0],
    ["b", 0.1],
    ["c", "1e400"],
  ]);
});

test("JSON numbers and names lose nothing: integers beyond 2^53 are bigints, a name that stands twice is an error", async () => {
  const lines = [
    '{"a":9007199254740993,"s":"9007199254740993 \\" 12345678901234567890","n":[-9007199254740993,{"x":1.5}]}',
    '{"a":1e3,"s":"bigint:1234567890123456789","n":12345678901234567890}',
  ];
  const rows = await inBlocks(jsonl, Buffer.from(lines.join("\n")), 7);
  assert.equal(cellsOf(rows), [
    // one of a column's integers is beyond a double: all are bigints
    ["a", 9007199254740993n, 1000n],
    ["s", '9007199254740993 " 12345678901234567890', "bigint:1234567890123456789"],
    ["n", [-9007199254740993n, { x: 1.5 }], 12345678901234567890n],
  ]);
  assert.ok(Object.isFrozen(rows.columns.data.get("n")!.at(0)));
  assert.ok(Object.isFrozen((rows.columns.data.get("n")!.at(0) as unknown[])[1]));
  const twice = [
    ['{"a":1,"b":2,"a":3}', /t, line 1: the name "a" stands twice in one object/],
    ['{"a":1, "\\u0061" : 3}', /the name "a" stands twice/],
    ['{"a":{"c":1,"c":1}}', /the name "c" stands twice/],
  ] as const;
  for (const [text, message] of twice) await fails(() => inBlocks(jsonl, Buffer.from(text), 99), message);
  // names in different objects, and text that looks like names, are none
  const fine = '[{"a":{"a":1},"s":"{\\"a\\":1,\\"a\\":2}"}]';
  assert.equal(cellsOf(await inBlocks(json, Buffer.from(fine), 99)), [
    ["a", { a: 1 }],
    ["s", '{"a":1,"a":2}'],
  ]);
  await fails(() => inBlocks(json, Buffer.from('[\n{"a":1},\n{"a":}\n]'), 99), /t, line 3: not JSON/);
});

test("JSON nested deeper than what walks through cells has room for is an error that names its line", async () => {
  const nested = (levels: number) => Buffer.from(`{"a":${"[".repeat(levels)}${"]".repeat(levels)},"b":[[],{}]}\n`);
  const rows = await inBlocks(jsonl, nested(200), 1000);
  assert.match(graphFrom({ entities: [{ id: "x", cell: rows.columns.data.get("a")!.at(0) }] }).fingerprint, /^\w{64}$/);
  // siblings are no levels
  await inBlocks(jsonl, Buffer.from(`{"a":[${"[],".repeat(1000)}[]]}\n`), 1000);
  for (const levels of [203, 50_000])
    await fails(() => inBlocks(jsonl, nested(levels), 1000), /t, line 1: nested deeper than 203 levels/);
  const lenient = await inBlocks(jsonl, Buffer.concat([nested(50_000), nested(1)]), 1000, {
    ...reading,
    lenient: true,
  });
  assert.equal(
    lenient.refused.map(({ line }) => line),
    [1],
  );
  assert.is(lenient.columns.rows, 1);
});

test("any JSON value comes back from jsonl as it was written, integers beyond 2^53 as bigints of that value", async () => {
  const text = (value: unknown) => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? Number(v) : v));
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((k) => k !== "__proto__"),
          fc.jsonValue(),
        ),
        { minLength: 1, maxLength: 5 },
      ),
      async (records) => {
        const lines = records.map((record) => JSON.stringify(record)).join("\n");
        const rows = await inBlocks(jsonl, Buffer.from(lines), 16);
        const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
        for (const [i, record] of records.entries())
          for (const name of names)
            assert.equal(
              text(rows.columns.data.get(name)!.at(i)),
              text(Object.hasOwn(record, name) ? record[name] : null),
            );
        assert.is(rows.columns.rows, records.length);
      },
    ),
    { numRuns: 200 },
  );
});

test("jsonl: lenient, each line that is no record is left out and listed with its reason", async () => {
  const text = Buffer.concat([
    Buffer.from('{"a":1}\n[1]\n{"a":\n{"a":1,"a":2}\n'),
    Buffer.from('{"a":"\xe9"}\n', "latin1"),
    Buffer.from('{"":1}\n\n{"a":2}\n'),
  ]);
  const rows = await inBlocks(jsonl, text, 5, { ...reading, lenient: true });
  assert.equal(cellsOf(rows), [["a", 1, 2]]);
  assert.equal(linesOf(rows), [1, 8]);
  const reasons = [
    /not an object/,
    /not JSON/,
    /stands twice/,
    /not UTF-8 \(byte 0xE9 at position 6/,
    /a key that cannot be a column/,
  ];
  assert.equal(
    rows.refused.map(({ line }) => line),
    [2, 3, 4, 5, 6],
  );
  for (const [i, { reason }] of rows.refused.entries()) assert.match(reason, reasons[i]!);
});

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/arrow/${name}`, import.meta.url));

test("what pyarrow writes is read with every value: file and stream, views, dictionaries, 64 bits, dates, lists", async () => {
  const iso = (column: unknown[]) => column.map((date) => (date as Date | null)?.toISOString() ?? null);
  // the values stand in test/fixtures/make-arrow.py
  const expected = {
    head: ["007", "\ufeffb", "é", "__proto__"],
    relation: ["r", "r", "s", "NaN"],
    tail: ["x", "y", "x", "a text of more than twelve bytes"],
    twice: ["x", "y", null, null],
    int8: [1, -2, null, 4],
    int64: [9007199254740993n, -9223372036854775808n, 9223372036854775807n, 0n],
    uint64: [18446744073709551615n, 0n, null, 1n],
    float: [1.5, Number.NaN, null, -0],
    float16: [1.5, 0, null, -2],
    bool: [true, null, false, true],
    decimal: ["-0.05", null, "12.30", "0.00"],
    date: ["1492-10-12T00:00:00.000Z", null, "2024-02-29T00:00:00.000Z", "1969-12-31T00:00:00.000Z"],
    ns: ["1970-01-01T00:00:00.000000001Z", "1969-12-31T23:59:59.999999999Z", null, "1970-01-01T00:00:00.000001000Z"],
    ms: ["1970-01-01T00:00:00.001Z", "1969-12-31T23:59:59.999Z", null, "1970-01-01T00:00:01.000Z"],
    list: [["a", "\ufeff", null], [], null, ["z"]],
    largeList: [[1, 2], [], null, [3]],
    fixedList: [["a", "b"], ["c", "d"], null, ["e", "f"]],
    nothing: [null, null, null, null],
  };
  for (const name of ["types.arrow", "types.arrows"]) {
    const table = await readTable(fixture(name));
    assert.equal(table.columnNames(), Object.keys(expected));
    for (const [column, values] of Object.entries(expected)) {
      const found = table.array(column) as unknown[];
      assert.equal(["date", "ms"].includes(column) ? iso(found) : found, values, `${name}, ${column}`);
    }
  }
  const { repaired } = (await loadGraph(fixture("types.arrow"))).report;
  assert.equal(
    repaired.slice(0, 2).map(({ what, examples }) => [what.split(" ")[0], ...examples]),
    [
      ["decimals", "decimal"],
      ["timestamps", "ns"],
    ],
  );
});

test("a dictionary that a stream replaces or adds to belongs to the rows that follow", async () => {
  assert.equal((await readTable(fixture("replaced.arrows"))).array("head"), ["a", "b", "a", "c", "a"]);
  assert.equal((await readTable(fixture("delta.arrow"))).array("head"), ["a", "b", "a", "c", "a"]);
});

test("Arrow that is compressed, nested or cut off is an error that names the file; never fewer rows", async ({
  dir,
}) => {
  await fails(() => readTable(fixture("lz4.arrow")), /lz4\.arrow: compressed Arrow.*compression='uncompressed'/);
  await fails(() => readTable(fixture("struct.arrow")), /struct\.arrow, column head: struct, which a cell cannot hold/);
  for (const name of ["types.arrow", "types.arrows", "replaced.arrows"]) {
    const whole = readFileSync(fixture(name));
    const all = (await readTable(fixture(name))).numRows();
    const cut = join(dir, name);
    for (let length = 0; length < whole.length; length += 61) {
      writeFileSync(cut, whole.subarray(0, length));
      let rows = all;
      try {
        rows = (await readTable(cut)).numRows();
      } catch (error) {
        assert.is((error as Error).constructor.name, "MkgError", (error as Error).stack);
        assert.match((error as Error).message, name);
        continue;
      }
      // the format of streams allows an end after any message: rows before it are all there is
      assert.ok(length > 0 && name.endsWith("s") && [0, 3, all].includes(rows), `${rows} rows of ${length} bytes`);
    }
  }
});

test("Arrow and Parquet refuse the same: text that is none costs its row when lenient, in lists and dictionaries too", async ({
  dir,
}) => {
  const damage = (file: string, text: string) => {
    const bytes = readFileSync(file);
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at] = 0xff;
    writeFileSync(file, bytes);
  };
  const tags = [["x"], ["y", "bad2"], []];
  const graph = graphFrom({
    entities: ["a", "b", "c"].map((id, i) => ({ id, note: ["fine", "fine", "bad1"][i], tags: tags[i] })),
  });
  for (const format of ["arrow", "parquet"]) {
    const [file] = await writeGraph(graph, join(dir, format), { format });
    damage(file!, "bad1");
    damage(file!, "bad2");
    await fails(
      () => loadGraph(file!),
      new RegExp(`entities\\.${format}, row \\d, column .*: bytes that are no UTF-8 text`),
    );
    const { entities, report } = await loadGraph(file!, { lenient: true });
    assert.equal(entities.array("id"), ["a"], format);
    assert.equal(report.read.entities, 3);
    assert.equal(
      report.refused.map(({ line }) => line),
      [2, 3],
    );
  }
  // plain text, dictionaries apart: the fourth tail stands outside of its view
  const plain = join(dir, "types.arrow");
  writeFileSync(plain, readFileSync(fixture("types.arrow")));
  damage(plain, "a text of more than twelve bytes");
  await fails(
    () => loadGraph(plain),
    /types\.arrow, row 4, column tail: bytes that are no UTF-8 text \(byte 0xFF at position 0/,
  );
  assert.equal((await loadGraph(plain, { lenient: true })).triples.array("tail"), ["x", "y", "x"]);
});

test("Arrow and Parquet say the same of times: without a zone they are read as UTC; what is written has one", async ({
  dir,
}) => {
  const when = [new Date(0), null, new Date(1e12)];
  const columns = {
    rows: 3,
    data: new Map<string, never>([
      ["id", ["a", "b", "c"] as never],
      ["when", when as never],
    ]),
  };
  for (const format of [arrow, parquet]) {
    const [file] = await format.encode!([{ part: "entities", columns }], "test");
    writeFileSync(join(dir, file!.name), file!.data as Uint8Array);
    const rows = await inBlocks(format, file!.data as Uint8Array, 100);
    assert.equal([...rows.columns.data.get("when")!], when);
    assert.equal(rows.repaired, []);
  }
  // times of day, as Parquet gives them: text with the digits that are there
  const time = tableToIPC(
    tableFromArrays(
      { s: [0, 86_399, null], us: [1n, 49_500_000_250n, null], ns: [1n, 0n, null] },
      { types: { s: timeSecond(), us: timeMicrosecond(), ns: timeNanosecond() }, useBigInt: true },
    ),
    {},
  )!;
  const times = await inBlocks(arrow, time, 100);
  assert.equal(cellsOf(times), [
    ["s", "00:00:00", "23:59:59", null],
    ["us", "00:00:00.000001", "13:45:00.00025", null],
    ["ns", "00:00:00.000000001", "00:00:00", null],
  ]);
  assert.equal(times.repaired, [{ what: "times of day read as text", count: 3, examples: ["s", "us", "ns"] }]);
  const zoneless = "timestamps without a timezone: read as UTC";
  const said = (await loadGraph(fixture("types.arrow"))).report.repaired.find(({ what }) => what === zoneless);
  assert.equal(said?.examples, ["ns"]);
});

test("Arrow and Parquet read a duration as its integer, and say in which unit", async () => {
  const lasts = [5n, null, -7n];
  const table = tableFromArrays({ lasts }, { types: { lasts: duration(2) }, useBigInt: true });
  const stream = tableToIPC(table, { format: "stream" })!;
  // beside its own schema, in which it is an integer, Parquet keeps that of Arrow: the first message, behind its mark and length
  const schema = stream.slice(0, 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true));
  const file = (value: string) =>
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [{ name: "lasts", data: lasts }],
        schema: [
          { name: "root", num_children: 1 },
          { name: "lasts", type: "INT64", repetition_type: "OPTIONAL" },
        ],
        kvMetadata: [{ key: "ARROW:schema", value }],
      }),
    );
  for (const rows of [
    await inBlocks(arrow, stream, 100),
    await inBlocks(parquet, file(Buffer.from(schema).toString("base64")), 100),
  ]) {
    assert.equal(cellsOf(rows), [["lasts", ...lasts]]);
    assert.equal(rows.repaired, [
      { what: "durations read as integers, in microseconds", count: 1, examples: ["lasts"] },
    ]);
  }
  // a schema that is none costs nothing
  assert.equal(cellsOf(await inBlocks(parquet, file("AAAA"), 100)), [["lasts", ...lasts]]);
});

test("bytes of Arrow changed at random give a table or one error in the house form", async ({ dir }) => {
  const whole = readFileSync(fixture("types.arrow"));
  const file = join(dir, "m.arrow");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }),
      async (changes) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        writeFileSync(file, bytes);
        try {
          const table = await readTable(file);
          for (const name of table.columnNames()) table.array(name);
        } catch (error) {
          assert.is((error as Error).constructor.name, "MkgError", (error as Error).stack);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test.run();
