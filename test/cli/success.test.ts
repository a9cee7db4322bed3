import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { openIndex } from "../../lib/embed/index.js";
import { mkglab, temporary, writeFolder } from "../support/cli.js";
import { tiny } from "../support/tiny.js";

const folder = temporary();
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

// Four triples of three words each. q1 and q2 share one word with two triples each, q3 with none.
const data = join(folder, "four");
mkdirSync(data);
const write = (name: string, text: string) => writeFileSync(join(data, name), text);
write("entities.csv", "id,label\na,Amru\nb,Belo\nf,fern\nm,moss\nc,cave\np,pond\n");
write(
  "triples.tsv",
  "id\thead\trelation\ttail\nt1\ta\teats\tf\nt2\tb\teats\tm\nt3\ta\tinhabits\tc\nt4\tb\tinhabits\tp\n",
);
const question = (id: string, text: string, triple: string, cluster: string) =>
  `${JSON.stringify({ id, text, answers: [triple], cluster, gold: { triples: [triple] } })}\n`;
write(
  "questions.jsonl",
  question("q1", "What does Amru eat?", "t1", "a") +
    question("q2", "Where does Belo live?", "t4", "b") +
    question("q3", "Anything else?", "t2", "b"),
);
const run = join(folder, "bm25.trec");
const qrels = join(folder, "qrels.txt");
const retrieve = (...args: string[]) => mkglab(["retrieve", "--dataset", data, "--retriever", "bm25", ...args]);
/** The columns query, document and score of a run. */
const hits = (path: string) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([query, , document, , score]) => [query, document, Number(score)] as const);

test("retrieve writes the run and the judgements of the data set: BM25 by hand, ties by id", async () => {
  const { code, out, err } = await retrieve("--out", run, "--qrels-out", qrels);
  assert.is(code, 0, err);
  assert.match(out, /bm25 on four, setting all: 3 questions, 4 documents, k = 100, failed 0\./);
  assert.is(readFileSync(qrels, "utf8"), "q1 0 t1 1\nq2 0 t4 1\nq3 0 t2 1\n");
  const found = hits(run);
  assert.equal(
    found.map(([query, document]) => `${query} ${document}`),
    ["q1 t1", "q1 t3", "q2 t2", "q2 t4"],
  );
  // N = 4, df = 2: ln(1 + 2.5 / 2.5) · 1 / (1 + 1.2) at the mean length; equal scores are lowered by the least step
  for (const [, , score] of found) assert.ok(Math.abs(score - Math.LN2 / 2.2) < 1e-5, `${score}`);
});

test("retrieve writes judgements from gold paths where no gold triples are named, and refuses to write none", async () => {
  const rows = (name: string, files: Readonly<Record<string, string>>) => {
    mkdirSync(join(folder, name));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
    return join(folder, name);
  };
  const paths = rows("paths", {
    "triples.tsv": "id\thead\trelation\ttail\nt1\ta\teats\tf\nt2\tf\tgrows in\tw\n",
    "questions.jsonl": `${JSON.stringify({ id: "q1", text: "What does a eat?", gold: { paths: [["a", "f", "w"]] } })}\n`,
  });
  const judged = join(folder, "paths.txt");
  const go = (data: string, to: string) =>
    mkglab(["retrieve", "--dataset", data, "--retriever", "bm25", "--out", join(folder, "p.trec"), "--qrels-out", to]);
  assert.is((await go(paths, judged)).code, 0);
  assert.is(readFileSync(judged, "utf8"), "q1 0 t1 1\nq1 0 t2 1\n");
  const bare = rows("bare", {
    "triples.tsv": "head\trelation\ttail\na\teats\tf\n",
    "questions.jsonl": `${JSON.stringify({ id: "q1", text: "What does a eat?", answers: ["f"] })}\n`,
  });
  const { code, err } = await go(bare, join(folder, "none.txt"));
  assert.is(code, 1);
  assert.match(err, /no judgements to write/);
  assert.not(existsSync(join(folder, "none.txt")));
});

