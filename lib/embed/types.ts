import type { Image } from "../core/index.js";

/** Turns items into vectors. `revision` changes whenever equal input could give another vector. */
export interface Encoder<T extends string | Image = string | Image> {
  readonly name: string;
  readonly revision: string;
  readonly modality: "text" | "image";
  readonly dim: number;
  /** What the vectors can be compared with: encoders of one space, such as the two halves of CLIP, name the same; absent where it is this encoder's alone. */
  readonly space?: string;
  /** [n, dim] row-major, unit rows (a zero row where an item has no features). */
  encode(items: readonly T[]): Promise<Float32Array>;
  /** The same, each row as long as the model gives it; absent where the model gives unit rows. */
  encodeRaw?(items: readonly T[]): Promise<Float32Array>;
  /** Encoding costs less than reading vectors back: not cached. */
  readonly quick?: boolean;
  /** An encoder weighted by the statistics of a corpus, where the encoder has any (idf). */
  fit?(corpus: readonly T[]): Encoder<T>;
}

/** [n, dim] row-major, unit rows. */
export interface Vectors {
  readonly n: number;
  readonly dim: number;
  readonly data: Float32Array;
  readonly encoder: string;
  readonly revision: string;
  /** Rows of zeros: items without features, near to nothing. */
  readonly zeroRows?: number;
}

/** Folders that parts may use. */
export interface Folders {
  /** Where vectors and captions are kept between runs; without it, nowhere. */
  readonly cache?: string;
  /** Where models are. */
  readonly models?: string;
}
