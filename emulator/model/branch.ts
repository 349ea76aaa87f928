/**
 * A branch in its published shape (specification, section 2, published). Branches hold no data here, so sizes are 0.
 */
export interface BranchRecord {
  id: string;
  project_id: string;
  /** Absent on a root branch. */
  parent_id?: string;
  name: string;
  current_state: "init" | "ready";
  pending_state?: "ready";
  /** True for the project's first branch (specification, section 1). */
  primary: boolean;
  default: boolean;
  protected: boolean;
  /** For a branch made from a snapshot: the snapshot, the branch to replace, and the progress. */
  restored_from?: string;
  restored_as?: string;
  restore_status?: "restored" | "finalized";
  /** Set for a snapshot, a branch that lists and calls about branches omit. */
  snapshot?: { name: string; source_branch_id: string };
  creation_source: string;
  init_source: string;
  cpu_used_sec: number;
  active_time_seconds: number;
  compute_time_seconds: number;
  written_data_bytes: number;
  data_transfer_bytes: number;
  state_changed_at: string;
  created_at: string;
  updated_at: string;
}

/** A client's note on a branch, such as the commit it was made for. */
export interface Annotation {
  object: { type: string; id: string };
  value: Record<string, string>;
  created_at: string;
  updated_at: string;
}

/** True for a branch without a parent, whose read-write endpoint cannot be deleted. */
export function isRoot(branch: BranchRecord): boolean {
  return branch.parent_id === undefined;
}

/** A branch's annotation with a value, by default empty. */
export function annotationOf(branch: BranchRecord, value: Record<string, string> = {}): Annotation {
  const { id, created_at, updated_at } = branch;
  return { object: { type: "console/branch", id }, value, created_at, updated_at };
}
