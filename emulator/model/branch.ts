/** A branch as answers carry it, in the shape that the public facts give. */
export interface BranchRecord {
  id: string;
  project_id: string;
  /** Absent on a root branch. */
  parent_id?: string;
  name: string;
  current_state: "init" | "ready";
  pending_state?: "ready";
  /** The branch that the project was born with (section 1). */
  primary: boolean;
  default: boolean;
  protected: boolean;
  creation_source: string;
  state_changed_at: string;
  created_at: string;
  updated_at: string;
}

/** Whether a branch has no parent; its read-write endpoint cannot be deleted. */
export function isRoot(branch: BranchRecord): boolean {
  return branch.parent_id === undefined;
}
