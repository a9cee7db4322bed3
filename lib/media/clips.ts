import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  type Image,
  MkgError,
  makeFolder,
  positiveInteger,
  quote,
  refuseUnknown,
  stableHash,
  writeAtomic,
} from "../core/index.js";
import { imageFile } from "../graph/index.js";
import { markedFrames } from "./animation.js";
import { PngSplitter, runTool } from "./ffmpeg.js";
import { bytesImage } from "./image.js";
import { defaultMaxPixels } from "./pixels.js";

export interface ClipFramesOptions {
  /** Frames a second, resampled from the clip's own rate. Give `fps` or `every` or neither. */
  readonly fps?: number;
  /** Every n-th frame, from the first; default 1, every frame. */
  readonly every?: number;
  /** Most frames; a clip that gives more is an error; default 1,000. */
  readonly max?: number;
  /** Positions from 0 among the frames given that a human marked; default none, since nobody did. */
  readonly key?: readonly number[];
  /** Folder to write the frames to, as `000001.png` …, with `keyframes.txt`; it must be empty or not there. The images then read from it. Default: kept in memory. */
  readonly folder?: string;
  /** Most pixels of a frame; default 64 million. */
  readonly maxPixels?: number;
  /** Most bytes of all frames as PNG; default 256 MiB. */
  readonly maxBytes?: number;
  /** Most time for the whole clip; milliseconds; default 120,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const keys = ["fps", "every", "max", "key", "folder", "maxPixels", "maxBytes", "timeoutMs", "signal"];

// a playlist among the containers could name other files: only formats that hold their own frames are opened
const containers =
  "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,flv,ogg,asf,gif,apng,webp,ivf,h264,hevc,m4v,nut,rm,mxf";
const input = (path: string) => [
  "-protocol_whitelist",
  "file",
  "-format_whitelist",
  containers,
  "-i",
  `file:${resolve(path)}`,
];

/**
 * The frames of a clip as images, in time order, by the programs `ffmpeg` and `ffprobe` on the PATH. A frame's id is a hash of the path, the
 * choice and its position; its bytes are a PNG without loss. Rotation that the clip states is applied.
 *
 * The clip is data: no shell, no network, no playlists that name other files; time, frames, pixels and bytes are bounded, and the programs are
 * ended when a bound or the signal is hit. Pixels depend on ffmpeg's version where a decoder changed, the PNG bytes on it too.
 *
 * Memory: all frames as PNG, at most `maxBytes`; with `folder`, one frame. Time: that of decoding the clip.
 * Errors: no ffmpeg (a `SetupError` with the command), no such file, no moving picture in it, a truncated or damaged clip, a bound that is hit.
 *
 * @example
 * const frames = await clipFrames("tail swing.mp4", { fps: 4, key: [2, 3] });
 * (await selectFrames(frames, "uniform:8")).length   // 8
 */
export async function clipFrames(path: string, options: ClipFramesOptions = {}): Promise<readonly Image[]> {
  const place = `clip ${quote(path)}`;
  refuseUnknown(place, options, keys, "option");
  if (typeof path !== "string" || path === "" || path.includes("\0")) throw new MkgError(place, "not a path", "A file");
  const { fps, every = 1, max = 1000, key = [], folder, maxPixels = defaultMaxPixels } = options;
  const { maxBytes = 256 * 2 ** 20, timeoutMs = 120_000, signal } = options;
  for (const [name, value] of Object.entries({ every, max, maxPixels, maxBytes, timeoutMs }))
    positiveInteger(place, name, value);
  if (fps !== undefined && !(typeof fps === "number" && fps > 0 && fps <= 1000))
    throw new MkgError(place, `fps is not a number of frames a second (${quote(fps)})`, "Above 0, at most 1000");
  if (fps !== undefined && options.every !== undefined)
    throw new MkgError(place, "both fps and every are given", "One of them, or neither");
  const limit = AbortSignal.timeout(timeoutMs);
  const running = { place, timeoutMs, limit, signal: signal ? AbortSignal.any([signal, limit]) : limit };

  await checkFile(place, path);
  await checkStream(path, maxPixels, running);
  const rate = fps === undefined ? `select=not(mod(n\\,${every}))` : `fps=${fps}`;
  if (folder !== undefined) await checkEmpty(place, folder);
  // a folder with some of the frames, or without their marks, would pass for a whole clip: it gets its name when it is complete
  const staging = folder === undefined ? undefined : await besideOf(folder);
  try {
    return await framesInto(staging);
  } catch (error) {
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
    throw error;
  }

  async function framesInto(staging: string | undefined): Promise<readonly Image[]> {
    const made: ((key: boolean) => Image)[] = [];
    let size = 0;
    const take = async (png: Uint8Array) => {
      const i = made.length;
      if (i >= max)
        throw new MkgError(
          place,
          `more than ${max} frames`,
          `At most ${max}`,
          "Take fewer by fps or every, or raise max",
        );
      size += png.length;
      if (size > maxBytes)
        throw new MkgError(
          place,
          `its frames are too large (${size} bytes by frame ${i + 1})`,
          `At most ${maxBytes} bytes`,
          "Take fewer by fps or every, or raise maxBytes",
        );
      const id = stableHash(["clip", path, fps ?? null, every, i]);
      if (folder === undefined) return void made.push((marked) => bytesImage(png, id, { key: marked }));
      const name = frameName(i);
      await writeAtomic(`${staging}/${name}`, png);
      made.push((marked) => imageFile(folder, name, { key: marked }));
    };
    const frames = new PngSplitter(place, take, maxBytes);
    await runTool(
      "ffmpeg",
      [
        "-nostdin -hide_banner -v error -xerror -max_pixels".split(" "),
        String(maxPixels),
        input(path),
        "-map 0:v:0 -an -sn -dn -vf".split(" "),
        // frames numbered anew at the output's own rate, so that none is repeated or left out to keep time
        `${rate},settb=1/25,setpts=N`,
        "-r 25 -frames:v".split(" "),
        String(max + 1),
        "-f image2pipe -c:v png pipe:1".split(" "),
      ].flat(),
      running,
      (part) => frames.push(part),
    );
    frames.end();
    if (made.length === 0) throw new MkgError(place, "no frame could be read", "", "It may be empty or damaged");
    const marked = markedFrames(place, key, made.length);
    if (folder !== undefined && staging !== undefined) {
      await writeAtomic(`${staging}/keyframes.txt`, [...marked].map((at) => `${frameName(at)}\n`).join(""));
      await rename(staging, folder);
    }
    return Object.freeze(made.map((make, i) => make(marked.has(i))));
  }
}

/** A new folder beside the one that is wanted, on the same file system. */
async function besideOf(folder: string): Promise<string> {
  await makeFolder(dirname(resolve(folder)));
  return mkdtemp(`${resolve(folder)}.`);
}

const frameName = (i: number): string => `${String(i + 1).padStart(6, "0")}.png`;

async function checkFile(place: string, path: string): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  if (!info) throw new MkgError(place, `cannot read the clip (${path})`, "", "There is no such file; check the path");
  if (!info.isFile())
    throw new MkgError(place, `not a file (${path})`, "A clip", "frameFolder opens a folder of frames");
}

