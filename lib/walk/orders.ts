/** How the open paths of a walk are taken up. */
export interface SearchOrder {
  readonly name: string;
  readonly doc: string;
  /** True: all chosen children are validated before any of them is expanded. False: one is validated and descended into before the next. */
  readonly batch: boolean;
  /** Which end of the list of open paths is taken next. */
  readonly next: "newest" | "oldest";
}

/**
 * Orders in which a walk takes up its open paths. They find the same paths when nothing caps the walk; under a cap they differ
 * in which paths fill it.
 */
export const searchOrders: readonly SearchOrder[] = Object.freeze([
  {
    name: "batch-dfs",
    doc: "as the released MH-MMKG code: validate an entity's chosen children together, then descend into the first that is not sufficient",
    batch: true,
    next: "newest",
  },
  {
    name: "bfs",
    doc: "breadth first: one first-in-first-out list of open entities over the whole frontier",
    batch: true,
    next: "oldest",
  },
  {
    name: "dfs",
    doc: "depth first: validate one child and descend into it before the next is looked at",
    batch: false,
    next: "newest",
  },
] as const);
