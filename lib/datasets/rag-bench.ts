import { byCodeUnit, MkgError, type Question } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import { type DatasetInput, defineDataset, type QuestionInput } from "./define.js";
import { markgCounts, markgGraph } from "./markg.js";
import { type BenchFiles, type BenchQuestion, benchFiles, type Modality, readBenchFiles } from "./rag-bench-files.js";
import { type Source, sourceFolder } from "./source.js";
import type { Candidate, Dataset, DatasetCard, SettingName } from "./types.js";

export const ragBenchSource: Source = {
  folder: "mkg-rag-bench",
  files: (["text", "mm"] as const).flatMap((modality) => Object.values(benchFiles(modality))),
  remedy:
    "Take queries and qrels of a split from https://github.com/XiaochenWang-PSU/MKG-RAG-Bench (no licence stated: for your own use) and give the relevant rows their markg_row, as data/README.md says.",
};

// arXiv 2606.26458, section 4: which questions meet which rows; an offset keeps the two number spaces apart
const settingParts: Readonly<
  Record<SettingName, { readonly questions: readonly Modality[]; readonly rows: readonly Modality[] }>
> = {
  S1: { questions: ["mm", "text"], rows: ["mm", "text"] },
  S2: { questions: ["text"], rows: ["text"] },
  S3: { questions: ["text"], rows: ["text", "mm"] },
  S4: { questions: ["mm"], rows: ["mm"] },
  S5: { questions: ["mm"], rows: ["mm", "text"] },
};

/**
 * MKG-RAG-Bench-G (Wang et al., KDD 2026, arXiv 2606.26458) over the superset corpora: which rows of MarKG the released corpora keep was decided
 * by a language model and cannot be derived, so every row of MarKG is a candidate. A row is multimodal when its head is an end of one of the first
 * 500 lines; order = line order, duplicates kept; document id = rank within the modality, from 0.
 */
export async function loadRagBench({ dir }: { readonly dir: string }): Promise<Dataset> {
  const folder = sourceFolder("mkg-rag-bench", dir, ragBenchSource);
  const graph = await markgGraph(dir);
  const rows = corpora(graph);
  const multimodal = new Set(rows.mm);
  const files = {
    text: await readBenchFiles(folder, "text", graph, (id) => multimodal.has(id)),
    mm: await readBenchFiles(folder, "mm", graph, (id) => multimodal.has(id)),
  };
  if (files.text.questions.length + files.mm.questions.length === 0)
    throw new MkgError(
      "dataset mkg-rag-bench",
      `no questions in ${folder}`,
      "At least one in text_queries.jsonl or mm_queries.jsonl",
    );
  const inputs = { text: questionsOf("text", files.text, graph), mm: questionsOf("mm", files.mm, graph) };
  const dataset: Dataset = defineDataset({
    name: "mkg-rag-bench",
    graph,
    questions: [...inputs.text, ...inputs.mm],
    visibleMeta: [],
    clusterName: "head entity",
    licence: "questions: not stated, for your own use only; graph: MIT",
    citation: "MKG-RAG-Bench, KDD 2026, arXiv 2606.26458; MarKG: arXiv 2210.00312",
    multimodal: (triple) => multimodal.has(triple.id),
    card: card(graph, rows, files),
    settings: settings(),
  });
  return dataset;

  function settings(): DatasetInput["settings"] {
    return Object.fromEntries(
      Object.entries(settingParts).map(([name, parts]) => [
        name,
        () => ({ questions: questionsIn(parts.questions), candidates: candidatesIn(parts.rows) }),
      ]),
    );
  }

  /** Ascending ids, those with relevant rows, as evaluated by the released code. */
  function questionsIn(modalities: readonly Modality[]): { id: string; question: Question }[] {
    const byId = new Map(dataset.questions.map((question) => [question.id, question]));
    let offset = 0;
    return modalities.flatMap((modality) => {
      const { questions, relevant } = files[modality];
      const list = questions
        .filter(({ qid }) => relevant.get(qid)!.length > 0)
        .sort((a, b) => a.qid - b.qid)
        .map(({ qid }) => Object.freeze({ id: String(qid + offset), question: byId.get(`${modality}:${qid}`)! }));
      offset += 1 + questions.reduce((max, { qid }) => Math.max(max, qid), -1);
      return list;
    });
  }

  function candidatesIn(modalities: readonly Modality[]): Candidate[] {
    let offset = 0;
    return modalities.flatMap((modality) => {
      const list = rows[modality].map((triple, i) =>
        Object.freeze({ id: String(i + offset), triple, text: graph.text(triple), multimodal: modality === "mm" }),
      );
      offset += list.length;
      return list;
    });
  }
}

