import type { OnProgress } from "../core/index.js";

/** `1 min 5 s`, `12 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Shows work in progress with counts and time left: in place on a terminal, else a line every few seconds. */
export function progressLine(stream: NodeJS.WriteStream, everyMs = stream.isTTY ? 100 : 3000): { report: OnProgress; end(): void } {
  let last = Number.NEGATIVE_INFINITY;
  let width = 0;
  return {
    report({ task, done, total, remainingMs, elapsedMs }) {
      const now = performance.now();
      if (now - last < everyMs && done < total) return;
      last = now;
      const left = done === total ? `done in ${duration(elapsedMs)}` : remainingMs === null ? "reusing stored results" : `${duration(remainingMs)} left`;
      const text = `${String(done).padStart(String(total).length)}/${total} (${Math.floor((100 * done) / Math.max(total, 1))} %), ${left} · ${task}`;
      if (stream.isTTY) {
        const shown = text.slice(0, Math.max(20, (stream.columns ?? 80) - 1));
        stream.write(`\r${shown.padEnd(width)}`);
        width = shown.length;
      } else stream.write(`${text}\n`);
    },
    end() {
      if (stream.isTTY && width > 0) stream.write("\n");
      width = 0;
    },
  };
}
