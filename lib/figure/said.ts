import { percentText, plain } from "./text.js";
import type { Drawn } from "./types.js";

/** One mark in words, for screen readers and as the tooltip in notebooks: "first, learned: 41.2% [35.0%, 47.4%], n = 238". */
export function sentence(p: Drawn, percent: boolean): string {
  const number = (value: number) => (percent ? percentText(value) : plain(value));
  const place = p.series === "" ? p.level : `${p.level}, ${p.series}`;
  const interval = p.low === null || p.high === null ? "" : ` [${number(p.low)}, ${number(p.high)}]`;
  return `${place}: ${number(p.value)}${interval}${p.n === null ? "" : `, n = ${p.n}`}`;
}

const channel = { field: "said", type: "nominal" };
/** The channels that carry it. */
export const said = { description: channel, tooltip: channel };
