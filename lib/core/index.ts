export * from "./errors.js";
export * from "./files.js";
export * from "./hash.js";
export { eachLine, readJsonl } from "./lines.js";
export * from "./options.js";
export * from "./progress.js";
export * from "./random.js";
export * from "./text.js";
export * from "./types.js";
