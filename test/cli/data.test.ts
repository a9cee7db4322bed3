// Servers here are real HTTP servers on the loopback interface: nothing leaves the machine.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { proxyFor } from "../../lib/cli/proxy.js";
import { loadDataset } from "../../lib/datasets/index.js";
import { mkglab, temporary } from "../support/cli.js";
import { loopback, serve } from "../support/loopback.js";

const work = temporary();
const body = Buffer.from("head\trelation\ttail\n".repeat(2000));
const sha256 = createHash("sha256").update(body).digest("hex");
// a proxy of the machine's own must not stand between the tests and the loopback interface
const env = { HTTP_PROXY: "", http_proxy: "", NO_PROXY: "*", MKGLAB_DATA: "" };

let next = 0;
function root(files: object, more: object = {}): { dir: string; args: string[]; folder: string } {
  const dir = join(work, `root${next++}`);
  mkdirSync(dir);
  const set = {
    source: "invented",
    licence: "MIT",
    redistribution: true,
    citation: "Doe 2025",
    url: "https://example.invalid/c/",
    files,
    ...more,
  };
  writeFileSync(join(dir, "manifest.json"), JSON.stringify({ datasets: { set } }));
  const args = ["data", "fetch", "set", "--data", dir, "--manifest", join(dir, "manifest.json")];
  return { dir, args, folder: join(dir, "set") };
}
const whole = { bytes: body.length, sha256 };

test("data list says state, size and licence; what is there in part is listed; --json holds the same", async () => {
  const dir = join(work, "list");
  mkdirSync(join(dir, "markg"), { recursive: true });
  for (const name of [
    "wiki_tuple_ids.txt",
    "entity2text.txt",
    "entity2textlong.txt",
    "LICENSE",
    "relation2textlong.txt",
  ])
    writeFileSync(join(dir, "markg", name), "");
  const { out, code } = await mkglab(["data", "list", "--data", dir], { env });
  assert.is(code, 0);
  assert.match(out, /^bestiary +here +– +MIT /m);
  // 1,549,599 bytes: the sum of the six sizes in the manifest
  assert.match(out, /^markg +partly +1\.5 MB +MIT /m);
  assert.match(out, /^mh-mmkg +not +38 kB +not stated: for your own use, never redistribute /m);
  assert.match(out, /^markg: not in .*list: markg.relation2text\.txt$/m);
  assert.match(out, /^mkglab data fetch NAME gets markg, mkg-rag-bench, mkg-rag-bench-m, mh-mmkg;/m);
  writeFileSync(join(dir, "markg", "relation2text.txt"), "");
  const list = JSON.parse((await mkglab(["data", "list", "--json"], { env: { ...env, MKGLAB_DATA: dir } })).out) as {
    name: string;
    here: boolean;
    state: string;
    redistribution: boolean;
  }[];
  const states = Object.fromEntries(list.map(({ name, state, here }) => [name, [state, here]]));
  assert.equal(
    [states.bestiary, states.atlas, states.markg, states["mh-mmkg"]],
    [
      ["here", true],
      ["here", true],
      ["here", true],
      ["not", false],
    ],
  );
  assert.equal(
    list.filter(({ redistribution }) => redistribution).map(({ name }) => name),
    ["bestiary", "atlas", "markg"],
  );
});

test("data fetch says the licence first, fetches, verifies, exits 0; again, it finds all there", async () => {
  const server = await loopback((q, r) => serve(q, r, body));
  const { args, folder } = root({ "a.tsv": whole });
  const first = await mkglab([...args, "--from", server.url], { env });
  assert.is(first.code, 0, first.err);
  assert.match(first.err, /^mkglab data fetch set: licence: MIT\. Cite Doe 2025\.\n$/);
  assert.match(first.out, /^a\.tsv +fetched +38000 +as published$/m);
  assert.equal(readFileSync(join(folder, "a.tsv")), body);
  const second = await mkglab([...args, "--from", server.url, "--json"], { env });
  assert.equal([second.code, JSON.parse(second.out).files[0].status, server.asked.length], [0, "there", 1]);
  await server.close();
});

