export { loadMhMmkg } from "./load.js";
export { type MhMmkgOptions, mhMmkgOptions } from "./options.js";
