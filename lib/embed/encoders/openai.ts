import { setTimeout as wait } from "node:timers/promises";
import {
  errorText,
  integer,
  MkgError,
  type OptionSpecs,
  quote,
  SetupError,
  stableHash,
  textOption,
} from "../../core/index.js";
import type { Encoder } from "../types.js";

export const openaiOptions: OptionSpecs = {
  baseUrl: textOption({
    default: "https://api.openai.com/v1",
    doc: "where the service is: anything that speaks OpenAI's POST /embeddings",
  }),
  keyName: textOption({
    default: "OPENAI_API_KEY",
    doc: "the environment variable that holds the key; without one no key is sent",
  }),
  dimensions: integer({ min: 0, max: 65536, default: 0, doc: "length of vectors asked for; 0: the model's own" }),
  batch: integer({ min: 1, max: 2048, default: 64, doc: "texts a request" }),
  retries: integer({ min: 0, max: 20, default: 4, doc: "tries after the first, where the service is busy or fails" }),
};

interface OpenaiOptions {
  readonly baseUrl: string;
  readonly keyName: string;
  readonly dimensions: number;
  readonly batch: number;
  readonly retries: number;
}

/** Most bytes of a reply: 2,048 vectors of 4,096 numbers in text are about 200 MB. */
const mostBytes = 2 ** 28;
const secondsPerTry = 120;

/**
 * Embeddings of an OpenAI-compatible service (OpenAI, vLLM, llama.cpp, Ollama …). The key is read from the environment when a request is made and goes
 * nowhere else. A refused request is an error at once; one that meets a busy or failing service is repeated after 1, 2, 4 … seconds, or what the
 * service asks for. The revision is model, address and length: what a service changes behind a name is not seen.
 */
export async function openaiEncoder(name: string, given: Readonly<Record<string, unknown>>): Promise<Encoder<string>> {
  const place = `encoder(${quote(name)})`;
  const options = given as unknown as OpenaiOptions;
  const model = name.slice("openai:".length);
  if (model === "")
    throw new MkgError(place, "it names no model", "openai:MODEL", 'Such as encoder("openai:text-embedding-3-small")');
  const url = new URL(`${options.baseUrl.replace(/\/+$/, "")}/embeddings`);
  const first = await ask(place, url, model, options, ["a"]);
  const dim = (first[0] as readonly number[]).length;
  return Object.freeze({
    name,
    revision: stableHash([model, url.host, url.pathname, options.dimensions]),
    modality: "text" as const,
    dim,
    async encode(items: readonly string[]): Promise<Float32Array> {
      const out = new Float32Array(items.length * dim);
      items.forEach((item, i) => {
        if (typeof item !== "string")
          throw new MkgError(place, `item ${i} is not text (${quote(item)})`, "It encodes strings");
      });
      // services refuse empty texts; a zero row stands for them
      const said = [...items.keys()].filter((i) => (items[i] as string).trim() !== "");
      for (let at = 0; at < said.length; at += options.batch) {
        const part = said.slice(at, at + options.batch);
        const rows = await ask(
          place,
          url,
          model,
          options,
          part.map((i) => items[i] as string),
        );
        rows.forEach((row, j) => {
          if (row.length !== dim)
            throw new MkgError(place, `a vector of another length (${row.length})`, `${dim}, as the first one had`);
          const length = Math.hypot(...row) || 1;
          const to = (part[j] as number) * dim;
          for (let d = 0; d < dim; d++) out[to + d] = (row[d] as number) / length;
        });
      }
      return out;
    },
  });
}

async function ask(
  place: string,
  url: URL,
  model: string,
  { keyName, dimensions, retries }: OpenaiOptions,
  input: readonly string[],
): Promise<readonly (readonly number[])[]> {
  const key = process.env[keyName];
  const body = JSON.stringify({ model, input, encoding_format: "float", ...(dimensions > 0 ? { dimensions } : {}) });
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  for (let tried = 0; ; tried++) {
    let trouble: string;
    let pause = 2 ** tried;
    try {
      const reply = await fetch(url, {
        method: "POST",
        headers,
        body,
        redirect: "error",
        signal: AbortSignal.timeout(secondsPerTry * 1000),
      });
      const text = await bounded(place, reply);
      if (reply.ok) return vectorsOf(place, text, input.length);
      trouble = `the service at ${url.host} answered ${reply.status}: ${clean(text, key)}`;
      if (reply.status !== 429 && reply.status < 500)
        throw new SetupError(
          place,
          trouble,
          "",
          reply.status === 401 || reply.status === 403
            ? `Set ${keyName} to a key that it accepts`
            : "Look at model and address",
        );
      const asked = Number(reply.headers.get("retry-after"));
      if (Number.isFinite(asked) && asked > 0) pause = Math.min(asked, 60);
    } catch (error) {
      if (error instanceof MkgError) throw error;
      const { cause } = error as { cause?: unknown };
      trouble = `the service at ${url.host} cannot be reached (${clean(errorText(cause ?? error), key)})`;
    }
    if (tried >= retries)
      throw new SetupError(place, `${trouble} (${tried + 1} tries)`, "", "Try again later, or look at the address");
    await wait(pause * 1000);
  }
}

/** What a service says, in one short line, without the key should it repeat it. */
const clean = (text: string, key: string | undefined): string => {
  const line = text.replace(/\s+/g, " ");
  return (key ? line.replaceAll(key, "…") : line).slice(0, 200);
};

async function bounded(place: string, reply: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > mostBytes)
      throw new MkgError(place, `the reply is longer than ${mostBytes} bytes`, "", "Make `batch` smaller");
    parts.push(chunk as Uint8Array);
  }
  return Buffer.concat(parts).toString("utf8");
}

function vectorsOf(place: string, text: string, wanted: number): number[][] {
  let data: unknown;
  try {
    ({ data } = JSON.parse(text) as { data?: unknown });
  } catch {
    // said below
  }
  const rows = new Array<number[]>(wanted);
  for (const one of Array.isArray(data) ? data : []) {
    const { index, embedding } = (one ?? {}) as { index?: number; embedding?: number[] };
    if (
      Number.isSafeInteger(index) &&
      Array.isArray(embedding) &&
      embedding.length > 0 &&
      embedding.every(Number.isFinite)
    )
      if ((index as number) >= 0 && (index as number) < wanted) rows[index as number] = embedding;
  }
  if (rows.filter((row) => row !== undefined).length !== wanted)
    throw new MkgError(
      place,
      `the service's reply is not ${wanted} vectors (${quote(text.slice(0, 100))})`,
      "{ data: [{ index, embedding }] }",
      "Look whether it speaks OpenAI's protocol",
    );
  return rows;
}
