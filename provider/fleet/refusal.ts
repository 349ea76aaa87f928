/** Why a fleet's plan, or one member of it, cannot be made, as data: sentences are made of it by whoever knows the reader. */
import type { LeftRefusal } from "../plan/take-up";
import type { EndpointRecord } from "../platform/records";

/** A refusal names the members that it is about, so that its ways on can be followed by a person or a program. */
export type FleetRefusal =
  | LeftRefusal
  /** Another member declares the branch's read-write endpoint. */
  | { kind: "declared_twice"; key: string; other: string }
  /** The read-write endpoint of a member was moved to the branch, and neither the state nor the program has it there. */
  | { kind: "moved_there"; key: string; other: string; movedFrom: string }
  /** The branch has a read-write endpoint that is no member's; only a member that is new may take it over. */
  | { kind: "occupied"; key: string; occupant: EndpointRecord; isNew: boolean }
  /** The read-write endpoint of a member that lets it go: it stays on the branch. Only a member that is new may have it after that. */
  | { kind: "left_behind"; key: string; other: string; id: string | undefined; isNew: boolean }
  /** `why` it would be replaced, where that is for its place. */
  | { kind: "protected"; key: string; change: "deleted" | "replaced"; why?: string | undefined }
  /** It would be deleted, and the state still has it as an import read it: no program has had it since. */
  | { kind: "undeclared"; key: string; id: string | undefined }
  /** Members that change places, of which none can make room. */
  | { kind: "circle"; keys: readonly string[] }
  /** More endpoints would be deleted or replaced than the program allows. */
  | { kind: "too_many"; deleted: readonly string[]; replaced: readonly string[]; limit: number; members: number }
  /** An `importId` that is none, or that the member cannot have. */
  | { kind: "import"; key: string; reason: ImportProblem };

/** What is wrong with an `importId`. */
export type ImportProblem =
  | { kind: "form"; importId: string }
  | { kind: "unknown"; importId: string }
  | { kind: "has_another"; endpointId: string }
  | { kind: "elsewhere"; place: { projectId: string; branchId: string; type: string } }
  | { kind: "taken"; by: string };

/** The members that cannot be planned. */
export function keysOf(refusal: FleetRefusal): readonly string[] {
  if (refusal.kind === "circle") return refusal.keys;
  if (refusal.kind === "left") return [...new Set(refusal.left.flatMap(({ key }) => key ?? []))];
  return refusal.kind === "too_many" ? [] : [refusal.key];
}
