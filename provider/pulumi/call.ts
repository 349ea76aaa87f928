/** The context of one call of the engine: the owner of the endpoint, or of each member, and the log rows. */
import type { Context, Reporter } from "../endpoint/context";
import { type FleetPlan, keysOf } from "../fleet/plan";
import type { FleetContext } from "../fleet/prepare";
import { memberOwner, type Owner, resourceOwner } from "../lib/owner";
import { Ground, type Lists } from "../places/ground";
import { shown } from "../platform/policy";
import { platformMessage } from "../platform/profiles/profiles";
import type { RunRecords } from "./run";
import { secretNames } from "./secrets";
import type { Path } from "./values";

/** The URN of every `pulumi do` call, whichever endpoint it names: made-up stack and project, and the type's name. */
const MADE_UP = /^urn:pulumi:dev::default::pgcompute:index:(Endpoint|EndpointFleet)::\1(?:\/[0-9a-f]+)?$/;

/** Logs the run's platform once, if the stack's configuration does not name it for a review. */
export function logPlatform({ run, account, reporter }: LifecycleContext): void {
  if (run.isPlatformSaid) return;
  run.isPlatformSaid = true;
  reporter.info(platformMessage(account.settings.profile));
}

/** The context of one call of the engine, made by either host. */
export interface LifecycleContext extends Context {
  run: RunRecords;
  host: "plugin" | "dynamic";
  /** The owner of the call's endpoint: a resource's URN, or a member of a fleet. */
  urn: Owner;
  /** Paths of the secret values in the call's inputs and state. */
  secrets?: readonly Path[];
  /** The reporter that writes to a member's own row. */
  reporterFor(owner: Owner): Reporter;
  /** Logs an error or a refusal on a member's row. */
  reportError(owner: Owner, message: string): void;
}

/** Builds the ground for deciding the places of a resource or of a fleet's members. */
export function groundOf({ run, urn, account }: LifecycleContext, lists?: Lists): Ground {
  const { adoptInterrupted: takesUp, profile } = account.settings;
  return new Ground(urn, run, { takesUp, needsEmptyBranch: profile.movesToEmpty }, lists);
}

/** True for the owner of a single call (`pulumi do`). */
export function isSingleCall(owner: Owner): boolean {
  return MADE_UP.test(owner);
}

/** The owner of a call's endpoint; each `pulumi do` process is one, so that others' endpoints are no orphans of it. */
export function ownerOfCall(urn: string, process: string): Owner {
  return resourceOwner(MADE_UP.test(urn) ? `${urn}/${process}` : urn);
}

/** A set's context with the engine's call behind it. A single endpoint is a set of one, with the empty key. */
export interface PulumiFleetContext extends FleetContext, LifecycleContext {
  /** Who makes room for a new endpoint: the engine for a single one, the fleet itself for its members. */
  replaces: "engine" | "set";
  member(key: string): LifecycleContext;
}

/** Builds the context of a single endpoint's call. */
export function singleContext(call: LifecycleContext): PulumiFleetContext {
  return {
    ...call,
    replaces: "engine",
    ownerOf: () => call.urn,
    ground: (lists) => groundOf(call, lists),
    member: () => call,
  };
}

/** Builds the context of a fleet's call. */
export function fleetContext(call: LifecycleContext): PulumiFleetContext {
  const { urn, account } = call;
  const ownerOf = (key: string) => memberOwner(urn, key);
  return {
    ...call,
    replaces: "set",
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
            // Most changes end before a person would ask.
            if (account.clock.now() - beganMs >= shown.noticedMs) reporter.status(message);
          },
        },
      };
    },
  };
}

/**
 * Records each member's endpoint, takeover and declared place. A released member's endpoint has no owner from then on.
 */
export function noteMembers({ run, ownerOf, replaces }: PulumiFleetContext, plan: FleetPlan): void {
  const refused = new Set(plan.refusals.flatMap(keysOf));
  for (const { key, member, stored, change, to, found } of plan.members.values()) {
    const owner = ownerOf(key);
    const record = run.record(owner);
    const leaves = change === "delete" ? ("leaving" as const) : undefined;
    if (replaces === "set") record.phase = member ? (stored ? "kept" : "new") : leaves;
    record.isProtected = member?.options.protect === true;
    run.declare(owner, member && to);
    run.take(owner, change === "adopt" && !refused.has(key) ? found?.record.id : undefined);

    const endpointId = stored?.state.endpointId;
    if (typeof endpointId === "string") run.identify(owner, endpointId);
  }
}
