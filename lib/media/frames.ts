import { type Image, unknownName } from "../core/index.js";

/** Ways to choose the frames of a clip that a method may look at: name → choice. MH-MMKG's key-frame ablation is over these. */
export const keyFrameChoices = {
  none: () => [],
  first: (images) => images.slice(0, 1),
  human: (images) => images.filter((image) => image.key),
  all: (images) => [...images],
} as const satisfies Readonly<Record<string, (images: readonly Image[]) => Image[]>>;

export type KeyFrames = keyof typeof keyFrameChoices;

/**
 * The frames of a clip that a choice leaves, in time order, as a new array of the same image objects.
 *
 * `none`: none. `first`: the first frame. `human`: those that an annotator marked (`key`). `all`: all. There is no falling back: where no
 * frame is marked, `human` gives `[]`, and what follows has no picture to look at. Errors: a name that is not in {@link keyFrameChoices}.
 *
 * @example
 * selectFrames(question.images, "human").length   // 3
 */
export function selectFrames(images: readonly Image[], choice: KeyFrames): Image[] {
  if (!Object.hasOwn(keyFrameChoices, choice))
    throw unknownName("selectFrames", "choice of key frames", choice, Object.keys(keyFrameChoices));
  return keyFrameChoices[choice](images);
}
