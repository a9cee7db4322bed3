// What an XML file cannot hold, and what would break a line: control characters, line separators, lone surrogates, non-characters
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/gu;

/** A text as one line of a picture or table: line breaks and tabs become spaces, what cannot be printed becomes U+FFFD. */
export const clean = (text: string): string =>
  text
    .replace(/[\r\n\t\u2028\u2029]+/g, " ")
    .replace(unprintable, "\uFFFD")
    .trim();

/** Numbers as they stand in figures and tables: a true minus sign, no exponent for ordinary sizes, trailing zeros cut. */
export function plain(value: number, digits = 3): string {
  const fixed =
    Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 10 ** -digits)
      ? value.toPrecision(digits)
      : value.toFixed(digits);
  const short = fixed.includes("e") || !fixed.includes(".") ? fixed : fixed.replace(/\.?0+$/, "");
  return minus(short === "-0" ? "0" : short);
}

/** A fraction as percent with one decimal: 0.4123 → "41.2%". */
export const percentText = (fraction: number, digits = 1): string =>
  minus(`${(fraction * 100).toFixed(digits)}%`.replace(/^-(0(\.0+)?%)$/, "$1"));

/** A p-value: three decimals, and never "0". */
export const pText = (p: number): string => (p < 0.001 ? "< 0.001" : p.toFixed(3));

const minus = (text: string) => text.replace(/^-/, "\u2212");
