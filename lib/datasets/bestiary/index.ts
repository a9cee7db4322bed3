export { type Bestiary, bestiary } from "./generate.js";
export { type BestiaryOptions, loadBestiary } from "./load.js";
export { bestiaryOptions } from "./options.js";
