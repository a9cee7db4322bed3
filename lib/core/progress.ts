/** One report on work in progress; `remainingMs` is null until it can be estimated. */
export interface ProgressEvent {
  readonly task: string;
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
  readonly remainingMs: number | null;
}
export type OnProgress = (event: ProgressEvent) => void;

interface Kind {
  readonly total: number;
  done: number;
  worked: number;
  /** Moving average of the time a step takes, in milliseconds. */
  averageMs: number;
}

/**
 * Counts steps done and estimates the time left, kind of step by kind, from a moving average over the last hundred or so:
 * caches warm up, and one kind may cost a thousand times another. Steps found stored count as done and teach nothing.
 */
export class Progress {
  private readonly kinds: Map<string, Kind>;
  private readonly start = performance.now();
  private last = this.start;

  /** @param total steps, or steps by kind. */
  constructor(
    private readonly task: string,
    total: number | Readonly<Record<string, number>>,
    private readonly report: OnProgress | undefined,
  ) {
    const totals = typeof total === "number" ? { "": total } : total;
    this.kinds = new Map(
      Object.entries(totals).map(([kind, n]) => [kind, { total: n, done: 0, worked: 0, averageMs: 0 }]),
    );
  }

  tick(count = 1, { kind = "", task = this.task, stored = false } = {}): void {
    const now = performance.now();
    const own = this.kinds.get(kind);
    if (own) {
      own.done += count;
      if (!stored) {
        own.worked += count;
        own.averageMs +=
          ((now - this.last) / count - own.averageMs) * (count / Math.min(Math.max(own.worked, count), 100));
      }
    }
    this.last = now;
    let done = 0;
    let total = 0;
    let remainingMs: number | null = 0;
    for (const k of this.kinds.values()) {
      done += k.done;
      total += k.total;
      if (k.done < k.total)
        remainingMs = k.worked === 0 || remainingMs === null ? null : remainingMs + (k.total - k.done) * k.averageMs;
    }
    this.report?.({ task, done, total, elapsedMs: now - this.start, remainingMs });
  }
}
