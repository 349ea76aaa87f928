/** One call of the engine: whose endpoint, or whose members, it is about, and what others see of them. */
import type { Context, Reporter } from "../endpoint/context";
import type { FleetPlan } from "../fleet/plan";
import type { FleetContext } from "../fleet/prepare";
import { memberOwner, type Owner, resourceOwner } from "../lib/owner";
import { Ground, type Lists } from "../places/ground";
import { shown } from "../platform/policy";
import { platformMessage } from "../platform/profiles/profiles";
import type { RunRecords } from "./run";
import { secretNames } from "./secrets";
import type { Path } from "./values";

/** Every such call has the same URN, whichever endpoint it is about: stack and project are made up, and the name is the type's. */
const MADE_UP = /^urn:pulumi:dev::default::pgcompute:index:(Endpoint|EndpointFleet)::\1(?:\/[0-9a-f]+)?$/;

/** Says once in a run which platform it is planned for, where the stack's configuration does not tell a review. */
export function sayPlatform({ run, account, reporter }: LifecycleContext): void {
  if (run.isPlatformSaid) return;
  run.isPlatformSaid = true;
  reporter.info(platformMessage(account.settings.profile));
}

/** One call of the engine. Both hosts make one for each call. */
export interface LifecycleContext extends Context {
  run: RunRecords;
  host: "plugin" | "dynamic";
  /** The owner that the call is about: a resource, by its URN, or a member of a fleet. */
  urn: Owner;
  /** The secret places of the values that the call is about. */
  secrets?: readonly Path[];
  /** The lines of a row of its own, for a member. */
  reporterFor(owner: Owner): Reporter;
  /** Says on a member's row that it failed, or is refused. */
  reportError(owner: Owner, message: string): void;
}

/** The ground for deciding the places of a resource, or of a fleet's members. */
export function groundOf({ run, urn, account }: LifecycleContext, lists?: Lists): Ground {
  const { adoptInterrupted: takesUp, profile } = account.settings;
  return new Ground(urn, run, { takesUp, needsEmptyBranch: profile.movesToEmpty }, lists);
}

/** True for the owner of a single call. */
export function isSingleCall(owner: Owner): boolean {
  return MADE_UP.test(owner);
}

/** The owner of a call's endpoint; of a single call (`pulumi do`) one of its own, or another call's endpoint would be taken for a leftover. */
export function ownerOfCall(urn: string, process: string): Owner {
  return resourceOwner(MADE_UP.test(urn) ? `${urn}/${process}` : urn);
}

/** The fleet's context as Pulumi's engine makes it. */
export interface PulumiFleetContext extends FleetContext, LifecycleContext {
  member(key: string): LifecycleContext;
}

/** The context of a fleet's call. */
export function fleetContext(call: LifecycleContext): PulumiFleetContext {
  const { urn, account } = call;
  const ownerOf = (key: string) => memberOwner(urn, key);
  return {
    ...call,
    ownerOf,
    ground: (lists) => groundOf(call, lists),
    member: (key) => {
      const reporter = call.reporterFor(ownerOf(key));
      const beganMs = account.clock.now();
      return {
        ...call,
        urn: ownerOf(key),
        secretNames: () => secretNames(call.secrets ?? [], key),
        reporter: {
          ...reporter,
          status: (message) => {
            // Most changes are done before anybody would ask.
            if (account.clock.now() - beganMs >= shown.noticedMs) reporter.status(message);
          },
        },
      };
    },
  };
}

/** Notes what the members of a plan have, take and declare. A member that is let go is nobody's from here on. */
export function noteMembers({ run, ownerOf, account }: PulumiFleetContext, plan: FleetPlan): void {
  for (const { key, member, stored, change, to, isMove, found } of plan.members.values()) {
    const owner = ownerOf(key);
    const record = run.record(owner);
    const leaves = change === "delete" ? ("leaving" as const) : undefined;
    record.phase = member ? (stored ? "kept" : "new") : leaves;
    record.isProtected = member?.options.protect === true;
    run.declare(owner, member && to);
    run.take(owner, change === "adopt" ? found?.record.id : undefined);
    const endpointId = stored?.state.endpointId;
    if (typeof endpointId === "string") run.identify(owner, endpointId);
    if (isMove && to && account.settings.profile.movesToEmpty) run.expectMove(owner, to);
  }
}
