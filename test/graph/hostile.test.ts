import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MkgError } from "../../lib/core/index.js";
import type { Source, TableFormat } from "../../lib/graph/formats/format.js";
import { parquet } from "../../lib/graph/formats/parquet.js";
import { nquads, ntriples, turtle } from "../../lib/graph/formats/rdf.js";
import { xlsx } from "../../lib/graph/formats/xlsx.js";

// whatever the bytes are: values, or one error in the house form that names the file; never another error, an endless loop or memory without bound
const test = suite("hostile files");
const fixtures = join(import.meta.dirname, "../fixtures/formats");
const files = (extension: string) =>
  readdirSync(fixtures)
    .filter((name) => name.endsWith(extension))
    .sort()
    .map((name) => readFileSync(join(fixtures, name)));

const source = (bytes: Uint8Array): Source => ({
  path: "dir/file.x",
  name: "file.x",
  async *stream() {
    yield bytes;
  },
  bytes: async () => bytes,
});

/** True when it was read. */
async function holds(format: TableFormat, bytes: Uint8Array, lenient: boolean): Promise<boolean> {
  try {
    const parts = await format.read(source(bytes), {
      place: "test",
      lenient,
      decide: (names) => ({ names, header: true }),
    });
    for (const { columns, line } of parts) {
      for (const column of columns.data.values()) {
        assert.is(column.length, columns.rows);
        for (const value of column) assert.ok(value !== undefined);
      }
      if (columns.rows > 0) assert.ok(Number.isInteger(line(columns.rows - 1)) && line(columns.rows - 1) >= 1);
    }
    return true;
  } catch (error) {
    assert.instance(error, MkgError, String((error as Error).stack));
    const { message } = error as MkgError;
    assert.match(message, /^test: .*dir\/file\.x/s);
    assert.ok(message.length < 1000, message);
    return false;
  }
}

const part = fc.noBias(fc.integer({ min: 0, max: 1e6 })).map((n) => n / (1e6 + 1));
const edits = fc.array(fc.tuple(part, fc.integer({ min: 0, max: 255 })), { maxLength: 5 });
const change = fc.record({ base: fc.nat(), cut: fc.option(part, { freq: 1, nil: 1 }), edits, lenient: fc.boolean() });

function changed(base: Uint8Array, cut: number, edits: readonly (readonly [number, number])[]): Buffer {
  const bytes = Buffer.from(base).subarray(0, Math.ceil(cut * base.length));
  for (const [at, value] of edits) if (bytes.length > 0) bytes[Math.floor(at * bytes.length)] = value;
  return bytes;
}

const turtleText = `@prefix ex: <http://ex.org/> .
ex:Gorm a ex:Creature ; ex:name "Gorm"@de, """two
lines""" ; ex:near [ ex:weight 1.5 ], ( _:b0 true ) .
`;
const lines = `<http://a/1> <http://a/p> "x\\ty \\u00e9"@en .
# comment
_:b0 <http://a/p> <http://a/2> .
<http://a/1> <http://a/p> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .
`;
const formats: [string, TableFormat, readonly Uint8Array[]][] = [
  ["xlsx", xlsx, files(".xlsx")],
  ["parquet", parquet, files(".parquet")],
  ["N-Triples", ntriples, [Buffer.from(lines)]],
  ["N-Quads", nquads, [Buffer.from(lines.replaceAll(" .\n", " <http://g> .\n"))]],
  ["Turtle", turtle, [Buffer.from(turtleText), Buffer.from(lines)]],
];

for (const [name, format, bases] of formats) {
  test(`${name}: random bytes are an error, or values`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(),
        fc.nat(64),
        fc.boolean(),
        async (bytes, base, keep, lenient) => {
          await holds(format, bytes, lenient);
          // behind a true beginning
          await holds(format, Buffer.concat([bases[base % bases.length]!.subarray(0, keep), bytes]), lenient);
        },
      ),
      { numRuns: 100, seed: 1 },
    );
  });

  test(`${name}: files cut off and changed in a few bytes are an error, or values`, async () => {
    for (const [i, base] of bases.entries()) await holds(format, base, i % 2 === 0);
    await fc.assert(
      fc.asyncProperty(change, ({ base, cut, edits, lenient }) =>
        holds(format, changed(bases[base % bases.length]!, cut, edits), lenient).then(() => {}),
      ),
      { numRuns: 250, seed: 2 },
    );
  });
}

