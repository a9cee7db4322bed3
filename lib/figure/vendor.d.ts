// Only what is used of two packages that ship no declarations.
declare module "fontkit" {
  export interface Font {
    readonly unitsPerEm: number;
    layout(text: string): { readonly advanceWidth: number };
    hasGlyphForCodePoint(codePoint: number): boolean;
  }
  export function openSync(path: string): Font;
}

declare module "svg-to-pdfkit" {
  export default function SVGtoPDF(
    document: object,
    svg: string,
    x: number,
    y: number,
    options: {
      width: number;
      height: number;
      fontCallback(family: string, bold: boolean, italic: boolean): string;
      warningCallback(message: string): void;
    },
  ): void;
}
