import type { GoldSearch, Retriever } from "./types.js";

// Kept in this module and handed to nobody: a retriever that a user writes has no way to register itself here.
const doors = new WeakMap<Retriever, GoldSearch>();

/** Registers the search of a control that needs gold. Called by control.ts alone. */
export const openGoldDoor = (retriever: Retriever, search: GoldSearch): Retriever => {
  doors.set(retriever, search);
  return retriever;
};

export const goldDoor = (retriever: Retriever): GoldSearch | undefined => doors.get(retriever);
