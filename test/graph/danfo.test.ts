import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { table } from "arquero";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fromDanfo, graphFrom, toDanfo } from "../../lib/graph/index.js";

const test = suite("danfo frames");

// the real danfojs-node: from this package's node_modules, or from the folder (with a node_modules) that MKGLAB_DANFO names
const from = createRequire(join(process.env.MKGLAB_DANFO ?? import.meta.dirname, "package.json"));
const danfo = (() => {
  try {
    return from("danfojs-node");
  } catch {
    return undefined;
  }
})();
/** What these tests use of danfo's frames. */
interface Frame {
  readonly ctypes: { readonly values: readonly string[] };
  readonly values: readonly unknown[][];
  column(name: string): Frame & { valueCounts(): Frame; mean(): number; eq(value: string): unknown };
  iloc(of: { readonly rows: readonly number[] }): Frame;
  query(rows: unknown): Frame;
}

const law = (name: string, run: () => Promise<void> | void): void => {
  if (danfo) test(name, run);
  else {
    console.log(`SKIP ${name}: danfojs-node is not installed; MKGLAB_DANFO names a folder that has it`);
    test.skip(name, run);
  }
};

/** Equal by value; NaN is NaN, and −0 is not 0. */
const same = (found: unknown, given: unknown, where: string): void =>
  typeof given === "object" && given !== null
    ? assert.equal(found, given, where)
    : assert.ok(Object.is(found, given), where);

async function error(act: () => unknown): Promise<Error> {
  try {
    await act();
  } catch (thrown) {
    return thrown as Error;
  }
  return assert.unreachable("no error") as never;
}

law("strings that look like numbers stay strings, whatever dtype danfo guesses", () => {
  const frame = new danfo.DataFrame({ head: ["007", "1e5"], relation: ["r", "r"], tail: ["NaN", "null"] });
  assert.is(frame.dtypes[0], "int32", "danfo's own guess for 007: the trap that this law is about");
  const graph = graphFrom({ triples: fromDanfo(frame) });
  assert.equal(graph.triples.array("head"), ["007", "1e5"]);
  assert.equal(graph.triples.array("tail"), ["NaN", "null"]);
});

law("values come as they stand in the frame: null, NaN, booleans, bigints, dates; undefined is null", () => {
  const rows = [
    ["a", null, Number.NaN, true, 2n ** 63n - 1n, new Date(5)],
    ["", undefined, -0, false, 1n, new Date(0)],
  ];
  const made = fromDanfo(new danfo.DataFrame(rows, { columns: ["s", "e", "n", "b", "i", "d"] }));
  assert.equal(made.columnNames(), ["s", "e", "n", "b", "i", "d"]);
  assert.equal(made.array("s"), ["a", ""]);
  assert.equal(made.array("e"), [null, null]);
  assert.ok(Number.isNaN(made.get("n", 0)) && Object.is(made.get("n", 1), -0));
  assert.equal(made.array("b"), [true, false]);
  assert.equal(made.array("i"), [9223372036854775807n, 1n]);
  assert.is((made.get("d", 0) as Date).getTime(), 5);
});

law("row labels of one's own become a column, those that danfo counts do not", async () => {
  const frame = new danfo.DataFrame({ id: ["a", "b", "c"], n: [1, 2, 3] });
  assert.equal(fromDanfo(frame).columnNames(), ["id", "n"]);
  const filtered = frame.query(frame.n.gt(1));
  assert.equal(fromDanfo(filtered).array("index"), [1, 2]);
  assert.equal(fromDanfo(filtered, { index: false }).columnNames(), ["id", "n"]);
  const named = new danfo.DataFrame({ index: ["a"] }, { index: ["x"] });
  assert.match((await error(() => fromDanfo(named))).message, /two columns of one name \("index"\).*index: false/);
  assert.equal(fromDanfo(named, { index: false }).array("index"), ["a"]);
});

