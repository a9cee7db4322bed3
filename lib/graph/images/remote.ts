import { access } from "node:fs/promises";
import { join } from "node:path";
import {
  errorText,
  MkgError,
  positiveInteger,
  quote,
  refuseUnknown,
  SetupError,
  sha256,
  writeAtomic,
} from "../../core/index.js";
import { maxImageBytes, readPicture, tooLarge } from "./bytes.js";
import { imageFormat } from "./format.js";

/** Brings the bytes behind an address; what it returns is checked like everything else. */
export type Fetcher = (
  address: string,
  request: { readonly signal: AbortSignal; readonly maxBytes: number },
) => Promise<Uint8Array>;

/** How pictures at remote addresses may be fetched. */
export interface FetchOptions {
  /** For one picture from the first byte sent to the last received; milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  /** Default 5; each must lead to http or https, from https to https. */
  readonly maxRedirects?: number;
  /** Folder that keeps what was fetched, by a hash of the address: fetched once, the same ever after. Default: none, fetched at each reading. */
  readonly cache?: string;
  /** Instead of Node's own fetch: a proxy, an archive, an allow-list of hosts. */
  readonly fetcher?: Fetcher;
  readonly signal?: AbortSignal;
}

const keys = ["timeoutMs", "maxRedirects", "cache", "fetcher", "signal"];

/** The options behind `fetch: true | fetcher | {…}`, checked; undefined when nothing may be fetched. */
export function fetchOptions(place: string, given: unknown): FetchOptions | undefined {
  if (given === undefined || given === false) return undefined;
  if (given === true) return {};
  if (typeof given === "function") return { fetcher: given as Fetcher };
  refuseUnknown(place, given, keys, "option of fetch");
  const options = given as FetchOptions;
  if (options.timeoutMs !== undefined) positiveInteger(place, "fetch.timeoutMs", options.timeoutMs);
  const { maxRedirects = 0, fetcher } = options;
  if (!Number.isSafeInteger(maxRedirects) || maxRedirects < 0)
    throw new MkgError(place, `fetch.maxRedirects is not an integer ≥ 0 (${quote(maxRedirects)})`);
  if (fetcher !== undefined && typeof fetcher !== "function")
    throw new MkgError(place, `fetch.fetcher is not a function (${quote(fetcher)})`);
  return options;
}

/** An http(s) address, checked, and as it may be shown: without the query, which may hold a token. */
export function remoteAddress(place: string, reference: string): { readonly url: URL; readonly shown: string } {
  let url: URL;
  try {
    url = new URL(reference);
  } catch {
    throw new MkgError(place, `not an address (${quote(reference)})`, "http://host/path or https://host/path");
  }
  const shown = `${url.origin}${url.pathname}`;
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new MkgError(place, `an address that is not fetched (${quote(reference)})`, "http and https");
  if (url.username !== "" || url.password !== "")
    throw new MkgError(
      place,
      `an address with a user name or password (${shown})`,
      "",
      "Give it by a fetcher's headers",
    );
  return { url, shown };
}

/** Reads a remote picture, or says how to allow it. */
export async function readRemote(
  place: string,
  reference: string,
  options: FetchOptions | undefined,
  maxBytes: number = maxImageBytes,
): Promise<Uint8Array> {
  const { url, shown } = remoteAddress(place, reference);
  if (!options)
    throw new SetupError(
      place,
      `a picture at a remote address is not fetched unless asked (${shown})`,
      "",
      "Load with { fetch: true }, or download it and give the file's path",
    );
  const stored = options.cache === undefined ? undefined : join(options.cache, sha256(reference));
  if (stored && (await exists(stored)))
    return readPicture(place, stored, { shown: `${shown}, kept in ${stored}`, maxBytes });
  const { timeoutMs = 30_000, signal } = options;
  // AbortSignal.timeout would let the program end before it has its say
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const both = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  let bytes: Uint8Array;
  try {
    both.throwIfAborted();
    const work = options.fetcher
      ? Promise.resolve(options.fetcher(reference, { signal: both, maxBytes }))
      : download(place, url, shown, { signal: both, maxBytes, maxRedirects: options.maxRedirects ?? 5 });
    bytes = await Promise.race([work, aborted(both)]);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof MkgError) throw error;
    if (late.signal.aborted)
      throw new MkgError(
        place,
        `the picture did not arrive in ${timeoutMs} ms (${shown})`,
        "",
        "Try again, raise fetch.timeoutMs, or download it",
      );
    const { cause } = error as Error;
    throw new MkgError(
      place,
      `cannot fetch the picture (${shown}: ${errorText(cause ?? error)})`,
      "",
      "Check the address and the network, or download it and give the file's path",
    );
  } finally {
    clearTimeout(timer);
  }
  if (!(bytes instanceof Uint8Array))
    throw new MkgError(place, `the fetcher returned no bytes (${shown}: ${quote(bytes)})`, "A Uint8Array");
  if (bytes.length > maxBytes) throw tooLarge(place, shown, bytes.length, maxBytes);
  if (!imageFormat(bytes)) throw notPicture(place, shown, bytes);
  if (stored) await writeAtomic(stored, bytes);
  return new Uint8Array(bytes);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Rejects when the signal aborts: a fetcher may not listen to it. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

const notPicture = (place: string, shown: string, bytes: Uint8Array): MkgError =>
  new MkgError(
    place,
    `what came is not a picture (${shown}: ${bytes.length} bytes beginning ${quote(new TextDecoder("latin1").decode(bytes.subarray(0, 24)))})`,
    "PNG, JPEG, WebP, GIF, TIFF, AVIF, SVG",
    "Open the address in a browser: it may be a page about the picture",
  );

async function download(
  place: string,
  first: URL,
  shown: string,
  limits: { readonly signal: AbortSignal; readonly maxBytes: number; readonly maxRedirects: number },
): Promise<Uint8Array> {
  const { signal, maxBytes, maxRedirects } = limits;
  let url = first;
  for (let hop = 0; ; hop++) {
    const response = await fetch(url, {
      redirect: "manual",
      signal,
      headers: { accept: "image/*", "accept-encoding": "identity" },
    });
    const location = response.headers.get("location");
    if (location !== null && [301, 302, 303, 307, 308].includes(response.status)) {
      await response.body?.cancel();
      if (hop >= maxRedirects)
        throw new MkgError(
          place,
          `too many redirects (${shown}: ${hop + 1})`,
          `At most ${maxRedirects}`,
          "Give the address where the picture is",
        );
      if (!URL.canParse(location, url.href))
        throw new MkgError(place, `a redirect to no address (${shown}: ${quote(location)})`);
      const next = remoteAddress(place, new URL(location, url).href).url;
      if (url.protocol === "https:" && next.protocol !== "https:")
        throw new MkgError(
          place,
          `a redirect that is not followed (${shown} to ${next.origin})`,
          "From https to https, from http to http or https",
          "Give the address where the picture is",
        );
      url = next;
      continue;
    }
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      throw new MkgError(place, `the server answered ${response.status} (${shown})`, "200", "Check the address");
    }
    const declared = response.headers.get("content-length");
    const parts: Uint8Array[] = [];
    let size = 0;
    // leaving the loop cancels the body
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > maxBytes || Number(declared) > maxBytes)
        throw tooLarge(place, shown, Math.max(size, Number(declared)), maxBytes);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}
