/** Between the platform's records and the resource: requests from inputs, state and inputs from a record. */
import { defined, isKnown, UNKNOWN } from "../lib/unknown";
import type { Profile } from "../platform/profiles/profile";
import type { EndpointBody, EndpointRecord } from "../platform/records";
import { setIn } from "./differences";
import { ownerNameIn } from "./ownership-name";
import { type EndpointInputs, type EndpointProperty, endpointProperties, propertyOf } from "./properties";
import { isLeftOut } from "./rules/autosuspend";
import { sizeRange } from "./rules/size";
import type { EndpointState } from "./state";

/** The body of a create request (specification, section 4.3): the properties to send, and a name of the provider's own where the program gives none. */
export function toCreateBody(
  inputs: EndpointInputs,
  set: readonly EndpointProperty[],
  ownName: string | undefined,
): EndpointBody {
  // There are platforms that take no settings without those of Postgres.
  const settings = inputs.preloadLibraries === undefined ? {} : { pgSettings: {} };
  return { ...settings, ...bodyOf(inputs, set, "create"), ...(ownName !== undefined && { name: ownName }) };
}

/** The properties that inputs set and a request carries: not a delay that the account's plan fixes. */
export function sentIn(inputs: EndpointInputs, profile: Profile): EndpointProperty[] {
  return setIn(inputs).filter((name) => name !== "suspendTimeoutSeconds" || !isLeftOut(inputs[name], profile));
}

/** The body of an update request (specification, section 4.5): the named properties, those that the inputs do not set with their defaults. */
export function toBody(inputs: EndpointInputs, changed: readonly EndpointProperty[]): EndpointBody {
  return bodyOf(inputs, changed, "update");
}

/** Converts the platform's record to the visible properties of a state. Properties that the platform does not return are absent. */
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

/** The settings in force as inputs; both size forms where the size is fixed. What the platform does not tell is absent. */
export function toInputs(record: EndpointRecord): EndpointState {
  const fixed = record.autoscalingLimitMinCu === record.autoscalingLimitMaxCu;
  const told: EndpointState = { ...record, ...(fixed && { sizeCu: record.autoscalingLimitMinCu }) };
  // The provider's own mark is nothing that a program says.
  if (ownerNameIn(record) !== undefined) delete told.name;
  const names = endpointProperties.filter((name) => isOnPlatform(name) && told[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, copied(told[name])]));
}

/** Outputs that follow from the size alone, so that a preview can show them; UNKNOWN while a size is not known. */
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

/** The platform takes a size as a range, always both ends of it. */
function limitsOf(inputs: EndpointInputs): Record<string, number> {
  const range = sizeRange(inputs);
  return isKnown(range) ? { autoscalingLimitMinCu: range.minCu, autoscalingLimitMaxCu: range.maxCu } : {};
}

/** The cache goes on with its record, whatever becomes of the state. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return [...value];
  return typeof value === "object" && value !== null ? { ...value } : value;
}

/** True for a property that the platform has, too: it can tell its value. */
function isOnPlatform(name: EndpointProperty): boolean {
  const { sent, effect } = propertyOf(name);
  return sent !== "never" || effect === "replacement";
}

/** The host name for pooled connections: `-pooler` after the endpoint id (specification, section 2.3, published). */
function pooledHostOf(id: string, host: string): string {
  return host.startsWith(`${id}.`) ? `${id}-pooler${host.slice(id.length)}` : host;
}
