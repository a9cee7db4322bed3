import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  checkImageFile,
  fileImage,
  frameFolder,
  imageFile,
  imageFormat,
  imageReference,
  naturalOrder,
  openImage,
  openImages,
} from "../../lib/graph/index.js";

// one pixel of red: printf of a PNG written by Python's zlib, see the format's own standard
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);

const test = suite<{ dir: string }>("images");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-images-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const put = (dir: string, files: Record<string, string | Uint8Array>) => {
  for (const [name, data] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), data);
  }
};
const failure = async (run: () => unknown): Promise<Error> => {
  try {
    await run();
  } catch (error) {
    return error as Error;
  }
  return new Error("nothing was thrown");
};
const refuses = async (run: () => unknown, pattern: RegExp, name = "MkgError") => {
  const error = await failure(run);
  assert.match(error.message, pattern);
  assert.is(error.name, name);
};

test("a path that leads out of the folder, or is none, is refused before anything is read", async ({ dir }) => {
  for (const path of ["../a.png", "a/../../b.png", "..", "/etc/passwd", "", "a\0.png", "a\\..\\b.png"])
    await refuses(() => openImage(path, { folder: dir }), /^openImage: not a path inside the folder \(/);
  await refuses(() => imageFile(dir, "a\\b.png"), /^imageFile: a path with a backslash \("a\\\\b.png"\)/);
  for (const path of ["C:/a.png", "c:a.png", "file:///etc/passwd", "ftp://host/a.png", "FILE://a"])
    await refuses(() => openImage(path, { folder: dir }), /neither a path inside the folder nor an address/);
  await refuses(() => imageFile(dir, 7 as never), /not a path inside the folder \(7\)/);
  await refuses(() => openImage("a.png"), /a path without the folder.*option folder/);
});

test("whatever the path, no byte from outside the folder is read", async ({ dir }) => {
  put(dir, { "in/ok.png": png, "secret.png": "SECRET" });
  const part = fc.constantFrom("..", ".", "in", "ok.png", "secret.png", "", "%2e%2e", "..%2f", "\\", "~", "in/..");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
      const bytes = await Promise.resolve()
        .then(() => openImage(parts.join("/"), { folder: join(dir, "in") }).bytes())
        .then(Buffer.from, () => undefined);
      assert.ok(bytes === undefined || bytes.equals(png));
    }),
    { seed: 4, numRuns: 300 },
  );
});

test("a symbolic link that leads out is refused when read; one that stays inside is followed", async ({ dir }) => {
  put(dir, { "in/a.png": png, "secret.png": "SECRET" });
  symlinkSync(join(dir, "secret.png"), join(dir, "in/out.png"));
  symlinkSync("a.png", join(dir, "in/same.png"));
  symlinkSync(dir, join(dir, "in/up"));
  const folder = join(dir, "in");
  await refuses(() => imageFile(folder, "out.png").bytes(), /the picture lies outside its folder/);
  await refuses(() => imageFile(folder, "up/secret.png").bytes(), /outside its folder/);
  await refuses(() => openImages("up", { folder }), /outside its folder/);
  await refuses(() => checkImageFile(folder, "out.png"), /outside its folder/);
  assert.equal(Buffer.from(await imageFile(folder, "same.png").bytes()), png);
});

test("what is no ordinary file is an error, and a named pipe is not waited for", async ({ dir }) => {
  put(dir, { "sub/a.png": png });
  await refuses(() => imageFile(dir, "sub").bytes(), /not a file \(.*sub\)/);
  await refuses(() => fileImage(dir, "i").bytes(), /^image: not a file/);
  if (process.platform === "win32") return;
  execFileSync("mkfifo", [join(dir, "pipe.png")]);
  await refuses(() => imageFile(dir, "pipe.png").bytes(), /not a file \(.*pipe.png\)/);
});

