import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Image } from "../../lib/core/index.js";
import { type Encoder, embed, isEncoder } from "../../lib/embed/index.js";

/** The contract of encoders, over one of them and items that it encodes; `blank` is one without features, where there is such. */
export function encoderLaws<T extends string | Image>(
  name: string,
  make: () => Promise<Encoder<T>>,
  items: readonly T[],
  blank?: T,
): void {
  const test = suite(`encoder laws: ${name}`);
  const length = (rows: Float32Array, i: number, dim: number) => Math.hypot(...rows.subarray(i * dim, (i + 1) * dim));

  test("it is an encoder, and two of the same name and options are one: equal revision, equal bytes", async () => {
    const [a, b] = [await make(), await make()];
    assert.ok(isEncoder(a) && a.revision.length > 0);
    assert.equal([a.name, a.revision, a.dim, a.modality], [b.name, b.revision, b.dim, b.modality]);
    assert.equal(await a.encode(items), await b.encode(items));
  });

  test("rows have length 1, in the order of items; none for none", async () => {
    const e = await make();
    const rows = await e.encode(items);
    assert.is(rows.length, items.length * e.dim);
    for (let i = 0; i < items.length; i++) assert.ok(Math.abs(length(rows, i, e.dim) - 1) < 1e-5, `item ${i}`);
    const reversed = await e.encode([...items].reverse());
    items.forEach((_, i) => {
      const j = items.length - 1 - i;
      assert.equal(reversed.subarray(j * e.dim, (j + 1) * e.dim), rows.subarray(i * e.dim, (i + 1) * e.dim));
    });
    assert.is((await e.encode([])).length, 0);
  });

  test("an item's row does not depend on what else is encoded: equal at every batch size", async () => {
    const e = await make();
    const whole = await embed(items, e, { batch: 1000 });
    for (const batch of [1, 2, 3]) assert.equal((await embed(items, e, { batch })).data, whole.data);
  });

  if (blank !== undefined)
    test("an item without features has a zero row, and is counted", async () => {
      const { data, dim, zeroRows } = await embed([items[0] as T, blank], await make());
      assert.equal([length(data, 1, dim), zeroRows], [0, 1]);
    });

  test("what it does not encode is refused by its place", async () => {
    const message = await (await make()).encode([items[0] as T, 7 as never]).then(
      () => "nothing was thrown",
      (error: Error) => error.message,
    );
    assert.match(message, /item 1|not a picture|not text|image|bytes/);
  });

  test.run();
}
