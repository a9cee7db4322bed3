import type { Image, Score } from "../core/index.js";
import type { Dataset } from "../datasets/index.js";
import { dot, type Encoder, encoder } from "../embed/index.js";
import type { Entity } from "../graph/index.js";

const middle = (images: readonly Image[]): Image => images[images.length >> 1] as Image;
/** Which frame of a clip is looked at. */
export const sightFrames = {
  "middle key frame": (images: readonly Image[]) => middle(images.filter((i) => i.key)),
  "first frame": (images: readonly Image[]) => images[0] as Image,
} as const;

/**
 * What one frame tells: whether the shown attack is the one, among the creature's own, whose recording in the graph is nearest in the same frame (middle key frame, first)
 * (`pixels` vectors; of equals the first). Score rows of the questions that ask for the attack, and `chance`, the mean of one over the number of attacks.
 */
export async function measureSight(
  dataset: Dataset,
  frame: keyof typeof sightFrames,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly rows: readonly Score[]; readonly chance: number }> {
  const look = sightFrames[frame];
  const pixels = (await encoder("pixels")) as Encoder<Image>;
  const seen = async (images: readonly Image[]) => {
    signal.throwIfAborted();
    return pixels.encode([look(images)]);
  };
  const asked = dataset.questions.filter((q) => q.meta.kind === "recognise");
  const attacks = (dataset.graph.entities.objects() as Entity[]).filter((e) => e.kind === "attack");
  const known = await Promise.all(attacks.map(async ({ id, images }) => ({ id, row: await seen(images) })));
  const rows: Score[] = [];
  let chance = 0;
  for (const { id, group, cluster, images, meta } of asked) {
    const row = await seen(images);
    const own = known.filter((attack) => attack.id.startsWith(`${cluster} `));
    chance += 1 / own.length / asked.length;
    const cosines = own.map((attack) => dot(row, 0, attack.row, 0, pixels.dim));
    const nearest = own[cosines.indexOf(Math.max(...cosines))]?.id;
    const value = nearest === meta.attack ? 1 : 0;
    rows.push({ run: frame, question: id, group, cluster, seed: 0, measure: "right", value, status: "ok" });
  }
  return { rows, chance };
}