test("the size bound is one and can be raised; the error names file and size", async ({ dir }) => {
  put(dir, { "a.png": png });
  for (const image of [imageFile(dir, "a.png", { maxBytes: 10 }), fileImage(join(dir, "a.png"), "i", { maxBytes: 10 })])
    await refuses(() => image.bytes(), new RegExp(`too large \\(.*a.png: ${png.length} bytes\\)\\. At most 10 bytes`));
  assert.is((await imageFile(dir, "a.png", { maxBytes: png.length }).bytes()).length, png.length);
  await refuses(() => imageFile(dir, "a.png", { maxBytes: 0 }), /maxBytes is not a positive integer/);
});

test("misspelt options are errors that name the nearest", async ({ dir }) => {
  await refuses(
    () => imageFile(dir, "a.png", { keyy: true } as never),
    /unknown option \("keyy"\).*Did you mean "key"/,
  );
  await refuses(() => openImage("a.png", { foldr: dir } as never), /unknown option \("foldr"\).*"folder"/);
  await refuses(() => fileImage("a.png", "i", { maxByte: 3 } as never), /unknown option \("maxByte"\).*"maxBytes"/);
  await refuses(
    () => openImage("http://h/a.png", { fetch: { timeoutms: 3 } as never }),
    /unknown option of fetch \("timeoutms"\).*"timeoutMs"/,
  );
  await refuses(() => fileImage("", "i"), /path is not a path/);
  await refuses(() => fileImage("a", ""), /id is not a non-empty string/);
});

test("natural order: numbers by value, then code units; a total order of distinct names", () => {
  const wanted = ["a1.png", "a2.png", "a10.png", "a010.png", "a10b.png", "b.png", "é.png"];
  assert.equal([...wanted].reverse().sort(naturalOrder).join(), "a1.png,a2.png,a010.png,a10.png,a10b.png,b.png,é.png");
  assert.is(naturalOrder("f99999999999999999998", "f99999999999999999999") < 0, true, "beyond 2^53");
  const name = fc.stringMatching(/^[a0-3.]{0,6}$/);
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      assert.is(Math.sign(naturalOrder(a, b)) + Math.sign(naturalOrder(b, a)), 0);
      assert.is(naturalOrder(a, b) === 0, a === b);
      if (naturalOrder(a, b) <= 0 && naturalOrder(b, c) <= 0) assert.ok(naturalOrder(a, c) <= 0);
    }),
    { seed: 4, numRuns: 2000 },
  );
});

test("a folder of frames: natural order, all marked unless keyframes.txt says which", async ({ dir }) => {
  put(dir, { "c/f10.png": "10", "c/f2.png": "2", "c/f1.jpg": "1", "c/notes.md": "x" });
  const skipped: string[] = [];
  const frames = await frameFolder(dir, "c", { onSkipped: (path) => skipped.push(path) });
  assert.equal(await texts(frames), ["1", "2", "10"]);
  assert.equal(skipped, ["c/notes.md"]);
  assert.equal(
    frames.map((f) => f.key),
    [true, true, true],
  );
  put(dir, { "c/keyframes.txt": "\uFEFFf2.png\r\nf10.png\r\n" });
  const marked = await openImages("c", { folder: dir });
  assert.equal(
    marked.map((f) => f.key),
    [false, true, true],
  );
  assert.equal(imageReference(marked[1]!), "c/f2.png");
  put(dir, { "c/keyframes.txt": "" });
  assert.equal(
    (await frameFolder(dir, "c")).map((f) => f.key),
    [false, false, false],
  );
  put(dir, { "c/keyframes.txt": "f2.png\nf3.png\n" });
  await refuses(() => frameFolder(dir, "c"), /keyframes.txt, line 2: not a frame of the folder \("f3.png"\)/);
  put(dir, { "empty/readme.md": "" });
  await refuses(() => openImages("empty", { folder: dir, place: "row 3" }), /^row 3: a folder without pictures/);
  await refuses(() => openImages("none", { folder: dir, place: "row 3" }), /^row 3: cannot read the picture .*no such/);
});

