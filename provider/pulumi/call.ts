/** One call of the engine: what the lifecycle works with, and whose endpoint it is about. */
import type { Context } from "../endpoint/context";
import { type Owner, resourceOwner } from "../lib/owner";
import { type Turn, World, type WorldParts } from "../plan/world";
import { platformMessage } from "../platform/profiles/profiles";
import type { RunRecords } from "./run";

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
  run: RunRecords;
  host: "plugin" | "dynamic";
  /** Whose endpoint it is about: the resource, which is its URN, or a member of a fleet. */
  urn: Owner;
  /** The resources that this one waits for, by URN, where the host tells. */
  after?: ReadonlySet<string> | undefined;
}

interface View extends Pick<Turn, "plannedAt"> {
  lists?: WorldParts["lists"] | undefined;
  isOwn?: WorldParts["isOwn"];
}

/** The world as a resource sees it, or with another `isOwn` a fleet. `plannedAt` is its place in the order, where it is planned anew. */
export function worldOf(
  { run, urn, after, account }: LifecycleContext,
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
export function isSingleCall(owner: Owner): boolean {
  return MADE_UP.test(owner);
}

/** The owner of a call's endpoint; of a single call (`pulumi do`) one of its own, or another call's endpoint would be taken for a leftover. */
export function ownerOfCall(urn: string, process: string): Owner {
  return resourceOwner(MADE_UP.test(urn) ? `${urn}/${process}` : urn);
}
