import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Progress, type ProgressEvent } from "../../lib/core/index.js";

const test = suite("progress");

/** A progress on a clock that only `step` moves; `last()` is the last report. */
function timed(total: number | Record<string, number>) {
  let now = 5_000;
  const events: ProgressEvent[] = [];
  const progress = new Progress(
    "task",
    total,
    (event) => events.push(event),
    () => now,
  );
  return {
    events,
    last: () => events.at(-1) as ProgressEvent,
    step(ms: number, options: { kind?: string; stored?: boolean; count?: number } = {}) {
      const { count = 1, ...rest } = options;
      now += ms;
      progress.tick(count, rest);
    },
  };
}

test("a preparation of 30 s before steps of 0.1 s is elapsed time, not charged to the steps left", () => {
  const { step, last } = timed(600);
  step(30_000);
  // one step teaches nothing yet, however long it took
  assert.equal([last().elapsedMs, last().remainingMs], [30_000, null]);
  step(100);
  assert.is(last().remainingMs, 598 * 100);
  for (let i = 2; i < 300; i++) step(100);
  assert.ok(Math.abs((last().remainingMs as number) - 300 * 100) < 1e-6);
});

test("a later preparation counts once: a step over 20 times the mean of the others leaves the estimate as it was", () => {
  const { step, last } = timed(1000);
  for (let i = 0; i < 100; i++) step(100);
  step(20_000);
  assert.ok(Math.abs((last().remainingMs as number) - 899 * 100) < 1e-6);
  assert.is(last().elapsedMs, 30_000);
  // ten times is within what steps differ by: (49 · 100 + 1000) / 50 a step
  const other = timed(1000);
  for (let i = 0; i < 100; i++) other.step(100);
  other.step(1000);
  assert.ok(Math.abs((other.last().remainingMs as number) - 899 * 118) < 1e-6);
});

test("the estimate follows the last fifty steps", () => {
  const { step, last } = timed(1000);
  for (let i = 0; i < 100; i++) step(400);
  for (let i = 0; i < 50; i++) step(100);
  assert.ok(Math.abs((last().remainingMs as number) - 850 * 100) < 1e-6);
});

test("no estimate before 10 s or 5 % of the steps that are not stored, whichever is first", () => {
  const share = timed(200);
  for (let i = 0; i < 100; i++) share.step(0.1, { stored: true });
  // 5 % of the other 100 is 5 steps
  for (let i = 0; i < 4; i++) share.step(1000);
  assert.is(share.last().remainingMs, null);
  share.step(1000);
  assert.ok(Math.abs((share.last().remainingMs as number) - 95_000) < 1e-6);
  const time = timed(10_000);
  for (let i = 0; i < 9; i++) time.step(1000);
  assert.is(time.last().remainingMs, null);
  time.step(1000);
  assert.is(time.last().remainingMs, 9_990_000);
});

test("steps that run in parallel and end together are timed together", () => {
  const { step, last } = timed(800);
  // batches of 8 that take 4 s: half a second a step
  for (let batch = 0; batch < 20; batch++) for (let i = 0; i < 8; i++) step(i === 0 ? 4000 : 0);
  assert.ok(Math.abs((last().remainingMs as number) - 640 * 500) < 1e-6);
});

test("kinds of steps are estimated apart, and none is known before each kind that is left has been seen twice", () => {
  const { step, last } = timed({ evidence: 20, answers: 20 });
  for (let i = 0; i < 20; i++) step(1000, { kind: "evidence" });
  assert.is(last().remainingMs, null);
  step(10, { kind: "answers" });
  assert.is(last().remainingMs, null);
  step(10, { kind: "answers" });
  assert.ok(Math.abs((last().remainingMs as number) - 180) < 1e-6);
});

test("stored steps are counted as such and teach nothing; a tick of several counts them all", () => {
  const { step, last, events } = timed(100);
  step(1, { stored: true, count: 40 });
  assert.equal([last().done, last().stored, last().remainingMs], [40, 40, null]);
  step(2000, { count: 10 });
  step(3000, { count: 10 });
  assert.equal([last().done, last().stored], [60, 40]);
  assert.ok(Math.abs((last().remainingMs as number) - 40 * 300) < 1e-6);
  step(3000, { count: 40 });
  assert.equal([last().done, last().remainingMs], [100, 0]);
  assert.is(events.length, 4);
});

test.run();
