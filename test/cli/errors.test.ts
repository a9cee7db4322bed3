import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { mkglab, temporary, writeFolder } from "../support/cli.js";
import { tiny } from "../support/tiny.js";

const folder = temporary();
const data = writeFolder(tiny(), join(folder, "tiny"));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const qrels = file("qrels", "q1 0 d1 1\n");
const run = file("run", "q1 Q0 d1 1 2.5 tag\n");
const good = { dataset: data, base: { retriever: "bm25" } };
const studyFile = (name: string, spec: unknown): string[] => [
  "study",
  file(`${name}.json`, typeof spec === "string" ? spec : JSON.stringify(spec)),
  "--out",
  join(folder, "out"),
];
const ablate = ["ablate", "--out", join(folder, "out")];
const retrieve = ["retrieve", "--dataset", data, "--retriever", "bm25", "--out", join(folder, "out.trec")];

// arguments, and what the message must say: place, the value, what is allowed or what to do
const cases: [string[], RegExp][] = [
  [["abalte"], /unknown command 'abalte'.*Did you mean ablate\?/],
  [["ablate", "--datset", "x"], /unknown option '--datset'.*Did you mean --dataset\?/],
  [[...ablate, "--dataset", "bestiari"], /unknown data set \("bestiari"\)\. Known: .*Did you mean "bestiary"\?/],
  [
    [...ablate, "--dataset", "markg", "--data", join(folder, "nowhere")],
    /dataset markg: there is no folder .*nowhere.*MKGLAB_DATA/,
  ],
  [[...ablate, "--dataset", join(folder, "no-such")], /there is no such folder \(.*no-such\)/],
  [[...ablate, "--seeds", "0"], /'--seeds <n>' argument '0' is invalid\. It takes an integer ≥ 1\./],
  [[...ablate, "--seeds", "two"], /'--seeds <n>' argument 'two' is invalid/],
  [[...ablate, "--concurrency", "-3"], /'--concurrency <n>' argument '-3' is invalid/],
  [["ablate", "--dataset", data, "--out", join(data, "questions.jsonl")], /cannot write to the folder/],
  [["retrieve", "--dataset", data], /required option '--retriever <name>' not specified/],
  [[...retrieve, "--retriever", "bm52"], /unknown retriever \("bm52"\)\. Known: .*Did you mean "bm25"\?/],
  [[...retrieve, "--k", "0"], /'--k <n>' argument '0' is invalid\. It takes an integer ≥ 1\./],
  [[...retrieve, "--k", "1e3"], /'--k <n>' argument '1e3' is invalid/],
  [[...retrieve, "--setting", "S2"], /unknown setting \("S2"\)\. Known: none/],
  [[...retrieve, "-o", "k2=3"], /unknown option \("k2"\)\. Options: .*Did you mean "k1"\?/],
  [[...retrieve, "-o", "k1=much"], /option k1 has a wrong value \("much"\)\. It takes a finite number/],
  [[...retrieve, "-o", "k1"], /'-o, --option <name=value>' argument 'k1' is invalid\. It takes name=value\./],
  [[...retrieve, "--qrels-out", join(folder, "out.trec")], /--out and --qrels-out are one file/],
  [
    [...retrieve, "--out", "/proc/x/run.trec"],
    /cannot write \(\/proc\/x\/run\.trec: ENOENT\)\. Folders cannot be made there/,
  ],
  [["ablate", "--dataset", data, "--out", "/proc/x"], /cannot write to the folder \(\/proc\/x: ENOENT\)/],
  [["data"], /no command is named/],
  [["eval", "--qrels", join(folder, "none"), "--run", run], /cannot read|no such file/],
  [["eval", "--qrels", qrels, "--run", file("bad.run", "q1 Q0 d1 1 high tag\n")], /bad\.run, line 1.*high/],
  [["eval", "--qrels", file("bad.qrels", "q1 d1\n"), "--run", run], /bad\.qrels, line 1/],
  [
    ["eval", "--qrels", qrels, "--run", file("twice.run", "q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")],
    /twice\.run, line 2.*d1/,
  ],
  [["eval", "--qrels", qrels, "--run", run, "-m", "nDGC@10"], /unknown measure \("nDGC@10"\).*Did you mean/],
  [["eval", "--qrels", qrels, "--run", run, "-m", "P@0"], /P@0/],
  [["eval", "--qrels", qrels, "--run", run, "-m", "EM"], /EM/],
  [["eval", "--qrels", folder, "--run", run], /not a file .*It is a folder; give a file/],
  [
    [
      "compare",
      file("scores.jsonl", '{"run":"a","question":"q","measure":"m","value":1,"cluster":"c"}\n'),
      "--baseline",
      "b",
    ],
    /unknown (baseline|run).*"b"/,
  ],
  [
    ["compare", file("nan.jsonl", '{"run":"a","question":"q","measure":"m","value":"much"}\n'), "--baseline", "a"],
    /nan\.jsonl, row 1: value is not a number \("much"\)/,
  ],
  [["compare", file("columns.csv", "run,question,value\na,q,1\n"), "--baseline", "a"], /no column measure/],
  [["study", join(folder, "none.json")], /none\.json\): .*|cannot read the file/],
  [studyFile("broken", "{"), /broken\.json: not JSON/],
  [studyFile("list", [1]), /list\.json: not an object/],
  [studyFile("noname", { ...good, dataset: 7 }), /dataset is not a name \(7\)/],
  [studyFile("key", { ...good, bsae: {} }), /key\.json: study: unknown key \("bsae"\)\..*Did you mean "base"\?/],
  [
    studyFile("option", { ...good, base: { retriever: "walk", pathCuont: 3 } }),
    /unknown key \("pathCuont"\).*Did you mean "pathCount"\?/,
  ],
  [studyFile("set", { ...good, dataset: "bestiari" }), /set\.json: .*unknown data set \("bestiari"\)/],
  [["options", "wlak"], /unknown retriever, reader, control or data set \("wlak"\)\. Known: .*Did you mean "walk"\?/],
  [studyFile("value", { ...good, vary: { k: [5, -1] } }), /k is not a positive integer \(-1\)/],
  [["notebook", join(folder, "none.ipynb")], /no such file/],
  [["notebook", file("broken.ipynb", "{")], /broken\.ipynb/],
];

for (const [args, expected] of cases)
  test(`bad input is a short error in the house form, exit code ≠ 0, no stack, nothing written: ${args
    .map((a) => a.replace(folder, "…"))
    .join(" ")
    .slice(0, 110)}`, async () => {
    const { code, out, err } = await mkglab(args);
    assert.ok(code !== 0 && code !== null && code < 70, `exit code ${code}: ${err}`);
    assert.match(err, expected);
    assert.not.match(err, /\n\s+at |undefined|NaN/);
    assert.ok(err.length < 900, `${err.length} characters`);
    assert.is(out, "");
    assert.not(existsSync(join(folder, "out.trec")));
    assert.not(readdirSync(folder).some((name) => name.endsWith(".tmp")));
    assert.not(existsSync(join(folder, "out", "report.md")));
  });

test("help is printed for the program and each command, and exits 0; no command at all exits 1", async () => {
  assert.is((await mkglab([])).code, 1);
  for (const command of [
    [],
    ["ablate"],
    ["study"],
    ["retrieve"],
    ["eval"],
    ["compare"],
    ["notebook"],
    ["options"],
    ["data"],
    ["data", "list"],
    ["doctor"],
  ]) {
    const { code, out } = await mkglab([...command, "--help"]);
    assert.is(code, 0);
    assert.match(out, /^Usage: mkglab/);
  }
});

test.run();
