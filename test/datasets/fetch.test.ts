// Every server here is a real HTTP server on the loopback interface: nothing leaves the machine, and no published host is asked.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ProgressEvent } from "../../lib/core/index.js";
import { checkFiles, datasetSources, type FetchDatasetOptions, fetchDataset } from "../../lib/datasets/index.js";
import { breakAfter, type Loopback, loopback, serve } from "../support/loopback.js";

const work = mkdtempSync(join(tmpdir(), "mkglab-fetch-"));
// 300 kB that differ everywhere, so that a wrong join shows in the sum
const body = Buffer.from(Array.from({ length: 60_000 }, (_, i) => String(i).padStart(5, "0")).join(""));
const sum = (data: Buffer | string) => createHash("sha256").update(data).digest("hex");

let next = 0;
/** A manifest of one data set, `set`, and an empty data root. */
function world(files: Record<string, object>, more: object = {}): { manifest: string; dir: string; folder: string } {
  const dir = join(work, String(next++));
  mkdirSync(dir);
  const manifest = join(dir, "manifest.json");
  const set = {
    source: "https://example.invalid/repository",
    licence: "MIT",
    redistribution: true,
    citation: "",
    url: "https://example.invalid/commit/",
    files,
    ...more,
  };
  writeFileSync(manifest, JSON.stringify({ datasets: { set } }));
  return { manifest, dir, folder: join(dir, "set") };
}
const whole = { path: "at/a.txt", bytes: body.length, sha256: sum(body) };
const unknown = { path: "at/a.txt", bytes: null, sha256: null };

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;
/** Fetches from a loopback server that answers so, and closes it. */
async function fetching(
  at: ReturnType<typeof world>,
  answer: Answer,
  options: FetchDatasetOptions = {},
): Promise<{
  report?: Awaited<ReturnType<typeof fetchDataset>>;
  error?: Error & { place?: string };
  server: Loopback;
}> {
  const server = await loopback(answer);
  const given = { dir: at.dir, manifest: at.manifest, from: server.url, ...options };
  try {
    return { report: await fetchDataset("set", given), server };
  } catch (error) {
    return { error: error as Error, server };
  } finally {
    await server.close();
  }
}
const names = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);

test("a file comes to its place whole, verified; nothing else stays; a second fetch asks for nothing", async () => {
  const at = world({ "sub/a.txt": whole });
  const first = await fetching(at, (q, r) => serve(q, r, body));
  assert.equal(first.server.asked, ["GET /at/a.txt"]);
  assert.equal(first.report?.files, [
    { file: "sub/a.txt", status: "fetched", verified: true, bytes: 300_000, sha256: sum(body), resumedFrom: 0 },
  ]);
  assert.equal(readFileSync(join(at.folder, "sub/a.txt")), body);
  assert.equal(names(join(at.folder, "sub")), ["a.txt"]);
  const second = await fetching(at, (q, r) => serve(q, r, body));
  assert.equal([second.server.asked, second.report?.files[0]?.status], [[], "there"]);
});

test("a connection that breaks is taken up where it broke: the second request asks for the rest, with If-Range", async () => {
  const at = world({ "a.txt": whole });
  const ifRange: unknown[] = [];
  const { report, server } = await fetching(at, (q, r, nth) => {
    ifRange.push(q.headers["if-range"]);
    if (nth === 1) breakAfter(r, body, 100_000, '"1"');
    else serve(q, r, body);
  });
  assert.equal(server.asked, ["GET /at/a.txt", "GET /at/a.txt bytes=100000-"]);
  assert.equal(ifRange, [undefined, '"1"']);
  assert.is(report?.files[0]?.resumedFrom, 100_000);
  assert.equal(readFileSync(join(at.folder, "a.txt")), body);
});

