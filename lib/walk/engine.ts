import { setImmediate } from "node:timers/promises";
import { type Evidence, type Hit, MkgError, type Query, quote, rankHits, resolveOptions } from "../core/index.js";
import { walkOptions } from "./options.js";
import { searchOrders } from "./orders.js";
import { scoredAgents } from "./scored.js";
import type { Agents, PathView, Similarity, Verdict, WalkContext, WalkOptions } from "./types.js";

// Linked, so that extending a path costs O(1) however long it is.
class Path implements PathView {
  constructor(
    readonly parent: Path | null,
    readonly entity: string,
    readonly triple: string | null,
    readonly score: number | null,
    readonly depth: number = parent ? parent.depth + 1 : 0,
  ) {
    Object.freeze(this);
  }
  get entities(): readonly string[] {
    const out = new Array<string>(this.depth + 1);
    for (let p: Path | null = this; p; p = p.parent) out[p.depth] = p.entity;
    return out;
  }
  get triples(): readonly string[] {
    const out = new Array<string>(this.depth);
    for (let p: Path = this; p.parent; p = p.parent) out[p.depth - 1] = p.triple as string;
    return out;
  }
  scored(score: number): Path {
    return new Path(this.parent, this.entity, this.triple, score, this.depth);
  }
  has(entity: string): boolean {
    for (let p: Path | null = this; p; p = p.parent) if (p.entity === entity) return true;
    return false;
  }
}

// An open path. `choices` is null until its last entity has been expanded.
interface Open {
  readonly path: Path;
  choices: readonly { readonly triple: string; readonly entity: string }[] | null;
  at: number;
}

class Spent extends Error {}

/**
 * Walks from a topic entity along outgoing edges and returns the paths judged sufficient to answer the query, as hits scored
 * by the validation agent. The search of MH-MMKG (2025, arXiv 2506.17589) as its released code runs it, with its order, its
 * cap and its handling of cycles as options, and its unseeded phase choice replaced by one that `ctx.random` makes.
 *
 * A path judged insufficient stays open and is expanded in its turn; a dead end is dropped. `trace` holds every decision;
 * `spend` counts agent `calls`, entities `expanded`, their edges `notChosen`, edges `validated`, `pathsRecorded`, `excess` over α, `deadEnds`,
 * `cycles`, `depthCuts`, `dropped` (unclear verdicts), `unknownChoices`, `phasesDropped` and paths still `open` at the end.
 * Calls grow with the number of simple paths that the agents leave open; `maxDepth` and `maxCalls` bound them.
 *
 * @example
 * const state = await prepareWalk({ graph, signal }, { pathCount: 2 });
 * const { hits } = await walk(query, { graph, state, k: 10, random: random(0, query.id), signal }, { pathCount: 2 });
 * hits[0].path; // ["Vulmar", "Vulmar Ember Sweep"]
 */
