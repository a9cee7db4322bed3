import { type Facts, last, type Route, relation, start } from "./facts.js";

/** The five kinds of question, in order. */
export const kinds = ["one hop", "two hops", "intersection", "flag", "route"] as const;
export type Kind = (typeof kinds)[number];

/** One thing that can be asked about a country. */
export interface Asked {
  /** Entities that the text names: slot → id. */
  readonly slots: Readonly<Record<string, string>>;
  /** Every entity that the graph gives as an answer. */
  readonly answers: readonly string[];
  /** Every route to an answer. */
  readonly routes: readonly Route[];
  /** Triples besides those of the routes that the answer rests on. */
  readonly also?: readonly string[];
}

/** A form of question: what it asks about a country, and in which words. */
export interface Form {
  readonly kind: Kind;
  /** `{x}` stands for the entity in slot x. */
  readonly texts: readonly string[];
  /** The country's flag is shown, and its name is not said. */
  readonly flag?: true;
  ask(facts: Facts, country: string): readonly Asked[];
}

/** A question whose answers stand at the ends of all its routes. */
const ends = (slots: Readonly<Record<string, string>>, routes: readonly Route[], also?: readonly string[]): Asked => ({
  slots,
  answers: [...new Set(routes.map(last))],
  routes,
  ...(also ? { also } : {}),
});

/** From the country along relations. */
const facts =
  (...relations: readonly string[]) =>
  (f: Facts, c: string) => [
    ends(
      { c },
      relations.reduce((routes, r) => f.along(routes, r), [start(c)] as readonly Route[]),
    ),
  ];

/** From each of the country's capitals to the country, and on. */
const fromCapital = (further: (f: Facts, routes: readonly Route[]) => readonly Route[]) => (f: Facts, c: string) =>
  f.along([start(c)], relation.capital).map((route) => {
    const city = last(route);
    return ends({ x: city }, further(f, f.along([start(city)], relation.capitalOf)));
  });

/** Neighbours of the country that also stand in this relation to something; both conditions narrow the choice. */
const neighboursWith = (wanted: string) => (f: Facts, c: string) => {
  const around = f.across([start(c)]);
  const values = new Set(f.along(around, wanted).map(last));
  return [...values].flatMap((value) => {
    const routes = around.filter((route) => f.triple(last(route), wanted, value));
    if (routes.length === around.length || f.heads(value, wanted).length === routes.length) return [];
    return [
      ends(
        { c, v: value },
        routes,
        routes.map((route) => f.triple(last(route), wanted, value) as string),
      ),
    ];
  });
};

/** Of two countries, the one that a question about both belongs to: evenly spread, the same either way round. */
function isOwner(f: Facts, a: string, b: string): boolean {
  const [i, j] = [f.position.get(a) as number, f.position.get(b) as number];
  return (i + j) % 2 === 0 ? i < j : i > j;
}

/** The countries that can be reached by crossing `borders` borders and not by fewer, with all shortest routes there. */
function reached(f: Facts, c: string, borders: number): Map<string, Route[]> {
  const seen = new Set([c]);
  let at: Route[] = [start(c)];
  for (let i = 0; i < borders; i++) {
    at = f.across(at).filter((route) => !seen.has(last(route)));
    for (const route of at) seen.add(last(route));
  }
  const found = new Map<string, Route[]>();
  for (const route of at) found.set(last(route), [...(found.get(last(route)) ?? []), route]);
  return found;
}

/** The countries between the country and one two borders away, and what the relation leads to from there; from both sides. */
const between =
  (...relations: readonly string[]) =>
  (f: Facts, c: string) =>
    [...reached(f, c, 2)]
      .filter(([other]) => isOwner(f, c, other))
      .map(([other, routes]) => {
        const middle = new Set(routes.map((route) => route.path[1] as string));
        const inside = (from: string) => f.across([start(from)]).filter((route) => middle.has(last(route)));
        const all = relations.reduce((at, r) => f.along(at, r), [...inside(c), ...inside(other)] as readonly Route[]);
        return ends({ c, d: other }, all);
      });

