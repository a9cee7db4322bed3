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

  /** A score below this changes nothing, so that a caller need not push it; −∞ until `k` rows are kept. */
  get least(): number {
    return this.size < this.rows.length ? Number.NEGATIVE_INFINITY : (this.scores[0] as number);
  }

  push(row: number, score: number): void {
    if (this.size < this.rows.length) this.up(row, score);
    else if (score > (this.scores[0] as number) || (score === this.scores[0] && row < (this.rows[0] as number)))
      this.down(row, score);
  }

  /** What was kept, best first; and empties it. O(k log k). */
  ranked(): Neighbour[] {
    const found = new Array<Neighbour>(this.size);
    // the root is the worst that is left: it goes to the end
    for (let i = this.size - 1; i >= 0; i--) {
      found[i] = { row: this.rows[0] as number, score: this.scores[0] as number };
      const last = --this.size;
      this.down(this.rows[last] as number, this.scores[last] as number);
    }
    return found;
  }

  /** Puts a row at the end of the heap and lets it rise: the root is the worst kept, so that one comparison turns most rows away. */
  private up(row: number, score: number): void {
    const { rows, scores } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = scores[parent] as number;
      if (above < score || (above === score && (rows[parent] as number) > row)) break;
      rows[at] = rows[parent] as number;
      scores[at] = above;
      at = parent;
    }
    rows[at] = row;
    scores[at] = score;
  }

  /** Puts a row in place of the root and lets it sink. */
  private down(row: number, score: number): void {
    const { rows, scores, size } = this;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      let below = scores[child] as number;
      if (child + 1 < size) {
        const right = scores[child + 1] as number;
        if (right < below || (right === below && (rows[child + 1] as number) > (rows[child] as number))) {
          child++;
          below = right;
        }
      }
      if (score < below || (score === below && row > (rows[child] as number))) break;
      rows[at] = rows[child] as number;
      scores[at] = below;
      at = child;
    }
    rows[at] = row;
    scores[at] = score;
  }
}
