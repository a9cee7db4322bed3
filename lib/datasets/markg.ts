import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Graph, loadGraph } from "../graph/index.js";
import { defineDataset } from "./define.js";
import { type Source, sourceFolder } from "./source.js";
import type { Dataset } from "./types.js";

export const markgSource: Source = {
  folder: "markg",
  files: ["wiki_tuple_ids.txt", "entity2text.txt", "entity2textlong.txt", "relation2text.txt"],
  remedy:
    "Put the files of MarT/dataset/MarKG from https://github.com/zjunlp/MKG_Analogy (MIT) there, pictures in images/<entity id>/.",
};

/** MarKG as a graph: the id of a triple is its line in `wiki_tuple_ids.txt`, from 0. */
export async function markgGraph(dir: string, lenient = false): Promise<Graph> {
  const folder = sourceFolder("markg", dir, markgSource);
  const images = join(folder, "images");
  return loadGraph(join(folder, "wiki_tuple_ids.txt"), {
    name: "markg",
    header: false,
    lenient,
    labels: {
      entities: join(folder, "entity2text.txt"),
      descriptions: join(folder, "entity2textlong.txt"),
      relations: join(folder, "relation2text.txt"),
    },
    ...(existsSync(images) ? { images } : {}),
  });
}

/** The counts of MarKG that its card shows. */
export const markgCounts = (graph: Graph): Record<string, number> => {
  const { distinctLabels, entitiesInTriples, distinctTriples, relations, images } = graph.describe();
  const { entityLabels = 0, relationLabels = 0 } = graph.report.read;
  return {
    labelledEntities: entityLabels,
    distinctLabels,
    entitiesInTriples,
    distinctTriples,
    labelledRelations: relationLabels,
    relations,
    images,
  };
};

export async function loadMarkg({
  dir,
  lenient,
}: {
  readonly dir: string;
  readonly lenient?: boolean;
}): Promise<Dataset> {
  const graph = await markgGraph(dir, lenient);
  return defineDataset({
    name: "markg",
    graph,
    questions: [],
    licence: "MIT",
    citation:
      "Zhang, Li, Chen, Liang, Yu, Chen: Multimodal Analogical Reasoning over Knowledge Graphs, ICLR 2023, arXiv 2210.00312",
    card: {
      summary: "MarKG, a multimodal graph of Wikidata entities behind the analogy benchmark MARS",
      origin: "real",
      counts: markgCounts(graph),
      limits: ["a graph without questions", "pictures only of the entities whose folders are there"],
    },
  });
}
