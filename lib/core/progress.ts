/** One report on work in progress; `remainingMs` is null until it can be estimated. */
export interface ProgressEvent {
  readonly task: string;
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
  readonly remainingMs: number | null;
}
export type OnProgress = (event: ProgressEvent) => void;

/** Counts work done and estimates the time left from the average so far; `skipped` work (found stored) does not bend the estimate. */
export class Progress {
  private done = 0;
  private worked = 0;
  private readonly start = performance.now();
  constructor(
    private readonly task: string,
    private readonly total: number,
    private readonly report: OnProgress | undefined,
  ) {}

  tick(count = 1, { skipped = false, task = this.task } = {}): void {
    this.done += count;
    if (!skipped) this.worked += count;
    const elapsedMs = performance.now() - this.start;
    const remainingMs = this.worked === 0 ? null : (elapsedMs / this.worked) * (this.total - this.done);
    this.report?.({ task, done: this.done, total: this.total, elapsedMs, remainingMs });
  }
}
