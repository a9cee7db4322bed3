import type { Encoder } from "./types.js";

/** Whether a value is an encoder: what {@link encoder} returns, or one of a user's own. */
export const isEncoder = (value: unknown): value is Encoder =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Encoder).name === "string" &&
  typeof (value as Encoder).revision === "string" &&
  typeof (value as Encoder).encode === "function" &&
  ["text", "image"].includes((value as Encoder).modality) &&
  Number.isSafeInteger((value as Encoder).dim) &&
  (value as Encoder).dim > 0;
