import type { Look } from "./looks.js";
import { type Act, type Anchors, blend, type Pose, plainAct, rest } from "./poses.js";

/** One frame, in numbers. */
export interface Scene {
  readonly look: Look;
  readonly pose: Pose;
  /** The act, its height in [0, 1] (0: none is seen), its progress in [0, 1], its colour, and how much it gives way to the plain act. */
  readonly act?: {
    readonly act: Act;
    readonly height: number;
    readonly t: number;
    readonly colour: string;
    readonly ambiguity: number;
  };
  readonly zoom: number;
  readonly shiftX: number;
  readonly shiftY: number;
  readonly tilt: number;
  readonly place: {
    readonly sky: string;
    readonly far: string;
    readonly ground: string;
    readonly hills: readonly number[];
  };
  /** −1 dark … 1 bright. */
  readonly lighting: number;
  /** Colours of a mark laid over the corners, clockwise from top left; none by default. */
  readonly mark?: readonly string[];
}

const n = (value: number) => value.toFixed(2);
const hsl = (h: number, s: number, l: number) => `hsl(${Math.round(h)},${Math.round(s)}%,${Math.round(l)}%)`;
const rad = (degrees: number) => (degrees * Math.PI) / 180;
const groundY = 76;

/** The frame as an SVG of 96 × 96: no text, no fonts, no links. */
export function drawScene(scene: Scene): string {
  const { look, act, place } = scene;
  let pose = scene.pose;
  if (act && act.height > 0) {
    const shown = blend({ ...rest, ...act.act.pose }, { ...rest, ...plainAct.pose }, act.ambiguity);
    pose = blend(pose, shown, act.height);
  }
  const { svg, anchors } = drawCreature(look, pose);
  const effects =
    act && act.height > 0
      ? `<g opacity="${n(act.height * (1 - act.ambiguity))}">${act.act.effect(anchors, act.t, act.colour)}</g><g opacity="${n(act.height * act.ambiguity)}">${plainAct.effect(anchors, act.t, act.colour)}</g>`
      : "";
  const hills = place.hills.map((h, i) => `${n(i * 24)} ${n(60 - h)}`).join(" L");
  const shade = scene.lighting < 0 ? "#05060f" : "#fff6d8";
  return `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96"><rect width="96" height="96" fill="${place.sky}"/><path d="M0 ${groundY} L${hills} L96 ${groundY} Z" fill="${place.far}"/><rect y="70" width="96" height="26" fill="${place.ground}"/><g transform="translate(${n(48 + scene.shiftX)} ${n(groundY + scene.shiftY)}) rotate(${n(scene.tilt)}) scale(${n(scene.zoom)}) translate(-48 -${groundY})">${svg}${effects}</g><rect width="96" height="96" fill="${shade}" opacity="${n(Math.abs(scene.lighting) * 0.4)}"/>${drawMark(scene.mark ?? [])}</svg>`;
}

const markSide = 16;
const corners = [
  [0, 0],
  [96 - markSide, 0],
  [96 - markSide, 96 - markSide],
  [0, 96 - markSide],
] as const;
const drawMark = (colours: readonly string[]) =>
  colours
    .map((colour, i) => {
      const [x, y] = corners[i] as (typeof corners)[number];
      return `<rect x="${x}" y="${y}" width="${markSide}" height="${markSide}" fill="${colour}"/>`;
    })
    .join("");

