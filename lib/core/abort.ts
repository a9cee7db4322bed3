const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** The promise, or a rejection as soon as the signal aborts. One listener a signal, however many wait: Node warns at 11. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {}); // its own failure has nobody left to tell
      return stop();
    }
    let stops = waiting.get(signal);
    if (!stops) {
      const all = new Set<() => void>();
      signal.addEventListener(
        "abort",
        () => {
          for (const each of all) each();
        },
        { once: true },
      );
      waiting.set(signal, all);
      stops = all;
    }
    stops.add(stop);
    promise.then(resolve, reject).finally(() => stops.delete(stop));
  });
}

/** `next` of a value, at once, or of what a promise brings: without a turn in between, in which the value could be changed. */
export const followed = <T, R>(value: T | Promise<T>, next: (value: T) => R): Promise<R> =>
  value instanceof Promise ? value.then(next) : new Promise((resolve) => resolve(next(value)));
