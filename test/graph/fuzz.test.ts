import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Graph, loadGraph, readRows, readTable } from "../../lib/graph/index.js";

const test = suite<{ dir: string }>("fuzz of the text readers");
test.before((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const formats = ["csv", "tsv", "jsonl", "json"] as const;
type Format = (typeof formats)[number];

/** Every row read is kept or refused with a line and a reason; what was added is said to be. */
function addsUp({ report, entities, triples }: Graph): void {
  assert.is(report.kept.triples, triples.numRows());
  assert.is(report.kept.entities, entities.numRows());
  const read = (report.read.triples ?? 0) + (report.read.entities ?? 0);
  const kept = (report.kept.triples ?? 0) + (report.kept.entities ?? 0);
  const added = (report.added.triples ?? 0) + (report.added.entities ?? 0);
  assert.is(read, kept + report.refused.length - added);
  for (const { line, reason } of report.refused) assert.ok(Number.isInteger(line) && line >= 1 && reason !== "");
}

/**
 * Rows that a file holds, by another reading than the library's: lines of tsv (the header among them) and jsonl, members of JSON's lists by JSON.parse,
 * records of csv by {@link csvRecords}, whose quotes must be those of RFC 4180. Undefined where the bytes are UTF-16.
 */
function rowsOf(format: Format, data: Uint8Array): number | undefined {
  const bytes = Buffer.from(data);
  if (["fffe", "feff"].includes(bytes.subarray(0, 2).toString("hex"))) return undefined;
  const text = bytes.toString().replace(/^\ufeff/, "");
  if (format === "csv") return csvRecords(text).length;
  if (format === "json") {
    const value = JSON.parse(text) as object;
    if (Array.isArray(value)) return value.length;
    const lists = Object.entries(value).filter(([name]) => /^\s*(entities|triples)\s*$/i.test(name));
    return lists.reduce((n, [, list]) => n + ((list as unknown[] | null)?.length ?? 0), 0);
  }
  const lines = text.split("\n");
  return lines.filter((line) => (format === "tsv" ? line.replace(/\r$/, "") : line.trim()) !== "").length;
}

/** The graph, or the one error that the file gives: in the house form and with the file's name. */
async function load(file: string, lenient: boolean): Promise<Graph | string> {
  try {
    return await loadGraph(file, { lenient });
  } catch (error) {
    assert.is((error as Error).constructor.name, "MkgError", (error as Error).stack);
    assert.match((error as Error).message, file);
    return (error as Error).message;
  }
}

const hostile = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    ",",
    '"',
    '""',
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\ufeff",
    "\ufffe",
    "|",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
  ),
  fc.constantFrom(
    "head",
    "relation",
    "tail",
    "id",
    "null",
    "NaN",
    "1e5",
    "007",
    "__proto__",
    "constructor",
    "é",
    "e\u0301",
    "🐉",
  ),
  fc.string({ unit: "binary", maxLength: 5 }),
);
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.array(hostile, { maxLength: 40 }).map((parts) => new Uint8Array(Buffer.from(parts.join("")))),
  fc
    .tuple(
      fc.constantFrom(
        "head,relation,tail\n",
        "head\trelation\ttail\n",
        '{"head":"a","relation":"r","tail":"b"}\n',
        "\ufeffid,label\r\n",
        "[",
        '{"triples":[',
        "\ufeff",
      ),
      fc.uint8Array({ maxLength: 100 }),
    )
    .map(([begin, rest]) => new Uint8Array(Buffer.concat([Buffer.from(begin), rest]))),
);

