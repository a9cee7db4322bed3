/** How a creature is built and coloured; the same in every world. Lengths in pixels of a 96 × 96 frame. */
export interface Look {
  readonly build: "quadruped" | "biped" | "serpent" | "crawler" | "bulky" | "flyer";
  readonly length: number;
  readonly height: number;
  readonly leg: number;
  readonly neck: number;
  readonly head: number;
  readonly tail: number;
  readonly hue: number;
  readonly light: number;
  readonly horns: 0 | 1 | 2;
  readonly spikes: number;
  readonly wings: boolean;
  readonly marking: "plain" | "stripes" | "spots";
  readonly tailEnd: "point" | "club" | "fan";
}

type Build = Pick<Look, "build" | "length" | "height" | "leg" | "neck" | "head" | "tail" | "wings">;
const builds: readonly Build[] = [
  { build: "quadruped", length: 32, height: 15, leg: 15, neck: 10, head: 6.5, tail: 24, wings: false },
  { build: "biped", length: 24, height: 16, leg: 19, neck: 11, head: 7.5, tail: 27, wings: false },
  { build: "serpent", length: 40, height: 10, leg: 0, neck: 15, head: 7, tail: 30, wings: false },
  { build: "flyer", length: 25, height: 12, leg: 13, neck: 12, head: 6, tail: 25, wings: true },
  { build: "crawler", length: 36, height: 14, leg: 10, neck: 4, head: 7.5, tail: 16, wings: false },
  { build: "bulky", length: 33, height: 22, leg: 11, neck: 7, head: 8.5, tail: 16, wings: false },
];
const markings = ["plain", "stripes", "spots"] as const;
const tailEnds = ["point", "club", "fan"] as const;

/** The look of the creature at a place of the list of names: six builds, hues a golden angle apart. */
export function lookOf(index: number): Look {
  return {
    ...(builds[index % builds.length] as Build),
    hue: Math.round(index * 137.508) % 360,
    light: [46, 60, 34][(index >> 1) % 3] as number,
    horns: ((index * 5 + 1) % 3) as 0 | 1 | 2,
    spikes: [0, 4, 6][(index * 7 + 2) % 3] as number,
    marking: markings[(index + (index >> 2)) % 3] as (typeof markings)[number],
    tailEnd: tailEnds[((index >> 1) + (index >> 3)) % 3] as (typeof tailEnds)[number],
  };
}

const buildWords: Readonly<Record<Look["build"], string>> = {
  quadruped: "four-legged",
  biped: "two-legged",
  serpent: "legless",
  crawler: "many-legged",
  bulky: "heavy and short-legged",
  flyer: "winged",
};
const hueWords = ["red", "orange", "yellow", "green", "teal", "blue", "violet", "pink"] as const;

/** The look in words: "a four-legged animal with dark red hide, two horns and a clubbed tail". */
export function describeLook(index: number): string {
  const look = lookOf(index);
  const shade = look.light < 40 ? "dark " : look.light > 55 ? "pale " : "";
  const parts = [
    `${shade}${hueWords[Math.round(look.hue / 45) % 8]}${look.marking === "plain" ? "" : look.marking === "stripes" ? " striped" : " spotted"} hide`,
    ...(look.horns === 0 ? [] : [look.horns === 1 ? "one horn" : "two horns"]),
    ...(look.spikes > 0 ? ["spikes along its back"] : []),
    { point: "a pointed tail", club: "a clubbed tail", fan: "a fanned tail" }[look.tailEnd],
  ];
  return `a ${buildWords[look.build]} animal with ${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
