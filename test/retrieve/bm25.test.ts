import { readFileSync } from "node:fs";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rankHits, words } from "../../lib/core/index.js";
import { defineDataset } from "../../lib/datasets/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { retrieve, retriever } from "../../lib/retrieve/index.js";

const test = suite("retriever: bm25");

/** A data set whose candidate texts have the words of `texts`: the head's label holds them; relation and tail are a dot, no word. */
const orDot = (text: string) => text || "·";
const datasetOf = (texts: readonly string[], questions: readonly string[]) =>
  defineDataset({
    name: "texts",
    graph: graphFrom({
      entities: [...texts.map((text, i) => ({ id: `d${i}`, label: orDot(text) })), { id: "end", label: "·" }],
      triples: texts.map((_, i) => ({ id: String(i), head: `d${i}`, relation: "r", relationLabel: "·", tail: "end" })),
    }),
    questions: questions.map((text, i) => ({ id: String(i), text: orDot(text) })),
  });

test("scores equal those of bm25s (lucene), for several k1 and b, repeated query words counting twice", async () => {
  // made by test/golden/bm25/make.py (bm25s 0.3.16, float64)
  const golden = JSON.parse(readFileSync(new URL("../golden/bm25/scores.json", import.meta.url), "utf8")) as {
    corpus: string[];
    queries: string[];
    cases: { k1: number; b: number; scores: number[][] }[];
  };
  const dataset = datasetOf(golden.corpus, golden.queries);
  for (const { k1, b, scores } of golden.cases) {
    const run = await retrieve(dataset, retriever("bm25", { k1, b }), { k: 100 });
    golden.queries.forEach((query, q) => {
      const hits = new Map(run.get(String(q)).evidence?.hits.map((hit) => [hit.triple, hit.score]));
      (scores[q] as number[]).forEach((wanted, d) => {
        const score = hits.get(String(d));
        // bm25s gives 0 to a text that shares no word with the query; here it is not a hit
        if (wanted === 0) assert.is(score, undefined, `${query} / ${golden.corpus[d]}`);
        else
          assert.ok(
            Math.abs((score ?? 0) - wanted) < 1e-12 * wanted + 1e-12,
            `${query} / ${golden.corpus[d]}: ${score} is not ${wanted}`,
          );
      });
    });
  }
});

test("equal scores stand in the order of ties, also at the cut", async () => {
  const dataset = datasetOf(Array(25).fill("same words"), ["same"]);
  const ids = (await retrieve(dataset, retriever("bm25"), { k: 5 })).get("0").evidence?.hits.map((hit) => hit.triple);
  const all = Array.from({ length: 25 }, (_, i) => ({ score: 1, triple: String(i) }));
  assert.equal(
    ids,
    rankHits(all)
      .slice(0, 5)
      .map((hit) => hit.triple),
  );
});

test("rankings equal a direct sum over all texts, on any corpus and query", async () => {
  const word = fc.constantFrom("a", "b", "c", "dd", "É");
  const texts = fc.array(
    fc.array(word, { maxLength: 6 }).map((w) => w.join(" ")),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.array(word, { maxLength: 4 }).map((w) => w.join(" ")),
      async (corpus, query) => {
        // the definition, term by term, without an index
        const docs = corpus.map(words);
        const mean = docs.reduce((sum, d) => sum + d.length, 0) / docs.length;
        const wanted = docs
          .map((doc, i) => {
            let score = 0;
            for (const term of words(query)) {
              const tf = doc.filter((t) => t === term).length;
              const df = docs.filter((d) => d.includes(term)).length;
              if (tf > 0)
                score +=
                  Math.log(1 + (docs.length - df + 0.5) / (df + 0.5)) *
                  (tf / (tf + 1.2 * (1 - 0.75 + (0.75 * doc.length) / mean)));
            }
            return { triple: String(i), score };
          })
          .filter((hit) => hit.score > 0);
        // sums that differ in their last bits alone are ties
        const ranked = rankHits(wanted.map((hit) => ({ ...hit, score: Number(hit.score.toFixed(10)) })));
        const { hits = [] } =
          (await retrieve(datasetOf(corpus, [query]), retriever("bm25"), { k: 100 })).get("0").evidence ?? {};
        assert.equal(
          hits.map((h) => h.triple),
          ranked.map((h) => h.triple),
        );
        assert.ok(hits.every((hit, i) => Math.abs(hit.score - (ranked[i]?.score as number)) < 1e-9));
      },
    ),
    { seed: 7, numRuns: 60 },
  );
});

