import { createHash } from "node:crypto";
import { lstat, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  errorText,
  MkgError,
  makeFolder,
  openFile,
  readingError,
  readText,
  SetupError,
  writeAtomic,
  writingError,
} from "../core/index.js";
import { type Got, get } from "./http.js";

/** One file to fetch: from where, to where, and what it must be. */
export interface Download {
  readonly place: string;
  readonly url: URL;
  readonly path: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxBytes: number;
  readonly proxy: ((url: URL) => string | undefined) | undefined;
  readonly signal: AbortSignal | undefined;
  /** What to do where there is no connection. */
  help(): string;
}

export interface Downloaded {
  readonly bytes: number;
  readonly sha256: string;
  readonly resumedFrom: number;
}

/** What is known of a `.part` file: where it comes from, and by what the server tells that its file is still the same. */
interface Note {
  readonly url: string;
  readonly validator: string;
}

/** Hears how many bytes there are, and whether an earlier fetch left them. */
type Count = (size: number, stored: boolean) => void;

/** Something that may work if tried again; what has come stays. */
class Broken extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** Bytes of the file that are there after this try; 0 when nothing can be gone on from. */
    readonly reached: number,
  ) {
    super(message);
  }
}

/** The `.part` file is of no use: begin anew. */
class Stale extends Error {}

/** Brings one file to its place, or throws and leaves at most `<path>.part` and `<path>.part.json`. Only one process at a time. */
export async function download(job: Download, count: Count): Promise<Downloaded> {
  const { place, path } = job;
  await local(place, dirname(path), makeFolder(dirname(path)));
  for (const own of ["part", "part.json", "part.lock"]) await refuseLink(job, `${path}.${own}`);
  const unlock = await locked(job);
  try {
    return await persist(job, count);
  } finally {
    await unlock();
  }
}

async function persist(job: Download, count: Count): Promise<Downloaded> {
  let failures = 0;
  let furthest = 0;
  let anew = 0;
  for (;;) {
    try {
      return await once(job, count);
    } catch (error) {
      job.signal?.throwIfAborted();
      if (error instanceof Stale && anew++ < 2) {
        await forget(job);
        continue;
      }
      if (error instanceof MkgError) throw error;
      const { code = "", path } = error as NodeJS.ErrnoException;
      // of the errors of the system those with a path are of this machine, not of the connection
      if (path !== undefined) throw writingError(job.place, path, error);
      if (!(error instanceof Broken)) throw await unreachable(job, error as Error, code);
      // a server that begins anew each time and never comes further is given up, one that goes on is not
      failures = error.reached > furthest ? 1 : failures + 1;
      furthest = Math.max(furthest, error.reached);
      if (failures > job.retries) throw await unreachable(job, error, code);
      // longer each time, at most 8 s: a server that is busy gets air, a short gap in the net costs little
      await wait(Math.min(8000, 250 * 2 ** failures), undefined, job.signal ? { signal: job.signal } : {}).catch(
        (stopped) => {
          job.signal?.throwIfAborted();
          throw stopped;
        },
      );
    }
  }
}

async function once(job: Download, count: Count): Promise<Downloaded> {
  const part = `${job.path}.part`;
  const { have, validator } = await resumable(job);
  let resumedFrom = have;
  let type = "";
  if (have > 0) count(have, true);
  if (have === 0 || have !== job.bytes) {
    const { got, total } = await ask(job, have, validator);
    if (got.status !== 206) resumedFrom = 0;
    type = got.headers["content-type"] ?? "";
    await receive(job, got, resumedFrom, total, count);
  }
  const { bytes, sha256 } = await fileHash(job.place, part);
  const wrong =
    job.bytes !== null && bytes !== job.bytes
      ? `the file has another size than the published one (${bytes} bytes instead of ${job.bytes})`
      : job.sha256 !== null && sha256 !== job.sha256
        ? `the file is not the published one (SHA-256 ${sha256} instead of ${job.sha256})`
        : job.sha256 === null
          ? await stranger(job, part, bytes, type)
          : undefined;
  if (wrong) {
    // what was put together from two answers may be of two versions
    if (resumedFrom > 0) throw new Stale(wrong);
    await forget(job);
    throw new MkgError(
      job.place,
      wrong,
      "Nothing was kept",
      "Try again; if it stays so, upstream or the mirror has changed: fetch it by hand at the commit in data/manifest.json",
    );
  }
  await rename(part, job.path);
  await rm(`${part}.json`, { force: true });
  return { bytes, sha256, resumedFrom };
}

/** How much of the file is here and may be gone on from. */
async function resumable(job: Download): Promise<{ have: number; validator: string }> {
  const none = { have: 0, validator: "" };
  const size = (await stat(`${job.path}.part`).catch(() => undefined))?.size ?? 0;
  if (size === 0 || (job.bytes !== null && size > job.bytes)) return none;
  let note: Partial<Note> = {};
  try {
    note = JSON.parse(await readText(`${job.path}.part.json`, { maxBytes: 2 ** 16 })) as Partial<Note>;
  } catch {
    // without a note nobody knows what the part is of
  }
  if (typeof note?.validator !== "string") return none;
  const validator = note.url === job.url.href ? note.validator : "";
  // without a validator, or from another mirror, the sum at the end says whether it was the same file
  return validator !== "" || job.sha256 !== null ? { have: size, validator } : none;
}

