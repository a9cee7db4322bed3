import { random } from "../../core/index.js";
import { moveNamed } from "./moves.js";

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
 * A caption of a recording, as a person might write it. `informativeness` is the probability that it tells the distinctive act
 * (in words other than the attack's name); otherwise it stays vague. Equal arguments, equal text.
 */
export function caption(
  creature: string,
  move: string,
  recording: string,
  informativeness: number,
  worldKey: unknown,
): string {
  const r = random("bestiary", worldKey, "caption", recording);
  const tells = r.float() < informativeness;
  const act = r.pick(tells ? (moveNamed.get(move)?.captions ?? vague) : vague);
  const short = r.float() < 0.25;
  const start = r.pick(starts).replace("{c}", creature);
  return short ? `${creature} ${act}.` : `${start}${r.pick(links)}${act}.`;
}

export const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
