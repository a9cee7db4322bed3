// Servers that lie, stall and answer with something else; each a real HTTP server on the loopback interface.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkFiles, datasetSources, type FetchDatasetOptions, fetchDataset } from "../../lib/datasets/index.js";
import { type Loopback, loopback, serve } from "../support/loopback.js";
import { asNobody } from "../support/nobody.js";

const work = mkdtempSync(join(tmpdir(), "mkglab-fetch-hostile-"));
const body = Buffer.from("0123456789".repeat(10));
const sum = (data: Buffer) => createHash("sha256").update(data).digest("hex");
const whole = { path: "a.txt", bytes: body.length, sha256: sum(body) };
const unknown = { path: "a.txt", bytes: null, sha256: null };

let next = 0;
function world(files: Record<string, object>) {
  const dir = join(work, String(next++));
  mkdirSync(join(dir, "set"), { recursive: true });
  const manifest = join(dir, "manifest.json");
  const set = {
    source: "s",
    licence: "MIT",
    redistribution: true,
    citation: "",
    url: "https://example.invalid/",
    files,
  };
  writeFileSync(manifest, JSON.stringify({ datasets: { set } }));
  return { manifest, dir, folder: join(dir, "set") };
}
type World = ReturnType<typeof world>;
const from = (at: World, server: { url: string }, options: FetchDatasetOptions = {}) =>
  fetchDataset("set", { dir: at.dir, manifest: at.manifest, from: server.url, retries: 1, ...options });
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => "",
    (error: Error) => error.message,
  );
/** Ten bytes of an earlier fetch, and the note that goes with them. */
function begun(at: World, server: { url: string }, validator = '"1"') {
  writeFileSync(join(at.folder, "a.txt.part"), body.subarray(0, 10));
  writeFileSync(join(at.folder, "a.txt.part.json"), JSON.stringify({ url: `${server.url}a.txt`, validator }));
}
async function serving<T>(server: Loopback, work: (server: Loopback) => Promise<T>): Promise<T> {
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
const names = (at: World) => readdirSync(at.folder).sort();

test("a part that ends before the whole is gone on with, not taken for it", async () => {
  const at = world({ "a.txt": unknown });
  const server = await loopback((request, response) => {
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const end = Math.min(start + 10, body.length);
    response
      .writeHead(206, {
        etag: '"1"',
        "content-range": `bytes ${start}-${end - 1}/${body.length}`,
        "content-length": end - start,
      })
      .end(body.subarray(start, end));
  });
  await serving(server, async () => {
    begun(at, server);
    await from(at, server, { acceptUnverified: true });
    assert.equal(readFileSync(join(at.folder, "a.txt")), body);
    assert.is(server.asked.length, 9);
  });
});

test("a rest of another version is not joined to what is there, though the server overlooks If-Range", async () => {
  const at = world({ "a.txt": unknown });
  const other = Buffer.from("x".repeat(100));
  const server = await loopback((request, response) => {
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? -1);
    if (start < 0) return void response.writeHead(200, { etag: '"2"', "content-length": 100 }).end(other);
    response
      .writeHead(206, { etag: '"2"', "content-range": `bytes ${start}-99/100`, "content-length": 100 - start })
      .end(other.subarray(start));
  });
  await serving(server, async () => {
    begun(at, server);
    await from(at, server, { acceptUnverified: true });
    assert.equal(readFileSync(join(at.folder, "a.txt")), other);
  });
});

test("a server that cuts each answer at the same byte is given up after the retries; one that comes further is not", async () => {
  const at = world({ "a.txt": whole });
  const cut = await loopback((_request, response) => {
    response.writeHead(200, { "content-length": body.length });
    response.write(body.subarray(0, 50), () => setTimeout(() => response.destroy(), 20));
  });
  await serving(cut, async () => {
    assert.match(await messageOf(from(at, cut)), /no answer that helps/);
    assert.is(cut.asked.length, 2); // and one retry
  });
});