law("a table survives the way to danfo and back, in its own order and filter", async () => {
  const cell = {
    string: fc.option(fc.oneof(fc.constantFrom("007", "1e5", "NaN", "null", "true", "", " "), fc.string())),
    number: fc.option(fc.oneof(fc.double(), fc.integer())),
    boolean: fc.option(fc.boolean()),
    date: fc.option(fc.date({ noInvalidDate: true })),
    list: fc.option(fc.array(fc.string(), { maxLength: 2 })),
    mixed: fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null)),
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record(cell), { maxLength: 6 }), async (rows) => {
      const columns = Object.keys(cell).map((name) => [name, rows.map((row) => row[name as keyof typeof cell])]);
      const given = table(Object.fromEntries(columns));
      const back = fromDanfo((await toDanfo(given, danfo)) as object);
      assert.equal(back.columnNames(), Object.keys(cell));
      for (const name of Object.keys(cell))
        for (let row = 0; row < rows.length; row++)
          same(back.get(name, row), given.get(name, row), `${name} of row ${row}`);
    }),
    { numRuns: 100 },
  );
  const odd = table({ id: ["b", "a", "c"], n: [2, 1, 3] })
    .filter((row: { n: number }) => row.n < 3)
    .orderby("id");
  assert.equal(fromDanfo((await toDanfo(odd, danfo)) as object).objects(), [
    { id: "a", n: 1 },
    { id: "b", n: 2 },
  ]);
  assert.is(fromDanfo((await toDanfo(table({ id: [] }), danfo)) as object).numRows(), 0);
});

law("danfo computes with the frame: dtypes are stated, a column called head is a column", async () => {
  const graph = graphFrom({
    triples: [
      { head: "7", relation: "knows", tail: "8", weight: 1.5, sure: true },
      { head: "8", relation: "knows", tail: "9", weight: 2.5, sure: false },
      { head: "8", relation: "sees", tail: "7", weight: null, sure: null },
    ],
  });
  const frame = await toDanfo<Frame>(graph.triples, danfo);
  assert.equal(frame.ctypes.values, ["string", "string", "string", "string", "string", "string", "float32", "boolean"]);
  assert.equal(frame.column("head").values, ["7", "8", "8"]);
  assert.equal(frame.column("relation").valueCounts().values, [2, 1]);
  // (1.5 + 2.5) / 2: danfo leaves null out of a mean
  assert.is(frame.column("weight").mean(), 2);
  assert.equal(frame.iloc({ rows: [1] }).values, [["1", "8", "knows", "knows", "9", "", 2.5, false]]);
  assert.equal(fromDanfo(frame.query(frame.column("relation").eq("sees")), { index: false }).array("tail"), ["7"]);
});

law("what danfo cannot hold is refused with its place, or becomes what was asked for", async () => {
  const big = table({ id: ["a", "b"], n: [1n, 2n ** 53n + 1n] });
  assert.match(
    (await error(() => toDanfo(big, danfo))).message,
    /^toDanfo: row 0 \(from 0\), column n: a 64-bit integer \(bigint\), which danfo cannot hold \(1\)\. \{ bigint: "string" \}/,
  );
  assert.match(
    (await error(() => toDanfo(big, danfo, { bigint: "number" }))).message,
    /row 1 \(from 0\), column n: a 64-bit integer that a number cannot hold \(9007199254740993\)/,
  );
  const texts = await toDanfo<Frame>(big, danfo, { bigint: "string" });
  assert.equal(texts.column("n").values, ["1", "9007199254740993"]);
  for (const name of ["columns", "shape", "values", "index", "$data"])
    assert.match(
      (await error(() => toDanfo(table({ [name]: ["a"] }), danfo))).message,
      new RegExp(`would break danfo's frames \\("${name.replace("$", "\\$")}"\\).*table\\.rename`),
    );
  assert.match(
    (await error(() => fromDanfo(new danfo.Series([1])))).message,
    /not a danfojs-node data frame \(a Series\)/,
  );
});

test("what is no frame and no table is an error; a wrong option names the right one", async () => {
  assert.match((await error(() => fromDanfo([]))).message, /^fromDanfo: not a danfojs-node data frame \(\[\]\)/);
  assert.match((await error(() => fromDanfo({}, { indx: true } as never))).message, /Did you mean "index"\?/);
  assert.match(
    (await error(() => toDanfo([] as never, { DataFrame: Object } as never))).message,
    /^toDanfo: not a table/,
  );
  assert.match(
    (await error(() => toDanfo(table({ a: [1] }), {} as never, { bigInt: "string" } as never))).message,
    /Did you mean "bigint"\?/,
  );
});

const absent = existsSync(join(import.meta.dirname, "../../node_modules/danfojs-node")) ? test.skip : test;
absent("without danfojs-node the error is a set-up error with the command", async () => {
  const thrown = await error(() => toDanfo(table({ a: [1] })));
  assert.is(thrown.name, "SetupError");
  assert.match(thrown.message, /danfojs-node cannot be loaded.*npm install danfojs-node@1\.2\.0/);
});

test.run();
