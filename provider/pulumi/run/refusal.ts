/** Why a resource cannot stand where the program puts it, as data: `advice.ts` makes the sentences of it. */
import type { Owner } from "../../lib/owner";
import type { LeftRefusal } from "../../plan/take-up";
import type { EndpointRecord } from "../../platform/records";

/** A refusal names all that is involved, so that its ways on can be followed by a person or a program. */
export type Refusal =
  /** The result depends on the order: `second` has to wait for `first`. */
  | { kind: "order"; branchId: string; first: Owner; second: Owner }
  /** Another resource of the program declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; branchId: string; first: Owner }
  /** Two resources have one endpoint: one of them has to leave the state, without a delete. */
  | { kind: "two_owners"; branchId: string; endpointId?: string; urns: readonly [Owner, Owner] }
  /** The read-write endpoint of another resource of the program, which leaves only at the end of the run. */
  | { kind: "leaves_late"; branchId: string; occupant: EndpointRecord; other: Owner }
  /** The read-write endpoint of another resource of the program, which leaves and lets it go where it is: taken over, or to be kept. */
  | { kind: "left_behind"; branchId: string; occupant: EndpointRecord; other: Owner; isNew: boolean }
  /** An earlier run created the endpoint for this resource: it was interrupted, or is to be replaced by force. */
  | LeftRefusal
  /** The resource's own endpoint was taken over: a replacement, which an option of the program asks for, lets it go where it is. */
  | { kind: "released"; occupant: EndpointRecord }
  /** The branch has a read-write endpoint. */
  | {
      kind: "occupied";
      occupant: EndpointRecord;
      /** True where the engine shows nothing old of the resource, so that it may be a forced replacement of the occupant. */
      isNew: boolean;
      /** The resource that has it, or that it was created for: its URN where that is known, else its name. */
      other?: { urn?: Owner; name?: string } | undefined;
      /** Where the resource's own endpoint no longer stands: it may be the occupant. */
      leftBranchId?: string | undefined;
      /** What the resource would leave for this branch, where it can: whoever is bound for that goes by a free branch. */
      leaves?: Leaving | undefined;
    };

/** A branch that a resource leaves: early enough for another in the same run, or at the end of the run. */
export interface Leaving {
  branchId: string;
  inTime: boolean;
}
