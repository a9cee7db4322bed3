import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "../../core/index.js";
import { frameFolder, openImages } from "../../graph/index.js";
import type { Row, Scope } from "./scope.js";

/**
 * A picture file, or the frames of a folder in natural order of their names, all marked: the released key frames are the ones that humans chose.
 * The path is taken below the data set's folder, so that pictures of the same name in two monsters' folders keep ids of their own.
 */
export async function framesAt(scope: Scope, path: string, place: string): Promise<readonly Image[]> {
  const folder = await stat(join(scope.root, path)).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!folder) return openImages(path, { folder: scope.root, place });
  const onSkipped = (name: string) =>
    scope.notices.add("files beside the frames that are no pictures by their extension: passed by", name);
  return frameFolder(scope.root, path, { place, onSkipped });
}

/** The path of a clip below the data set's folder, as the released code builds it; "" for none. One that is not there is noticed. */
export async function clipAt(scope: Scope, folder: string, name: string, row: Row): Promise<string> {
  if (name === "") return "";
  const path = `${folder}/${name}`;
  const there = await stat(join(scope.root, path)).then(
    (info) => info.isFile(),
    () => false,
  );
  if (!there) scope.notices.add("clips that are named and not there: their paths are kept", `${row.short}: ${name}`);
  return path;
}
