import { join } from "node:path";
import { byCodeUnit, readJsonl } from "../core/index.js";
import type { Graph } from "../graph/index.js";
import type { CardInput } from "./card.js";
import { isFields } from "./intake.js";
import { noticed } from "./noticed.js";
import type { Variant } from "./rag-bench.js";
import type { Corpora } from "./rag-bench-corpus.js";
import { type BenchFiles, type BenchQuestion, type Modality, queriesFile } from "./rag-bench-files.js";
import type { DatasetCard, SplitName } from "./types.js";

type Files = Readonly<Record<Modality, BenchFiles>>;
const modalities = ["text", "mm"] as const;

/**
 * Questions whose sibling (the other of qids 2g and 2g + 1: same group, same relevant rows) lies in another split whose files are there: whoever learns
 * from that split has seen the gold of these. As `text:10: train`.
 */
export async function siblingsIn(
  folders: ReadonlyMap<SplitName, string>,
  split: SplitName,
  files: Files,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [other, folder] of folders) {
    if (other === split) continue;
    for (const modality of modalities) {
      const own = new Set(files[modality].questions.map(({ qid }) => qid));
      const ignore = () => {}; // a bad line is that split's error, when it is loaded
      for await (const { record } of readJsonl<unknown>(join(folder, queriesFile(modality)), "siblings", ignore)) {
        const qid = isFields(record) ? record.qid : undefined;
        // a sum, not ^, which would cut qids to 32 bits
        const sibling = Number.isSafeInteger(qid) ? (qid as number) + ((qid as number) % 2 === 0 ? 1 : -1) : -1;
        if (own.has(sibling)) found.push(`${modality}:${sibling}: ${other}`);
      }
    }
  }
  return found;
}

/** The card of one split. */
export function benchCard(
  variant: Variant,
  corpora: Corpora,
  files: Files,
  more: {
    readonly siblings: readonly string[];
    readonly notices: DatasetCard["notices"];
    readonly counts: Readonly<Record<string, number>>;
    readonly images: number;
    /** Whether the questions' pictures are views of those that their gold rows are indexed by. */
    readonly goldImages: boolean;
  },
): CardInput {
  const { graph, rows, source } = corpora;
  const superset = corpora.kind === "superset";
  const counts: Record<string, number> = { ...more.counts, textRows: rows.text.size, multimodalRows: rows.mm.size };
  const notices = [...more.notices];
  for (const modality of modalities) {
    const { questions, relevant, judgements } = files[modality];
    const positives = (q: BenchQuestion) => relevant.get(q.qid)!.length;
    const id = (q: BenchQuestion) => `${modality}:${q.qid}`;
    counts[`${modality}Questions`] = questions.length;
    counts[`${modality}Judgements`] = judgements;
    for (const masked of ["tail", "relation"] as const)
      counts[`${modality}${masked === "tail" ? "Tail" : "Relation"}Masked`] = questions.filter(
        (q) => q.masked === masked,
      ).length;
    notices.push(
      ...noticed(
        `${modality} questions without relevant rows: left out of the settings`,
        questions.filter((q) => positives(q) === 0).map(id),
      ),
    );
    notices.push(
      ...noticed(
        `${modality} questions whose ${variant.siblings ? "candidates_count" : "positives"} is not their number of relevant rows`,
        questions
          .filter((q) => q.candidates !== null && q.candidates !== positives(q))
          .map((q) => `${id(q)}: ${q.candidates}, ${positives(q)}`),
      ),
    );
    notices.push(
      ...noticed(
        `${modality} questions whose relevant rows are not all rows of ${source} with their head and unmasked field`,
        questions.filter((q) => byRule(q, graph) !== [...relevant.get(q.qid)!].sort(byCodeUnit).join(" ")).map(id),
      ),
    );
  }
  notices.push(...noticed("questions whose sibling, with the same relevant rows, is in another split", more.siblings));
  const asked = files.mm.questions.length;
  return {
    summary: `${variant.what}, over the ${superset ? "superset" : "released"} corpora`,
    origin: "real",
    counts: { ...counts, questionImages: more.images },
    notices,
    limits: [
      ...(more.images < asked
        ? [
            more.images === 0
              ? "multimodal questions are without picture: text only"
              : `${asked - more.images} of ${asked} multimodal questions are without picture: text only`,
          ]
        : []),
      ...(more.images > 0 && more.goldImages
        ? [
            "the picture of a question is a view of the one that its gold rows are indexed by, as released: it leaks them",
          ]
        : []),
      superset
        ? "candidates are all rows of MarKG, more than the released corpora keep: figures are not the paper's"
        : "candidates are the rows of the released corpora; ties and encoders decide how near figures come to the paper's",
      `questions of one head share it as cluster${variant.siblings ? "; sibling questions have the same relevant rows" : ""}`,
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
