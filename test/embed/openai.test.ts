import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { encoder } from "../../lib/embed/index.js";

const test = suite("embeddings of a service");

interface Asked {
  readonly body: { model: string; input: string[]; dimensions?: number };
  readonly key: string | undefined;
}
type Answer = (asked: Asked, response: ServerResponse, count: number) => void;
const vectors = (input: readonly string[]) => input.map((text, index) => ({ index, embedding: [text.length, 0, 1] }));
const answer = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(typeof body === "string" ? body : JSON.stringify(body));

/** A real server on the loopback interface that answers as `reply` says. */
async function service<T>(reply: Answer, work: (baseUrl: string, asked: Asked[]) => Promise<T>): Promise<T> {
  const asked: Asked[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      asked.push({ body: JSON.parse(text), key: request.headers.authorization });
      assert.is(request.url, "/v1/embeddings");
      reply(asked.at(-1) as Asked, response, asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
const good: Answer = ({ body }, response) =>
  // out of order, as a service may answer
  answer(response, 200, { data: vectors(body.input).reverse() });
const message = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "nothing was thrown",
    (error: Error) => `${error.name}: ${error.message}`,
  );
const key = "sk-secret-of-this-test";

test("texts go in batches, vectors come back in their order and of length 1, blank texts are not sent", () =>
  service(good, async (baseUrl, asked) => {
    process.env.MKGLAB_TEST_KEY = key;
    const e = await encoder("openai:tiny", { baseUrl, keyName: "MKGLAB_TEST_KEY", batch: 2, dimensions: 3 });
    assert.is(e.dim, 3);
    const rows = await e.encode(["abc", "", "a", "abcdefg"]);
    const row = (n: number) => [n / Math.hypot(n, 1), 0, 1 / Math.hypot(n, 1)];
    [...row(3), 0, 0, 0, ...row(1), ...row(7)].forEach((x, i) => {
      assert.ok(Math.abs((rows[i] as number) - x) < 1e-6);
    });
    assert.equal(
      asked.map(({ body }) => body.input),
      [["a"], ["abc", "a"], ["abcdefg"]],
    );
    assert.ok(
      asked.every(({ body, key: sent }) => sent === `Bearer ${key}` && body.model === "tiny" && body.dimensions === 3),
    );
    assert.not.match(JSON.stringify(e), new RegExp(key));
    delete process.env.MKGLAB_TEST_KEY;
    await e.encode(["x"]);
    assert.is(asked.at(-1)?.key, undefined);
  }));

test("a busy or failing service is asked again; a refusal is an error at once, without the key even where the service repeats it", async () => {
  process.env.MKGLAB_TEST_KEY = key;
  try {
    await service(
      (asked, response, count) =>
        count < 3
          ? answer(response, count === 1 ? 429 : 503, "busy", { "retry-after": "0.01" })
          : good(asked, response, count),
      async (baseUrl, asked) => {
        await encoder("openai:tiny", { baseUrl });
        assert.is(asked.length, 3);
      },
    );
    await service(
      ({ key: sent }, response) => answer(response, 401, { error: `no such key ${sent}` }),
      async (baseUrl, asked) => {
        const text = await message(encoder("openai:tiny", { baseUrl, keyName: "MKGLAB_TEST_KEY" }));
        assert.match(
          text,
          /^SetupError: encoder\("openai:tiny"\): the service at 127\.0\.0\.1:\d+ answered 401: .*no such key Bearer … *"?\}?\. Set MKGLAB_TEST_KEY to a key that it accepts/,
        );
        assert.not.match(text, new RegExp(key));
        assert.is(asked.length, 1);
      },
    );
  } finally {
    delete process.env.MKGLAB_TEST_KEY;
  }
});

test("replies that are not vectors, or of another number or length, are errors; redirects are not followed", async () => {
  const cases: [Answer, RegExp][] = [
    [(_, response) => answer(response, 200, "<html>"), /the service's reply is not 1 vectors/],
    [(_, response) => answer(response, 200, { data: [] }), /not 1 vectors/],
    [(_, response) => answer(response, 200, { data: [{ index: 0, embedding: [1, null] }] }), /not 1 vectors/],
    [(_, response) => answer(response, 200, { data: [{ index: 5, embedding: [1] }] }), /not 1 vectors/],
    [(_, response) => answer(response, 302, "", { location: "http://127.0.0.1:1/" }), /cannot be reached \(.*redirect/],
  ];
  for (const [reply, pattern] of cases)
    await service(reply, async (baseUrl) =>
      assert.match(await message(encoder("openai:tiny", { baseUrl, retries: 0 })), pattern),
    );
  await service(
    ({ body }, response, count) =>
      answer(response, 200, { data: body.input.map((_, index) => ({ index, embedding: count === 1 ? [1, 2] : [1] })) }),
    async (baseUrl) => {
      const e = await encoder("openai:tiny", { baseUrl });
      assert.match(await message(e.encode(["a"])), /a vector of another length \(1\)\. 2, as the first one had/);
    },
  );
});

test("a service that is not there is a set-up error with its address; an empty model name is refused", async () => {
  assert.match(
    await message(encoder("openai:tiny", { baseUrl: "http://127.0.0.1:9/v1", retries: 0 })),
    /^SetupError: encoder\("openai:tiny"\): the service at 127\.0\.0\.1:9 cannot be reached .* \(1 tries\)/,
  );
  assert.match(await message(encoder("openai:")), /unknown encoder \("openai:"\)/);
});

test.run();