test("retrieve: --k cuts, -o reaches the retriever, .jsonl holds evidence, --json says the same in numbers", async () => {
  const one = join(folder, "one.trec");
  const { code, out } = await retrieve("--out", one, "--k", "1", "-o", "k1=0", "--json");
  assert.is(code, 0);
  const summary = JSON.parse(out);
  assert.equal([summary.questions, summary.documents, summary.k, summary.failed], [3, 4, 1, 0]);
  assert.equal(
    hits(one).map(([query, document]) => `${query} ${document}`),
    ["q1 t1", "q2 t2"],
  );
  for (const [, , score] of hits(one)) assert.ok(Math.abs(score - Math.LN2) < 1e-5, `${score}`); // k1 = 0: tf counts 1
  const full = join(folder, "full.jsonl");
  assert.is((await retrieve("--out", full)).code, 0);
  assert.match(readFileSync(full, "utf8"), /"triple":"t1"/);
});

test("retrieve: --seed decides a random run, and nothing else does", async () => {
  const drawn = async (name: string, seed: string) => {
    const path = join(folder, name);
    const args = ["--dataset", data, "--retriever", "random", "--out", path, "--seed", seed];
    assert.is((await mkglab(["retrieve", ...args])).code, 0);
    return hits(path);
  };
  const first = await drawn("r0", "0");
  assert.equal(await drawn("r0-again", "0"), first);
  assert.not.equal(await drawn("r1", "1"), first);
});

test("eval measures that run by hand: a judged query without hits counts 0 and is counted", async () => {
  const evaluate = ["eval", "--qrels", qrels, "--run", run];
  const { code, out } = await mkglab([...evaluate, "-m", "R@1", "-m", "RR", "--per-query"]);
  assert.is(code, 0);
  // ranks of the relevant document: q1 first; q2 second of the pair that was written in the order of ids; q3 none
  assert.match(out, /R@1\tq1\t1\.0000\nR@1\tq2\t0\.0000\nR@1\tq3\t0\.0000/);
  assert.match(out, /RR\tq1\t1\.0000\nRR\tq2\t0\.5000\nRR\tq3\t0\.0000/);
  assert.match(out, /R@1 +0\.3333 +3 +1 +0\n/);
  assert.match(out, /RR +0\.5000 +3 +1 +0\n/);
  const plain = await mkglab([...evaluate, "-m", "RR"]);
  assert.not.match(plain.out, /q1/);
  const { RR } = JSON.parse((await mkglab([...evaluate, "-m", "RR", "--per-query", "--json"])).out);
  assert.equal(RR, { mean: 0.5, n: 3, missing: 1, ignored: 0, perQuery: { q1: 1, q2: 0.5, q3: 0 } });
  assert.match((await mkglab(evaluate)).out, /nDCG@100/); // all default measures where none is named
});

// b − a by question: 1, 1 in cluster c and 1, 0 in cluster d for m; nothing differs in `same`
const pairs: [string, string, number][] = [
  ["q1", "c", 1],
  ["q2", "c", 1],
  ["q3", "d", 1],
  ["q4", "d", 0],
];
const row = (run: string, question: string, cluster: string, measure: string, value: number) =>
  `${JSON.stringify({ run, question, cluster, measure, value })}\n`;
const scores = file(
  "scores.jsonl",
  pairs
    .flatMap(([q, cluster, difference]) => [
      row("a", q, cluster, "m", 0),
      row("b", q, cluster, "m", difference),
      row("a", q, cluster, "same", 1),
      row("b", q, cluster, "same", 1),
    ])
    .join(""),
);
const compare = async (...args: string[]) => {
  const { code, out, err } = await mkglab(["compare", scores, "--baseline", "a", "--json", ...args]);
  assert.is(code, 0, err);
  return JSON.parse(out) as Record<string, unknown>[];
};
const of = (rows: Record<string, unknown>[], ...names: string[]) => rows.map((one) => names.map((name) => one[name]));

