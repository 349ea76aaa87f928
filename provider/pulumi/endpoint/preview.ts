/** The preview of a step: its known outputs and its impact. */
import type { Reporter } from "../../endpoint/context";
import type { DiffRequest, DiffResult } from "../../endpoint/diff";
import { resetValues, setBefore } from "../../endpoint/differences";
import { withIgnored } from "../../endpoint/ignored";
import { sizeOutputs, toState } from "../../endpoint/mapping";
import { endpointOutputs } from "../../endpoint/outputs";
import type { CheckedInputs } from "../../endpoint/parse-inputs";
import { sizeRange } from "../../endpoint/rules/size";
import type { EndpointState } from "../../endpoint/state";
import { UNKNOWN } from "../../lib/unknown";
import type { Profile } from "../../platform/profiles/profile";
import type { LifecycleContext } from "../call";

/** A planned change or create of an endpoint, from a host. */
type PreviewRequest = Pick<DiffRequest, "inputs" | "oldInputs" | "ignored"> & {
  state?: EndpointState | undefined;
};

/**
 * The outputs that a preview can know: an update's from state and inputs, a create's from inputs and any adopted
 * endpoint.
 */
export async function previewOutputs(
  { run, urn, account, signal }: LifecycleContext,
  { state, inputs, oldInputs, ignored }: PreviewRequest,
): Promise<EndpointState> {
  const { profile } = account.settings;
  if (state) {
    const kept = withIgnored(inputs, state, { ignored, oldInputs });
    return withInputs({ ...state, ...resetValues(setBefore(state, oldInputs)) }, kept, profile);
  }

  const { to, takes: adopts } = run.record(urn);
  const taken = to && adopts !== undefined && (await account.project(to.projectId).cache.endpoint(adopts, { signal }));
  if (taken) return withInputs(toState(taken), inputs, profile);
  const unknown = Object.fromEntries(Object.keys(endpointOutputs.shape).map((name) => [name, UNKNOWN]));
  return withInputs(unknown, inputs, profile);
}

/** A state with the inputs laid over. Sizes are whole: a new size drops the old, no size keeps it. */
function withInputs(state: EndpointState, inputs: CheckedInputs, profile: Profile): EndpointState {
  const { sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu, ...others } = inputs;
  if (sizeRange(inputs) === undefined) return { ...state, ...others };
  const min = sizeCu ?? autoscalingLimitMinCu ?? UNKNOWN;
  const max = sizeCu ?? autoscalingLimitMaxCu ?? UNKNOWN;
  const { sizeCu: _, maxConnections: __, ...kept } = state;
  return { ...kept, ...others, ...(sizeCu !== undefined && { sizeCu }), ...sizeOutputs(min, max, profile) };
}

/** Logs what a planned change does to the endpoint: a warning if it cuts connections, else information. */
export function reportDiff(reporter: Reporter, diff: Pick<DiffResult, "impact" | "repair" | "messages">): void {
  const { messages } = diff;
  if (messages.length === 0) return;
  const text = messages.join("; ");
  if (cutsOff(diff)) reporter.warn(text);
  else reporter.info(text);
}

/** True for a change that cuts connections or prevents new ones. */
export function cutsOff({ impact, repair }: Pick<DiffResult, "impact" | "repair">): boolean {
  if (repair === "restarted") return true;
  return impact !== undefined && (impact.restarts || impact.dropsConnections || impact.hostChanges || impact.downtime);
}
