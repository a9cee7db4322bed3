import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openSource } from "../../lib/graph/formats/compressed.js";
import type { SourceRows } from "../../lib/graph/formats/format.js";
import { readSheet, xlsx } from "../../lib/graph/formats/xlsx.js";

// cells.xlsx, date1904.xlsx, merged.xlsx, wrong.xlsx: written by openpyxl 3.1 through test/fixtures/make-formats.py
const fixtures = join(import.meta.dirname, "../fixtures/formats");
const test = suite<{ dir: string }>("xlsx");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const read = async (path: string, options: { lenient?: boolean; sheet?: string } = {}) =>
  xlsx.read(await openSource("test", path, true), {
    place: "test",
    lenient: options.lenient ?? false,
    decide: (first) => ({ names: first, header: true }),
    ...(options.sheet === undefined ? {} : { sheet: options.sheet }),
  });
const column = (table: SourceRows, name: string) => [...(table.columns.data.get(name) ?? [])];

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

/** A workbook of one sheet around the given XML of its cells. */
function book(
  dir: string,
  cells: string,
  { after = "", shared = "", parts = {} as Record<string, string> } = {},
): string {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const packages = "http://schemas.openxmlformats.org/package/2006";
  const type = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const files: Record<string, string> = {
    "[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="${packages}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/>${shared && `<Override PartName="/xl/sharedStrings.xml" ContentType="${type}.sharedStrings+xml"/>`}</Types>`,
    "_rels/.rels": `<?xml version="1.0"?><Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/workbook.xml": `<?xml version="1.0"?><workbook ${main} xmlns:r="${office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<?xml version="1.0"?><Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    "xl/worksheets/sheet1.xml": `<?xml version="1.0"?><worksheet ${main}><dimension ref="A1:XFD1048576"/><sheetData>${cells}</sheetData>${after}</worksheet>`,
    ...(shared && { "xl/sharedStrings.xml": `<?xml version="1.0"?><sst ${main}>${shared}</sst>` }),
    ...parts,
  };
  const path = join(dir, "made.xlsx");
  writeFileSync(path, zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))));
  return path;
}
const text = (address: string, value: string) => `<c r="${address}" t="inlineStr"><is><t>${value}</t></is></c>`;
const row = (number: number, ...cells: string[]) => `<row r="${number}">${cells.join("")}</row>`;

test("every kind of cell gives the text that stands beside it", async () => {
  const [table] = await read(join(fixtures, "cells.xlsx"));
  const [kinds, values, expected] = ["kind", "value", "expected"].map((name) => column(table!, name));
  assert.is(values!.length, 29);
  for (const [i, value] of values!.entries()) assert.is(value, expected![i], String(kinds![i]));
  assert.equal(
    table!.repaired.map(({ what, count }) => [what, count]),
    [
      ["numbers shown with leading zeros: read as shown", 1],
      // date, 61, 59, date and time, milliseconds, time of day, elapsed time
      ["dates and times: read as ISO 8601", 7],
    ],
  );
  assert.equal(
    table!.notices.map(({ what, count }) => [what, count]),
    [
      ["numbers shown otherwise than stored: read as stored", 2],
      ["true and false: read as TRUE and FALSE", 2],
      ["links: their text is read", 1],
    ],
  );
});

test("dates of a workbook that counts from 1904 are the same days, in every timezone", async () => {
  const [table] = await read(join(fixtures, "date1904.xlsx"));
  assert.equal(column(table!, "when"), ["2024-02-29", "1904-01-02T06:00:00"]);
  // Samoa had no 30 December 2011, Newfoundland is half an hour off
  const script = `import("./lib/graph/formats/xlsx.js").then(async ({ readSheet }) => console.log(JSON.stringify((await readSheet("test/fixtures/formats/cells.xlsx", { place: "p" })).rows.map(({ cells }) => cells[1]))))`;
  const root = join(import.meta.dirname, "../..");
  const [here, ...others] = ["UTC", "Pacific/Apia", "America/St_Johns"].map((TZ) =>
    execFileSync(process.execPath, ["--import", "tsx", "-e", script], {
      cwd: root,
      env: { ...process.env, TZ },
      encoding: "utf8",
    }),
  );
  assert.match(here!, /"1999-12-31T23:59:58"/);
  for (const other of others) assert.is(other, here);
});