test("xlsx: parts with a few characters changed or left out, whole as an archive, are an error, or values", async () => {
  const bases = files(".xlsx").map((bytes) => unzipSync(bytes));
  let read = 0;
  await fc.assert(
    fc.asyncProperty(change, async ({ base, edits, lenient }) => {
      const parts = { ...bases[base % bases.length]! };
      const names = Object.keys(parts).filter((name) => /sheet1|shared|styles|workbook|Content/.test(name));
      for (const [at, value] of edits) {
        const name = names[value % names.length]!;
        const bytes = Buffer.from(parts[name]!);
        const from = Math.floor(at * bytes.length);
        if (value % 2 === 0) bytes[from] = `<>/"'&;=019 ASsrvt`.charCodeAt(value % 18);
        parts[name] =
          value % 2 === 0 ? bytes : Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + (value % 31))]);
      }
      if (await holds(xlsx, zipSync(parts), lenient)) read++;
    }),
    { numRuns: 250, seed: 3 },
  );
  assert.ok(read > 50, `only ${read} were read: the changes reach nothing behind the archive`);
});

test("lenient reading leaves out only what it lists: read and refused lines make the whole", async () => {
  const statement = (i: number) => `<http://a/${i}> <http://a/p> "${i}" .`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("good", "bad", "blank", "utf8"), { minLength: 1, maxLength: 30 }),
      async (kinds) => {
        const text = kinds.map((kind, i) =>
          Buffer.concat([
            kind === "good"
              ? Buffer.from(statement(i))
              : kind === "bad"
                ? Buffer.from(`<http://a/${i}> oops .`)
                : kind === "utf8"
                  ? Buffer.from([0x22, 0xff])
                  : Buffer.alloc(0),
            Buffer.from("\n"),
          ]),
        );
        if (kinds.every((kind) => kind === "blank")) return;
        const [, triples] = await ntriples.read(source(Buffer.concat(text)), {
          place: "test",
          lenient: true,
          decide: (names) => ({ names, header: true }),
        });
        const at = (wanted: readonly string[]) => kinds.flatMap((kind, i) => (wanted.includes(kind) ? [i + 1] : []));
        assert.equal(
          Array.from({ length: triples!.columns.rows }, (_, i) => triples!.line(i)),
          at(["good"]),
        );
        assert.equal(
          triples!.refused.map(({ line }) => line),
          at(["bad", "utf8"]),
        );
      },
    ),
    { numRuns: 60, seed: 5 },
  );
});

test("bombs are refused within 500 MB of memory", () => {
  // in a process of its own: its peak is the measure
  const script = `
import { gzipSync } from "node:zlib";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { zipSync } from "fflate";
import { openSource } from "./lib/graph/formats/compressed.js";
import { ntriples } from "./lib/graph/formats/rdf.js";
import { xlsx } from "./lib/graph/formats/xlsx.js";
const dir = mkdtempSync((process.env.TMPDIR ?? "/tmp") + "/mkglab-");
const reading = { place: "test", lenient: true, decide: (names) => ({ names, header: true }) };
const before = process.resourceUsage().maxRSS;
const out = [];
// 512 MiB of one endless line from 0.5 MB: four members of 128 MiB; above 300 times its size it is refused
const member = gzipSync(Buffer.alloc(128 * 2 ** 20, 120));
writeFileSync(dir + "/b.nt.gz", Buffer.concat([...Array(4).fill(member)]));
const zeros = zipSync({ "[Content_Types].xml": new Uint8Array(1), "xl/worksheets/sheet1.xml": new Uint8Array(2 ** 27) }, { level: 9 });
writeFileSync(dir + "/b.xlsx", zeros);
const ready = process.resourceUsage().maxRSS;
for (const [name, format] of [["b.nt.gz", ntriples], ["b.xlsx", xlsx]])
  try { await format.read(await openSource("test", dir + "/" + name, format.zipped), reading); out.push("read"); } catch (error) { out.push(error.constructor.name + ": " + error.problem); }
rmSync(dir, { recursive: true });
console.log(JSON.stringify({ out, grown: (process.resourceUsage().maxRSS - ready) / 1024, before: before / 1024 }));
`;
  const found = JSON.parse(
    execFileSync(
      process.execPath,
      ["--max-old-space-size=256", "--import", "tsx", "--input-type=module", "-e", script],
      {
        cwd: join(import.meta.dirname, "../.."),
        encoding: "utf8",
      },
    ),
  );
  assert.match(found.out[0], /^MkgError: .*b\.nt\.gz: too large once decompressed/);
  assert.match(found.out[1], /^MkgError: .*b\.xlsx: too large once unpacked/);
  assert.ok(found.grown < 500, `${found.grown} MB`);
});

test.run();