test("data fetch: where no licence is stated it says so before; unverified files need a flag, and what came is recorded", async () => {
  const server = await loopback((q, r) => serve(q, r, body));
  const { args, folder } = root(
    { "a.tsv": { bytes: null, sha256: null } },
    { licence: "not stated: for your own use", redistribution: false },
  );
  const refused = await mkglab([...args, "--from", server.url], { env });
  assert.is(refused.code, 1);
  assert.match(
    refused.err,
    /licence: not stated: for your own use\. Nothing gives you the right to pass these files on\./,
  );
  assert.match(refused.err, /SHA-256 of 1 of 1 files is not known.*--accept-unverified/s);
  assert.equal([server.asked, existsSync(folder)], [[], false]);
  const taken = await mkglab([...args, "--from", server.url, "--accept-unverified"], { env });
  assert.is(taken.code, 0, taken.err);
  assert.ok(taken.out.includes(`not known upstream: ${sha256.slice(0, 12)}…`));
  assert.is(JSON.parse(readFileSync(join(folder, "fetched.json"), "utf8")).files["a.tsv"].sha256, sha256);
  await server.close();
});

test("data fetch: wrong content, a missing file and no connection exit 1; nothing is kept under the final name", async () => {
  const server = await loopback((q, r) =>
    q.url === "/no.tsv" ? void r.writeHead(404).end() : serve(q, r, Buffer.alloc(body.length)),
  );
  for (const [file, message] of [
    ["a.tsv", /not the published one \(SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}\)\. Nothing was kept/],
    ["no.tsv", /the server answered 404 \(http:\/\/127\.0\.0\.1:\d+\/no\.tsv\)/],
  ] as const) {
    const { args, folder } = root({ [file]: whole });
    const { code, err } = await mkglab([...args, "--from", server.url], { env });
    assert.is(code, 1);
    assert.match(err, message);
    assert.equal(readdirSync(folder), []);
  }
  await server.close();
  const { args, folder } = root({ "a.tsv": whole });
  const { code, err } = await mkglab([...args, "--from", server.url], { env });
  assert.is(code, 1);
  assert.match(err, /no answer that helps from 127\.0\.0\.1:\d+ \(ECONNREFUSED/);
  assert.ok(err.includes(`${join(folder, "a.tsv")}  from https://example.invalid/c/a.tsv`));
  assert.not.match(err, /\n {4}at /);
});

test("data fetch: an interrupt exits 130 and leaves a part that the same command goes on from", async () => {
  const slow = (_: IncomingMessage, r: ServerResponse) => {
    r.writeHead(200, { "content-length": body.length, etag: '"1"' });
    r.write(body.subarray(0, 20_000));
  };
  const server = await loopback((q, r, nth) => (nth === 1 ? slow(q, r) : serve(q, r, body)));
  const { args, folder } = root({ "a.tsv": whole });
  const part = join(folder, "a.tsv.part");
  const stopped = await mkglab([...args, "--from", server.url], {
    env,
    onErr: (_, kill) => {
      const timer = setInterval(() => {
        if (!existsSync(part) || readFileSync(part).length < 20_000) return;
        clearInterval(timer);
        kill("SIGINT");
      }, 20);
    },
  });
  assert.is(stopped.code, 130);
  assert.match(stopped.err, /interrupted\. What was finished is stored: the same command goes on from there\./);
  assert.equal(readdirSync(folder).sort(), ["a.tsv.part", "a.tsv.part.json"]);
  const { code } = await mkglab([...args, "--from", server.url], { env });
  assert.equal([code, server.asked.at(-1), readdirSync(folder)], [0, "GET /a.tsv bytes=20000-", ["a.tsv"]]);
  await server.close();
});

test("data fetch: what takes over two seconds shows how far it is and the time left", async () => {
  const server = await loopback((_, r) => {
    r.writeHead(200, { "content-length": body.length });
    let sent = 0;
    const timer = setInterval(() => {
      r.write(body.subarray(sent, sent + 2000));
      sent += 2000;
      if (sent >= body.length) {
        clearInterval(timer);
        r.end();
      }
    }, 160);
  });
  const { args } = root({ "a.tsv": whole });
  const { code, err } = await mkglab([...args, "--from", server.url], { env });
  assert.is(code, 0);
  assert.match(err, /^\d+\/38000 \(\d+ %\), \d+ s left · bytes of set$/m);
  await server.close();
});

