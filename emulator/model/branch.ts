/**
 * A branch as answers carry it, in its published shape (specification, section 2, published); branches hold no data here, so
 * nothing is counted.
 */
export interface BranchRecord {
  id: string;
  project_id: string;
  /** Absent on a root branch. */
  parent_id?: string;
  name: string;
  current_state: "init" | "ready";
  pending_state?: "ready";
  /** The branch that the project was born with (specification, section 1). */
  primary: boolean;
  default: boolean;
  protected: boolean;
  /** Of a branch that was made of a snapshot: that one, the branch whose place it takes, and how far that is. */
  restored_from?: string;
  restored_as?: string;
  restore_status?: "restored" | "finalized";
  /** A snapshot is a branch that no list and no call about branches has. */
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

/** A client's note on a branch, such as the commit that the branch was made for. */
export interface Annotation {
  object: { type: string; id: string };
  value: Record<string, string>;
  created_at: string;
  updated_at: string;
}

/** Whether a branch has no parent; its read-write endpoint cannot be deleted. */
export function isRoot(branch: BranchRecord): boolean {
  return branch.parent_id === undefined;
}

/** The annotation of a branch with a value, by default none. */
export function annotationOf(branch: BranchRecord, value: Record<string, string> = {}): Annotation {
  const { id, created_at, updated_at } = branch;
  return { object: { type: "console/branch", id }, value, created_at, updated_at };
}
