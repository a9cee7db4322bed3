import { suite } from "uvu";
import * as assert from "uvu/assert";
import { progressLine } from "../../lib/cli/terminal.js";

const test = suite("progress on the terminal");

function shown(events: readonly { done: number; stored: number; remainingMs: number | null }[]): string[] {
  const written: string[] = [];
  const stream = { isTTY: false, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  const line = progressLine(stream, 0);
  for (const event of events) line.report({ task: "walk", total: 40, elapsedMs: 65_000, ...event });
  line.end();
  return written;
}

test("without an estimate it says so; stored results are named only where all that is done was stored", () => {
  assert.equal(
    shown([
      { done: 4, stored: 4, remainingMs: null },
      { done: 5, stored: 4, remainingMs: null },
      { done: 5, stored: 0, remainingMs: null },
      { done: 20, stored: 4, remainingMs: 12_400 },
      { done: 40, stored: 4, remainingMs: 0 },
    ]),
    [
      " 4/40 (10 %), reusing stored results · walk\n",
      " 5/40 (12 %), estimating · walk\n",
      " 5/40 (12 %), estimating · walk\n",
      "20/40 (50 %), 12 s left · walk\n",
      "40/40 (100 %), done in 1 min 5 s · walk\n",
    ],
  );
});

test.run();
