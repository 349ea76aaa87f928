import { isKnown, UNKNOWN } from "../lib/unknown";
import type { EndpointBody } from "../platform/api";
import type { EndpointRecord } from "../platform/records";
import { type EndpointInputs, type EndpointProperty, endpointProperties, resettable } from "./model";
import { getComputeSize } from "./rules/compute-size";
import { sizeRange } from "./rules/size";
import type { EndpointState } from "./state";

/** Inputs that the platform stores one to one. Sizes have their own form. */
const plain = [
  "branchId",
  "suspendTimeoutSeconds",
  "poolerEnabled",
  "poolerMode",
  "disabled",
  "passwordlessAccess",
  "pgSettings",
] as const satisfies EndpointProperty[];

/** The body of a create request (specification, section 4.3): what the program set, and nothing else. */
export function toCreateRequest(inputs: EndpointInputs, name: string | undefined): EndpointBody {
  const set = endpointProperties.filter((property) => inputs[property] !== undefined);
  return { ...toUpdateRequest(inputs, set), type: inputs.type, ...(name === undefined ? {} : { name }) };
}

/**
 * The body of an update request (specification, section 4.5) for the named properties only. A named property that the
 * inputs do not set is put back to its default; one without a default is left out.
 */
export function toUpdateRequest(inputs: EndpointInputs, changed: readonly EndpointProperty[]): EndpointBody {
  const body: Record<string, unknown> = {};
  for (const property of plain) {
    if (!changed.includes(property)) continue;
    const value = inputs[property] ?? (resettable as Partial<EndpointInputs>)[property];
    if (value !== undefined) body[property] = value;
  }
  if (
    changed.includes("sizeCu") ||
    changed.includes("autoscalingLimitMinCu") ||
    changed.includes("autoscalingLimitMaxCu")
  ) {
    const range = sizeRange({
      sizeCu: undefined,
      autoscalingLimitMinCu: undefined,
      autoscalingLimitMaxCu: undefined,
      ...inputs,
    });
    if (isKnown(range)) {
      body.autoscalingLimitMinCu = range.minCu;
      body.autoscalingLimitMaxCu = range.maxCu;
    }
  }
  return body;
}

/** What the platform says about an endpoint, as visible properties of the state; what it does not tell is absent. */
export function toState(record: EndpointRecord): EndpointState {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu, host, createdAt } = record;
  return {
    ...toInputs(record),
    endpointId: record.id,
    ...(host === undefined ? {} : { host, pooledHost: pooledHostOf(record.id, host) }),
    proxyHost: record.proxyHost ?? "",
    regionId: record.regionId ?? "",
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(minCu === undefined || maxCu === undefined ? {} : sizeOutputs(minCu, maxCu)),
  };
}

/** The settings in force as inputs; both size forms where the size is fixed. What the platform does not tell is absent. */
export function toInputs(record: EndpointRecord): EndpointState {
  const { autoscalingLimitMinCu: minCu, autoscalingLimitMaxCu: maxCu } = record;
  const told = {
    projectId: record.projectId,
    branchId: record.branchId,
    type: record.type,
    ...(minCu === maxCu ? { sizeCu: minCu } : {}),
    autoscalingLimitMinCu: minCu,
    autoscalingLimitMaxCu: maxCu,
    suspendTimeoutSeconds: record.suspendTimeoutSeconds,
    poolerEnabled: record.poolerEnabled,
    poolerMode: record.poolerMode,
    pgSettings: record.pgSettings && { ...record.pgSettings },
    disabled: record.disabled,
    passwordlessAccess: record.passwordlessAccess,
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

/** Outputs that follow from the size alone, so that a preview can show them; UNKNOWN while a size is not known. */
export function sizeOutputs(minCu: number | typeof UNKNOWN, maxCu: number | typeof UNKNOWN): EndpointState {
  const min = minCu === UNKNOWN ? UNKNOWN : sizeFacts(minCu);
  const max = maxCu === UNKNOWN ? UNKNOWN : sizeFacts(maxCu);
  return {
    autoscalingLimitMinCu: minCu,
    autoscalingLimitMaxCu: maxCu,
    ...(min === UNKNOWN
      ? { maxConnections: UNKNOWN }
      : min.maxConnections === undefined
        ? {}
        : { maxConnections: min.maxConnections }),
    memoryGbMin: min === UNKNOWN ? UNKNOWN : min.memoryGb,
    memoryGbMax: max === UNKNOWN ? UNKNOWN : max.memoryGb,
    vcpuMin: min === UNKNOWN ? UNKNOWN : min.vcpu,
    vcpuMax: max === UNKNOWN ? UNKNOWN : max.vcpu,
  };
}

/** The host name for pooled connections: `-pooler` after the endpoint id (public facts, wire fields). */
function pooledHostOf(id: string, host: string): string {
  return host.startsWith(`${id}.`) ? `${id}-pooler${host.slice(id.length)}` : host;
}

const GB_PER_VCPU = 4;

function sizeFacts(cu: number): { vcpu: number; memoryGb: number; maxConnections: number | undefined } {
  const size = getComputeSize(cu);
  return {
    vcpu: size?.vcpu ?? cu,
    memoryGb: size?.memoryGb ?? cu * GB_PER_VCPU,
    maxConnections: size?.maxConnections,
  };
}
