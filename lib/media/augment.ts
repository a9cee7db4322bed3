import { createHash } from "node:crypto";
import sharp from "sharp";
import { type Image, MkgError, quote, refuseUnknown, unknownName } from "../core/index.js";
import { refuseOther } from "./image.js";
import { pixels } from "./pixels.js";
import { PythonRandom } from "./python-random.js";

interface Raster {
  readonly width: number;
  readonly height: number;
  /** [height, width, 3]. */
  readonly data: Uint8Array;
}

interface Variant {
  readonly steps: readonly (readonly Step[])[];
  /** The seed of the generator from the key's text. */
  seed(key: string): number;
  readonly rotationCorners: "cropped" | "black";
  readonly crop: { readonly low: number; readonly high: number; readonly resized: boolean };
  readonly sharpness: boolean;
  readonly blur: boolean;
  quality(random: PythonRandom): number;
}

type Step = "swap" | "crop" | "rotate" | "jitter";

const sha1 = (text: string): string => createHash("sha1").update(text, "utf8").digest("hex");

const variants: Readonly<Record<string, Variant>> = {
  general: {
    steps: [["swap"], ["crop"], ["rotate"], ["jitter"], ["crop", "jitter"], ["rotate", "jitter"]],
    seed: (key) => Number(BigInt(`0x${sha1(key)}`) % (2n ** 31n - 1n)),
    rotationCorners: "cropped",
    crop: { low: 0.75, high: 0.95, resized: true },
    sharpness: true,
    blur: true,
    quality: (random) => random.randint(85, 95),
  },
  medical: {
    steps: [["crop"], ["rotate"], ["jitter"]],
    seed: (key) => Number.parseInt(sha1(key).slice(0, 8), 16),
    rotationCorners: "black",
    crop: { low: 0.75, high: 0.75, resized: false },
    sharpness: false,
    blur: false,
    quality: () => 92,
  },
};

export interface AugmentOptions {
  /** What the draws follow from: equal keys give equal pictures. */
  readonly key: string;
  /** `general` (default) or `medical`: the two programs of MKG-RAG-Bench. */
  readonly variant?: "general" | "medical";
  /** Other pictures of the same thing, one of which may take this one's place; general variant alone. */
  readonly others?: readonly Image[];
}

/**
 * Another view of a picture, as MKG-RAG-Bench makes its question pictures (Wang et al. 2026, arXiv 2606.26458, and its released code).
 *
 * | | general | medical |
 * |---|---|---|
 * | one of, with equal chance | swap, crop, rotate, jitter, crop + jitter, rotate + jitter | crop, rotate, jitter |
 * | swap | another of `others`; jitter where there is none | – |
 * | crop | side × U(0.75, 0.95), anywhere, scaled back | side × 0.75, anywhere, not scaled back |
 * | rotate | U(−10°, 10°), cut to the old size | the same, black corners kept |
 * | jitter | brightness, contrast, saturation × U(0.85, 1.15), sharpness × U(0.9, 1.1) | without sharpness |
 * | blur | with probability 0.3, radius U(0.4, 1) | – |
 * | JPEG quality | 85 … 95 | 92 |
 *
 * The draws are those of CPython's generator, seeded with SHA-1 of `key` (modulo 2^31 − 1; medical: its first eight digits); the order in which a step
 * draws is not published and is an assumption, and so are equal chances in the medical variant. Jitter is Pillow's to the last bit; crop, rotation and blur
 * are libvips'. The picture is made each time that its bytes are asked for, and is a JPEG. Cost: O(pixels). Errors: an unknown option or variant, an empty key.
 *
 * @example
 * const seen = augmentImage(image, { key: "S4||26" });
 * (await seen.bytes()).slice(0, 2);   // Uint8Array [255, 216]
 */
export function augmentImage(image: Image, options: AugmentOptions): Image {
  const place = "augmentImage";
  refuseOther(image);
  refuseUnknown(place, options, ["key", "variant", "others"], "option");
  const { key, variant = "general", others = [] } = options;
  if (typeof key !== "string" || key === "") throw new MkgError(place, `key is not a non-empty string (${quote(key)})`);
  if (!Object.hasOwn(variants, variant)) throw unknownName(place, "variant", variant, Object.keys(variants));
  const rule = variants[variant] as Variant;
  return Object.freeze({
    id: `${image.id}~${sha1(key).slice(0, 8)}`,
    key: image.key,
    bytes: () => augmented(image, rule, key, others),
  });
}

