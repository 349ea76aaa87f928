/** The wish for one endpoint, from the program, and the decision on its place. */
import { isSameBranch, type Place } from "../endpoint/identity";
import { bookkeepingOf, type EndpointState } from "../endpoint/state";
import type { Owner } from "../lib/owner";
import type { EndpointRecord } from "../platform/records";

/** The change of an endpoint: `adopt` takes over an existing one, `release` leaves it running without an owner. */
export type Change = "same" | "create" | "adopt" | "update" | "move" | "replace" | "delete" | "release";

/**
 * The reason why an endpoint stays when its owner leaves: `adoptExisting` took it, `retainOnDelete` is set, or another
 * owner has it.
 */
export type Stay = "adopted" | "retained" | "given_up";

/** The program's wish for one endpoint. Program and configuration alone decide its change. */
export interface Wish {
  owner: Owner;
  /** The key in its fleet; empty for a single endpoint. */
  key: string;
  change: Change;
  /** The reason for a replacement. */
  why?: string | undefined;
  /** Its endpoint, if it has one and the id is known. */
  endpointId?: string | undefined;
  /** Its place in the state. */
  from?: Place | undefined;
  /** Its place in the program; absent if it leaves, or while unknown. */
  to?: Place | undefined;
  /** The reason why its endpoint stays when the owner leaves; absent if the endpoint is deleted. */
  stays?: Stay | undefined;
  isProtected?: boolean;
  /** The endpoint to adopt instead of creating one: from `importId`, or left by an interrupted run. */
  takes?: EndpointRecord | undefined;
  /** `adoptExisting`, for a new owner. */
  adopts: boolean;
  /** True for an unknown importId, which may name the endpoint on the branch. */
  importsUnknown?: boolean;
}

/** A wish with the decision on its place. */
export interface Placed extends Wish {
  /** Its endpoint's place on the platform; by default that in the state. */
  at: Place | undefined;
  /** The endpoint that it adopts. */
  occupant?: EndpointRecord | undefined;
  isRefused: boolean;
}

/** The reason why a state's endpoint stays when its owner leaves; undefined if the endpoint is deleted. */
export function stayOf(state: EndpointState, retainOnDelete = false): Stay | undefined {
  if (bookkeepingOf(state).adopted) return "adopted";
  return retainOnDelete ? "retained" : undefined;
}

/** True if the endpoint comes to the program's branch: by a create, a takeover, a move or a replacement. */
export function comes({ change, at, to }: Placed): boolean {
  if (change === "move") return !isSameBranch(at, to);
  return change === "create" || change === "adopt" || change === "replace";
}

/** True if the owner frees its endpoint's place: by a move, a delete, a release or a replacement. */
export function goes({ change, at, to }: Placed): boolean {
  if (change === "move") return !isSameBranch(at, to);
  return change === "delete" || change === "release" || change === "replace";
}

/** True for an endpoint that stays on its branch after its owner leaves. */
export function staysBehind(one: Placed): boolean {
  return one.stays !== undefined && goes(one) && one.change !== "move";
}
