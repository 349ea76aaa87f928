/** The plan of a single endpoint: in Check for a resource without old inputs, else in Diff, which has the id. */
import type { DiffRequest, DiffResult } from "../../endpoint/diff";
import { idOf } from "../../endpoint/identity";
import { isSole } from "../../endpoint/types";
import type { MemberPlan } from "../../fleet/plan";
import type { PreparedPlan } from "../../fleet/prepare";
import type { Failure } from "../../lib/failure";
import { type LifecycleContext, singleContext } from "../call";
import { planAhead, refuse } from "../fleet/plan";
import { orphanMessage } from "../messages/remedies";
import { ignoredSizeMessage } from "./held-size";
import { reportDiff } from "./preview";
import { ONLY, replacedOne, storedOnly, type WantedOne, wantedOnly } from "./set";

/** Plans an endpoint to create and reports an adoption. Returns the failures. */
export async function planNew(call: LifecycleContext, wanted: WantedOne): Promise<Failure[]> {
  const { plan, failures } = await planAhead(singleContext(call), wantedOnly(wanted, replacedOne(call)), storedOnly());
  if (failures.length > 0) return failures;

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

/** The plan of the only member. */
export function onlyIn({ members }: PreparedPlan): MemberPlan {
  return members.get(ONLY) as MemberPlan;
}
