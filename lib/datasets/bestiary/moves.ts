/** One kind of attack: what it is called, and how a person would put it in a caption. How it is drawn stands in poses.ts. */
export interface Move {
  readonly name: string;
  /** What the distinctive frames show, as predicates about the creature; none says the move's name. */
  readonly captions: readonly string[];
}

export const moves: readonly Move[] = [
  {
    name: "Sweep",
    captions: ["swings its tail low in a wide arc", "drags its tail around from one side to the other"],
  },
  {
    name: "Slam",
    captions: [
      "rears up and crashes down with its whole chest",
      "rises on its hind legs and drops its weight on the ground",
    ],
  },
  {
    name: "Charge",
    captions: ["rushes straight ahead with its head down", "gallops forward with lowered head, leaving lines of dust"],
  },
  {
    name: "Breath",
    captions: ["opens its mouth and pours out a widening stream", "stretches its neck and exhales a long cone"],
  },
  {
    name: "Leap",
    captions: ["springs high into the air above its own shadow", "jumps up steeply with its legs tucked in"],
  },
  {
    name: "Spin",
    captions: ["whirls about its own axis inside a ring of air", "turns round and round, a circle around its body"],
  },
  {
    name: "Stomp",
    captions: ["lifts a foreleg high and drives it into the soil", "raises one foot and sends rings along the ground"],
  },
  {
    name: "Volley",
    captions: ["flings a string of small projectiles in a curve", "hurls several round lumps one after the other"],
  },
  {
    name: "Roar",
    captions: [
      "throws its head back and lets out a cry that shakes the air",
      "lifts its muzzle, wave fronts leaving its mouth",
    ],
  },
  {
    name: "Dive",
    captions: ["drops headlong from above at a steep angle", "comes down nose first with trails behind it"],
  },
  {
    name: "Burst",
    captions: [
      "crouches and lets spikes of light shoot out all around",
      "curls up and releases rays in every direction",
    ],
  },
  {
    name: "Whip",
    captions: ["lashes its tail over its own back", "curls its tail upwards and cracks it forward overhead"],
  },
  {
    name: "Snap",
    captions: ["thrusts its neck out and shuts its jaws on the target", "darts its head forward with gaping jaws"],
  },
  {
    name: "Upheaval",
    captions: [
      "ploughs its head into the earth and throws up blocks",
      "digs in its horns until the ground breaks open before it",
    ],
  },
];
export const moveNamed = new Map(moves.map((move) => [move.name, move]));
