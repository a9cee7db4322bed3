import { type Hit, hitId, integer, type OptionSpecs, real, resolveOptions } from "../../core/index.js";
import { dot, type Encoder, embed } from "../../embed/index.js";
import { openText, textEncoder } from "../dense/options.js";
import { candidateId } from "../order.js";
import type { PrepareContext } from "../types.js";
import type { Stage } from "./pipe.js";

const options: OptionSpecs = {
  lambda: real({
    min: 0,
    max: 1,
    default: 0.7,
    doc: "weight of relevance; the rest is difference from what was chosen before",
  }),
  depth: integer({ min: 1, default: 50, doc: "hits to choose from" }),
  encoder: textEncoder,
};

/**
 * A stage that keeps hits from saying the same: one after the other it chooses the hit with the largest λ · relevance − (1 − λ) · largest cosine with
 * one chosen before (maximal marginal relevance; Carbonell & Goldstein 1998, doi 10.1145/290941.291025). Relevance is the score, scaled to 0 … 1
 * over the hits; likeness that of their texts. λ = 1 keeps the order. Equal values: the better hit first. A chosen hit's score is 1 / its new rank.
 * Cost: O(depth² · dim) at most, and encoding `depth` texts.
 *
 * Options: `lambda` (0.7), `depth` (50), `encoder` ("hash").
 *
 * @example
 * pipe(retriever("bm25"), mmr({ lambda: 0.5 })).label; // "bm25 → mmr (0.5)"
 */
export function mmr(given: { lambda?: number; depth?: number; encoder?: string } = {}): Stage {
  const settings = resolveOptions("mmr", options, given);
  const lambda = settings.lambda as number;
  const stage: Stage = async (_query, hits, { state, graph, k, signal }) => {
    const { encoder, texts } = state as MmrState;
    const pool = hits.slice(0, Math.max(k, settings.depth as number));
    const { data, dim } = await embed(
      pool.map((hit) => texts.get(hitId(hit)) ?? hit.text ?? graph.text(hit)),
      encoder,
      { signal },
    );
    const [high, low] = [pool[0]?.score ?? 0, pool.at(-1)?.score ?? 0];
    const relevance = pool.map((hit) => (high === low ? 1 : (hit.score - low) / (high - low)));
    const likest = new Float64Array(pool.length).fill(0);
    const open = new Set(pool.keys());
    const chosen: Hit[] = [];
    while (open.size > 0 && chosen.length < k) {
      let best = -1;
      let value = Number.NEGATIVE_INFINITY;
      for (const i of open) {
        const own = lambda * (relevance[i] as number) - (1 - lambda) * (likest[i] as number);
        if (own > value) [best, value] = [i, own];
      }
      open.delete(best);
      chosen.push({ ...(pool[best] as Hit), score: 1 / (chosen.length + 1) });
      for (const i of open) likest[i] = Math.max(likest[i] as number, dot(data, best, data, i, dim));
    }
    return chosen;
  };
  return Object.freeze(
    Object.assign(stage, {
      label: `mmr (${lambda})`,
      version: "1",
      params: settings,
      depth: settings.depth as number,
      async prepare(context: PrepareContext): Promise<MmrState> {
        const { candidates } = context;
        const plain = await openText(settings.encoder, context);
        const texts = candidates.map(({ text }) => text);
        return {
          encoder: plain.fit?.(texts) ?? plain,
          texts: new Map(candidates.map((candidate) => [candidateId(candidate), candidate.text])),
        };
      },
    }),
  );
}

interface MmrState {
  readonly encoder: Encoder<string>;
  /** Text by identity of the hit. */
  readonly texts: ReadonlyMap<string, string>;
}
