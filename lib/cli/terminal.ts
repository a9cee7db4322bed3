import type { OnProgress } from "../core/index.js";

/** `1 min 5 s`, `12 s`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Shows work in progress with counts and time left: in place on a terminal, else a line every few seconds. */
export function progressLine(
  stream: NodeJS.WriteStream,
  everyMs = stream.isTTY ? 100 : 3000,
): { report: OnProgress; end(): void } {
  let last = Number.NEGATIVE_INFINITY;
  let width = 0;
  return {
    report({ task, done, total, stored, remainingMs, elapsedMs }) {
      const now = performance.now();
      if (now - last < everyMs && done < total) return;
      last = now;
      const left =
        done === total
          ? `done in ${duration(elapsedMs)}`
          : remainingMs !== null
            ? `${duration(remainingMs)} left`
            : done === stored && stored > 0
              ? "reusing stored results"
              : "estimating";
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

/** Rows in aligned columns; numbers right, null as what it means. */
export function plainTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const show = (value: unknown): string =>
    value === null || value === undefined
      ? "–"
      : typeof value === "number"
        ? Number.isInteger(value)
          ? String(value)
          : value.toPrecision(4)
        : String(value);
  // text of graphs and files must not steer the terminal
  const cells = rows.map((row) => names.map((name) => show(row[name]).replace(/\p{Cc}+/gu, " ")));
  const widths = names.map((name, i) => Math.max(name.length, ...cells.map((row) => (row[i] as string).length)));
  const right = names.map((name) => rows.every((row) => row[name] === null || typeof row[name] === "number"));
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => (right[i] ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number)))
      .join("  ")
      .trimEnd();
  return [line(names), line(widths.map((w) => "-".repeat(w))), ...cells.map(line)].join("\n");
}