test("compare: mean difference, permutation of cluster sums, Holm over all rows", async () => {
  // cluster sums 2 and 1: of 4 sign assignments two reach |3|, p = 1/2; Holm over two rows doubles it, cut at 1
  assert.equal(of(await compare(), "b", "a", "measure", "difference", "p", "pAdjusted", "n", "clusters"), [
    ["b", "a", "m", 0.75, 0.5, 1, 4, 2],
    ["b", "a", "same", 0, 1, 1, 4, 2],
  ]);
});

test("compare: -m leaves one test to correct for, --correction none corrects nothing", async () => {
  assert.equal(of(await compare("-m", "m"), "measure", "pAdjusted"), [["m", 0.5]]);
  assert.equal(of(await compare("--correction", "none"), "measure", "pAdjusted"), [
    ["m", 0.5],
    ["same", 1],
  ]);
});

test("compare: --cluster none takes questions as independent, another column as the unit", async () => {
  // exact McNemar: three questions differ, all one way: 2 · (1/2)³
  assert.equal(of(await compare("-m", "m", "--cluster", "none"), "test", "p", "clusters"), [["mcnemar", 0.25, 4]]);
  const named = await compare("-m", "m", "--cluster", "question");
  assert.equal(of(named, "clusters"), [[4]]);
});

test("compare: --seed draws the Monte Carlo test of many clusters, and the same seed draws the same", async () => {
  const many = file(
    "many.jsonl",
    Array.from({ length: 40 }, (_, i) =>
      [row("a", `q${i}`, `c${i}`, "m", 0), row("b", `q${i}`, `c${i}`, "m", (((i * 37) % 11) - 4) / 11)].join(""),
    ).join(""),
  );
  const p = async (seed: string) =>
    JSON.parse((await mkglab(["compare", many, "--baseline", "a", "--json", "--seed", seed])).out)[0].p as number;
  const [first, again, other] = [await p("0"), await p("0"), await p("1")];
  assert.is(again, first);
  assert.is.not(other, first);
  assert.ok(Math.abs(other - first) < 0.03, `${first} ${other}`);
});

test("compare prints who against whom, measure and difference first, and each warning once", async () => {
  const { out } = await mkglab(["compare", scores, "--baseline", "a"]);
  assert.match(out, /^b +a +measure +difference +low +high +pAdjusted +n +nMissing +clusters\n/);
  assert.match(out, /\nb +a +m +0\.7500 /);
  const warnings = out.split("\n").filter((line) => line.startsWith("warning for "));
  assert.ok(warnings.length > 0); // two clusters are few
  assert.is(new Set(warnings).size, warnings.length);
});

test("a study's folder is found beside its file, and the report says how to make it again", async () => {
  const place = join(folder, "mine");
  writeFolder(tiny(), join(place, "set"));
  const spec = { dataset: "set", base: { retriever: "bm25" }, measures: ["R@10"], controls: [] };
  writeFileSync(join(place, "study.json"), JSON.stringify(spec));
  const { code, err } = await mkglab(["study", join("mine", "study.json"), "--out", "made"], { cwd: folder });
  assert.is(code, 0, err);
  assert.match(readFileSync(join(folder, "made", "report.md"), "utf8"), "`npx mkglab study mine/study.json`");
});

test("options: every factor with its levels and default, from the tables; one name alone; as JSON", async () => {
  const { code, out } = await mkglab(["options"]);
  assert.is(code, 0);
  assert.match(out, /retriever walk: [\s\S]* pathCount +an integer ≥ 1; default 5\n/);
  assert.match(out, /reader learned\n/);
  assert.match(out, /data set bestiary: [\s\S]* creatures +an integer/);
  assert.match(out, /control random-path: [\s\S]*one of "same-subgraph", "other-subgraph"; default "same-subgraph"/);
  const [bm25, ...rest] = JSON.parse((await mkglab(["options", "bm25", "--json"])).out);
  assert.equal(rest, []);
  assert.equal(
    bm25.options.map(({ name, default: value }: { name: string; default: unknown }) => [name, value]),
    [
      ["k1", 1.2],
      ["b", 0.75],
      ["head", 1],
      ["relation", 1],
      ["tail", 1],
    ],
  );
});

