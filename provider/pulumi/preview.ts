import type { Context } from "../endpoint/context";
import { setBefore } from "../endpoint/differences";
import { sizeOutputs, toState } from "../endpoint/mapping";
import { endpointOutputs, resettable } from "../endpoint/model";
import { type CheckedInputs, parseInputs } from "../endpoint/parse-inputs";
import { sizeRange } from "../endpoint/rules/size";
import type { EndpointState } from "../endpoint/state";
import { isKnown, UNKNOWN } from "../lib/unknown";
import { FRESH_MS } from "../platform/project/endpoint-cache";

/**
 * The outputs of a create as far as a preview can know them: the inputs, what follows from the size, and everything
 * where an endpoint is taken over. The rest is UNKNOWN.
 */
export async function previewCreate(context: Context, raw: Readonly<Record<string, unknown>>): Promise<EndpointState> {
  const { inputs } = parseInputs(raw);
  const { projectId, branchId, adoptExisting } = inputs;
  const unknown = Object.fromEntries(Object.keys(endpointOutputs.shape).map((name) => [name, UNKNOWN]));
  if (adoptExisting === true && isKnown(projectId) && isKnown(branchId)) {
    const onBranch = await context.account.project(projectId).cache.onBranch(branchId, {
      sinceMs: context.account.clock.now() - FRESH_MS,
    });
    const occupant = onBranch.find(({ type }) => type === "read_write");
    if (occupant) return { ...toState(occupant), ...inputs, ...sizesOf(inputs) };
  }
  return { ...unknown, ...inputs, ...sizesOf(inputs) };
}

/** The outputs of an update as far as a preview can know them: what is, with what changes and what is put back. */
export function previewUpdate(
  state: EndpointState,
  raw: Readonly<Record<string, unknown>>,
  oldInputs?: Readonly<Record<string, unknown>>,
): EndpointState {
  const { inputs } = parseInputs(raw);
  const wasSet = setBefore(state, oldInputs);
  const reset = Object.entries(resettable).filter(([name]) => wasSet.has(name));
  const { sizeCu: _, ...rest } = state;
  const sizes = sizesOf(inputs);
  const kept = Object.keys(sizes).length > 0 ? rest : state;
  return { ...kept, ...Object.fromEntries(reset), ...inputs, ...sizes };
}

function sizesOf({ sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu }: Partial<CheckedInputs>): EndpointState {
  const range = sizeRange({ sizeCu, autoscalingLimitMinCu, autoscalingLimitMaxCu });
  if (range === undefined) return {};
  if (range !== UNKNOWN) return sizeOutputs(range.minCu, range.maxCu);
  return sizeOutputs(autoscalingLimitMinCu ?? UNKNOWN, autoscalingLimitMaxCu ?? UNKNOWN);
}
