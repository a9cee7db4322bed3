import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Image,
  integer,
  isThere,
  MkgError,
  makeFolder,
  type OnProgress,
  type OptionSpecs,
  Progress,
  quote,
  readJsonl,
  refuseUnknown,
  resolveOptions,
  stableHash,
  unknownName,
} from "../../core/index.js";
import { contentHash, pixels } from "../../media/index.js";
import { modelOptions, Weights } from "../encoders/transformers.js";

/** Says what a picture shows. `revision` changes whenever an equal picture could get another caption. */
export interface Captioner {
  readonly name: string;
  readonly revision: string;
  caption(image: Image): Promise<string>;
}

interface CaptionerEntry {
  readonly options: OptionSpecs;
  load(options: Readonly<Record<string, unknown>>, name: string): Captioner | Promise<Captioner>;
}

const fromImage = (model: string): CaptionerEntry => ({
  options: {
    ...modelOptions(model),
    maxNewTokens: integer({ min: 1, max: 1000, default: 40, doc: "length of a caption at most" }),
  },
  load: modelCaptioner,
});

const captioners: Readonly<Record<string, CaptionerEntry>> = {
  blip: fromImage("Xenova/blip-image-captioning-base"),
  colours: { options: {}, load: () => colours },
  "vit-gpt2": fromImage("Xenova/vit-gpt2-image-captioning"),
};

/** The names that {@link captioner} takes. */
export const captionerNames = (): string[] => Object.keys(captioners);

/**
 * The captioner of that name.
 *
 * | name | says | needs |
 * |---|---|---|
 * | `colours` | which of the eleven basic colour terms of English (Berlin & Kay 1969) cover the picture, largest first | – |
 * | `vit-gpt2` | a sentence: ViT and GPT-2 | model files, transformers.js |
 * | `blip` | a sentence: BLIP (Li et al. 2022, arXiv 2201.12086), where the installed transformers.js runs it | model files, transformers.js |
 *
 * Errors: unknown name, option or value; a package or file that is missing.
 *
 * @example
 * await (await captioner("colours")).caption(flagOfJapan); // "white and red"
 */
export async function captioner(name: string, options: Readonly<Record<string, unknown>> = {}): Promise<Captioner> {
  if (!Object.hasOwn(captioners, name)) throw unknownName("captioner", "captioner", name, captionerNames());
  const entry = captioners[name] as CaptionerEntry;
  return entry.load(resolveOptions(`captioner(${quote(name)})`, entry.options, options), name);
}

/** Whether a captioner of that name declares an option. */
export const captionerTakes = (name: string, option: string): boolean =>
  Object.hasOwn(captioners, name) && Object.hasOwn((captioners[name] as CaptionerEntry).options, option);

async function modelCaptioner(given: Readonly<Record<string, unknown>>, name: string): Promise<Captioner> {
  const place = `captioner(${quote(name)})`;
  const weights = await Weights.find(place, given, ["encoder_model"]);
  const pipeline = await weights.load((library, id, options) => library.pipeline("image-to-text", id, options));
  const tokens = given.maxNewTokens as number;
  return Object.freeze({
    name,
    revision: `${weights.revision}-${tokens}`,
    async caption(image: Image): Promise<string> {
      const [said] = await pipeline(await weights.raw(image), { max_new_tokens: tokens });
      if (typeof said?.generated_text !== "string")
        throw new MkgError(place, `the model gave no text (${quote(said)})`, "", "Choose a model for image-to-text");
      return said.generated_text.trim();
    },
  });
}

// focal colours in sRGB
const terms: readonly (readonly [string, number, number, number])[] = [
  ["white", 255, 255, 255],
  ["black", 0, 0, 0],
  ["grey", 128, 128, 128],
  ["red", 200, 25, 30],
  ["green", 30, 130, 60],
  ["yellow", 250, 215, 40],
  ["blue", 20, 70, 170],
  ["brown", 110, 65, 30],
  ["orange", 245, 130, 30],
  ["pink", 250, 165, 190],
  ["purple", 115, 50, 140],
];

const colours: Captioner = Object.freeze({
  name: "colours",
  revision: "1",
  async caption(image: Image): Promise<string> {
    const side = 24;
    const { data } = await pixels(image, { width: side, height: side });
    const area = new Map<string, number>();
    for (let i = 0; i < data.length; i += 3) {
      const far = (term: (typeof terms)[number]) =>
        ((data[i] as number) - term[1]) ** 2 +
        ((data[i + 1] as number) - term[2]) ** 2 +
        ((data[i + 2] as number) - term[3]) ** 2;
      const nearest = terms.reduce((best, term) => (far(term) < far(best) ? term : best));
      area.set(nearest[0], (area.get(nearest[0]) ?? 0) + 1);
    }
    // what covers less than a twentieth is an edge or a detail
    const seen = terms.filter(([name]) => (area.get(name) ?? 0) >= (side * side) / 20);
    const names = seen.map(([name]) => name).sort((a, b) => (area.get(b) as number) - (area.get(a) as number));
    return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  },
});

/**
 * A caption of each picture, in their order; equal pictures are captioned once. With `cache`, a folder, captions are kept in
 * `<folder>/captions/<captioner>-<hash>.jsonl` by content, a line as each is made, so that a job that is stopped goes on where it was; a line that was cut is made anew.
 *
 * @example
 * await captionImages([flagOfJapan], await captioner("colours")); // ["white and red"]
 */
export async function captionImages(
  images: readonly Image[],
  own: Captioner,
  options: { cache?: string; signal?: AbortSignal; onProgress?: OnProgress } = {},
): Promise<string[]> {
  const place = "captionImages";
  refuseUnknown(place, options, ["cache", "signal", "onProgress"], "option");
  const { cache, signal } = options;
  const progress = new Progress("captions", images.length, options.onProgress);
  const known = new Map<string, string>();
  let file: string | undefined;
  if (cache !== undefined) {
    const folder = join(cache, "captions");
    await makeFolder(folder);
    file = join(folder, `${own.name.replace(/[^\w.-]+/g, "_")}-${stableHash([own.name, own.revision])}.jsonl`);
    if (await isThere(place, file))
      for await (const { record } of readJsonl<{ key?: string; caption?: string }>(file, place, () => {}))
        if (typeof record?.key === "string" && typeof record.caption === "string")
          known.set(record.key, record.caption);
  }
  const captions: string[] = [];
  for (const image of images) {
    signal?.throwIfAborted();
    const key = await contentHash(image);
    let caption = known.get(key);
    if (caption === undefined) {
      caption = await own.caption(image);
      known.set(key, caption);
      // a line break first: the line before may have been cut
      if (file) await appendFile(file, `${existsSync(file) ? "\n" : ""}${JSON.stringify({ key, caption })}\n`);
    }
    captions.push(caption);
    progress.tick();
  }
  return captions;
}