/** Triple ids of the two superset corpora, in line order. */
function corpora(graph: Graph): Record<Modality, readonly string[]> {
  const { head, tail, id } = graph.triples.data();
  const ends = new Set<unknown>();
  for (let i = 0; i < Math.min(500, graph.triples.numRows()); i++) ends.add(head!.at(i)).add(tail!.at(i));
  const rows: Record<Modality, string[]> = { text: [], mm: [] };
  for (let i = 0; i < graph.triples.numRows(); i++) rows[ends.has(head!.at(i)) ? "mm" : "text"].push(id!.at(i));
  return rows;
}

function questionsOf(modality: Modality, { questions, relevant }: BenchFiles, graph: Graph): QuestionInput[] {
  return questions.map((q) => {
    const triples = relevant.get(q.qid)!;
    return {
      id: `${modality}:${q.qid}`,
      text: q.query,
      answers: answersOf(q, triples, graph),
      group: `${modality} ${q.masked}-masked`,
      cluster: q.head,
      gold: { triples },
      meta: {
        qid: q.qid,
        masked: q.masked,
        head: q.head,
        relation: q.relation,
        tail: q.tail,
        candidatesCount: q.candidates,
      },
    };
  });
}

/** Text of the masked field over the relevant rows, in qrels order; texts that are equal once normalised count once, the first as it stands. */
function answersOf(q: BenchQuestion, triples: readonly string[], graph: Graph): string[] {
  const answers = new Map<string, string>();
  for (const id of triples) {
    const triple = graph.triple(id);
    const text = q.masked === "tail" ? graph.entity(triple.tail).label : triple.relationLabel;
    const key = normalised(text) || text;
    if (!answers.has(key)) answers.set(key, text);
  }
  return [...answers.values()];
}

/** The released normalisation: lower case, ASCII punctuation deleted, articles dropped, blanks collapsed. */
const normalised = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, "")
    .split(/\s+/)
    .filter((token) => token !== "" && token !== "a" && token !== "an" && token !== "the")
    .join(" ");

function card(
  graph: Graph,
  rows: Record<Modality, readonly string[]>,
  files: Record<Modality, BenchFiles>,
): Partial<DatasetCard> {
  const counts: Record<string, number> = {
    ...markgCounts(graph),
    textRows: rows.text.length,
    multimodalRows: rows.mm.length,
  };
  const notices: { what: string; count: number; examples: string[] }[] = [];
  const notice = (what: string, examples: string[]) => {
    if (examples.length > 0) notices.push({ what, count: examples.length, examples: examples.slice(0, 5) });
  };
  for (const modality of ["text", "mm"] as const) {
    const { questions, relevant, judgements } = files[modality];
    const positives = (q: BenchQuestion) => relevant.get(q.qid)!.length;
    const id = (q: BenchQuestion) => `${modality}:${q.qid}`;
    counts[`${modality}Questions`] = questions.length;
    counts[`${modality}Judgements`] = judgements;
    for (const masked of ["tail", "relation"] as const)
      counts[`${modality}${masked === "tail" ? "Tail" : "Relation"}Masked`] = questions.filter(
        (q) => q.masked === masked,
      ).length;
    notice(
      `${modality} questions without relevant rows: left out of the settings`,
      questions.filter((q) => positives(q) === 0).map(id),
    );
    notice(
      `${modality} questions whose candidates_count is not their number of relevant rows`,
      questions
        .filter((q) => q.candidates !== null && q.candidates !== positives(q))
        .map((q) => `${id(q)}: ${q.candidates}, ${positives(q)}`),
    );
    notice(
      `${modality} questions whose relevant rows are not all rows of MarKG with their head and unmasked field`,
      questions.filter((q) => byRule(q, graph) !== [...relevant.get(q.qid)!].sort(byCodeUnit).join(" ")).map(id),
    );
  }
  notice(
    "images of the multimodal questions are not in the folder: text only",
    files.mm.questions.map((q) => `mm:${q.qid}`),
  );
  return {
    summary: "MKG-RAG-Bench-G: questions about MarKG with a masked tail or relation, over the superset corpora",
    origin: "real",
    counts,
    notices,
    limits: [
      "images of the multimodal questions are not in the folder: text only",
      "candidates are all rows of MarKG, more than the released corpora keep: figures are not the paper's",
      "questions of one head share it as cluster; sibling questions have the same relevant rows",
    ],
  };
}

/** The relevant rows as the benchmark defines them, as sorted ids in one string. */
const byRule = (q: BenchQuestion, graph: Graph): string =>
  graph
    .neighbours(q.head)
    .filter((n) => (q.masked === "tail" ? graph.triple(n.triple).relation === q.relation : n.entity === q.tail))
    .map((n) => n.triple)
    .sort(byCodeUnit)
    .join(" ");
