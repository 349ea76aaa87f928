/** The plan of a single endpoint: in Check for a resource without old inputs, else in Diff, which has the id. */
import type { DiffRequest, DiffResult } from "../../endpoint/diff";
import { idOf } from "../../endpoint/identity";
import { isSole } from "../../endpoint/types";
import type { FleetPlan, MemberPlan } from "../../fleet/plan";
import type { Failure } from "../../lib/failure";
import { type LifecycleContext, singleContext } from "../call";
import { compareOnly, planAhead, refuse } from "../fleet/plan";
import { orphanMessage } from "../messages/remedies";
import { ignoredSizeMessage } from "./held-size";
import { reportDiff } from "./preview";
import { ONLY, replacedOne, storedOnly, type WantedOne, wantedOnly } from "./set";

/** Plans an endpoint to create, and reports an adoption if the program is sound. Returns the failures. */
export async function planNew(call: LifecycleContext, wanted: WantedOne, isSound: boolean): Promise<Failure[]> {
  const set = wantedOnly(wanted, replacedOne(call));
  const { plan, failures } = await planAhead(singleContext(call), set, storedOnly(), isSound);
  if (!isSound || failures.length > 0) return failures;

  // A read-write one there is refused, or the one that this replaces.
  for (const { record } of plan.orphans) if (!isSole(record)) call.reporter.warn(orphanMessage(record, true));
  const { change, found, diff } = onlyIn(plan);
  if (change !== "adopt" || !found || !diff) return [];
  const messages = [`takes over endpoint ${idOf(found.record)}`, ...diff.messages];
  reportDiff(call.reporter, { ...diff, messages });
  return [];
}

/** Plans the change of an endpoint, whose impact the caller reports. Throws `refused` for an impossible one. */
export async function planChange(call: LifecycleContext, request: DiffRequest): Promise<DiffResult> {
  const context = singleContext(call);
  const { plan, failures } = await planAhead(context, wantedOnly(request), storedOnly(request));
  refuse(context, failures);

  const held = ignoredSizeMessage(request.inputs, request);
  if (held !== undefined) call.reporter.warn(held);
  return onlyIn(plan).diff as DiffResult;
}

/** Compares an endpoint with the program, without a plan or a request. */
export function compareChange(call: LifecycleContext, request: DiffRequest): DiffResult {
  const plan = compareOnly(singleContext(call), wantedOnly(request), storedOnly(request));
  return onlyIn(plan).diff as DiffResult;
}

/** The plan of the only member. */
export function onlyIn({ members }: FleetPlan): MemberPlan {
  return members.get(ONLY) as MemberPlan;
}
