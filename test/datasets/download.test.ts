// Every server here is a real HTTP server on the loopback interface: nothing leaves the machine.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { fetchDataset } from "../../lib/datasets/index.js";
import { breakAfter, loopback, serve } from "../support/loopback.js";

const test = suite<{ dir: string }>("download");
test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "mkglab-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true, force: true }));

const body = Buffer.from(Array.from({ length: 60_000 }, (_, i) => String(i).padStart(5, "0")).join(""));

/** Fetches one file of known sum from a server that answers so; the file must then be whole. */
async function fetched(
  dir: string,
  answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void,
): Promise<{ asked: readonly string[]; resumedFrom: number | undefined }> {
  const manifest = join(dir, "manifest.json");
  const files = {
    "a.txt": { path: "a.txt", bytes: body.length, sha256: createHash("sha256").update(body).digest("hex") },
  };
  const about = { source: "https://example.invalid/", licence: "MIT", redistribution: true, citation: "" };
  writeFileSync(
    manifest,
    JSON.stringify({ datasets: { set: { ...about, url: "https://example.invalid/at/", files } } }),
  );
  const server = await loopback(answer);
  try {
    const report = await fetchDataset("set", { dir, manifest, from: server.url });
    assert.equal(readFileSync(join(dir, "set", "a.txt")), body);
    return { asked: server.asked, resumedFrom: report.files[0]?.resumedFrom };
  } finally {
    await server.close();
  }
}

test("a weak ETag is no validator: it names what is alike, and If-Range needs what is the same byte for byte", async ({
  dir,
}) => {
  const ifRange: unknown[] = [];
  await fetched(dir, (request, response, nth) => {
    ifRange.push(request.headers["if-range"]);
    if (nth === 1) breakAfter(response, body, 100_000, 'W/"1"');
    else serve(request, response, body, 'W/"1"');
  });
  assert.equal(ifRange, [undefined, undefined]);
});

test("an answer without a length that ends before the published size is gone on with, not taken for the whole", async ({
  dir,
}) => {
  const { asked, resumedFrom } = await fetched(dir, (request, response, nth) => {
    if (nth > 1) return serve(request, response, body);
    response.writeHead(200, { etag: '"1"', connection: "close" });
    response.end(body.subarray(0, 100_000));
  });
  assert.equal(asked.slice(1), ["GET /a.txt bytes=100000-"]);
  assert.is(resumedFrom, 100_000);
});

test.run();