test("a cell merged over rows counts for each; hidden and blank rows and sheets are told", async () => {
  const [entities, triples] = [...(await read(join(fixtures, "merged.xlsx")))].reverse() as [SourceRows, SourceRows];
  assert.is(triples.part, "triples");
  assert.equal(column(triples, "head"), ["Gorm", "Gorm", "Gorm", "Lume"]);
  assert.equal(column(triples, "tail"), ["fire", "claw", "ice", "wing"]);
  // D6 lies under C6:D6: the value of a range over columns stands in the first
  assert.equal(column(triples, "note"), ["x", null, null, null]);
  assert.equal([0, 1, 2, 3].map(triples.line), [2, 3, 4, 6]);
  assert.equal(triples.repaired, [
    { what: "merged cells: the value is given to each of their rows", count: 2, examples: ["A3", "A4"] },
  ]);
  assert.equal(
    triples.notices.map(({ what, count }) => `${count} ${what}`),
    [
      "1 hidden sheets: read",
      "1 empty sheets",
      "1 cells merged across columns: the value stands in the first",
      "1 hidden rows: read",
      "1 blank rows: left out",
    ],
  );
  assert.equal(column(entities, "label"), ["The Gorm"]);
});

test("a cell without a value that can be given is an error with its sheet and address; lenient, its row is refused", async () => {
  const path = join(fixtures, "wrong.xlsx");
  for (const [sheet, reason] of [
    ["error", "an error value #N/A"],
    ["formula", "a formula without a stored value"],
    // 2^53 + 2 is exact as a double, but so is what 2^53 + 1 and + 3 would have become
    ["long", "a number of more digits than a number cell keeps (9007199254740994)"],
    ["day60", "no day of the calendar (60)"],
  ] as const) {
    const pattern = reason.replace(/[()]/g, "\\$&");
    await rejects(
      () => read(path, { sheet }),
      new RegExp(`wrong\\.xlsx, sheet "${sheet}", row 2, column B: ${pattern} \\(cell B2\\)\\. .*Mend the cell`),
    );
    await rejects(() => readSheet(path, { place: "test", sheet }), new RegExp(`row 2, column B: ${pattern}`));
    const [table] = await read(path, { sheet, lenient: true });
    assert.equal(column(table!, "value"), ["well"]);
    assert.equal(table!.refused, [{ file: `${path}, sheet "${sheet}"`, line: 2, reason }]);
  }
  const all = await read(path, { lenient: true });
  assert.equal(
    all.map(({ part, columns, refused }) => [part, columns.rows, refused.length]),
    [
      ["error", 1, 1],
      ["formula", 1, 1],
      ["long", 1, 1],
      ["day60", 1, 1],
    ],
  );
});

test("readSheet keeps positions and row numbers, and names the sheets where one is unknown", async ({ dir }) => {
  const path = book(dir, row(3, text("C3", "x")) + row(7, text("A7", "y"), text("D7", "")));
  const sheet = await readSheet(path, { place: "test" });
  assert.is(sheet.sheet, "S");
  assert.equal(sheet.rows, [
    { row: 3, cells: [null, null, "x"] },
    { row: 7, cells: ["y", null, null, ""] },
  ]);
  await rejects(
    () => readSheet(join(fixtures, "merged.xlsx"), { place: "test", sheet: "triple" }),
    /unknown sheet of .*merged\.xlsx \("triple"\)\. Known: triples, entities, blank\. Did you mean "triples"\?/,
  );
  await rejects(() => readSheet(path, { place: "test", shet: "S" } as never), /unknown option \("shet"\)/);
  const first = await readSheet(join(fixtures, "merged.xlsx"), { place: "test" });
  assert.equal(first.notices.find(({ what }) => what === "further sheets: not read")?.examples, ["entities", "blank"]);
});

