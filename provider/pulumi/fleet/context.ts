/** One call of the engine about a fleet: what a resource's call has, and a row for each of its members. */
import type { Reporter } from "../../endpoint/context";
import { isSameBranch } from "../../endpoint/place";
import type { FleetContext } from "../../fleet/context";
import { memberUrn, nameOfUrn } from "../../lib/urn";
import { PgComputeError } from "../../platform/errors";
import type { LifecycleContext } from "../context";
import { ownerOf } from "../run/run";

/** What a host hands over with a call about a fleet. */
export interface FleetCall extends LifecycleContext {
  /** The lines of a row of its own, for a member's URN. */
  reporterFor(urn: string): Reporter;
  /** Says on a member's row that it failed, or is refused. */
  reportError(urn: string, message: string): void;
}

/** A member's context: its URN keys its claim and its lines. */
export interface MemberContext extends LifecycleContext {
  urn: string;
}

/** The fleet's context as Pulumi's engine makes it. */
export interface PulumiFleetContext extends FleetContext, FleetCall {
  urn: string;
  urnOf(key: string): string;
  /** True for the URN of one of this fleet's members. */
  isMember(urn: string): boolean;
  member(key: string): MemberContext;
}

/** A member's waits show on a row of its own after this long, in milliseconds: most changes are done before. */
const ROW_AFTER_MS = 2_000;

/** The context of a fleet's call. */
export function fleetContext(call: FleetCall): PulumiFleetContext {
  const { run, urn, account } = call;
  if (urn === undefined) throw new PgComputeError("internal", "a fleet was called without its URN");
  const prefix = memberUrn(urn, "");
  const urnOf = (key: string) => `${prefix}${key}`;
  // A key has no slash in it.
  const isMember = (other: string) => other.startsWith(prefix) && !other.includes("/", prefix.length);
  const othersOf = (endpointId: string) =>
    run.ownersOf(endpointId, { isDeclared: true }).filter((owner) => !isMember(owner));
  return {
    ...call,
    urn,
    urnOf,
    isMember,
    ownerOf: (key) => ownerOf(urnOf(key)),
    otherOwnerOf: (endpointId) => {
      const [owner] = othersOf(endpointId);
      return owner && nameOfUrn(owner);
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
      const member = urnOf(key);
      const reporter = call.reporterFor(member);
      const beganMs = account.clock.now();
      return {
        ...call,
        urn: member,
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