test("without retries a broken connection is an error, the part stays, and the next call goes on from it", async () => {
  const at = world({ "a.txt": whole });
  const first = await fetching(at, (_, r) => breakAfter(r, body, 100_000, '"1"'), { retries: 0 });
  assert.match(first.error?.message ?? "", /a\.txt: no answer that helps from 127\.0\.0\.1.*100000 bytes are kept/s);
  assert.equal(names(at.folder), ["a.txt.part", "a.txt.part.json"]);
  const second = await fetching(at, (q, r) => serve(q, r, body));
  assert.equal(second.server.asked, ["GET /at/a.txt bytes=100000-"]);
  assert.is(second.report?.files[0]?.verified, true);
  assert.equal(names(at.folder), ["a.txt"]);
});

test("a server without ranges answers whole, and the file is right", async () => {
  const at = world({ "a.txt": whole });
  const { report, server } = await fetching(at, (_, r, nth) => {
    if (nth === 1) breakAfter(r, body, 100_000, undefined);
    else r.writeHead(200, { "content-length": body.length }).end(body);
  });
  assert.is(server.asked.length, 2);
  assert.equal([report?.files[0]?.resumedFrom, report?.files[0]?.verified], [0, true]);
});

test("a file that changed upstream in between is fetched whole: If-Range no longer holds", async () => {
  const at = world({ "a.txt": unknown });
  const { report } = await fetching(
    at,
    (q, r, nth) => (nth === 1 ? breakAfter(r, Buffer.alloc(300_000, "x"), 100_000, '"0"') : serve(q, r, body, '"1"')),
    { acceptUnverified: true },
  );
  assert.equal(readFileSync(join(at.folder, "a.txt")), body);
  assert.equal([report?.files[0]?.verified, report?.files[0]?.resumedFrom], [false, 0]);
});

test("a wrong first half, joined to a right second, is found by the sum and fetched anew, once", async () => {
  const at = world({ "a.txt": whole });
  const { report, server } = await fetching(at, (q, r, nth) => {
    if (nth === 1) breakAfter(r, Buffer.alloc(300_000, "x"), 100_000, undefined);
    else serve(q, r, body);
  });
  assert.equal(server.asked, ["GET /at/a.txt", "GET /at/a.txt bytes=100000-", "GET /at/a.txt"]);
  assert.equal(readFileSync(join(at.folder, "a.txt")), body);
  assert.is(report?.files[0]?.verified, true);
});

test("wrong content of the right size is an error with both sums, and nothing is kept", async () => {
  const other = Buffer.from(body).fill("y", 5, 6);
  const at = world({ "a.txt": whole });
  const { error } = await fetching(at, (q, r) => serve(q, r, other));
  assert.ok(error?.message.includes(`not the published one (SHA-256 ${sum(other)} instead of ${sum(body)})`));
  assert.equal(names(at.folder), []);
});

test("a size that is not the published one is refused before or while it comes, and nothing is kept", async () => {
  for (const [stated, size, message] of [
    [true, 299_999, /another size than the published one \(299999 bytes or more instead of 300000\)/],
    [true, 300_001, /another size than the published one \(300001 bytes or more instead of 300000\)/],
    [false, 400_000, /another size than the published one \(\d+ bytes or more instead of 300000\)/],
  ] as const) {
    const at = world({ "a.txt": whole });
    const sent = Buffer.alloc(size, "z");
    const { error } = await fetching(at, (_, r) => {
      r.writeHead(200, stated ? { "content-length": size } : {}).end(sent);
    });
    assert.match(error?.message ?? "", message);
    assert.equal(names(at.folder), []);
  }
  const at = world({ "a.txt": unknown });
  const { error } = await fetching(at, (q, r) => serve(q, r, body), { acceptUnverified: true, maxBytes: 1000 });
  assert.match(error?.message ?? "", /too large.*At most 1000 bytes/);
});

