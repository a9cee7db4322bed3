import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { random } from "../../lib/core/index.js";
import {
  evaluateLinks,
  GraphEmbedding,
  loadGraphEmbedding,
  splitTriples,
  trainGraphEmbedding,
} from "../../lib/embed/index.js";
import { kgeModels } from "../../lib/embed/kge/models.js";
import { lossOf, Parameters } from "../../lib/embed/kge/step.js";
import { graphFrom } from "../../lib/graph/index.js";

const test = suite("graph embeddings");
const golden = JSON.parse(readFileSync(new URL("../golden/kge.json", import.meta.url), "utf8"));
const message = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing was thrown",
    (error: Error) => error.message,
  );

test("loss and gradients are those of PyTorch's autograd, for every model and loss", () => {
  const { dim, triples, draws, cases } = golden;
  const column = (at: number) => Int32Array.from(triples, (t: number[]) => t[at] as number);
  for (const { model: name, loss, adversarial, margin, e, r, value, ge, gr } of cases) {
    const model = kgeModels[name as keyof typeof kgeModels];
    const entities = new Parameters(Float32Array.from(e), model.entitySize(dim), "adagrad");
    const relations = new Parameters(Float32Array.from(r), model.relationSize(dim), "adagrad");
    let [positive, j] = [0, 0];
    const got = lossOf(
      model,
      entities,
      relations,
      { head: column(0), relation: column(1), tail: column(2) },
      Int32Array.from(triples.keys()),
      () => {
        const [entity, atHead] = draws[positive][j] as [number, boolean];
        if (++j === draws[positive].length) [positive, j] = [positive + 1, 0];
        return { entity, atHead };
      },
      random("unused"),
      { dim, negatives: draws[0].length, loss, margin, adversarial, learningRate: 0.1, optimiser: "adagrad" },
    );
    const what = `${name}, ${loss}, ${adversarial}`;
    assert.ok(Math.abs(got - value) < 1e-9, `${what}: ${got}, PyTorch ${value}`);
    for (const [own, wanted] of [
      [entities, ge],
      [relations, gr],
    ] as const)
      for (let row = 0; row < wanted.length / own.size; row++) {
        const slot = own.slot(row);
        for (let i = 0; i < own.size; i++)
          assert.ok(
            Math.abs((own.gradient[slot + i] as number) - wanted[row * own.size + i]) < 1e-9,
            `${what}, row ${row}, ${i}`,
          );
      }
  }
});

test("a step moves only the rows that the batch touches, as Adagrad and Adam say", () => {
  for (const optimiser of ["adagrad", "adam"] as const) {
    const own = new Parameters(Float32Array.from([1, 2, 3, 4, 5, 6]), 2, optimiser);
    const options = {
      dim: 2,
      negatives: 1,
      loss: "margin",
      margin: 1,
      adversarial: 0,
      learningRate: 0.5,
      optimiser,
    } as const;
    const slot = own.slot(1);
    own.gradient[slot] = 2;
    own.update(options, 1);
    // the first step of either is the rate, whatever the slope
    assert.ok(Math.abs((own.values[2] as number) - 2.5) < 1e-6, optimiser);
    assert.equal(
      [...own.values].filter((_, i) => i !== 2),
      [1, 2, 4, 5, 6],
    );
    own.gradient[own.slot(1)] = -2;
    own.update(options, 2);
    const wanted =
      optimiser === "adagrad"
        ? 2.5 + (0.5 * 2) / Math.sqrt(8)
        : 2.5 -
          ((0.5 * Math.sqrt(1 - 0.999 ** 2)) / (1 - 0.9 ** 2)) * ((0.9 * 0.2 - 0.2) / Math.sqrt(0.999 * 0.004 + 0.004));
    assert.ok(Math.abs((own.values[2] as number) - wanted) < 1e-5, `${optimiser}: ${own.values[2]}, ${wanted}`);
  }
});

// people are parents of people: a rule that a model of any kind can learn, over three generations
const names = Array.from({ length: 30 }, (_, i) => `p${i}`);
const family = graphFrom({
  entities: names.map((id) => ({ id })),
  triples: names.flatMap((id, i) => {
    const parent = names[Math.floor(i / 2)] as string;
    return i < 2
      ? []
      : [
          { head: parent, relation: "parent of", tail: id },
          { head: id, relation: "child of", tail: parent },
        ];
  }),
});

test("ranks are filtered, and ties get the mean, the best or the worst of their places", () => {
  // scores are −|h + r − t| on a line: a 0, b 1, c 1, d 5
  const line = new GraphEmbedding(
    "transe",
    1,
    ["a", "b", "c", "d"],
    ["r"],
    Float32Array.from([0, 1, 1, 5]),
    Float32Array.from([1]),
  );
  const asked = [{ head: "a", relation: "r", tail: "b" }];
  const ranks = (options = {}) => [...evaluateLinks(line, asked, options).ranks];
  // tails of a + 1: b and c tie at 0, a at −1, d at −4; heads with + 1 nearest to b: a is alone at 0
  assert.equal(ranks(), [1.5, 1]);
  assert.equal(ranks({ ties: "best" }), [1, 1]);
  assert.equal(ranks({ ties: "worst" }), [2, 1]);
  assert.equal(ranks({ filter: [...asked, { head: "a", relation: "r", tail: "c" }] }), [1, 1]);
  const { MR, MRR, hits, n } = evaluateLinks(line, asked);
  assert.equal([MR, MRR, hits, n], [1.25, (1 / 1.5 + 1) / 2, { 1: 0.5, 3: 1, 10: 1 }, 2]);
  assert.throws(() => evaluateLinks(line, [{ head: "x", relation: "r", tail: "b" }]), /unknown entity id \("x"\)/);
  assert.throws(() => evaluateLinks(line, []), /no triples/);
  // a model that scores all the same is in the middle, not first
  const flat = new GraphEmbedding("distmult", 1, ["a", "b", "c", "d"], ["r"], new Float32Array(4), new Float32Array(1));
  assert.equal([...evaluateLinks(flat, asked).ranks], [2.5, 2.5]);
});

