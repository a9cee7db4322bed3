import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { resolveOptions, SetupError } from "../../core/index.js";
import { type Graph, loadGraph } from "../../graph/index.js";
import { defineDataset } from "../define.js";
import type { Dataset } from "../types.js";
import { card } from "./card.js";
import { Facts } from "./facts.js";
import { type AtlasOptions, atlasOptions } from "./options.js";
import { askQuestions, type Split, supply } from "./questions.js";

// beside the code, in a clone as in an installed package: lib/datasets/atlas and dist/datasets/atlas are equally deep
const folder = fileURLToPath(new URL("../../../data/atlas", import.meta.url));

/**
 * The embedded data set of real countries: 250 countries and territories with capitals, borders, currencies, languages, scripts, regions,
 * and their flags as pictures; and questions made by grammar in five kinds: one hop, two hops, intersection, flag, route. All right
 * answers that the graph gives are accepted, and gold holds every route to them; what has more than four is not asked.
 *
 * Splits share the graph and no country that is asked about (the cluster); other countries that a question names, and answers such as
 * "Euro", recur. `gold.triples` are the triples of the routes, those that the conditions rest on, and those that state the same the
 * other way round (a border, a capital). No meta field is visible.
 *
 * The tables are under ODbL-1.0, the flags under MIT: see data/atlas/README.md. Errors: an unknown option or a value out of range.
 *
 * @example
 * const dataset = await loadAtlas();
 * dataset.questions.length   // 400
 * dataset.card.origin        // "real"
 */
export async function loadAtlas(options: AtlasOptions = {}): Promise<Dataset> {
  const o = resolveOptions("atlas", atlasOptions, options as Readonly<Record<string, unknown>>) as {
    readonly seed: number;
    readonly split: Split;
    readonly perKind: number;
  };
  return ask(await atlasGraph(), o);
}

async function atlasGraph(): Promise<Graph> {
  if (!existsSync(folder))
    throw new SetupError("dataset atlas", `its tables are missing (${folder})`, "", "Install mkglab anew: npm install");
  return loadGraph(folder, { name: "atlas" });
}

function ask(graph: Graph, o: { readonly seed: number; readonly split: Split; readonly perKind: number }): Dataset {
  const facts = new Facts(graph);
  const matter = supply(facts, o.split);
  const questions = askQuestions(facts, matter, o);
  const other = (split: Split) => () => ask(graph, { ...o, split });
  return defineDataset({
    name: "atlas",
    split: o.split,
    graph,
    questions,
    settings: "modality",
    splits: { train: other("train"), validation: other("validation"), test: other("test") },
    visibleMeta: [],
    clusterName: "country asked about",
    licence: "ODbL-1.0 (tables), MIT (flags)",
    citation:
      "world-countries 5.1.0 (M. Le Doze and contributors), Unicode CLDR 48.2.0, flag-icons 7.5.0 (P. Lipiridis and contributors)",
    card: card(graph, facts, questions, matter, o.perKind),
  });
}