test("blank columns are left out; a column with values needs a name, and no other column may have it", async ({
  dir,
}) => {
  const [table] = await read(
    book(dir, row(2, text("B2", "id"), text("D2", "label")) + row(4, text("B4", "a"), text("D4", "A"))),
  );
  assert.equal([...table!.columns.data.keys()], ["id", "label"]);
  assert.equal(
    table!.notices.map(({ what, count }) => `${count} ${what}`),
    ["1 blank rows: left out", "2 blank columns: left out"],
  );
  await rejects(
    () => read(book(dir, row(1, text("A1", "id")) + row(2, text("A2", "a"), text("B2", "stray")))),
    /row 1: column B holds values but has no name \(cell B1\)/,
  );
  await rejects(
    () => read(book(dir, row(1, text("A1", "id"), text("C1", "id")))),
    /two columns have the same name \("id", cell A1 and cell C1\)/,
  );
  await rejects(() => read(book(dir, row(1, text("A1", "__proto__")))), /cannot be kept \("__proto__"\)/);
  await rejects(() => read(book(dir, "")), /the file is empty/);
});

test("declared ranges, merged ranges, links and column styles over the whole sheet cost what the cells cost", async ({
  dir,
}) => {
  const path = book(
    dir,
    row(1, text("A1", "id"), text("XFD1", "far")) + row(1_048_576, text("A1048576", "last"), text("XFD1048576", "z")),
    {
      after:
        '<mergeCells count="1"><mergeCell ref="B1:XFC1048576"/></mergeCells><hyperlinks><hyperlink ref="A1:XFD1048576" location="x"/></hyperlinks>',
    },
  );
  const [table] = await read(path);
  assert.equal(column(table!, "id"), ["last"]);
  assert.equal(column(table!, "far"), ["z"]);
  assert.is(table!.line(0), 1_048_576);
  // 5,000 rows of two cells each, 16,384 columns apart: 82 million positions
  const wide = Array.from({ length: 5000 }, (_, i) =>
    row(i + 1, text(`A${i + 1}`, "a"), text(`XFD${i + 1}`, "b")),
  ).join("");
  await rejects(() => read(book(dir, wide)), /its cells are spread over too many columns \("XFD3052"\)/);
  await rejects(
    () => read(book(dir, row(1, text("A1048577", "x")))),
    /a cell stands nowhere in the sheet \("A1048577"\)/,
  );
});

test("text is what XML says: empty shared items keep their place, line ends and escapes are decoded once", async ({
  dir,
}) => {
  const shared =
    "<si/><si><t>b</t></si><si><r><t>c</t></r><r><t xml:space='preserve'> d</t></r></si><si><t>e_x000D_\ng&#13;\nh_x005F_x000D_</t></si>";
  const cells =
    row(1, text("A1", "v")) + [0, 1, 2, 3].map((i) => row(i + 2, `<c r="A${i + 2}" t="s"><v>${i}</v></c>`)).join("");
  const [table] = await read(book(dir, cells, { shared }));
  assert.equal(column(table!, "v"), ["", "b", "c d", "e\r\ng\r\nh_x000D_"]);
  await rejects(
    () => read(book(dir, row(1, text("A1", "v")) + row(2, '<c r="A2" t="s"><v>9</v></c>'), { shared })),
    /not read as a workbook|a text that the workbook does not hold/,
  );
});

test("namespace prefixes, dates stored as ISO 8601, rich inline text and sheets of charts are read as what they are", async ({
  dir,
}) => {
  const cells =
    row(1, text("A1", "v"), text("B1", "w")) +
    row(
      2,
      '<c r="A2" t="d"><v>2024-02-29T13:45:00</v></c>',
      '<c r="B2" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>',
    );
  const path = book(dir, cells.replace(/<(\/?)(\w)/g, "<$1x:$2"));
  const [table] = await read(path);
  assert.equal([column(table!, "v"), column(table!, "w")], [["2024-02-29T13:45:00"], ["ab"]]);
  const [charted] = await read(join(fixtures, "chart.xlsx"));
  assert.equal(column(charted!, "id"), ["a"]);
  assert.equal(charted!.notices, [
    { what: "sheets without cells, such as charts: left out", count: 1, examples: ["Chart"] },
  ]);
});