async function checkEmpty(place: string, folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  if (names.length > 0)
    throw new MkgError(
      place,
      `the folder for its frames is not empty (${folder}: ${names.length} entries)`,
      "An empty folder, or one that is not there yet",
      "Give another one: frames of two clips would mix",
    );
}

type Running = Parameters<typeof runTool>[2];

/** That the file holds a moving picture of a size that may be decoded. */
async function checkStream(path: string, maxPixels: number, running: Running): Promise<void> {
  let text = "";
  await runTool(
    "ffprobe",
    [
      "-hide_banner -v error".split(" "),
      input(path),
      "-select_streams v:0 -show_entries stream=width,height -of json".split(" "),
    ].flat(),
    running,
    async (part) => {
      if (text.length < 2 ** 16) text += new TextDecoder().decode(part);
    },
  );
  const { place } = running;
  const stream = (JSON.parse(text) as { streams?: { width?: number; height?: number }[] }).streams?.[0];
  if (!stream)
    throw new MkgError(place, "no moving picture in the file", "A clip with a video stream", "Check the file");
  const { width = 0, height = 0 } = stream;
  if (width * height > maxPixels)
    throw new MkgError(
      place,
      `too many pixels in a frame (${width} × ${height})`,
      `At most ${maxPixels} pixels`,
      "Make it smaller, or raise maxPixels",
    );
}