test("data fetch goes through the proxy of the environment, and past it where NO_PROXY says so", async () => {
  const proxy = await loopback((q, r) => serve(q, r, body));
  const { args } = root({ "a.tsv": whole });
  const from = ["--from", "http://mirror.invalid/m/"];
  const { code, err } = await mkglab([...args, ...from], {
    env: { ...env, HTTP_PROXY: proxy.url, NO_PROXY: "other.invalid" },
  });
  assert.is(code, 0, err);
  assert.equal(proxy.asked, ["GET http://mirror.invalid/m/a.tsv"]);
  await proxy.close();
});

test("proxies by the environment: by protocol, lower case before upper, NO_PROXY by name, sub-domain, port and *", () => {
  const via = (env: Record<string, string>, url: string) => proxyFor(env)(new URL(url));
  const both = { http_proxy: "a:1", HTTP_PROXY: "b:1", HTTPS_PROXY: "http://c:2" };
  assert.is(via(both, "http://x.org/"), "http://a:1");
  assert.is(via(both, "https://x.org/"), "http://c:2");
  assert.is(via({ all_proxy: "d:3" }, "https://x.org/"), "http://d:3");
  assert.is(via({}, "https://x.org/"), undefined);
  for (const [without, url, isUsed] of [
    ["x.org", "https://x.org/", false],
    ["x.org", "https://a.x.org/", false],
    [".x.org", "https://a.x.org/", false],
    ["x.org", "https://ax.org/", true],
    ["x.org:8443", "https://x.org/", true],
    ["x.org:8443", "https://x.org:8443/", false],
    ["y.org, x.org", "https://x.org/", false],
    ["*", "https://x.org/", false],
    ["127.0.0.1", "https://127.0.0.1/", false],
  ] as const)
    assert.is(via({ ...both, NO_PROXY: without }, url) !== undefined, isUsed, `${without} ${url}`);
  assert.throws(
    () => via({ HTTPS_PROXY: "socks5://h:1" }, "https://x.org/"),
    /not an http or https address.*Mend HTTPS_PROXY/s,
  );
});

/** A folder data set of two triples and one question, with further lines. */
function folderSet(name: string, { triples = "", questions = "" } = {}): string {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "entities.tsv"), "id\tlabel\na\tA\nb\tB\n");
  writeFileSync(join(folder, "triples.tsv"), `head\trelation\ttail\na\tr\tb\nb\tr\tc\n${triples}`);
  writeFileSync(join(folder, "questions.jsonl"), `{"id":"1","text":"What?","answers":["B"]}\n${questions}`);
  return folder;
}

test("data check of a folder prints read, kept, added and refused by table, what was repaired and noticed; exit 0", async () => {
  const { code, out, err } = await mkglab(["data", "check", folderSet("good", { triples: "a\tr\tb\n" })], { env });
  assert.is(code, 0, err);
  // one triple twice; c has no row of its own
  assert.match(out, /^entities +2 +3 +1 +0$/m);
  assert.match(out, /^triples +3 +3 +0 +0$/m);
  assert.match(out, /^questions +1 +1 +0 +0$/m);
  assert.match(out, /^repaired: .*1 \(.*c.*\)$/m);
  assert.match(out, /^notice: duplicate triples: 1 \(2\)$/m);
  assert.match(out, /Counts are not compared: the manifest expects no counts of it\./);
});

test("data check: a bad row is an error with its line; --lenient lists it, and still exits 1", async () => {
  const folder = folderSet("bad", { triples: "a\t\tb\n", questions: "{broken\n" });
  const strict = await mkglab(["data", "check", folder], { env });
  assert.is(strict.code, 1);
  assert.match(strict.err, /triples\.tsv, line 4.*relation/);
  const lenient = await mkglab(["data", "check", folder, "--lenient"], { env });
  assert.is(lenient.code, 1);
  assert.match(lenient.out, /^triples +3 +2 +0 +1$/m);
  assert.match(lenient.out, /^questions +2 +1 +0 +1$/m);
  assert.match(lenient.out, /^refused: .*triples\.tsv, line 4: empty relation$/m);
  assert.match(lenient.out, /^refused: .*questions\.jsonl, line 2: /m);
  assert.match(lenient.err, /2 rows cannot be kept/);
  const report = JSON.parse((await mkglab(["data", "check", folder, "--lenient", "--json"], { env })).out);
  assert.equal(report.parts[0].refused.map((row: { line: number }) => row.line).sort(), [2, 4]);
});

