import { groupBy, type Question, type Random, random } from "../../core/index.js";
import type { Facts } from "./facts.js";
import { flagShown } from "./flag.js";
import { type Asked, type Form, type FormName, formNames, forms, type Kind, kinds } from "./forms.js";

export type Split = "train" | "validation" | "test";

/** Most entities that may be right answers to one question, and most routes to them. */
const mostAnswers = 4;
const mostRoutes = 8;

/** Something that can be asked about a country, each with all its answers. */
interface Candidate extends Asked {
  readonly form: FormName;
  readonly country: string;
}

/**
 * The countries and territories that a split's questions are about: 60 % in test, 25 % in train, 15 % in validation. Fixed: another
 * seed asks other questions about the same countries, so that no seed moves one from train to test.
 */
function countriesOf(facts: Facts, split: Split): readonly string[] {
  const all = random("atlas", "splits").shuffle(facts.countries);
  const [test, train] = [Math.round(all.length * 0.6), Math.round(all.length * 0.85)];
  return { test: all.slice(0, test), train: all.slice(test, train), validation: all.slice(train) }[split];
}

/** What can be asked, and how much was not, by reason. */
export interface Supply {
  readonly candidates: readonly Candidate[];
  readonly leftOut: ReadonlyMap<string, number>;
}

/** Everything that can be asked about the countries of a split. */
export function supply(facts: Facts, split: Split): Supply {
  const candidates: Candidate[] = [];
  const leftOut = new Map<string, number>();
  for (const country of countriesOf(facts, split))
    for (const form of formNames) {
      const { flag, ask } = forms[form] as Form;
      for (const asked of ask(facts, country)) {
        if (asked.answers.length === 0) continue;
        const reason = trouble(facts, country, asked, flag === true);
        if (reason) leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
        else candidates.push({ ...asked, form, country });
      }
    }
  return { candidates, leftOut };
}

/** Why something is not asked; "" when it is. */
function trouble(facts: Facts, country: string, asked: Asked, flag: boolean): string {
  if (asked.answers.length > mostAnswers) return `more than ${mostAnswers} right answers`;
  if (asked.routes.length > mostRoutes) return `more than ${mostRoutes} routes to the answers`;
  if (asked.routes.some(({ triples }) => triples.some((id) => facts.isOneSided(id))))
    return "a border that one of the two countries alone states";
  if (flag && facts.flagsAlike.has(country)) return "a flag that is nearly another's";
  const named = Object.values(asked.slots);
  if (!named.every((id) => facts.isClear(id))) return "a name that several entities have";
  const said = named.map((id) => facts.spellings(id)[0] as string);
  if (asked.answers.some((id) => facts.spellings(id).some((a) => said.some((s) => s.includes(a)))))
    return "an answer that the question says";
  return "";
}

/**
 * The questions of a split: `perKind` of each kind as far as there is matter. Within a kind, forms take turns; each takes the candidate
 * whose country has been asked about least so far, and of these the one whose answers have been right least often, so that what is
 * right often ("French", "Russia") is no more frequent than it must be. O(questions × candidates).
 */
export function askQuestions(
  facts: Facts,
  { candidates }: Supply,
  { seed, split, perKind }: { readonly seed: number; readonly split: Split; readonly perKind: number },
): Question[] {
  const r = random("atlas", split, seed, "questions");
  const asked = new Map<string, number>();
  const right = new Map<string, number>();
  const times = (counts: ReadonlyMap<string, number>, id: string) => counts.get(id) ?? 0;
  const decks = groupBy(r.shuffle(candidates), (c) => c.form);
  const chosen: Candidate[] = [];
  for (const kind of kinds) {
    let own = formNames.filter((form) => forms[form].kind === kind);
    const end = chosen.length + perKind;
    for (let turn = 0; chosen.length < end && own.length > 0; turn++) {
      const deck = decks.get(own[turn % own.length] as FormName) ?? [];
      const worn = deck.map(
        (c) => times(asked, c.country) * candidates.length + c.answers.reduce((n, id) => n + times(right, id), 0),
      );
      const [next] = deck.splice(
        worn.reduce((best, w, i) => (w < (worn[best] as number) ? i : best), 0),
        1,
      );
      if (!next) {
        own = own.filter((form) => (decks.get(form)?.length ?? 0) > 0);
        continue;
      }
      asked.set(next.country, times(asked, next.country) + 1);
      for (const id of next.answers) right.set(id, times(right, id) + 1);
      chosen.push(next);
    }
  }
  return r.shuffle(chosen).map((c, i) => write(facts, c, `q${String(i + 1).padStart(3, "0")}`, [seed, split]));
}

function write(facts: Facts, candidate: Candidate, id: string, of: readonly unknown[]): Question {
  const { form, country, slots, routes, also = [], answers } = candidate;
  const { kind, texts, flag } = forms[form] as Form;
  const r = random("atlas", ...of, "wording", id);
  const text = r.pick(texts).replace(/\{(\w)\}/g, (_, slot: string) => spoken(facts, slots[slot] as string));
  const stated = [...routes.flatMap((route) => route.triples), ...also];
  return {
    id,
    text: (text[0] as string).toUpperCase() + text.slice(1),
    images: flag ? [flagShown(facts.flag(country), pictureSeed(r))] : [],
    answers: [...new Set(answers.flatMap((answer) => facts.names(answer)))],
    group: kind satisfies Kind,
    cluster: country,
    gold: {
      paths: routes.map((route) => [...route.path]),
      pathTriples: routes.map((route) => [...route.triples]),
      triples: [...new Set([...stated, ...stated.flatMap((triple) => facts.reversed(triple))])],
    },
    meta: { form, country, slots },
  };
}

const pictureSeed = (r: Random): number => r.int(2 ** 31);

const takesArticle =
  /^(Republic of|Isle of|Bahamas$|Caribbean|Comoros$|Gambia$|Maldives$|Netherlands$|Philippines$|Seychelles$)|(Emirates|Islands|Kingdom|Lands|Republic|States|Territory)$/;

/** A label as it stands in a sentence: some countries take an article. */
function spoken(facts: Facts, id: string): string {
  const label = facts.label(id);
  return /^[A-Z]{3}$|^subregion:/.test(id) && takesArticle.test(label) ? `the ${label}` : label;
}
