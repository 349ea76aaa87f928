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
  /** The result depends on the order: `second` has to wait for `first`. */
  | { kind: "order"; branchId: string; first: Owner; second: Owner }
  /** Another one of the program declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; branchId: string; first: Owner }
  /** The read-write endpoint of another member was moved to the branch, and neither the state nor the program has it there. */
  | { kind: "moved_there"; other: Owner; movedFrom: string }
  /** Two have one endpoint: one of them has to be taken out of the state without a delete. */
  | { kind: "two_owners"; branchId: string; endpointId?: string; urns: readonly [Owner, Owner] }
  /** The read-write endpoint of another resource of the program, which leaves only at the end of the run. */
  | { kind: "leaves_late"; branchId: string; occupant: EndpointRecord; other: Owner }
  /**
   * The branch keeps the read-write endpoint of another one that leaves, because that was taken over or has retainOnDelete. `id` is given for a
   * member of the same fleet, for `importId`.
   */
  | {
      kind: "left_behind";
      branchId: string;
      occupant?: EndpointRecord;
      id?: string | undefined;
      other: Owner;
      isNew: boolean;
    }
  /** Earlier runs created endpoints for it, and adoptInterrupted is not set, or another one has the newest of them. */
  | LeftRefusal
  /** Its own endpoint was taken over, so a replacement (by an option such as replaceOnChanges) would leave it on the branch. */
  | { kind: "released"; occupant: EndpointRecord }
  /** The branch has a read-write endpoint. */
  | {
      kind: "occupied";
      occupant: EndpointRecord;
      /** True where the engine shows nothing old of it: it is new, or is a forced replacement of the occupant (--replace, a taint). */
      isNew: boolean;
      /** Who has the occupant (then without a name), or for whom it was created: by the name that it bears. */
      other?: { urn?: Owner; name?: string } | undefined;
      /** The branch where its own endpoint should be and is not: it may be the occupant, moved by somebody. */
      leftBranchId?: string | undefined;
      /**
       * The branch that it would leave, in time for another in the same run or only at its end: if the occupant's owner is to come there in
       * exchange, that takes more than one run.
       */
      leaves?: { branchId: string; inTime: boolean } | undefined;
    }
  /** It is protected. `why` says why it would be replaced, where its branch is the reason. */
  | { kind: "protected"; change: "deleted" | "replaced"; why?: string | undefined }
  /** It would be deleted right after `pulumi import`: no program has ever declared it. */
  | { kind: "undeclared"; id: string | undefined }
  /** Members that exchange their branches, none of which can be replaced to make room. */
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

/** Endpoints that an interrupted run may have left. They are not taken up without adoptInterrupted, and nothing is created beside them. */
export interface LeftRefusal {
  kind: "left";
  left: readonly LeftEndpoint[];
  /** True where nothing old is known of whoever is refused, so that a replacement by force may be asked for. */
  isNew: boolean;
}

/** One of them; with the member's key where it was made for a member, and with whoever has it by this run. */
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

/** What is wrong with an `importId`. */
export type ImportProblem =
  | { kind: "form"; importId: string }
  | { kind: "unknown"; importId: string }
  | { kind: "has_another"; endpointId: string }
  | { kind: "elsewhere"; place: { projectId: string; branchId: string; type: string } }
  | { kind: "taken"; by: string };
