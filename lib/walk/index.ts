export { walk } from "./engine.js";
export { walkOptions } from "./options.js";
export { type SearchOrder, searchOrders } from "./orders.js";
export { scoredAgents } from "./scored.js";
export { prepareWalk } from "./similarity.js";
export type {
  Agents,
  AgentView,
  ExpansionView,
  PathView,
  Similarity,
  TopicView,
  ValidationView,
  Verdict,
  WalkContext,
  WalkOptions,
} from "./types.js";
