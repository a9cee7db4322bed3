import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MkgError, makeFolder, positiveInteger, quote, readText, unknownName } from "../../core/index.js";
import { dot } from "../dot.js";
import { TopK } from "../topk.js";
import { type KgeModelName, kgeModels } from "./models.js";

const format = "mkglab graph embedding 1";

/** Vectors of a graph's entities and relations, and the function that scores triples by them. Made by `trainGraphEmbedding`. */
export class GraphEmbedding {
  readonly #entityNumbers: ReadonlyMap<string, number>;
  readonly #relationNumbers: ReadonlyMap<string, number>;

  constructor(
    readonly model: KgeModelName,
    readonly dim: number,
    /** Ids, in the order of rows. */
    readonly entities: readonly string[],
    readonly relations: readonly string[],
    /** [entities, entitySize]; `complex` and `rotate` have 2 · dim numbers each. */
    readonly entityVectors: Float32Array,
    readonly relationVectors: Float32Array,
  ) {
    this.#entityNumbers = new Map(entities.map((id, i) => [id, i]));
    this.#relationNumbers = new Map(relations.map((id, i) => [id, i]));
  }

  /** Numbers of an entity's vector. */
  get entitySize(): number {
    return kgeModels[this.model].entitySize(this.dim);
  }

  /** Rows of a triple's parts; an unknown id is an error with the nearest known one. */
  numbers(place: string, head: string, relation: string, tail: string): [number, number, number] {
    const entity = (id: string) => this.#entityNumbers.get(id) ?? fail(place, "entity id", id, this.entities);
    const r = this.#relationNumbers.get(relation) ?? fail(place, "relation id", relation, this.relations);
    return [entity(head), r, entity(tail)];
  }

  has(entity: string): boolean {
    return this.#entityNumbers.has(entity);
  }

  /** Score of rows. */
  scoreOf(head: number, relation: number, tail: number): number {
    const { entitySize: size, relationVectors } = this;
    const model = kgeModels[this.model];
    return model.score(
      this.entityVectors,
      head * size,
      relationVectors,
      relation * model.relationSize(this.dim),
      tail * size,
      this.dim,
    );
  }

  /** How plausible a triple is; higher is more, the scale is the model's. Errors: unknown ids. */
  score(head: string, relation: string, tail: string): number {
    return this.scoreOf(...this.numbers("embedding.score", head, relation, tail));
  }

  /** The k most plausible tails of a head and relation, ties in the order of rows. O(entities · dim). */
  predict(head: string, relation: string, k: number): { readonly entity: string; readonly score: number }[] {
    positiveInteger("embedding.predict", "k", k);
    const [h, r] = this.numbers("embedding.predict", head, relation, head);
    const best = new TopK(k, this.entities.length);
    for (let t = 0; t < this.entities.length; t++) best.push(t, this.scoreOf(h, r, t));
    return best.ranked().map(({ row, score }) => ({ entity: this.entities[row] as string, score }));
  }

  /** Cosines of all entities' vectors with one's, in the order of rows. O(entities · dim). */
  cosines(entity: string): Float64Array {
    const [row] = this.numbers("embedding.cosines", entity, this.relations[0] as string, entity);
    const size = this.entitySize;
    const v = this.entityVectors;
    const length = (i: number) => Math.sqrt(dot(v, i, v, i, size));
    const own = length(row);
    return Float64Array.from(this.entities, (_, i) => {
      const product = own * length(i);
      return product === 0 ? 0 : dot(v, row, v, i, size) / product;
    });
  }

  /** Writes the embedding to a folder that {@link loadGraphEmbedding} reads; the header comes last, so that what is cut off is not taken for whole. */
  async save(folder: string): Promise<void> {
    await makeFolder(folder);
    const bytes = Buffer.concat(
      [this.entityVectors, this.relationVectors].map((v) => Buffer.from(v.buffer, v.byteOffset, v.byteLength)),
    );
    const { model, dim, entities, relations } = this;
    const header = {
      format,
      model,
      dim,
      entities,
      relations,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
    await rm(join(folder, "embedding.json"), { force: true });
    await writeFile(join(folder, "embedding.f32"), bytes);
    await writeFile(join(folder, "embedding.json.writing"), JSON.stringify(header));
    await rename(join(folder, "embedding.json.writing"), join(folder, "embedding.json"));
  }
}

const fail = (place: string, kind: string, id: string, known: readonly string[]): never => {
  throw unknownName(place, kind, id, known);
};

/** Reads what `embedding.save` wrote. Errors: a folder that is missing, cut, changed or of another kind. */
export async function loadGraphEmbedding(folder: string): Promise<GraphEmbedding> {
  const place = "loadGraphEmbedding";
  const text = await readText(join(folder, "embedding.json"), { place, maxBytes: 2 ** 30 });
  const other = () =>
    new MkgError(
      place,
      `not a saved graph embedding (${folder}: embedding.json)`,
      `What save wrote: ${format}`,
      "Train it anew",
    );
  let header: {
    format: string;
    model: KgeModelName;
    dim: number;
    entities: string[];
    relations: string[];
    sha256: string;
  };
  try {
    header = JSON.parse(text);
  } catch {
    throw other();
  }
  if (header?.format !== format || !Object.hasOwn(kgeModels, header.model) || !Array.isArray(header.entities))
    throw other();
  const { model, dim, entities, relations } = header;
  const bytes = await readFile(join(folder, "embedding.f32"));
  if (createHash("sha256").update(bytes).digest("hex") !== header.sha256)
    throw new MkgError(
      place,
      `the vectors are damaged (${join(folder, "embedding.f32")})`,
      "The SHA-256 of embedding.json",
      "Train it anew",
    );
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const cut = entities.length * kgeModels[model].entitySize(dim);
  if (all.length !== cut + relations.length * kgeModels[model].relationSize(dim))
    throw new MkgError(place, `the vectors have another shape (${quote(all.length)} numbers)`, "", "Train it anew");
  return new GraphEmbedding(model, dim, entities, relations, all.slice(0, cut), all.slice(cut));
}
