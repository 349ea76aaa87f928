/** One call of the engine about a fleet: what a resource's call has, and a row for each of its members. */
import type { Reporter } from "../../endpoint/context";
import type { FleetContext } from "../../fleet/context";
import { memberIn, memberOwner, type Owner, shownUrn } from "../../lib/owner";
import { World } from "../../plan/world";
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
  /** The URN of a member's row. */
  rowOf(key: string): string;
  /** True for one of this fleet's members. */
  isMember(owner: Owner): boolean;
  member(key: string): MemberContext;
}

/** A member's waits show on a row of its own after this long, in milliseconds: most changes are done before. */
const ROW_AFTER_MS = 2_000;

/** The context of a fleet's call. `plannedAt` is its place in the order of the run, where it is planned anew. */
export function fleetContext(call: FleetCall, plannedAt?: number): PulumiFleetContext {
  const { run, urn, account } = call;
  if (urn === undefined) throw new PgComputeError("internal", "a fleet was called without its URN");
  const ownerOf = (key: string) => memberOwner(urn, key);
  const rowOf = (key: string) => shownUrn(ownerOf(key));
  const isMember = (owner: Owner) => memberIn(owner)?.fleet === urn;
  const { adoptInterrupted, moves } = account.settings;
  return {
    ...call,
    urn,
    ownerOf,
    rowOf,
    isMember,
    world: (lists = new Map()) =>
      new World({
        ...{ ledger: run, lists, turn: { urn, after: call.after, plannedAt }, isOwn: isMember },
        ...{ movesInPlace: moves !== "replace", takesUp: adoptInterrupted },
      }),
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