test("data check takes one file of triples, and a folder with a graph alone", async () => {
  const folder = folderSet("alone");
  const file = await mkglab(["data", "check", join(folder, "triples.tsv"), "--json"], { env });
  const [graph] = JSON.parse(file.out).parts;
  assert.equal([file.code, graph.part, graph.read.triples, graph.kept.entities], [0, "graph", 2, 3]);
  const bare = join(work, "bare");
  mkdirSync(bare);
  writeFileSync(join(bare, "triples.csv"), "head,relation,tail\na,r,b\n");
  const { code, out } = await mkglab(["data", "check", bare], { env });
  assert.equal([code, /^triples +1 +1 +0 +0$/m.test(out)], [0, true]);
});

test("data check --pictures decodes each; one that is torn is named, and exit is 1", async () => {
  const folder = folderSet("torn");
  const png = readFileSync(new URL("../../data/bestiary/mark.png", import.meta.url));
  writeFileSync(join(folder, "whole.png"), png);
  writeFileSync(join(folder, "torn.png"), png.subarray(0, png.length >> 1));
  writeFileSync(join(folder, "entities.tsv"), "id\timages\na\twhole.png\nb\ttorn.png\n");
  assert.is((await mkglab(["data", "check", folder], { env })).code, 0);
  const { code, out, err } = await mkglab(["data", "check", folder, "--pictures"], { env });
  assert.is(code, 1);
  assert.match(out, /Pictures: 1 decoded, 0 at remote addresses \(not fetched\), 1 unreadable\.\n.*torn\.png/);
  assert.match(err, /1 pictures cannot be read/);
});

test("data check of a named set: files that differ or are missing, and counts that are not the manifest's, exit 1", async () => {
  const dir = join(work, "wrong");
  mkdirSync(join(dir, "markg"), { recursive: true });
  for (const [name, text] of [
    ["wiki_tuple_ids.txt", "a\tr\tb\n"],
    ["entity2text.txt", "a\tA\n"],
    ["entity2textlong.txt", "a\tA.\n"],
    ["relation2text.txt", "r\tR\n"],
  ] as const)
    writeFileSync(join(dir, "markg", name), text);
  const { code, out, err } = await mkglab(["data", "check", "markg", "--data", dir], { env });
  assert.is(code, 1);
  assert.match(out, /^wiki_tuple_ids\.txt +differs +6$/m);
  assert.match(out, /^LICENSE +missing +–$/m);
  assert.match(out, /^triples +33307 +1 +NO$/m);
  assert.match(err, /6 of 6 files differ or are missing.*triples: 1 instead of 33307.*then mkglab data fetch markg/s);
  writeFileSync(join(dir, "markg", "wiki_tuple_ids.txt"), "a\tr\n");
  const torn = await mkglab(["data", "check", "markg", "--data", dir], { env });
  assert.is(torn.code, 1);
  assert.match(torn.out, /^wiki_tuple_ids\.txt +differs +4$/m);
  assert.match(torn.out, /Counts are not compared: it cannot be read\./);
  assert.match(torn.err, /wiki_tuple_ids\.txt, line 1.*6 of 6 files differ or are missing/s);
  const embedded = await mkglab(["data", "check", "atlas", "--json"], { env });
  const report = JSON.parse(embedded.out);
  assert.is(embedded.code, 0, embedded.err);
  assert.ok(report.files.length > 250 && report.files.every((file: { status: string }) => file.status === "verified"));
  assert.ok(report.compared.length >= 5 && report.compared.every((row: { equal: boolean }) => row.equal));
});

