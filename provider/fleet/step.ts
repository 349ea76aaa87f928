/** One member's step: a create, a takeover, a change, a delete or a release. */
import type { Context } from "../endpoint/context";
import { adopt } from "../endpoint/create";
import { remove } from "../endpoint/delete";
import { isForgotten } from "../endpoint/forget";
import { idOf, idOfState, parseId } from "../endpoint/identity";
import type { EndpointInputs } from "../endpoint/properties";
import type { EndpointState } from "../endpoint/state";
import type { DoneStep } from "../endpoint/stored";
import { update } from "../endpoint/update";
import type { Values } from "../lib/unknown";
import type { MemberPlan } from "./plan";

/** The values of a step that creates, takes over or changes. */
export interface StepValues {
  inputs: EndpointInputs;
  oldInputs?: Values | undefined;
  /** Creates the member's endpoint. */
  create(inputs: EndpointInputs): Promise<DoneStep>;
}

const releaseReasons = {
  adopted: "it was taken over, so it is not deleted",
  retained: "it is to be kept (retainOnDelete), so it is not deleted",
};

/** Creates, takes over or changes a member's endpoint. `comes`: for one that is replaced, this makes the new one. */
export function bring(
  context: Context,
  { stored, found, change, member }: MemberPlan,
  { inputs, oldInputs, create }: StepValues,
  comes: boolean,
): Promise<DoneStep> {
  if (change === "adopt" && found) return adopt(context, { ...found, inputs, adopted: found.as === "adopted" });
  if (comes || !stored) return create(inputs);
  const { state } = stored;
  return update(context, { id: idOfState(state), state, inputs, oldInputs, ignored: member?.ignored });
}

/** Deletes a member's endpoint, or releases it: the endpoint stays, without an owner. */
export async function letGo(context: Context, { stays, stored, found }: MemberPlan): Promise<undefined> {
  const { branchId, type }: EndpointState = found ? { ...found.record } : (stored?.state ?? {});
  const id = found ? idOf(found.record) : idOfState(stored?.state ?? {});
  const identity = parseId(id);
  // What the run lets go of gets no request from the delete either.
  if (!stays || isForgotten(context, identity)) await remove(context, { ...identity, branchId, type });
  // Who reports of all members names the endpoint's new owner.
  else if (stays !== "given_up") context.reporter.info(`releases endpoint ${id}: ${releaseReasons[stays]}`);
}