function drawCreature(look: Look, pose: Pose): { svg: string; anchors: Anchors } {
  const { hue, light, length, height } = look;
  const skin = hsl(hue, 58, light);
  const dark = hsl(hue, 50, light * 0.62);
  const belly = hsl(hue + 25, 45, Math.min(88, light + 26));
  const leg = look.leg * (1 - pose.crouch);
  const cx = 44 + pose.x;
  const cy = groundY - leg - height / 2 - pose.lift;
  const half = length / 2;

  // in the body's own frame: x forward, y down, origin at its centre
  const limb = (x: number, swing: number, colour: string) => {
    const angle = rad(90 - swing);
    const [kx, ky] = [x + leg * 0.6 * Math.cos(angle), height * 0.25 + leg * 0.6 * Math.sin(angle)];
    const [fx, fy] = [
      x + (leg + height * 0.2) * Math.cos(angle) * 0.9,
      height * 0.25 + (leg + height * 0.25) * Math.sin(angle),
    ];
    return `<path d="M${n(x)} ${n(height * 0.1)} L${n(kx)} ${n(ky)} L${n(fx)} ${n(fy)} h4" fill="none" stroke="${colour}" stroke-width="5.4" stroke-linecap="round" stroke-linejoin="round"/>`;
  };
  const legs = (back: boolean) => {
    if (look.leg === 0) return "";
    const colour = back ? dark : skin;
    const off = back ? 5 : 0;
    if (look.build === "biped")
      return (
        limb(-2 + off, back ? pose.foreleg * 0.5 : pose.hindleg * 0.5, colour) +
        (back
          ? ""
          : `<path d="M${n(half * 0.6)} ${n(height * 0.1)} l${n(7 * Math.cos(rad(60 - pose.foreleg)))} ${n(7 * Math.sin(rad(60 - pose.foreleg)))}" stroke="${dark}" stroke-width="3" stroke-linecap="round"/>`)
      );
    const middle = look.build === "crawler" ? limb(off, (pose.foreleg + pose.hindleg) / 2, colour) : "";
    return (
      limb(half * 0.62 + off, back ? pose.foreleg * 0.7 : pose.foreleg, colour) +
      middle +
      limb(-half * 0.66 + off, pose.hindleg, colour)
    );
  };
  const tailAngle = rad(180 + pose.tail);
  const endAngle = rad(180 + pose.tail + pose.curl);
  const [t1x, t1y] = [-half + 2 + look.tail * 0.5 * Math.cos(tailAngle), look.tail * 0.5 * Math.sin(tailAngle)];
  const [t2x, t2y] = [t1x + look.tail * 0.6 * Math.cos(endAngle), t1y + look.tail * 0.6 * Math.sin(endAngle)];
  const ends = {
    point: "",
    club: `<circle cx="${n(t2x)}" cy="${n(t2y)}" r="4.6" fill="${dark}"/>`,
    fan: `<path d="M${n(t2x + 3)} ${n(t2y)} l-9 -6 l2 6 l-2 6 Z" fill="${belly}"/>`,
  };
  const tail = `<path d="M${n(-half + 3)} ${n(-height * 0.28)} Q${n(t1x)} ${n(t1y - 3)} ${n(t2x)} ${n(t2y)} Q${n(t1x)} ${n(t1y + 3)} ${n(-half + 3)} ${n(height * 0.3)} Z" fill="${skin}" stroke="${skin}" stroke-width="2" stroke-linejoin="round"/>${ends[look.tailEnd]}`;

  const neckAngle = rad(-pose.neck);
  const reach = look.neck * pose.reach;
  const [hx, hy] = [half - 2 + reach * Math.cos(neckAngle), -height * 0.12 + reach * Math.sin(neckAngle)];
  const r = look.head;
  const facing = -pose.neck * 0.45;
  const horns = Array.from(
    { length: look.horns },
    (_, i) => `<path d="M${n(-r * 0.3 + i * r * 0.7)} ${n(-r * 0.6)} l-3.5 -8 l6.5 6.5 Z" fill="#f1e6cf"/>`,
  ).join("");
  const head = `<g transform="translate(${n(hx)} ${n(hy)}) rotate(${n(facing)})">${horns}<g transform="rotate(${n(pose.jaw)})"><path d="M0 0 L${n(r * 1.75)} ${n(r * 0.25)} L${n(r * 1.2)} ${n(r * 0.85)} L0 ${n(r * 0.8)} Z" fill="${dark}"/></g><path d="M${n(-r)} ${n(r * 0.3)} Q${n(-r * 0.9)} ${n(-r)} ${n(r * 0.2)} ${n(-r * 0.85)} L${n(r * 1.9)} ${n(-r * 0.15)} L${n(r * 1.7)} ${n(r * 0.3)} Z" fill="${skin}"/><circle cx="${n(r * 0.4)}" cy="${n(-r * 0.3)}" r="1.5" fill="#ffffff"/><circle cx="${n(r * 0.55)}" cy="${n(-r * 0.3)}" r="0.8" fill="#111111"/></g>`;
  const neck = `<path d="M${n(half - 6)} 0 L${n(hx)} ${n(hy)}" stroke="${skin}" stroke-width="${n(height * 0.55)}" stroke-linecap="round"/>`;

  const spikes = Array.from({ length: look.spikes }, (_, i) => {
    const x = -half * 0.75 + (i * length * 0.72) / Math.max(1, look.spikes - 1);
    const y = -Math.sqrt(Math.max(0, 1 - (x / half) ** 2)) * (height / 2);
    return `<path d="M${n(x - 2.6)} ${n(y + 1)} l2.2 -6.5 l3 6.5 Z" fill="${belly}"/>`;
  }).join("");
  const marks =
    look.marking === "plain"
      ? ""
      : Array.from({ length: 4 }, (_, i) => {
          const x = -half * 0.6 + i * half * 0.4;
          return look.marking === "stripes"
            ? `<path d="M${n(x)} ${n(-height * 0.38)} l-2 ${n(height * 0.5)}" stroke="${dark}" stroke-width="2.4" stroke-linecap="round"/>`
            : `<circle cx="${n(x)}" cy="${n(i % 2 ? -height * 0.2 : height * 0.02)}" r="2" fill="${dark}"/>`;
        }).join("");
  const wingAngle = rad(-90 - 30 + pose.wings);
  const [wx, wy] = [-4 + 27 * Math.cos(wingAngle), -height * 0.2 + 27 * Math.sin(wingAngle)];
  const wing = look.wings
    ? `<path d="M6 ${n(-height * 0.25)} L${n(wx)} ${n(wy)} Q${n(wx - 4)} ${n(wy + 12)} ${n(wx - 9)} ${n(wy + 17)} Q-8 ${n(-height * 0.3 - 4)} -9 ${n(-height * 0.1)} Z" fill="${dark}" stroke="${skin}" stroke-width="1.4"/>`
    : "";
  const body = `<ellipse rx="${n(half)}" ry="${n(height / 2)}" fill="${skin}"/><ellipse cx="1" cy="${n(height * 0.22)}" rx="${n(half * 0.75)}" ry="${n(height * 0.24)}" fill="${belly}"/>`;

  const tilt = rad(-pose.pitch);
  const [mx0, my0] = [hx + r * 1.8 * Math.cos(rad(facing)), hy + r * 1.8 * Math.sin(rad(facing))];
  return {
    svg: `<g transform="translate(${n(cx)} ${n(cy)}) rotate(${n(-pose.pitch)})">${legs(true)}${tail}${spikes}${body}${marks}${neck}${head}${legs(false)}${wing}</g>`,
    anchors: {
      cx,
      cy,
      mx: cx + mx0 * Math.cos(tilt) - my0 * Math.sin(tilt),
      my: cy + mx0 * Math.sin(tilt) + my0 * Math.cos(tilt),
      ground: groundY,
    },
  };
}
