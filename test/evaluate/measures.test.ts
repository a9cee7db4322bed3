import { readFileSync } from "node:fs";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  answerTokens,
  defineMeasure,
  type Measure,
  measureNames,
  measureNeeds,
  measureTable,
  parseMeasure,
} from "../../lib/evaluate/index.js";

const test = suite("measures");

const near = (actual: unknown, expected: number, law: string) =>
  assert.ok(
    typeof actual === "number" && Math.abs(actual - expected) < 1e-9,
    `${law}: ${actual}, expected ${expected}`,
  );
const value = (name: string, input: unknown) => (parseMeasure(name) as Measure).compute(input as never);
const grades = (record: Record<string, number>) => new Map(Object.entries(record));
const fails = (run: () => unknown, pattern: RegExp) =>
  assert.throws(run, (error: Error) => error.name === "MkgError" && pattern.test(error.message));

test("every name of the table parses, and its printed name parses back to itself", () => {
  for (const template of measureNames()) {
    const measure = parseMeasure(template.replace("@k", "@10"));
    assert.is(measure.name, template.replace("@k", "@10"));
    assert.is(parseMeasure(measure.name).name, measure.name);
  }
});

test("a parameter at its default is left out of the printed name", () => {
  assert.is(parseMeasure("nDCG(gain=linear)@10").name, "nDCG@10");
  assert.is(parseMeasure("nDCG(gain=exp)@10").name, "nDCG(gain=exp)@10");
});

test("a wrong name is refused with the nearest name, a wrong cut-off or parameter with what is allowed", () => {
  fails(() => parseMeasure("ndcg@k"), /unknown measure \("ndcg@k"\).*Did you mean "nDCG@k"/);
  fails(() => parseMeasure("MRR"), /Did you mean "RR"/);
  fails(() => parseMeasure("toString"), /unknown measure/);
  for (const name of ["P@0", "P@-1", "P@1.5", "P@ten", "P@", "P@010", "P@1e3"])
    fails(() => parseMeasure(name), /not a positive integer.*P@10/);
  fails(() => parseMeasure("P"), /P needs a cut-off/);
  fails(() => parseMeasure("AP@10"), /takes no cut-off.*Write AP/);
  fails(() => parseMeasure("nDCG(gain=log)@10"), /wrong gain .*linear or exp/);
  fails(() => parseMeasure("nDCG(gains=exp)@10"), /Did you mean "gain"/);
  fails(() => parseMeasure("P(gain=exp)@10"), /Known: none/);
  fails(() => parseMeasure(7 as never), /unknown measure \(7\)/);
});

// case IR-06: DCG@6 = 3/log2(2) + 2/log2(3) + 3/log2(4) + 1/log2(6) + 2/log2(7) = 6.8611266886; the ideal order of all
// eight judged documents is 3,3,3,2,2,2 with 8.7402623655
test("nDCG takes the ideal over all judged documents, with linear or exponential gain as its name says", () => {
  const input = {
    ranking: ["D1", "D2", "D3", "D4", "D5", "D6"],
    grades: grades({ D1: 3, D2: 2, D3: 3, D4: 0, D5: 1, D6: 2, D7: 3, D8: 2 }),
  };
  near(value("nDCG@6", input), 0.785002372, "linear");
  near(value("nDCG(gain=exp)@6", input), 0.7510833868, "exponential");
});

test("P@k divides by k even when fewer were returned, R@k by the relevant documents", () => {
  const input = { ranking: ["a", "x"], grades: grades({ a: 1, b: 1, c: 1 }) };
  near(value("P@5", input), 1 / 5, "P");
  near(value("R@5", input), 1 / 3, "R");
  near(value("Success@1", input), 1, "Success");
  near(value("RR@1", { ...input, ranking: ["x", "a"] }), 0, "RR@1");
  near(value("RR", { ...input, ranking: ["x", "a"] }), 1 / 2, "RR");
});

