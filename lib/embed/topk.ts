import { positiveInteger } from "../core/index.js";

/** A row and how well it fits. */
export interface Neighbour {
  readonly row: number;
  readonly score: number;
}

/**
 * Keeps the `k` best of a stream of scored rows: score descending, equal scores by row ascending, so that the first j
 * of the best k are the best j. A binary heap in typed arrays: O(log k) a push, O(k) memory, whatever is streamed.
 * Scores must be finite. Errors: k not a positive integer.
 *
 * @example
 * const best = new TopK(2);
 * [0.1, 0.7, 0.7].forEach((score, row) => best.push(row, score));
 * best.ranked(); // [{ row: 1, score: 0.7 }, { row: 2, score: 0.7 }]
 */
export class TopK {
  private readonly rows: Int32Array;
  private readonly scores: Float64Array;
  private size = 0;

  /** `limit`: rows that can come at most, so that a huge `k` costs no memory. */
  constructor(k: number, limit = Number.MAX_SAFE_INTEGER) {
    const room = Math.min(positiveInteger("TopK", "k", k), Math.max(1, limit));
    this.rows = new Int32Array(room);
    this.scores = new Float64Array(room);
  }

  push(row: number, score: number): void {
    if (this.size < this.rows.length) {
      this.rows[this.size] = row;
      this.scores[this.size] = score;
      this.up(this.size++);
    } else if (score > (this.scores[0] as number) || (score === this.scores[0] && row < (this.rows[0] as number))) {
      this.rows[0] = row;
      this.scores[0] = score;
      this.down();
    }
  }

  /** What was kept, best first. */
  ranked(): Neighbour[] {
    const order = Array.from({ length: this.size }, (_, i) => i).sort((i, j) => (this.worse(i, j) ? 1 : -1));
    return order.map((i) => ({ row: this.rows[i] as number, score: this.scores[i] as number }));
  }

  /** The root of the heap is the worst kept, so that one comparison turns most rows away. */
  private worse(i: number, j: number): boolean {
    const a = this.scores[i] as number;
    const b = this.scores[j] as number;
    return a < b || (a === b && (this.rows[i] as number) > (this.rows[j] as number));
  }

  private swap(i: number, j: number): void {
    const row = this.rows[i] as number;
    const score = this.scores[i] as number;
    this.rows[i] = this.rows[j] as number;
    this.scores[i] = this.scores[j] as number;
    this.rows[j] = row;
    this.scores[j] = score;
  }

  private up(from: number): void {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.worse(i, parent)) return;
      this.swap(i, parent);
      i = parent;
    }
  }

  private down(): void {
    for (let i = 0; ; ) {
      const left = 2 * i + 1;
      if (left >= this.size) return;
      const child = left + 1 < this.size && this.worse(left + 1, left) ? left + 1 : left;
      if (!this.worse(child, i)) return;
      this.swap(i, child);
      i = child;
    }
  }
}
