import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MkgError } from "../../lib/core/index.js";
import { frameFolder } from "../../lib/graph/index.js";
import { clipFrames, pixels, selectFrames } from "../../lib/media/index.js";

const test = suite("clips");
const refuses = async (run: () => unknown, pattern: RegExp, name = "MkgError") => {
  const error = await Promise.resolve()
    .then(run)
    .then(
      () => new Error("nothing was thrown"),
      (e: Error) => e,
    );
  assert.match(error.message, pattern);
  assert.instance(error, MkgError);
  assert.is(error.name, name);
};

const dir = mkdtempSync(join(tmpdir(), "mkglab-clips-"));
test.after(() => rmSync(dir, { recursive: true, force: true }));

test("without ffmpeg on the PATH the error says how to get it", async () => {
  const path = process.env.PATH;
  const file = join(dir, "any.mp4");
  writeFileSync(file, "x");
  process.env.PATH = join(dir, "nothing here");
  try {
    await refuses(() => clipFrames(file), /ffprobe is not on the PATH\..*apt-get install ffmpeg/, "SetupError");
  } finally {
    process.env.PATH = path;
  }
});

test("options are checked before anything runs", async () => {
  await refuses(() => clipFrames("a.mp4", { evry: 2 } as never), /^clip "a.mp4": unknown option \("evry"\).*"every"/);
  await refuses(() => clipFrames("a.mp4", { fps: 4, every: 2 }), /both fps and every/);
  for (const fps of [0, -1, Number.NaN, 2000]) await refuses(() => clipFrames("a.mp4", { fps }), /fps is not a number/);
  for (const every of [0, 1.5]) await refuses(() => clipFrames("a.mp4", { every }), /every is not a positive integer/);
  await refuses(() => clipFrames(join(dir, "none.mp4")), /cannot read the clip \(.*none.mp4\)\. There is no such file/);
  await refuses(() => clipFrames(dir), /not a file/);
});

