import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { type Bestiary, bestiary } from "../../lib/datasets/index.js";
import { dot, encoder } from "../../lib/embed/index.js";
import { pixels } from "../../lib/media/index.js";

const test = suite("bestiary pictures");

/** The default test world at an ambiguity: recordings of the graph's attacks, and of the questions that ask for one. */
const worldAt = (imageAmbiguity: number, more = {}): Bestiary => bestiary(["test", 0, 0], { imageAmbiguity, ...more });
const attacksOf = (w: Bestiary) => w.entities.filter((e) => e.kind === "attack");
const askedOf = (w: Bestiary) => w.questions.filter((q) => q.meta.kind === "recognise");
const keysOf = (images: readonly Image[]) => images.flatMap((image, i) => (image.key ? [i] : []));
const middleKey = (images: readonly Image[]) => images[keysOf(images)[1] as number] as Image;

/** Share of questions whose frame is nearest, among the creature's own attacks in the graph, to that of the attack shown; and what guessing gives. */
async function withinCreature(w: Bestiary, frame: (images: readonly Image[]) => Image) {
  const e = await encoder("pixels");
  const [attacks, asked] = [attacksOf(w), askedOf(w)];
  const known = await e.encode(attacks.map((a) => frame(a.images)));
  const shown = await e.encode(asked.map((q) => frame(q.images)));
  let [right, chance] = [0, 0];
  asked.forEach((q, i) => {
    const own = attacks.flatMap((a, j) => (a.id.startsWith(`${q.cluster} `) ? [j] : []));
    const cosines = own.map((j) => dot(shown, i, known, j, e.dim));
    const nearest = attacks[own[cosines.indexOf(Math.max(...cosines))] as number];
    if (nearest?.id === q.meta.attack) right++;
    chance += 1 / own.length;
  });
  const n = asked.length;
  const p = chance / n;
  return { share: right / n, chance: p, sd: Math.sqrt((p * (1 - p)) / n) };
}

test("a key frame tells the attack from the creature's others: nearly always at ambiguity 0, less at the default, at chance at 1", async () => {
  const [clear, usual, same] = [
    await withinCreature(worldAt(0), middleKey),
    await withinCreature(worldAt(0.45), middleKey),
    await withinCreature(worldAt(1), middleKey),
  ];
  assert.ok(clear.share > 0.9, `${clear.share}`);
  assert.ok(usual.share < clear.share && usual.share > 0.7, `${usual.share}`);
  // at 1 only the act's place in the clip and its vigour differ, by chance; three binomial standard deviations of 109 guesses at one in six
  assert.ok(Math.abs(same.share - same.chance) < 3 * same.sd, `${same.share} against ${same.chance}`);
});

test("the other frames do not: at four places of the clip, the nearest one is the attack's no more often than chance", async () => {
  const w = worldAt(0);
  const places: readonly ((images: readonly Image[]) => number)[] = [
    () => 0,
    (images) => (keysOf(images)[0] as number) - 1,
    (images) => (keysOf(images).at(-1) as number) + 1,
    (images) => images.length - 1,
  ];
  const found = [];
  for (const at of places) found.push(await withinCreature(w, (images) => images[at(images)] as Image));
  for (const { share, chance, sd } of found)
    assert.ok(Math.abs(share - chance) < 3 * sd, `${share} against ${chance}, sd ${sd}`);
});

const side = 48;
/** What is drawn before the background: hues (36 bins) and place (8 × 8) of the pixels whose colour does not stand at the frame's edge. */
async function foreground(image: Image): Promise<number[]> {
  const { data } = await pixels(image, { width: side, height: side });
  const colour = (x: number, y: number) => [0, 1, 2].map((c) => data[(y * side + x) * 3 + c] as number);
  const edge: number[][] = [];
  for (let i = 0; i < side; i++)
    edge.push(...[0, 1, side - 2, side - 1].map((x) => colour(x, i)), colour(i, 0), colour(i, side - 1));
  const hues = new Array<number>(36).fill(0);
  const places = new Array<number>(64).fill(0);
  const add = (bins: number[], at: number, by: number) => {
    bins[at] = (bins[at] as number) + by;
  };
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const [r, g, b] = colour(x, y) as [number, number, number];
      const isBackground = edge.some(
        ([p, q, s]) => Math.abs((p as number) - r) + Math.abs((q as number) - g) + Math.abs((s as number) - b) < 18,
      );
      if (isBackground) continue;
      add(places, Math.floor(y / 6) * 8 + Math.floor(x / 6), 1);
      const chroma = Math.max(r, g, b) - Math.min(r, g, b);
      if (chroma < 20) continue;
      const top = Math.max(r, g, b);
      const hue = top === r ? ((g - b) / chroma + 6) % 6 : top === g ? (b - r) / chroma + 2 : (r - g) / chroma + 4;
      for (const [off, weight] of [
        [0, 1],
        [1, 0.5],
        [35, 0.5],
      ] as const)
        add(hues, (Math.floor(hue * 6) + off) % 36, (weight * chroma) / 255);
    }
  const unit = (v: number[], weight: number) => v.map((x) => (weight * x) / (Math.hypot(...v) || 1));
  return [...unit(hues, 1.2), ...unit(places, 1)];
}