test("404, 403 and 410 are errors at once, with status and address; 503 is tried again", async () => {
  for (const [status, remedy] of [
    [404, /has moved it/],
    [410, /has moved it/],
    [403, /Access is refused/],
  ] as const) {
    const at = world({ "a.txt": whole });
    const { error, server } = await fetching(at, (_, r) => void r.writeHead(status).end("no"));
    assert.match(
      error?.message ?? "",
      new RegExp(`the server answered ${status} \\(http://127\\.0\\.0\\.1:\\d+/at/a\\.txt\\)`),
    );
    assert.match(error?.message ?? "", remedy);
    assert.is(server.asked.length, 1);
    assert.equal(names(at.folder), []);
  }
  const at = world({ "a.txt": whole });
  const { report, server } = await fetching(at, (q, r, nth) =>
    nth === 1 ? void r.writeHead(503).end() : serve(q, r, body),
  );
  assert.equal([server.asked.length, report?.files[0]?.verified], [2, true]);
});

test("redirects are followed, six are too many, and one to another protocol is refused", async () => {
  const at = world({ "a.txt": whole });
  const moved = await fetching(at, (q, r) =>
    q.url === "/at/a.txt" ? void r.writeHead(302, { location: "/moved?x=1" }).end() : serve(q, r, body),
  );
  assert.equal([moved.server.asked, moved.report?.files[0]?.verified], [["GET /at/a.txt", "GET /moved?x=1"], true]);
  const round = await fetching(
    world({ "a.txt": whole }),
    (q, r) => void r.writeHead(302, { location: q.url ?? "" }).end(),
  );
  assert.match(round.error?.message ?? "", /more than 5 redirects/);
  const out = await fetching(
    world({ "a.txt": whole }),
    (_, r) => void r.writeHead(302, { location: "file:///etc/x" }).end(),
  );
  assert.match(out.error?.message ?? "", /a redirect that is not followed \(http:.*to file:/);
});

test("silence ends a try after timeoutMs; a slow but steady answer does not", async () => {
  const silent = await fetching(world({ "a.txt": whole }), () => {}, { timeoutMs: 200, retries: 0 });
  assert.match(silent.error?.message ?? "", /ETIMEDOUT: nothing came for 0\.2 s/);
  const midway = world({ "a.txt": whole });
  const stalls = await fetching(
    midway,
    (_, r) => void r.writeHead(200, { "content-length": body.length, etag: '"1"' }).write(body.subarray(0, 7)),
    { timeoutMs: 200, retries: 0 },
  );
  assert.match(stalls.error?.message ?? "", /ETIMEDOUT.*7 bytes are kept/s);
  // ten pieces 60 ms apart: longer than the timeout in all, never silent for as long
  const slow = await fetching(
    world({ "a.txt": whole }),
    (_, r) => {
      r.writeHead(200, { "content-length": body.length });
      let sent = 0;
      const timer = setInterval(() => {
        r.write(body.subarray(sent, sent + 30_000));
        sent += 30_000;
        if (sent >= body.length) {
          clearInterval(timer);
          r.end();
        }
      }, 60);
    },
    { timeoutMs: 400, retries: 0 },
  );
  assert.is(slow.report?.files[0]?.verified, true);
});

test("an answer coded with gzip, as content or in transfer, is decoded; broken off, it begins anew", async () => {
  const packed = gzipSync(body);
  for (const header of ["content-encoding", "transfer-encoding"]) {
    const at = world({ "a.txt": whole });
    const { report, server } = await fetching(at, (_, r, nth) => {
      const value = header === "transfer-encoding" ? "gzip, chunked" : "gzip";
      r.writeHead(200, { [header]: value, etag: '"1"' });
      if (nth === 1) r.write(packed.subarray(0, packed.length >> 1), () => setTimeout(() => r.destroy(), 50));
      else r.end(packed);
    });
    assert.equal(server.asked, ["GET /at/a.txt", "GET /at/a.txt"], header);
    assert.is(report?.files[0]?.verified, true, header);
    assert.equal(readFileSync(join(at.folder, "a.txt")), body);
  }
  const { error } = await fetching(
    world({ "a.txt": whole }),
    (_, r) => void r.writeHead(200, { "content-encoding": "zz" }).end(),
  );
  assert.match(error?.message ?? "", /in a coding that is not read here \(zz\)/);
});

test("a bomb in gzip is cut off at the published size", async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const at = world({ "a.txt": whole });
  const { error } = await fetching(at, (_, r) => void r.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
  assert.match(error?.message ?? "", /another size than the published one/);
  assert.equal(names(at.folder), []);
});

test("files without a known sum need acceptUnverified; then what came is recorded, and a check compares with the record", async () => {
  const at = world({ "a.txt": unknown });
  const refused = await fetching(at, (q, r) => serve(q, r, body));
  assert.match(refused.error?.message ?? "", /SHA-256 of 1 of 1 files is not known.*--accept-unverified/s);
  assert.equal([refused.server.asked, names(at.folder)], [[], []]);
  const { report } = await fetching(at, (q, r) => serve(q, r, body), { acceptUnverified: true });
  assert.is(report?.files[0]?.verified, false);
  assert.is(JSON.parse(readFileSync(join(at.folder, "fetched.json"), "utf8")).files["a.txt"].sha256, sum(body));
  const status = async () => (await checkFiles("set", at.folder, at.manifest)).map((file) => file.status);
  assert.equal(await status(), ["recorded"]);
  writeFileSync(join(at.folder, "a.txt"), "other");
  assert.equal(await status(), ["differs"]);
});

test("a web page, and a pointer to a large file, in place of an unverified file are errors", async () => {
  for (const [sent, message] of [
    ["<!DOCTYPE html><title>Log in</title>", /a web page came instead of the file/],
    ["version https://git-lfs.github.com/spec/v1\noid sha256:0\n", /a pointer to a large file \(Git LFS\) came/],
  ] as const) {
    const at = world({ "a.txt": unknown });
    const { error } = await fetching(at, (_, r) => void r.end(sent), { acceptUnverified: true });
    assert.match(error?.message ?? "", message);
    assert.equal(names(at.folder), []);
  }
});

test("another file of that name is an error and stays; a part of another address is gone on from only where the sum is known", async () => {
  const at = world({ "a.txt": whole });
  mkdirSync(at.folder);
  writeFileSync(join(at.folder, "a.txt"), "mine");
  const { error, server } = await fetching(at, (q, r) => serve(q, r, body));
  assert.match(error?.message ?? "", /another file than the published one is there.*Move it away/s);
  assert.equal([server.asked, readFileSync(join(at.folder, "a.txt"), "utf8")], [[], "mine"]);
  for (const [file, range] of [
    [whole, " bytes=3-"],
    [unknown, ""],
  ] as const) {
    const part = world({ "a.txt": file });
    mkdirSync(part.folder);
    writeFileSync(join(part.folder, "a.txt.part"), body.subarray(0, 3));
    writeFileSync(join(part.folder, "a.txt.part.json"), JSON.stringify({ url: "http://other/", validator: '"0"' }));
    const anew = await fetching(part, (q, r) => serve(q, r, body), { acceptUnverified: true });
    assert.equal(anew.server.asked, [`GET /at/a.txt${range}`]);
    assert.equal(readFileSync(join(part.folder, "a.txt")), body);
  }
});

test("names that lead out of the folder are errors of the manifest, and links on the way are refused", async () => {
  for (const name of ["../a", "/a", "a/../../b", "C:/a", "a\\b", "", "a//b", "./a", "a\0"]) {
    const { error } = await fetching(world({ [name]: whole }), (q, r) => serve(q, r, body));
    assert.match(error?.message ?? "", /is not a path below the folder/, name);
    const path = await fetching(world({ ok: { ...whole, path: name } }), (q, r) => serve(q, r, body));
    assert.match(path.error?.message ?? "", /path is not a path below the folder/, name);
  }
  for (const [link, file] of [
    ["sub", "sub/a.txt"],
    ["a.txt.part", "a.txt"],
  ] as const) {
    const at = world({ [file]: whole });
    mkdirSync(at.folder);
    const outside = join(at.dir, "outside");
    if (link === "sub") mkdirSync(outside);
    else writeFileSync(outside, "");
    symlinkSync(outside, join(at.folder, link));
    const { error } = await fetching(at, (q, r) => serve(q, r, body));
    assert.match(error?.message ?? "", /not a f(older|ile) \(/, file);
    assert.equal(link === "sub" ? readdirSync(outside) : readFileSync(outside, "utf8"), link === "sub" ? [] : "");
  }
});

test("without a connection the error names the host and lists each file, its address and its place", async () => {
  const at = world({ "a.txt": whole, "b.txt": { ...whole, path: "at/b.txt" } });
  const closed = await loopback(() => {});
  await closed.close();
  const error = (await fetchDataset("set", { dir: at.dir, manifest: at.manifest, from: closed.url }).catch(
    (e) => e,
  )) as Error;
  assert.is(error.name, "SetupError");
  assert.match(error.message, /no answer that helps from 127\.0\.0\.1:\d+ \(ECONNREFUSED/);
  for (const name of ["a.txt", "b.txt"])
    assert.ok(error.message.includes(`${join(at.folder, name)}  from https://example.invalid/commit/at/${name}`));
});

test("an abort stops at once, keeps the part, and the next call goes on from there", async () => {
  const at = world({ "a.txt": whole });
  const abort = new AbortController();
  const { error } = await fetching(
    at,
    (_, r) => {
      r.writeHead(200, { "content-length": body.length, etag: '"1"' });
      r.write(body.subarray(0, 50_000), () => setTimeout(() => abort.abort(), 100));
    },
    { signal: abort.signal },
  );
  assert.is(error?.name, "AbortError");
  assert.equal(names(at.folder), ["a.txt.part", "a.txt.part.json"]);
  const second = await fetching(at, (q, r) => serve(q, r, body));
  assert.equal([second.server.asked, second.report?.files[0]?.verified], [["GET /at/a.txt bytes=50000-"], true]);
});

test("a proxy gets http requests with the whole address, and https ones as CONNECT; credentials go to it alone", async () => {
  const at = world({ "a.txt": whole });
  const seen: unknown[] = [];
  const proxy = await loopback(
    (q, r) => {
      seen.push([q.url, q.headers.host, q.headers["proxy-authorization"]]);
      serve(q, r, body);
    },
    (q, socket) => {
      seen.push([q.url, q.headers["proxy-authorization"]]);
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    },
  );
  const via = proxy.url.replace("//", "//user:p%40ss@").replace(/\/$/, "");
  const given = { dir: at.dir, manifest: at.manifest, proxy: () => via, retries: 0 };
  await fetchDataset("set", { ...given, from: "http://mirror.invalid/m/" });
  // base64 of user:p@ss, by printf 'user:p@ss' | base64
  const basic = "Basic dXNlcjpwQHNz";
  assert.equal(seen, [["http://mirror.invalid/m/at/a.txt", "mirror.invalid", basic]]);
  const other = world({ "a.txt": whole });
  const error = await fetchDataset("set", { ...given, dir: other.dir, manifest: other.manifest }).catch((e) => e);
  assert.equal(seen[1], ["example.invalid:443", basic]);
  assert.match(error.message, /the proxy answered 403/);
  assert.not.match(error.message, /p@ss|p%40ss/);
  await proxy.close();
});

test("a tunnel through a proxy carries TLS: what is not TLS at its end is an error, not a file", async () => {
  const plain = await loopback((q, r) => serve(q, r, body));
  const proxy = await loopback(
    () => {},
    (_, socket) => {
      const target = connect(Number(new URL(plain.url).port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(target).pipe(socket);
      });
      target.on("error", () => socket.destroy());
    },
  );
  const at = world({ "a.txt": whole });
  const error = await fetchDataset("set", {
    ...{ dir: at.dir, manifest: at.manifest },
    proxy: () => proxy.url,
    retries: 0,
  }).catch((e) => e);
  assert.match(error.message, /no answer that helps from example\.invalid/);
  assert.equal(plain.asked, []);
  await Promise.all([plain.close(), proxy.close()]);
});

test("progress counts bytes up to the sum of the sizes, stored ones apart", async () => {
  const at = world({ "a.txt": whole });
  const events: ProgressEvent[] = [];
  await fetching(at, (_, r) => breakAfter(r, body, 100_000, '"1"'), { retries: 0 });
  await fetching(at, (q, r) => serve(q, r, body), { onProgress: (event) => events.push(event) });
  const last = events.at(-1);
  assert.equal([last?.done, last?.total, last?.stored], [300_000, 300_000, 100_000]);
});

test("unknown options, names and malformed manifests are errors that name what is allowed", async () => {
  const at = world({ "a.txt": whole });
  const message = async (name: string, options: object) =>
    (await fetchDataset(name, options).catch((e) => e)).message as string;
  assert.match(await message("set", { dirr: "x" }), /unknown option \("dirr"\).*Did you mean "dir"\?/s);
  assert.match(
    await message("sett", { manifest: at.manifest }),
    /unknown data set \("sett"\)\. Known: set\. Did you mean "set"\?/,
  );
  assert.match(
    await message("set", { manifest: at.manifest, from: "ftp://x/" }),
    /not an address of files \("ftp:\/\/x\/"\)/,
  );
  assert.match(await message("bestiary", {}), /nothing is to be fetched/);
  assert.match(await message("vqa-passages", {}), /not published at an address of their own/);
  const wrong = async (more: object) =>
    message("set", { manifest: world({ "a.txt": whole }, more).manifest, dir: work });
  assert.match(await wrong({ licnce: "x" }), /unknown field \("licnce"\).*Did you mean "licence"\?/s);
  assert.match(await wrong({ redistribution: "no" }), /redistribution is not true or false/);
  assert.match(await wrong({ files: { a: { bytes: -1, sha256: null } } }), /bytes is not an integer ≥ 0 \(-1\)/);
  assert.match(await wrong({ files: { a: { bytes: 1, sha256: "12" } } }), /sha256 is not 64 hexadecimal digits/);
  assert.match(await wrong({ url: "https://me:secret@host/" }), /not an address of files/);
});

test("the package's manifest is well formed; what has no known sum says so; no set without a stated licence may be passed on", async () => {
  const sources = await datasetSources();
  for (const { name, licence, redistribution, files, url } of sources.values()) {
    if (/not stated/.test(licence)) assert.is(redistribution, false, name);
    if (url) assert.match(url, /^https:\/\/raw\.githubusercontent\.com\/[^/]+\/[^/]+\/[0-9a-f]{40}\/$/, name);
    for (const { file, bytes, sha256 } of files) assert.is(bytes === null, sha256 === null, `${name} ${file}`);
  }
  const unverified = [...sources.values()].filter(({ files }) => files.some(({ sha256 }) => sha256 === null));
  assert.equal(
    unverified.map(({ name }) => name),
    ["mkg-rag-bench", "mkg-rag-bench-m"],
  );
});

const real = process.env.MKGLAB_DATA;
const law = "the published files of MarKG and MH-MMKG are verified, and served over loopback they arrive verified";
if (!real || !existsSync(join(real, "markg"))) {
  console.log(`SKIP ${law}: MKGLAB_DATA is not set`);
  test.skip(law);
} else
  test(law, async () => {
    for (const name of ["markg", "mh-mmkg"]) {
      const checked = await checkFiles(name, join(real, name));
      assert.ok(checked.length > 0 && checked.every(({ status }) => status === "verified"), name);
      const source = (await datasetSources()).get(name);
      const server = await loopback((q, r) => {
        const file = source?.files.find(({ path }) => `/${path}` === q.url)?.file as string;
        serve(q, r, readFileSync(join(real, name, file)));
      });
      const dir = join(work, `real-${name}`);
      const { files } = await fetchDataset(name, { dir, from: server.url });
      await server.close();
      assert.ok(files.every(({ verified, status }) => verified && status === "fetched"));
    }
  });

test.run();
