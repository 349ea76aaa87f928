/** One call of the engine about a fleet: what a resource's call has, and a row for each of its members. */
import type { Reporter } from "../../endpoint/context";
import { isSameBranch } from "../../endpoint/place";
import type { FleetContext } from "../../fleet/context";
import { madeFor, memberIn, memberOwner, type Owner, ownerName, shownUrn } from "../../lib/owner";
import { PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../context";

/** What a host hands over with a call about a fleet. */
export interface FleetCall extends LifecycleContext {
  /** The lines of a row of its own, for a member's URN. */
  reporterFor(urn: string): Reporter;
  /** Says on a member's row that it failed, or is refused. */
  reportError(urn: string, message: string): void;
}

/** A member's context. */
export interface MemberContext extends LifecycleContext {
  urn: Owner;
}

/** The fleet's context as Pulumi's engine makes it. */
export interface PulumiFleetContext extends FleetContext, FleetCall {
  urn: Owner;
  /** A member as an owner. */
  ownerOf(key: string): Owner;
  /** The URN of a member's row. */
  rowOf(key: string): string;
  /** True for one of this fleet's members. */
  isMember(owner: Owner): boolean;
  member(key: string): MemberContext;
}

/** A member's waits show on a row of its own after this long, in milliseconds: most changes are done before. */
const ROW_AFTER_MS = 2_000;

/** The context of a fleet's call. */
export function fleetContext(call: FleetCall): PulumiFleetContext {
  const { run, urn, account } = call;
  if (urn === undefined) throw new PgComputeError("internal", "a fleet was called without its URN");
  const ownerOf = (key: string) => memberOwner(urn, key);
  const rowOf = (key: string) => shownUrn(ownerOf(key));
  const isMember = (owner: Owner) => memberIn(owner)?.fleet === urn;
  const othersOf = (endpointId: string) =>
    run.ownersOf(endpointId, { isDeclared: true }).filter((owner) => !isMember(owner));
  return {
    ...call,
    urn,
    ownerOf,
    rowOf,
    isMember,
    madeFor: (key) => madeFor(ownerOf(key)),
    endpointOf: (key) => run.endpointOf(ownerOf(key)),
    otherOwnerOf: (endpointId) => {
      const [owner] = othersOf(endpointId);
      return owner && ownerName(owner);
    },
    isTakenBefore: (endpointId) =>
      othersOf(endpointId).some((owner) => {
        const claim = run.claims.of(owner);
        return claim !== undefined && run.claims.areOrdered(claim, run.claims.of(urn) ?? call);
      }),
    leavesBefore: (record) =>
      run
        .ownersOf(record.id, { isDeclared: false })
        .filter((owner) => !isMember(owner))
        .some((owner) => {
          const claim = run.claims.of(owner);
          return claim?.leavesInTime === true && !isSameBranch(claim.to, record);
        }),
    isComeTo: (branch) =>
      run.claims
        .on(branch, undefined)
        .some(
          (claim) =>
            !isMember(claim.urn) &&
            claim.arrival !== undefined &&
            isSameBranch(claim.to, branch) &&
            run.claims.areOrdered(claim, run.claims.of(urn) ?? call),
        ),
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
