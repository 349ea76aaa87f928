/** Refusals as data. Each host turns them into messages (pulumi/messages). */
import type { NeverIdle } from "../endpoint/diff";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

/** A refusal, and its resource or members; empty for a refusal of the whole fleet. */
export interface Refused {
  about: readonly Owner[];
  refusal: Refusal;
}

/** The kinds of refusal. Each names everything that its message's advice needs. */
export type Refusal =
  /** Another resource declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; branchId: string; first: Owner }
  /** The branch has another owner's read-write endpoint, which may or may not stay in this run. */
  | InTheWay
  /** A read-write endpoint can move only to an empty branch, and this one has endpoints. */
  | { kind: "not_empty"; branchId: string; from: string; there: readonly EndpointRecord[] }
  /**
   * The replica was not created: its primary moves to the branch, needs it empty, and has not come. Without `primary`
   * none is known, and waiting steps hold all of the engine's workers.
   */
  | { kind: "primary_missing"; branchId: string; primary: Owner | undefined }
  /** Two resources have the endpoint, or one is to take the other's (`takes`). The second resource reports it. */
  | { kind: "two_owners"; branchId: string; id: string; first: Owner; takes: boolean }
  /** Outside the program another member's read-write endpoint was moved to the branch. */
  | { kind: "moved_there"; other: Owner; movedFrom: string }
  /** A leaving member of the fleet leaves its endpoint there: adopted, or `retainOnDelete`. `id` is for `importId`. */
  | { kind: "left_behind"; branchId: string; id: string; other: Owner; isNew: boolean }
  /** Earlier runs left endpoints for the resource; adoptInterrupted is off, or another owner has the newest. */
  | LeftRefusal
  /** Its own endpoint was adopted, so a replacement would leave it on the branch. */
  | { kind: "released"; occupant: EndpointRecord }
  /** The endpoint is protected. `why` is the reason for the replacement. */
  | { kind: "protected"; change: "deleted" | "replaced"; why?: string | undefined }
  /** A member that was just imported and that no program has declared would be deleted. */
  | { kind: "undeclared"; id: string | undefined }
  /** Members that exchange their branches. */
  | { kind: "circle"; keys: readonly string[] }
  /** Members that wait for each other would be unavailable together: more than `maxUnavailable`. */
  | { kind: "too_many_away"; keys: readonly string[]; limit: number }
  /** The change waits for an idle moment, and the endpoint never suspends. */
  | ({ kind: "never_idle"; id: string } & NeverIdle)
  /** More deletes and replacements than `maxDeletions`. */
  | { kind: "too_many"; deleted: readonly string[]; replaced: readonly string[]; limit: number; members: number }
  /** An import of endpoints that other resources have or whose names mark them as others'. */
  | { kind: "imported"; foreign: readonly ForeignEndpoint[] }
  /** An invalid `importId`, or one that the member cannot adopt. */
  | { kind: "import"; reason: ImportProblem };

/** A read-write endpoint that blocks its branch for another. */
export interface InTheWay {
  kind: "in_the_way";
  occupant: EndpointRecord;
  /** True without old inputs: the refused resource is new or replaced by force (`--replace`, a taint). */
  isNew: boolean;
  /** The occupant's owner (then without a name), or the owner that the occupant's name was made for. */
  other?: { urn?: Owner; name?: string } | undefined;
  /** The branch that the refused resource leaves, in case the two exchange branches. */
  leaves?: string | undefined;
}

/**
 * Orphans of an interrupted run. Without adoptInterrupted they are not adopted, and no endpoint is created beside them.
 */
export interface LeftRefusal {
  kind: "left";
  left: readonly LeftEndpoint[];
  /** True without old inputs: the refused resource is new or replaced by force. */
  isNew: boolean;
}

/** An orphan: the key of the member it was made for, and its owner in this run. */
export interface LeftEndpoint {
  key?: string;
  record: EndpointRecord;
  owner?: Owner | undefined;
}

/**
 * An endpoint to import that another resource of the run has (`met`), or whose name marks it as another's (`marked`).
 */
export interface ForeignEndpoint {
  what: string;
  met?: Owner | undefined;
  marked?: { name: string; urn?: Owner } | undefined;
}

/** The reason to refuse an `importId`. */
export type ImportProblem =
  | { kind: "form"; importId: string }
  | { kind: "unknown"; importId: string }
  | { kind: "has_another"; endpointId: string }
  | { kind: "elsewhere"; place: { projectId: string; branchId: string; type: string } }
  | { kind: "taken"; by: string };
