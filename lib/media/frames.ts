import { type Image, MkgError, matchForm, nearestForm, quote } from "../core/index.js";
import { pixels } from "./pixels.js";

/** A choice of frames. `n` is the number in a name such as `uniform:4`, 0 where the name has none. */
interface KeyFrameChoice {
  readonly doc: string;
  readonly choose: (images: readonly Image[], n: number) => readonly Image[] | Promise<readonly Image[]>;
}

/** Ways to choose the frames of a clip that a method may look at: name → choice, `:n` standing for a number. MH-MMKG's key-frame ablation is over these. */
export const keyFrameChoices: Readonly<Record<string, KeyFrameChoice>> = Object.freeze({
  none: { doc: "no frame", choose: () => [] },
  first: { doc: "the first frame", choose: (images) => images.slice(0, 1) },
  human: { doc: "the frames that a human marked", choose: (images) => images.filter((image) => image.key) },
  all: { doc: "every frame", choose: (images) => images },
  "uniform:n": { doc: "n frames evenly spaced", choose: uniform },
  "change:n": { doc: "the n frames that differ most from the one before", choose: change },
} satisfies Record<string, KeyFrameChoice>);

export type KeyFrames = "none" | "first" | "human" | "all" | `uniform:${number}` | `change:${number}`;

/**
 * The frames of a clip that a choice leaves, in time order, as a new array of the same image objects.
 *
 * | choice | frames |
 * |---|---|
 * | `none` | none |
 * | `first` | the first |
 * | `human` | those that an annotator marked (`key`) |
 * | `all` | all |
 * | `uniform:n` | the middle ones of n equal parts of the clip: positions ⌊(2i + 1) · m / 2n⌋ of m frames, so `uniform:1` is the middle frame (the segment centres of TSN; Wang et al. 2016, arXiv 1608.00859) |
 * | `change:n` | the n with the largest change to the frame before: mean absolute difference of 32 × 32 grey thumbnails; equal changes, the earlier. The first frame, which has none before it, comes last |
 *
 * Where n is no less than the number of frames, all are chosen. There is no falling back: where no frame is marked, `human` gives `[]`, and
 * what follows has no picture to look at. Only `change:n` reads pictures, each once as long as its image object lives (1 KB kept), O(pixels);
 * an unreadable one is an error that names it. Errors: a name that is not in {@link keyFrameChoices}, an n that is no integer ≥ 1.
 *
 * @example
 * (await selectFrames(question.images, "human")).length       // 3
 * (await selectFrames(question.images, "uniform:4")).length   // 4
 */
export async function selectFrames(images: readonly Image[], choice: KeyFrames): Promise<Image[]> {
  const forms = Object.keys(keyFrameChoices);
  const found = matchForm(forms, choice);
  if (!found) {
    const near = nearestForm(forms, choice);
    throw new MkgError(
      "selectFrames",
      `unknown choice of key frames (${quote(choice)})`,
      `Known: ${forms.join(", ")}, n an integer ≥ 1`,
      near === undefined ? "" : `Did you mean ${quote(near)}?`,
    );
  }
  return [...(await (keyFrameChoices[found.form] as KeyFrameChoice).choose(images, found.n))];
}

function uniform(images: readonly Image[], n: number): readonly Image[] {
  const m = images.length;
  if (n >= m) return images;
  return Array.from({ length: n }, (_, i) => images[Math.floor(((2 * i + 1) * m) / (2 * n))] as Image);
}

const side = 32;

async function change(images: readonly Image[], n: number): Promise<readonly Image[]> {
  if (n >= images.length) return images;
  const changes = new Float64Array(images.length).fill(-1);
  let before: Uint8Array | undefined;
  for (const [i, image] of images.entries()) {
    const now = await thumbnail(image);
    // sums of integers: the same on every machine where the thumbnails are
    if (before) changes[i] = now.reduce((sum, value, at) => sum + Math.abs(value - (before?.[at] as number)), 0);
    before = now;
  }
  const order = images.map((_, i) => i).sort((a, b) => (changes[b] as number) - (changes[a] as number) || a - b);
  const chosen = order.slice(0, n).sort((a, b) => a - b);
  return chosen.map((i) => images[i] as Image);
}

/** Grey thumbnails by image object: an image's bytes never change. */
const thumbnails = new WeakMap<Image, Uint8Array>();

/** [32, 32] luma (ITU-R BT.601), rounded. */
async function thumbnail(image: Image): Promise<Uint8Array> {
  const known = thumbnails.get(image);
  if (known) return known;
  const { data } = await pixels(image, { width: side, height: side });
  const grey = new Uint8Array(side * side);
  for (let i = 0; i < grey.length; i++) {
    const [r, g, b] = data.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
    grey[i] = Math.round((299 * r + 587 * g + 114 * b) / 1000);
  }
  thumbnails.set(image, grey);
  return grey;
}
