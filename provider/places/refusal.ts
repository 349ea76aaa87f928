/** Refusals as data. Each host turns them into messages (pulumi/messages). */
import type { NeverIdle } from "../endpoint/diff";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

/** A refusal, and its resource or members; empty for a refusal of the whole fleet. */
export interface Refused {
  about: readonly Owner[];
  refusal: Refusal;
}

/** The kinds of refusal. Kinds differ by their ways on; each names everything that its message needs. */
export type Refusal =
  /** Another resource declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; branchId: string; first: Owner }
  /** The branch has the read-write endpoint of a resource that this run has met. */
  | { kind: "in_the_way"; occupant: EndpointRecord; other: Owner }
  /** As `in_the_way`, where the other one comes in exchange to the branch that this one leaves. */
  | { kind: "exchange"; occupant: EndpointRecord; other: Owner; leaves: string }
  /** The branch, to which an existing resource comes, has an endpoint that was made for a name not met in this run. */
  | { kind: "made_for_another"; occupant: EndpointRecord; other: Maker }
  /** As `made_for_another`, for a new resource, which may be that one under another name or parent. */
  | { kind: "renamed"; occupant: EndpointRecord; other: Maker }
  /** The branch of a new resource has an endpoint without a known owner. */
  | { kind: "of_nobody"; occupant: EndpointRecord }
  /** The target branch of an existing resource has an endpoint without another known owner. */
  | { kind: "unclaimed"; occupant: EndpointRecord }
  /** A read-write endpoint can move only to an empty branch, and this one has endpoints. */
  | { kind: "not_empty"; branchId: string; from: string; there: readonly EndpointRecord[] }
  /**
   * The replica was not created: its primary moves to the branch, needs it empty, and has not come. Without `primary`
   * none is known, and waiting steps hold all of the engine's workers.
   */
  | { kind: "primary_missing"; branchId: string; primary: Owner | undefined }
  /** Two resources have the endpoint. The second resource reports it. */
  | { kind: "two_owners"; branchId: string; id: string; first: Owner }
  /** Another resource, met before, is to take over the endpoint. */
  | { kind: "taken"; branchId: string; id: string; first: Owner }
  /** Outside the program another member's read-write endpoint was moved to the branch. */
  | { kind: "moved_there"; other: Owner; movedFrom: string }
  /** A leaving member's endpoint stays where another member comes: adopted, or `retainOnDelete`. */
  | { kind: "left_behind"; branchId: string; other: Owner }
  /** As `left_behind`, for a new member, which can have that endpoint: `id` is for `importId`. */
  | { kind: "left_for_importing"; branchId: string; other: Owner; id: string }
  /** Earlier runs left endpoints for the resource, or for its members; adoptInterrupted is off. */
  | { kind: "left"; left: readonly EndpointRecord[] }
  /** As `left`, but other resources of this run have the endpoints now. */
  | { kind: "left_to_others"; left: readonly EndpointRecord[]; owners: readonly Owner[] }
  /** Its own endpoint was adopted, so a replacement would leave it on the branch. */
  | { kind: "released"; occupant: EndpointRecord }
  /** The endpoint is protected, and would be deleted. */
  | { kind: "delete_protected" }
  /** The endpoint is protected, and would be replaced for this reason. */
  | { kind: "replace_protected"; why?: string | undefined }
  /** A member that was just imported and that no program has declared would be deleted. */
  | { kind: "undeclared"; id: string | undefined }
  /** Members that exchange their branches. */
  | { kind: "circle" }
  /** Members that wait for each other would be unavailable together: more than `maxUnavailable`. */
  | { kind: "too_many_away"; keys: readonly string[]; limit: number }
  /** The change waits for an idle moment, and the endpoint never suspends. */
  | ({ kind: "never_idle"; id: string } & NeverIdle)
  /** PGCOMPUTE_FORGET names the endpoint or the project, and the program would change it. */
  | { kind: "forgotten"; what: "endpoint" | "project"; id: string }
  /** PGCOMPUTE_FORGET names the endpoint, which so stays on its branch, and the program would replace it there. */
  | { kind: "forgotten_stays"; id: string }
  /** More deletes and replacements than `maxDeletions`. */
  | { kind: "too_many"; deleted: readonly string[]; replaced: readonly string[]; limit: number; members: number }
  /** An import of endpoints that other resources of the run have. */
  | { kind: "import_of_owned"; foreign: readonly ForeignEndpoint[] }
  /** An import of endpoints whose names mark them as others'. */
  | { kind: "import_of_marked"; foreign: readonly ForeignEndpoint[] }
  /** An invalid `importId`, or one that the member cannot adopt. */
  | { kind: "import"; reason: ImportProblem };

/** The owner that a generated name tells of; with its URN if that is certain. */
export interface Maker {
  name: string;
  urn?: Owner;
}

/**
 * An endpoint to import that another resource of the run has (`met`), or whose name marks it as another's (`marked`).
 */
export interface ForeignEndpoint {
  what: string;
  /** `PROJECT/ENDPOINT`. */
  id: string;
  met?: Owner | undefined;
  marked?: Maker | undefined;
}

/** The reason to refuse an `importId`. */
export type ImportProblem =
  | { kind: "form"; importId: string }
  | { kind: "unknown"; importId: string }
  | { kind: "has_another"; endpointId: string }
  | { kind: "elsewhere"; place: { projectId: string; branchId: string; type: string } }
  | { kind: "taken"; by: string };
