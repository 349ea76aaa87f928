/** One call of the engine about a fleet: a row for each of its members, and what other resources see of them. */
import type { Reporter } from "../../endpoint/context";
import { type FleetPlan, hasChanges } from "../../fleet/plan";
import type { FleetContext } from "../../fleet/prepare";
import { memberIn, memberOwner, type Owner, shownUrn } from "../../lib/owner";
import { type LifecycleContext, worldOf } from "../call";

/** What a host hands over with a call about a fleet. */
export interface FleetCall extends LifecycleContext {
  /** The lines of a row of its own, for a member's URN. */
  reporterFor(urn: string): Reporter;
  /** Says on a member's row that it failed, or is refused. */
  reportError(urn: string, message: string): void;
}

/** The fleet's context as Pulumi's engine makes it. */
export interface PulumiFleetContext extends FleetContext, FleetCall {
  rowOf(key: string): string;
  /** True for one of this fleet's members. */
  isMember(owner: Owner): boolean;
  member(key: string): LifecycleContext;
}

/** A member's waits show on a row of its own after this long, in milliseconds: most changes are done before. */
const ROW_AFTER_MS = 2_000;

/** The context of a fleet's call. `plannedAt` is its place in the order of the run, where it is planned anew. */
export function fleetContext(call: FleetCall, plannedAt?: number): PulumiFleetContext {
  const { urn, account } = call;
  const ownerOf = (key: string) => memberOwner(urn, key);
  const rowOf = (key: string) => shownUrn(ownerOf(key));
  const isMember = (owner: Owner) => memberIn(owner)?.fleet === urn;
  return {
    ...call,
    urn,
    ownerOf,
    rowOf,
    isMember,
    world: (lists) => worldOf(call, { lists, plannedAt, isOwn: isMember }),
    member: (key) => {
      const reporter = call.reporterFor(rowOf(key));
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
  run.claims.put({ urn, after });
  for (const member of plan.members.values()) {
    const owner = context.ownerOf(member.key);
    run.claims.put({ ...member.claim, after });
    const record = run.record(owner);
    record.phase = member.member
      ? { kind: "member", isProtected: member.member.options.protect === true }
      : { kind: "leaving", isDeleted: member.change === "delete" };
    const endpointId = member.found?.record.id ?? member.stored?.state.endpointId;
    if (typeof endpointId === "string") run.identify(owner, endpointId);
  }
  if (!hasChanges(plan)) claimsDone(context, plan);
}

/** Takes note that what was planned for the fleet was answered. */
export function claimsDone({ run, urn, ownerOf }: PulumiFleetContext, plan: FleetPlan): void {
  run.claims.done(urn);
  for (const key of plan.members.keys()) run.claims.done(ownerOf(key));
}
