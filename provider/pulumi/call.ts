/** One call of the engine: whose endpoint, or whose members, it is about, and what others see of them. */
import type { Context, Reporter } from "../endpoint/context";
import { type FleetPlan, hasChanges } from "../fleet/plan";
import type { FleetContext } from "../fleet/prepare";
import { memberOwner, type Owner, resourceOwner } from "../lib/owner";
import { type Lists, World } from "../plan/world";
import { platformMessage } from "../platform/profiles/profiles";
import type { RunRecords } from "./run";

/** Every such call has the same URN, whichever endpoint it is about: stack and project are made up, and the name is the type's. */
const MADE_UP = /^urn:pulumi:dev::default::pgcompute:index:(Endpoint|EndpointFleet)::\1(?:\/[0-9a-f]+)?$/;

/** Why another branch is another endpoint where that is configured. */
const NO_MOVES = "the platform is configured to have no moves (pgcompute:moves)";

/** A member's waits show on a row of its own after this long, in milliseconds: most changes are done before. */
const ROW_AFTER_MS = 2_000;

/** Says once in a run which platform it is planned for, beside the first thing that changes: a review reads it. */
export function sayPlatform({ run, account, reporter }: LifecycleContext): void {
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
  /** Its place in the order of the run, where it is planned anew; absent where it is planned now. */
  plannedAt?: number | undefined;
  /** The lines of a row of its own, for a member. */
  reporterFor(owner: Owner): Reporter;
  /** Says on a member's row that it failed, or is refused. */
  reportError(owner: Owner, message: string): void;
}

/** The world as a resource, or a fleet, sees it. */
export function worldOf({ run, urn, after, plannedAt, account }: LifecycleContext, lists: Lists = new Map()): World {
  const { adoptInterrupted: takesUp, moves } = account.settings;
  const noMoves = moves === "replace" ? NO_MOVES : undefined;
  return new World(run, { urn, after, plannedAt }, lists, { noMoves, takesUp });
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
    world: (lists) => worldOf(call, lists),
    member: (key) => {
      const reporter = call.reporterFor(ownerOf(key));
      const beganMs = account.clock.now();
      return {
        ...call,
        urn: ownerOf(key),
        reporter: {
          ...reporter,
          status: (message) => {
            if (account.clock.now() - beganMs >= ROW_AFTER_MS) reporter.status(message);
          },
        },
      };
    },
  };
}

/** Claims what the members do, so that other resources know of it. */
export function claimPlaces(context: PulumiFleetContext, plan: FleetPlan): void {
  const { run, after, urn } = context;
  run.put({ urn, after });
  for (const member of plan.members.values()) {
    const owner = context.ownerOf(member.key);
    run.put({ ...member.claim, after });
    const isDeclared = member.member !== undefined;
    const isProtected = member.member?.options.protect === true;
    Object.assign(run.record(owner), { isDeclared, isProtected, isDeleted: member.change === "delete" });
    const endpointId = member.found?.record.id ?? member.stored?.state.endpointId;
    if (typeof endpointId === "string") run.identify(owner, endpointId);
  }
  if (!hasChanges(plan)) claimsDone(context, plan);
}

/** Takes note that what was planned for the fleet was answered. */
export function claimsDone({ run, urn, ownerOf }: PulumiFleetContext, plan: FleetPlan): void {
  run.done(urn);
  for (const key of plan.members.keys()) run.done(ownerOf(key));
}
