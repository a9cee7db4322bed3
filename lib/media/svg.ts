import { MkgError } from "../core/index.js";

/** Seconds that drawing one SVG may take; the renderer looks at it between tiles. */
export const svgSeconds = 30;

const largestSide = 32_767;
const elsewhere =
  /<\?xml-stylesheet|@import|<(?:\w+:)?(?:image|use|feImage)\b[^<>]*?\bhref\s*=\s*["']\s*(?!#|data:)|\burl\(\s*["']?\s*(?!#|data:)[\w./]/i;
const embedded = /\bhref\s*=\s*["']\s*data:[^;,"']*;base64,([^"']*)["']/gi;

/**
 * What the renderer would leave out without a word is an error here: references to other files or addresses (never read), scripts (never run),
 * sizes that it cannot hold, and embedded pictures that `check` refuses.
 */
export async function checkSvg(
  place: string,
  bytes: Uint8Array,
  check: (picture: Uint8Array) => Promise<unknown>,
): Promise<void> {
  const text = new TextDecoder().decode(bytes);
  const refuse = (problem: string) =>
    new MkgError(place, problem, "A drawing that stands alone", "Draw it to a PNG, and use that");
  if (elsewhere.test(text) || elsewhere.test(unescaped(text)))
    throw refuse("an SVG that refers to other files or addresses, which are never read");
  if (/<(?:\w+:)?script\b/i.test(text)) throw refuse("an SVG with a script, which is never run");
  const root = /<(?:\w+:)?svg\b[^>]*>/i.exec(text)?.[0] ?? "";
  for (const [, name, value] of root.matchAll(/\s(width|height)\s*=\s*["']\s*([\d.]+(?:e[+-]?\d+)?)/gi))
    if (!(Number(value) <= largestSide))
      throw new MkgError(
        place,
        `too many pixels (an SVG whose ${name} is ${value})`,
        `At most ${largestSide} a side`,
        "Make it smaller",
      );
  for (const [, base64 = ""] of text.matchAll(embedded)) await check(Buffer.from(base64, "base64"));
}

/** The text with CSS escapes and character references read, by which an address could hide. */
const unescaped = (text: string): string =>
  text
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (_, hex, decimal) =>
      character(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_, hex) => character(Number.parseInt(hex, 16)))
    .replace(/\\(?=[a-z(])/gi, "");
const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");
