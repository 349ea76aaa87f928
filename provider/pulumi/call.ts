/** One call of the engine: what the lifecycle works with, and whose endpoint it is about. */
import type { Context } from "../endpoint/context";
import { type Owner, resourceOwner } from "../lib/owner";
import { type Turn, World, type WorldParts } from "../plan/world";
import { platformMessage } from "../platform/profiles/profiles";
import type { RunRecords } from "./run";

/** Stands for a resource whose URN the host does not know. */
export const UNKNOWN_OWNER = resourceOwner("");

/** Every such call has the same URN, whichever endpoint it is about: stack and project are made up, and the name is the type's. */
const MADE_UP = /^urn:pulumi:dev::default::pgcompute:index:(Endpoint|EndpointFleet)::\1(?:\/[0-9a-f]+)?$/;

/** Says once in a run which platform it is planned for, beside the first thing that changes: a review reads it. */
export function sayPlatform({ run, account, reporter }: Pick<LifecycleContext, "run" | "account" | "reporter">): void {
  if (run.isPlatformSaid) return;
  run.isPlatformSaid = true;
  reporter.info(platformMessage(account.settings.profile));
}

/** One call of the engine. Both hosts make one for each call. */
export interface LifecycleContext extends Context {
  /** What this run has shown so far, across resources. */
  run: RunRecords;
  /** The host, for the ways on that a message may name. */
  host: "plugin" | "dynamic";
  /** Whose endpoint it is about, where the host knows it: the resource, which is its URN, or a member of a fleet. */
  urn?: Owner | undefined;
  /** The resources that this one waits for, by URN, where the host tells. */
  after?: ReadonlySet<string> | undefined;
}

/** What may differ in how the world is seen. */
interface View extends Pick<Turn, "plannedAt"> {
  lists?: WorldParts["lists"] | undefined;
  isOwn?: WorldParts["isOwn"];
}

/**
 * The world as a resource sees it, or with another `isOwn` as a fleet does, with the lists of the projects that are to be looked at.
 * `plannedAt` is its place in the order of the run, where it is planned anew.
 */
export function worldOf(
  { run, urn = UNKNOWN_OWNER, after, account }: LifecycleContext,
  { lists = new Map(), plannedAt, isOwn = (owner) => owner === urn }: View = {},
): World {
  const { adoptInterrupted: takesUp, moves } = account.settings;
  return new World({
    ledger: run,
    lists,
    turn: { urn, after, plannedAt },
    isOwn,
    movesInPlace: moves !== "replace",
    takesUp,
  });
}

/** True for the owner of a single call. */
export function isSingleCall(owner: Owner | undefined): boolean {
  return owner !== undefined && MADE_UP.test(owner);
}

/**
 * The owner of a call's endpoint. Of a single call it is one that no other call has: by the URN alone, what an earlier one has
 * created would be taken for a leftover of this one.
 */
export function ownerOfCall(urn: string, process: string): Owner {
  return resourceOwner(MADE_UP.test(urn) ? `${urn}/${process}` : urn);
}