test("a list of key frames is an ordinary file of the folder: nothing outside is read, no pipe is waited for", async ({
  dir,
}) => {
  put(dir, { "data/c/f1.png": "1", "secret.txt": "password\n" });
  const marks = join(dir, "data/c/keyframes.txt");
  symlinkSync(join(dir, "secret.txt"), marks);
  const error = await failure(() => frameFolder(join(dir, "data"), "c"));
  assert.match(error.message, /frameFolder: the picture lies outside its folder \(.*keyframes\.txt\)|lies outside/);
  assert.not.match(error.message, /password/);
  rmSync(marks);
  execFileSync("mkfifo", [marks]);
  await refuses(() => frameFolder(join(dir, "data"), "c"), /the list of key frames is no file \(.*keyframes\.txt\)/);
});

const texts = async (images: readonly { bytes(): Promise<Uint8Array> }[]) =>
  Promise.all(images.map(async (image) => new TextDecoder().decode(await image.bytes())));

test("a data URL gives its bytes, base64 or percent-encoded, whatever media type it states", async () => {
  const base64 = png.toString("base64");
  for (const url of [
    `data:image/png;base64,${base64}`,
    `DATA:text/html;base64,${base64}`,
    `data:;base64,${base64}`,
    `data:image/png;base64,${base64.replaceAll("+", "%2B").replaceAll("=", "%3D")}`,
    `data:image/png,${[...png].map((b) => `%${b.toString(16).padStart(2, "0")}`).join("")}`,
  ]) {
    const image = openImage(url);
    assert.equal(Buffer.from(await image.bytes()), png, url.slice(0, 40));
    assert.is(imageReference(image), url);
  }
  assert.equal(await texts([openImage("data:image/svg+xml,%3Csvg%20a='1'/%3E")]), ["<svg a='1'/>"]);
});

