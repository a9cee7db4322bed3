import { createRequire } from "node:module";
import { MkgError, quote } from "../core/index.js";
import { mimeBundle } from "./bundle.js";
import type { MimeBundle, ShowOptions } from "./types.js";

/** The notebook's `display` object (`import { display } from "tslab"` in a cell); only this much of it is used. */
export interface Display {
  raw(contentType: string, data: never): unknown;
}

type Write = (
  message: { data: MimeBundle; metadata: Record<string, unknown>; transient: { display_id?: string } },
  update: boolean,
) => void;

/** The kernel's writer of whole bundles. Looked up among what is loaded: a kernel loaded from here would be another one. */
function kernelWriter(): Write | null {
  const loaded = createRequire(import.meta.url).cache;
  const path = Object.keys(loaded).find((name) => /[/\\]tslab[/\\]dist[/\\]jupyter\.js$/.test(name));
  return path === undefined ? null : (loaded[path]?.exports.lastWriteDisplayData ?? null);
}

/** From the form that says most to the one that is always there. */
const preference = ["application/vnd.vegalite.v5+json", "image/png", "text/html", "text/plain"];

/**
 * Shows a value in a notebook: a chart, a table, pictures, a graph, a run with its rankings, evidence, a study. What is
 * left out is counted in the output.
 *
 * Inside a kernel it sends one output with all its forms and gives undefined, so that a cell that ends in
 * `await show(x)` prints nothing more. Outside of one it sends nothing and gives the bundle.
 *
 * @param display where to show it; one made by `newDisplay()` is redrawn in place. By default the kernel's own.
 * @param options how much is shown; an unknown option is an error.
 *
 * @example
 * await show(compare(scores, { baseline: "bm25" })); // a table below the cell
 */
export async function show(
  value: unknown,
  display?: Display,
  options: ShowOptions = {},
): Promise<MimeBundle | undefined> {
  if (display !== undefined && typeof (display as Partial<Display> | null)?.raw !== "function")
    throw new MkgError(
      "show",
      `the second argument is not a display (${quote(display)})`,
      "What newDisplay() of the notebook returns, or undefined",
      "Options come third: show(value, undefined, options)",
    );
  const bundle = await mimeBundle(value, options);
  const write = kernelWriter();
  if (write) {
    const entry = display as (Display & { id?: string; update?: boolean }) | undefined;
    write({ data: bundle, metadata: {}, transient: entry?.id ? { display_id: entry.id } : {} }, entry?.update === true);
    if (entry?.id) entry.update = true;
    return undefined;
  }
  if (!display) return bundle;
  const type = preference.find((name) => bundle[name] !== undefined) as string;
  display.raw(type, bundle[type] as never);
  return undefined;
}
