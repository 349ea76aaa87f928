/** Does what a fleet's plan says, with what Pulumi's engine makes necessary around each member, and tells how it ended. */
import { type Applied, apply } from "../../fleet/apply";
import { endpointInputs } from "../../fleet/notes";
import type { FleetPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import { encodeMembers, type FleetState, type StoredMembers, withSpent } from "../../fleet/state";
import { PartialError, PgComputeError } from "../../platform/errors";
import { completeInputs } from "../complete-inputs";
import { withOccupant } from "../conflict";
import { createAnew } from "../create-or-take-over";
import { messageFor } from "../kind-advice";
import { adviseMember } from "./advice";
import type { PulumiFleetContext } from "./context";
import { outcomeMessage, takeoverMessages } from "./messages";
import { claimsDone } from "./places";

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
    return { id, state };
  }
  const reasons = tell(context, applied);
  const told = stop && !failures.some(({ error }) => error === stop) ? messageFor(stop) : undefined;
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
  return apply(context, {
    plan,
    oldInputs: (key) => endpointInputs(oldInputs, key),
    around: async ({ key, member }, work) => {
      if (!member) return work();
      const inputs = completeInputs(member.inputs);
      const replacedId = run.endpointOf(ownerOf(key));
      try {
        await run.inTurn(inputs, () => work(inputs));
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

/** Says of each member that failed why it did, on a row of its own; gives the same as sentences. */
export function tell(context: PulumiFleetContext, { failures, members }: Applied): string[] {
  return failures.map(({ key, error }) => {
    adviseMember(error, { ...context, members }, context.ownerOf(key));
    const message = messageFor(error);
    context.reportError(context.rowOf(key), message);
    return `${key}: ${message}`;
  });
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
