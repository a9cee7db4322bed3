/** Which line each row of a table begins at. Rows mostly follow each other: only where they do not is a pair kept, so that a million rows cost nothing. */
export class RowLines {
  readonly #rows: number[] = [];
  readonly #lines: number[] = [];

  /** Rows in order, from 0. */
  set(row: number, line: number): void {
    const last = this.#rows.length - 1;
    if (last >= 0 && line - row === this.#lines[last]! - this.#rows[last]!) return;
    this.#rows.push(row);
    this.#lines.push(line);
  }

  of(row: number): number {
    let low = 0;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#rows[middle]! <= row) low = middle;
      else high = middle - 1;
    }
    return this.#rows.length === 0 ? row + 1 : this.#lines[low]! + row - this.#rows[low]!;
  }
}