test("data generate writes a folder that loads to the same questions; card and licences lie beside; exit 0", async () => {
  const small = join(work, "small");
  const args = ["-o", "creatures=2", "-o", "seed=3", "--splits", "test", "--out", small];
  const made = await mkglab(["data", "generate", "bestiary", ...args], { env });
  assert.is(made.code, 0, made.err);
  const [dataset, again] = [await loadDataset("bestiary", { creatures: 2, seed: 3 }), await loadDataset(small)];
  assert.equal(
    again.questions.map(({ text, answers, gold }) => [text, answers, gold]),
    dataset.questions.map(({ text, answers, gold }) => [text, answers, gold]),
  );
  assert.match(readFileSync(join(small, "card.md"), "utf8"), /`creatures` 2, `seed` 3/);
  assert.ok(existsSync(join(small, "clip.png")));
  assert.is((await mkglab(["data", "check", small, "--pictures"], { env })).code, 0);
  const again2 = await mkglab(["data", "generate", "bestiary", ...args], { env });
  assert.is(again2.code, 1);
  // told by the command, before the card is measured
  assert.match(again2.err, /^mkglab data generate: the folder is not empty \(.*small\)/);
  const atlas = join(work, "atlas");
  const { code, out } = await mkglab(["data", "generate", "atlas", "-o", "perKind=2", "--out", atlas, "--json"], {
    env,
  });
  assert.equal([code, JSON.parse(out).questions], [0, { test: 10, train: 10, validation: 10 }]);
  for (const name of ["LICENSE-ODbL.txt", "LICENSE-flag-icons.txt", "sources.json", "card.md"])
    assert.ok(existsSync(join(atlas, name)), name);
});

test("retrieve --lenient goes on without the bad rows and lists them on stderr; without it, exit is 1", async () => {
  const folder = folderSet("lenient", { triples: "a\t\tb\n" });
  const args = ["retrieve", "--dataset", folder, "--retriever", "bm25", "--out", join(work, "run.trec")];
  assert.is((await mkglab(args, { env })).code, 1);
  const { code, err } = await mkglab([...args, "--lenient"], { env });
  assert.is(code, 0, err);
  assert.match(err, /1 rows of .*lenient are left out:\n {2}.*triples\.tsv, line 4: empty relation\n/);
});

const out = join(work, "never");
const piped = join(work, "piped");
mkdirSync(join(piped, "markg"), { recursive: true });
execFileSync("mkfifo", [join(piped, "markg", "wiki_tuple_ids.txt")]);
// arguments, exit code, and what the message must say
const wrong: [string[], number, RegExp][] = [
  [["fetch"], 2, /missing required argument 'name'/],
  [["fetch", "marg"], 1, /unknown data set \("marg"\)\. Known: .*Did you mean "markg"\?/],
  [["fetch", "bestiary"], 1, /nothing is to be fetched/],
  [["fetch", "markg", "--form", "x"], 2, /unknown option '--form'.*Did you mean --from\?/],
  [["fetch", "markg", "--from", "nowhere"], 1, /not an address of files \("nowhere"\)/],
  [["fetch", "markg", "--timeout", "0"], 2, /It takes an integer ≥ 1\./],
  [["fetch", "markg", "--manifest", join(work, "no.json")], 1, /cannot read the file/],
  [["check", "bestiari"], 1, /unknown data set, folder or file \("bestiari"\).*Did you mean "bestiary"\?/],
  [["check", join(work, "nowhere")], 1, /there is no such file or folder/],
  [["check", join(work, "x".repeat(300))], 1, /longer than the file system allows/],
  [["check", "markg", "--data", piped], 1, /not a file \(.*wiki_tuple_ids\.txt\)\. It is a pipe/],
  [["check", "mh-mmkg", "--data", join(work, "nowhere")], 1, /dataset mh-mmkg: /],
  [["generate", "bestiary"], 2, /required option '--out <dir>' not specified/],
  [["generate", "markg", "--out", out], 1, /unknown generated data set \("markg"\)\. Known: bestiary, atlas/],
  [
    ["generate", "bestiary", "--out", out, "-o", "creaturs=2"],
    1,
    /unknown option \("creaturs"\).*Did you mean "creatures"\?/,
  ],
  [["generate", "bestiary", "--out", out, "-o", "creatures=1"], 1, /option creatures has a wrong value \(1\)/],
  [["generate", "bestiary", "--out", out, "-o", "split=train"], 1, /split is not an option here/],
  [
    ["generate", "bestiary", "--out", out, "-o", "creatures=2", "--no-card", "--splits", "dev"],
    1,
    /unknown split \("dev"\)/,
  ],
  [["generate", "atlas", "--out", out, "-o", "perKind=1", "--format", "xml"], 1, /unknown format \("xml"\)/],
];
for (const [args, code, message] of wrong)
  test(`data ${args.slice(0, 4).join(" ").replaceAll(work, "…")} exits ${code}: ${message.source.slice(0, 50)}`, async () => {
    const ended = await mkglab(["data", ...args], { env });
    assert.is(ended.code, code, ended.err);
    assert.match(ended.err, message);
    assert.not(existsSync(out));
  });

test.run();
