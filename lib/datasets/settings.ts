import type { Question } from "../core/index.js";
import type { Graph, Triple } from "../graph/index.js";
import type { Candidate, Dataset, SettingName, SettingView } from "./types.js";

type Modality = "mm" | "text";
type View = Pick<SettingView, "questions" | "candidates">;

/** Which questions meet which rows: MKG-RAG-Bench 2026, arXiv 2606.26458, section 4. An offset keeps the two number spaces apart, in the order given here. */
export const settingParts: Readonly<
  Record<SettingName, { readonly questions: readonly Modality[]; readonly rows: readonly Modality[] }>
> = {
  S1: { questions: ["mm", "text"], rows: ["mm", "text"] },
  S2: { questions: ["text"], rows: ["text"] },
  S3: { questions: ["text"], rows: ["text", "mm"] },
  S4: { questions: ["mm"], rows: ["mm"] },
  S5: { questions: ["mm"], rows: ["mm", "text"] },
};

/** Whether a triple is multimodal, where settings are by modality: its head has a picture. */
export const headHasPicture =
  (graph: Graph) =>
  ({ head }: Triple): boolean =>
    graph.entity(head).images.length > 0;

/**
 * The settings of a data set by modality: a row is multimodal where its head has a picture, a question where it has one itself. Asked are the
 * questions that a row of their own modality is relevant to, the same ones in every setting that has their modality, so that
 * settings can be compared question by question; `left` lists the others. Relevant is what stands among a setting's rows. Ids are those of the data set.
 */
export function modalitySettings(
  questions: readonly Question[],
  relevant: (question: Question) => readonly string[],
  rows: () => readonly Candidate[],
  isMultimodal: (triple: string) => boolean,
): { readonly views: Record<SettingName, () => View>; readonly left: readonly string[] } {
  const asked: Record<Modality, Question[]> = { mm: [], text: [] };
  const left: string[] = [];
  for (const question of questions) {
    const own = question.images.length > 0;
    const triples = relevant(question);
    if (triples.every((id) => isMultimodal(id) !== own)) left.push(question.id);
    else asked[own ? "mm" : "text"].push(question);
  }
  const view = (name: SettingName) => (): View => {
    const { questions: which, rows: of } = settingParts[name];
    return {
      questions: which.flatMap((modality) =>
        asked[modality].map((question) => Object.freeze({ id: question.id, question })),
      ),
      candidates: rows().filter(({ multimodal }) => of.includes(multimodal ? "mm" : "text")),
    };
  };
  const names = Object.keys(settingParts) as SettingName[];
  return {
    views: Object.fromEntries(names.map((name) => [name, view(name)])) as Record<SettingName, () => View>,
    left,
  };
}

// a data set is frozen and its fields are documented for users: that its settings follow from it alone matters to the writer only
const derived = new WeakSet<Dataset>();
export const markDerived = (dataset: Dataset): void => void derived.add(dataset);
/** Whether the settings of a data set are those by modality, which follow from its graph and questions. */
export const areByModality = (dataset: Dataset): boolean => derived.has(dataset);