test("cells that the reader behind does not give are an error, never missing", async ({ dir }) => {
  // twice the same address: one of the two would vanish
  await rejects(
    () => read(book(dir, row(1, text("A1", "v"), text("A1", "w")))),
    /the XML of sheet "S" does not give the cells that it holds/,
  );
  // no end of the cells
  const path = book(dir, row(1, text("A1", "v")));
  const files = unzipSync(readFileSync(path));
  files["xl/worksheets/sheet1.xml"] = strToU8(
    strFromU8(files["xl/worksheets/sheet1.xml"]!).replace("</sheetData>", ""),
  );
  writeFileSync(path, zipSync(files));
  await rejects(() => read(path), /the XML of sheet "S" does not give the cells that it holds/);
});

test("what is no workbook, or one of another kind, is named", async ({ dir }) => {
  const put = (data: string | Uint8Array) => {
    writeFileSync(join(dir, "x.xlsx"), data);
    return join(dir, "x.xlsx");
  };
  const whole = readFileSync(join(fixtures, "cells.xlsx"));
  await rejects(() => read(put("")), /the file is empty/);
  await rejects(() => read(put("id,label\n")), /x\.xlsx: not a workbook\. An \.xlsx workbook, which is a zip archive/);
  await rejects(() => read(put(whole.subarray(0, 3000))), /the file is damaged \(.*truncated/);
  await rejects(
    () => read(put(zipSync({ "t.csv": strToU8("id\n") }))),
    /a zip archive, but no workbook \(\["t\.csv"\]\)/,
  );
  await rejects(
    () => read(put(zipSync({ "[Content_Types].xml": strToU8("<Types/>"), "xl/workbook.bin": strToU8("") }))),
    /a binary workbook \(\.xlsb\)\. .*Save it as \.xlsx/,
  );
  const old = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(600)]);
  await rejects(() => read(put(old)), /an old \.xls workbook\. .*Save it as \.xlsx/);
  await rejects(
    () => read(put(Buffer.concat([old, Buffer.from("EncryptedPackage", "utf16le")]))),
    /encrypted\. Files without a password/,
  );
  const dtd = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><worksheet><sheetData/></worksheet>';
  await rejects(
    () => read(book(dir, "", { parts: { "xl/worksheets/sheet1.xml": dtd } })),
    /the part "xl\/worksheets\/sheet1\.xml" declares a document type/,
  );
});

test("any changed byte of a part is found by its checksum", async ({ dir }) => {
  const whole = readFileSync(join(fixtures, "cells.xlsx"));
  const at = whole.indexOf("xl/worksheets/sheet1.xml") + 100;
  for (let i = 0; i < 40; i++) {
    const changed = Buffer.from(whole);
    changed[at + 7 * i]! ^= 1;
    writeFileSync(join(dir, "c.xlsx"), changed);
    await rejects(() => read(join(dir, "c.xlsx")), /"xl\/worksheets\/sheet1\.xml" does not agree with its checksum/);
  }
});

test("a zip bomb is refused from its directory, and one that lies about its size at that size", async ({ dir }) => {
  const path = join(dir, "bomb.xlsx");
  const parts = { "[Content_Types].xml": strToU8("<Types/>"), "xl/a.xml": new Uint8Array(70 * 2 ** 20) };
  const bomb = zipSync(parts);
  writeFileSync(path, bomb);
  await rejects(
    () => read(path),
    /too large once unpacked \(at least 73400328 bytes from \d+\)\. At most 268435456 bytes, and 300 times/,
  );
  // the directory says 10 bytes: the field stands 24 bytes into the entry
  const entry = Buffer.from(bomb).lastIndexOf("xl/a.xml") - 46;
  const lying = Buffer.from(bomb);
  lying.writeUInt32LE(10, entry + 24);
  writeFileSync(path, lying);
  await rejects(() => read(path), /"xl\/a\.xml" does not agree with its checksum/);
});

test("a cell of 10 MB is read whole", async ({ dir }) => {
  const long = Array.from({ length: 10_000 }, (_, i) => String(i * 7919).padStart(1000, "abcdefghij")).join("");
  const [table] = await read(book(dir, row(1, text("A1", "v")) + row(2, text("A2", long))));
  assert.ok(column(table!, "v")[0] === long);
});

