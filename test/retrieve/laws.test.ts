import { defineRetriever, retriever, retrieverNames } from "../../lib/retrieve/index.js";
import { retrieverLaws } from "../laws/retriever.js";

for (const name of retrieverNames()) retrieverLaws(name, () => retriever(name));

retrieverLaws("one that a user defines, with state", () =>
  defineRetriever({
    name: "longest",
    version: "1",
    prepare: ({ candidates }) => new Map(candidates.map((c) => [c.triple, c.text.length])),
    search: (_query, { candidates, state, k }) =>
      candidates
        .flatMap(({ triple }) => triple ?? [])
        .map((triple) => ({ triple, score: (state as Map<string, number>).get(triple) as number }))
        .sort((a, b) => b.score - a.score || (a.triple < b.triple ? -1 : 1))
        .slice(0, k),
  }),
);
