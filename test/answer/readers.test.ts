import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { answer, prepareReader, type Reader, reader, readerNames, resolveReader } from "../../lib/answer/index.js";
import { type Answer, type Evidence, type Hit, type Query, random } from "../../lib/core/index.js";
import { type Dataset, defineDataset, toQuery } from "../../lib/datasets/index.js";
import { makeRun, type RunItem } from "../../lib/evaluate/index.js";
import { graphFrom } from "../../lib/graph/index.js";
import { readerDataset } from "../laws/reader.js";

const test = suite("readers");
const signal = new AbortController().signal;
const messageOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing was thrown",
    (e: Error) => e.message,
  );
const ask = (text: string): Query => Object.freeze({ id: "q", text, images: [], meta: {} });

const graph = graphFrom({
  entities: [
    { id: "rook", label: "Rook", kind: "bird", description: "Rook is a black bird, seen in fields." },
    { id: "jay", label: "Jay", kind: "bird" },
    { id: "moor", label: "high moor", kind: "habitat" },
    { id: "snail", label: "snail", kind: "food" },
    { id: "storm", label: "storm phase", kind: "phase" },
  ],
  triples: [
    { id: "lives", head: "rook", relation: "lives in", tail: "moor" },
    { id: "eats", head: "rook", relation: "eats", tail: "snail", condition: "snow covers the ground" },
    { id: "fights", head: "rook", relation: "competes with", tail: "jay" },
    { id: "enters", head: "rook", relation: "can enter", tail: "storm", condition: "its nest is threatened" },
    { id: "jay eats", head: "jay", relation: "eats", tail: "snail" },
  ],
});
const bare = defineDataset({ name: "bare", graph, questions: [{ id: "1", text: "x" }] });
const triple = (id: string, score = 1): Hit => ({ score, triple: id });
const path = (...ids: string[]): Hit => ({
  score: 1,
  path: [graph.triple(ids[0] as string).head, ...ids.map((id) => graph.triple(id).tail)],
  pathTriples: ids,
});
const extract = async (text: string, hits: readonly Hit[]) =>
  (await prepareReader(bare, reader("extractive"), 0, signal))(ask(text), { hits }, random(0));

test("extractive: the answer is what the question asks for, of all that the evidence offers", async () => {
  const hits = ["lives", "eats", "fights", "enters"].map((id) => triple(id));
  for (const order of [hits, [...hits].reverse()])
    for (const [question, text] of [
      ["Where does the Rook live?", "high moor"],
      ["Which habitat has the Rook?", "high moor"],
      ["What does the Rook eat?", "snail"],
      ["With whom does the Rook compete?", "Jay"],
      ["Which phase can the Rook enter?", "storm phase"],
      ["Under what condition does the Rook eat a snail?", "snow covers the ground"],
      ["When does the Rook enter the storm phase?", "its nest is threatened"],
    ] as const)
      assert.is((await extract(question, order)).text, text, question);
});

test("extractive: a relation is answered where a relation is asked for", async () => {
  assert.is(
    (await extract("What is the relationship between the Rook and the Jay?", [triple("fights")])).text,
    "competes with",
  );
  assert.is((await extract("How is the Rook related to the high moor?", [triple("lives")])).text, "lives in");
});

test("extractive: a path answers with its end, and a lone entity with what its description says it is", async () => {
  assert.is((await extract("What does that one eat?", [path("fights", "jay eats")])).text, "snail");
  assert.is(
    (await extract("What kind of creature is the Rook?", [{ score: 1, path: ["rook"], pathTriples: [] }])).text,
    "black bird",
  );
});

test("extractive: a path without its triples is read along the first edge between each two entities", async () => {
  const { pathTriples: _, ...bare } = path("fights", "jay eats");
  assert.is((await extract("What does that one eat?", [bare as Hit])).text, "snail");
  const broken = await extract("What?", [{ score: 1, path: ["moor", "jay"] }]);
  assert.is(broken.stop, 'readEvidence: no triple joins "moor" and "jay". A path follows triples of the graph.');
});

