/** Why an endpoint cannot become what the program says, as data: whoever knows the reader makes sentences of it. */
import type { NeverIdle } from "../endpoint/diff";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

/** A refusal, and whom it is about: the resource, or the members of a fleet; nobody where it is about all of a fleet. */
export interface Refused {
  about: readonly Owner[];
  refusal: Refusal;
}

/** It names all that is involved, so that its ways on can be followed by a person or a program. */
export type Refusal =
  /** The result depends on the order: `second` has to wait for `first`. */
  | { kind: "order"; branchId: string; first: Owner; second: Owner }
  /** Another one of the program declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; branchId: string; first: Owner }
  /** The read-write endpoint of another member was moved to the branch, and neither the state nor the program has it there. */
  | { kind: "moved_there"; other: Owner; movedFrom: string }
  /** Two have one endpoint: one of them has to leave the state, without a delete. */
  | { kind: "two_owners"; branchId: string; endpointId?: string; urns: readonly [Owner, Owner] }
  /** The read-write endpoint of another resource of the program, which leaves only at the end of the run. */
  | { kind: "leaves_late"; branchId: string; occupant: EndpointRecord; other: Owner }
  /**
   * The read-write endpoint of another one that leaves and lets it go where it is: taken over, or to be kept. Of a member of the same
   * fleet `id` is the one that `importId` takes.
   */
  | {
      kind: "left_behind";
      branchId: string;
      occupant?: EndpointRecord;
      id?: string | undefined;
      other: Owner;
      isNew: boolean;
    }
  /** Earlier runs created endpoints for it, and nobody says that they are taken up. */
  | LeftRefusal
  /** Its own endpoint was taken over: a replacement, which an option of the program asks for, lets it go where it is. */
  | { kind: "released"; occupant: EndpointRecord }
  /** The branch has a read-write endpoint. */
  | {
      kind: "occupied";
      occupant: EndpointRecord;
      /** True where nothing old is shown of it, so that it may be a forced replacement of the occupant. */
      isNew: boolean;
      /** Who has the occupant, or whom it was created for: an owner where that is known, else a name. */
      other?: { urn?: Owner; name?: string } | undefined;
      /** Where its own endpoint no longer stands: it may be the occupant. */
      leftBranchId?: string | undefined;
      /** What it would leave for this branch, where it can: whoever is bound for that goes by a free branch. */
      leaves?: Leaving | undefined;
    }
  /** It is protected; `why` it would be replaced, where that is for its place. */
  | { kind: "protected"; change: "deleted" | "replaced"; why?: string | undefined }
  /** It would be deleted, and the state still has it as an import read it: no program has had it since. */
  | { kind: "undeclared"; id: string | undefined }
  /** Members that change places, of which none can make room. */
  | { kind: "circle"; keys: readonly string[] }
  /** Members that wait for each other, so that all of them are away together, which is more than the program allows. */
  | { kind: "too_many_away"; keys: readonly string[]; limit: number }
  /** Its change is to wait for an idle moment, and the endpoint never suspends as it is now. */
  | ({ kind: "never_idle"; id: string } & NeverIdle)
  /** More endpoints would be deleted or replaced than the program allows. */
  | { kind: "too_many"; deleted: readonly string[]; replaced: readonly string[]; limit: number; members: number }
  /** An `importId` that is none, or that the member cannot have. */
  | { kind: "import"; reason: ImportProblem };

/** Endpoints that may be an interrupted run's, and that nobody says are taken up; nothing is created beside them. */
export interface LeftRefusal {
  kind: "left";
  left: readonly LeftEndpoint[];
  /** True where nothing old is known of whoever is refused, so that a replacement by force may be asked for. */
  isNew: boolean;
}

/** An endpoint that is not taken up, as nobody says so; with the member's key where it was made for one. */
export interface LeftEndpoint {
  key?: string;
  record: EndpointRecord;
}

/** A branch that a resource leaves: early enough for another in the same run, or at the end of the run. */
export interface Leaving {
  branchId: string;
  inTime: boolean;
}

/** What is wrong with an `importId`. */
export type ImportProblem =
  | { kind: "form"; importId: string }
  | { kind: "unknown"; importId: string }
  | { kind: "has_another"; endpointId: string }
  | { kind: "elsewhere"; place: { projectId: string; branchId: string; type: string } }
  | { kind: "taken"; by: string };
