// The words of every world. Worlds differ in how these are combined, never in the words themselves.

/** Creature names, invented. The order is part of the generator: it gives each creature its look. */
export const creatureNames = [
  "Vulmar",
  "Oskerra",
  "Thessik",
  "Druvane",
  "Kalibrun",
  "Morqueth",
  "Selvanor",
  "Grundal",
  "Pyrrowen",
  "Nimbrask",
  "Talquor",
  "Iskariel",
  "Zephomar",
  "Ulgreth",
  "Fennorak",
  "Cragmoth",
  "Wyvella",
  "Harrowisp",
  "Lumendra",
  "Bristogar",
  "Skarnoth",
  "Ophilune",
] as const;

/** What an attack is made of: its colour in pictures, the element it usually carries, what it usually does. */
export interface Theme {
  readonly name: string;
  readonly colour: string;
  readonly element: string;
  readonly statuses: readonly string[];
  readonly hazards: readonly string[];
}

export const themes: readonly Theme[] = [
  {
    name: "Ember",
    colour: "#ff7a1a",
    element: "Fire Element",
    statuses: ["Burn", "Panic"],
    hazards: ["Smouldering Ground", "Ash Cloud"],
  },
  {
    name: "Frost",
    colour: "#8fe3ff",
    element: "Ice Element",
    statuses: ["Chill", "Stiffness"],
    hazards: ["Ice Sheet", "Frozen Spikes"],
  },
  {
    name: "Storm",
    colour: "#ffe14a",
    element: "Thunder Element",
    statuses: ["Paralysis", "Ringing Ears"],
    hazards: ["Live Arcs", "Scorched Ring"],
  },
  {
    name: "Mire",
    colour: "#8a6a3a",
    element: "Water Element",
    statuses: ["Mud Coat", "Stiffness"],
    hazards: ["Sinking Mud", "Slick Pool"],
  },
  {
    name: "Thorn",
    colour: "#5fbf4a",
    element: "Sleep Element",
    statuses: ["Bleeding", "Drowsiness"],
    hazards: ["Bramble Patch", "Spore Cloud"],
  },
  {
    name: "Venom",
    colour: "#b04ad8",
    element: "Sleep Element",
    statuses: ["Poisoning", "Drowsiness"],
    hazards: ["Toxic Pool", "Spore Cloud"],
  },
  {
    name: "Tide",
    colour: "#3a8dff",
    element: "Water Element",
    statuses: ["Soaking", "Knockback"],
    hazards: ["Slick Pool", "Bubble Field"],
  },
  {
    name: "Gale",
    colour: "#d8f2ea",
    element: "Wind Element",
    statuses: ["Knockback", "Disarming"],
    hazards: ["Whirling Draught", "Ash Cloud"],
  },
  {
    name: "Quartz",
    colour: "#ff9ad5",
    element: "Ice Element",
    statuses: ["Bleeding", "Armour Crack"],
    hazards: ["Crystal Shards", "Frozen Spikes"],
  },
  {
    name: "Iron",
    colour: "#c8ccd6",
    element: "Thunder Element",
    statuses: ["Armour Crack", "Stun"],
    hazards: ["Crater", "Crystal Shards"],
  },
  {
    name: "Dusk",
    colour: "#6b5bd6",
    element: "Wind Element",
    statuses: ["Blindness", "Panic"],
    hazards: ["Dark Haze", "Whirling Draught"],
  },
  {
    name: "Cinder",
    colour: "#e0392b",
    element: "Fire Element",
    statuses: ["Burn", "Blindness"],
    hazards: ["Scorched Ring", "Smouldering Ground"],
  },
];

export const statuses: readonly string[] = [...new Set(themes.flatMap((t) => t.statuses))];
export const hazards: readonly string[] = [...new Set(themes.flatMap((t) => t.hazards))];

/** The fourteen fixed elements: what weapons are made of, and what attacks carry. */
export const weapons = [
  "Plain Weapon",
  "Fire Weapon",
  "Water Weapon",
  "Thunder Weapon",
  "Ice Weapon",
  "Wind Weapon",
  "Blast Weapon",
  "Poison Weapon",
] as const;
export const elements = [
  "Fire Element",
  "Water Element",
  "Thunder Element",
  "Ice Element",
  "Wind Element",
  "Sleep Element",
] as const;

export const habitats = [
  "Ashen Ridge",
  "Glass Marsh",
  "Hollow Coast",
  "Sunken Orchard",
  "Saltwind Plain",
  "Lantern Caves",
  "Ironwood Forest",
  "Crater Lakes",
  "White Steppe",
  "Basalt Stairs",
  "Reed Delta",
  "Cloud Terraces",
] as const;

export const classes = [
  "burrower",
  "ambusher",
  "grazer",
  "cliff dweller",
  "wader",
  "night stalker",
  "scavenger",
  "pack leader",
  "nest builder",
  "drifter",
] as const;

/** One noun for each creature, so that no two creatures share a title. */
export const titleNouns = [
  "Warden",
  "Mourner",
  "Herald",
  "Tyrant",
  "Wanderer",
  "Regent",
  "Sentinel",
  "Ploughman",
  "Kindler",
  "Piper",
  "Butcher",
  "Oracle",
  "Courier",
  "Anvil",
  "Poacher",
  "Mason",
  "Dancer",
  "Lamplighter",
  "Beacon",
  "Gatekeeper",
  "Reaper",
  "Dreamer",
] as const;
export const titleAdjectives = [
  "Silent",
  "Crimson",
  "Restless",
  "Patient",
  "Hungry",
  "Gilded",
  "Hollow",
  "Weeping",
  "Sleepless",
  "Broken",
  "Distant",
  "Bitter",
] as const;

export interface PhaseWord {
  readonly name: string;
  readonly description: string;
}
export const phases: readonly PhaseWord[] = [
  { name: "Rage Phase", description: "breathes heavily and strikes without pause" },
  { name: "Charged Phase", description: "gives off a steady glow and a low hum" },
  { name: "Airborne Phase", description: "stays off the ground and circles its target" },
  { name: "Armoured Phase", description: "lets its hide harden and moves slowly" },
  { name: "Hunting Phase", description: "keeps low and follows every step of its target" },
  { name: "Exhausted Phase", description: "drools, stumbles and leaves long gaps between attacks" },
];

/** Conditions of attacks and combos, as a clause that completes "only if …". */
export const conditions = [
  "its crest is raised",
  "its tail has been severed",
  "the target stands behind it",
  "rain is falling",
  "night has fallen",
  "its hide has hardened",
  "the target is out of reach",
  "it has just been struck from above",
  "its claws are coated in mud",
  "the target lies on the ground",
  "its horns are glowing",
  "it stands on high ground",
  "another creature is near",
  "its jaws are foaming",
] as const;

/** Conditions of entering a phase. */
export const phaseConditions = [
  "its health falls below half",
  "it has eaten recently",
  "its head has been wounded",
  "it has been trapped once",
  "its nest is threatened",
  "it has roared twice",
  "the sun is at its highest",
  "its back plates stand upright",
] as const;