test("one query leaves nothing behind for the next", async () => {
  const dataset = datasetOf(["red fox", "red deer", "blue whale"], ["red", "red", "blue red red"]);
  const run = await retrieve(dataset, retriever("bm25"), { k: 3, concurrency: 1 });
  assert.equal(run.get("0").evidence, run.get("1").evidence);
});

test("wrong options are refused", () => {
  assert.throws(
    () => retriever("bm25", { k: 1 }),
    /unknown option \("k"\)\. Options: k1, b, head, relation, tail\. Did you mean "k1"\?/,
  );
  assert.throws(
    () => retriever("bm25", { b: 1.5 }),
    /option b has a wrong value \(1\.5\)\. It takes a finite number from 0 to 1/,
  );
  assert.throws(() => retriever("bm52x"), /unknown retriever|Did you mean "bm25"/);
});

test("fields: words count as often as their field's weight, in tf and in length; a field of weight 0 is not searched; weights of 1 are the text as it is", async () => {
  const words3 = (at: number) =>
    ["fox den", "fox fox", "den", "owl wood fox"].map((text) => text.split(" ")[at] ?? "·");
  const [heads, relations, tails] = [words3(0), words3(1), words3(2)];
  const graph = graphFrom({
    entities: [
      ...heads.map((label, i) => ({ id: `h${i}`, label })),
      ...tails.map((label, i) => ({ id: `t${i}`, label })),
    ],
    triples: heads.map((_, i) => ({
      id: String(i),
      head: `h${i}`,
      relation: `r${i}`,
      relationLabel: relations[i] as string,
      tail: `t${i}`,
    })),
  });
  const dataset = defineDataset({ name: "fields", graph, questions: [{ id: "1", text: "fox" }] });
  const scores = async (options: Record<string, number>) =>
    Object.fromEntries(
      ((await retrieve(dataset, retriever("bm25", options), { k: 9 })).get("1").evidence?.hits ?? []).map((hit) => [
        hit.triple,
        hit.score,
      ]),
    );
  for (const [head, relation, tail] of [
    [3, 0.5, 1],
    [0, 2, 1],
    [1, 1, 0],
  ] as const) {
    const weight = [head, relation, tail];
    const tokens = heads.map((_, i) =>
      [heads[i], relations[i], tails[i]].flatMap((text, f) =>
        words(text as string).map((word) => [word, weight[f] as number] as const),
      ),
    );
    const sum = (list: readonly (readonly [string, number])[]) => list.reduce((all, [, w]) => all + w, 0);
    const tf = tokens.map((list) => sum(list.filter(([word]) => word === "fox")));
    const mean = tokens.reduce((all, list) => all + sum(list), 0) / tokens.length;
    const df = tf.filter((f) => f > 0).length;
    const got = await scores({ head, relation, tail });
    tf.forEach((f, i) => {
      const wanted =
        (Math.log(1 + (4 - df + 0.5) / (df + 0.5)) * f) / (f + 1.2 * (0.25 + (0.75 * sum(tokens[i] as [])) / mean));
      if (f === 0) assert.is(got[i], undefined);
      else assert.ok(Math.abs((got[i] as number) - wanted) < 1e-12, `${i}: ${got[i]} is not ${wanted}`);
    });
  }
  assert.equal(await scores({ head: 1, relation: 1, tail: 1 }), await scores({}));
});

test.run();
