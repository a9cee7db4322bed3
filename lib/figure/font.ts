import { fileURLToPath } from "node:url";
import { type Font, openSync } from "fontkit";

/** The packaged face: Source Sans 3 (Adobe, SIL Open Font License 1.1), in the two weights that figures use. */
export const fontFamily = "Source Sans 3";
const file = (name: string) => fileURLToPath(new URL(`../../assets/fonts/${name}`, import.meta.url));
export const fontFiles = {
  regular: file("SourceSans3_400Regular.ttf"),
  semibold: file("SourceSans3_600SemiBold.ttf"),
} as const;
export type Weight = keyof typeof fontFiles;

/** CSS weight, as a number or a word, to the packaged weight that draws it. */
export const weightOf = (cssWeight: unknown): Weight =>
  cssWeight === "bold" || cssWeight === "bolder" || Number(cssWeight) >= 600 ? "semibold" : "regular";

const open = new Map<Weight, Font>();
function font(weight: Weight): Font {
  let found = open.get(weight);
  if (!found) {
    found = openSync(fontFiles[weight]);
    open.set(weight, found);
  }
  return found;
}

// Widths do not change while the process lives; the bound keeps a long notebook session small.
const widths = new Map<string, number>();
const maxWidths = 4096;

/**
 * Width of one line of text in CSS px, from the packaged font's own advances and kerning (what a browser, the PDF and
 * the PNG draw), not an estimate. O(length) the first time, then from a cache of 4096 texts.
 *
 * @example
 * textWidth("nDCG@10", 10) // 41.62
 */
export function textWidth(text: string, sizePx: number, weight: Weight = "regular"): number {
  if (text === "" || !(sizePx > 0)) return 0;
  const key = `${weight} ${text}`;
  let em = widths.get(key);
  if (em === undefined) {
    const face = font(weight);
    em = face.layout(text).advanceWidth / face.unitsPerEm;
    if (widths.size >= maxWidths) widths.clear();
    widths.set(key, em);
  }
  return em * sizePx;
}

/** The characters of a text that the packaged font cannot draw (they come out as boxes), each once, in order of appearance. */
export function missingGlyphs(text: string): string[] {
  const face = font("regular");
  return [...new Set(text)].filter((c) => c !== "\n" && !face.hasGlyphForCodePoint(c.codePointAt(0) as number));
}

/** Breaks a text into lines no wider than `maxPx`: between words, and inside a word only when it alone is too wide. */
export function wrap(text: string, maxPx: number, sizePx: number, weight: Weight = "regular"): string[] {
  const fits = (line: string) => textWidth(line, sizePx, weight) <= maxPx;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (fits(joined)) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    line = "";
    for (const character of word) {
      if (line !== "" && !fits(line + character)) {
        lines.push(line);
        line = "";
      }
      line += character;
    }
  }
  lines.push(line);
  return lines;
}
