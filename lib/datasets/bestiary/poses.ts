/** Where the parts of a creature are. Angles in degrees, positive raises the part; lengths in pixels of a 96 × 96 frame. */
export interface Pose {
  readonly x: number;
  readonly lift: number;
  readonly pitch: number;
  /** Share of leg length taken away. */
  readonly crouch: number;
  readonly neck: number;
  readonly reach: number;
  readonly jaw: number;
  readonly tail: number;
  readonly curl: number;
  readonly foreleg: number;
  readonly hindleg: number;
  readonly wings: number;
}

export const rest: Pose = {
  x: 0,
  lift: 0,
  pitch: 0,
  crouch: 0,
  neck: 38,
  reach: 1,
  jaw: 6,
  tail: 12,
  curl: 8,
  foreleg: 0,
  hindleg: 0,
  wings: 20,
};

/** Where effects start: body centre, mouth, tail root, ground; all in frame coordinates. */
export interface Anchors {
  readonly cx: number;
  readonly cy: number;
  readonly mx: number;
  readonly my: number;
  readonly ground: number;
}

/** How a move is drawn at its height: parts that differ from rest, and its effect as SVG. `t` in [0, 1] runs through the act. */
export interface Act {
  readonly pose: Partial<Pose>;
  readonly effect: (a: Anchors, t: number, colour: string) => string;
}

const n = (value: number) => value.toFixed(1);
const stroke = (d: string, colour: string, width: number, opacity = 1) =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${n(width)}" stroke-linecap="round" opacity="${n(opacity)}"/>`;
const fill = (d: string, colour: string, opacity = 1) => `<path d="${d}" fill="${colour}" opacity="${n(opacity)}"/>`;
const dot = (x: number, y: number, r: number, colour: string, opacity = 1) =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${colour}" opacity="${n(opacity)}"/>`;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const turn = (x: number, y: number, r: number, degrees: number) =>
  [x + r * Math.cos((degrees * Math.PI) / 180), y + r * Math.sin((degrees * Math.PI) / 180)] as const;

