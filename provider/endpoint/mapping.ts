/** Converts between the platform's records and the resource: inputs to requests, records to state and inputs. */
import { defined, isKnown, UNKNOWN } from "../lib/unknown";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointBody, EndpointRecord } from "../platform/records";
import { setIn } from "./differences";
import { ownerNameIn } from "./ownership-name";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { isLeftOut } from "./rules/autosuspend";
import { sizeRange } from "./rules/size";
import type { EndpointState } from "./state";

/**
 * The body of a create request (specification, section 4.3): the properties to send, with a generated name if the
 * program sets none.
 */
export function toCreateBody(
  inputs: EndpointInputs,
  set: readonly EndpointProperty[],
  ownName: string | undefined,
): EndpointBody {
  // Some platforms accept no settings without `pg_settings`.
  const settings = inputs.preloadLibraries === undefined ? {} : { pgSettings: {} };
  return { ...settings, ...bodyOf(inputs, set, "create"), ...(ownName !== undefined && { name: ownName }) };
}

/** The properties that inputs set and a request sends, without a delay that the account's plan fixes. */
export function sentIn(inputs: EndpointInputs, profile: Profile): EndpointProperty[] {
  return setIn(inputs).filter((name) => name !== "suspendTimeoutSeconds" || !isLeftOut(inputs[name], profile));
}

/** The body of an update request (specification, section 4.5): the named properties, with defaults for unset ones. */
export function toBody(inputs: EndpointInputs, changed: readonly EndpointProperty[]): EndpointBody {
  return bodyOf(inputs, changed, "update");
}

/** Converts a record to a state's visible properties. Properties that the platform does not return are absent. */
export function toState(record: EndpointRecord): EndpointState {
  const { id, autoscalingLimitMinCu, autoscalingLimitMaxCu, maxConnections, host, createdAt } = record;
  return {
    ...toInputs(record),
    ...defined({
      ...{ endpointId: id, host, pooledHost: host && pooledHostOf(id, host) },
      ...{ proxyHost: record.proxyHost ?? "", regionId: record.regionId ?? "", createdAt },
      ...{ autoscalingLimitMinCu, autoscalingLimitMaxCu, maxConnections },
    }),
  };
}

/**
 * Converts a record to inputs, with a fixed size in both forms. Properties that the platform does not return are
 * absent.
 */
export function toInputs(record: EndpointRecord): EndpointState {
  const fixed = record.autoscalingLimitMinCu === record.autoscalingLimitMaxCu;
  const told: EndpointState = { ...record, ...(fixed && { sizeCu: record.autoscalingLimitMinCu }) };
  // A generated name is not the program's.
  if (ownerNameIn(record) !== undefined) delete told.name;
  const names = endpointProperties.filter((name) => isOnPlatform(name) && told[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, copied(told[name])]));
}

/** Outputs that depend only on the size, for previews; UNKNOWN for an unknown size. */
export function sizeOutputs(
  minCu: number | typeof UNKNOWN,
  maxCu: number | typeof UNKNOWN,
  profile: Profile,
): EndpointState {
  const known = (cu: number | typeof UNKNOWN) => (cu === UNKNOWN ? undefined : cu);
  const isOpen = minCu === UNKNOWN || maxCu === UNKNOWN;
  const maxConnections = profile.maxConnections(known(minCu), known(maxCu)) ?? (isOpen ? UNKNOWN : undefined);
  return defined({ autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu, maxConnections });
}

function bodyOf(
  inputs: EndpointInputs,
  changed: readonly EndpointProperty[],
  call: "create" | "update",
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const name of endpointProperties) {
    const { sent = call, compared, resetTo } = propertyOf(name);
    if (!changed.includes(name) || sent !== call) continue;
    if (compared === "size") Object.assign(body, limitsOf(inputs));
    else body[name] = inputs[name] ?? resetTo;
  }
  return defined(body);
}

/** Both limits of the size, which the platform always needs together. */
function limitsOf(inputs: EndpointInputs): Record<string, number> {
  const range = sizeRange(inputs);
  return isKnown(range) ? { autoscalingLimitMinCu: range.minCu, autoscalingLimitMaxCu: range.maxCu } : {};
}

/** A copy, so that changes to the state do not affect the cache's record. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  return typeof value === "object" && value !== null ? { ...value } : value;
}

/** True for a property that the platform has and may return. */
function isOnPlatform(name: EndpointProperty): boolean {
  const { sent, effect } = propertyOf(name);
  return sent !== "never" || effect === "replacement";
}

/** The host name for pooled connections: `-pooler` after the endpoint id (specification, section 2.3, published). */
function pooledHostOf(id: string, host: string): string {
  return host.startsWith(`${id}.`) ? `${id}-pooler${host.slice(id.length)}` : host;
}
