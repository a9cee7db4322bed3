import { Resvg } from "@resvg/resvg-js";
import { type Image, random, stableHash } from "../../core/index.js";

const [width, height] = [96, 72];
/** The flag in the graph, in pixels. */
const [flagWidth, flagHeight] = [120, 90];

/**
 * A flag as a question shows it: cropped by up to 8 % of each side, scaled, tilted, sheared, shaded and set before a plain background,
 * all by the seed, 96 × 72. Never the bytes or the pixels of the graph's picture. Drawn when asked for, the same each time.
 */
export function flagShown(flag: Image, seed: number): Image {
  return Object.freeze({
    id: stableHash(["atlas flag", 1, seed]),
    key: true,
    bytes: async () => {
      const svg = drawFlag(await flag.bytes(), seed);
      return new Uint8Array(new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng());
    },
  });
}

function drawFlag(png: Uint8Array, seed: number): string {
  const r = random("atlas flag", seed);
  const between = (low: number, high: number) => low + (high - low) * r.float();
  const n = (value: number) => value.toFixed(2);
  const background = `hsl(${r.int(360)},${10 + r.int(25)}%,${35 + r.int(45)}%)`;
  const [w, h] = [flagWidth * between(0.92, 1), flagHeight * between(0.92, 1)];
  const [x, y] = [between(0, flagWidth - w), between(0, flagHeight - h)];
  const place = `translate(${n(width / 2 + between(-4, 4))} ${n(height / 2 + between(-3, 3))}) rotate(${n(between(-12, 12))}) skewX(${n(between(-8, 8))}) scale(${n(between(0.72, 0.9))})`;
  const light = between(-0.3, 0.25);
  const data = Buffer.from(png).toString("base64");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="${width}" height="${height}" fill="${background}"/><g transform="${place}"><svg x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" viewBox="${n(x)} ${n(y)} ${n(w)} ${n(h)}" preserveAspectRatio="none"><image width="${flagWidth}" height="${flagHeight}" href="data:image/png;base64,${data}"/></svg></g><rect width="${width}" height="${height}" fill="${light < 0 ? "#000" : "#fff"}" opacity="${n(Math.abs(light))}"/></svg>`;
}
