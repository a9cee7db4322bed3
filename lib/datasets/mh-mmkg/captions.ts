import { join } from "node:path";
import { MkgError, namesIn, quote, readText, unknownName } from "../../core/index.js";
import { parseJson } from "../../graph/index.js";
import type { Scope } from "./scope.js";

/**
 * Captions by key from `<prefix><model>.json` in a folder; undefined for `human` and `none`. The model is looked for among the files that are there,
 * so that its name cannot lead elsewhere.
 */
export async function offlineCaptions(
  scope: Scope,
  option: string,
  folder: string,
  prefix: string,
  choice: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (choice === "human" || choice === "none") return undefined;
  const models = (await namesIn(scope.place, folder))
    .filter((name) => name.startsWith(prefix) && name.endsWith(".json"))
    .map((name) => name.slice(prefix.length, -".json".length));
  if (!models.includes(choice))
    throw unknownName(`${scope.place}, option ${option}`, `model in ${join(folder, `${prefix}<model>.json`)}`, choice, [
      "human",
      "none",
      ...models,
    ]);
  const file = join(folder, `${prefix}${choice}.json`);
  const text = await readText(file, { place: scope.place, maxBytes: 64 * 2 ** 20 });
  const bad = (problem: string) =>
    new MkgError(`${scope.place}: ${file}`, problem, 'One object of captions by name: {"name": "caption"}');
  const record = parseJson(text, scope.place, file);
  if (typeof record !== "object" || record === null || Array.isArray(record))
    throw bad(`not an object (${quote(record)})`);
  const captions = new Map<string, string>();
  for (const [name, caption] of Object.entries(record)) {
    if (typeof caption !== "string") throw bad(`the caption of ${quote(name)} is not a string (${quote(caption)})`);
    captions.set(name, caption);
  }
  return captions;
}
