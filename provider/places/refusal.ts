/** Why a plan is refused, as data: the messages of each host are made from it (pulumi/messages). */
import type { NeverIdle } from "../endpoint/diff";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

/** A refusal, and whom it is about: a resource, or members of a fleet; empty where it is about the whole fleet. */
export interface Refused {
  about: readonly Owner[];
  refusal: Refusal;
}

/** Each kind names everybody involved, so that a person, or a test, can do what its message says. */
export type Refusal =
  /** Another one of the program declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; branchId: string; first: Owner }
  /** The branch has a read-write endpoint that is not this owner's, whatever becomes of it in this run. */
  | InTheWay
  /** The branch has endpoints, and a read-write endpoint moves only to a branch without any. */
  | { kind: "not_empty"; branchId: string; from: string; there: readonly EndpointRecord[] }
  /** A replica's step, of which nothing was sent: the read-write endpoint that moves to its branch has not come, and needs an empty one. */
  | { kind: "primary_missing"; branchId: string; primary: Owner }
  /** Two resources have the same endpoint, or one is about to adopt the other's (`takes`). The second resource reports it. */
  | { kind: "two_owners"; branchId: string; id: string; first: Owner; takes: boolean }
  /** The read-write endpoint of another member was moved to the branch, and neither the state nor the program has it there. */
  | { kind: "moved_there"; other: Owner; movedFrom: string }
  /** A member of the same fleet leaves its endpoint on the branch: it was taken over, or has retainOnDelete. `id` is for `importId`. */
  | { kind: "left_behind"; branchId: string; id: string; other: Owner; isNew: boolean }
  /** Earlier runs created endpoints for it, and adoptInterrupted is not set, or another one has the newest of them. */
  | LeftRefusal
  /** Its own endpoint was taken over, so that a replacement would leave it on the branch. */
  | { kind: "released"; occupant: EndpointRecord }
  /** It is protected. `why` says why it would be replaced. */
  | { kind: "protected"; change: "deleted" | "replaced"; why?: string | undefined }
  /** It would be deleted right after `pulumi import`: no program has ever declared it. */
  | { kind: "undeclared"; id: string | undefined }
  /** Members that exchange their branches. */
  | { kind: "circle"; keys: readonly string[] }
  /** Members that wait for each other, so that all of them are away together, which is more than the program allows. */
  | { kind: "too_many_away"; keys: readonly string[]; limit: number }
  /** Its change is to wait for an idle moment, and the endpoint never suspends as it is now. */
  | ({ kind: "never_idle"; id: string } & NeverIdle)
  /** More endpoints would be deleted or replaced than the program allows. */
  | { kind: "too_many"; deleted: readonly string[]; replaced: readonly string[]; limit: number; members: number }
  /** An import of endpoints that others have, or whose mark they bear. */
  | { kind: "imported"; foreign: readonly ForeignEndpoint[] }
  /** An `importId` that is none, or that the member cannot have. */
  | { kind: "import"; reason: ImportProblem };

/** A read-write endpoint that keeps another one off its branch. */
export interface InTheWay {
  kind: "in_the_way";
  occupant: EndpointRecord;
  /** Nothing old is known of whoever is refused: it is new, or a replacement by force (`--replace`, a taint). */
  isNew: boolean;
  /** The occupant's owner (then without a name), or by its own name the owner that it was created for. */
  other?: { urn?: Owner; name?: string } | undefined;
  /** The branch that whoever is refused leaves itself: the two may exchange their branches. */
  leaves?: string | undefined;
}

/** Endpoints that an interrupted run may have left. They are not taken up without adoptInterrupted, and nothing is created beside them. */
export interface LeftRefusal {
  kind: "left";
  left: readonly LeftEndpoint[];
  /** Nothing old is known of whoever is refused, so that a replacement by force may be asked for. */
  isNew: boolean;
}

/** An endpoint that was left, the key of the member that it was made for, and its owner in this run. */
export interface LeftEndpoint {
  key?: string;
  record: EndpointRecord;
  owner?: Owner | undefined;
}

/** An endpoint to import that another resource of the run has (`met`), or for which another one's name was given to it (`marked`). */
export interface ForeignEndpoint {
  what: string;
  met?: Owner | undefined;
  marked?: { name: string; urn?: Owner } | undefined;
}

/** The fault of an `importId`. */
export type ImportProblem =
  | { kind: "form"; importId: string }
  | { kind: "unknown"; importId: string }
  | { kind: "has_another"; endpointId: string }
  | { kind: "elsewhere"; place: { projectId: string; branchId: string; type: string } }
  | { kind: "taken"; by: string };