/** The answer, and of a part the size of the whole where it says. */
async function ask(job: Download, have: number, validator: string): Promise<{ got: Got; total: number | undefined }> {
  const headers: Record<string, string> = { "accept-encoding": "identity", "user-agent": "mkglab" };
  if (have > 0) headers.range = `bytes=${have}-`;
  if (have > 0 && validator !== "") headers["if-range"] = validator;
  let got: Got;
  try {
    got = await get(job.place, job.url, { ...job, headers });
  } catch (error) {
    throw breaks(error, 0);
  }
  const { status } = got;
  if (status === 200) return { got, total: undefined };
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(got.headers["content-range"] ?? "");
  if (status === 206 && got.plain && range && Number(range[1]) === have) {
    const total = range[3] === "*" ? undefined : Number(range[3]);
    // where nobody knows the size of the whole, a part of it would pass for it
    const isOther = total === undefined ? job.bytes === null : job.bytes !== null && total !== job.bytes;
    if (!isOther && !changed(got, validator)) return { got, total };
  }
  got.discard();
  if (have > 0 && (status === 206 || status === 416)) throw new Stale("the range does not fit");
  const where = `${got.url.origin}${got.url.pathname}`;
  if (status === 429 || status >= 500) throw new Broken(`${where} answered ${status}`, `HTTP ${status}`, 0);
  throw new MkgError(
    job.place,
    `the server answered ${status} (${where})`,
    "200 with the file",
    status === 404 || status === 410
      ? "The file is not there: upstream or the mirror has moved it; data/manifest.json names the repository"
      : status === 401 || status === 403 || status === 407
        ? "Access is refused: fetch the file by hand where you have access"
        : "Fetch the file by hand",
  );
}

/** Whether the answer is of another version than the part: a server that overlooks If-Range still says which it sends. */
const changed = ({ headers }: Got, validator: string): boolean =>
  validator.startsWith('"')
    ? headers.etag !== undefined && headers.etag !== validator
    : validator !== "" && headers["last-modified"] !== undefined && headers["last-modified"] !== validator;

/** Writes the answer's body to the `.part` file, from `start` on. `total`: bytes of the whole file, where the answer says. */
async function receive(job: Download, got: Got, start: number, total: number | undefined, count: Count): Promise<void> {
  const part = `${job.path}.part`;
  const { headers } = got;
  const length = got.plain && headers["content-length"] !== undefined ? Number(headers["content-length"]) : undefined;
  const most = job.bytes ?? job.maxBytes;
  if (length !== undefined && (start + length > most || (job.bytes !== null && start + length !== job.bytes))) {
    got.discard();
    if (start > 0) throw new Stale("the rest has another size");
    await forget(job);
    throw wrongSize(job, start + length);
  }
  // a decoded body cannot be gone on from: the server counts coded bytes
  const validator = strong(headers.etag) ?? headers["last-modified"] ?? "";
  if (got.plain) await writeAtomic(`${part}.json`, `${JSON.stringify({ url: job.url.href, validator })}\n`);
  else await rm(`${part}.json`, { force: true });
  const file = await local(job.place, part, open(part, start > 0 ? "r+" : "w")).catch((error) => {
    got.discard();
    throw error;
  });
  let size = start;
  try {
    await local(job.place, part, file.truncate(start));
    for await (const chunk of got.body as AsyncIterable<Uint8Array>) {
      if (size + chunk.length > most) {
        await forget(job);
        throw wrongSize(job, size + chunk.length);
      }
      await local(job.place, part, file.write(chunk, 0, chunk.length, size));
      size += chunk.length;
      count(size, false);
    }
    await local(job.place, part, file.sync());
  } catch (error) {
    got.discard();
    throw error instanceof MkgError ? error : breaks(error, got.plain ? size : 0);
  } finally {
    await file.close();
  }
  const whole = length === undefined ? total : Math.max(start + length, total ?? 0);
  if (whole !== undefined && size < whole) throw new Broken("the connection ended early", "EARLY", size);
  if (whole !== undefined && size > whole) throw new Stale("more came than the whole");
  // without a length the end of the answer is the end of the connection, whatever ended it
  if (whole === undefined && got.plain && job.bytes !== null && size < job.bytes)
    throw new Broken("the connection ended early", "EARLY", size);
  if (whole === undefined && got.plain && job.sha256 === null && !/chunked/i.test(headers["transfer-encoding"] ?? "")) {
    await forget(job);
    throw new MkgError(
      job.place,
      `the server does not say how long the file is (${job.url.host})`,
      "A length, or a published SHA-256 to compare with: else a file that was cut off would pass as whole",
      "Fetch the file by hand",
    );
  }
}

