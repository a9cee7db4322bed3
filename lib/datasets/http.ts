import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";
import { pipeline, type Readable } from "node:stream";
import tls from "node:tls";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { MkgError } from "../core/index.js";

export interface GetOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Silence on the connection, from its opening to the last byte, after which it is given up; milliseconds. */
  readonly timeoutMs: number;
  readonly maxRedirects?: number;
  /** The proxy for an address, as an address of its own; undefined: none. */
  readonly proxy?: ((url: URL) => string | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decoded; errors when the connection breaks before the end. */
  readonly body: Readable;
  /** Whether `body` is what the server counts in, so that a range of it can be asked for. */
  readonly plain: boolean;
  /** After redirects. */
  readonly url: URL;
  /** Gives the connection up without reading the rest. */
  discard(): void;
}

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * One GET over http or https, redirects followed, through a proxy where one is given. Node's own client and not its `fetch`, which knows neither proxies
 * nor the size of what a coded answer was on the wire.
 */
export async function get(place: string, from: URL, options: GetOptions): Promise<Got> {
  const { maxRedirects = 5 } = options;
  let url = from;
  for (let hop = 0; ; hop++) {
    const answer = await ask(url, options);
    const { statusCode: status = 0, headers } = answer;
    const location = headers.location;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return got(place, url, answer);
    answer.destroy();
    if (hop >= maxRedirects)
      throw new MkgError(place, `more than ${maxRedirects} redirects (${from.origin}${from.pathname})`);
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (!next || !/^https?:$/.test(next.protocol) || (url.protocol === "https:" && next.protocol !== "https:"))
      throw new MkgError(
        place,
        `a redirect that is not followed (${url.origin} to ${next?.protocol ?? "no address"}${next ? `//${next.host}` : ""})`,
        "From https to https, from http to http or https",
      );
    url = next;
  }
}

function got(place: string, url: URL, answer: IncomingMessage): Got {
  const codings = [answer.headers["content-encoding"], answer.headers["transfer-encoding"]]
    .flatMap((header) => (header ?? "").toLowerCase().split(","))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity" && coding !== "chunked");
  let body: Readable = answer;
  for (const coding of codings.reverse()) {
    const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (!decoder) {
      answer.destroy();
      throw new MkgError(
        place,
        `an answer in a coding that is not read here (${coding})`,
        Object.keys(decoders).join(", "),
      );
    }
    // the error reaches whoever reads the last stream
    body = pipeline(body, decoder(), () => {}) as unknown as Readable;
  }
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body,
    plain: codings.length === 0,
    url,
    discard: () => void answer.destroy(),
  };
}

async function ask(url: URL, { headers, timeoutMs, proxy, signal }: GetOptions): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  // a connection of its own for each: one left open would keep a program from ending
  const common = { headers, agent: false as const, ...(signal ? { signal } : {}) };
  const via = proxy?.(url);
  if (via === undefined)
    return answered(url.protocol === "https:" ? https.get(url, common) : http.get(url, common), timeoutMs);
  const at = new URL(via);
  const auth: Record<string, string> =
    at.username === ""
      ? {}
      : {
          "proxy-authorization": `Basic ${Buffer.from(`${decodeURIComponent(at.username)}:${decodeURIComponent(at.password)}`).toString("base64")}`,
        };
  const client = at.protocol === "https:" ? https : http;
  const server = { host: at.hostname.replace(/^\[|\]$/g, ""), port: at.port || (at.protocol === "https:" ? 443 : 80) };
  if (url.protocol === "http:")
    return answered(
      client.get({ ...common, ...server, path: url.href, headers: { ...headers, ...auth, host: url.host } }),
      timeoutMs,
    );
  const target = `${url.hostname}:${url.port || 443}`;
  const tunnel = client.request({
    ...common,
    ...server,
    method: "CONNECT",
    path: target,
    headers: { ...auth, host: target },
  });
  const socket = await new Promise<import("node:net").Socket>((resolve, reject) => {
    tunnel.on("connect", (answer, opened) => {
      if (answer.statusCode === 200) return resolve(opened as import("node:net").Socket);
      opened.destroy();
      reject(Object.assign(new Error(`the proxy answered ${answer.statusCode}`), { code: "EPROXY" }));
    });
    tunnel.on("error", reject);
    tunnel.setTimeout(timeoutMs, () => tunnel.destroy(silence(timeoutMs)));
    tunnel.end();
  });
  const createConnection = () => tls.connect({ socket, servername: url.hostname });
  return answered(https.get(url, { ...common, createConnection }), timeoutMs);
}

const silence = (timeoutMs: number): Error =>
  Object.assign(new Error(`nothing came for ${timeoutMs / 1000} s`), { code: "ETIMEDOUT" });

function answered(request: http.ClientRequest, timeoutMs: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    request.setTimeout(timeoutMs, () => {
      const error = silence(timeoutMs);
      answer?.destroy(error);
      request.destroy(error);
    });
    request.on("error", reject);
    request.on("response", (response) => {
      answer = response;
      resolve(response);
    });
  });
}