test("swapping a relevant document upwards never lowers a ranking measure, and all stay in [0, 1]", () => {
  const names = measureNames()
    .map((name) => name.replace("@k", "@5"))
    .filter((name) => measureNeeds(name) === "ranking");
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 2, maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 21, maxLength: 21 }),
      fc.nat(),
      (ids, rel, at) => {
        const ranking = ids.map(String);
        const judged = new Map(rel.map((grade, i) => [String(i), grade]));
        const i = 1 + (at % (ranking.length - 1));
        const better = [...ranking];
        if ((judged.get(ranking[i] as string) as number) > (judged.get(ranking[i - 1] as string) as number))
          [better[i - 1], better[i]] = [ranking[i] as string, ranking[i - 1] as string];
        for (const name of names) {
          const before = value(name, { ranking, grades: judged }) as number;
          const after = value(name, { ranking: better, grades: judged }) as number;
          assert.ok(before >= 0 && before <= 1 + 1e-12 && after >= before - 1e-12, `${name}: ${before} then ${after}`);
        }
      },
    ),
  );
});

test("path agreement counts gold paths node for node: recall c/|G|, precision c/|P|, Jaccard c/(|G|+|P|−c)", () => {
  // gold {ab, abc}; found ab, ab again (kept in |P|), ba (another direction): c = 1, |G| = 2, |P| = 3
  const input = {
    gold: [
      ["a", "b"],
      ["a", "b", "c"],
    ],
    paths: [
      ["a", "b"],
      ["a", "b"],
      ["b", "a"],
    ],
  };
  near(value("PathRecall", input), 1 / 2, "recall");
  near(value("PathPrecision", input), 1 / 3, "precision");
  near(value("PathJaccard", input), 1 / 4, "Jaccard");
  // names that would collide if nodes were joined by a separator
  near(value("PathRecall", { gold: [["a", "b,c"]], paths: [["a,b", "c"]] }), 0, "no joined names");
  for (const name of ["PathRecall", "PathPrecision", "PathJaccard"])
    near(value(name, { ...input, paths: [] }), 0, "nothing found");
});

test("a gold path listed twice is one path, so that no value passes 1", () => {
  const input = { gold: [["a"], ["a"]], paths: [["a"]] };
  for (const name of ["PathRecall", "PathPrecision", "PathJaccard"]) near(value(name, input), 1, name);
});

const answer = (text: string | null, ...accepted: string[]) => ({ text, accepted });

// case QA-01: SQuAD F1 intersects bags, not sets
test("a repeated answer word lowers F1 (bags of tokens)", () => {
  near(value("F1", answer("Lima Lima Lima Lima Lima", "Lima")), 1 / 3, "P=1/5, R=1");
  near(value("F1", answer("Bora Bora", "Bora Bora")), 1, "needs its repeat");
  near(value("F1", answer("New York New York", "New York")), 2 / 3, "P=2/4, R=1");
  near(value("EM", answer("Lima Lima", "Lima")), 0, "EM");
  near(value("EM", answer("Bora Bora", "Bora Bora")), 1, "EM");
});

// case QA-04
test("Chinese and Japanese characters are tokens of their own; full-width punctuation goes away", () => {
  near(value("F1", answer("北京大学", "北京")), 2 / 3, "P=2/4, R=1");
  near(value("F1", answer("東京都庁", "東京都")), 6 / 7, "P=3/4, R=1");
  near(value("F1", answer("《北京》。", "北京")), 1, "brackets");
  near(value("F1", answer("2008年", "2008 年")), 1, "space");
  assert.equal(
    ["北京大学", "東京都庁", "《北京》。", "2008年"].map((text, i) =>
      value("EM", answer(text, ["北京", "東京都", "北京", "2008 年"][i] as string)),
    ),
    [0, 0, 1, 1],
  );
});

test("case, punctuation, articles and white space do not count; letter values do", () => {
  near(value("EM", answer("  The U.S.A.! ", "usa")), 1, "as SQuAD");
  near(value("EM", answer("caf\u00e9", "cafe\u0301")), 1, "composed and decomposed");
  near(value("EM", answer("cafe", "café")), 0, "accents count");
  near(value("EM", answer("$5", "5")), 1, "ASCII symbols go, as in SQuAD");
  // a step that would leave nothing is skipped
  near(value("EM", answer("A", "a")), 1, "an answer that is an article");
  near(value("EM", answer("the", "A")), 0, "another article");
  near(value("EM", answer("", "A")), 0, "nothing");
  near(value("EM", answer("+", "-")), 0, "punctuation alone");
});