const haveFfmpeg = ["ffmpeg", "ffprobe"].every((tool) => {
  try {
    return execFileSync(tool, ["-version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});
const withFfmpeg = (law: string, run: () => Promise<void>) => {
  if (haveFfmpeg) return test(law, run);
  console.log(`SKIP ${law}: ffmpeg is not on the PATH`);
  test.skip(law, run);
};
const make = (name: string, ...args: string[]) => {
  const file = join(dir, name);
  execFileSync("ffmpeg", ["-v", "error", "-y", ...args, file], { stdio: "pipe" });
  return file;
};
/** 20 frames of 10 a second, frame i grey of level 10 i. */
const ramp = ["-f", "lavfi", "-i", "color=black:size=64x48:rate=10:duration=2,format=gray,geq=lum='10*N'"];
const levels = (images: Parameters<typeof pixels>[0][]) =>
  Promise.all(images.map(async (image) => Math.round((await pixels(image, { width: 1, height: 1 })).data[0]! / 10)));
/** n whole numbers from `from` on, `step` apart. */
const upTo = (n: number, step = 1, from = 0) => Array.from({ length: n }, (_, i) => from + i * step);

withFfmpeg("every frame comes once, in time order, unmarked; the same each time", async () => {
  const file = make("ramp.mkv", ...ramp, "-c:v", "ffv1");
  const frames = await clipFrames(file);
  assert.equal(await levels([...frames]), upTo(20));
  assert.not(frames.some((frame) => frame.key));
  assert.is(new Set(frames.map((frame) => frame.id)).size, 20);
  assert.not.match(frames[0]!.id, /ramp/);
  const again = await clipFrames(file);
  for (const i of [0, 7, 19]) {
    assert.is(again[i]!.id, frames[i]!.id);
    assert.equal(await again[i]!.bytes(), await frames[i]!.bytes());
  }
});

withFfmpeg("every: n takes frames 0, n, 2n …; fps resamples; key marks by position", async () => {
  const file = make("ramp.mkv", ...ramp, "-c:v", "ffv1");
  const sevenths = await clipFrames(file, { every: 7 });
  assert.equal(await levels([...sevenths]), [0, 7, 14]);
  const all = new Set((await clipFrames(file)).map(({ id }) => id));
  assert.not(
    sevenths.some(({ id }) => all.has(id)),
    "a frame of another choice has another id",
  );
  // 2 s at 5 a second are 10 frames, each the second one
  const halved = await levels([...(await clipFrames(file, { fps: 5 }))]);
  assert.is(halved.length, 10);
  for (const [i, level] of halved.entries()) assert.ok(Math.abs(level - 2 * i) <= 1, `${halved}`);
  const marked = await clipFrames(file, { every: 5, key: [1, 2] });
  assert.equal(await levels(await selectFrames(marked, "human")), [5, 10]);
  await refuses(
    () => clipFrames(file, { every: 5, key: [4] }),
    /key is not a list of frames \(\[4\]\)\. Positions from 0 to 3/,
  );
});

withFfmpeg("a variable frame rate neither repeats nor leaves out a frame", async () => {
  // frames 3, 4 and 5 dropped, so that one stands for 0.4 s
  const file = make("gap.mkv", ...ramp, "-vf", "select=not(between(n\\,3\\,5))", "-vsync", "vfr", "-c:v", "ffv1");
  assert.equal(await levels([...(await clipFrames(file))]), [0, 1, 2, ...upTo(14, 1, 6)]);
});

withFfmpeg("with a folder the frames lie in it, and the folder reads back as the same clip", async () => {
  const file = make("ramp.mkv", ...ramp, "-c:v", "ffv1");
  const folder = join(dir, "frames");
  const frames = await clipFrames(file, { every: 4, key: [2], folder });
  assert.equal(readdirSync(folder).sort(), [...upTo(5, 1, 1).map((i) => `00000${i}.png`), "keyframes.txt"]);
  const read = await frameFolder(dir, "frames");
  assert.equal(await levels([...read]), await levels([...frames]));
  assert.equal(
    read.map((f) => f.key),
    [false, false, true, false, false],
  );
  assert.equal(
    frames.map((f) => f.key),
    [false, false, true, false, false],
  );
  // a try that fails leaves no folder that would read as a whole clip
  for (const wrong of [{ key: [99] }, { max: 4 }]) {
    const none = join(dir, "none yet");
    await refuses(
      () => clipFrames(file, { every: 1, ...wrong, folder: none }),
      /key is not a list of frames|more than 4 frames/,
    );
    assert.equal(
      readdirSync(dir).filter((name) => name.startsWith("none yet")),
      [],
    );
  }
  await refuses(() => clipFrames(file, { folder }), /the folder for its frames is not empty \(.*frames: 6 entries\)/);
});

withFfmpeg("usual containers are read; rotation that the clip states is applied", async () => {
  const source = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=1"];
  for (const name of ["a.mp4", "a.webm", "a.avi", "a.gif", "a.mov"])
    assert.is((await clipFrames(make(name, ...source))).length, 5, name);
  const upright = join(dir, "a.mp4");
  const turned = make("turned.mp4", "-i", upright, "-c", "copy", "-metadata:s:v:0", "rotate=90");
  const { width, height } = await pixels((await clipFrames(turned))[0]!);
  assert.equal([width, height], [48, 64]);
});

withFfmpeg("bounds on frames, pixels, bytes and time are errors with a remedy; nothing is cut in silence", async () => {
  const file = make("ramp.mkv", ...ramp, "-c:v", "ffv1");
  await refuses(() => clipFrames(file, { max: 19 }), /more than 19 frames\..*raise max/);
  assert.is((await clipFrames(file, { max: 20 })).length, 20);
  await refuses(() => clipFrames(file, { maxPixels: 3071 }), /too many pixels in a frame \(64 × 48\)\. At most 3071/);
  assert.is((await clipFrames(file, { maxPixels: 3072 })).length, 20);
  await refuses(() => clipFrames(file, { maxBytes: 500 }), /frames? (are|is) too large \(\d+ bytes.*At most 500 bytes/);
  await refuses(() => clipFrames(file, { timeoutMs: 1 }), /reading it took more than 1 ms\..*raise timeoutMs/);
});

withFfmpeg("an abort ends the program and gives the signal's reason", async () => {
  // 20 minutes of video, of which ffmpeg would make frames for a while
  const file = make("long.mkv", "-f", "lavfi", "-i", "color=black:size=16x16:rate=25:duration=1200", "-c:v", "ffv1");
  const stopper = new AbortController();
  setTimeout(() => stopper.abort(new Error("enough")), 300);
  const reason = await clipFrames(file, { max: 1e6, signal: stopper.signal }).catch((e: Error) => e.message);
  assert.is(reason, "enough");
  await assertNoChild();
});

/** That no ffmpeg of ours is left: its parent would be this process. */
async function assertNoChild(): Promise<void> {
  await new Promise((done) => setTimeout(done, 100));
  if (process.platform !== "linux") return;
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim();
  for (const pid of children.split(" ").filter(Boolean))
    assert.not.match(readFileSync(`/proc/${pid}/comm`, "utf8"), /^ff(mpeg|probe)/);
}

withFfmpeg("what is no clip, or not a whole one, is one error", async () => {
  const cut = (name: string, share: number) => {
    const whole = readFileSync(make(name, "-f", "lavfi", "-i", "testsrc=size=64x48:rate=10:duration=2"));
    const file = join(dir, `cut-${name}`);
    writeFileSync(file, whole.subarray(0, Math.floor(whole.length * share)));
    return file;
  };
  const whole = /could not read the whole of it \(.+\)\..*truncated, damaged or of another format/;
  for (const [name, share] of [
    ["b.webm", 0.7],
    ["b.mp4", 0.7],
    ["b.mkv", 0.5],
  ] as const)
    await refuses(() => clipFrames(cut(name, share)), whole);
  writeFileSync(join(dir, "words.mp4"), "these are words");
  await refuses(() => clipFrames(join(dir, "words.mp4")), whole);
  writeFileSync(join(dir, "empty.mp4"), "");
  await refuses(() => clipFrames(join(dir, "empty.mp4")), whole);
  const sound = make("sound.m4a", "-f", "lavfi", "-i", "sine=duration=1");
  await refuses(() => clipFrames(sound), /no moving picture in the file/);
});

withFfmpeg(
  "a playlist cannot have another file read, and a name cannot be taken for an option or a protocol",
  async () => {
    const secret = make("secret.mp4", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=1");
    const playlist = join(dir, "playlist.mp4");
    writeFileSync(playlist, `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`);
    await refuses(() => clipFrames(playlist), /could not read the whole of it/);
    const list = join(dir, "list.mp4");
    writeFileSync(list, "ffconcat version 1.0\nfile secret.mp4\n");
    await refuses(() => clipFrames(list), /could not read the whole of it/);
    for (const name of [`concat:${secret}`, `http://127.0.0.1:9/a.mp4`, `file:${secret}`, "-version"])
      await refuses(() => clipFrames(name), /There is no such file/);
    const odd = join(dir, "-i a;touch x $(y) 'z'.mp4");
    writeFileSync(odd, readFileSync(secret));
    assert.is((await clipFrames(odd)).length, 5);
  },
);

test.run();
