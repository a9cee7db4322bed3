import { createReadStream } from "node:fs";
import { MkgError } from "./errors.js";

/**
 * The lines of a UTF-8 text file in batches, in order, with the number (from 1) of each batch's first line; a BOM and
 * carriage returns are dropped. One block of the file in memory at a time; an order of magnitude faster than `readline`.
 */
async function* lineBatches(
  path: string,
  place: string,
  maxLine: number,
): AsyncGenerator<{ lines: string[]; first: number }> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  let first = 1;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new MkgError(
        place,
        `the file is not UTF-8 text (${path}, after line ${first})`,
        "UTF-8",
        "Convert it, for example with iconv",
      );
    }
  };
  const split = (text: string): string[] => {
    const lines = text.split("\n");
    rest = lines.pop() as string;
    if (rest.length > maxLine)
      throw new MkgError(
        place,
        `${path}, line ${first + lines.length}: longer than ${maxLine} characters`,
        "Text, one record a line",
      );
    return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 18 })) {
      const lines = split(rest + decode(chunk as Uint8Array));
      yield { lines, first };
      first += lines.length;
    }
    const lines = split(rest + decode());
    yield { lines: [...lines, rest], first };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (error instanceof MkgError || code === undefined) throw error;
    throw new MkgError(place, `cannot read the file (${path})`, "", readingTrouble(code));
  }
}

const troubles: Readonly<Record<string, string>> = {
  ENOENT: "There is no such file; check the path",
  ENOTDIR: "A part of the path is a file, not a folder; check the path",
  EISDIR: "It is a folder; give a file",
  EACCES: "Reading is not permitted; check the modes of the file and of the folders above it",
  EPERM: "Reading is not permitted; check the modes of the file and of the folders above it",
  ELOOP: "Its symbolic links lead in a circle; mend them",
  ENAMETOOLONG: "The name is longer than the file system allows; check the path",
  EMFILE: "Too many files are open; close some, or raise the limit (ulimit -n)",
};

/** What to do about a system's error code on reading. */
export const readingTrouble = (code: string): string =>
  troubles[code] ?? `The system says ${code}; check the path and the disk`;

/** Calls `onLine` for every line that is not blank, with its number from 1; lines hold at most a mebibyte of characters. */
export async function eachLine(
  path: string,
  place: string,
  onLine: (text: string, line: number) => void,
): Promise<void> {
  for await (const { lines, first } of lineBatches(path, place, 2 ** 20))
    for (let i = 0; i < lines.length; i++) if ((lines[i] as string).trim()) onLine(lines[i] as string, first + i);
}

/**
 * Streams the records of a JSON-lines file with their line numbers; blank lines are skipped. A line that is not JSON is an error that names it, or goes
 * to `onBadLine`, where that is given. `parse` reads one line; default JSON.parse, right for files that this library wrote.
 */
export async function* readJsonl<T>(
  path: string,
  place = "readJsonl",
  onBadLine?: (line: number, error: MkgError) => void,
  parse: (text: string, path: string, line: number, place: string) => unknown = parseJsonLine,
): AsyncGenerator<{ record: T; line: number }> {
  for await (const { lines, first } of lineBatches(path, place, 2 ** 28))
    for (let i = 0; i < lines.length; i++) {
      if (!(lines[i] as string).trim()) continue;
      let record: T;
      try {
        record = parse(lines[i] as string, path, first + i, place) as T;
      } catch (error) {
        if (!onBadLine) throw error;
        onBadLine(first + i, error as MkgError);
        continue;
      }
      yield { record, line: first + i };
    }
}

export function parseJsonLine<T>(text: string, path: string, line: number, place = "readJsonl"): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new MkgError(
      place,
      `${path}, line ${line}: not JSON (${(error as Error).message})`,
      "One JSON value a line",
      "Mend or remove that line",
    );
  }
}
