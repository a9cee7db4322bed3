import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { mkglab, temporary, writeFolder } from "../support/cli.js";
import { tiny } from "../support/tiny.js";

const data = writeFolder(tiny(), join(temporary(), "tiny"));
const lines = (dir: string, kind: string): string[] =>
  existsSync(join(dir, kind))
    ? readdirSync(join(dir, kind)).flatMap((name) =>
        readFileSync(join(dir, kind, name), "utf8")
          .split("\n")
          .filter(Boolean),
      )
    : [];
const derived = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(dir, name)).isFile() && !/^(evidence|answers)/.test(name))
      .sort()
      .map((name) => [name, readFileSync(join(dir, name)).toString("base64")]),
  );

test("ablate writes figures in all forms, tables with intervals, rows and a report, and says where; factors that do not apply are listed", async () => {
  const dir = join(temporary(), "out");
  const { code, out, err } = await mkglab(["ablate", "--dataset", data, "--out", dir]);
  assert.is(code, 0, err);
  for (const figure of ["pathCount", "order", "retriever", "controls", "comparisons"])
    for (const form of ["svg", "pdf", "png", "spec.json", "data.json", "provenance.json"])
      assert.ok(statSync(join(dir, "figures", `${figure}.${form}`)).size > 100, `${figure}.${form}`);
  for (const name of ["report.md", "scores.jsonl"]) assert.match(out, join(dir, name));
  const report = readFileSync(join(dir, "report.md"), "utf8");
  assert.match(report, /keyFrames: the data set has no images/);
  assert.match(report, /control text-only: the data set has no images/);
  assert.match(readFileSync(join(dir, "table.md"), "utf8"), /\| base: walk \| \d\.\d{3} \(\d\.\d{3}, \d\.\d{3}\)†? \|/);
  for (const name of ["report.md", "table.md", "scores.jsonl", "comparisons.jsonl", "intervals.jsonl"])
    assert.not.match(readFileSync(join(dir, name), "utf8"), /NaN|undefined\b(?!")/);
  assert.match(err, /\d+\/\d+ \(\d+ %\), /); // progress with counts
});

test("killed with -9 at any moment, the same command finishes with the same results, and what was stored is not run again", async () => {
  const whole = join(temporary(), "whole");
  const killed = join(temporary(), "killed");
  const args = ["ablate", "--dataset", data, "--seeds", "2", "--out"];
  assert.is((await mkglab([...args, whole])).code, 0);
  const total = lines(whole, "evidence").length + lines(whole, "answers").length;
  let kept = 0;
  for (const wait of [1500, 1900, 2300]) {
    let timer: NodeJS.Timeout | undefined;
    const ended = await mkglab([...args, killed], {
      onErr: (_text, kill) => {
        timer ??= setTimeout(() => kill("SIGKILL"), wait - 1400);
      },
    });
    clearTimeout(timer);
    if (ended.code === 0) break;
    const stored = lines(killed, "evidence").length + lines(killed, "answers").length;
    assert.ok(stored >= kept, "stored results never shrink by more than a torn line");
    kept = stored - 1;
  }
  const finished = await mkglab([...args, killed]);
  assert.is(finished.code, 0, finished.err);
  assert.equal(derived(killed), derived(whole));
  // a torn line apart, every result is there once
  assert.is(lines(killed, "evidence").length + lines(killed, "answers").length, total);
});

test("a second run reuses everything that is stored", async () => {
  const dir = join(temporary(), "out");
  const args = ["ablate", "--dataset", data, "--seeds", "1", "--out", dir];
  await mkglab(args);
  const before = [...lines(dir, "evidence"), ...lines(dir, "answers")];
  const files = derived(dir);
  const { code, err } = await mkglab(args);
  assert.is(code, 0);
  assert.match(err, /reusing stored results|done in/);
  assert.equal([...lines(dir, "evidence"), ...lines(dir, "answers")], before);
  assert.equal(derived(dir), files);
});

test("an interrupt stops the job with exit code 130, says how to go on, and leaves no lock", async () => {
  const dir = join(temporary(), "out");
  let sent = false;
  const { code, err } = await mkglab(["ablate", "--dataset", "bestiary", "--out", dir], {
    onErr: (text, kill) => {
      if (!sent && /\d+\/\d+/.test(text)) {
        sent = true;
        kill("SIGINT");
      }
    },
  });
  assert.is(code, 130, err);
  assert.match(err, /interrupted\. What was finished is stored: the same command goes on from there\./);
  assert.not(existsSync(join(dir, ".lock")));
});

test("a data set without questions is refused with what to do", async () => {
  const { code, err } = await mkglab(["ablate", "--dataset", "markg", "--data", join(temporary(), "none")]);
  assert.is(code, 1);
  assert.match(err, /^dataset markg: /);
});

test.run();
