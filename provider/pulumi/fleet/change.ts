/** Does what a fleet's plan says, with what Pulumi's engine makes necessary around each member, and tells how it ended. */
import { boundsOf } from "../../endpoint/context";
import { waitsInPlace } from "../../endpoint/moment";
import { type Applied, apply } from "../../fleet/apply";
import { endpointInputs } from "../../fleet/notes";
import type { FleetPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { encodeMembers, type FleetState, type StoredMembers, withSpent } from "../../fleet/state";
import { HttpError, OperationError, PartialError, PgComputeError } from "../../platform/errors";
import { completeInputs } from "../complete-inputs";
import { withOccupant } from "../conflict";
import { createAnew } from "../create-or-take-over";
import { messageFor } from "../messages/errors";
import { outcomeMessage, planMessage, sameOnce, takeoverMessages } from "../messages/fleet";
import { adviseMember } from "../messages/fleet-errors";
import { claimsDone } from "./claims";
import type { PulumiFleetContext } from "./context";

type Values = Readonly<Record<string, unknown>>;

/** A fleet as a host stores it. */
export interface StoredFleet {
  id: string;
  state: FleetState;
}

/**
 * Does a plan of a create or an update. Where members failed, the error carries all that exists, and a reason for each of them.
 */
export async function change(
  context: PulumiFleetContext,
  { id, oldInputs }: { id: string; oldInputs?: Values | undefined },
  plan: PreparedPlan,
): Promise<StoredFleet> {
  for (const message of takeoverMessages(plan, context.ownerOf)) context.reporter.info(message);
  for (const { found } of plan.members.values()) if (found) context.run.seeInFleet(id, found.record.id);
  const applied = await applyPlan(context, plan, oldInputs);
  remember(context, id, applied.members);
  const state = encodeMembers(withSpent(applied.members, plan.spent));
  const { failures, notBegun, stop } = applied;
  if (failures.length + notBegun.length === 0) {
    claimsDone(context, plan);
    const done = planMessage(plan, true);
    if (done !== undefined) context.reporter.info(done);
    return { id, state };
  }
  const reasons = reportFailures(context, plan, applied);
  const told = stop && !failures.some(({ error }) => error === stop) ? messageFor(stop) : applied.heldBack;
  const summary = outcomeMessage(plan.members.size, { failed: failures.length, notBegun, stop: told });
  const cause = new PgComputeError(stop?.kind ?? failures[0]?.error.kind ?? "internal", summary);
  if (applied.members.size === 0) throw new PgComputeError(cause.kind, [summary, ...reasons].join("; "));
  throw new PartialError(id, state, cause, [summary, ...reasons]);
}

/** Does a plan: what it meets is enriched with what only this host knows. */
export async function applyPlan(
  context: PulumiFleetContext,
  plan: FleetPlan,
  oldInputs?: Values | undefined,
): Promise<Applied> {
  const { run, ownerOf } = context;
  return apply(plan.rollout ? inWaves(context) : context, {
    plan,
    oldInputs: (key) => endpointInputs(oldInputs, key),
    around: async ({ key, member, stored }, work) => {
      if (!member) return work();
      const inputs = completeInputs(member.inputs);
      const replacedId = run.endpointOf(ownerOf(key));
      try {
        const waits = stored !== undefined && waitsInPlace(inputs, stored.state);
        await run.inTurn(inputs, () => work(inputs), { waits });
      } catch (error) {
        throw await withOccupant(context.member(key), inputs, error, replacedId);
      }
    },
    create: ({ key }, inputs) => createAnew(context.member(key), inputs),
    onKept: ({ key }, { endpointId }) => {
      if (typeof endpointId === "string") run.identify(ownerOf(key), endpointId);
    },
  });
}

/** In waves the bound that the user gave is that of each member, from its beginning. */
function inWaves(context: PulumiFleetContext): PulumiFleetContext {
  const { account, timeoutMs } = context;
  return {
    ...context,
    deadlineMs: undefined,
    member: (key) => ({ ...context.member(key), ...boundsOf(account, timeoutMs) }),
  };
}

/** Says why members failed, on the row of the first to which the same happened; gives that as sentences. */
export function reportFailures(
  context: PulumiFleetContext,
  { members: planned }: FleetPlan,
  applied: Applied,
): string[] {
  const { failures, members } = applied;
  const problems = failures.map(({ key, error }) => {
    adviseMember(error, { ...context, members }, context.ownerOf(key));
    const { endpointId, branchId } = members.get(key)?.state ?? {};
    const own = [endpointId, branchId, planned.get(key)?.member?.inputs.branchId, ...ownValues(error)];
    return { key, about: error.kind, text: messageFor(error), own };
  });
  return sameOnce(problems).map(({ key, text }) => {
    context.reportError(context.rowOf(key), text);
    return `${key}: ${text}`;
  });
}

/** The ids in an error's text that no other error has. */
function ownValues(error: unknown): (string | undefined)[] {
  if (error instanceof OperationError) return [error.operationId];
  if (error instanceof HttpError) return [error.requestId, error.path];
  return error instanceof PgComputeError && error.cause ? ownValues(error.cause) : [];
}

/** Takes note of the endpoints that a fleet of the program has. */
export function remember(context: PulumiFleetContext, id: string, members: StoredMembers): StoredMembers {
  identify(context, members);
  for (const { state } of members.values()) {
    if (typeof state.endpointId === "string") context.run.seeInFleet(id, state.endpointId);
  }
  return members;
}

/** Takes note of the endpoints behind members. The program may only read them (`get`): then no fleet of it has them. */
export function identify({ run, ownerOf }: PulumiFleetContext, members: StoredMembers): void {
  for (const [key, { state }] of members) {
    if (typeof state.endpointId === "string") run.identify(ownerOf(key), state.endpointId);
  }
}