test("a broken or too large data URL is one short error", async () => {
  for (const url of ["data:image/png;base64,@@@@", "data:image/png;base64", "data:image/png;base64,AAAAA"])
    await refuses(() => openImages(url, { place: "row 1" }), /^row 1: a data URL that cannot be read \("data:/);
  const long = `data:;base64,${"A".repeat(40_000)}`;
  await refuses(() => openImage(long, { maxBytes: 1000 }), /^openImage: the picture is too large \("data:.{0,90}… ?:/);
  await refuses(() => openImage(long, { maxBytes: 29_999 }).bytes(), /too large .*30000 bytes\)\. At most 29999/);
  assert.is((await openImage(long, { maxBytes: 30_000 }).bytes()).length, 30_000);
});

test("the format is told by the first bytes", () => {
  const name = (bytes: string | Uint8Array) =>
    imageFormat(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes)?.name;
  // signatures: PNG 1.2, JFIF, GIF89a, RIFF/WebP, TIFF 6 (both byte orders) and BigTIFF, AVIF brand, BMP, SVG
  assert.is(name(png), "PNG");
  assert.is(name("\xff\xd8\xff\xe0"), "JPEG");
  assert.is(name("GIF89a"), "GIF");
  assert.is(name("RIFF\x10\0\0\0WEBPVP8 "), "WebP");
  for (const head of ["II*\0", "MM\0*", "II+\0"]) assert.is(name(head), "TIFF");
  assert.is(name("\0\0\0\x1cftypavif"), "AVIF");
  assert.is(name(`BM${"\0".repeat(30)}`), "BMP");
  for (const svg of [
    "<svg/>",
    '\n<?xml version="1.0"?><!-- a > b --><svg xmlns="x">',
    "<!DOCTYPE svg PUBLIC><svg>",
    "<s:svg>",
  ])
    assert.is(name(svg), "SVG", svg);
  for (const other of ["", "hello", "<html><svg></svg></html>", "<!DOCTYPE html><svg>", "RIFF\0\0\0\0WAVE", "BM"])
    assert.is(name(other), undefined, other);
});

const serve = async (listener: RequestListener): Promise<{ server: Server; url: string; asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};
const stop = (server: Server) =>
  new Promise<void>((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });

test("a remote address is kept, and no request is made unless asked", async () => {
  const { server, asked, url } = await serve((_, response) => response.end(png));
  try {
    const [image] = await openImages(`${url}/a.png?token=SECRET`);
    assert.is(imageReference(image!), `${url}/a.png?token=SECRET`);
    const error = await failure(() => image!.bytes());
    assert.is(error.name, "SetupError");
    assert.match(
      error.message,
      /not fetched unless asked \(http:\/\/127.0.0.1:\d+\/a.png\)\. Load with \{ fetch: true \}/,
    );
    assert.not.match(error.message, /SECRET/);
    assert.equal(asked, []);
    const allowed = openImage(`${url}/a.png`, { fetch: true });
    assert.equal(asked, [], "opening fetches nothing");
    assert.equal(Buffer.from(await allowed.bytes()), png);
    assert.equal(asked, ["/a.png"]);
  } finally {
    await stop(server);
  }
});

test("a server that misbehaves gives one error that names the address", async () => {
  const { server, url } = await serve((request, response) => {
    const path = request.url ?? "";
    if (path === "/slow") return void response.write(png.subarray(0, 20));
    if (path === "/endless") {
      const more = () => {
        if (response.destroyed) return;
        response.write(Buffer.alloc(65536, 1));
        setImmediate(more);
      };
      return more();
    }
    if (path === "/loop") return void response.writeHead(302, { location: "/loop" }).end();
    if (path === "/once") return void response.writeHead(301, { location: "/good" }).end();
    if (path === "/away") return void response.writeHead(302, { location: "file:///etc/passwd" }).end();
    if (path === "/good") return void response.end(png);
    if (path === "/html")
      return void response.writeHead(200, { "content-type": "image/png" }).end("<!doctype html><title>no</title>");
    if (path === "/short") {
      response.writeHead(200, { "content-length": String(png.length) });
      response.write(png.subarray(0, 20));
      return void setTimeout(() => response.destroy(), 20);
    }
    if (path === "/huge") return void response.writeHead(200, { "content-length": "999999999999" }).write("x");
    if (path === "/empty") return void response.end();
    response.writeHead(404).end("<html>");
  });
  const ask = (path: string, more = {}) =>
    openImage(`${url}${path}`, { maxBytes: 2 ** 20, fetch: { timeoutMs: 5000, ...more } });
  try {
    await refuses(
      () => ask("/slow", { timeoutMs: 150 }).bytes(),
      /did not arrive in 150 ms \(http:.*\/slow\)\..*timeoutMs/,
    );
    await refuses(() => ask("/endless").bytes(), /too large \(http:.*\/endless: \d+ bytes\)\. At most 1048576 bytes/);
    await refuses(() => ask("/huge").bytes(), /too large \(http:.*\/huge: 999999999999 bytes\)/);
    await refuses(() => ask("/loop").bytes(), /too many redirects \(http:.*\/loop: 6\)\. At most 5/);
    await refuses(() => ask("/once", { maxRedirects: 0 }).bytes(), /too many redirects/);
    assert.equal(Buffer.from(await ask("/once").bytes()), png);
    await refuses(() => ask("/away").bytes(), /an address that is not fetched \("file:\/\/\/etc\/passwd"\)/);
    await refuses(() => ask("/none").bytes(), /the server answered 404 \(http:.*\/none\)/);
    await refuses(() => ask("/html").bytes(), /not a picture \(http:.*\/html: 32 bytes beginning "<!doctype html>/);
    await refuses(() => ask("/short").bytes(), /cannot fetch the picture \(http:.*\/short: .+\)/);
    await refuses(() => ask("/empty").bytes(), /not a picture \(http:.*\/empty: 0 bytes/);
  } finally {
    await stop(server);
  }
  await refuses(() => ask("/good").bytes(), /cannot fetch the picture \(http:.*\/good: .*ECONNREFUSED/);
});

test("a redirect from https to http is not followed: what it brings could have been changed on the way", async () => {
  const asked: string[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = async (address) => {
    asked.push(String(address));
    return new Response(null, { status: 302, headers: { location: "http://127.0.0.1/b.png?token" } });
  };
  try {
    await refuses(
      () => openImage("https://example.invalid/a.png", { fetch: true }).bytes(),
      /a redirect that is not followed \(https:\/\/example\.invalid\/a\.png to http:\/\/127\.0\.0\.1\)\. From https to https/,
    );
  } finally {
    globalThis.fetch = real;
  }
  assert.equal(asked, ["https://example.invalid/a.png"]);
});

test("an abort ends a fetch with the signal's reason", async () => {
  const { server, url } = await serve((_, response) => void response.write("x"));
  const stopper = new AbortController();
  try {
    const reading = openImage(`${url}/a.png`, { fetch: { signal: stopper.signal } }).bytes();
    setTimeout(() => stopper.abort(new Error("enough")), 50);
    assert.is((await failure(() => reading)).message, "enough");
  } finally {
    await stop(server);
  }
});

test("with a cache a picture is fetched once and stays the same when the address changes its mind", async ({ dir }) => {
  let served = 0;
  const { server, url } = await serve((_, response) => void response.end(served++ === 0 ? png : "GIF89a other"));
  const cache = join(dir, "kept");
  try {
    const open = () => openImage(`${url}/../a.png`, { fetch: { cache } });
    for (let i = 0; i < 3; i++) assert.equal(Buffer.from(await open().bytes()), png);
    assert.is(served, 1);
  } finally {
    await stop(server);
  }
  const kept = readdirSync(cache);
  assert.is(kept.length, 1);
  assert.match(kept[0]!, /^[0-9a-f]{64}$/, "the address is in no path");
  assert.equal(readFileSync(join(cache, kept[0]!)), png);
});

test("a fetcher of one's own is bounded and looked at like Node's", async () => {
  const address = "https://example.org/a.png";
  const seen: unknown[] = [];
  const image = openImage(address, {
    fetch: async (asked, { maxBytes, signal }) => {
      seen.push(asked, maxBytes, signal.aborted);
      return png;
    },
    maxBytes: 1000,
  });
  assert.equal(Buffer.from(await image.bytes()), png);
  assert.equal(seen, [address, 1000, false]);
  const by = (fetcher: () => unknown, more = {}) =>
    openImage(address, { fetch: { fetcher: fetcher as never, ...more } });
  await refuses(
    () => by(async () => "text").bytes(),
    /the fetcher returned no bytes \(https:\/\/example.org\/a.png: "text"\)/,
  );
  await refuses(() => by(async () => Buffer.from("hello")).bytes(), /not a picture/);
  await refuses(
    () => by(() => Promise.reject(new Error("no route"))).bytes(),
    /cannot fetch the picture \(https:\/\/example.org\/a.png: no route\)/,
  );
  await refuses(() => by(() => new Promise(() => {}), { timeoutMs: 30 }).bytes(), /did not arrive in 30 ms/);
  await refuses(
    () => openImage("http://u:p@example.org/a.png"),
    /with a user name or password \(http:\/\/example.org\/a.png\)/,
  );
  await refuses(() => openImage("http://"), /not an address/);
});

test("ids are hashes of the reference: the same for the same, and silent about it", ({ dir }) => {
  const a = imageFile(dir, "flags/france.png");
  assert.is(a.id, openImage("flags/france.png", { folder: join(dir, "elsewhere") }).id);
  assert.match(a.id, /^[0-9a-f]{16}$/);
  assert.ok(Object.isFrozen(a) && a.key);
  assert.not(imageFile(dir, "a.png", { key: false }).key);
});

test.run();
