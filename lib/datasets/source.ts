import { existsSync } from "node:fs";
import { join } from "node:path";
import { SetupError } from "../core/index.js";

/** What a data set needs on disk, and where it is published. */
export interface Source {
  /** Folder below the data root. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Where to get it, as a sentence. */
  readonly remedy: string;
}

/** The data set's folder, once all its files are there; otherwise what is missing, where it was looked for, and how to get it. */
export function sourceFolder(name: string, dir: string, source: Source): string {
  const folder = join(dir, source.folder);
  const missing = source.files.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0)
    throw new SetupError(
      `dataset ${name}`,
      existsSync(folder) ? `files are missing in ${folder} (${missing.join(", ")})` : `there is no folder ${folder}`,
      `It needs ${source.files.join(", ")}`,
      `${source.remedy} Another data root is given by the option dir or, on the command line, by MKGLAB_DATA`,
    );
  return folder;
}