/** Every form of question. To add one: an entry here, and how to find its answers anew in the test. */
export const forms = {
  capital: {
    kind: "one hop",
    texts: [
      "What is the capital of {c}?",
      "Which city is the capital of {c}?",
      "Name the capital city of {c}.",
      "{c}: which city is its capital?",
    ],
    ask: facts(relation.capital),
  },
  capitalOf: {
    kind: "one hop",
    texts: [
      "Of which country or territory is {x} the capital?",
      "Which country or territory has {x} as its capital?",
      "{x} is the capital of what country or territory?",
      "The capital is {x}: which country or territory is that?",
    ],
    ask: fromCapital((_, routes) => routes),
  },
  currency: {
    kind: "one hop",
    texts: [
      "Which currency does {c} use?",
      "What is the currency of {c}?",
      "In what currency do people pay in {c}?",
      "Name a currency that is used in {c}.",
    ],
    ask: facts(relation.currency),
  },
  language: {
    kind: "one hop",
    texts: [
      "What is an official language of {c}?",
      "Which language is official in {c}?",
      "Name an official language of {c}.",
      "{c} has which official language?",
    ],
    ask: facts(relation.language),
  },
  subregion: {
    kind: "one hop",
    texts: [
      "In which subregion of the world does {c} lie?",
      "Which part of the world is {c} in?",
      "To which subregion does {c} belong?",
      "{c} lies in what subregion?",
    ],
    ask: facts(relation.liesIn),
  },
  neighbour: {
    kind: "one hop",
    texts: [
      "Which country borders {c}?",
      "Name a country that shares a land border with {c}.",
      "What is a neighbour of {c} by land?",
      "With which country does {c} share a border?",
    ],
    ask: (f, c) => [ends({ c }, f.across([start(c)]))],
  },
  domain: {
    kind: "one hop",
    texts: [
      "What internet domain does {c} have?",
      "Which internet domain belongs to {c}?",
      "Under what top-level internet domain are the websites of {c}?",
      "Name the country-code internet domain of {c}.",
    ],
    ask: facts(relation.domain),
  },
  inhabitants: {
    kind: "one hop",
    texts: [
      "What are the inhabitants of {c} called?",
      "What is someone from {c} called?",
      "Which word names the inhabitants of {c}?",
      "How are inhabitants of {c} called in English?",
    ],
    ask: facts(relation.demonym),
  },
  capitalCurrency: {
    kind: "two hops",
    texts: [
      "Which currency is used in the country whose capital is {x}?",
      "What currency does the country with the capital {x} use?",
      "{x} is the capital of a country that uses which currency?",
      "Name the currency of the country that has {x} as its capital.",
    ],
    ask: fromCapital((f, routes) => f.along(routes, relation.currency)),
  },
  capitalLanguage: {
    kind: "two hops",
    texts: [
      "What is an official language of the country whose capital is {x}?",
      "Which language is official in the country with the capital {x}?",
      "{x} is the capital of a country with which official language?",
      "Name an official language of the country that has {x} as its capital.",
    ],
    ask: fromCapital((f, routes) => f.along(routes, relation.language)),
  },
  capitalNeighbour: {
    kind: "two hops",
    texts: [
      "Which country borders the one whose capital is {x}?",
      "Name a neighbour of the country with the capital {x}.",
      "{x} is the capital of a country that borders which other country?",
      "With which country does the one that has {x} as its capital share a land border?",
    ],
    ask: fromCapital((f, routes) => f.across(routes)),
  },
  script: {
    kind: "two hops",
    texts: [
      "In which script is an official language of {c} written?",
      "Which script is an official language of {c} written in?",
      "Name a script that is used to write an official language of {c}.",
      "What script writes an official language of {c}?",
    ],
    ask: facts(relation.language, relation.script),
  },
  region: {
    kind: "two hops",
    texts: [
      "Of which region of the world is the subregion of {c} a part?",
      "The subregion in which {c} lies is part of which region?",
      "To which large region does the part of the world around {c} belong?",
      "Name the region that the subregion of {c} is part of.",
    ],
    ask: facts(relation.liesIn, relation.partOf),
  },
  neighbourCapital: {
    kind: "two hops",
    texts: [
      "What is the capital of a country that borders {c}?",
      "Name the capital of a neighbour of {c}.",
      "Which city is the capital of a country next to {c}?",
      "A country shares a land border with {c}: what is its capital?",
    ],
    ask: (f, c) => [ends({ c }, f.along(f.across([start(c)]), relation.capital))],
  },
  bordersBoth: {
    kind: "intersection",
    texts: [
      "Which country borders both {c} and {d}?",
      "Name a country that has land borders with {c} and with {d}.",
      "What country is a neighbour of {c} as well as of {d}?",
      "{c} and {d} both border which country?",
    ],
    // a neighbour of each: two borders apart, or neighbours of each other as well
    ask: (f, c) => {
      const near = new Set(f.neighbours(c));
      return f.countries.flatMap((d) => {
        if (d === c || !isOwner(f, c, d)) return [];
        const theirs = f.neighbours(d);
        const common = theirs.filter((id) => near.has(id));
        if (common.length === 0 || common.length === near.size || common.length === theirs.length) return [];
        const routes = f.across([start(c), start(d)]).filter((route) => common.includes(last(route)));
        return [ends({ c, d }, routes)];
      });
    },
  },
  neighbourLanguage: {
    kind: "intersection",
    texts: [
      "Which neighbour of {c} has {v} as an official language?",
      "Name a country that borders {c} and has the official language {v}.",
      "In which country next to {c} is {v} an official language?",
      "Which country shares a land border with {c} and has {v} as official language?",
    ],
    ask: neighboursWith(relation.language),
  },
  neighbourCurrency: {
    kind: "intersection",
    texts: [
      "Which neighbour of {c} uses the {v}?",
      "Name a country that borders {c} and uses the currency {v}.",
      "In which country next to {c} is the {v} the currency?",
      "Which country shares a land border with {c} and pays in the {v}?",
    ],
    ask: neighboursWith(relation.currency),
  },
  neighbourClass: {
    kind: "intersection",
    texts: [
      "Which neighbour of {c} is a {v}?",
      "Name a {v} that borders {c}.",
      "Which {v} shares a land border with {c}?",
      "What {v} lies next to {c}?",
    ],
    // the other classes hold for nearly every country
    ask: (f, c) => neighboursWith(relation.isA)(f, c).filter(({ slots }) => slots.v === "class:landlocked country"),
  },
  subregionLanguage: {
    kind: "intersection",
    texts: [
      "Which country or territory in {s} has {v} as an official language?",
      "Name a country or territory that lies in {s} and has the official language {v}.",
      "In {s}, which country or territory has {v} among its official languages?",
      "{v} is an official language of which country or territory in {s}?",
    ],
    ask: (f, c) =>
      f.along([start(c)], relation.liesIn).flatMap((there) => {
        const s = last(there);
        const inside = f.heads(s, relation.liesIn);
        return f.along([start(c)], relation.language).flatMap((spoken) => {
          const v = last(spoken);
          const both = inside.filter(({ entity }) => f.triple(entity, relation.language, v));
          if (both.length === inside.length || both.length === f.heads(v, relation.language).length) return [];
          // what several countries answer belongs to the first of them
          if (both[0]?.entity !== c) return [];
          const routes = both.map(({ entity, triple }) => ({ path: [s, entity], triples: [triple] }));
          return [
            ends(
              { s, v },
              routes,
              both.map(({ entity }) => f.triple(entity, relation.language, v) as string),
            ),
          ];
        });
      }),
  },
  flagCountry: {
    kind: "flag",
    flag: true,
    texts: [
      "Whose flag is shown?",
      "Which country or territory has the flag in the picture?",
      "To which country or territory does this flag belong?",
      "Name the country or territory whose flag this is.",
    ],
    ask: (_, c) => [ends({}, [start(c)])],
  },
  flagCapital: {
    kind: "flag",
    flag: true,
    texts: [
      "What is the capital of the country or territory whose flag is shown?",
      "The picture shows a flag. Which city is the capital of the country it belongs to?",
      "Name the capital city of the country with this flag.",
      "Which capital belongs to the flag in the picture?",
    ],
    ask: (f, c) => withoutSlots(facts(relation.capital)(f, c)),
  },
  flagCurrency: {
    kind: "flag",
    flag: true,
    texts: [
      "Which currency is used in the country or territory whose flag is shown?",
      "The picture shows a flag. What is the currency of the country it belongs to?",
      "In what currency do people pay in the country with this flag?",
      "Name a currency that is used where this flag flies.",
    ],
    ask: (f, c) => withoutSlots(facts(relation.currency)(f, c)),
  },
  flagLanguage: {
    kind: "flag",
    flag: true,
    texts: [
      "What is an official language of the country or territory whose flag is shown?",
      "The picture shows a flag. Which language is official in the country it belongs to?",
      "Name an official language of the country with this flag.",
      "Which language is official where this flag flies?",
    ],
    ask: (f, c) => withoutSlots(facts(relation.language)(f, c)),
  },
  flagSubregion: {
    kind: "flag",
    flag: true,
    texts: [
      "In which subregion of the world does the country or territory lie whose flag is shown?",
      "The picture shows a flag. To which subregion does the country it belongs to count?",
      "Which part of the world is the country with this flag in?",
      "Name the subregion where this flag flies.",
    ],
    ask: (f, c) => withoutSlots(facts(relation.liesIn)(f, c)),
  },
  flagNeighbour: {
    kind: "flag",
    flag: true,
    texts: [
      "Which country borders the one whose flag is shown?",
      "The picture shows a flag. Name a neighbour by land of the country it belongs to.",
      "With which country does the one with this flag share a border?",
      "Name a country next to the one that flies this flag.",
    ],
    ask: (f, c) => [ends({}, f.across([start(c)]))],
  },
  firstStep: {
    kind: "route",
    texts: [
      "By land from {c} to {d} through as few countries as possible: which country can one enter first?",
      "On a shortest way by land from {c} to {d}, counted in borders, which country comes first after {c}?",
      "Someone drives from {c} to {d} and crosses as few borders as possible. Name a country that can be entered first.",
      "Which neighbour of {c} is the first on a way by land to {d} that crosses the fewest borders?",
    ],
    ask: (f, c) =>
      [...reached(f, c, 3)].map(([d, routes]) => ({
        slots: { c, d },
        answers: [...new Set(routes.map((route) => route.path[1] as string))],
        routes,
      })),
  },
  betweenCapital: {
    kind: "route",
    texts: [
      "What is the capital of a country that lies between {c} and {d}, bordering both?",
      "Going by land from {c} to {d} through one country only: name the capital of a country one can pass through.",
      "{c} and {d} do not touch, but have a neighbour in common. Which city is its capital?",
      "Which capital belongs to a country with land borders to {c} on one side and {d} on the other?",
    ],
    ask: between(relation.capital),
  },
  betweenCurrency: {
    kind: "route",
    texts: [
      "Which currency is used in a country that lies between {c} and {d}, bordering both?",
      "Going by land from {c} to {d} through one country only: in what currency can one pay on the way?",
      "{c} and {d} do not touch, but have a neighbour in common. What is its currency?",
      "Name the currency of a country with land borders to {c} on one side and {d} on the other.",
    ],
    ask: between(relation.currency),
  },
  betweenLanguage: {
    kind: "route",
    texts: [
      "What is an official language of a country that lies between {c} and {d}, bordering both?",
      "Going by land from {c} to {d} through one country only: which official language can one meet on the way?",
      "{c} and {d} do not touch, but have a neighbour in common. Name an official language of it.",
      "Which language is official in a country with land borders to {c} on one side and {d} on the other?",
    ],
    ask: between(relation.language),
  },
} as const satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof forms;
export const formNames = Object.keys(forms) as FormName[];

function withoutSlots(asked: readonly Asked[]): Asked[] {
  return asked.map((a) => ({ ...a, slots: {} }));
}
