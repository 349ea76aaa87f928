/** Reads an endpoint again: what the platform says of one that is in the state, or is to be imported. */

import type { Values } from "../lib/unknown";
import { ages } from "../platform/policy";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointRecord } from "../platform/records";
import { type Context, requestOptions } from "./context";
import { setBefore } from "./differences";
import { isForgotten } from "./forget";
import { parseId } from "./identity";
import { areImported, IMPORTED, noteDrifted } from "./input-notes";
import { toInputs, toState } from "./mapping";
import { requireProject } from "./project";
import { type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { bookkeepingOf, type EndpointState, keep, latestOf, lookAgain, withBookkeeping } from "./state";
import { asSent } from "./stored";

/** The input of a read: for a refresh the state and any inputs, for an import neither. */
export interface ReadRequest {
  id: string;
  state?: EndpointState | undefined;
  oldInputs?: Values | undefined;
}

/** The endpoint as it is now, and the inputs that describe it. */
export interface ReadResult {
  state: EndpointState;
  inputs: Record<string, unknown>;
}

/**
 * Reads an endpoint through the project's cache (specification, section 4.4). A refresh gives back the inputs that
 * the program set, with the values in force; an import gives all of them. `undefined` when the endpoint is gone.
 * Operations that an earlier run left open are looked at again, and stay kept until they have ended well. What the run is to forget is
 * given back as it was, since its project may be gone.
 */
export async function read(context: Context, request: ReadRequest): Promise<ReadResult | undefined> {
  const { projectId, endpointId } = parseId(request.id);
  if (!isImport(request) && isForgotten(context, { projectId, endpointId })) return unread(request);
  const { cache } = context.account.project(projectId);
  const { signal } = context;
  const { profile } = context.account.settings;
  const sinceMs = context.account.clock.now() - ages.freshMs;
  // An unknown project means a wrong id in an import. For an endpoint in the state it proves nothing.
  const snapshot = await (isImport(request)
    ? cache.snapshot({ sinceMs, signal, onWait: context.reporter.status })
    : requireProject(context, { projectId, endpointId }, { sinceMs }));
  const record = snapshot.get(endpointId) ?? (await cache.readById(endpointId, requestOptions(context)));
  if (!record) return undefined;
  if (isImport(request)) {
    const state = withBookkeeping(toState(record), { set: [], imported: true });
    return { state, inputs: inputsOfImport(record, profile) };
  }
  const { state = {} } = request;
  const book = bookkeepingOf(state);
  const shown = asSent(record, state, book.spelled);
  const operations = keep((await lookAgain(context, projectId, book.operations ?? [])).map(latestOf));
  return {
    state: withBookkeeping({ ...storedValues(state), ...toState(shown) }, { ...book, operations }),
    inputs: inputsNow(shown, request, profile),
  };
}

/** The result for an endpoint that the user told the run to leave alone: its state, without a request. */
function unread({ state = {}, oldInputs }: ReadRequest): ReadResult {
  const names = [...setBefore(state, oldInputs)];
  return { state, inputs: oldInputs ?? Object.fromEntries(names.map((name) => [name, state[name]])) };
}

/** True without a state: an import of the endpoint as it is. */
export function isImport({ state }: ReadRequest): boolean {
  return state === undefined || Object.keys(state).length === 0;
}

/** The program's inputs with their current values, and a note of the changes made outside the program. */
function inputsNow(
  record: EndpointRecord,
  { state = {}, oldInputs }: ReadRequest,
  profile: Profile,
): Record<string, unknown> {
  // Nothing of an import was said by a program yet.
  if (areImported(oldInputs)) return inputsOfImport(record, profile);
  const live = toInputs(record);
  const inputs: Record<string, unknown> = {};
  for (const property of setBefore(state, oldInputs)) {
    inputs[property] = property in live ? live[property] : (oldInputs?.[property] ?? state[property]);
  }
  correctSize(inputs, live);
  // A host that gives no old inputs has their note in the state.
  return { ...inputs, ...noteDrifted(state, inputs, oldInputs ?? state) };
}

/**
 * The inputs for an imported endpoint, in the shorter size form, marked as not set by a program. They omit what the platform has
 * deprecated, or accepts without effect.
 */
function inputsOfImport(record: EndpointRecord, { withoutEffect }: Profile): Record<string, unknown> {
  const all = Object.entries(toInputs(record)) as [EndpointProperty, unknown][];
  const wanted = all.filter(([name]) => propertyOf(name).deprecated === undefined && !withoutEffect.includes(name));
  const { autoscalingLimitMinCu, autoscalingLimitMaxCu, pgSettings, preloadLibraries, ...rest } =
    Object.fromEntries(wanted);
  return {
    ...rest,
    ...(rest.sizeCu === undefined ? { autoscalingLimitMinCu, autoscalingLimitMaxCu } : {}),
    ...(Object.keys((pgSettings as object | undefined) ?? {}).length > 0 ? { pgSettings } : {}),
    ...(Object.keys((preloadLibraries as object | undefined) ?? {}).length > 0 ? { preloadLibraries } : {}),
    [IMPORTED]: true,
  };
}

/** Sent values that the platform may not return. The state keeps them. */
function storedValues(state: EndpointState): EndpointState {
  const names = endpointProperties.filter((name) => propertyOf(name).compared !== "size" && state[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

/** Somebody else may have written the size in the other form than the program did. */
function correctSize(inputs: Record<string, unknown>, live: EndpointState): void {
  if (!("sizeCu" in inputs) || live.sizeCu !== undefined) return;
  delete inputs.sizeCu;
  inputs.autoscalingLimitMinCu = live.autoscalingLimitMinCu;
  inputs.autoscalingLimitMaxCu = live.autoscalingLimitMaxCu;
}
