/** Branches, and the actions that they restrict. */
import type { EndpointType } from "./endpoint";

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
  /** In place of the actions that a branch of its kind restricts (`restrictedActions`). */
  restricted_actions?: RestrictedAction[];
  /** When it goes by itself, with its endpoints, and the seconds from when that was set. */
  expires_at?: string;
  ttl_interval_seconds?: number;
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

/** An action that a branch refuses: `delete-rw-endpoint` is published; with the reason, for people. */
export interface RestrictedAction {
  name: string;
  reason: string;
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

/** The actions that a branch restricts (published names). */
export function restrictedActions(branch: BranchRecord): RestrictedAction[] {
  const { protected: isProtected, restricted_actions } = branch;
  const name = "delete-rw-endpoint";
  if (isProtected) return [{ name, reason: "the branch is protected" }, ...(restricted_actions ?? [])];
  if (restricted_actions) return restricted_actions;
  return isRoot(branch) ? [{ name, reason: "it is the read_write endpoint of a root branch" }] : [];
}

/**
 * Why an endpoint of this type must not leave the branch, by a delete or a move; undefined if it may. Protection holds
 * for every type.
 */
export function reasonToStay(branch: BranchRecord, type: EndpointType): string | undefined {
  const [first] = restrictedActions(branch).filter(({ name }) => name === "delete-rw-endpoint");
  return type === "read_write" || branch.protected ? first?.reason : undefined;
}

/** A branch's annotation with a value, by default empty. */
export function annotationOf(branch: BranchRecord, value: Record<string, string> = {}): Annotation {
  const { id, created_at, updated_at } = branch;
  return { object: { type: "console/branch", id }, value, created_at, updated_at };
}