test("any frame tells the creature, by its colours and outline, whatever the place and light of the recording", async () => {
  const w = worldAt(0.45);
  const attacks = attacksOf(w);
  const known = await Promise.all(attacks.map((a) => foreground(a.images[0] as Image)));
  const asked = askedOf(w);
  let right = 0;
  for (const q of asked) {
    const own = await foreground(q.images[0] as Image);
    const cosines = known.map((row) => row.reduce((sum, x, i) => sum + x * (own[i] as number), 0));
    const nearest = attacks[cosines.indexOf(Math.max(...cosines))];
    if (nearest?.id.startsWith(`${q.cluster} `)) right++;
  }
  // chance is one in 22
  assert.ok(right / asked.length > 0.93, `${right} of ${asked.length}`);
});

test("attacks of the same move in two creatures, and two moves of one creature, are different pictures", async () => {
  const w = worldAt(0);
  const seen = new Map<string, string>();
  for (const { id, images } of attacksOf(w)) {
    const bytes = Buffer.from(await middleKey(images).bytes()).toString("base64");
    assert.not.ok(seen.has(bytes), `${id} and ${seen.get(bytes)}`);
    seen.set(bytes, id);
  }
});

test("clips have clipFrames frames with clipKeyFrames in a row marked, at least five before them and one after", () => {
  for (const [clipFrames, clipKeyFrames] of [
    [16, 1],
    [16, 5],
    [40, 2],
    [64, 4],
  ] as const) {
    const starts = new Set<number>();
    for (const { images } of attacksOf(worldAt(0.45, { clipFrames, clipKeyFrames, creatures: 6 }))) {
      const keys = keysOf(images);
      const first = keys[0] as number;
      assert.is(images.length, clipFrames);
      assert.equal(
        keys,
        Array.from({ length: clipKeyFrames }, (_, i) => first + i),
      );
      assert.ok(first >= 5 && (keys.at(-1) as number) < clipFrames - 1);
      starts.add(first);
    }
    assert.ok(starts.size > 3, "where the act comes differs");
  }
});

test("a picture's id stands for its bytes: equal where nothing about the picture changed, another where something did", async () => {
  const ids = (o: object) => attacksOf(worldAt(0.45, { creatures: 3, ...o })).flatMap((a) => a.images.map((i) => i.id));
  const usual = ids({});
  assert.equal(ids({ clipFrames: 16, clipKeyFrames: 3, imageShortcut: 0 }), usual);
  assert.equal(ids({ textShortcut: 1, captionShortcut: 1, answerSkew: 1, captionInformativeness: 0 }), usual);
  const other = [
    ids({ clipFrames: 17 }),
    ids({ clipKeyFrames: 2 }),
    ids({ imageAmbiguity: 0.5 }),
    ids({ imageShortcut: 1 }),
  ];
  for (const changed of other) assert.is(changed.filter((id) => usual.includes(id)).length, 0);
  // half of the clips marked: those are other pictures, the rest the same, bytes included
  const half = attacksOf(worldAt(0.45, { imageShortcut: 0.5 }));
  const plain = attacksOf(worldAt(0.45));
  let marked = 0;
  for (const [i, { images }] of half.entries()) {
    const [mine, theirs] = [images[0] as Image, plain[i]?.images[0] as Image];
    const isSame = Buffer.compare(await mine.bytes(), await theirs.bytes()) === 0;
    assert.is(isSame, mine.id === theirs.id);
    if (!isSame) marked++;
  }
  // binomial, n = 131, p = 0.5: standard deviation 5.7
  assert.ok(Math.abs(marked - half.length / 2) < 18, `${marked} of ${half.length}`);
});

test.run();