test("the best accepted answer counts; an abstention earns 0 and lowers AnswerRate alone among the rates", () => {
  near(value("F1", answer("New York", "Boston", "New York City")), 0.8, "P=1, R=2/3");
  for (const name of ["EM", "F1", "Contains", "AnswerRate"]) near(value(name, answer(null, "x")), 0, name);
  near(value("AnswerRate", answer("wrong", "x")), 1, "answered");
});

test("Contains finds whole tokens together and in order", () => {
  near(value("Contains", answer("It is New York City.", "New York")), 1, "inside");
  near(value("Contains", answer("York, then New", "New York")), 0, "order");
  near(value("Contains", answer("an elephant", "ant")), 0, "not part of a word");
  near(value("Contains", answer("首都は東京都です", "東京")), 1, "Japanese");
});

test("EM 1 implies F1 1 and Contains 1, and F1 is symmetric", () => {
  const phrase = fc
    .array(fc.constantFrom("the", "a", "red", "Red", "fox", "北", "5", "!"), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join(" "));
  fc.assert(
    fc.property(phrase, phrase, (a, b) => {
      const [em, f1, inside, back] = ["EM", "F1", "Contains"]
        .map((name) => value(name, answer(a, b)) as number)
        .concat(value("F1", answer(b, a)) as number);
      if (em === 1) assert.equal([f1, inside], [1, 1]);
      near(f1, back as number, `${a} | ${b}`);
    }),
  );
});

test("the documented example of answerTokens is what it returns", () => {
  assert.equal(answerTokens("The 《北京》, 2008年!"), ["北", "京", "2008", "年"]);
  assert.match(
    readFileSync(new URL("../../lib/evaluate/answer.ts", import.meta.url), "utf8"),
    '[ "北", "京", "2008", "年" ]',
  );
});

test("defineMeasure refuses what cannot be computed and names of built-in measures", () => {
  const good = { name: "Words", range: [0, 99] as const, needs: "answer" as const, compute: () => 1 };
  assert.is(defineMeasure(good).name, "Words");
  fails(() => defineMeasure({ ...good, name: "" }), /name is not a name/);
  fails(() => defineMeasure({ ...good, name: "nDCG@7" }), /belongs to a built-in measure/);
  fails(() => defineMeasure({ ...good, range: [1, 1] }), /wrong range/);
  fails(() => defineMeasure({ ...good, needs: "vibes" as never }), /wrong needs.*"ranking", "paths", "answer"/);
  fails(() => defineMeasure({ ...good, compute: 3 as never }), /no compute/);
});

test("laws of ranking measures: 0 to 1, 1 for a perfect list that is long enough, 0 for an empty or irrelevant one, and no worse when a relevant document moves up", () => {
  const names = measureTable()
    .filter(({ needs }) => needs === "ranking")
    .map(({ name }) => name.replace("@k", "@5"));
  assert.ok(names.includes("bpref") && names.includes("Rprec") && names.includes("RBP(p=0.95)@5"));
  const ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const ranked = fc.shuffledSubarray(ids);
  const judged = fc.dictionary(fc.constantFrom(...ids), fc.constantFrom(0, 0, 1, 1, 3), { minKeys: 1 });
  fc.assert(
    fc.property(ranked, judged, fc.nat(6), (ranking, record, at) => {
      const own = grades(record);
      for (const name of names) {
        const of = (list: readonly string[]) => value(name, { ranking: list, grades: own }) as number;
        const score = of(ranking);
        assert.ok(score >= 0 && score <= 1 + 1e-12, `${name}: ${score}`);
        assert.is(of([]), 0, name);
        assert.is(of(ranking.filter((id) => !((own.get(id) ?? 0) > 0))), 0, name);
        const [above, below] = [ranking[at], ranking[at + 1]];
        if (above === undefined || below === undefined || (own.get(below) ?? 0) <= (own.get(above) ?? 0)) continue;
        const better = [...ranking.slice(0, at), below, above, ...ranking.slice(at + 2)];
        assert.ok(of(better) >= score - 1e-12, `${name}: ${of(better)} after ${score}`);
      }
    }),
  );
  for (const name of ["nDCG", "nDCG@5", "nDCG(gain=exp)", "RR", "AP", "Rprec", "bpref", "Success@5", "R@5"])
    assert.ok(
      Math.abs((value(name, { ranking: ["a", "b", "c"], grades: grades({ a: 3, b: 1, c: 0 }) }) as number) - 1) < 1e-12,
      name,
    );
});

test.run();
