import { outcomeOf } from "../platform/project/outcome";
import type { Context } from "./context";
import { setBefore } from "./differences";
import { parseId } from "./identity";
import { lookAgain, type SeenAgain } from "./kept-operations";
import { toInputs, toState } from "./mapping";
import type { EndpointProperty } from "./properties";
import { requireProject } from "./require-project";
import { bookkeepingOf, type EndpointState, type KeptOperation, withBookkeeping } from "./state";

/** What a host hands to read: for a refresh the state and, where it has them, the inputs; for an import neither. */
export interface ReadRequest {
  id: string;
  state?: EndpointState | undefined;
  oldInputs?: Readonly<Record<string, unknown>> | undefined;
}

/** The endpoint as it is now, and the inputs that describe it. */
export interface ReadResult {
  state: EndpointState;
  inputs: Record<string, unknown>;
}

/**
 * Reads an endpoint through the project's cache (specification, section 4.4). A refresh gives back the inputs that
 * the program set, with the values in force; an import gives all of them. `undefined` when the endpoint is gone.
 * Operations that an earlier run left open are looked at again, and stay kept until they have ended well.
 */
export async function read(context: Context, request: ReadRequest): Promise<ReadResult | undefined> {
  const { projectId, endpointId } = parseId(request.id);
  const { state = {} } = request;
  const { cache } = context.account.project(projectId);
  const { signal } = context;
  // A project that nobody knows is a wrong id in an import, and no proof of anything for what is in the state.
  const snapshot = await (isImport(request)
    ? cache.snapshot({ signal })
    : requireProject(context, { projectId, endpointId }));
  const record = snapshot.get(endpointId) ?? (await cache.confirm(endpointId, { signal }));
  if (!record) return undefined;
  const live = toInputs(record);
  if (isImport(request)) {
    const inputs = inputsForImport(live);
    return { state: withBookkeeping(toState(record), { set: Object.keys(inputs) as EndpointProperty[] }), inputs };
  }
  const set = setBefore(state, request.oldInputs);
  const inputs: Record<string, unknown> = {};
  for (const property of set) {
    inputs[property] = property in live ? live[property] : (request.oldInputs?.[property] ?? state[property]);
  }
  correctSize(inputs, live);
  const operations = (await lookAgain(context, projectId, bookkeepingOf(state).operations ?? [])).flatMap(stillKept);
  const book = { ...bookkeepingOf(state), operations };
  const programOnly = { adoptExisting: state.adoptExisting, restartTrigger: state.restartTrigger };
  const known = Object.fromEntries(Object.entries(programOnly).filter(([, value]) => value !== undefined));
  return { state: withBookkeeping({ ...known, ...toState(record) }, book), inputs };
}

/** True where there is no state yet: the endpoint is to come under management as it is. */
export function isImport({ state }: ReadRequest): boolean {
  return state === undefined || Object.keys(state).length === 0;
}

/** Everything that a program can say about the endpoint, in the shorter size form. */
function inputsForImport(live: EndpointState): Record<string, unknown> {
  const { autoscalingLimitMinCu, autoscalingLimitMaxCu, pgSettings, ...rest } = live;
  return {
    ...rest,
    ...(rest.sizeCu === undefined ? { autoscalingLimitMinCu, autoscalingLimitMaxCu } : {}),
    ...(Object.keys(pgSettings as object).length > 0 ? { pgSettings } : {}),
  };
}

/** Somebody else may have written the size in the other form than the program did. */
function correctSize(inputs: Record<string, unknown>, live: EndpointState): void {
  if (!("sizeCu" in inputs) || live.sizeCu !== undefined) return;
  delete inputs.sizeCu;
  inputs.autoscalingLimitMinCu = live.autoscalingLimitMinCu;
  inputs.autoscalingLimitMaxCu = live.autoscalingLimitMaxCu;
}

/** What a refresh goes on keeping: an operation that has neither ended well nor vanished. */
function stillKept({ kept, now }: SeenAgain): KeptOperation[] {
  return now === "vanished" || outcomeOf(now) === "succeeded" ? [] : [{ ...kept, status: now.status }];
}