test("what is no file is told: nothing, a page behind comments or an XML head, a page by its type, a JSON answer", async () => {
  for (const [type, sent, message] of [
    ["text/plain", "", /the file is empty/],
    ["text/plain", "<!-- login -->\n<html>", /a web page came/],
    ["text/plain", '\uFEFF<?xml version="1.0"?><!DOCTYPE html>', /a web page came/],
    ["text/html; charset=utf-8", "sign in", /a web page came/],
    ["application/json", '{"error":"rate limited"}', /a JSON answer came/],
    ["application/problem+json", "{}", /a JSON answer came/],
    ["text/plain", '{"message": "rate limited"}', /an error in JSON came/],
  ] as const) {
    const at = world({ "a.txt": unknown });
    const server = await loopback((_, response) => void response.writeHead(200, { "content-type": type }).end(sent));
    assert.match(await serving(server, () => messageOf(from(at, server, { acceptUnverified: true }))), message, sent);
    assert.equal(names(at), []);
  }
  const at = world({ "a.json": { ...unknown, path: "a.json" } });
  const server = await loopback(
    (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  await serving(server, () => from(at, server, { acceptUnverified: true }));
  assert.ok(existsSync(join(at.folder, "a.json")));
});

test("an unverified answer that does not say where it ends is refused: a cut one would look whole", async () => {
  const at = world({ "a.txt": unknown });
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\n0123"));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  try {
    assert.match(await messageOf(from(at, { url }, { acceptUnverified: true })), /does not say how long the file is/);
    assert.equal(names(at), []);
  } finally {
    server.close();
  }
});

test("a second fetch of the same file at the same time is told so, and does no harm; a dead process's lock is taken over", async () => {
  const at = world({ "a.txt": whole });
  let release = () => {};
  const server = await loopback((request, response, nth) => {
    if (nth === 1) release = () => serve(request, response, body);
    else serve(request, response, body);
  });
  await serving(server, async () => {
    const first = from(at, server);
    while (server.asked.length === 0) await new Promise(setImmediate);
    assert.match(await messageOf(from(at, server)), new RegExp(`it is being fetched already .*process ${process.pid}`));
    release();
    await first;
    assert.equal(names(at), ["a.txt"]);
  });
  const dead = world({ "a.txt": whole });
  const child = spawn(process.execPath, ["-e", ""]);
  await new Promise((done) => child.on("exit", done));
  writeFileSync(join(dead.folder, "a.txt.part.lock"), String(child.pid));
  const again = await loopback((request, response) => serve(request, response, body));
  await serving(again, () => from(dead, again));
  assert.equal(names(dead), ["a.txt"]);
});

test("an abort while waiting to try again ends with the signal's reason", async () => {
  const at = world({ "a.txt": whole });
  const reason = new Error("enough");
  const controller = new AbortController();
  const server = await loopback((_, response) => {
    response.writeHead(503).end();
    setTimeout(() => controller.abort(reason), 100);
  });
  const failure = await serving(server, () =>
    from(at, server, { retries: 5, signal: controller.signal }).then(
      () => undefined,
      (error) => error,
    ),
  );
  assert.is(failure, reason);
});

test("pipes and folders where files should be are errors at once", async () => {
  const at = world({ "a.txt": whole });
  execFileSync("mkfifo", [join(at.folder, "a.txt")]);
  assert.match(await messageOf(checkFiles("set", at.folder, at.manifest)), /not a file .*a\.txt\)\. It is a pipe/);
  const record = world({ "a.txt": unknown });
  execFileSync("mkfifo", [join(record.folder, "fetched.json")]);
  assert.match(
    await messageOf(checkFiles("set", record.folder, record.manifest)),
    /not a file .*fetched\.json\)\. It is a pipe/,
  );
  const folder = world({ "a.txt": whole });
  mkdirSync(join(folder.folder, "a.txt"));
  assert.match(await messageOf(checkFiles("set", folder.folder, folder.manifest)), /It is a folder; give a file/);
});