test("extractive: an entity of the kind asked for answers, though the path goes on beyond it", async () => {
  const g = graphFrom({
    entities: [{ id: "Rook" }, { id: "storm", kind: "phase" }, { id: "dive", kind: "attack" }],
    triples: [
      { id: "a", head: "Rook", relation: "can enter", tail: "storm" },
      { id: "b", head: "storm", relation: "can use attack", tail: "dive" },
    ],
  });
  const data = defineDataset({ name: "phases", graph: g, questions: [{ id: "1", text: "x" }] });
  const read = await prepareReader(data, reader("extractive"), 0, signal);
  const hits = [{ score: 1, path: ["Rook", "storm", "dive"], pathTriples: ["a", "b"] }];
  assert.is((await read(ask("In which phase can the Rook use the attack shown?"), { hits }, random(0))).text, "storm");
  assert.is((await read(ask("Which attack is the Rook using?"), { hits }, random(0))).text, "dive");
});

test("a reader not asked for while 64 others were is fitted anew; one still in use is shared", () => {
  const first = reader("learned", { evidenceRate: 0.001 }).fit;
  assert.is(reader("learned", { evidenceRate: 0.001 }).fit, first);
  for (let i = 0; i < 64; i++) reader("learned", { evidenceRate: (i + 2) / 1000 });
  assert.is.not(reader("learned", { evidenceRate: 0.001 }).fit, first);
});

test("extractive: it cites the ranks of all hits that offer the answer, and no others", async () => {
  const { citedRanks } = await extract("What is eaten?", [triple("eats"), triple("lives"), triple("jay eats")]);
  assert.equal(citedRanks, [1, 3]);
});

test("extractive: what several hits offer outweighs what one offers, other things equal", async () => {
  const twins = graphFrom({
    triples: ["x", "y", "x"].map((tail, i) => ({ id: `${i}`, head: `h${i}`, relation: "near", tail })),
  });
  const data = defineDataset({ name: "twins", graph: twins, questions: [{ id: "1", text: "x?" }] });
  const read = await prepareReader(data, reader("extractive"), 0, signal);
  // a hit at rank r weighs 1/r: y has 1; x has 1/2 + 1/3 = 5/6 after three hits and 13/12 after four
  const hits = ["1", "0", "2", "0"].map((id) => triple(id));
  assert.is((await read(ask("What is near?"), { hits: hits.slice(0, 3) }, random(0))).text, "y");
  assert.is((await read(ask("What is near?"), { hits }, random(0))).text, "x");
});

test("extractive: it abstains without evidence, and when the evidence offers only what the question says", async () => {
  for (const hits of [[], [{ score: 1, path: ["jay"], pathTriples: [] }]]) {
    const a = await extract("Is the Jay there?", hits);
    assert.equal([a.status, a.text, a.citedRanks], ["abstained", null, []]);
  }
});

const word = fc.constantFrom(
  "amber",
  "birch",
  "cliff",
  "dune",
  "elm",
  "fen",
  "gorse",
  "heath",
  "what",
  "when",
  "condition",
);
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((w) => w.join(" "));

