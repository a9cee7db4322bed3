/** One report on work in progress. */
export interface ProgressEvent {
  readonly task: string;
  readonly done: number;
  readonly total: number;
  /** How many of those done were found stored. */
  readonly stored: number;
  readonly elapsedMs: number;
  /** Null until it can be estimated. */
  readonly remainingMs: number | null;
}
export type OnProgress = (event: ProgressEvent) => void;

/** Steps that ended within a millisecond of each other: parallel steps end together, and the first bears the waiting. */
interface Batch {
  count: number;
  ms: number;
}

interface Kind {
  readonly total: number;
  done: number;
  worked: number;
  /** The last batches; the very first, which bears the preparation, stays out. */
  readonly recent: Batch[];
  current: Batch | undefined;
}

const window = 50;
const batchMs = 1;
const batchSteps = 100;
const outlier = 20;
const firstEstimateMs = 10_000;
const firstEstimateShare = 0.05;

/**
 * Counts steps done and estimates the time left, kind of step by kind, from the last fifty or so: caches warm up, and
 * one kind may cost a thousand times another. The first step of a kind, and one that takes over twenty times the mean of the others, are
 * costs that do not come again with every step: they are in the time elapsed, not in the estimate. None is given before 10 s or 5 % of the steps
 * that are not stored. Steps found stored count as done and teach nothing.
 */
export class Progress {
  private readonly kinds: Map<string, Kind>;
  private readonly start: number;
  private last: number;
  private stored = 0;

  /** @param total steps, or steps by kind. @param clock milliseconds from any origin. */
  constructor(
    private readonly task: string,
    total: number | Readonly<Record<string, number>>,
    private readonly report: OnProgress | undefined,
    private readonly clock: () => number = () => performance.now(),
  ) {
    const totals = typeof total === "number" ? { "": total } : total;
    this.kinds = new Map(
      Object.entries(totals).map(([kind, n]) => [
        kind,
        { total: n, done: 0, worked: 0, recent: [], current: undefined },
      ]),
    );
    this.start = this.clock();
    this.last = this.start;
  }

  tick(count = 1, { kind = "", task = this.task, stored = false } = {}): void {
    const now = this.clock();
    const own = this.kinds.get(kind);
    if (stored) this.stored += count;
    if (own) {
      own.done += count;
      if (!stored) learn(own, count, now - this.last);
    }
    this.last = now;
    let done = 0;
    let total = 0;
    for (const k of this.kinds.values()) {
      done += k.done;
      total += k.total;
    }
    const elapsedMs = now - this.start;
    const early = elapsedMs < firstEstimateMs && done - this.stored < firstEstimateShare * (total - this.stored);
    const remainingMs = early && done < total ? null : this.remaining();
    this.report?.({ task, done, total, stored: this.stored, elapsedMs, remainingMs });
  }

  private remaining(): number | null {
    let ms = 0;
    for (const { done, total, recent } of this.kinds.values()) {
      if (done >= total) continue;
      if (recent.length === 0) return null;
      ms += (total - done) * stepMs(recent);
    }
    return ms;
  }
}

function learn(kind: Kind, count: number, ms: number): void {
  const { current } = kind;
  if (current && ms < batchMs && current.count < batchSteps) {
    current.count += count;
    current.ms += ms;
  } else {
    kind.current = { count, ms };
    if (kind.worked > 0) kind.recent.push(kind.current);
    if (kind.recent.length > window) kind.recent.shift();
  }
  kind.worked += count;
}

/** Mean time of a step, without the outliers. */
function stepMs(batches: readonly Batch[]): number {
  const slowestFirst = [...batches].sort((a, b) => b.ms / b.count - a.ms / a.count);
  let ms = 0;
  let count = 0;
  for (const batch of batches) {
    ms += batch.ms;
    count += batch.count;
  }
  for (const batch of slowestFirst) {
    const others = count - batch.count;
    if (others === 0 || batch.ms / batch.count <= outlier * ((ms - batch.ms) / others)) break;
    ms -= batch.ms;
    count = others;
  }
  return ms / count;
}
