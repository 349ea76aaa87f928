/** Where an endpoint stands. */

/** A branch of a project, and of which type an endpoint is there. */
export interface Place {
  projectId: string;
  branchId: string;
  type: string;
}

/** The branch of a place. */
export type BranchPlace = Pick<Place, "projectId" | "branchId">;

/** Where inputs, a state or a record put an endpoint; undefined where that is not known yet. */
export function placeOf(values: { projectId?: unknown; branchId?: unknown; type?: unknown }): Place | undefined {
  const { projectId, branchId, type } = values;
  const isKnown = typeof projectId === "string" && typeof branchId === "string" && typeof type === "string";
  return isKnown ? { projectId, branchId, type } : undefined;
}

/** A key for what is kept by branch. */
export function branchKeyOf({ projectId, branchId }: BranchPlace): string {
  return `${projectId}/${branchId}`;
}

/** True for two places on one branch. */
export function isSameBranch(a: BranchPlace | undefined, b: BranchPlace | undefined): boolean {
  return a !== undefined && b !== undefined && a.projectId === b.projectId && a.branchId === b.branchId;
}