// rows that are JSON, of columns that mean something and values that do not
const record = fc.dictionary(
  fc.constantFrom("id", "head", "relation", "tail", "label", "images", "keyFrames", "x", "constructor", ""),
  fc.oneof(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 })),
);
const triple = fc.record({
  head: fc.string({ maxLength: 3 }),
  relation: fc.constant("r"),
  tail: fc.string({ maxLength: 3 }),
});
const records = fc.array(fc.oneof(triple, triple, record, fc.jsonValue({ maxDepth: 1 })), { maxLength: 6 });
const json = fc.oneof(
  records.map((list) => JSON.stringify(list)),
  records.map((list) => list.map((item) => JSON.stringify(item)).join("\n")),
  fc.record({ triples: records, entities: records }).map((parts) => JSON.stringify(parts)),
  fc.array(triple, { minLength: 1, maxLength: 4 }).map((list) => JSON.stringify(list)),
);

for (const format of formats)
  test(`any bytes called .${format} are a graph whose counts add up, or one error that names the file`, async ({
    dir,
  }) => {
    const file = join(dir, `any.${format}`);
    let graphs = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, json), fc.boolean(), async (data, lenient) => {
        writeFileSync(file, data);
        const found = await load(file, lenient);
        if (typeof found === "string") return;
        graphs++;
        addsUp(found);
        if (!lenient) assert.equal(found.report.refused, []);
        // nothing vanishes: each row that the file holds is the header, kept or refused; what is not CSV is counted line by line below
        const { report } = found;
        if (format === "csv" && report.refused.some(({ reason }) => reason.startsWith("not CSV"))) return;
        const header =
          ["csv", "tsv"].includes(format) &&
          !report.notices.some((n) => n.what.startsWith("files read without a header"));
        const held = rowsOf(format, typeof data === "string" ? Buffer.from(data) : data);
        if (held !== undefined)
          assert.is((report.read.entities ?? 0) + (report.read.triples ?? 0) + (header ? 1 : 0), held);
      }),
      { numRuns: 400 },
    );
    assert.ok(graphs > 0, "no input was a graph: the law was not tried");
  });

// a cell that each of the formats holds, and that no header line can be taken for
const cell = fc.oneof(
  fc.constantFrom("007", "1e5", "NaN", "null", "__proto__", "é", "e\u0301", "🐉", " a", "a ", "5' 10", "\u2028", "\0"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }).filter((text) => !/[",\t\r\n\ufeff]/.test(text)),
);
const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 12 });
const render: Readonly<Record<Format, (rows: readonly (readonly [string, string, string])[]) => string[]>> = {
  csv: (list) => ["head,relation,tail", ...list.map((row) => row.join(","))],
  tsv: (list) => ["head\trelation\ttail", ...list.map((row) => row.join("\t"))],
  jsonl: (list) => ["", ...list.map(([head, relation, tail]) => JSON.stringify({ head, relation, tail }))],
  json: (list) => [
    "[",
    ...list.map(([h, r, t], i) => `${i ? "," : ""}${JSON.stringify({ head: h, relation: r, tail: t })}`),
    "]",
  ],
};