/** Move → how it is drawn. Keys are the names in moves.ts. */
export const acts: Readonly<Record<string, Act>> = {
  Sweep: {
    pose: { pitch: -4, crouch: 0.35, tail: -22, curl: -12, neck: 20 },
    effect: (a, t, c) =>
      range(3)
        .map((i) =>
          stroke(
            `M${n(a.cx - 36)} ${n(a.ground - 6 + i * 4)} Q${n(a.cx - 6)} ${n(a.ground + 10 + i * 4)} ${n(a.cx + 10 + 22 * t)} ${n(a.ground + 4 + i * 3)}`,
            c,
            4 - i,
          ),
        )
        .join(""),
  },
  Slam: {
    pose: { pitch: 34, lift: 8, neck: 50, foreleg: 45, tail: -8 },
    effect: (a, t, c) =>
      fill(
        `M${n(a.cx + 8)} ${n(a.ground + 3)} l6 -${n(8 + 8 * t)} l4 6 l6 -${n(12 + 8 * t)} l5 12 l7 -${n(9 + 6 * t)} l3 13 Z`,
        c,
        0.95,
      ),
  },
  Charge: {
    pose: { x: 10, pitch: -9, neck: -5, reach: 1.15, foreleg: 35, hindleg: -35, tail: 28 },
    effect: (a, t, c) =>
      range(6)
        .map((i) => stroke(`M${n(a.cx - 20 - (i % 2) * 8)} ${n(a.cy - 16 + i * 6)} h-${n(16 + 10 * t)}`, c, 2.4))
        .join(""),
  },
  Breath: {
    pose: { x: -8, neck: 22, reach: 1.25, jaw: 38, tail: 5 },
    effect: (a, t, c) => {
      const far = a.mx + 16 + 14 * t;
      return (
        fill(
          `M${n(a.mx)} ${n(a.my)} L${n(far)} ${n(a.my - 11)} Q${n(far + 8)} ${n(a.my + 3)} ${n(far)} ${n(a.my + 16)} Z`,
          c,
          0.9,
        ) + fill(`M${n(a.mx)} ${n(a.my)} L${n(far - 5)} ${n(a.my - 4)} L${n(far - 5)} ${n(a.my + 8)} Z`, "#ffffff", 0.6)
      );
    },
  },
  Leap: {
    pose: { lift: 26, pitch: 14, foreleg: 50, hindleg: -45, crouch: 0.4, neck: 30, tail: -16, wings: 40 },
    effect: (a, t, c) =>
      `<ellipse cx="${n(a.cx)}" cy="${n(a.ground + 3)}" rx="${n(20 - 6 * t)}" ry="3.5" fill="#000000" opacity="0.5"/>${range(
        3,
      )
        .map((i) => stroke(`M${n(a.cx - 12 + i * 11)} ${n(a.ground - 2)} v-${n(7 + 6 * t)}`, c, 3))
        .join("")}`,
  },
  Spin: {
    pose: { lift: 4, crouch: 0.5, neck: 10, tail: 40, curl: 40, foreleg: 30, hindleg: -30 },
    effect: (a, t, c) =>
      range(2)
        .map(
          (i) =>
            `<ellipse cx="${n(a.cx)}" cy="${n(a.cy + 3)}" rx="${n(33 + i * 6)}" ry="${n(13 + i * 6)}" fill="none" stroke="${c}" stroke-width="3.2" stroke-dasharray="34 ${n(8 + i * 4)}" stroke-dashoffset="${n(60 * t)}"/>`,
        )
        .join(""),
  },
  Stomp: {
    pose: { pitch: 12, foreleg: 68, neck: 55, tail: 0 },
    effect: (a, t, c) =>
      range(3)
        .map(
          (i) =>
            `<ellipse cx="${n(a.cx + 20)}" cy="${n(a.ground + 2)}" rx="${n(7 + i * 8 + 6 * t)}" ry="${n(2 + i * 2)}" fill="none" stroke="${c}" stroke-width="2.6"/>`,
        )
        .join(""),
  },
  Volley: {
    pose: { x: -10, pitch: 8, neck: 60, jaw: 22, tail: 20 },
    effect: (a, t, c) =>
      range(6)
        .map((i) => dot(a.mx + 5 + i * 6.5, a.my - 6 - 16 * Math.sin(((i + t) / 6.5) * Math.PI) + i * 3.5, 3.4, c))
        .join(""),
  },
  Roar: {
    pose: { pitch: 16, neck: 82, jaw: 34, tail: 26, wings: 55 },
    effect: (a, t, c) =>
      range(4)
        .map((i) => {
          const r = 7 + i * 6 + 4 * t;
          const [x1, y1] = turn(a.mx, a.my, r, -110);
          const [x2, y2] = turn(a.mx, a.my, r, 20);
          return stroke(`M${n(x1)} ${n(y1)} A${n(r)} ${n(r)} 0 0 1 ${n(x2)} ${n(y2)}`, c, 2.6, 1 - i * 0.15);
        })
        .join(""),
  },
  Dive: {
    pose: { lift: 22, pitch: -38, neck: 0, foreleg: 30, hindleg: -50, tail: 14, wings: -15 },
    effect: (a, t, c) =>
      range(4)
        .map((i) =>
          stroke(`M${n(a.cx - 24 + i * 8)} ${n(a.cy - 22 + i * 2)} l-${n(7 + 4 * t)} -${n(13 + 6 * t)}`, c, 3),
        )
        .join(""),
  },
  Burst: {
    pose: { crouch: 0.75, neck: -10, curl: 35, tail: 30, reach: 0.8 },
    effect: (a, t, c) =>
      range(12)
        .map((i) => {
          const [x1, y1] = turn(a.cx, a.cy, 19, i * 30 + 15);
          const [x2, y2] = turn(a.cx, a.cy, 29 + 8 * t, i * 30 + 15);
          return stroke(`M${n(x1)} ${n(y1)} L${n(x2)} ${n(y2)}`, c, 3.2);
        })
        .join(""),
  },
  Whip: {
    pose: { x: 4, pitch: -8, tail: 88, curl: 70, neck: 15 },
    effect: (a, t, c) =>
      stroke(
        `M${n(a.cx - 26)} ${n(a.cy - 10)} C${n(a.cx - 30)} ${n(a.cy - 38)} ${n(a.cx + 4)} ${n(a.cy - 42)} ${n(a.cx + 16 + 10 * t)} ${n(a.cy - 18)}`,
        c,
        4.2,
      ) +
      stroke(
        `M${n(a.cx - 20)} ${n(a.cy - 14)} C${n(a.cx - 20)} ${n(a.cy - 30)} ${n(a.cx + 4)} ${n(a.cy - 34)} ${n(a.cx + 12 + 8 * t)} ${n(a.cy - 16)}`,
        c,
        2,
        0.7,
      ),
  },
  Snap: {
    pose: { x: 6, pitch: -4, neck: 4, reach: 1.7, jaw: 46, tail: 8 },
    effect: (a, t, c) =>
      fill(`M${n(a.mx + 1)} ${n(a.my - 9)} l${n(13 + 4 * t)} 4 l-8 3 Z`, c) +
      fill(`M${n(a.mx + 1)} ${n(a.my + 11)} l${n(13 + 4 * t)} -4 l-8 -3 Z`, c) +
      stroke(`M${n(a.mx - 8)} ${n(a.my - 12)} l-9 -3 M${n(a.mx - 8)} ${n(a.my + 13)} l-9 3`, c, 2),
  },
  Upheaval: {
    pose: { pitch: -20, neck: -38, crouch: 0.2, tail: 34, hindleg: -20 },
    effect: (a, t, c) =>
      range(4)
        .map((i) => {
          const x = a.cx + 16 + i * 7;
          const y = a.ground - 2 - (5 + (i % 2) * 9) * (0.5 + t);
          return `<rect x="${n(x)}" y="${n(y)}" width="7" height="6" fill="${c}" transform="rotate(${n(20 * i + 25 * t)} ${n(x + 3)} ${n(y + 3)})"/>`;
        })
        .join("") + stroke(`M${n(a.cx + 8)} ${n(a.ground + 3)} l8 -3 l6 4 l8 -4 l7 3`, c, 2.4),
  },
};

/** What all attacks come closer to as image ambiguity grows: a plain step forward in a cloud of dust. */
export const plainAct: Act = {
  pose: { x: 4, pitch: -4, crouch: 0.2, neck: 20, jaw: 14, foreleg: 14, hindleg: -12, tail: 16 },
  effect: (a, t) =>
    range(4)
      .map((i) => dot(a.cx - 14 + i * 10, a.ground + 1, 4 + 2 * t, "#d9cdb8", 0.7))
      .join(""),
};

/** `a` moved towards `b` by the share `by`. */
export function blend(a: Pose, b: Pose, by: number): Pose {
  const out: Record<string, number> = {};
  for (const key of Object.keys(rest) as (keyof Pose)[]) out[key] = a[key] + (b[key] - a[key]) * by;
  return out as unknown as Pose;
}