test("whatever text is written comes back, as text, and the same table gives the same bytes", async ({ dir }) => {
  const cell = fc.oneof(
    fc.constant(null),
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "",
      "=1+1",
      "+1",
      "-1",
      "@a",
      "'x",
      "001",
      "1e5",
      "TRUE",
      "#N/A",
      "2024-02-29",
      "a\r\nb",
      "_x000D_",
      "_X0041_",
      " s ",
      "\t",
      "\u0000",
      "\ufffe",
      "\ue000",
      "<&>",
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 5 }), cell), {
        minLength: 1,
        maxLength: 8,
      }),
      async (rows) => {
        const columns = {
          rows: rows.length,
          data: new Map([
            ["id", rows.map(([id]) => id)],
            ["value_x0041_", rows.map(([, value]) => value)],
          ]),
        };
        const tables = [{ part: "entities", columns }];
        const [file] = await xlsx.encode!(tables, "test");
        assert.is(file!.name, "entities.xlsx");
        const [again] = await xlsx.encode!(tables, "test");
        assert.equal(again!.data, file!.data);
        writeFileSync(join(dir, "w.xlsx"), file!.data as Uint8Array);
        const [table] = await read(join(dir, "w.xlsx"));
        assert.equal(
          [...table!.columns.data].map(([name, values]) => [name, [...values]]),
          [...columns.data],
        );
        assert.equal(table!.repaired, []);
        assert.equal(table!.notices, []);
        const sheet = strFromU8(unzipSync(file!.data as Uint8Array)["xl/worksheets/sheet1.xml"]!);
        assert.not.match(sheet, /<f[ >]/);
      },
    ),
    { numRuns: 60, seed: 4 },
  );
});

test("what a workbook cannot hold is refused, with table, row and column", async () => {
  const write = (data: [string, unknown[]][], part = "entities") =>
    xlsx.encode!([{ part, columns: { rows: data[0]?.[1].length ?? 0, data: new Map(data) as never } }], "writeGraph");
  await rejects(
    () => write([["id", ["a", "x".repeat(32_768)]]]),
    /writeGraph: entities, row 1 \(from 0\), column id: xlsx cannot hold it: 32768 characters, a cell holds 32767/,
  );
  await write([["id", ["x".repeat(32_767)]]]);
  await rejects(
    () =>
      write([
        ["id", ["a"]],
        ["n", [5]],
      ]),
    /row 0 \(from 0\), column n: xlsx cannot hold it: not a string \(5\)/,
  );
  await rejects(() => write([["id", ["\ud800"]]]), /half of a surrogate pair/);
  await rejects(
    () =>
      write([
        ["id", ["a", null]],
        ["n", [null, null]],
      ]),
    /row 1 \(from 0\).*a row without any value/,
  );
  await rejects(() => write([["id", ["a"]]], "a/b"), /a sheet's name has 1 to 31 characters/);
});

const data = process.env.MKGLAB_DATA;
const law = "MH-MMKG's question list has 238 questions of ten columns, every cell text";
if (data === undefined) console.log(`SKIP ${law}: MKGLAB_DATA is not set`);
(data === undefined ? test.skip : test)(law, async () => {
  const { rows, repaired, notices } = await readSheet(join(data!, "mh-mmkg/question_list.xlsx"), { place: "test" });
  assert.is(rows.length, 239);
  assert.equal(rows[0]!.cells, [
    "File",
    "Video",
    "Image",
    "Question",
    "Monster Name",
    "Extra Information",
    "Perception",
    "Search Route",
    "Answer",
    "Type",
  ]);
  // openpyxl: Counter(row[9] for row in sheet.iter_rows(min_row=2, values_only=True))
  const types = new Map<string, number>();
  for (const { cells } of rows.slice(1)) types.set(cells[9]!, (types.get(cells[9]!) ?? 0) + 1);
  assert.equal(
    ["0", "1", "2", "3", "4", "5"].map((type) => types.get(type)),
    [24, 109, 28, 29, 35, 13],
  );
  assert.equal([repaired, notices], [[], []]);
});

test.run();