for (const format of ["csv", "tsv", "jsonl"] as const)
  test(`one damaged line of ${format} costs that line at most: it is kept or listed by its number, the others come unchanged`, async ({
    dir,
  }) => {
    const file = join(dir, `damaged.${format}`);
    // no line break and, since csv reads on to the next one, no quote
    const damage = fc.uint8Array({ maxLength: 6 }).map((list) => list.filter((byte) => ![10, 13, 34].includes(byte)));
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(), fc.nat(), fc.nat({ max: 4 }), damage, async (list, which, at, cut, insert) => {
        const lines = render[format](list).map((line) => Buffer.from(line));
        const hit = 1 + (which % list.length);
        const line = lines[hit]!;
        const from = at % (line.length + 1);
        lines[hit] = Buffer.concat([line.subarray(0, from), insert, line.subarray(from + cut)]);
        writeFileSync(file, lines.map((text) => `${text.toString("latin1")}\n`).join(""), "latin1");
        // a blank line is no row
        const blank = format === "jsonl" ? lines[hit]!.toString("latin1").trim() === "" : lines[hit]!.length === 0;
        const graph = await load(file, true);
        if (typeof graph === "string") {
          // nothing but the damaged line in it, of which no key is known
          assert.is(list.length, 1, graph);
          return;
        }
        addsUp(graph);
        const others = list.filter((_, i) => i !== hit - 1);
        const kept = ["head", "relation", "tail"].map((name) => graph.triples.array(name) as string[]);
        const keptHit = kept[0]!.length === list.length;
        if (keptHit) for (const column of kept) column.splice(hit - 1, 1);
        assert.equal(
          kept[0]!.map((_, i) => kept.map((column) => column[i])),
          others.map((row) => [...row]),
        );
        // one line is one row kept or one row refused, and the refusal says which line
        assert.is(keptHit ? 1 : 0, blank ? 0 : 1 - graph.report.refused.length);
        if (!keptHit && !blank) {
          refused++;
          assert.equal(
            graph.report.refused.map((row) => row.line),
            [hit + 1],
          );
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(refused > 20, `only ${refused} damaged lines were refused: the law was hardly tried`);
  });

for (const format of formats)
  test(`a ${format} file cut anywhere, or with bytes changed, adds up or is one error that names it`, async ({
    dir,
  }) => {
    const file = join(dir, `changed.${format}`);
    const change = fc.record({
      at: fc.nat(),
      drop: fc.nat({ max: 30 }),
      put: fc.uint8Array({ maxLength: 8 }),
      end: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (list, changes, lenient) => {
          let data = Buffer.from(
            render[format](list)
              .map((line) => `${line}\n`)
              .join(""),
          );
          for (const { at, drop, put, end } of changes) {
            const from = at % (data.length + 1);
            data = Buffer.concat([data.subarray(0, from), put, end ? Buffer.alloc(0) : data.subarray(from + drop)]);
          }
          writeFileSync(file, data);
          const found = await load(file, lenient);
          if (typeof found !== "string") addsUp(found);
        },
      ),
      { numRuns: 300 },
    );
  });

/** RFC 4180 in one page: the records of a csv text in which quotes stand only around fields and doubled within them. */
function csvRecords(text: string): string[][] {
  const records: string[][] = [];
  let fields: string[] = [];
  let field = "";
  let quoted = false;
  let started = false;
  const end = () => {
    fields.push(field);
    // a line of nothing at all is no record
    if (fields.length > 1 || field !== "" || started) records.push(fields);
    fields = [];
    field = "";
    started = false;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char !== '"') field += char;
      else if (text[i + 1] === '"') field += text[i++];
      else quoted = false;
    } else if (char === '"') {
      quoted = true;
      started = true;
    } else if (char === ",") {
      fields.push(field);
      field = "";
    } else if (char === "\n" || (char === "\r" && text[i + 1] === "\n")) {
      if (char === "\r") i++;
      end();
    } else field += char;
  }
  if (fields.length > 0 || field !== "" || started) end();
  return records;
}

test("csv as a plain reading of RFC 4180 reads it, value by value, whatever the size of the blocks it comes in", async ({
  dir,
}) => {
  const file = join(dir, "t.csv");
  const inside = fc.array(
    fc.constantFrom("a", " ", ",", '"', "\n", "\r\n", "\r", "é", "🐉", "\t", "x".repeat(70_000)),
    { maxLength: 5 },
  );
  const outside = fc.array(fc.constantFrom("a", " ", "é", "🐉", "\t", "'", "007"), { maxLength: 4 });
  const field = fc.oneof(
    inside.map((parts) => `"${parts.join("").replaceAll('"', '""')}"`),
    outside.map((parts) => parts.join("")),
  );
  const line = fc.tuple(field, field, field).map((fields) => fields.join(","));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\n\n")), { maxLength: 8 }),
      fc.boolean(),
      async (lines, open) => {
        let text = `p,q,r\n${lines.map((parts) => parts.join("")).join("")}`;
        if (open) text = text.trimEnd();
        writeFileSync(file, text);
        const [names, ...expected] = csvRecords(text);
        const found = await readTable(file);
        assert.equal(found.columnNames(), names);
        assert.equal(found.numRows(), expected.length);
        for (const [c, name] of names!.entries())
          assert.equal(
            found.array(name),
            expected.map((record) => record[c]),
          );
      },
    ),
    { numRuns: 150 },
  );
});