async function augmented(image: Image, rule: Variant, key: string, others: readonly Image[]): Promise<Uint8Array> {
  const random = new PythonRandom(rule.seed(key));
  let raster: Raster | undefined;
  for (const step of random.choice(rule.steps)) {
    if (step === "swap" && others.length > 0) {
      raster = await pixels(random.choice(others));
      continue;
    }
    raster ??= await pixels(image);
    if (step === "crop") raster = await crop(raster, rule, random);
    else if (step === "rotate") raster = await rotate(raster, rule, random);
    else raster = jitter(raster, jitterFactors(random, rule.sharpness));
  }
  let picture = open(raster as Raster);
  if (rule.blur && random.random() < 0.3) picture = picture.blur(random.uniform(0.4, 1));
  const bytes = await picture.jpeg({ quality: rule.quality(random), chromaSubsampling: "4:2:0" }).toBuffer();
  return new Uint8Array(bytes);
}

const open = ({ data, width, height }: Raster) => sharp(data, { raw: { width, height, channels: 3 } });

async function raw(picture: sharp.Sharp): Promise<Raster> {
  const { data, info } = await picture.raw({ depth: "uchar" }).toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

async function crop(raster: Raster, rule: Variant, random: PythonRandom): Promise<Raster> {
  const { width, height } = raster;
  const { low, high, resized } = rule.crop;
  const share = low === high ? low : random.uniform(low, high);
  const [w, h] = [Math.max(1, Math.floor(width * share)), Math.max(1, Math.floor(height * share))];
  const left = random.randint(0, width - w);
  const top = random.randint(0, height - h);
  const cut = open(raster).extract({ left, top, width: w, height: h });
  return raw(resized ? cut.resize(width, height, { kernel: "cubic", fit: "fill" }) : cut);
}

async function rotate(raster: Raster, rule: Variant, random: PythonRandom): Promise<Raster> {
  const { width, height } = raster;
  // Pillow turns against the clock, libvips with it
  const turned = await raw(open(raster).rotate(-random.uniform(-10, 10), { background: "#000000" }));
  if (rule.rotationCorners === "black") return turned;
  const left = Math.floor((turned.width - width) / 2);
  const top = Math.floor((turned.height - height) / 2);
  return raw(
    open(turned).extract({ left, top, width: Math.min(width, turned.width), height: Math.min(height, turned.height) }),
  );
}

interface Factors {
  readonly brightness: number;
  readonly contrast: number;
  readonly saturation: number;
  /** Left out: not changed. */
  readonly sharpness?: number;
}

function jitterFactors(random: PythonRandom, sharpness: boolean): Factors {
  const colour = () => random.uniform(0.85, 1.15);
  const own = { brightness: colour(), contrast: colour(), saturation: colour() };
  return sharpness ? { ...own, sharpness: random.uniform(0.9, 1.1) } : own;
}

/** Pillow's ImageEnhance, one after the other: each blends the picture with a duller one (black, its mean grey, its greys, a smoothed one) and rounds to bytes. */
export function jitter(raster: Raster, { brightness, contrast, saturation, sharpness }: Factors): Raster {
  let { data } = raster;
  const blended = (dull: (i: number) => number, factor: number): Uint8Array =>
    Uint8Array.from(data, (value, i) => blend(dull(i), value, factor));
  data = blended(() => 0, brightness);
  const grey = meanGrey(data);
  data = blended(() => grey, contrast);
  const greys = luma(data);
  data = blended((i) => greys[Math.floor(i / 3)] as number, saturation);
  if (sharpness === undefined) return { ...raster, data };
  const smooth = smoothed({ ...raster, data });
  return { ...raster, data: blended((i) => smooth[i] as number, sharpness) };
}

// Pillow computes in single precision: between the two it cuts off, beyond them it clips first
function blend(dull: number, value: number, factor: number): number {
  const alpha = Math.fround(factor);
  const mixed = Math.fround(dull + Math.fround(alpha * (value - dull)));
  if (alpha >= 0 && alpha <= 1) return Math.trunc(mixed);
  return mixed <= 0 ? 0 : mixed >= 255 ? 255 : Math.trunc(mixed);
}

/** ITU-R 601-2 luma in 16-bit fixed point, [height × width]. */
function luma(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length / 3);
  for (let i = 0; i < out.length; i++)
    out[i] =
      ((data[i * 3] as number) * 19595 +
        (data[i * 3 + 1] as number) * 38470 +
        (data[i * 3 + 2] as number) * 7471 +
        0x8000) >>
      16;
  return out;
}

const meanGrey = (data: Uint8Array): number => {
  const greys = luma(data);
  let sum = 0;
  for (const grey of greys) sum += grey;
  return Math.floor(sum / greys.length + 0.5);
};

/** Pillow's filter SMOOTH: 3 × 3 with weights 1, the middle 5; the border as it is. */
function smoothed({ data, width, height }: Raster): Uint8Array {
  const out = data.slice();
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++)
      for (let c = 0; c < 3; c++) {
        let sum = 4 * (data[(y * width + x) * 3 + c] as number);
        for (let dy = -1; dy <= 1; dy++)
          for (let dx = -1; dx <= 1; dx++) sum += data[((y + dy) * width + x + dx) * 3 + c] as number;
        out[(y * width + x) * 3 + c] = Math.floor(sum / 13 + 0.5);
      }
  return out;
}