test("a manifest whose names cannot stand beside each other, or beside what fetching writes, is an error", async () => {
  for (const [files, message] of [
    [{ "fetched.json": whole }, /the name is one that fetching writes itself \("fetched\.json"\)/],
    [{ "a.txt.part": whole }, /fetching writes itself/],
    [{ a: whole, "a/b": whole }, /"a" is a file and the folder of "a\/b"/],
  ] as const)
    assert.match(await messageOf(datasetSources(world(files).manifest)), message);
});

test("what the system hides is told as hidden, not as missing nor as a fault of the connection", async () => {
  chmodSync(work, 0o755);
  const server = await loopback((request, response) => serve(request, response, body));
  const fails = (at: World, work: () => Promise<unknown>): Promise<[string, string]> =>
    asNobody(() =>
      work().then(
        () => ["", ""],
        (error) => [error.name, error.message.replaceAll(at.dir, "")],
      ),
    );
  await serving(server, async () => {
    const file = world({ "a.txt": whole });
    writeFileSync(join(file.folder, "a.txt"), body, { mode: 0 });
    const folder = world({ "a.txt": whole });
    writeFileSync(join(folder.folder, "a.txt"), body);
    chmodSync(folder.folder, 0);
    for (const at of [file, folder])
      for (const work of [() => from(at, server), () => checkFiles("set", at.folder, at.manifest)]) {
        const [name, message] = await fails(at, work);
        assert.is(name, "SetupError");
        assert.match(message, /cannot read the file \(\/set\/(a\.txt|fetched\.json)\)\. Reading is not permitted/);
      }
    const shut = world({ "a.txt": whole });
    chmodSync(shut.folder, 0o555);
    assert.match(
      (await fails(shut, () => from(shut, server)))[1],
      /cannot write \(\/set\/a\.txt\.part\.lock: EACCES\)\. Writing is not permitted/,
    );
    assert.equal(server.asked, []);
    for (const at of [file, folder, shut]) chmodSync(at.folder, 0o755);
  });
});

test("a part of a whole whose size nobody knows is not taken for it, nor more than the whole", async () => {
  for (const [range, rest] of [
    ["bytes 10-19/*", body.subarray(10, 20)],
    ["bytes 10-99/100", Buffer.concat([body.subarray(10), body])],
  ] as const) {
    const at = world({ "a.txt": unknown });
    const server = await loopback((request, response) => {
      if (request.headers.range) response.writeHead(206, { etag: '"1"', "content-range": range }).end(rest);
      else serve(request, response, body);
    });
    await serving(server, async () => {
      begun(at, server);
      await from(at, server, { acceptUnverified: true });
      assert.equal(readFileSync(join(at.folder, "a.txt")), body);
    });
  }
});

test("two fetches that begin at the same moment: one fetches, the other is told so, however the lock looks then", async () => {
  const at = world({ "a.txt": whole });
  // as another process leaves it between making the lock and writing its number
  writeFileSync(join(at.folder, "a.txt.part.lock"), "");
  setTimeout(() => writeFileSync(join(at.folder, "a.txt.part.lock"), String(process.ppid)), 75);
  const server = await loopback((request, response) => serve(request, response, body));
  await serving(server, async () => {
    assert.match(await messageOf(from(at, server)), new RegExp(`fetched already .*process ${process.ppid}\\)`));
    // and one that never gets a number is of a process that died
    writeFileSync(join(at.folder, "a.txt.part.lock"), "");
    await from(at, server);
  });
  assert.equal(names(at), ["a.txt"]);
  const odd = world({ "a.txt": whole });
  execFileSync("mkfifo", [join(odd.folder, "a.txt.part.lock")]);
  assert.match(await messageOf(from(odd, { url: "http://127.0.0.1:9/" })), /not a file \(.*a\.txt\.part\.lock\)/);
});

test.run();