// made by Python's csv module: test/golden/delimited/make.py
const golden = JSON.parse(readFileSync(join(import.meta.dirname, "../golden/delimited/cases.json"), "utf8")) as {
  readonly cases: readonly { readonly text: string; readonly names: string[]; readonly rows: string[][] }[];
};
test("each line of a csv that is not blank is in the header, in one row kept, or refused by its number, whatever its quotes", async ({
  dir,
}) => {
  const file = join(dir, "lines.csv");
  const part = fc.constantFrom("a", "b c", ",", ",", '"', '"', '""', "\n", "\n", "\r\n", "\r", '5" disk', "é");
  let broken = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 40 }), async (parts) => {
      const text = `p,q\n${parts.join("")}`;
      writeFileSync(file, text);
      const rows = await readRows(file, { place: "test", lenient: true });
      const covered = [1, ...rows.refused.map(({ line }) => line)];
      if (rows.refused.some(({ reason }) => reason.startsWith("not CSV"))) broken++;
      for (let row = 0; row < rows.columns.rows; row++) {
        const cells = [...rows.columns.data.values()].map((column) => column.at(row) as string);
        const breaks = cells.join("").split("\n").length - 1;
        for (let line = 0; line <= breaks; line++) covered.push(rows.line(row) + line);
      }
      assert.is(new Set(covered).size, covered.length, "a line counts twice");
      // the further lines of a record with too many or too few fields follow the one that names it
      const short = new Set(rows.refused.flatMap(({ line, reason }) => (/fields instead/.test(reason) ? [line] : [])));
      for (const [i, line] of text.split("\n").entries())
        if (/[^\r]/.test(line) && !covered.includes(i + 1))
          assert.ok(short.has(Math.max(...covered.filter((other) => other <= i))), `line ${i + 1} vanished`);
    }),
    { numRuns: 500 },
  );
  assert.ok(broken > 50, `only ${broken} texts were not CSV: the law was hardly tried`);
});

test("csv written by Python is read as Python reads it", async ({ dir }) => {
  for (const { text, names, rows } of golden.cases) {
    writeFileSync(join(dir, "python.csv"), text);
    const found = await readTable(join(dir, "python.csv"));
    assert.equal(found.columnNames(), names);
    for (const [c, name] of names.entries())
      assert.equal(
        found.array(name),
        rows.map((row) => row[c]),
        JSON.stringify(text),
      );
  }
});

test("tsv is lines parted at tabs; jsonl is JSON.parse of each line", async ({ dir }) => {
  const value = fc.oneof(
    fc.string(),
    // whole numbers that JSON.parse would round have a law of their own
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(fc.dictionary(fc.constantFrom("a", "b", "constructor"), value, { minKeys: 1 }), {
        minLength: 1,
        maxLength: 8,
      }),
      async (list, records) => {
        const lines = render.tsv(list);
        writeFileSync(join(dir, "t.tsv"), lines.join("\r\n"));
        const tsv = await readTable(join(dir, "t.tsv"));
        for (const [c, name] of ["head", "relation", "tail"].entries())
          assert.equal(
            tsv.array(name),
            lines.slice(1).map((text) => text.split("\t")[c]),
          );
        const texts = records.map((record) => JSON.stringify(record));
        writeFileSync(join(dir, "t.jsonl"), `${texts.join("\n\n")}\n`);
        const jsonl = await readTable(join(dir, "t.jsonl"));
        assert.is(jsonl.numRows(), records.length);
        for (const name of jsonl.columnNames())
          for (const [i, text] of texts.entries()) {
            const parsed = JSON.parse(text) as Record<string, unknown>;
            assert.equal(jsonl.get(name, i), Object.hasOwn(parsed, name) ? parsed[name] : null);
          }
      },
    ),
    { numRuns: 100 },
  );
});

test.run();
