import type { Spec } from "vega";
import type { TopLevelSpec } from "vega-lite";
import { MkgError } from "../core/index.js";
import { fontFamily, fontFiles, textWidth, weightOf } from "./font.js";

/** What Vega gives its text measuring function. */
interface TextItem {
  readonly fontSize?: number;
  readonly fontWeight?: string | number;
  readonly limit?: number;
}

// vega and vega-lite have a top-level await, which a notebook's `require` of this library would trip over: load them when first needed
let libraries: Promise<{ vega: typeof import("vega"); vegaLite: typeof import("vega-lite") }> | undefined;
function load() {
  libraries ??= (async () => {
    const [vega, vegaLite] = await Promise.all([import("vega"), import("vega-lite")]);
    const { textMetrics } = vega as unknown as { textMetrics: { width(item: TextItem, text: unknown): number } };
    textMetrics.width = (item, text) => {
      const width = textWidth(text == null ? "" : String(text).trim(), item.fontSize ?? 11, weightOf(item.fontWeight));
      return item.limit && item.limit > 0 ? Math.min(width, item.limit) : width;
    };
    return { vega, vegaLite };
  })();
  return libraries;
}

/** Versions of the drawing libraries, for provenance. */
export async function versions(): Promise<{ vega: string; vegaLite: string }> {
  const { vega, vegaLite } = await load();
  return { vega: vega.version, vegaLite: vegaLite.version };
}

// A chart that Vega warns about (an empty scale, an ignored channel) is not the chart that was asked for
const strict = () => {
  const fail = (...messages: readonly unknown[]) => {
    throw new MkgError(
      "chart",
      `Vega cannot draw this as specified (${messages.join(" ")})`,
      "",
      "Report it with the chart's spec",
    );
  };
  const quiet = () => logger;
  const logger = { level: quiet, warn: fail, error: fail, info: quiet, debug: quiet } as never;
  return logger;
};

/** Draws a Vega-Lite specification as SVG text of exactly `widthPx` CSS px. The same specification gives the same bytes. */
export async function renderSvg(spec: object, widthPx: number): Promise<string> {
  const { vega, vegaLite } = await load();
  const compiled = vegaLite.compile(structuredClone(spec) as TopLevelSpec, { logger: strict() }).spec as Spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger: strict() });
  try {
    await view.runAsync();
    // toSVG draws in one synchronous step after its own run: nothing can take a number in between
    (vega as unknown as { resetSVGDefIds(): void }).resetSVGDefIds();
    const svg = await view.toSVG();
    return svg.replace(
      /width="[\d.]+" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"/,
      (_, height: string) => `width="${widthPx}" height="${height}" viewBox="0 0 ${widthPx} ${height}"`,
    );
  } finally {
    view.finalize();
  }
}

/** Width and height in CSS px (1/96 inch), from the SVG's own head. */
export function sizeOf(svg: string): { width: number; height: number } {
  const found = /width="([\d.]+)" height="([\d.]+)"/.exec(svg);
  if (!found) throw new MkgError("chart", "the SVG states no size");
  return { width: Number(found[1]), height: Number(found[2]) };
}

/** SVG as a one-page PDF: text stays text in an embedded subset of the packaged font, fixed dates, 1 px = 0.75 pt. */
export async function renderPdf(svg: string, title: string): Promise<Uint8Array> {
  const [{ default: PDFDocument }, { default: draw }] = await Promise.all([import("pdfkit"), import("svg-to-pdfkit")]);
  const { width, height } = sizeOf(svg);
  const epoch = new Date(0);
  const document = new PDFDocument({
    size: [width * 0.75, height * 0.75],
    margin: 0,
    font: fontFiles.regular,
    info: { Title: title, Creator: "mkglab", Producer: "mkglab", CreationDate: epoch, ModDate: epoch },
  });
  const chunks: Uint8Array[] = [];
  document.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => document.on("end", resolve).on("error", reject));
  for (const [weight, path] of Object.entries(fontFiles)) document.registerFont(weight, path);
  draw(document, svg, 0, 0, {
    width: width * 0.75,
    height: height * 0.75,
    fontCallback: (_family, bold) => (bold ? "semibold" : "regular"),
    warningCallback: (message) => {
      throw new MkgError("chart.pdf", `the drawing cannot be written as PDF (${message})`);
    },
  });
  document.end();
  await ended;
  return new Uint8Array(Buffer.concat(chunks));
}

/** SVG as PNG, `Math.round(width × scale)` pixels wide, white ground, the packaged font and no other. */
export async function renderPng(svg: string, scale: number): Promise<Uint8Array> {
  const { Resvg } = await import("@resvg/resvg-js");
  const { width } = sizeOf(svg);
  const picture = new Resvg(svg, {
    background: "white",
    fitTo: { mode: "width", value: Math.round(width * scale) },
    font: { loadSystemFonts: false, fontFiles: Object.values(fontFiles), defaultFontFamily: fontFamily },
  });
  return new Uint8Array(picture.render().asPng());
}