const real = process.env.MKGLAB_DATA;
const withSettings = "retrieve: --setting chooses the questions and documents of MKG-RAG-Bench";
if (!real || !existsSync(join(real, "mkg-rag-bench"))) {
  console.log(`SKIP ${withSettings}: MKGLAB_DATA is not set`);
  test.skip(withSettings);
} else
  test(withSettings, async () => {
    const documents = async (setting: string) => {
      const args = ["--dataset", "mkg-rag-bench", "--retriever", "bm25", "--k", "5", "--setting", setting];
      const { out } = await mkglab(["retrieve", ...args, "--out", join(folder, setting), "--json"]);
      return JSON.parse(out).documents as number;
    };
    // counts of data/README.md: text rows, and all rows of MarKG
    assert.equal([await documents("S2"), await documents("S3")], [24_939, 33_307]);
  });

test("eval: conventions by name; unknown ones are refused with what is meant", async () => {
  const folder = temporary();
  const [qrels, run] = [join(folder, "q"), join(folder, "r")];
  writeFileSync(qrels, "q1 0 a 1\nq2 0 a 1\n");
  writeFileSync(run, "q1 Q0 b 1 1 t\nq1 Q0 a 2 1 t\nq1 Q0 a 3 1 t\n");
  const base = ["eval", "--qrels", qrels, "--run", run, "-m", "RR", "bpref", "--json"];
  assert.is((await mkglab(base)).code, 1);
  const { out } = await mkglab([
    ...base,
    "--duplicates",
    "first",
    "--ties",
    "id-ascending",
    "--missing",
    "skip",
    "--unjudged",
    "skip",
  ]);
  assert.equal(JSON.parse(out), {
    RR: { mean: 1, n: 1, missing: 1, ignored: 0 },
    bpref: { mean: 1, n: 1, missing: 1, ignored: 0 },
  });
  const { err, code } = await mkglab([...base, "--ties", "id-ascendin"]);
  assert.is(code, 1);
  assert.match(
    err,
    /option ties has a wrong value \("id-ascendin"\)\. It takes one of "id-descending", "id-ascending", "file"/,
  );
});

test("embed: vectors of questions and rows, of texts or of pictures, as folders that openIndex reads, with their ids", async () => {
  const folder = join(temporary(), "vectors");
  const { code, out, err } = await mkglab([
    "embed",
    "--dataset",
    "atlas",
    "--setting",
    "S4",
    "--encoder",
    "hash",
    "-o",
    "dim=64",
    "--out",
    folder,
    "--json",
  ]);
  assert.is(code, 0, err);
  const written = JSON.parse(out) as { folder: string; n: number; dim: number; encoder: string }[];
  assert.equal(
    written.map(({ folder: at, n, dim, encoder }) => [at, n, dim, encoder]),
    [
      [join(folder, "questions"), 66, 64, "hash"],
      [join(folder, "rows"), 3245, 64, "hash"],
    ],
  );
  const index = await openIndex(join(folder, "rows"));
  const ids = JSON.parse(readFileSync(join(folder, "rows", "ids.json"), "utf8")) as string[];
  assert.equal([index.n, ids.length, new Set(ids).size], [3245, 3245, 3245]);
  const pictures = await mkglab(["embed", "--dataset", "atlas", "--encoder", "pixels", "--out", folder, "--json"]);
  assert.equal(
    (JSON.parse(pictures.out) as { n: number }[]).map(({ n }) => n),
    [80, 250],
  );
  const wrong = await mkglab(["embed", "--dataset", "atlas", "--encoder", "hsh", "--out", folder]);
  assert.match(wrong.err, /unknown encoder \("hsh"\).*Did you mean "hash"\?/);
});

test.run();
