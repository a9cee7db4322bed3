import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { MkgError } from "../../core/index.js";

/** Most bytes of one encoded picture, wherever it comes from, unless more are allowed: 64 MiB. */
export const maxImageBytes = 64 * 2 ** 20;

/** The error for a picture above the bound. */
export const tooLarge = (place: string, shown: string, size: number | string, maxBytes: number): MkgError =>
  new MkgError(
    place,
    `the picture is too large (${shown}: ${size} bytes)`,
    `At most ${maxBytes} bytes`,
    "Make it smaller, or raise maxBytes",
  );

// neither waits for a writer at a named pipe nor follows a link put there after the path was checked
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const noLinks = constants.O_NOFOLLOW ?? 0;

/**
 * The bytes of one ordinary file, of at most `maxBytes`. What is missing, no file, too large, or grows while it is read is an error that
 * names it as `shown`.
 */
export async function readPicture(
  place: string,
  path: string,
  options: { readonly shown?: string; readonly maxBytes?: number; readonly followLinks?: boolean } = {},
): Promise<Uint8Array> {
  const { shown = path, maxBytes = maxImageBytes, followLinks = false } = options;
  let file: FileHandle | undefined;
  try {
    file = await open(path, followLinks ? flags : flags | noLinks);
    const info = await file.stat();
    if (!info.isFile()) throw new MkgError(place, `not a file (${shown})`, "An ordinary file", "Give a picture's path");
    if (info.size > maxBytes) throw tooLarge(place, shown, info.size, maxBytes);
    const bytes = new Uint8Array(info.size);
    let at = 0;
    while (at < bytes.length) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    const more = await file.read(new Uint8Array(1), 0, 1, at);
    if (at < bytes.length || more.bytesRead > 0)
      throw new MkgError(
        place,
        `the file changed while it was read (${shown})`,
        "",
        "Read it again once it is written",
      );
    return bytes;
  } catch (error) {
    if (error instanceof MkgError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new MkgError(place, `cannot read the picture (${shown})`, "", trouble(code ?? String(error)));
  } finally {
    await file?.close();
  }
}

/** What to do about a system's error code. */
export const trouble = (code: string): string =>
  code === "ENOENT"
    ? "There is no such file; check the path"
    : code === "ELOOP"
      ? "It is a symbolic link that leads nowhere; replace it by the file"
      : code === "EACCES"
        ? "Reading is not permitted; check the file's mode"
        : code;