export async function walk(
  query: Query,
  ctx: WalkContext,
  given: Readonly<Record<string, unknown>> = {},
  agents: Agents = scoredAgents,
): Promise<Evidence> {
  const options = Object.freeze(resolveOptions("walk", walkOptions, given)) as unknown as Readonly<WalkOptions>;
  const order =
    searchOrders.find((o) => o.name === options.order) ?? (searchOrders[0] as (typeof searchOrders)[number]);
  const { graph, signal } = ctx;
  const strict = options.cap === "strict";
  const trace: unknown[] = [];
  const recorded: Path[] = [];
  const spend = {
    calls: 0,
    expanded: 0,
    notChosen: 0,
    validated: 0,
    pathsRecorded: 0,
    excess: 0,
    deadEnds: 0,
    cycles: 0,
    depthCuts: 0,
    dropped: 0,
    unknownChoices: 0,
    phasesDropped: 0,
    open: 0,
  };
  const common = { query, graph, similarity: ctx.state as Similarity, options, signal };
  const memory = (path: Path) => graph.text({ path: path.entities, pathTriples: path.triples });

  async function call<T>(ask: () => Promise<T> | T): Promise<T> {
    signal.throwIfAborted();
    if (spend.calls >= options.maxCalls) throw new Spent();
    // agents may never leave the microtask queue; an abort needs the event loop to turn
    if (++spend.calls % 256 === 0) await setImmediate();
    return ask();
  }

  async function validate(path: Path, topic: string): Promise<{ verdict: Verdict["verdict"]; path: Path }> {
    const view = Object.freeze({
      ...common,
      topic,
      path,
      get memory() {
        return memory(path);
      },
    });
    const { verdict, score } = await call(() => agents.validation(view));
    if (!Number.isFinite(score))
      throw new MkgError(
        "walk",
        `the validation agent gave a score that is not a number (${quote(score)})`,
        "A finite number",
      );
    trace.push({ step: "validation", entity: path.entity, triple: path.triple, depth: path.depth, verdict, score });
    return { verdict, path: path.scored(score) };
  }

  const record = (path: Path) => {
    recorded.push(path);
    trace.push({ step: "recorded", path: path.entities, triples: path.triples });
  };

  async function expand(path: Path, topic: string): Promise<NonNullable<Open["choices"]>> {
    const edges = graph.neighbours(path.entity, { direction: "out" });
    if (edges.length === 0) {
      spend.deadEnds++;
      trace.push({ step: "dead end", entity: path.entity, depth: path.depth });
      return [];
    }
    const view = Object.freeze({
      ...common,
      topic,
      path,
      edges: Object.freeze(edges),
      get memory() {
        return memory(path);
      },
    });
    const reply = await call(() => agents.expansion(view));
    spend.expanded++;
    const byTriple = new Map(edges.map((e) => [e.triple, e]));
    const chosen = [...new Set(reply)].flatMap((triple) => byTriple.get(triple) ?? []);
    spend.unknownChoices += new Set(reply).size - chosen.length;
    spend.notChosen += edges.length - chosen.length;
    const kept = onePhase(chosen);
    spend.phasesDropped += chosen.length - kept.length;
    trace.push({
      step: "expansion",
      entity: path.entity,
      depth: path.depth,
      edges: edges.length,
      chosen: reply,
      kept: kept.map((e) => e.triple),
    });
    return kept;
  }

  function onePhase<T extends { readonly entity: string }>(chosen: readonly T[]): readonly T[] {
    const phases = chosen.filter((e) => graph.entity(e.entity).kind === "phase");
    if (options.phaseRule === "off" || phases.length === 0 || chosen.length === 1) return chosen;
    if (options.phaseRule === "released") return [ctx.random.pick(chosen)];
    if (phases.length === 1) return chosen;
    const stays = ctx.random.pick(phases);
    return chosen.filter((e) => e === stays || !phases.includes(e));
  }

  // oldest: a queue read at `head`; newest: a stack
  const open: Open[] = [];
  let head = 0;
  // entities on any path so far: only these can close a cycle, which spares long paths the climb
  const met = new Set<string>();
  const take = () => (order.next === "newest" ? open.pop() : open[head++]);

  async function search(topic: string): Promise<string> {
    const start = await validate(new Path(null, topic, null, null), topic);
    if (start.verdict === "sufficient") {
      record(start.path);
      return "the topic is sufficient";
    }
    open.push({ path: start.path, choices: null, at: 0 });
    met.add(topic);
    for (let item = take(); item; item = take()) {
      if (!item.choices) {
        if (recorded.length >= options.pathCount) {
          spend.open++;
          continue;
        }
        if (item.path.depth >= options.maxDepth) {
          spend.depthCuts++;
          continue;
        }
        item.choices = await expand(item.path, topic);
      }
      const insufficient: Open[] = [];
      while (item.at < item.choices.length) {
        const edge = item.choices[item.at++] as { triple: string; entity: string };
        const next = new Path(item.path, edge.entity, edge.triple, null);
        if (met.has(edge.entity) && item.path.has(edge.entity)) {
          spend.cycles++;
          if (options.cycles === "record") record(next.scored(item.path.score as number));
        } else {
          met.add(edge.entity);
          const judged = await validate(next, topic);
          spend.validated++;
          if (judged.verdict === "sufficient") record(judged.path);
          else if (judged.verdict === "insufficient") insufficient.push({ path: judged.path, choices: null, at: 0 });
          else spend.dropped++;
        }
        if (strict && recorded.length >= options.pathCount) {
          spend.open += insufficient.length + open.length - head + (item.at < item.choices.length ? 1 : 0);
          return "path count";
        }
        if (!order.batch && insufficient.length > 0) break;
      }
      if (!order.batch && item.at < item.choices.length) open.push(item);
      if (order.next === "newest") insufficient.reverse();
      open.push(...insufficient);
    }
    return spend.open > 0 ? "path count" : "nothing open";
  }

  let stop: string;
  try {
    const reply = await call(() => agents.topic(Object.freeze({ ...common })));
    const known = reply !== null && graph.has(reply);
    trace.push({ step: "topic", entity: known ? reply : null, reply });
    stop = known ? await search(reply) : "no topic";
  } catch (error) {
    if (!(error instanceof Spent)) throw error;
    spend.open += open.length - head;
    stop = "maxCalls";
  }
  spend.pathsRecorded = recorded.length;
  spend.excess = Math.max(0, recorded.length - options.pathCount);
  trace.push({ step: "stop", because: stop });
  const hits = recorded.map(
    (p): Hit => ({ score: p.score as number, path: p.entities, pathTriples: p.triples, via: "walk" }),
  );
  return { hits: rankHits(hits).slice(0, ctx.k), trace, spend };
}
