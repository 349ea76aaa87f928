/** Reads an endpoint of the state, or one to import, from the platform. */

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
import { withSentSpelling } from "./stored";

/** The input of a read: the state and any old inputs for a refresh, neither for an import. */
export interface ReadRequest {
  id: string;
  state?: EndpointState | undefined;
  oldInputs?: Values | undefined;
}

/** The current endpoint, and its inputs. */
export interface ReadResult {
  state: EndpointState;
  inputs: Record<string, unknown>;
}

/**
 * Reads an endpoint through the cache (specification, section 4.4); `undefined` if gone. A refresh returns set inputs,
 * an import all. Whether the endpoint runs is not kept, so a suspend is no drift. Kept operations are read again.
 */
export async function read(context: Context, request: ReadRequest): Promise<ReadResult | undefined> {
  const { projectId, endpointId } = parseId(request.id);
  if (!isImport(request) && isForgotten(context, { projectId, endpointId })) return unread(request);
  const { cache } = context.account.project(projectId);
  const { signal } = context;
  const { profile } = context.account.settings;
  const sinceMs = context.account.clock.now() - ages.freshMs;

  // An unknown project means a wrong id in an import. It does not prove that an endpoint of the state is gone.
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
  const shown = withSentSpelling(record, state, book.spelled);
  const operations = keep((await lookAgain(context, projectId, book.operations ?? [])).map(latestOf));
  return {
    state: withBookkeeping({ ...storedValues(state), ...toState(shown) }, { ...book, operations }),
    inputs: inputsNow(shown, request, profile),
  };
}

/** The result for an endpoint that the run leaves alone: its state, without a request. */
function unread({ state = {}, oldInputs }: ReadRequest): ReadResult {
  const names = [...setBefore(state, oldInputs)];
  return { state, inputs: oldInputs ?? Object.fromEntries(names.map((name) => [name, state[name]])) };
}

/** True without a state: for an import. */
export function isImport({ state }: ReadRequest): boolean {
  return state === undefined || Object.keys(state).length === 0;
}

/** The program's inputs with current values, and a note of changes outside the program. */
function inputsNow(
  record: EndpointRecord,
  { state = {}, oldInputs }: ReadRequest,
  profile: Profile,
): Record<string, unknown> {
  // An import's inputs are not the program's.
  if (areImported(oldInputs)) return inputsOfImport(record, profile);
  const live = toInputs(record);
  const inputs: Record<string, unknown> = {};
  for (const property of setBefore(state, oldInputs)) {
    inputs[property] = property in live ? live[property] : (oldInputs?.[property] ?? state[property]);
  }
  correctSize(inputs, live);

  // Without old inputs, the state has their note.
  return { ...inputs, ...noteDrifted(state, inputs, oldInputs ?? state) };
}

/**
 * The inputs of an imported endpoint, marked as not set by a program, without properties that are deprecated or have no
 * effect.
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

/** The sent values that the platform may not return, from the state. */
function storedValues(state: EndpointState): EndpointState {
  const names = endpointProperties.filter((name) => propertyOf(name).compared !== "size" && state[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

/** Converts the size to both limits if the platform's no longer fits the program's fixed form. */
function correctSize(inputs: Record<string, unknown>, live: EndpointState): void {
  if (!("sizeCu" in inputs) || live.sizeCu !== undefined) return;
  delete inputs.sizeCu;
  inputs.autoscalingLimitMinCu = live.autoscalingLimitMinCu;
  inputs.autoscalingLimitMaxCu = live.autoscalingLimitMaxCu;
}