for (const model of ["transe", "distmult", "complex", "rotate"] as const)
  test(`${model} learns a family, the same seed to the same bytes, another seed otherwise`, async () => {
    const options = { model, dim: 16, epochs: 60, batch: 16, negatives: 6, seed: 1 };
    const a = await trainGraphEmbedding(family, options);
    const b = await trainGraphEmbedding(family, options);
    assert.equal(a.entityVectors, b.entityVectors);
    assert.not.equal((await trainGraphEmbedding(family, { ...options, seed: 2 })).entityVectors, a.entityVectors);
    const triples = names
      .slice(2)
      .map((id, i) => ({ head: names[Math.floor((i + 2) / 2)] as string, relation: "parent of", tail: id }));
    const { MRR } = evaluateLinks(a, triples, { filter: triples });
    // chance is about 0.13 over 30 entities; two children of one parent cannot both be first
    assert.ok(MRR > 0.4, `${MRR}`);
    assert.is(a.predict("p3", "parent of", 2).length, 2);
    assert.is(a.cosines("p3").length, 30);
  });

test("with validation triples training ends when they get no better, and the best vectors are returned", async () => {
  const { train, validation } = splitTriples(family, { validation: 0.2, test: 0, seed: 3 });
  let epochs = 0;
  const options = {
    model: "distmult",
    dim: 8,
    epochs: 400,
    batch: 16,
    every: 5,
    patience: 2,
    seed: 0,
    triples: train,
  } as const;
  const best = await trainGraphEmbedding(family, { ...options, validation, onProgress: () => epochs++ });
  assert.ok(epochs < 400, `${epochs} epochs`);
  const filter = [...train, ...validation];
  const of = (embedding: GraphEmbedding) => evaluateLinks(embedding, validation, { filter }).MRR;
  // the same way without looks: none of the places that were looked at is better
  const looks = [];
  for (let at = 5; at <= epochs; at += 5) looks.push(of(await trainGraphEmbedding(family, { ...options, epochs: at })));
  assert.is(of(best), Math.max(...looks));
  const stop = new AbortController();
  stop.abort(new Error("enough"));
  assert.is(await message(trainGraphEmbedding(family, { ...options, signal: stop.signal })), "enough");
});

test("a split keeps every entity and relation in training, loses no triple, and is the seed's", () => {
  const { train, validation, test: held } = splitTriples(family, { validation: 0.2, test: 0.2, seed: 4 });
  assert.is(train.length + validation.length + held.length, family.triples.numRows());
  const seen = new Set(train.flatMap(({ head, relation, tail }) => [head, relation, tail]));
  for (const { head, relation, tail } of [...validation, ...held])
    assert.ok(seen.has(head) && seen.has(relation) && seen.has(tail));
  assert.ok(held.length > 0);
  assert.equal(splitTriples(family, { validation: 0.2, test: 0.2, seed: 4 }).test, held);
});

test("a saved embedding comes back to the byte; what is cut or changed is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kge-"));
  try {
    const made = await trainGraphEmbedding(family, { model: "rotate", dim: 4, epochs: 2 });
    await made.save(folder);
    const back = await loadGraphEmbedding(folder);
    assert.equal(
      [back.model, back.dim, back.entities, back.relations, back.entityVectors, back.relationVectors],
      [made.model, made.dim, made.entities, made.relations, made.entityVectors, made.relationVectors],
    );
    assert.is(back.score("p1", "parent of", "p2"), made.score("p1", "parent of", "p2"));
    const bytes = readFileSync(join(folder, "embedding.f32"));
    writeFileSync(join(folder, "embedding.f32"), bytes.subarray(4));
    assert.match(await message(loadGraphEmbedding(folder)), /the vectors are damaged/);
    writeFileSync(join(folder, "embedding.json"), "{}");
    assert.match(await message(loadGraphEmbedding(folder)), /not a saved graph embedding/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("wrong options and a graph without triples are errors", async () => {
  assert.match(
    await message(trainGraphEmbedding(family, { model: "transh" as never })),
    /option model has a wrong value \("transh"\)/,
  );
  assert.match(
    await message(trainGraphEmbedding(family, { epoch: 3 })),
    /unknown option \("epoch"\).*Did you mean "epochs"/,
  );
  assert.match(
    await message(trainGraphEmbedding(graphFrom({ entities: [{ id: "a" }], triples: [] }))),
    /the graph has no triples/,
  );
});

test.run();
