/** The program's wish for one endpoint, and the decision on its place. */
import { isSameBranch, type Place } from "../endpoint/identity";
import { bookkeepingOf, type EndpointState } from "../endpoint/state";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

/** The change of an endpoint: `adopt` takes over an existing one, `release` keeps it running without an owner. */
export type Change = "same" | "create" | "adopt" | "update" | "move" | "replace" | "delete" | "release";

/**
 * Why an endpoint stays on the platform when its owner goes: `adoptExisting` took it over, `retainOnDelete` is set, or another owner has it by
 * now.
 */
export type Stay = "adopted" | "retained" | "given_up";

/** What a program wants of one endpoint. The kind of change follows from program and configuration alone. */
export interface Wish {
  owner: Owner;
  /** The key in its fleet; of a single endpoint an empty text. */
  key: string;
  change: Change;
  /** Why it is replaced, where it is. */
  why?: string | undefined;
  /** Its endpoint; absent where it has none, or where that is not known. */
  endpointId?: string | undefined;
  /** Where its state has it. */
  from?: Place | undefined;
  /** Where the program puts it; absent where it leaves, or where that is not known yet. */
  to?: Place | undefined;
  /** Why its endpoint stays when it goes; absent where the endpoint is deleted then. */
  stays?: Stay | undefined;
  isProtected?: boolean;
  /** The endpoint that it takes over instead of having one created: `importId` names it, or an interrupted run made it. */
  takes?: EndpointRecord | undefined;
  /** `adoptExisting`, of an owner that is new. */
  adopts: boolean;
  /** Its importId is not known yet: that may be the endpoint on its branch. */
  importsUnknown?: boolean;
}

/** What becomes of a place. */
export interface Placed extends Wish {
  /** Where the platform shows its endpoint; by default where the state has it. */
  at: Place | undefined;
  /** The endpoint that it takes over. */
  occupant?: EndpointRecord | undefined;
  isRefused: boolean;
}

/** Why the endpoint of a state stays when its owner goes; undefined where it is deleted then. */
export function stayOf(state: EndpointState, retainOnDelete = false): Stay | undefined {
  if (bookkeepingOf(state).adopted) return "adopted";
  return retainOnDelete ? "retained" : undefined;
}

/** Returns whether the endpoint comes to the program's branch: by a create, a takeover, a move or a replacement. */
export function comes({ change, at, to }: Placed): boolean {
  if (change === "move") return !isSameBranch(at, to);
  return change === "create" || change === "adopt" || change === "replace";
}

/** Returns whether the owner gives up its endpoint's place: by a move, a delete, a release or a replacement. */
export function goes({ change, at, to }: Placed): boolean {
  if (change === "move") return !isSameBranch(at, to);
  return change === "delete" || change === "release" || change === "replace";
}

/** True for an endpoint that stays on its branch though its owner goes. */
export function staysBehind(one: Placed): boolean {
  return one.stays !== undefined && goes(one) && one.change !== "move";
}
