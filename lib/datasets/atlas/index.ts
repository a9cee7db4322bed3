export { loadAtlas } from "./load.js";
export type { AtlasOptions } from "./options.js";
