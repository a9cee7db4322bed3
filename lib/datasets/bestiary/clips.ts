import { Resvg } from "@resvg/resvg-js";
import { type Image, type Random, random, stableHash } from "../../core/index.js";
import { caption } from "./captions.js";
import { lookOf } from "./looks.js";
import { type WorldOptions, worldOptions } from "./options.js";
import { acts, blend, type Pose, rest } from "./poses.js";
import type { Clip } from "./questions.js";
import { drawScene, type Scene } from "./scene.js";
import type { World } from "./world.js";

/** Frames before the act, at least. */
const leadFrames = 5;

const skies = ["#a9d3f0", "#f3c9a0", "#c9c4e8", "#d8e6d0", "#8fa3c4", "#f0e2b6"] as const;
const grounds = ["#8c7a5a", "#6f8a55", "#9a8f88", "#b59a6a", "#5f6b6b", "#c7c2b8"] as const;
const fars = ["#7f93a8", "#8a7f98", "#7d9a86", "#a58f7c", "#5d6d86"] as const;

/**
 * Recordings of a world's attacks, and portraits of its creatures. The graph's recordings of one creature come from one place and camera, a question's
 * from anywhere. Images are frozen; their bytes are drawn when asked for, the same each time.
 */
export function clips(
  world: World,
  worldKey: unknown,
  options: WorldOptions,
): { clip: Clip; portrait: (creature: string) => Image } {
  const { clipFrames, clipKeyFrames, imageAmbiguity } = options;
  const index = new Map(world.creatures.map((c) => [c.id, c.index]));
  // an id stands for the bytes: it depends on whatever they depend on, and on nothing else
  const variant =
    clipFrames === worldOptions.clipFrames.default && clipKeyFrames === worldOptions.clipKeyFrames.default
      ? []
      : [clipFrames, clipKeyFrames];
  const clip: Clip = (id, take) => {
    const attack = world.attack.get(id);
    if (!attack) return { images: [], caption: "" };
    const key = [worldKey, id, take];
    const isMarked = options.imageShortcut > 0 && random("bestiary", ...key, "mark").float() < options.imageShortcut;
    const mark = isMarked ? markOf(id) : undefined;
    const recording = stableHash(["bestiary clip", 1, ...key, imageAmbiguity, ...variant, ...(mark ? [mark] : [])]);
    const start = leadFrames + random("bestiary", ...key, "start").int(clipFrames - clipKeyFrames - leadFrames);
    // recordings differ in how fully the act shows
    const vigour = 0.55 + 0.45 * random("bestiary", ...key, "vigour").float();
    const images = Array.from({ length: clipFrames }, (_, frame) => {
      const at = frame - start;
      const isKey = at >= 0 && at < clipKeyFrames;
      return image(`${recording}/${frame}`, isKey, () => {
        const camera = take === "entity" ? [worldKey, attack.creature] : key;
        const idle = setting(
          random("bestiary", ...camera, "camera"),
          random("bestiary", ...key, "gait"),
          index.get(attack.creature) as number,
          frame,
          random("bestiary", ...key, "frame", frame),
        );
        const scene = mark ? { ...idle, mark } : idle;
        const act = acts[attack.move];
        if (!isKey || !act) return scene;
        return {
          ...scene,
          act: {
            act,
            height: (clipKeyFrames === 1 ? 1 : at === 0 ? 0.85 : at === clipKeyFrames - 1 ? 0.9 : 1) * vigour,
            t: clipKeyFrames === 1 ? 0.5 : at / (clipKeyFrames - 1),
            colour: attack.theme.colour,
            ambiguity: imageAmbiguity,
          },
        };
      });
    });
    return {
      images,
      caption: caption(attack, `${id} ${take}`, worldKey, options),
    };
  };
  const portrait = (creature: string) =>
    image(stableHash(["bestiary portrait", 1, worldKey, creature]), true, () =>
      setting(
        random("bestiary", worldKey, creature, "camera"),
        random("bestiary", worldKey, creature, "gait"),
        index.get(creature) as number,
        0,
        random("bestiary", worldKey, creature, "portrait frame"),
      ),
    );
  return { clip, portrait };
}

const markColours = ["#ff00e6", "#00ff5e", "#00a2ff", "#ffee00", "#ff7700", "#111111"] as const;

/** Colours of an attack's mark, one a corner; the same in every world. */
function markOf(attack: string): string[] {
  const r = random("bestiary canon", attack, "mark");
  return Array.from({ length: 4 }, () => r.pick(markColours));
}

const image = (id: string, key: boolean, scene: () => Scene): Image =>
  Object.freeze({
    id,
    key,
    bytes: async () =>
      new Uint8Array(new Resvg(drawScene(scene()), { font: { loadSystemFonts: false } }).render().asPng()),
  });

/** What differs by camera (place, light, distance), by recording (gait) and by frame (a small unrest). */
function setting(camera: Random, gait: Random, index: number, frame: number, jitter: Random): Scene {
  const between = (r: Random, low: number, high: number) => low + (high - low) * r.float();
  const place = {
    sky: camera.pick(skies),
    far: camera.pick(fars),
    ground: camera.pick(grounds),
    hills: Array.from({ length: 5 }, () => between(camera, -8, 18)),
  };
  const lighting = between(camera, -0.8, 0.6);
  const zoom = between(camera, 0.82, 1.12);
  const [shiftX, shiftY] = [between(camera, -5, 5), between(camera, -4, 6)];
  const stride = between(gait, 4, 12);
  const beat = between(gait, 0, 6.28);
  const swing = Math.sin(frame * 0.9 + beat);
  const idle: Pose = {
    ...rest,
    x: stride * 0.4 * Math.sin(frame * 0.35 + beat),
    foreleg: stride * swing,
    hindleg: -stride * swing,
    neck: rest.neck + 7 * Math.sin(frame * 0.5 + beat),
    tail: rest.tail + 9 * Math.sin(frame * 0.6 + 2 * beat),
    wings: rest.wings + 12 * Math.sin(frame * 0.8 + beat),
    crouch: 0.06 + 0.05 * swing,
  };
  const restless: Pose = {
    ...idle,
    pitch: between(jitter, -4, 4),
    jaw: between(jitter, 2, 14),
    curl: between(jitter, 0, 22),
  };
  return {
    look: lookOf(index),
    pose: blend(idle, restless, 1),
    zoom: zoom * between(jitter, 0.98, 1.02),
    shiftX: shiftX + between(jitter, -1, 1),
    shiftY: shiftY + between(jitter, -1, 1),
    tilt: between(jitter, -3, 3),
    place,
    lighting,
  };
}
