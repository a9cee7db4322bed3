import { random } from "../../core/index.js";
import { moveNamed } from "./moves.js";
import type { WorldOptions } from "./options.js";

const starts = [
  "{c} shifts its weight and watches the hunter",
  "{c} lowers its head a little and steps sideways",
  "{c} stands still for a moment, breathing slowly",
  "Facing the hunter, {c} takes two short steps",
  "{c} paws at the ground and turns towards its target",
] as const;
const links = [", then ", ", and suddenly ", "; after that it ", " before it "] as const;
const vague = [
  "makes its attack",
  "goes for the hunter",
  "strikes in front of itself",
  "moves in and hits the area around it",
  "attacks without further warning",
] as const;

/**
 * A caption of a recording, as a person might write it. `captionInformativeness` is the probability that it tells the distinctive act
 * (in words other than the attack's name); otherwise it stays vague. `captionShortcut` is the probability that it names the attack instead.
 * Equal arguments, equal text.
 */
export function caption(
  { creature, move, name }: { readonly creature: string; readonly move: string; readonly name: string },
  recording: string,
  worldKey: unknown,
  { captionInformativeness, captionShortcut }: Pick<WorldOptions, "captionInformativeness" | "captionShortcut">,
): string {
  const r = random("bestiary", worldKey, "caption", recording);
  const tells = r.float() < captionInformativeness;
  const written = r.pick(tells ? (moveNamed.get(move)?.captions ?? vague) : vague);
  const named =
    captionShortcut > 0 && random("bestiary", worldKey, "caption shortcut", recording).float() < captionShortcut;
  const act = named ? `uses ${name}` : written;
  const short = r.float() < 0.25;
  const start = r.pick(starts).replace("{c}", creature);
  return short ? `${creature} ${act}.` : `${start}${r.pick(links)}${act}.`;
}

export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
