import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import sharp from "sharp";
import type { Image } from "../core/index.js";
import type { BestiaryOptions, Dataset } from "../datasets/index.js";
import type { Entity } from "../graph/index.js";

// Sheets of frames for the data card, lettered in the packaged font.

const frame = 96;
const gap = 6;
const line = 16;
const font = fileURLToPath(new URL("../../assets/fonts/SourceSans3_400Regular.ttf", import.meta.url));

interface Panel {
  readonly image: Image;
  readonly label?: string;
  /** Drawn with a frame around it. */
  readonly marked?: boolean;
}

/** Rows of frames with a label above each row and below each frame, as a PNG of at most 256 colours. The same input, the same bytes on one kind of processor. */
async function sheet(
  rows: readonly { readonly title?: string; readonly panels: readonly Panel[] }[],
): Promise<Uint8Array> {
  const parts: string[] = [];
  let y = gap;
  let width = 0;
  for (const { title, panels } of rows) {
    if (title !== undefined) {
      parts.push(text(gap, y + 12, title));
      y += line;
    }
    for (const [i, { image, label, marked }] of panels.entries()) {
      const x = gap + i * (frame + gap);
      const data = Buffer.from(await image.bytes()).toString("base64");
      parts.push(
        `<image x="${x}" y="${y}" width="${frame}" height="${frame}" href="data:image/png;base64,${data}"/>`,
        marked
          ? `<rect x="${x - 2}" y="${y - 2}" width="${frame + 4}" height="${frame + 4}" fill="none" stroke="#c00000" stroke-width="4"/>`
          : "",
        label === undefined ? "" : text(x, y + frame + 12, label),
      );
      width = Math.max(width, x + frame + gap);
    }
    y += frame + gap + (panels.some(({ label }) => label !== undefined) ? line : 0);
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}"><rect width="100%" height="100%" fill="#ffffff"/>${parts.join("")}</svg>`;
  const drawn = new Resvg(svg, {
    font: { loadSystemFonts: false, fontFiles: [font], defaultFontFamily: "Source Sans 3" },
  }).render();
  return new Uint8Array(await sharp(drawn.asPng()).png({ palette: true, dither: 0, compressionLevel: 9 }).toBuffer());
}

const text = (x: number, y: number, words: string): string =>
  `<text x="${x}" y="${y}" font-family="Source Sans 3" font-size="13" fill="#222222">${words.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</text>`;

/** The pictures of the data card: all creatures, a clip, two attacks at each of `ambiguities`, the mark of a planted leak. */
export async function cardPictures(
  dataset: Dataset,
  load: (changes: BestiaryOptions) => Promise<Dataset>,
  ambiguities: readonly number[],
): Promise<{ name: string; png: Uint8Array }[]> {
  const of = (d: Dataset, kind: string) => (d.graph.entities.objects() as Entity[]).filter((e) => e.kind === kind);
  const inRows = (panels: readonly Panel[], length: number) =>
    Array.from({ length: Math.ceil(panels.length / length) }, (_, i) => ({
      panels: panels.slice(i * length, (i + 1) * length),
    }));
  const [first, second] = of(dataset, "attack") as [Entity, Entity];
  const keys = (e: Entity): Panel[] => e.images.filter((i) => i.key).map((image) => ({ image }));
  const pair = [];
  for (const ambiguity of ambiguities) {
    const shown = of(await load({ imageAmbiguity: ambiguity }), "attack").slice(0, 2) as [Entity, Entity];
    pair.push({
      title: `${first.id} (left) and ${second.id} (right), imageAmbiguity ${ambiguity}`,
      panels: [...keys(shown[0]), ...keys(shown[1])],
    });
  }
  const marked = of(await load({ imageShortcut: 1 }), "attack").slice(0, 4);
  return [
    {
      name: "creatures.png",
      png: await sheet(
        inRows(
          of(dataset, "creature").map((e) => ({ image: e.images[0] as Image, label: e.label })),
          8,
        ),
      ),
    },
    {
      name: "clip.png",
      png: await sheet(
        inRows(
          first.images.map((image, i) => ({ image, label: `${i + 1}${image.key ? " key" : ""}`, marked: image.key })),
          8,
        ),
      ),
    },
    { name: "attacks.png", png: await sheet(pair) },
    {
      name: "mark.png",
      png: await sheet([
        {
          title: `First frames of attacks of ${of(dataset, "creature")[0]?.label}, imageShortcut 1`,
          panels: marked.map((e) => ({
            image: e.images[0] as Image,
            label: e.label.slice(e.label.indexOf(" ") + 1),
          })),
        },
      ]),
    },
  ];
}