test("extractive: on any graph and evidence, the answer stands in a cited hit and not in the question", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ head: fc.nat(5), tail: fc.nat(5), relation: phrase, condition: fc.option(phrase, { nil: "" }) }),
        { minLength: 1, maxLength: 8 },
      ),
      fc.array(phrase, { minLength: 6, maxLength: 6 }),
      fc.array(fc.nat(7), { maxLength: 5 }),
      phrase,
      async (edges, labels, chosen, question) => {
        const g = graphFrom({
          entities: labels.map((label, i) => ({ id: `e${i}`, label })),
          triples: edges.map((e, i) => ({ ...e, id: `t${i}`, head: `e${e.head}`, tail: `e${e.tail}` })),
        });
        const data = defineDataset({ name: "any", graph: g, questions: [{ id: "1", text: "x" }] });
        const hits = [...new Set(chosen)].filter((i) => i < edges.length).map((i, n) => triple(`t${i}`, -n));
        const a = await (await prepareReader(data, reader("extractive"), 0, signal))(
          ask(question),
          { hits },
          random(0),
        );
        assert.is.not(a.status, "failed");
        if (a.text === null) return;
        for (const rank of a.citedRanks) {
          const t = g.triple(hits[rank - 1]?.triple as string);
          const offered = [g.entity(t.head).label, g.entity(t.tail).label, t.condition, t.relationLabel];
          // hits that say the same in other words ("the fen", "fen") are cited together
          assert.ok(offered.some((o) => o.split(" ").some((w) => a.text?.split(" ").includes(w))));
        }
        const all = hits.flatMap((h) => {
          const t = g.triple(h.triple as string);
          return [g.entity(t.head).label, g.entity(t.tail).label, t.condition, t.relationLabel];
        });
        assert.ok(all.includes(a.text), a.text);
        assert.not.ok(` ${question} `.includes(` ${a.text} `));
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

// Training: what the amberfox and the moss bear eat and where they live
/** The first `agree` of four training worlds hold the planted facts; each of the others has its own. */
function planted(testText: string, changes: Partial<Parameters<typeof defineDataset>[0]> = {}, agree = 4): Dataset {
  const facts = [
    ["amberfox", "eats", "snails"],
    ["amberfox", "lives in", "glass forest"],
    ["moss bear", "eats", "ants"],
    ["moss bear", "lives in", "high moor"],
  ] as const;
  const triples = [0, 1, 2, 3].flatMap((w) =>
    facts.map(([head, relation, tail]) => ({
      id: `${w}/${head} ${relation}`,
      head: `${w}/${head}`,
      relation,
      tail: `${w}/${tail}${w < agree ? "" : ` of world ${w}`}`,
    })),
  );
  const label = (id: string) => id.slice(2);
  const seen = [...new Set(triples.map((t) => t.head))].flatMap((head) =>
    [..."abcdefghij"].map((x) => ({ id: `${head} sees ${x}`, head, relation: "has seen", tail: `0/thing ${x}` })),
  );
  const edges = [...triples, ...seen];
  const trainGraph = graphFrom({
    entities: [...new Set(edges.flatMap((t) => [t.head, t.tail]))].map((id) => ({ id, label: label(id) })),
    triples: edges,
  });
  const train = defineDataset({
    name: "planted",
    split: "train",
    graph: trainGraph,
    questions: triples.map((t) => ({
      id: t.id,
      text: t.relation === "eats" ? `What does the ${label(t.head)} eat?` : `Where does the ${label(t.head)} live?`,
      answers: [label(t.tail)],
      cluster: t.head,
      gold: { paths: [[t.head, t.tail]], pathTriples: [[t.id]] },
    })),
  });
  const other = graphFrom({
    triples: [
      { id: "1", head: "amberfox", relation: "eats", tail: "moths" },
      { id: "2", head: "amberfox", relation: "lives in", tail: "salt coast" },
    ],
  });
  return defineDataset({
    name: "planted",
    graph: other,
    questions: [{ id: "1", text: testText, answers: ["unseen"] }],
    splits: { train: () => train },
    ...changes,
  });
}
const learn = async (question: string, hits: readonly Hit[], agree = 4) =>
  (await prepareReader(planted(question, {}, agree), reader("learned"), 0, signal))(ask(question), { hits }, random(0));

test("learned: without evidence it recalls what the training worlds agree on, from memory and citing nothing", async () => {
  for (const [question, text] of [
    ["What does the amberfox eat?", "snails"],
    ["Where does the amberfox live?", "glass forest"],
    ["What does the moss bear eat?", "ants"],
    ["Where does a moss bear live now?", "high moor"],
  ] as const) {
    const a = await learn(question, []);
    assert.equal([a.text, a.stop, a.citedRanks], [text, "from memory", []], question);
  }
});

// where only two of four worlds agree, memory is right on about half of the training questions, and rehearsed gold evidence beats it
test("learned: evidence that answers the question overrides a memory that is often wrong", async () => {
  assert.is((await learn("What does the amberfox eat?", [], 2)).text, "snails");
  const a = await learn("What does the amberfox eat?", [triple("1"), triple("2")], 2);
  assert.equal([a.text, a.stop, a.citedRanks], ["moths", "from evidence", [1]]);
  assert.is((await learn("Where does the amberfox live?", [triple("1"), triple("2")], 2)).text, "salt coast");
});

test("learned: misleading evidence costs it an answer that it had without", async () => {
  assert.is((await learn("Where does the amberfox live?", [], 2)).text, "glass forest");
  assert.is((await learn("Where does the amberfox live?", [triple("1")], 2)).text, "moths");
});

test("learned: a memory that is always right is not given up for evidence", async () => {
  assert.is((await learn("What does the amberfox eat?", [triple("1")], 4)).text, "snails");
});

test("learned: the oftener rehearsed evidence holds gold, the more evidence is trusted", async () => {
  const weightAt = async (evidenceRate: number) => {
    const read = await prepareReader(planted("x", {}, 2), reader("learned", { evidenceRate }), 0, signal);
    const { trace } = await read(ask("What does the amberfox eat?"), { hits: [triple("1")] }, random(0));
    return (trace as readonly { evidenceWeight: number }[])[0]?.evidenceWeight ?? Number.NaN;
  };
  const [never, always] = [await weightAt(0), await weightAt(1)];
  assert.ok(never < always, `${never} < ${always}`);
});

test("learned: a training question does not vouch for itself: where no two worlds agree, memory is not trusted", async () => {
  // with its own world left out, memory is never right, so that any share of it can only harm
  const a = await learn("What does the amberfox eat?", [triple("1")], 0);
  assert.is(a.text, "moths");
  const weightOf = (x: Answer) => (x.trace as readonly { evidenceWeight: number }[])[0]?.evidenceWeight ?? Number.NaN;
  assert.ok(weightOf(a) > weightOf(await learn("What does the amberfox eat?", [triple("1")], 4)));
});

test("learned: it learns from the training split alone: other questions' answers change nothing", async () => {
  const question = "What does the amberfox eat?";
  const a = planted(question);
  const b = planted(question, {
    questions: [{ id: "1", text: question, answers: ["snails", "moths"], group: "other", cluster: "c" }],
  });
  const answers = await Promise.all(
    [a, b].map(async (d) =>
      (await prepareReader(d, reader("learned"), 0, signal))(
        toQuery(a, a.questions[0] as never),
        { hits: [triple("2")] },
        random(0),
      ),
    ),
  );
  assert.equal(answers[0], answers[1]);
});

test("neither reader gives an answer that the question says itself", async () => {
  const text = "Does the amberfox eat snails or moths, in the glass forest or on the salt coast?";
  for (const name of readerNames()) {
    const read = await prepareReader(planted(text), reader(name), 0, signal);
    for (const hits of [[], [triple("1"), triple("2")]]) {
      const a = await read(ask(text), { hits }, random(0));
      assert.not.ok(["amberfox", "snails", "moths", "glass forest", "salt coast"].includes(a.text ?? ""), a.text ?? "");
    }
  }
});

test("a learning reader on a data set without training questions is an error that says what to do", async () => {
  const empty = planted("x", {
    splits: { train: () => defineDataset({ name: "planted", split: "train", graph, questions: [] }) },
  });
  assert.is(
    await messageOf(prepareReader(empty, reader("learned"), 0, signal)),
    'prepareReader: the training split of "planted" has no questions, and "learned" learns from it. Use a data set with a training split, or reader("extractive").',
  );
  assert.is.not(await messageOf(prepareReader(bare, reader("learned"), 0, signal)), "nothing was thrown");
});

test("a fit is made once for each data set and seed, by equal readers together, and again after it failed", async () => {
  let loads = 0;
  const counted = (fail = false) =>
    planted("x", {
      splits: {
        train: async () => {
          loads++;
          if (fail && loads === 1) throw new Error("disk");
          return planted("x").splits.train();
        },
      },
    });
  const data = counted();
  await Promise.all([
    prepareReader(data, reader("learned"), 0, signal),
    prepareReader(data, reader("learned"), 0, signal),
  ]);
  assert.is(loads, 1);
  await prepareReader(data, reader("learned"), 1, signal);
  assert.is(loads, 2);
  loads = 0;
  const shaky = counted(true);
  assert.is(await messageOf(prepareReader(shaky, reader("learned"), 0, signal)), "disk");
  await prepareReader(shaky, reader("learned"), 0, signal);
  assert.is(loads, 2);
});

test("names and options are checked against the table", () => {
  const message = (make: () => unknown) => {
    try {
      make();
      return "nothing was thrown";
    } catch (e) {
      return (e as Error).message;
    }
  };
  assert.is(
    message(() => reader("extractiv")),
    'reader: unknown reader ("extractiv"). Known: extractive, learned. Did you mean "extractive"?',
  );
  assert.match(
    message(() => reader("learned", { evidencerate: 1 })),
    /unknown option \("evidencerate"\).*Did you mean "evidenceRate"\?/,
  );
  assert.match(
    message(() => reader("learned", { evidenceRate: 2 })),
    /evidenceRate has a wrong value \(2\)\. It takes a finite number from 0 to 1/,
  );
});

test("a bare function is a reader, shown by its name and never stored", () => {
  const always: Reader = () => said("yes");
  assert.equal(resolveReader(always), { label: "always", version: "", params: {}, persistent: false });
});

const said = (text: string): Answer => ({ text, status: "ok", citedRanks: [], tokens: 0, costUsd: 0, stop: "said" });
function runOf(dataset: Dataset, evidence: (i: number) => Evidence | null) {
  const items = dataset.questions.map(
    (q, i): RunItem => ({
      id: q.id,
      question: q.id,
      query: toQuery(dataset, q),
      evidence: evidence(i),
      answer: null,
      ...(evidence(i) ? {} : { error: "no such index" }),
    }),
  );
  return makeRun({ label: "r", dataset, setting: dataset.setting(), k: 5, seed: 4, config: { k: 5 }, items });
}

test("answer keeps order, evidence and label, names the reader in the configuration, and reports each question", async () => {
  const data = readerDataset();
  const run = runOf(data, () => ({ hits: [] }));
  const done: number[] = [];
  const answered = await answer(run, ((query) => said(query.text)) as Reader, { onProgress: (e) => done.push(e.done) });
  assert.equal(
    answered.items.map((i) => [i.id, i.answer?.text]),
    data.questions.map((q) => [q.id, q.text]),
  );
  assert.equal(
    done,
    data.questions.map((_, i) => i + 1),
  );
  assert.is(answered.label, "r, reader");
  assert.equal(answered.config, { k: 5, reader: { label: "reader", version: "", params: {} } });
  assert.is(run.items[0]?.answer, null);
});

test("a reader that breaks on one question fails there and nowhere else; malformed answers are failures that say why", async () => {
  const data = readerDataset();
  const replies: Record<number, () => unknown> = {
    0: () => {
      throw new Error("out of ink");
    },
    1: () => "yes",
    2: () => ({ ...said("x"), status: "fine" }),
    3: () => ({ ...said("x"), status: "abstained" }),
    4: () => ({ ...said("x"), citedRanks: [2] }),
    5: () => ({ ...said("x"), tokens: Number.NaN }),
  };
  let i = 0;
  const answered = await answer(
    runOf(data, () => ({ hits: [triple("1")] })),
    (() => replies[i++]?.()) as Reader,
  );
  assert.equal(
    answered.items.map((item) => [item.answer?.status, item.answer?.text, item.answer?.stop]),
    [
      ["failed", null, "out of ink"],
      ["failed", null, 'the reader returned no answer ("yes")'],
      ["failed", null, 'the answer has a wrong status ("fine")'],
      ["failed", null, 'the text does not go with status abstained ("x")'],
      ["failed", null, "citedRanks are not ranks of hits ([2])"],
      ["failed", null, "tokens or costUsd is not a number ≥ 0 ([null,0])"],
    ],
  );
});

test("where the retriever failed, the answer is a failure that says so, and the reader is not asked", async () => {
  let asked = 0;
  const answered = await answer(
    runOf(readerDataset(), (i) => (i === 2 ? null : { hits: [] })),
    (() => {
      asked++;
      return said("x");
    }) as Reader,
  );
  assert.equal(
    [answered.items[2]?.answer?.status, answered.items[2]?.answer?.stop],
    ["failed", "the retriever failed: no such index"],
  );
  assert.is(asked, answered.items.length - 1);
});

test("an abort during the last answer ends the call with the signal's reason, not with failed answers", async () => {
  const reason = new Error("stop here");
  const controller = new AbortController();
  let left = readerDataset().questions.length;
  const aborting: Reader = () => {
    if (--left > 0) return said("x");
    controller.abort(reason);
    throw new Error("because of the abort");
  };
  const run = runOf(readerDataset(), () => ({ hits: [] }));
  const outcome = await answer(run, aborting, { signal: controller.signal }).then(String, (e) => e);
  assert.is(outcome, reason);
});

test("a reader's random numbers depend on the run's seed and the question alone", async () => {
  const data = readerDataset();
  const draws: Reader = (_q, _e, { random }) => said(String(random.float()));
  const once = async () =>
    (
      await answer(
        runOf(data, () => ({ hits: [] })),
        draws,
      )
    ).items.map((i) => i.answer?.text);
  const first = await once();
  assert.equal(await once(), first);
  assert.is(new Set(first).size, first.length);
});

test.run();
