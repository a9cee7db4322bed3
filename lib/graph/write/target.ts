import { readdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { byCodeUnit, MkgError, nearest, quote, unknownName } from "../../core/index.js";
import type { TableFormat } from "../formats/format.js";
import { formatNamed, splitName, tableFormats } from "../formats/table.js";

/** Where a graph is written to and how. */
export interface Destination {
  /** The format's first extension. */
  readonly name: string;
  readonly format: TableFormat & Required<Pick<TableFormat, "encode">>;
  readonly gzip: boolean;
  readonly folder: string;
  /** The single file, without `.gz`; undefined where each table gets its own. */
  readonly file: string | undefined;
}

/** Format and place from the target's name and the option `format`, or an error that says what does not fit. */
export async function destination(place: string, target: unknown, asked: unknown): Promise<Destination> {
  if (typeof target !== "string" || target === "" || target.includes("\0"))
    throw new MkgError(place, `target is not a path (${quote(target)})`, "A folder or a file", "Give one");
  const isFolder = /[/\\]$/.test(target) || ((await stat(target).catch(() => undefined))?.isDirectory() ?? false);
  const named = isFolder ? undefined : writing(target);
  if (!isFolder && !named && asked === undefined) refuseExtension(place, target);
  const wanted = asked === undefined ? (named ?? writing(".tsv")) : typeof asked === "string" && writing(`.${asked}`);
  if (!wanted) throw unknownName(place, "format", asked, writtenFormats());
  if (!named) {
    await refuseOthers(place, target, wanted);
    return { ...wanted, folder: target, file: undefined };
  }
  if (named.name !== wanted.name || named.gzip !== wanted.gzip)
    throw new MkgError(
      place,
      `the target's name and the format differ (${quote(target)}, ${quote(asked)})`,
      "One of them",
      "Leave out { format }, or give a folder",
    );
  if ((named.format.holds ?? "one") === "one")
    throw new MkgError(
      place,
      `a file of ${named.name} holds one table, and a graph is two (${quote(target)})`,
      `Both in one file: ${writtenFormats()
        .filter((name) => writing(`.${name}`)?.format.holds)
        .join(", ")}`,
      "Give a folder",
    );
  return { ...named, folder: dirname(target), file: basename(target).replace(/\.gz$/i, "") };
}

/** Refuses a name that is that of a file, and of none that is written: it would become a folder. A version such as `.v2` makes no file. */
function refuseExtension(place: string, target: string): void {
  const { extension } = splitName(`x${basename(target)}`);
  const known = formatNamed(extension);
  if (!known && !/^(?!v\d)[a-z]\w*$/.test(extension)) return;
  const written = writtenFormats();
  const meant = nearest(extension, written);
  throw new MkgError(
    place,
    known?.encode
      ? `${extension} is not written compressed (${quote(target)})`
      : known
        ? `${extension} is read, not written (${quote(target)})`
        : `the format of the file is not one that is written here (${quote(target)})`,
    `Formats: ${written.join(", ")}`,
    `${meant !== undefined && !known ? `Did you mean .${meant}? ` : ""}For a folder of that name end it with /`,
  );
}

type Writing = Pick<Destination, "name" | "format" | "gzip">;

/** How a file of this name is written, if its extension says so. */
function writing(path: string): Writing | undefined {
  const gzip = /\.gz$/i.test(path);
  // a stem, since a name that is an extension alone has none
  const format = formatNamed(splitName(`x${basename(path)}`).extension);
  if (!format?.encode || (gzip && !format.text)) return undefined;
  return { name: format.extensions[0]!, format: format as Destination["format"], gzip };
}

const writtenFormats = (): string[] =>
  [...new Set(tableFormats().map((name) => writing(`.${name}`)?.name))].flatMap((name) =>
    name === undefined ? [] : writing(`.${name}.gz`) ? [name, `${name}.gz`] : [name],
  );

/** A folder with other tables of the same parts could not be read back: which of them are meant? */
async function refuseOthers(place: string, folder: string, { name, format, gzip }: Writing): Promise<void> {
  const end = `.${name}${gzip ? ".gz" : ""}`;
  const own = format.holds === "all" ? [`triples${end}`] : [`entities${end}`, `triples${end}`];
  const others = (await readdir(folder).catch((): string[] => [])).filter((file) => {
    const { stem, extension } = splitName(file);
    return ["entities", "triples"].includes(stem) && formatNamed(extension) && !own.includes(file);
  });
  if (others.length > 0)
    throw new MkgError(
      place,
      `the folder holds other tables, which would be read with these (${folder}: ${others.sort(byCodeUnit).join(", ")})`,
      `Files written: ${own.join(", ")}`,
      "Remove them, or choose another folder",
    );
}