const strong = (etag: string | undefined): string | undefined => (etag && !/^W\//i.test(etag) ? etag : undefined);

const wrongSize = (job: Download, size: number): MkgError =>
  new MkgError(
    job.place,
    job.bytes === null
      ? `the file is too large (${size} bytes or more)`
      : `the file has another size than the published one (${size} bytes or more instead of ${job.bytes})`,
    job.bytes === null ? `At most ${job.maxBytes} bytes` : "Nothing was kept",
    job.bytes === null
      ? "Give a larger maxBytes if it is right"
      : "Upstream or the mirror has changed: fetch it by hand at the commit in data/manifest.json",
  );

/** A page or a pointer where a file should be: what proxies, log-ins and large-file stores answer with 200. */
async function stranger(job: Download, part: string, bytes: number, type: string): Promise<string | undefined> {
  if (bytes === 0) return "nothing came: the file is empty";
  const name = job.path.toLowerCase();
  const isJson = /json[a-z]*(\.gz)?$/.test(name);
  if (/^(text\/html|application\/xhtml\+xml)\b/i.test(type) && !/\.x?html?$/.test(name))
    return "a web page came instead of the file";
  if (/^application\/([\w.-]+\+)?json\b/i.test(type) && !isJson) return "a JSON answer came instead of the file";
  const file = await open(part, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2048), 0, 2048, 0);
    const start = buffer
      .subarray(0, bytesRead)
      .toString("utf8")
      .replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, "");
    if (/^<(!doctype html|html)/i.test(start)) return "a web page came instead of the file";
    if (!isJson && /^\{\s*"(errors?|message)"\s*:/.test(start)) return "an error in JSON came instead of the file";
    if (start.startsWith("version https://git-lfs.github.com/spec/"))
      return "a pointer to a large file (Git LFS) came instead of the file";
    return undefined;
  } finally {
    await file.close();
  }
}

const tried = new Set(
  "ECONNRESET EPIPE ETIMEDOUT ECONNABORTED EAI_AGAIN ERR_STREAM_PREMATURE_CLOSE Z_BUF_ERROR ERR_HTTP2_STREAM_ERROR".split(
    " ",
  ),
);

/** Errors of the connection that a second try may mend. */
function breaks(error: unknown, reached: number): unknown {
  const { code = "", name = "" } = error as NodeJS.ErrnoException;
  if (error instanceof MkgError || name === "AbortError") return error;
  return tried.has(code) || code.startsWith("HPE_") ? new Broken(errorText(error), code, reached) : error;
}

async function unreachable(job: Download, error: Error, code: string): Promise<MkgError> {
  const kept = (await stat(`${job.path}.part`).catch(() => undefined))?.size ?? 0;
  const again = kept > 0 ? `${kept} bytes are kept: the same command goes on from there. ` : "";
  return new SetupError(
    job.place,
    `no answer that helps from ${job.url.host} (${[code, errorText(error)].filter(Boolean).join(": ")})`,
    "It needs a connection to that host; proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY on the command line",
    `${again}${job.help()}`,
  );
}

/** Work on this machine's files; what the system refuses is told as that, not as a fault of the connection. */
const local = <T>(place: string, path: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw writingError(place, path, error);
  });

/** Keeps other fetches off the file until the function it returns is called; a lock that a process left when it died is taken over. */
async function locked(job: Download): Promise<() => Promise<void>> {
  const lock = `${job.path}.part.lock`;
  let holder = 0;
  for (let tries = 0; tries < 8; tries++) {
    try {
      await writeFile(lock, `${process.pid}`, { flag: "wx" });
      return () => rm(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw writingError(job.place, lock, error);
    }
    holder = Number(await readFile(lock, "utf8").catch(() => "")) || 0;
    if (holder > 0 && lives(holder)) break;
    // one that has just begun has not written its number yet
    if (holder > 0 || tries > 4) await rm(lock, { force: true });
    else await wait(50);
  }
  throw new MkgError(
    job.place,
    `it is being fetched already (${job.path}, by process ${holder || "unknown"})`,
    "One fetch at a time",
    `Wait for it; if there is none, delete ${lock}`,
  );
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function refuseLink(job: Download, part: string): Promise<void> {
  const info = await lstat(part).catch(() => undefined);
  if (info && !info.isFile()) throw new MkgError(job.place, `not a file (${part})`, "", "Move it away");
}

async function forget(job: Download): Promise<void> {
  await rm(`${job.path}.part`, { force: true });
  await rm(`${job.path}.part.json`, { force: true });
}

/** Size and SHA-256 of a file, read in blocks. */
export async function fileHash(
  place: string,
  path: string,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await openFile(place, path);
  try {
    for await (const chunk of file.createReadStream({ highWaterMark: 2 ** 18 })) {
      hash.update(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
    }
  } catch (error) {
    throw readingError(place, path, error);
  }
  return { bytes, sha256: hash.digest("hex") };
}
