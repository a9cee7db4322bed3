import type { Image, Query, Question } from "../core/index.js";
import { dot, type Encoder, encoder } from "../embed/index.js";
import { answerKey } from "./text.js";

/** What a question's text alone suggests as its answer. */
export interface Guess {
  readonly text: string;
  readonly probability: number;
}

interface Example {
  readonly question: Question;
  /** Its answers by key: several accepted wordings of one answer share a key, and the first speaks for it. */
  readonly answers: ReadonlyMap<string, string>;
}

function byKey({ text, answers }: Question): Map<string, string> {
  const keys = new Map<string, string>();
  for (const a of answers) {
    const key = answerKey(a, text);
    if (key !== "" && !keys.has(key)) keys.set(key, a);
  }
  return keys;
}

/** Cosines of one question with every known one. */
export interface Resemblance {
  readonly text: Float64Array;
  /** 0 where either has no picture. */
  readonly picture: Float64Array;
}

/** How a resemblance becomes a vote. */
export interface Votes {
  readonly temperature: number;
  readonly pictureWeight: number;
}

interface Rows {
  readonly dim: number;
  readonly data: Float32Array;
}

/** The frame that a question is remembered by: the first marked as telling, else the first. */
const frameOf = (images: readonly Image[]): Image | undefined => images.find((i) => i.key) ?? images[0];

/**
 * Answers by resemblance to known questions: each known question votes for its answers with weight
 * exp((cosine of texts + pictureWeight · cosine of pictures) / temperature) (kernel regression; Nadaraya 1964, doi 10.1137/1109020).
 * Fitting is O(n) encodings, a guess O(n · dim).
 */
export class Prior {
  /** All keys of answers, in code-unit order. */
  readonly keys: readonly string[];
  /** Key → its position in `keys`. */
  readonly position: ReadonlyMap<string, number>;
  /** The answers of each example as positions in `keys`. */
  private readonly answersOf: readonly Int32Array[];

  private constructor(
    readonly examples: readonly Example[],
    private readonly encode: (questions: readonly Pick<Query, "text" | "images">[]) => Promise<readonly [Rows, Rows]>,
    private readonly rows: readonly [Rows, Rows],
  ) {
    this.keys = [...new Set(examples.flatMap((e) => [...e.answers.keys()]))].sort();
    this.position = new Map(this.keys.map((key, i) => [key, i]));
    this.answersOf = examples.map((e) => Int32Array.from(e.answers.keys(), (key) => this.position.get(key) as number));
  }

  static async fit(questions: readonly Question[], pictures: boolean): Promise<Prior> {
    const examples = questions
      .map((question) => ({ question, answers: byKey(question) }))
      .filter((e) => e.answers.size > 0);
    const known = examples.map((e) => e.question);
    const plain = (await encoder("hash", { dim: 256 })) as Encoder<string>;
    const text = plain.fit?.(known.map((q) => q.text)) ?? plain;
    const image = pictures ? ((await encoder("pixels")) as Encoder<Image>) : undefined;
    const encode = async (asked: readonly Pick<Query, "text" | "images">[]) => {
      const words = { dim: text.dim, data: await text.encode(asked.map((q) => q.text)) };
      const frames = asked.map((q) => frameOf(q.images));
      if (!image) return [words, { dim: 0, data: new Float32Array(0) }] as const;
      const data = new Float32Array(asked.length * image.dim);
      const shown = [...frames.keys()].filter((i) => frames[i]);
      const seen = await image.encode(shown.map((i) => frames[i] as Image));
      for (const [i, row] of shown.entries())
        data.set(seen.subarray(i * image.dim, (i + 1) * image.dim), row * image.dim);
      return [words, { dim: image.dim, data }] as const;
    };
    return new Prior(examples, encode, await encode(known));
  }

  /** Resemblance of one of the known questions to all of them. */
  known(row: number): Resemblance {
    const [text, picture] = this.rows.map((rows) => cosines(rows, rows, row, this.examples.length));
    return { text, picture } as Resemblance;
  }

  async resemblance(question: Pick<Query, "text" | "images">): Promise<Resemblance> {
    const asked = await this.encode([question]);
    const [text, picture] = this.rows.map((rows, i) => cosines(rows, asked[i] as Rows, 0, this.examples.length));
    return { text, picture } as Resemblance;
  }

  /** Probability of each of `keys`; `without` leaves out a cluster, so that a question does not vote for itself or its siblings. All 0 when nothing votes. */
  probabilities({ text, picture }: Resemblance, { temperature, pictureWeight }: Votes, without?: string): Float64Array {
    const near = (i: number) => (text[i] as number) + pictureWeight * (picture[i] as number);
    const votes = (i: number) => this.examples[i]?.question.cluster !== without;
    const out = new Float64Array(this.keys.length);
    let largest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < text.length; i++) if (votes(i)) largest = Math.max(largest, near(i));
    let total = 0;
    for (let i = 0; i < text.length; i++) {
      if (!votes(i)) continue;
      const vote = Math.exp((near(i) - largest) / temperature);
      const answers = this.answersOf[i] as Int32Array;
      for (const key of answers) out[key] = (out[key] as number) + vote / answers.length;
      total += vote;
    }
    return total > 0 ? out.map((w) => w / total) : out;
  }

  /** The answers that anything votes for, by key, in the wording of the nearest example. */
  guesses(resemblance: Resemblance, votes: Votes, without?: string): Map<string, Guess> {
    const probability = this.probabilities(resemblance, votes, without);
    const wording = new Map<string, { text: string; near: number }>();
    for (const [i, { answers, question }] of this.examples.entries()) {
      if (question.cluster === without) continue;
      const near = (resemblance.text[i] as number) + votes.pictureWeight * (resemblance.picture[i] as number);
      for (const [key, text] of answers)
        if (near > (wording.get(key)?.near ?? Number.NEGATIVE_INFINITY)) wording.set(key, { text, near });
    }
    return new Map(
      this.keys.flatMap((key, i) => {
        const p = probability[i] as number;
        return p > 0 ? [[key, { text: wording.get(key)?.text as string, probability: p }] as const] : [];
      }),
    );
  }
}

function cosines(rows: Rows, asked: Rows, row: number, n: number): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = dot(asked.data, row, rows.data, i, rows.dim);
  return out;
}
